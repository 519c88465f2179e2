//! `Storage`: the elements of a queue and the order in which they leave it.

use crate::random::philox_source::{PhiloxSource, Words};
use ferroflow_tensor::{Result, Tensor};
use std::cmp::{Ordering, Reverse};
use std::collections::{BinaryHeap, VecDeque};

/// One element: a tensor per component.
pub(crate) type Element = Vec<Tensor>;

/// An element of a priority queue. Equal priorities leave in the order in which they came.
pub(super) struct Ranked {
    priority: i64,
    arrival: u64,
    element: Element,
}

impl PartialEq for Ranked {
    fn eq(&self, other: &Ranked) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Ranked {}

impl PartialOrd for Ranked {
    fn partial_cmp(&self, other: &Ranked) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ranked {
    fn cmp(&self, other: &Ranked) -> Ordering {
        (self.priority, self.arrival).cmp(&(other.priority, other.arrival))
    }
}

/// The elements of a queue.
pub(super) enum Storage {
    /// First in, first out.
    Fifo(VecDeque<Element>),
    /// Any element may leave next.
    Shuffled { elements: Vec<Element>, words: Box<Words> },
    /// The least priority leaves first.
    Priority { heap: BinaryHeap<Reverse<Ranked>>, arrivals: u64 },
}

impl Storage {
    /// First in, first out.
    pub(super) fn fifo() -> Storage {
        Storage::Fifo(VecDeque::new())
    }

    /// Random order, from these seeds.
    pub(super) fn shuffled(seed: i64, seed2: i64) -> Storage {
        Storage::Shuffled { elements: Vec::new(), words: Box::new(Words::new(PhiloxSource::new(seed, seed2).reserve(0))) }
    }

    /// Least first component first.
    pub(super) fn by_priority() -> Storage {
        Storage::Priority { heap: BinaryHeap::new(), arrivals: 0 }
    }

    /// How many elements there are.
    pub(super) fn len(&self) -> usize {
        match self {
            Storage::Fifo(elements) => elements.len(),
            Storage::Shuffled { elements, .. } => elements.len(),
            Storage::Priority { heap, .. } => heap.len(),
        }
    }

    /// Adds an element at the end.
    ///
    /// Errors: `InvalidArgument` if its priority is no int64 scalar; it is then not added.
    pub(super) fn push(&mut self, element: Element) -> Result<()> {
        match self {
            Storage::Fifo(elements) => elements.push_back(element),
            Storage::Shuffled { elements, .. } => elements.push(element),
            Storage::Priority { heap, arrivals } => {
                let priority = element.first().map_or(Ok(0), |t| t.to_scalar::<i64>())?;
                *arrivals += 1;
                heap.push(Reverse(Ranked { priority, arrival: *arrivals, element }));
            }
        }
        Ok(())
    }

    /// Takes the next element out.
    pub(super) fn pop(&mut self) -> Option<Element> {
        match self {
            Storage::Fifo(elements) => elements.pop_front(),
            Storage::Shuffled { elements, words } => {
                let n = u32::try_from(elements.len()).unwrap_or(u32::MAX);
                (n > 0).then(|| elements.swap_remove((words.draw() % n) as usize))
            }
            Storage::Priority { heap, .. } => heap.pop().map(|Reverse(ranked)| ranked.element),
        }
    }

    /// Puts elements back that were taken out in this order, as if they had not been.
    pub(super) fn put_back(&mut self, taken: Vec<Element>) {
        match self {
            Storage::Fifo(elements) => taken.into_iter().rev().for_each(|e| elements.push_front(e)),
            Storage::Shuffled { elements, .. } => elements.extend(taken),
            // Their priorities were read when they came, so this cannot fail.
            Storage::Priority { .. } => taken.into_iter().for_each(|e| drop(self.push(e))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn element(n: i64) -> Element {
        vec![Tensor::scalar(n)]
    }

    fn drain(storage: &mut Storage) -> Vec<i64> {
        std::iter::from_fn(|| storage.pop()).map(|e| e[0].to_scalar().unwrap()).collect()
    }

    #[test]
    fn each_kind_has_its_order() {
        let mut fifo = Storage::fifo();
        let mut shuffled = Storage::shuffled(1, 2);
        let mut priority = Storage::by_priority();
        for n in [3, 1, 2] {
            for storage in [&mut fifo, &mut shuffled, &mut priority] {
                storage.push(element(n)).unwrap();
            }
        }
        assert_eq!(drain(&mut fifo), [3, 1, 2]);
        assert_eq!(drain(&mut priority), [1, 2, 3]);
        let mut all = drain(&mut shuffled);
        all.sort();
        assert_eq!(all, [1, 2, 3]);
    }

    #[test]
    fn what_is_put_back_comes_out_again_first() {
        let mut fifo = Storage::fifo();
        (1..=3).for_each(|n| fifo.push(element(n)).unwrap());
        let taken = vec![fifo.pop().unwrap(), fifo.pop().unwrap()];
        fifo.put_back(taken);
        assert_eq!(drain(&mut fifo), [1, 2, 3]);
        let mut priority = Storage::by_priority();
        assert!(priority.push(vec![Tensor::scalar(1f32)]).is_err());
        assert_eq!(priority.len(), 0);
    }
}
