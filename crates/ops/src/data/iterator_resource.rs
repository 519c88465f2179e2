//! `IteratorResource`: a named place that holds the iterator of some dataset (TF: `IteratorResource`).

use super::dataset::{AnyIterator, DatasetHandle, Element, declared};
use super::iterator_context::IteratorContext;
use super::iterator_state::IteratorState;
use super::task::pause;
use super::turns::Turns;
use crate::state::variable_access::handle_in;
use ferroflow_graph::NodeInfo;
use ferroflow_graph::kernel::{Resource, ResourceManager, StepContext};
use ferroflow_tensor::error::{failed_precondition, internal, invalid_argument};
use ferroflow_tensor::{DType, PartialShape, Result, Tensor};
use parking_lot::Mutex;
use std::sync::Arc;

/// An iterator, and what it works with.
struct Position {
    turns: Arc<Turns<Walk>>,
    ctx: Arc<IteratorContext>,
    dataset: DatasetHandle,
}

/// An iterator that counts how often it was asked and had not ended.
struct Walk {
    iterator: AnyIterator,
    steps: u64,
}

impl Walk {
    async fn next(&mut self, ctx: &IteratorContext) -> Result<Option<Element>> {
        let element = self.iterator.next(ctx).await;
        // What failed was passed over, too.
        self.steps += u64::from(!matches!(element, Ok(None)));
        element
    }
}

/// An iterator resource; it is empty until `MakeIterator`.
pub(crate) struct IteratorResource {
    output_types: Vec<DType>,
    output_shapes: Vec<PartialShape>,
    position: Mutex<Option<Position>>,
}

impl Resource for IteratorResource {
    fn type_name(&self) -> &'static str {
        "Iterator"
    }
}

impl IteratorResource {
    /// What TF calls the type of an iterator's resource handle.
    pub(crate) const TYPE_NAME: &str = "N10tensorflow4data16IteratorResourceE";

    /// An iterator over elements of the types and shapes that a node declares.
    ///
    /// Errors: `InvalidArgument` for attributes of another kind.
    pub(crate) fn of_node(node: &NodeInfo) -> Result<IteratorResource> {
        let (output_types, output_shapes) = declared(node)?;
        Ok(IteratorResource { output_types, output_shapes, position: Mutex::default() })
    }

    /// Starts over, before the first element of a dataset.
    ///
    /// Errors: `InvalidArgument` if its elements are of other types or shapes; what making the iterator returns.
    pub(crate) fn set(&self, dataset: &DatasetHandle, step: &StepContext) -> Result<()> {
        check_types(&self.output_types, dataset.output_types())?;
        check_shapes(&self.output_shapes, dataset.output_shapes())?;
        let ctx = Arc::new(IteratorContext::lasting(step));
        let walk = Walk { iterator: dataset.iterator(&ctx)?, steps: 0 };
        self.replace(Position { turns: Turns::new(walk), ctx, dataset: dataset.clone() });
        Ok(())
    }

    fn replace(&self, position: Position) {
        // Dropping an iterator may cancel its work, which needs no lock of ours.
        let old = self.position.lock().replace(position);
        drop(old);
    }

    /// Where it stands, after the requests before this call.
    ///
    /// Errors: `FailedPrecondition` before the first `MakeIterator`.
    pub(super) fn save(&self) -> Result<impl Future<Output = Result<IteratorState>> + Send + use<>> {
        let position = self.position.lock();
        let position = position.as_ref().ok_or_else(|| {
            failed_precondition(
                "Save() failed because the iterator has not been initialized. Ensure that you have run the initializer operation for \
                 this iterator before saving it.",
            )
        })?;
        let (turn, ctx) = (position.turns.queue_up(), position.ctx.clone());
        Ok(async move {
            let walk = turn.come().await.ok_or_else(|| internal("the iterator was lost in a panic"))?;
            let steps = walk.as_ref().map_or(0, |w| w.steps);
            Ok(IteratorState { steps, standings: ctx.standings() })
        })
    }

    /// Goes to where an iterator of the same dataset stood: begins anew, with the same chances, and passes over as many elements.
    ///
    /// Errors: `FailedPrecondition` before the first `MakeIterator`; what making an iterator returns.
    pub(super) fn restore(
        self: &Arc<Self>,
        state: IteratorState,
        step: &StepContext,
    ) -> Result<impl Future<Output = Result<()>> + Send + use<>> {
        let dataset = self.position.lock().as_ref().map(|p| p.dataset.clone()).ok_or_else(|| {
            failed_precondition(
                "Restore() failed because the iterator has not been initialized. Ensure that you have run the initializer operation for \
                 this iterator before restoring it.",
            )
        })?;
        let ctx = Arc::new(IteratorContext::repeating(step, state.standings));
        let mut walk = Walk { iterator: dataset.iterator(&ctx)?, steps: 0 };
        let this = self.clone();
        Ok(async move {
            while walk.steps < state.steps {
                if let Ok(None) = walk.next(&ctx).await {
                    break;
                }
                pause().await;
            }
            this.replace(Position { turns: Turns::new(walk), ctx, dataset });
            Ok(())
        })
    }

    /// Checks that a node that uses this iterator expects its elements.
    ///
    /// Errors: `InvalidArgument` if it does not.
    pub(crate) fn check(&self, types: &[DType], shapes: &[PartialShape]) -> Result<()> {
        if !types.is_empty() {
            check_types(types, &self.output_types)?;
        }
        if !shapes.is_empty() {
            check_shapes(shapes, &self.output_shapes)?;
        }
        Ok(())
    }

    /// The next element; requests are served in the order of these calls.
    ///
    /// Errors: `FailedPrecondition` before the first `MakeIterator`.
    pub(crate) fn next(&self) -> Result<impl Future<Output = Result<Option<Element>>> + Send + use<>> {
        let position = self.position.lock();
        let position = position.as_ref().ok_or_else(|| {
            failed_precondition(
                "GetNext() failed because the iterator has not been initialized. Ensure that you have run the initializer operation \
                 for this iterator before getting the next element.",
            )
        })?;
        let (turn, ctx) = (position.turns.queue_up(), position.ctx.clone());
        Ok(async move {
            let mut walk = turn.come().await.ok_or_else(|| internal("the iterator was lost in a panic"))?;
            let walk = walk.as_mut().ok_or_else(|| internal("the iterator is not there"))?;
            walk.next(&ctx).await
        })
    }
}

/// The iterator that a handle names.
///
/// Errors: `InvalidArgument` if it is no handle; `NotFound` if there is no such iterator.
pub(crate) fn iterator_at(resources: &ResourceManager, handle: &Tensor) -> Result<Arc<IteratorResource>> {
    resources.lookup_handle(handle_in(handle)?)
}

fn check_types(expected: &[DType], got: &[DType]) -> Result<()> {
    if expected.len() != got.len() {
        let (expected, got) = (expected.len(), got.len());
        return Err(invalid_argument(format!("Number of components does not match: expected {expected} types but got {got}.")));
    }
    match expected.iter().zip(got).position(|(a, b)| a != b) {
        Some(i) => {
            let (expected, got) = (expected[i], got[i]);
            Err(invalid_argument(format!("Data type mismatch at component {i}: expected {expected} but got {got}.")))
        }
        None => Ok(()),
    }
}

fn check_shapes(expected: &[PartialShape], got: &[PartialShape]) -> Result<()> {
    if expected.len() != got.len() {
        let (expected, got) = (expected.len(), got.len());
        return Err(invalid_argument(format!("Number of components does not match: expected {expected} shapes but got {got}.")));
    }
    match expected.iter().zip(got).position(|(a, b)| a.merge(b).is_err()) {
        Some(i) => {
            let (expected, got) = (&expected[i], &got[i]);
            Err(invalid_argument(format!("Incompatible shapes at component {i}: expected {expected} but got {got}.")))
        }
        None => Ok(()),
    }
}

/// Checks that an iterator that exists already is what a node asks for.
///
/// Errors: `InvalidArgument` if it is not.
pub(crate) fn check_declared(iterator: &IteratorResource, node: &NodeInfo) -> Result<()> {
    let (types, shapes) = declared(node)?;
    iterator.check(&types, &shapes)
}
