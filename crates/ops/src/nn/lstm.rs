//! A long short-term memory cell with its gates in one product: what the block ops share (TF: `lstm_ops`).

use crate::prelude::*;
use ferroflow_graph::kernel::StepContext;
use ferroflow_math::{MatrixRef, matmul};
use half::f16;

/// The elements of a half or float tensor.
///
/// Errors: `Unimplemented` for other types.
pub(super) fn wide(t: &Tensor) -> Result<Vec<f32>> {
    match t.dtype() {
        DType::Float => Ok(t.as_slice::<f32>()?.to_vec()),
        DType::Half => Ok(t.as_slice::<f16>()?.iter().map(|x| x.to_f32()).collect()),
        other => Err(unsupported("a block of a recurrent network", other)),
    }
}

/// A tensor of this type.
///
/// Errors: `ResourceExhausted` without memory.
pub(super) fn narrow(dtype: DType, dims: &[usize], values: &[f32]) -> Result<Tensor> {
    let shape = Shape::from_lens(dims)?;
    if dtype == DType::Half {
        return Tensor::from_slice(shape, &values.iter().map(|&x| f16::from_f32(x)).collect::<Vec<_>>());
    }
    Tensor::from_slice(shape, values)
}

/// `c = a b`, or added to what is there.
pub(super) fn product(step: &StepContext, a: MatrixRef<f32>, b: MatrixRef<f32>, c: &mut [f32], accumulate: bool) {
    matmul(&crate::parallel::pool(step), a, b, c, accumulate);
}

pub(super) fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

/// Which block of the weights' columns belongs to which gate: input, cell, forget, output.
pub(super) type Order = [usize; 4];
/// The order of the first version.
pub(super) const ICFO: Order = [0, 1, 2, 3];
/// The order of the second version, which has the forget gate before the cell.
pub(super) const IFCO: Order = [0, 2, 1, 3];

/// The inputs that all ops have in common, checked.
pub(super) struct Cell {
    pub(super) dtype: DType,
    /// Steps; one for an op of one cell.
    pub(super) steps: usize,
    pub(super) batch: usize,
    pub(super) inputs: usize,
    pub(super) size: usize,
    pub(super) x: Vec<f32>,
    pub(super) cs_prev: Vec<f32>,
    pub(super) h_prev: Vec<f32>,
    w: Vec<f32>,
    b: Vec<f32>,
    /// Weights of the cell's state in the input, forget and output gate.
    peepholes: Option<[Vec<f32>; 3]>,
    order: Order,
}

/// What a step makes: the gates i, f, o, the cell's input ci, its state cs, and co and h that come out.
pub(super) struct Made {
    pub(super) i: Vec<f32>,
    pub(super) cs: Vec<f32>,
    pub(super) f: Vec<f32>,
    pub(super) o: Vec<f32>,
    pub(super) ci: Vec<f32>,
    pub(super) co: Vec<f32>,
    pub(super) h: Vec<f32>,
}

impl Made {
    /// The parts in the order of the outputs.
    pub(super) fn parts(&self) -> [&[f32]; 7] {
        [&self.i, &self.cs, &self.f, &self.o, &self.ci, &self.co, &self.h]
    }
}

/// What flows back through a step, besides what is added to the weights'.
pub(super) struct Back {
    /// To the state before.
    pub(super) cs_prev: Vec<f32>,
    /// To the four gates before their functions, in the order of the weights.
    pub(super) gates: Vec<f32>,
    /// To the weights of the peepholes.
    pub(super) peepholes: [Vec<f32>; 3],
}

impl Cell {
    /// Reads the inputs from `first` on: x, cs_prev, h_prev, w, wci, wcf, wco, b; x has this rank.
    ///
    /// Errors: `InvalidArgument` for shapes that do not fit.
    pub(super) fn of(ctx: &OpKernelContext, first: usize, rank: usize, order: Order) -> Result<Cell> {
        let at = |i: usize| ctx.input(first + i);
        let (x, cs_prev, h_prev, w, b) = (at(0)?, at(1)?, at(2)?, at(3)?, at(7)?);
        if x.rank() != rank {
            return Err(invalid_argument(format!("x must be rank {rank}, got shape {}", x.shape())));
        }
        for (name, t, rank) in [("cs_prev", cs_prev, 2), ("h_prev", h_prev, 2), ("w", w, 2), ("b", b, 1)] {
            if t.rank() != rank {
                return Err(invalid_argument(format!("{name} must be rank {rank} but is rank {}", t.rank())));
            }
        }
        let (batch, inputs, size) = (x.shape().dim(rank - 2), x.shape().dim(rank - 1), cs_prev.shape().dim(1));
        let wanted: [(&str, &Tensor, &[usize]); 4] = [
            ("cs_prev", cs_prev, &[batch, size]),
            ("h_prev", h_prev, &[batch, size]),
            ("w", w, &[inputs + size, 4 * size]),
            ("b", b, &[4 * size]),
        ];
        for (name, t, dims) in wanted {
            if *t.shape() != Shape::from_lens(dims)? {
                return Err(invalid_argument(format!("{name} must have shape {dims:?}, got {}", t.shape())));
            }
        }
        for i in 4..7 {
            let t = at(i)?;
            if t.rank() != 1 {
                return Err(invalid_argument(format!("wci, wcf and wco must be rank 1, got shape {}", t.shape())));
            }
        }
        let mut peepholes = None;
        if ctx.node.attrs.bool("use_peephole")? {
            for i in 4..7 {
                if at(i)?.shape().dim(0) != size {
                    return Err(invalid_argument(format!("wci, wcf and wco must have {size} elements, got shape {}", at(i)?.shape())));
                }
            }
            peepholes = Some([wide(at(4)?)?, wide(at(5)?)?, wide(at(6)?)?]);
        }
        Ok(Cell {
            dtype: x.dtype(),
            steps: if rank == 3 { x.shape().dim(0) } else { 1 },
            batch,
            inputs,
            size,
            x: wide(x)?,
            cs_prev: wide(cs_prev)?,
            h_prev: wide(h_prev)?,
            w: wide(w)?,
            b: wide(b)?,
            peepholes,
            order,
        })
    }

    /// `x` and `h` beside each other.
    fn joined(&self, x: &[f32], h: &[f32]) -> Vec<f32> {
        let mut xh = Vec::with_capacity(self.batch * (self.inputs + self.size));
        for b in 0..self.batch {
            xh.extend_from_slice(&x[b * self.inputs..][..self.inputs]);
            xh.extend_from_slice(&h[b * self.size..][..self.size]);
        }
        xh
    }

    /// A step forward.
    pub(super) fn forward(&self, step: &StepContext, x: &[f32], cs_prev: &[f32], h_prev: &[f32], forget_bias: f32, clip: f32) -> Made {
        let (n, width) = (self.batch * self.size, 4 * self.size);
        let xh = self.joined(x, h_prev);
        let mut gates = vec![0f32; self.batch * width];
        let depth = self.inputs + self.size;
        product(step, MatrixRef::new(&xh, self.batch, depth), MatrixRef::new(&self.w, depth, width), &mut gates, false);
        let zeros = || vec![0f32; n];
        let mut made = Made { i: zeros(), cs: zeros(), f: zeros(), o: zeros(), ci: zeros(), co: zeros(), h: zeros() };
        for (k, &before) in cs_prev.iter().enumerate().take(n) {
            let (row, j) = (k / self.size, k % self.size);
            let gate = |g: usize| {
                let column = self.order[g] * self.size + j;
                gates[row * width + column] + self.b[column]
            };
            let peep = |p: usize, state: f32| self.peepholes.as_ref().map_or(0.0, |w| w[p][j] * state);
            let (i, ci) = (sigmoid(gate(0) + peep(0, before)), gate(1).tanh());
            let f = sigmoid(gate(2) + forget_bias + peep(1, before));
            let cs = ci * i + before * f;
            let cs = if clip > 0.0 { cs.clamp(-clip, clip) } else { cs };
            let (o, co) = (sigmoid(gate(3) + peep(2, cs)), cs.tanh());
            (made.i[k], made.cs[k], made.f[k], made.o[k], made.ci[k], made.co[k], made.h[k]) = (i, cs, f, o, ci, co, o * co);
        }
        made
    }

    /// A step back, given what it made and the gradients of its state and output.
    pub(super) fn backward(&self, made: &Made, cs_prev: &[f32], cs_grad: &[f32], h_grad: &[f32]) -> Back {
        let width = 4 * self.size;
        let zeros = || vec![0f32; self.size];
        let mut back = Back {
            cs_prev: vec![0f32; self.batch * self.size],
            gates: vec![0f32; self.batch * width],
            peepholes: [zeros(), zeros(), zeros()],
        };
        for k in 0..self.batch * self.size {
            let (row, j) = (k / self.size, k % self.size);
            let (i, f, o, ci, co) = (made.i[k], made.f[k], made.o[k], made.ci[k], made.co[k]);
            let d_o = o * (1.0 - o) * h_grad[k] * co;
            let mut d_cs = (1.0 - co * co) * h_grad[k] * o + cs_grad[k];
            if let Some(w) = &self.peepholes {
                d_cs += d_o * w[2][j];
            }
            let d_ci = (1.0 - ci * ci) * d_cs * i;
            let d_i = i * (1.0 - i) * d_cs * ci;
            let d_f = f * (1.0 - f) * d_cs * cs_prev[k];
            back.cs_prev[k] = d_cs * f;
            if let Some(w) = &self.peepholes {
                back.cs_prev[k] += d_i * w[0][j] + d_f * w[1][j];
                back.peepholes[0][j] += d_i * cs_prev[k];
                back.peepholes[1][j] += d_f * cs_prev[k];
                back.peepholes[2][j] += d_o * made.cs[k];
            }
            for (gate, d) in [d_i, d_ci, d_f, d_o].into_iter().enumerate() {
                back.gates[row * width + self.order[gate] * self.size + j] = d;
            }
        }
        back
    }

    /// The gradients of `x` and the output before that of the gates gives, and what it adds to those of the weights.
    pub(super) fn through_weights(
        &self,
        step: &StepContext,
        gates: &[f32],
        x: &[f32],
        h_prev: &[f32],
        w_grad: &mut [f32],
    ) -> (Vec<f32>, Vec<f32>) {
        let (width, depth) = (4 * self.size, self.inputs + self.size);
        let d_gates = MatrixRef::new(gates, self.batch, width);
        let mut d_xh = vec![0f32; self.batch * depth];
        product(step, d_gates, MatrixRef::new(&self.w, depth, width).transposed(), &mut d_xh, false);
        let xh = self.joined(x, h_prev);
        product(step, MatrixRef::new(&xh, self.batch, depth).transposed(), d_gates, w_grad, true);
        let rows = || d_xh.chunks_exact(depth.max(1));
        (rows().flat_map(|r| &r[..self.inputs]).copied().collect(), rows().flat_map(|r| &r[self.inputs..]).copied().collect())
    }
}

/// Checks that inputs from `first` on have the shape of this many results.
///
/// Errors: `InvalidArgument` if one has not.
pub(super) fn check_made(ctx: &OpKernelContext, first: usize, names: &[&str], dims: &[usize]) -> Result<()> {
    let wanted = Shape::from_lens(dims)?;
    for (i, name) in names.iter().enumerate() {
        let t = ctx.input(first + i)?;
        if *t.shape() != wanted {
            return Err(invalid_argument(format!("{name} must have shape {wanted}, got {}", t.shape())));
        }
    }
    Ok(())
}
