//! When something is due: every so many steps, or every so many seconds (TF: `SecondOrStepTimer`).

use std::time::{Duration, Instant};

/// How often.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Every {
    /// Every so many global steps.
    Steps(i64),
    /// Every so often.
    Time(Duration),
}

/// Tells when it is time again. The first question is always answered yes.
#[derive(Clone, Debug)]
pub struct Trigger {
    every: Every,
    last: Option<(i64, Instant)>,
}

impl Trigger {
    /// A trigger that has not fired.
    pub fn new(every: Every) -> Trigger {
        Trigger { every, last: None }
    }

    /// Whether it should fire at this step.
    pub fn is_due(&self, step: i64) -> bool {
        match (self.last, self.every) {
            (None, _) => true,
            (Some((last, _)), _) if last == step => false,
            (Some((last, _)), Every::Steps(n)) => step >= last + n,
            (Some((_, at)), Every::Time(t)) => at.elapsed() >= t,
        }
    }

    /// Notes that it has fired; returns steps and time since the last time.
    pub fn fired(&mut self, step: i64) -> Option<(i64, Duration)> {
        let now = Instant::now();
        let before = self.last.replace((step, now));
        before.map(|(s, t)| (step - s, now - t))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_counted_from_the_last_firing() {
        let mut t = Trigger::new(Every::Steps(10));
        assert!(t.is_due(3));
        t.fired(3);
        assert!(!t.is_due(3) && !t.is_due(12) && t.is_due(13) && t.is_due(20));
        assert_eq!(t.fired(20).unwrap().0, 17);
    }
}
