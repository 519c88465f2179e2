//! Convolution of each channel by filters of its own, and its gradients: the loops of the `DepthwiseConv2dNative` ops.

use super::sliding_window::Sliding;
use crate::parallel::pool;
use crate::prelude::*;
use ferroflow_graph::kernel::StepContext;
use ferroflow_math::{Window, for_each_part};
use ferroflow_tensor::Element;
use num_traits::Float;

/// A window over images and how many filters each channel has.
pub(super) struct Depthwise {
    window: Window,
    multiplier: usize,
}

impl Depthwise {
    /// What a node does with images and a filter `[rows, columns, depth, multiplier]` of these shapes.
    ///
    /// Errors: `InvalidArgument` for shapes and attributes that do not fit.
    pub(super) fn new(attrs: &AttrMap, images: &Shape, filter: &Shape) -> Result<Depthwise> {
        if images.rank() != 4 || filter.rank() != 4 {
            return Err(invalid_argument(format!("input and filter must be 4-dimensional: {images} and {filter}")));
        }
        if images.dim(3) != filter.dim(2) {
            return Err(invalid_argument(format!("input and filter must have the same depth: {} vs {}", images.dim(3), filter.dim(2))));
        }
        let strides = attrs.ints("strides")?;
        if strides.len() == 4 && strides[1] != strides[2] {
            return Err(invalid_argument("Current implementation only supports equal length strides in the row and column dimensions."));
        }
        let window = Sliding::of(attrs)?.window(images, [filter.dim(0), filter.dim(1)])?;
        Ok(Depthwise { window, multiplier: filter.dim(3) })
    }

    /// The shape of the result.
    ///
    /// Errors: `InvalidArgument` if it is too large.
    pub(super) fn out_shape(&self) -> Result<Shape> {
        let w = &self.window;
        Shape::from_lens(&[w.batch, w.out[0], w.out[1], w.depth * self.multiplier])
    }

    /// Calls `body` for every place of the result in row `row` of image `image` and every place of the filter that lies on the image:
    /// with the offsets of the pixel within the image, of the filter's weights, and of the result within its row.
    fn for_row(&self, row: usize, mut body: impl FnMut(usize, usize, usize)) {
        let w = &self.window;
        let inside = |out: usize, tap: usize, axis: usize| {
            let at = (out * w.stride[axis] + tap * w.dilation[axis]).checked_sub(w.pad[axis])?;
            (at < w.image[axis]).then_some(at)
        };
        for j in 0..w.out[1] {
            for r in 0..w.size[0] {
                let Some(y) = inside(row, r, 0) else { continue };
                for c in 0..w.size[1] {
                    let Some(x) = inside(j, c, 1) else { continue };
                    body((y * w.image[1] + x) * w.depth, (r * w.size[1] + c) * w.depth * self.multiplier, j * w.depth * self.multiplier);
                }
            }
        }
    }

    /// The convolution.
    ///
    /// Errors: as [`Depthwise::out_shape`]; `ResourceExhausted` without memory.
    pub(super) fn forward<T: Float + Element>(&self, step: &StepContext, x: &Tensor, filter: &Tensor) -> Result<Tensor> {
        let w = &self.window;
        let (x, filter, m) = (x.as_slice::<T>()?, filter.as_slice::<T>()?, self.multiplier);
        let image = w.image[0] * w.image[1] * w.depth;
        let width = w.out[1] * w.depth * m;
        Tensor::build(self.out_shape()?, |out: &mut [T]| {
            out.fill(T::zero());
            if out.is_empty() {
                return Ok(());
            }
            for_each_part(&pool(step), out, w.batch * w.out[0], 1, &|range, part| {
                for (line, out) in range.zip(part.chunks_exact_mut(width)) {
                    let x = &x[line / w.out[0] * image..];
                    self.for_row(line % w.out[0], |pixel, weight, place| {
                        let pixels = &x[pixel..pixel + w.depth];
                        let weights = filter[weight..].chunks_exact(m.max(1));
                        for ((&p, weights), out) in pixels.iter().zip(weights).zip(out[place..].chunks_exact_mut(m.max(1))) {
                            out.iter_mut().zip(weights).for_each(|(o, &f)| *o = *o + p * f);
                        }
                    });
                }
            });
            Ok(())
        })
    }

    /// The gradient of the images.
    ///
    /// Errors: `ResourceExhausted` without memory.
    pub(super) fn backprop_input<T: Float + Element>(
        &self,
        step: &StepContext,
        filter: &Tensor,
        dy: &Tensor,
        shape: Shape,
    ) -> Result<Tensor> {
        let w = &self.window;
        let (filter, dy, m) = (filter.as_slice::<T>()?, dy.as_slice::<T>()?, self.multiplier);
        let image = w.image[0] * w.image[1] * w.depth;
        let width = w.out[1] * w.depth * m;
        Tensor::build(shape, |out: &mut [T]| {
            out.fill(T::zero());
            if out.is_empty() {
                return Ok(());
            }
            for_each_part(&pool(step), out, w.batch, 1, &|range, part| {
                for (b, dx) in range.zip(part.chunks_exact_mut(image)) {
                    for row in 0..w.out[0] {
                        let dy = &dy[(b * w.out[0] + row) * width..];
                        self.for_row(row, |pixel, weight, place| {
                            for d in 0..w.depth {
                                let (weights, grads) = (&filter[weight + d * m..weight + (d + 1) * m], &dy[place + d * m..]);
                                let sum = weights.iter().zip(grads).fold(T::zero(), |s, (&f, &g)| s + f * g);
                                dx[pixel + d] = dx[pixel + d] + sum;
                            }
                        });
                    }
                }
            });
            Ok(())
        })
    }

    /// The gradient of the filter.
    ///
    /// Errors: `ResourceExhausted` without memory.
    pub(super) fn backprop_filter<T: Float + Element>(&self, x: &Tensor, dy: &Tensor, shape: Shape) -> Result<Tensor> {
        let w = &self.window;
        let (x, dy, m) = (x.as_slice::<T>()?, dy.as_slice::<T>()?, self.multiplier);
        let image = w.image[0] * w.image[1] * w.depth;
        let width = w.out[1] * w.depth * m;
        Tensor::build(shape, |out: &mut [T]| {
            out.fill(T::zero());
            for line in 0..w.batch * w.out[0] {
                let (x, dy) = (&x[line / w.out[0] * image..], &dy[line * width..]);
                self.for_row(line % w.out[0], |pixel, weight, place| {
                    for d in 0..w.depth {
                        let weights = &mut out[weight + d * m..weight + (d + 1) * m];
                        weights.iter_mut().zip(&dy[place + d * m..]).for_each(|(f, &g)| *f = *f + x[pixel + d] * g);
                    }
                });
            }
            Ok(())
        })
    }
}
