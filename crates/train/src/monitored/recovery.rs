//! What is recovered from, how often, and when it is enough.

use ferroflow_tensor::{Code, Error, Result};
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// How many new sessions in what time are too many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecoveryLimit {
    /// How many.
    pub count: usize,
    /// In this long.
    pub within: Duration,
}

impl Default for RecoveryLimit {
    fn default() -> RecoveryLimit {
        RecoveryLimit { count: 30, within: Duration::from_secs(60) }
    }
}

/// Counts recoveries. A session that is made again and again without progress must not go unnoticed.
#[derive(Debug, Default)]
pub struct Recovery {
    limit: RecoveryLimit,
    recent: VecDeque<Instant>,
    total: usize,
    last_cause: Option<String>,
}

impl Recovery {
    pub(super) fn new(limit: RecoveryLimit) -> Recovery {
        Recovery { limit, ..Recovery::default() }
    }

    /// Whether a new session may help: a task restarted or cannot be reached now.
    pub fn is_recoverable(e: &Error) -> bool {
        matches!(e.code(), Code::Aborted | Code::Unavailable)
    }

    /// How many sessions had to be made again.
    pub fn total(&self) -> usize {
        self.total
    }

    /// Why the last one had to be.
    pub fn last_cause(&self) -> Option<&str> {
        self.last_cause.as_deref()
    }

    /// Counts one more.
    ///
    /// Errors: the cause, with a summary, if there were too many of late.
    pub(super) fn note(&mut self, cause: &Error) -> Result<()> {
        let now = Instant::now();
        self.total += 1;
        self.recent.push_back(now);
        while self.recent.front().is_some_and(|t| now - *t > self.limit.within) {
            self.recent.pop_front();
        }
        tracing::warn!(cause = %cause, count = self.total, "the session is lost; making a new one");
        self.last_cause = Some(cause.to_string());
        if self.recent.len() > self.limit.count {
            let seconds = self.limit.within.as_secs();
            return Err(cause
                .clone()
                .context(format!("{} sessions were lost within {seconds} s; giving up. Last cause", self.recent.len())));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferroflow_tensor::error::{invalid_argument, unavailable};

    #[test]
    fn too_many_recoveries_end_with_a_summary() {
        let mut r = Recovery::new(RecoveryLimit { count: 2, within: Duration::from_secs(3600) });
        let cause = unavailable("ps:0 is gone");
        assert!(Recovery::is_recoverable(&cause) && !Recovery::is_recoverable(&invalid_argument("x")));
        r.note(&cause).unwrap();
        r.note(&cause).unwrap();
        let e = r.note(&cause).unwrap_err();
        assert_eq!(e.code(), Code::Unavailable);
        assert!(e.message().contains("3 sessions were lost") && e.message().contains("ps:0 is gone"));
    }
}
