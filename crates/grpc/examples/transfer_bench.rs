//! How fast tensors and small calls cross between two tasks on this machine: `cargo run --release -p ferroflow-grpc --example transfer_bench`.

use ferroflow_distributed::{CallOptions, ClusterSpec, Done, RecvTensorRequest, TaskId, WorkerInterface};
use ferroflow_graph::OpRegistry;
use ferroflow_graph::kernel::{Received, Rendezvous, RendezvousKey};
use ferroflow_grpc::{IoThread, Listen, RemoteWorker, Server, ServerConfig};
use ferroflow_runtime::Pool;
use ferroflow_tensor::{Result, Tensor};
use std::net::TcpListener;
use std::ops::RangeFrom;
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

fn main() -> Result<()> {
    let task = TaskId::new("ps", 0);
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?.to_string();
    let mut cluster = ClusterSpec::default();
    cluster.jobs.entry(task.job.clone()).or_default().insert(0, address.clone());
    let registry = Arc::new(OpRegistry::new([])?);
    let config = ServerConfig { listen: Listen::On(listener), threads: 1, ..ServerConfig::new(task.clone(), cluster, registry) };
    let server = Server::start(config)?;
    let io = IoThread::start()?;
    let client = RemoteWorker::new(&task, &address, Arc::new(Pool::new(1)), &io)?;

    small_calls(&client)?;
    let mut step_ids = 1..;
    for len in [1usize << 10, 64 << 10, 1 << 20, 16 << 20, 64 << 20] {
        let runs = if len < 1 << 20 { 2000 } else { 40 };
        let best = (0..5)
            .map(|_| transfers(&server, &client, len, &mut step_ids, runs))
            .collect::<Result<Vec<_>>>()?
            .into_iter()
            .min()
            .unwrap_or_default();
        println!("RecvTensor of {len:>9} bytes: {:9.1} us, {:.2} GB/s", best.as_secs_f64() * 1e6, len as f64 / best.as_secs_f64() / 1e9);
    }
    server.shutdown(Duration::from_secs(1));
    Ok(())
}

fn wait<T: Send + 'static>(call: impl FnOnce(Done<T>)) -> Result<T> {
    let (sender, receiver) = mpsc::channel();
    call(Box::new(move |r| drop(sender.send(r))));
    receiver.recv().unwrap_or_else(|_| Err(ferroflow_tensor::error::internal("the call was dropped")))
}

fn small_calls(client: &RemoteWorker) -> Result<()> {
    const CALLS: u32 = 5000;
    for _ in 0..3 {
        let started = Instant::now();
        for _ in 0..CALLS {
            wait(|done| client.get_status(CallOptions::default(), done))?;
        }
        println!("GetStatus: {:.1} us a call", started.elapsed().as_secs_f64() * 1e6 / f64::from(CALLS));
    }
    Ok(())
}

/// The mean time of a transfer.
fn transfers(server: &Server, client: &RemoteWorker, len: usize, step_ids: &mut RangeFrom<i64>, runs: u32) -> Result<Duration> {
    let worker = &server.master().env().worker;
    let device = &worker.env().devices[0].info;
    let text = RendezvousKey::text(&device.name, device.incarnation, "/job:worker/replica:0/task:0/device:CPU:0", "edge", 0, 0);
    let key = RendezvousKey::parse(&text)?;
    let tensor = Tensor::vector(&vec![1f32; len / 4])?;
    let started = Instant::now();
    for step_id in step_ids.take(runs as usize) {
        worker.rendezvous_mgr().find_or_create(step_id)?.send(&key, Received { tensor: tensor.clone(), is_dead: false })?;
        let request = RecvTensorRequest { step_id, key: key.full.clone(), request_id: 0 };
        let received = wait(|done| client.recv_tensor(CallOptions::default(), request, done))?;
        assert_eq!(received.tensor.num_bytes(), len);
        worker.rendezvous_mgr().cleanup(step_id);
    }
    Ok(started.elapsed() / runs)
}
