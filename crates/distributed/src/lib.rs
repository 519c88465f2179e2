//! Master, worker and their sessions; names no transport.
