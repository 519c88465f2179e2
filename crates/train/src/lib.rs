//! Optimizers, replica placement, savers, hooks and monitored sessions.
