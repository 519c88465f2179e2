//! Devices, placement, partitioning and the executor.
