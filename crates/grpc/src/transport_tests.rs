//! Tests of calls over real connections, with a service that does as it is told.

use crate::call::Method;
use crate::channel::Channel;
use crate::codec::{self, ContentPath, decode_recv_tensor, encode_recv_tensor};
use crate::connection::{Phase, accept};
use crate::frame::Message;
use crate::io_thread::IoThread;
use crate::line::Door;
use crate::segments::{SegmentWriter, Segments};
use crate::service::{Respond, Service, Services};
use bytes::BufMut;
use ferroflow_distributed::CallOptions;
use ferroflow_graph::kernel::{CancellationManager, Received};
use ferroflow_tensor::error::{aborted, cancelled};
use ferroflow_tensor::{Code, Error, Result, Tensor};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, mpsc};
use std::time::{Duration, SystemTime};
use tokio::sync::watch;

/// Long enough for a machine that is busy with other tests; only a failure waits so long.
const SOON: Duration = Duration::from_secs(60);

/// Answers as the method's name says.
struct Obedient {
    tensor: Tensor,
    /// What happened to calls of `Wait`, in order.
    events: mpsc::Sender<&'static str>,
}

impl Service for Obedient {
    fn prefix(&self) -> &'static str {
        "/test/"
    }

    fn request_content(&self, method: &str) -> Option<ContentPath> {
        ["Echo", "Fail", "Panic", "Forget", "Wait", "RecvTensor"].contains(&method).then_some(&[])
    }

    fn call(&self, method: &str, request: Message, options: CallOptions, respond: Respond) {
        match method {
            "Echo" => respond(raw(request.bytes())),
            "Fail" => respond(Err(aborted("it failed:\n 100 %").derived())),
            "Panic" => panic!("told to"),
            "Forget" => drop(respond),
            "Wait" => {
                self.events.send("waits").unwrap();
                let events = self.events.clone();
                let reason = move |e: &Error| {
                    events.send(if e.code() == Code::Cancelled { "cancelled" } else { "ended" }).unwrap();
                    drop(respond);
                };
                options.cancellation.unwrap().register(reason).map(drop).unwrap();
            }
            _ => respond(encode_recv_tensor(&Received { tensor: self.tensor.clone(), is_dead: false }, SystemTime::now())),
        }
    }
}

fn raw(bytes: &[u8]) -> Result<Segments> {
    let mut writer = SegmentWriter::new(bytes.len())?;
    writer.buffer().put_slice(bytes);
    Ok(writer.finish())
}

/// A server and a client, each with an event loop of its own.
struct Pair {
    address: SocketAddr,
    phase: watch::Sender<Phase>,
    events: mpsc::Receiver<&'static str>,
    server: Arc<IoThread>,
    client: Arc<IoThread>,
    channel: Channel,
}

impl Pair {
    fn new() -> Pair {
        Pair::with(Tensor::scalar(1f32))
    }

    fn with(tensor: Tensor) -> Pair {
        Pair::behind(None, tensor)
    }

    /// A pair whose channel has lines: by the server's door, or by TCP.
    fn with_lines(has_door: bool, tensor: Tensor) -> Pair {
        let pair = Pair::behind(has_door.then_some(()), tensor);
        pair.works();
        let until = std::time::Instant::now() + SOON;
        while pair.channel.line(false).is_none() {
            assert!(std::time::Instant::now() < until, "no line was opened");
            std::thread::yield_now();
        }
        pair
    }

    /// The three ways in which calls go: over HTTP/2, over a line by TCP, and over one by the door.
    fn all(tensor: Tensor) -> impl Iterator<Item = Pair> {
        (0..3).map(move |way| if way == 0 { Pair::with(tensor.clone()) } else { Pair::with_lines(way == 2, tensor.clone()) })
    }

    fn behind(door: Option<()>, tensor: Tensor) -> Pair {
        let (server, client) = (IoThread::start().unwrap(), IoThread::start().unwrap());
        let (tell, events) = mpsc::channel();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let address = listener.local_addr().unwrap();
        let (phase, watched) = watch::channel(Phase::Serving);
        let context = server.handle().enter();
        let door = door.map(|()| Door::new().unwrap());
        let services = Arc::new(Services {
            name: "the test".into(),
            door: door.as_ref().map(|d| http::HeaderValue::from_str(d.name()).unwrap()),
            services: vec![Arc::new(Obedient { tensor, events: tell })],
        });
        if let Some(door) = door {
            server.handle().spawn(door.accept(services.clone(), watched.clone()));
        }
        server.handle().spawn(accept(tokio::net::TcpListener::from_std(listener).unwrap(), services, watched));
        drop(context);
        let channel = Channel::new("/job:ps/replica:0/task:0", &address.to_string(), client.handle()).unwrap();
        Pair { address, phase, events, server, client, channel }
    }

    fn start(&self, path: &'static str, request: &[u8], options: CallOptions) -> mpsc::Receiver<Result<Vec<u8>>> {
        let method = Method { path, response: &[], is_bulk: false, wait_for_ready: false };
        let (sender, receiver) = mpsc::channel();
        let done = Box::new(move |r| drop(sender.send(r)));
        self.channel.call(method, raw(request), options, |m| Ok(m.bytes().to_vec()), done);
        receiver
    }

    fn call(&self, path: &'static str, request: &[u8]) -> Result<Vec<u8>> {
        self.start(path, request, CallOptions::default()).recv_timeout(SOON).expect("the call ends")
    }

    fn event(&self) -> &'static str {
        self.events.recv_timeout(SOON).unwrap()
    }

    fn works(&self) {
        assert_eq!(self.call("/test/Echo", b"still there").unwrap(), b"still there");
    }
}

#[test]
fn messages_of_all_sizes_come_back() {
    for pair in Pair::all(Tensor::scalar(1f32)) {
        for len in [0, 1, 1000, 16 << 10, 70_000, 3 << 20] {
            let message: Vec<u8> = (0..len).map(|i| (i * 7) as u8).collect();
            assert!(pair.call("/test/Echo", &message).unwrap() == message, "{len}");
        }
    }
}

#[test]
fn a_tensor_larger_than_the_window_arrives_whole_and_can_be_overwritten_in_place() {
    let values: Vec<f32> = (0..(20 << 20)).map(|i| i as f32).collect();
    for pair in Pair::all(Tensor::vector(&values).unwrap()) {
        let method = Method { path: "/test/RecvTensor", response: codec::RECV_TENSOR_RESPONSE, is_bulk: true, wait_for_ready: false };
        let (sender, receiver) = mpsc::channel();
        let done = Box::new(move |r| drop(sender.send(r)));
        pair.channel.call(method, raw(&[]), CallOptions::default(), decode_recv_tensor, done);
        let mut received: Received = receiver.recv_timeout(SOON).unwrap().unwrap();
        assert!(received.tensor.as_slice::<f32>().unwrap() == values);
        assert_eq!(received.tensor.bytes().unwrap().as_ptr() as usize % 64, 0);
        assert!(received.tensor.as_mut_slice::<f32>().is_ok());
    }
}

#[test]
fn errors_keep_code_message_and_derivedness() {
    for pair in Pair::all(Tensor::scalar(1f32)) {
        let e = pair.call("/test/Fail", b"").unwrap_err();
        assert_eq!((e.code(), e.message().as_str(), e.is_derived()), (Code::Aborted, "it failed:\n 100 %", true));
        for path in ["/test/Nothing", "/tensorflow.eager.EagerService/CreateContext", "/"] {
            let e = pair.call(path, b"").unwrap_err();
            assert_eq!(e.code(), Code::Unimplemented, "{e}");
        }
        assert_eq!(pair.call("/test/Panic", b"").unwrap_err().code(), Code::Internal);
        assert_eq!(pair.call("/test/Forget", b"").unwrap_err().code(), Code::Internal);
        pair.works();
    }
}

#[test]
fn cancelling_a_call_ends_it_on_both_sides_and_leaves_the_connection() {
    for pair in Pair::all(Tensor::scalar(1f32)) {
        let manager = Arc::new(CancellationManager::new());
        let waiting = pair.start("/test/Wait", b"", CallOptions::cancelled_by(&manager));
        assert_eq!(pair.event(), "waits");
        manager.cancel(cancelled("enough"));
        assert_eq!(waiting.recv_timeout(SOON).unwrap().unwrap_err().message(), "enough");
        assert_eq!(pair.event(), "cancelled");
        pair.works();
        // One that is cancelled already is not sent at all.
        let late = pair.start("/test/Wait", b"", CallOptions::cancelled_by(&manager));
        assert_eq!(late.recv_timeout(SOON).unwrap().unwrap_err().message(), "enough");
        assert!(pair.events.try_recv().is_err());
    }
}

#[test]
fn a_client_that_goes_away_cancels_its_calls() {
    for pair in Pair::all(Tensor::scalar(1f32)) {
        let waiting = pair.start("/test/Wait", b"", CallOptions::default());
        assert_eq!(pair.event(), "waits");
        pair.client.stop();
        assert_eq!(pair.event(), "cancelled");
        assert_eq!(waiting.recv_timeout(SOON).unwrap().unwrap_err().code(), Code::Cancelled, "the caller is told, too");
    }
}

#[test]
fn a_time_limit_ends_the_call_on_both_sides() {
    for pair in Pair::all(Tensor::scalar(1f32)) {
        let waiting = pair.start("/test/Wait", b"", CallOptions::within(Duration::from_millis(300)));
        assert_eq!(pair.event(), "waits");
        let e = waiting.recv_timeout(SOON).unwrap().unwrap_err();
        assert_eq!(e.code(), Code::DeadlineExceeded);
        assert!(["ended", "cancelled"].contains(&pair.event()), "whoever's clock is first");
        pair.works();
    }
}

#[test]
fn a_thousand_calls_wait_and_are_given_up_together() {
    for pair in Pair::all(Tensor::scalar(1f32)) {
        let manager = Arc::new(CancellationManager::new());
        let waiting: Vec<_> = (0..1000).map(|_| pair.start("/test/Wait", b"", CallOptions::cancelled_by(&manager))).collect();
        (0..1000).for_each(|_| assert_eq!(pair.event(), "waits"));
        pair.works();
        manager.cancel(cancelled("enough"));
        waiting.iter().for_each(|w| assert!(w.recv_timeout(SOON).unwrap().is_err()));
        (0..1000).for_each(|_| assert_eq!(pair.event(), "cancelled"));
        pair.works();
    }
}

#[test]
fn a_server_that_closes_answers_what_waits_with_unavailable() {
    for pair in Pair::all(Tensor::scalar(1f32)) {
        let waiting = pair.start("/test/Wait", b"", CallOptions::default());
        assert_eq!(pair.event(), "waits");
        pair.phase.send_replace(Phase::Closing);
        let e = waiting.recv_timeout(SOON).unwrap().unwrap_err();
        assert_eq!(e.code(), Code::Unavailable);
        assert!(e.message().contains("the test is shutting down"), "{e}");
        assert_eq!(pair.event(), "ended");
    }
}

#[test]
fn a_lost_server_is_named_and_one_that_comes_back_is_found() {
    for pair in Pair::all(Tensor::scalar(1f32)) {
        pair.works();
        let waiting = pair.start("/test/Wait", b"", CallOptions::default());
        assert_eq!(pair.event(), "waits");
        pair.server.stop();
        let e = waiting.recv_timeout(SOON).unwrap().unwrap_err();
        assert_eq!(e.code(), Code::Unavailable);
        let name = format!("task /job:ps/replica:0/task:0 at {}: ", pair.address);
        assert!(e.message().starts_with(&name) && e.message().contains("during Wait"), "{e}");
        let e = pair.call("/test/Echo", b"").unwrap_err();
        assert_eq!((e.code(), e.message()), (Code::Unavailable, format!("{name}connection refused")));

        let method = Method { path: "/test/Echo", response: &[], is_bulk: false, wait_for_ready: true };
        let (sender, receiver) = mpsc::channel();
        let done = Box::new(move |r| drop(sender.send(r)));
        pair.channel.call(method, raw(b"patience"), CallOptions::default(), |m| Ok(m.bytes().to_vec()), done);
        let listener = TcpListener::bind(pair.address).unwrap();
        listener.set_nonblocking(true).unwrap();
        let services = Services {
            name: "the test".into(),
            door: None,
            services: vec![Arc::new(Obedient { tensor: 1f32.into(), events: mpsc::channel().0 })],
        };
        let again = IoThread::start().unwrap();
        let context = again.handle().enter();
        let (_phase, watched) = watch::channel(Phase::Serving);
        again.handle().spawn(accept(tokio::net::TcpListener::from_std(listener).unwrap(), Arc::new(services), watched));
        drop(context);
        assert_eq!(receiver.recv_timeout(SOON).unwrap().unwrap(), b"patience");
    }
}

#[test]
fn a_browser_is_told_what_it_found_and_garbage_is_survived() {
    let pair = Pair::new();
    let mut browser = TcpStream::connect(pair.address).unwrap();
    browser.write_all(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
    let mut text = String::new();
    browser.read_to_string(&mut text).unwrap();
    assert!(text.starts_with("HTTP/1.1 426 ") && text.contains("the test"), "{text}");
    for garbage in [
        &b"\x00\x01\x02\xff\xfe"[..],
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\xff\xff\xff\xff\xff\xff\xff\xff\xff",
        b"P",
        b"FERRO",
        b"FERROFLOW LINE 2\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff",
        b"FERROFLOW LINE 9",
    ] {
        let mut stranger = TcpStream::connect(pair.address).unwrap();
        stranger.write_all(garbage).unwrap();
        // The server may have closed already.
        let _ = stranger.shutdown(std::net::Shutdown::Write);
        let _ = stranger.read_to_end(&mut vec![]);
    }
    pair.works();
}

#[test]
fn a_peer_that_does_not_speak_http2_is_unavailable() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let stranger = std::thread::spawn(move || {
        // Every attempt of the call meets the same answer.
        while let Ok((mut stream, _)) = listener.accept() {
            if stream.write_all(b"220 mail.example ESMTP ready for nothing but mail\r\n").is_err() || stream.read(&mut [0; 8]).is_err() {
                return;
            }
        }
    });
    let io = IoThread::start().unwrap();
    let channel = Channel::new("", &address, io.handle()).unwrap();
    let method = Method { path: "/test/Echo", response: &[], is_bulk: false, wait_for_ready: false };
    let (sender, receiver) = mpsc::channel();
    channel.call(method, raw(b""), CallOptions::within(SOON), |_| Ok(()), Box::new(move |r| drop(sender.send(r))));
    let e = receiver.recv_timeout(SOON).unwrap().unwrap_err();
    assert_eq!(e.code(), Code::Unavailable, "{e}");
    assert!(e.message().contains(&address), "{e}");
    drop(stranger);
}

#[test]
fn addresses_that_cannot_be_one_are_refused() {
    let io = IoThread::start().unwrap();
    for bad in ["", "host", "host:port", "a b:1", ":80"] {
        assert_eq!(Channel::new("", bad, io.handle()).map(drop).unwrap_err().code(), Code::InvalidArgument, "{bad}");
    }
}
