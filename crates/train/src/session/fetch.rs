//! `Fetch`: what a run may be asked for, and in what form the values come back.

use ferroflow_graph::{Operation, Output};
use ferroflow_tensor::error::internal;
use ferroflow_tensor::{Result, Tensor};

/// Names gathered from a fetch.
#[derive(Clone, Debug, Default)]
pub struct FetchPlan {
    /// Tensors to return.
    pub fetches: Vec<String>,
    /// Operations to run.
    pub targets: Vec<String>,
}

/// The returned tensors, in the order in which they were planned.
pub struct Results(std::vec::IntoIter<Tensor>);

impl Results {
    /// Over these tensors.
    pub fn new(tensors: Vec<Tensor>) -> Results {
        Results(tensors.into_iter())
    }

    /// The next one.
    ///
    /// Errors: `Internal` if there is none left.
    pub fn next_tensor(&mut self) -> Result<Tensor> {
        self.0.next().ok_or_else(|| internal("a run returned fewer tensors than were fetched"))
    }
}

/// Something that can be fetched.
pub trait Fetch {
    /// What it becomes.
    type Value;
    /// Adds its names.
    fn plan(&self, plan: &mut FetchPlan);
    /// Takes its values.
    ///
    /// Errors: `Internal` if tensors are missing.
    fn collect(&self, results: &mut Results) -> Result<Self::Value>;
}

impl Fetch for &Output {
    type Value = Tensor;

    fn plan(&self, plan: &mut FetchPlan) {
        plan.fetches.push(self.name());
    }

    fn collect(&self, results: &mut Results) -> Result<Tensor> {
        results.next_tensor()
    }
}

impl Fetch for &Operation {
    type Value = ();

    fn plan(&self, plan: &mut FetchPlan) {
        plan.targets.push(self.name());
    }

    fn collect(&self, _: &mut Results) -> Result<()> {
        Ok(())
    }
}

impl<F: Fetch> Fetch for Option<F> {
    type Value = Option<F::Value>;

    fn plan(&self, plan: &mut FetchPlan) {
        if let Some(f) = self {
            f.plan(plan);
        }
    }

    fn collect(&self, results: &mut Results) -> Result<Self::Value> {
        self.as_ref().map(|f| f.collect(results)).transpose()
    }
}

impl<F: Fetch> Fetch for Vec<F> {
    type Value = Vec<F::Value>;

    fn plan(&self, plan: &mut FetchPlan) {
        self.iter().for_each(|f| f.plan(plan));
    }

    fn collect(&self, results: &mut Results) -> Result<Self::Value> {
        self.iter().map(|f| f.collect(results)).collect()
    }
}

macro_rules! tuples {
    ($(($($name:ident . $i:tt),*))*) => {
        $(impl<$($name: Fetch),*> Fetch for ($($name,)*) {
            type Value = ($($name::Value,)*);

            fn plan(&self, plan: &mut FetchPlan) {
                $(self.$i.plan(plan);)*
            }

            fn collect(&self, results: &mut Results) -> Result<Self::Value> {
                Ok(($(self.$i.collect(results)?,)*))
            }
        })*
    };
}

tuples! {
    (A.0)
    (A.0, B.1)
    (A.0, B.1, C.2)
    (A.0, B.1, C.2, D.3)
    (A.0, B.1, C.2, D.3, E.4)
    (A.0, B.1, C.2, D.3, E.4, F.5)
}
