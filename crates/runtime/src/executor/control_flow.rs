//! The nodes that the executor runs itself: arguments, results, and the primitives of conditionals and loops.

use super::compiled::{Item, Kind};
use super::drive::{Driver, dereferenced};
use super::iteration::{CHOSEN, Tagged};
use super::state::StepState;
use ferroflow_graph::kernel::Value;
use ferroflow_tensor::error::{internal, invalid_argument};
use ferroflow_tensor::{Result, Tensor};
use std::time::Instant;

impl Driver<'_> {
    pub(super) fn process_control_flow(&mut self, tag: Tagged, item: &Item) -> Result<()> {
        let mark = self.state.iteration(tag).pending[item.local as usize].mark;
        self.state.outputs.clear();
        match item.kind {
            Kind::Merge => self.merge(tag, item, mark),
            Kind::ControlTrigger => {
                self.propagate(tag, item, false);
                Ok(())
            }
            Kind::Enter => self.enter(tag, item, mark != 0),
            Kind::Exit => self.exit(tag, item, mark != 0),
            Kind::NextIteration => self.next_iteration(tag, item, mark != 0),
            _ if mark != 0 => {
                self.state.iteration(tag).discard(item);
                self.propagate(tag, item, true);
                Ok(())
            }
            Kind::Switch | Kind::SwitchN => self.switch(tag, item),
            Kind::LoopCond => {
                let value = self.input(tag, item, 0)?;
                self.state.outputs.push(Some(value));
                self.propagate(tag, item, false);
                Ok(())
            }
            Kind::LateRead => self.late_read(tag, item),
            Kind::Arg => self.arg(tag, item),
            Kind::Retval => {
                let value = self.input(tag, item, 0)?.to_tensor()?;
                self.state.retvals[item.index as usize] = Some(value.into());
                self.propagate(tag, item, false);
                Ok(())
            }
            kind => Err(internal(format!("{kind:?} is no control flow"))),
        }
    }

    /// Takes an input out; a reference stays one where the op takes references.
    fn input(&mut self, tag: Tagged, item: &Item, i: u32) -> Result<Value> {
        let value = self.state.iteration(tag).take((item.first_slot + i) as usize);
        let value = value.ok_or_else(|| internal(format!("input {i} has not arrived")))?;
        // References pass through control flow whether they have a value or not.
        match value {
            Value::Ref(v) if self.graph.infos[tag.node as usize].input_types[i as usize].is_ref => Ok(Value::Ref(v)),
            value => dereferenced(value, &self.graph.infos[tag.node as usize], i as usize),
        }
    }

    /// Hands a reference on for its consumers to read.
    fn late_read(&mut self, tag: Tagged, item: &Item) -> Result<()> {
        let start = self.shared.collector.as_ref().map(|_| Instant::now());
        let value = self.state.iteration(tag).take(item.first_slot as usize);
        let value = value.ok_or_else(|| internal("input 0 has not arrived"))?;
        if let Value::Ref(v) = &value
            && !v.is_initialized()
        {
            return Err(v.uninitialized());
        }
        self.state.outputs.push(Some(value));
        if let Some(start) = start {
            self.shared.record(tag.node, start, &self.state.outputs);
        }
        self.propagate(tag, item, false);
        Ok(())
    }

    fn arg(&mut self, tag: Tagged, item: &Item) -> Result<()> {
        let index = item.index as usize;
        let place = self.state.args.get_mut(index);
        let value = place.and_then(|v| if item.flag { v.take() } else { v.clone() });
        let value = value.ok_or_else(|| invalid_argument(format!("the run has no argument {index}")))?;
        let want = self.graph.infos[tag.node as usize].output_types[0];
        let value = if want.is_ref { value } else { Value::Tensor(value.to_tensor()?) };
        let have = match &value {
            Value::Tensor(t) => t.dtype(),
            Value::Ref(v) => v.dtype(),
        };
        if have != want.dtype {
            return Err(invalid_argument(format!("argument {index} is {have}, expected {want}")));
        }
        self.state.outputs.push(Some(value));
        self.propagate(tag, item, false);
        Ok(())
    }

    fn switch(&mut self, tag: Tagged, item: &Item) -> Result<()> {
        let data = self.input(tag, item, 0)?;
        let chooser = self.input(tag, item, 1)?.to_tensor()?;
        let n = item.num_outputs as usize;
        let chosen = if item.kind == Kind::Switch {
            chooser.to_scalar::<bool>().map_err(|e| e.context("the predicate of Switch"))? as usize
        } else {
            // As in `Case`, what is out of range takes the last branch.
            let index = chooser.to_i64().map_err(|e| e.context("the output index of _SwitchN"))?;
            usize::try_from(index).ok().filter(|&i| i < n).unwrap_or(n.saturating_sub(1))
        };
        self.state.outputs.resize(n, None);
        match self.state.outputs.get_mut(chosen) {
            Some(output) => *output = Some(data),
            None => return Err(internal(format!("there is no output {chosen}"))),
        }
        self.propagate(tag, item, false);
        Ok(())
    }

    fn merge(&mut self, tag: Tagged, item: &Item, mark: u32) -> Result<()> {
        let dead = mark & CHOSEN == 0;
        if !dead {
            let chosen = mark & !CHOSEN;
            let value = self.input(tag, item, chosen)?;
            self.state.outputs.push(Some(value));
            if item.flag {
                self.state.outputs.push(Some(Tensor::scalar(chosen as i32).into()));
            }
        }
        self.propagate(tag, item, dead);
        Ok(())
    }

    fn enter(&mut self, tag: Tagged, item: &Item, dead: bool) -> Result<()> {
        let value = match dead {
            true => {
                self.state.iteration(tag).discard(item);
                None
            }
            false => Some(self.input(tag, item, 0)?),
        };
        let child = self.state.child_frame(self.graph, tag, item.index);
        let StepState { frames, ready, .. } = &mut *self.state;
        let frame = &mut frames[child as usize];
        if item.flag {
            frame.constants.push((tag.node, value.clone()));
            for (i, iteration) in frame.iterations.iter_mut().enumerate() {
                iteration.deliver(self.graph, (child, frame.base + i as u64), item, &mut [value.clone()], dead, ready);
            }
        } else {
            // The first iteration is not over before all `Enter`s have run.
            frame.iterations[0].deliver(self.graph, (child, 0), item, &mut [value], dead, ready);
        }
        frame.enters_left -= 1;
        if frame.enters_left == 0 {
            self.state.settle(self.graph, child);
        }
        self.node_done(tag);
        Ok(())
    }

    fn exit(&mut self, tag: Tagged, item: &Item, dead: bool) -> Result<()> {
        // A dead one is no news before the loop ends: the value may come from a later iteration.
        if dead {
            self.state.iteration(tag).discard(item);
        } else {
            let value = self.input(tag, item, 0)?;
            let frame = &mut self.state.frames[tag.frame as usize];
            frame.exited.push(tag.node);
            let (parent, iter) = frame.parent;
            self.state.outputs.push(Some(value));
            self.state.deliver(self.graph, tag.node, parent, iter, false);
            self.state.outputs.clear();
        }
        self.node_done(tag);
        Ok(())
    }

    fn next_iteration(&mut self, tag: Tagged, item: &Item, dead: bool) -> Result<()> {
        if dead {
            // This is how a loop stops.
            self.state.iteration(tag).discard(item);
        } else {
            let value = self.input(tag, item, 0)?;
            let frame = &mut self.state.frames[tag.frame as usize];
            let next = tag.iter + 1;
            if next < frame.base + frame.iterations.len() as u64 {
                self.state.outputs.push(Some(value));
                self.state.deliver(self.graph, tag.node, tag.frame, next, false);
                self.state.outputs.clear();
            } else {
                frame.waiting.push((tag.node, value));
                if frame.iterations.len() < self.graph.frames[frame.def as usize].parallel_iterations {
                    self.state.begin_iteration(self.graph, tag.frame);
                }
            }
        }
        self.node_done(tag);
        Ok(())
    }
}
