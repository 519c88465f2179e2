//! What the workers report, and the line that shows it.

use serde::{Deserialize, Serialize};
use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

/// One line of a worker's standard output.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Report {
    /// After a step.
    Step {
        /// The global step.
        step: u64,
        /// Steps of this worker.
        local_steps: u64,
        /// Its loss; `None`, which is what JSON makes of it, is not a number.
        loss: Option<f32>,
    },
    /// The chief's last word.
    Accuracy {
        /// Share of the test examples that are right.
        accuracy: f64,
    },
}

#[derive(Clone, Copy)]
struct Worker {
    local_steps: u64,
    loss: f32,
}

/// Shows all workers in one line: in place on a terminal, now and then elsewhere.
pub struct Progress {
    last_step: u64,
    step: u64,
    /// Those that have made a step.
    workers: Vec<Option<Worker>>,
    begun: Option<(Instant, u64)>,
    shown: Option<Instant>,
    is_terminal: bool,
    changed: bool,
}

impl Progress {
    pub fn new(last_step: u64, workers: u32) -> Progress {
        Progress {
            last_step,
            step: 0,
            workers: vec![None; workers as usize],
            begun: None,
            shown: None,
            is_terminal: std::io::stdout().is_terminal(),
            changed: false,
        }
    }

    pub fn step(&mut self, worker: usize, step: u64, local_steps: u64, loss: Option<f32>) {
        self.step = self.step.max(step);
        self.begun.get_or_insert((Instant::now(), step));
        if let Some(w) = self.workers.get_mut(worker) {
            *w = Some(Worker { local_steps, loss: loss.unwrap_or(f32::NAN) });
        }
        self.changed = true;
    }

    /// Prints a line of its own above the progress.
    pub fn above(&mut self, text: &str) {
        let clear = if self.is_terminal { "\r\x1b[K" } else { "" };
        println!("{clear}{text}");
        self.changed = true;
    }

    /// Shows what has changed, unless that was just done.
    pub fn show(&mut self) {
        let pause = Duration::from_millis(if self.is_terminal { 100 } else { 1000 });
        if self.changed && self.shown.is_none_or(|t| t.elapsed() >= pause) {
            self.print();
        }
    }

    pub fn finish(&mut self) {
        self.print();
        if self.is_terminal {
            println!();
        }
    }

    fn print(&mut self) {
        (self.shown, self.changed) = (Some(Instant::now()), false);
        let rate = match self.begun {
            Some((at, from)) if at.elapsed() > Duration::from_millis(50) => (self.step - from) as f64 / at.elapsed().as_secs_f64(),
            _ => 0.0,
        };
        let describe = |(i, w): (usize, &Option<Worker>)| match w {
            Some(w) => format!("worker:{i} {} steps, loss {:.4}", w.local_steps, w.loss),
            None => format!("worker:{i} no step yet"),
        };
        let workers: Vec<String> = self.workers.iter().enumerate().map(describe).collect();
        let line = format!("step {}/{}  {rate:.0} steps/s  {}", self.step.min(self.last_step), self.last_step, workers.join("  "));
        if self.is_terminal {
            print!("\r\x1b[K{line}");
        } else {
            println!("{line}");
        }
        // A reader that has gone away ends the program by other means.
        drop(std::io::stdout().flush());
    }
}
