//! `MutexV2`: makes a mutex.

use super::mutex_kernel::Mutex;
use super::resource_handle;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "MutexV2() -> (resource: resource)",
    attrs: "container: string = \"\"; shared_name: string = \"\"",
    flags: "stateful",
    doc: "The handle of a mutex, which only one `MutexLock` holds at a time.",
    shape: shape::scalar,
    gradient: Gradient::Zero,
    kernels: &[Kernel::built(|c| resource_handle::build(c, "Mutex", |_, _| Ok(Mutex::default()), |_, _| Ok(()))).inline()],
    ..WORDS
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::bare_step;

    #[test]
    fn a_lock_is_waited_for_until_it_is_gone() {
        let step = bare_step(1);
        let handle = OpTester::new(&OP).attr("shared_name", "m").step(&step).run_one().unwrap();
        let lock = || OpTester::named("MutexLock").input(handle.clone()).step(&step).run_one().unwrap();
        let first = lock();
        OpTester::named("ConsumeMutexLock").input(first.clone()).step(&step).run().unwrap();
        std::thread::scope(|threads| {
            let second = threads.spawn(lock);
            drop(first);
            assert_eq!(second.join().unwrap().rank(), 0);
        });
        drop(lock());
    }

    #[test]
    fn what_is_no_lock_cannot_be_consumed() {
        let empty = Tensor::zeros(DType::Variant, Shape::scalar()).unwrap();
        assert_eq!(OpTester::named("ConsumeMutexLock").input(empty).run().unwrap_err().code(), Code::InvalidArgument);
    }
}
