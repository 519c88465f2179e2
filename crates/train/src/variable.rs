//! `Variable`: a tensor that outlives steps, as graph code sees it (TF: `tf.Variable`, `ResourceVariable`).

use crate::initializer::Initializer;
use ferroflow_graph::{Graph, Operation, Output, keys};
use ferroflow_tensor::error::invalid_argument;
use ferroflow_tensor::{DType, PartialShape, Result, Shape};

/// A variable of a graph. Its nodes carry TF's names: `w` (the handle), `w/Assign`, `w/Read/ReadVariableOp`,
/// `w/IsInitialized/VarIsInitializedOp`.
#[derive(Clone, Debug)]
pub struct Variable {
    handle: Output,
}

/// Which collections a variable belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Shared by all tasks, saved in checkpoints, changed by optimizers.
    Trainable,
    /// Shared by all tasks and saved, but not changed by optimizers: slots, counters.
    Global,
    /// Of one task, and not saved.
    Local,
}

impl Variable {
    /// A trainable variable of this shape, at first what the initializer gives.
    #[track_caller]
    pub fn new(g: &Graph, name: &str, dtype: DType, shape: &[i64], initial: &Initializer) -> Variable {
        Variable::with_kind(g, name, dtype, shape, initial, Kind::Trainable)
    }

    /// A variable of this kind.
    #[track_caller]
    pub fn with_kind(g: &Graph, name: &str, dtype: DType, shape: &[i64], initial: &Initializer, kind: Kind) -> Variable {
        let shape = Shape::new(shape).unwrap_or_else(|e| {
            g.fail(e);
            Shape::scalar()
        });
        // What initialises a variable must not wait for what happens to be built around it.
        g.without_control_dependencies(|| {
            let full = g.unique_name(name);
            // A name that ends with `/` is taken as it is.
            let handle = g
                .op("VarHandleOp")
                .name(format!("{full}/"))
                .attr("dtype", dtype)
                .attr("shape", PartialShape::from(&shape))
                .attr("shared_name", full.as_str())
                .output();
            let variable = Variable { handle };
            let handle = variable.handle();
            g.name_scope(&format!("{full}/"), || {
                g.colocate_with(handle.op(), || {
                    let value = g.name_scope("Initializer", || initial.build(g, dtype, &shape));
                    g.op("VarIsInitializedOp").name("IsInitialized/VarIsInitializedOp").input(handle).build();
                    g.op("AssignVariableOp").name("Assign").input(handle).input(value).attr("dtype", dtype).build();
                    g.op("ReadVariableOp").name("Read/ReadVariableOp").input(handle).attr("dtype", dtype).build();
                })
            });
            let collections: &[&str] = match kind {
                Kind::Trainable => &[keys::GLOBAL_VARIABLES, keys::TRAINABLE_VARIABLES],
                Kind::Global => &[keys::GLOBAL_VARIABLES],
                Kind::Local => &[keys::LOCAL_VARIABLES],
            };
            g.add_to_collections(collections.iter().copied(), &variable.handle);
            variable
        })
    }

    /// The variable whose handle has this name.
    ///
    /// Errors: `NotFound` if there is no such node; `InvalidArgument` if it is no variable.
    pub fn find(g: &Graph, name: &str) -> Result<Variable> {
        let handle = g.output(name)?;
        if handle.op().op_name() != "VarHandleOp" {
            return Err(invalid_argument(format!("{name} is no variable but {}", handle.op().op_name())));
        }
        Ok(Variable { handle })
    }

    /// Its handle, a scalar of type `resource`.
    pub fn handle(&self) -> &Output {
        &self.handle
    }

    /// Its name, which is also its key in checkpoints.
    pub fn name(&self) -> String {
        self.handle.op().name()
    }

    /// Its graph.
    pub fn graph(&self) -> &Graph {
        self.handle.graph()
    }

    /// The element type.
    pub fn dtype(&self) -> DType {
        self.handle.op().with_attrs(|a| a.dtype("dtype")).unwrap_or(DType::Float)
    }

    /// The shape.
    pub fn shape(&self) -> PartialShape {
        self.handle.op().with_attrs(|a| a.shape("shape").cloned()).unwrap_or_default()
    }

    /// The dimensions.
    ///
    /// Errors: `InvalidArgument` if the shape is not fully known.
    pub fn dims(&self) -> Result<Vec<i64>> {
        let shape = self.shape();
        let known = shape.to_shape().ok_or_else(|| invalid_argument(format!("variable {} has shape {shape}", self.name())))?;
        Ok(known.dims().to_vec())
    }

    /// Bytes of its value; 0 if the shape is not fully known.
    pub fn num_bytes(&self) -> usize {
        self.shape().to_shape().map_or(0, |s| s.num_elements().saturating_mul(self.dtype().size()))
    }

    /// A new read of its value, in the control scope in force: the value at the time that the node runs.
    #[track_caller]
    pub fn read(&self) -> Output {
        self.graph().op("ReadVariableOp").name("ReadVariableOp").input(&self.handle).attr("dtype", self.dtype()).output()
    }

    /// Its value, read once per step at no particular time.
    pub fn value(&self) -> Output {
        self.part("Read/ReadVariableOp").output(0)
    }

    /// The operation that gives it its first value.
    pub fn initializer(&self) -> Operation {
        self.part("Assign")
    }

    /// Whether it has a value, a bool scalar.
    pub fn is_initialized(&self) -> Output {
        self.part("IsInitialized/VarIsInitializedOp").output(0)
    }

    /// Replaces its value.
    #[track_caller]
    pub fn assign(&self, value: impl Into<Output>) -> Operation {
        self.graph().op("AssignVariableOp").input(&self.handle).input(value).attr("dtype", self.dtype()).build()
    }

    /// Adds to its value.
    #[track_caller]
    pub fn assign_add(&self, value: impl Into<Output>) -> Operation {
        self.graph().op("AssignAddVariableOp").input(&self.handle).input(value).attr("dtype", self.dtype()).build()
    }

    fn part(&self, suffix: &str) -> Operation {
        let name = format!("{}/{suffix}", self.name());
        self.graph().operation(&name).unwrap_or_else(|e| {
            self.graph().fail(e);
            self.handle.op().clone()
        })
    }
}

impl From<&Variable> for Output {
    /// Its value; see [`Variable::value`].
    fn from(v: &Variable) -> Output {
        v.value()
    }
}

/// The variables of a collection; see [`keys`].
///
/// Errors: `NotFound` or `InvalidArgument` if the collection names something else.
pub fn variables(g: &Graph, collection: &str) -> Result<Vec<Variable>> {
    g.get_collection(collection).iter().map(|name| Variable::find(g, name)).collect()
}

/// An operation that initialises all variables of a collection (TF: `variables_initializer`).
///
/// Errors: as [`variables`].
pub fn initializer_of(g: &Graph, collection: &str, name: &str) -> Result<Operation> {
    let all = variables(g, collection)?;
    let ops: Vec<Operation> = all.iter().map(|v| v.initializer()).collect();
    Ok(group(g, &ops, name))
}

/// An operation that initialises all global variables (TF: `global_variables_initializer`).
///
/// Errors: as [`variables`].
pub fn global_variables_initializer(g: &Graph) -> Result<Operation> {
    initializer_of(g, keys::GLOBAL_VARIABLES, "init")
}

/// An operation that is done when all of these are (TF: `tf.group`).
pub fn group(g: &Graph, ops: &[Operation], name: &str) -> Operation {
    g.without_control_dependencies(|| ops.iter().fold(g.op("NoOp").name(name), |b, op| b.control_input(op)).build())
}
