//! Data sets: IDX files, embedded digits, batches.
