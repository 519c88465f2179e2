"""The inputs of the recorded cases, by family of ops. Each module has `cases()`, a generator of Case."""
