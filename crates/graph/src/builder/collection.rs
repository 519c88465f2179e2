//! Collections: named lists of the graph's outputs and operations, such as its variables (TF: `tf.GraphKeys`, `Graph.add_to_collection`).

use super::{Graph, Operation, Output};
use ferroflow_tensor::Result;

/// TF's names of collections.
pub mod keys {
    /// Variables that all tasks share and that checkpoints hold.
    pub const GLOBAL_VARIABLES: &str = "variables";
    /// Variables of one task.
    pub const LOCAL_VARIABLES: &str = "local_variables";
    /// Variables that optimizers change.
    pub const TRAINABLE_VARIABLES: &str = "trainable_variables";
    /// Variables of the model alone, without optimizer state.
    pub const MODEL_VARIABLES: &str = "model_variables";
    /// Variables that have a moving average.
    pub const MOVING_AVERAGE_VARIABLES: &str = "moving_average_variables";
    /// The variable that counts training steps.
    pub const GLOBAL_STEP: &str = "global_step";
    /// Summaries to be written.
    pub const SUMMARIES: &str = "summaries";
    /// The op that merges all summaries.
    pub const SUMMARY_OP: &str = "summary_op";
    /// Runners that fill queues.
    pub const QUEUE_RUNNERS: &str = "queue_runners";
    /// Ops that initialise lookup tables.
    pub const TABLE_INITIALIZERS: &str = "table_initializer";
    /// Losses.
    pub const LOSSES: &str = "losses";
    /// Losses that keep weights small.
    pub const REGULARIZATION_LOSSES: &str = "regularization_losses";
    /// Ops to run before a training step, such as those of batch normalisation.
    pub const UPDATE_OPS: &str = "update_ops";
    /// The training op.
    pub const TRAIN_OP: &str = "train_op";
    /// The op that initialises global variables.
    pub const INIT_OP: &str = "init_op";
    /// The op that initialises local variables.
    pub const LOCAL_INIT_OP: &str = "local_init_op";
    /// Names the variables that are not initialised.
    pub const READY_OP: &str = "ready_op";
    /// Names the variables that must be initialised before the local ones can be.
    pub const READY_FOR_LOCAL_INIT_OP: &str = "ready_for_local_init_op";
    /// Savers.
    pub const SAVERS: &str = "savers";
}

/// What a collection may hold: outputs (`name:0`), operations (`name`), and names of either.
pub trait CollectionItem {
    /// The name that the collection keeps.
    fn collection_name(&self) -> String;
}

impl CollectionItem for Output {
    fn collection_name(&self) -> String {
        self.name()
    }
}

impl CollectionItem for Operation {
    fn collection_name(&self) -> String {
        self.name()
    }
}

impl CollectionItem for str {
    fn collection_name(&self) -> String {
        self.to_owned()
    }
}

impl CollectionItem for String {
    fn collection_name(&self) -> String {
        self.clone()
    }
}

impl Graph {
    /// Appends to a collection.
    pub fn add_to_collection<T: CollectionItem + ?Sized>(&self, collection: &str, item: &T) {
        let name = item.collection_name();
        self.state().collections.entry(collection.to_owned()).or_default().push(name);
    }

    /// Appends to several collections.
    pub fn add_to_collections<'a, T: CollectionItem + ?Sized>(&self, collections: impl IntoIterator<Item = &'a str>, item: &T) {
        collections.into_iter().for_each(|c| self.add_to_collection(c, item));
    }

    /// The names in a collection, in the order in which they were added.
    pub fn get_collection(&self, collection: &str) -> Vec<String> {
        self.state().collections.get(collection).cloned().unwrap_or_default()
    }

    /// The outputs that a collection names.
    ///
    /// Errors: `NotFound` or `InvalidArgument` if one of the names denotes no output of the graph.
    pub fn collection_outputs(&self, collection: &str) -> Result<Vec<Output>> {
        self.get_collection(collection).iter().map(|name| self.output(name)).collect()
    }

    /// The operations that a collection names; of outputs, those that produce them.
    ///
    /// Errors: `NotFound` if one of the names denotes nothing in the graph.
    pub fn collection_operations(&self, collection: &str) -> Result<Vec<Operation>> {
        let find = |name: &String| self.operation(crate::node::parse_tensor_name(name)?.0);
        self.get_collection(collection).iter().map(find).collect()
    }

    /// The names of all collections that hold something, by ascending name.
    pub fn collections(&self) -> Vec<String> {
        self.state().collections.keys().cloned().collect()
    }

    /// Empties a collection.
    pub fn clear_collection(&self, collection: &str) {
        self.state().collections.remove(collection);
    }
}
