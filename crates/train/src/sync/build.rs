//! The graph of a synchronous update; names and sharing are TF's, so that TF's replicas can take part.

use crate::initializer::Initializer;
use crate::optimizer::Optimizer;
use crate::variable::{Kind, Variable, group};
use ferroflow_graph::{Grad, Operation, Output};
use ferroflow_tensor::{DType, DeviceSpec, PartialShape, Result};

/// What the hook runs.
pub(super) struct Built {
    /// One replica's step: push, wait for a token, note its step.
    pub(super) train_op: Operation,
    /// The chief's loop: take, update, hand out tokens.
    pub(super) sync_op: Operation,
    /// The chief's start: the local step and the accumulators follow the global step.
    pub(super) chief_init: Operation,
    /// The others' start: the local step follows the global step.
    pub(super) local_init: Operation,
    /// Hands out the first tokens.
    pub(super) init_tokens: Operation,
    /// Hands out a token for each replica, so that none waits for one that has ended.
    pub(super) release: Operation,
}

pub(super) fn build<O: Optimizer>(inner: &O, grads: &[(Grad, Variable)], step: &Variable, required: u32, replicas: u32) -> Result<Built> {
    let g = step.graph().clone();
    let step_device = DeviceSpec::parse(&step.handle().op().device())?;
    g.name_scope("sync_replicas", || {
        // State of this replica alone: it follows an op that the device scopes put on the worker.
        let anchor = g.op("NoOp").name("local_anchor").build();
        let local_step = g
            .colocate_with(&anchor, || Variable::with_kind(&g, "sync_rep_local_step", DType::Int64, &[], &Initializer::Zeros, Kind::Local));
        let mut pushes = Vec::new();
        let mut taken = Vec::new();
        let mut resets = Vec::new();
        for (grad, var) in grads {
            let (push, mean, reset) = accumulate(grad, var, &local_step, step, required)?;
            pushes.push(push);
            taken.push((mean, var.clone()));
            resets.push(reset);
        }
        let tokens = g.colocate_with(step.handle().op(), || {
            g.op("FIFOQueueV2")
                .name("sync_token_q")
                .attr("component_types", vec![DType::Int64])
                .attr("shapes", vec![PartialShape::scalar()])
                .attr("capacity", -1i64)
                .attr("shared_name", "sync_token_q")
                .output()
        });
        let hand_out = |n: u32, value: Output| {
            g.colocate_with(step.handle().op(), || {
                let dims = g.constant_vector(&[n as i32]);
                let many = g.op("Fill").input(dims).input(value).output();
                g.op("QueueEnqueueManyV2").input(&tokens).input_list([many]).build()
            })
        };
        let update = g.device(step_device.clone(), || inner.apply_gradients(&taken, Some(step)))?;
        let sync_op = g.control_dependencies([&update], || {
            let new_step = g.colocate_with(step.handle().op(), || step.read());
            hand_out(required.max(replicas), new_step)
        });
        let token = g.control_dependencies(pushes.iter(), || {
            g.colocate_with(step.handle().op(), || {
                g.op("QueueDequeueV2").input(&tokens).attr("component_types", vec![DType::Int64]).output()
            })
        });
        let train_op = g.colocate_with(local_step.handle().op(), || local_step.assign(&token));
        let follow = || g.colocate_with(local_step.handle().op(), || local_step.assign(step.value()));
        resets.push(follow());
        Ok(Built {
            train_op,
            sync_op,
            chief_init: group(&g, &resets, "chief_init"),
            local_init: follow(),
            init_tokens: hand_out(required, step.value()),
            release: hand_out(replicas, step.value()),
        })
    })
}

/// The accumulator of a variable: the push, the mean that the chief takes, and the reset to the global step.
fn accumulate(grad: &Grad, var: &Variable, local_step: &Variable, step: &Variable, required: u32) -> Result<(Operation, Grad, Operation)> {
    let g = var.graph();
    let (dtype, key) = (var.dtype(), format!("{}:0/grad_accum", var.name()));
    let local = local_step.value();
    Ok(g.colocate_with(var.handle().op(), || match grad {
        Grad::Dense(value) => {
            let handle = g
                .op("ResourceConditionalAccumulator")
                .name("conditional_accumulator")
                .attr("dtype", dtype)
                .attr("shape", var.shape())
                .attr("shared_name", key)
                .output();
            let push = g.op("ResourceAccumulatorApplyGradient").inputs([handle.clone(), local, value.clone()]).build();
            let required = g.constant(required as i32);
            let mean = g.op("ResourceAccumulatorTakeGradient").input(&handle).input(required).attr("dtype", dtype).output();
            let reset = g.op("ResourceAccumulatorSetGlobalStep").input(&handle).input(step.value()).build();
            (push, Grad::Dense(mean), reset)
        }
        Grad::Slices { values, indices, dense_shape } => {
            let handle = g
                .op("SparseConditionalAccumulator")
                .name("sparse_conditional_accumulator")
                .attr("dtype", dtype)
                .attr("shape", PartialShape::unknown())
                .attr("shared_name", key)
                .output();
            let wide = |o: &Output| g.op("Cast").input(o).attr("DstT", DType::Int64).output();
            let push = g
                .op("SparseAccumulatorApplyGradient")
                .inputs([handle.clone(), local, wide(indices), values.clone(), wide(dense_shape)])
                .attr("has_known_shape", true)
                .build();
            let required = g.constant(required as i32);
            let mean = g.op("SparseAccumulatorTakeGradient").input(&handle).input(required).attr("dtype", dtype).build();
            let reset = g.op("AccumulatorSetGlobalStep").input(&handle).input(step.value()).build();
            let slices = Grad::Slices { values: mean.output(1), indices: mean.output(0), dense_shape: mean.output(2) };
            (push, slices, reset)
        }
    }))
}
