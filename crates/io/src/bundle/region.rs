//! Regions: the boxes of elements that slices stand for, how they meet, and copying between them.

use ferroflow_tensor::error::{Result, internal};
use ferroflow_tensor::{DType, Shape, Tensor};

/// A box of elements inside a tensor; built only from ranges that fit the tensor's shape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Region {
    start: Vec<i64>,
    len: Vec<i64>,
}

impl Region {
    /// All elements of a tensor.
    pub fn whole(shape: &Shape) -> Region {
        Region { start: vec![0; shape.rank()], len: shape.dims().to_vec() }
    }

    /// Narrows axis `i`, which exists, to a range inside the tensor.
    pub fn set(&mut self, i: usize, start: i64, len: i64) {
        if let (Some(s), Some(l)) = (self.start.get_mut(i), self.len.get_mut(i)) {
            (*s, *l) = (start, len);
        }
    }

    /// Its own shape.
    pub fn shape(&self) -> Result<Shape> {
        Shape::new(&self.len)
    }

    /// How many elements it has.
    pub fn num_elements(&self) -> usize {
        self.len.iter().product::<i64>() as usize
    }

    /// What both have in common, if anything.
    pub fn intersect(&self, other: &Region) -> Option<Region> {
        let mut common = Region { start: Vec::with_capacity(self.start.len()), len: Vec::with_capacity(self.len.len()) };
        for (((&s1, &l1), &s2), &l2) in self.start.iter().zip(&self.len).zip(&other.start).zip(&other.len) {
            let start = s1.max(s2);
            let len = (s1 + l1).min(s2 + l2) - start;
            if len <= 0 {
                return None;
            }
            common.start.push(start);
            common.len.push(len);
        }
        Some(common)
    }

    fn lies_in(&self, outer: &Region) -> bool {
        let axes = self.start.iter().zip(&self.len).zip(outer.start.iter().zip(&outer.len));
        axes.into_iter().all(|((s, l), (os, ol))| s >= os && s + l <= os + ol)
    }

    fn overlaps(&self, other: &Region) -> bool {
        let axes = self.start.iter().zip(&self.len).zip(other.start.iter().zip(&other.len));
        axes.into_iter().all(|((s1, l1), (s2, l2))| s1 < &(s2 + l2) && s2 < &(s1 + l1))
    }

    /// Two of the regions that overlap, if any do.
    ///
    /// They are swept along the axis that separates them best, so that partitions cost little more than sorting.
    pub fn find_overlap(regions: &[Region]) -> Option<(usize, usize)> {
        let rank = regions.first()?.start.len();
        let distinct_starts = |axis: usize| {
            let mut starts: Vec<Option<&i64>> = regions.iter().map(|r| r.start.get(axis)).collect();
            starts.sort_unstable();
            starts.dedup();
            starts.len()
        };
        let axis = (0..rank).max_by_key(|&axis| distinct_starts(axis)).unwrap_or(0);
        let range = |r: &Region| {
            let start = r.start.get(axis).copied().unwrap_or(0);
            (start, start + r.len.get(axis).copied().unwrap_or(1))
        };
        let mut order: Vec<(usize, &Region)> = regions.iter().enumerate().collect();
        order.sort_by_key(|(_, r)| range(r).0);
        for (k, (i, a)) in order.iter().enumerate() {
            let (_, end) = range(a);
            let after = order.iter().skip(k + 1).take_while(|(_, b)| range(b).0 < end);
            for (j, b) in after {
                if a.overlaps(b) {
                    return Some((*i, *j));
                }
            }
        }
        None
    }

    /// Calls `run(from, to, n)` for each run of `n` adjacent elements of `self`, where `from` and `to` are their
    /// positions in tensors that hold exactly the regions `source` and `target`, both of which contain `self`.
    fn for_each_run(&self, source: &Region, target: &Region, mut run: impl FnMut(usize, usize, usize)) {
        if self.len.contains(&0) {
            return;
        }
        // The innermost axes that are whole on both sides, and the next one, form one run.
        let rank = self.len.len();
        let mut run_len = 1;
        let mut outer = rank;
        while outer > 0 {
            outer -= 1;
            run_len *= self.len[outer];
            if self.len[outer] != source.len[outer] || self.len[outer] != target.len[outer] {
                break;
            }
        }
        let mut index = vec![0i64; outer];
        loop {
            let position = |inside: &Region| {
                (0..rank).fold(0, |p, axis| {
                    let step = index.get(axis).copied().unwrap_or(0);
                    p * inside.len[axis] + self.start[axis] - inside.start[axis] + step
                }) as usize
            };
            run(position(source), position(target), run_len as usize);
            let Some(axis) = (0..outer).rev().find(|&axis| index[axis] + 1 < self.len[axis]) else { return };
            index[axis] += 1;
            index[axis + 1..].fill(0);
        }
    }

    /// Copies the elements of `self` from `source`, which holds the region `from`, to `target`, which holds `to`.
    ///
    /// Errors: `Internal` if the tensors do not hold these regions or are of different types.
    pub fn copy(&self, from: &Region, source: &Tensor, to: &Region, target: &mut Tensor) -> Result<()> {
        let holds = |r: &Region, t: &Tensor| r.len == t.dims() && r.len.len() == self.len.len() && self.lies_in(r);
        if source.dtype() != target.dtype() || !holds(from, source) || !holds(to, target) {
            return Err(internal("a slice is copied between tensors that do not hold it"));
        }
        if source.dtype() == DType::String {
            let strings = source.as_strings()?;
            let out = target.make_mut_strings()?;
            self.for_each_run(from, to, |s, t, n| out[t..t + n].clone_from_slice(&strings[s..s + n]));
        } else {
            let size = source.dtype().size();
            let bytes = source.bytes()?;
            let out = target.bytes_mut()?;
            self.for_each_run(from, to, |s, t, n| {
                out[t * size..(t + n) * size].copy_from_slice(&bytes[s * size..(s + n) * size]);
            });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn region(start: &[i64], len: &[i64]) -> Region {
        Region { start: start.to_vec(), len: len.to_vec() }
    }

    #[test]
    fn regions_meet_in_boxes() {
        let (a, b) = (region(&[0, 0], &[4, 4]), region(&[2, 3], &[5, 5]));
        assert_eq!(a.intersect(&b), Some(region(&[2, 3], &[2, 1])));
        assert_eq!(a.intersect(&region(&[4, 0], &[1, 1])), None);
        assert_eq!(region(&[], &[]).intersect(&region(&[], &[])), Some(region(&[], &[])));
    }

    #[test]
    fn overlaps_are_found_wherever_they_are() {
        let grid: Vec<Region> = (0..100).map(|i| region(&[i / 10 * 3, i % 10 * 2], &[3, 2])).collect();
        assert_eq!(Region::find_overlap(&grid), None);
        let mut bad = grid.clone();
        bad.push(region(&[4, 5], &[1, 1]));
        let (i, j) = Region::find_overlap(&bad).unwrap();
        assert_eq!((i.min(j), i.max(j)), (12, 100));
        assert_eq!(Region::find_overlap(&[region(&[], &[]), region(&[], &[])]), Some((0, 1)));
        assert_eq!(Region::find_overlap(&[]), None);
    }

    #[test]
    fn every_box_of_a_cube_is_copied_as_element_by_element() {
        let dims = [3i64, 4, 2];
        let full = region(&[0, 0, 0], &dims);
        let source = Tensor::from_slice(Shape::new(&dims).unwrap(), &(0..24).collect::<Vec<i32>>()).unwrap();
        for start in [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 2, 1], [2, 3, 1]] {
            for len in [[1, 1, 1], [2, 4, 2], [3, 2, 2], [1, 4, 2], [3, 4, 1], [1, 1, 2]] {
                if (0..3).any(|i| start[i] + len[i] > dims[i]) {
                    continue;
                }
                let part = region(&start, &len);
                let mut out = Tensor::zeros(DType::Int32, part.shape().unwrap()).unwrap();
                part.copy(&full, &source, &part, &mut out).unwrap();
                let mut want = Vec::new();
                for x in start[0]..start[0] + len[0] {
                    for y in start[1]..start[1] + len[1] {
                        for z in start[2]..start[2] + len[2] {
                            want.push((x * 8 + y * 2 + z) as i32);
                        }
                    }
                }
                assert_eq!(out.as_slice::<i32>().unwrap(), want, "{part:?}");
                // And back into a tensor of the whole.
                let mut back = Tensor::zeros(DType::Int32, Shape::new(&dims).unwrap()).unwrap();
                part.copy(&part, &out, &full, &mut back).unwrap();
                let kept = back.as_slice::<i32>().unwrap().iter().filter(|&&x| want.contains(&x) && x != 0).count();
                assert_eq!(kept, want.iter().filter(|&&x| x != 0).count());
            }
        }
    }
}
