//! A conversation between a stock client and a TensorFlow server (recorded by `replay/record.py`), held again with a ferroflow server:
//! the client's bytes are sent as they were recorded, down to the compressed headers, and the answers are compared with TensorFlow's.

use ferroflow::{ClusterSpec, Listen, Server, ServerConfig, TaskId, Tensor};
use ferroflow_proto::{
    ClusterDef, CreateSessionResponse, ExtendSessionResponse, JobDef, Message, PartialRunSetupResponse, RunStepResponse, TensorProto,
};
use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

const RECORD: &[u8] = include_bytes!("replay/stock_client.rec");
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

const DATA: u8 = 0;
const HEADERS: u8 = 1;
const RST_STREAM: u8 = 3;
const SETTINGS: u8 = 4;
const PING: u8 = 6;
const GOAWAY: u8 = 7;
const ACK: u8 = 1;
const END_STREAM: u8 = 1;

/// An HTTP/2 frame.
#[derive(Clone)]
struct Frame {
    kind: u8,
    flags: u8,
    stream: u32,
    /// With its header.
    bytes: Vec<u8>,
}

impl Frame {
    fn payload(&self) -> &[u8] {
        &self.bytes[9..]
    }

    fn ends_stream(&self) -> bool {
        matches!(self.kind, DATA | HEADERS) && self.flags & END_STREAM != 0
    }
}

/// One direction of a connection.
#[derive(Default)]
struct Direction(Vec<u8>);

impl Direction {
    /// The next frame, if it has arrived whole.
    fn frame(&mut self) -> Option<Frame> {
        let head = self.0.get(..9)?;
        let len = u32::from_be_bytes([0, head[0], head[1], head[2]]) as usize;
        let (kind, flags) = (head[3], head[4]);
        let stream = u32::from_be_bytes([head[5] & 0x7f, head[6], head[7], head[8]]);
        if self.0.len() < 9 + len {
            return None;
        }
        Some(Frame { kind, flags, stream, bytes: self.0.drain(..9 + len).collect() })
    }
}

/// The recorded frames in order, and whether the client sent them; the client's preface is left out.
fn recorded() -> Vec<(bool, Frame)> {
    let (mut client, mut server) = (Direction::default(), Direction::default());
    let (mut frames, mut rest, mut preface) = (Vec::new(), RECORD, PREFACE.len());
    while let [who, a, b, c, d, tail @ ..] = rest {
        let (bytes, after) = tail.split_at(u32::from_le_bytes([*a, *b, *c, *d]) as usize);
        rest = after;
        let from_client = *who == b'c';
        let direction = if from_client { &mut client } else { &mut server };
        direction.0.extend_from_slice(bytes);
        if from_client && preface > 0 {
            assert!(direction.0.starts_with(PREFACE), "the first part holds the preface");
            direction.0.drain(..std::mem::take(&mut preface));
        }
        while let Some(frame) = direction.frame() {
            frames.push((from_client, frame));
        }
    }
    frames
}

/// A connection to the server under test.
struct Connection {
    socket: TcpStream,
    incoming: Direction,
    /// The bodies of answers by stream, and whether they have ended.
    answers: BTreeMap<u32, (Vec<u8>, bool)>,
}

impl Connection {
    fn send(&mut self, bytes: &[u8]) {
        self.socket.write_all(bytes).expect("the server takes what a stock client sends");
    }

    /// Waits for the end of a stream.
    fn answer(&mut self, stream: u32) -> Vec<u8> {
        loop {
            if let Some((body, true)) = self.answers.get(&stream) {
                return body.clone();
            }
            let Some(frame) = self.incoming.frame() else {
                let mut bytes = [0; 4096];
                let n = self.socket.read(&mut bytes).expect("an answer within a minute");
                assert!(n > 0, "the server closed the connection before it answered on stream {stream}");
                self.incoming.0.extend_from_slice(&bytes[..n]);
                continue;
            };
            assert!(frame.kind != GOAWAY && frame.kind != RST_STREAM, "the server refuses: {:?}", frame.bytes);
            let answer = self.answers.entry(frame.stream).or_default();
            if frame.kind == DATA {
                answer.0.extend_from_slice(frame.payload());
            }
            answer.1 |= frame.ends_stream();
        }
    }
}

/// The message of a body that holds just one, which is not compressed.
fn message<M: Message + Default>(body: &[u8]) -> M {
    let len = u32::from_be_bytes(body[1..5].try_into().unwrap()) as usize;
    assert_eq!((body[0], body.len()), (0, 5 + len));
    M::decode(&body[5..]).unwrap()
}

fn tensors(answer: &RunStepResponse) -> Vec<(String, String)> {
    let value = |t: &Option<TensorProto>| -> Tensor { ferroflow_tensor::from_proto(t.as_ref().unwrap()).unwrap() };
    answer.tensor.iter().map(|t| (t.name.clone(), format!("{:?}", value(&t.tensor)))).collect()
}

fn replace(bytes: &mut [u8], from: &[u8], to: &[u8]) -> bool {
    let Some(at) = bytes.windows(from.len()).position(|w| w == from) else { return false };
    bytes[at..at + from.len()].copy_from_slice(to);
    true
}

#[test]
fn a_stock_clients_recorded_bytes_get_tensorflows_answers() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let job = JobDef { name: "localhost".into(), tasks: [(0, address.to_string())].into() };
    let cluster = ClusterSpec::from_proto(&ClusterDef { job: vec![job] }).unwrap();
    let registry = ferroflow::ops::registry();
    let mut config = ServerConfig::new(TaskId::new("localhost", 0), cluster, registry);
    config.listen = Listen::On(listener);
    let _server = Server::start(config).unwrap();
    let socket = TcpStream::connect(address).unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    let mut connection = Connection { socket, incoming: Direction::default(), answers: BTreeMap::new() };
    connection.send(PREFACE);

    let mut bodies: BTreeMap<u32, Vec<u8>> = BTreeMap::new();
    // The session's handle, as TensorFlow named it and as the server under test does.
    let mut session: Option<(String, String)> = None;
    let (mut steps, mut failed, mut extended, mut closed) = (0, 0, Vec::new(), false);
    for (from_client, mut frame) in recorded() {
        if from_client {
            if let (DATA, Some((theirs, ours))) = (frame.kind, &session) {
                assert!(replace(&mut frame.bytes, theirs.as_bytes(), ours.as_bytes()), "every later call names the session");
            }
            // Acknowledgements answer what TensorFlow's server sent.
            if !(matches!(frame.kind, PING | SETTINGS) && frame.flags & ACK != 0) {
                connection.send(&frame.bytes);
            }
            continue;
        }
        if frame.kind == DATA {
            bodies.entry(frame.stream).or_default().extend_from_slice(frame.payload());
        }
        if !frame.ends_stream() {
            continue;
        }
        let theirs = bodies.remove(&frame.stream).unwrap_or_default();
        let ours = connection.answer(frame.stream);
        assert!(!ours.is_empty(), "stream {}: an error where TensorFlow answers", frame.stream);
        match frame.stream {
            1 => {
                let handle = |body: &[u8]| message::<CreateSessionResponse>(body).session_handle;
                session = Some((handle(&theirs), handle(&ours)));
            }
            11 | 23 => extended.push((message::<ExtendSessionResponse>(&theirs), message::<ExtendSessionResponse>(&ours))),
            27 => assert_eq!(
                message::<PartialRunSetupResponse>(&ours).partial_run_handle.len(),
                message::<PartialRunSetupResponse>(&theirs).partial_run_handle.len()
            ),
            35 => closed = true,
            stream => {
                let (theirs, ours) = (message::<RunStepResponse>(&theirs), message::<RunStepResponse>(&ours));
                assert_eq!(ours.status_code, theirs.status_code, "stream {stream}: {}", ours.status_error_message);
                assert_eq!(tensors(&ours), tensors(&theirs), "stream {stream}");
                steps += 1;
                if theirs.status_code != 0 {
                    failed += 1;
                    assert!(ours.status_error_message.contains("not finite : Tensor had Inf values"), "{}", ours.status_error_message);
                }
            }
        }
    }
    assert_eq!((steps, failed, closed), (13, 1, true));
    assert!(!extended.is_empty() && extended.iter().all(|(theirs, ours)| theirs == ours));
}
