//! `GeneratorDataset`: the elements that a generator of the client's Python process yields (`Dataset.from_generator`).

use crate::functional::python_callback::needs_the_python_process;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "GeneratorDataset(init_func_other_args: Tinit_func_args, next_func_other_args: Tnext_func_args, finalize_func_other_args: \
                Tfinalize_func_args) -> (handle: variant)",
    attrs: "init_func: func; next_func: func; finalize_func: func; Tinit_func_args: list(type) >= 0; Tnext_func_args: list(type) >= 0; \
            Tfinalize_func_args: list(type) >= 0; output_types: list(type) >= 1; output_shapes: list(shape) >= 1; metadata: string = \"\"",
    flags: "stateful",
    doc: "Calls `init_func`, then `next_func` for each element until it says that there are no more, then `finalize_func`. TensorFlow's \
          clients make these functions of calls into their own process.",
    shape: shape::scalar,
    kernels: &[Kernel::built(|c| Err(needs_the_python_process(c, "make the dataset of tensors, files or a range, or feed the elements")))],
    ..WORDS
};
