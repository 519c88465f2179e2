//! Lending: on one machine, a large piece of a message is not written to the socket. The frame says where it lies in the sender's
//! memory, the reader has the system copy it from there (`process_vm_readv`, "cross-memory attach"), and gives it back by a frame.
//! That is one copy instead of two, and none of the socket's buffers.
//!
//! Whether a process may read another's memory is the system's decision, so each end shows the other a random token in its memory
//! and lends only to a peer that has read it. The peer's process is the one that the system names for the socket. Each reading
//! reads the token once more after the piece: an end that closes wipes its token before it lets lent memory go, so what was read
//! with the token was still lent.

use bytes::Bytes;
use parking_lot::Mutex;
use smallvec::SmallVec;
use std::collections::HashMap;
use std::io::{Error, ErrorKind, Result};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering, fence};

/// Bytes of a token.
const TOKEN: usize = 16;
/// Bytes of a claim: the token's address and the token.
pub(super) const CLAIM: usize = 8 + TOKEN;
/// Bytes that describe a loan in a frame.
pub(super) const LOAN: usize = 24;
/// Smaller pieces go through the socket: a loan costs two system calls and a frame back.
const SMALLEST: usize = 128 << 10;
/// The rest of the message goes through the socket, and must fit into its reader's buffer.
pub(super) const LARGEST_REST: usize = 32 << 10;
/// Bytes that are copied before other connections get a turn.
pub(super) const AT_ONCE: usize = 8 << 20;

/// The loans between the two ends of a line, seen from one.
pub(super) struct Lending {
    /// What the peer has to find in our memory.
    token: Box<[AtomicU64; 2]>,
    /// The process at the other end, if it is on this machine.
    peer: Option<i32>,
    /// Where the peer's token lies and what it is, once it could be read.
    theirs: OnceLock<(u64, [u8; TOKEN])>,
    /// Whether the peer has read our token.
    is_read: AtomicBool,
    lent: Mutex<Lent>,
}

#[derive(Default)]
struct Lent {
    next: u64,
    pieces: HashMap<u64, Bytes>,
    over: bool,
}

/// A piece of a message that stays in the sender's memory until it is given back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Loan {
    /// Names it when it is given back.
    pub(super) ticket: u64,
    /// Where it lies.
    pub(super) address: u64,
    /// Its place in the message.
    pub(super) at: u32,
    /// Its bytes.
    pub(super) len: u32,
}

impl Loan {
    pub(super) fn to_bytes(self) -> [u8; LOAN] {
        let mut b = [0; LOAN];
        b[..8].copy_from_slice(&self.ticket.to_le_bytes());
        b[8..16].copy_from_slice(&self.address.to_le_bytes());
        b[16..20].copy_from_slice(&self.at.to_le_bytes());
        b[20..].copy_from_slice(&self.len.to_le_bytes());
        b
    }

    pub(super) fn from_bytes(b: &[u8; LOAN]) -> Loan {
        let [t0, t1, t2, t3, t4, t5, t6, t7, a0, a1, a2, a3, a4, a5, a6, a7, p0, p1, p2, p3, l0, l1, l2, l3] = *b;
        Loan {
            ticket: u64::from_le_bytes([t0, t1, t2, t3, t4, t5, t6, t7]),
            address: u64::from_le_bytes([a0, a1, a2, a3, a4, a5, a6, a7]),
            at: u32::from_le_bytes([p0, p1, p2, p3]),
            len: u32::from_le_bytes([l0, l1, l2, l3]),
        }
    }
}

impl Lending {
    /// The loans to and from this process; without one nothing is lent.
    pub(super) fn new(peer: Option<i32>) -> Lending {
        let token = Box::new([AtomicU64::new(rand::random::<u64>() | 1), AtomicU64::new(rand::random())]);
        Lending { token, peer, theirs: OnceLock::new(), is_read: AtomicBool::new(false), lent: Mutex::default() }
    }

    /// What to show the peer, if it may be able to read it.
    pub(super) fn claim(&self) -> Option<[u8; CLAIM]> {
        self.peer?;
        let mut b = [0; CLAIM];
        b[..8].copy_from_slice(&(self.token.as_ptr() as u64).to_le_bytes());
        for (place, word) in b[8..].chunks_exact_mut(8).zip(self.token.iter()) {
            place.copy_from_slice(&word.load(Ordering::Relaxed).to_ne_bytes());
        }
        Some(b)
    }

    /// Tries to read what the peer has shown; returns whether it could.
    pub(super) fn examine(&self, claim: &[u8; CLAIM]) -> bool {
        let [a0, a1, a2, a3, a4, a5, a6, a7, token @ ..] = *claim;
        let address = u64::from_le_bytes([a0, a1, a2, a3, a4, a5, a6, a7]);
        let mut found = [0; TOKEN];
        let read = self.peer.map(|peer| read_memory(peer, [(address, &mut found)]));
        if !matches!(read, Some(Ok(()))) || found != token {
            tracing::debug!("the memory of process {:?} cannot be read ({read:?}): tensors go through the socket", self.peer);
            return false;
        }
        // A second claim does not replace the first.
        *self.theirs.get_or_init(|| (address, token)) == (address, token)
    }

    /// The peer has read our token.
    pub(super) fn has_been_read(&self) {
        self.is_read.store(true, Ordering::Relaxed);
    }

    /// Takes the large piece out of a message to lend it, if there is one and the peer can read it.
    pub(super) fn lend(&self, parts: &mut SmallVec<[Bytes; 4]>) -> Option<Loan> {
        if !self.is_read.load(Ordering::Relaxed) {
            return None;
        }
        let (k, _) = parts.iter().enumerate().max_by_key(|(_, part)| part.len()).filter(|(_, part)| part.len() >= SMALLEST)?;
        let at = parts[..k].iter().map(Bytes::len).sum::<usize>();
        let rest = at + parts[k + 1..].iter().map(Bytes::len).sum::<usize>();
        if rest > LARGEST_REST {
            return None;
        }
        let mut lent = self.lent.lock();
        if lent.over {
            return None;
        }
        let piece = parts.remove(k);
        lent.next += 1;
        let loan = Loan { ticket: lent.next, address: piece.as_ptr() as u64, at: at as u32, len: piece.len() as u32 };
        lent.pieces.insert(loan.ticket, piece);
        Some(loan)
    }

    /// A piece has been given back.
    pub(super) fn take_back(&self, ticket: u64) {
        let piece = self.lent.lock().pieces.remove(&ticket);
        drop(piece);
    }

    /// Reads bytes that the peer has lent.
    ///
    /// Errors: `InvalidData` if the peer has shown no token or has wiped it; what the system says.
    pub(super) fn read(&self, address: u64, into: &mut [u8]) -> Result<()> {
        let (Some(peer), Some((token_address, token))) = (self.peer, self.theirs.get()) else {
            return Err(Error::new(ErrorKind::InvalidData, "the peer lends memory that it has not shown"));
        };
        let mut found = [0; TOKEN];
        read_memory(peer, [(address, into), (*token_address, &mut found)])?;
        if found == *token { Ok(()) } else { Err(Error::new(ErrorKind::BrokenPipe, "the peer has ended the line")) }
    }

    /// Nothing is lent any more; who reads now is told by the token.
    pub(super) fn end(&self) {
        for word in self.token.iter() {
            word.store(0, Ordering::SeqCst);
        }
        // The system reads the token after the piece, so it must be gone before the piece is.
        fence(Ordering::SeqCst);
        let mut lent = self.lent.lock();
        lent.over = true;
        let pieces = std::mem::take(&mut lent.pieces);
        drop(lent);
        drop(pieces);
    }
}

impl Drop for Lending {
    fn drop(&mut self) {
        self.end();
    }
}

/// Copies pieces of a process's memory, in this order.
///
/// Errors: what the system says; `UnexpectedEof` if a piece is not all memory; `Unsupported` where systems have no such call.
#[cfg(target_os = "linux")]
fn read_memory<const N: usize>(process: i32, pieces: [(u64, &mut [u8]); N]) -> Result<()> {
    use nix::sys::uio::{RemoteIoVec, process_vm_readv};
    let there: SmallVec<[RemoteIoVec; 2]> = pieces.iter().map(|(a, p)| RemoteIoVec { base: *a as usize, len: p.len() }).collect();
    let wanted = there.iter().map(|t| t.len).sum::<usize>();
    let mut here = pieces.map(|(_, p)| std::io::IoSliceMut::new(p));
    let read = process_vm_readv(nix::unistd::Pid::from_raw(process), &mut here, &there)?;
    if read == wanted { Ok(()) } else { Err(ErrorKind::UnexpectedEof.into()) }
}

#[cfg(not(target_os = "linux"))]
fn read_memory<const N: usize>(_: i32, _: [(u64, &mut [u8]); N]) -> Result<()> {
    Err(ErrorKind::Unsupported.into())
}

#[cfg(target_os = "linux")]
#[cfg(test)]
mod tests {
    use super::*;

    /// Two ends in this process, each of which has read the other's token.
    fn ends() -> (Lending, Lending) {
        let me = Some(std::process::id() as i32);
        let (a, b) = (Lending::new(me), Lending::new(me));
        assert!(b.examine(&a.claim().unwrap()) && a.examine(&b.claim().unwrap()));
        a.has_been_read();
        b.has_been_read();
        (a, b)
    }

    fn parts(of: &[Vec<u8>]) -> SmallVec<[Bytes; 4]> {
        of.iter().cloned().map(Bytes::from).collect()
    }

    #[test]
    fn a_large_piece_is_read_where_it_lies_and_kept_until_it_is_given_back() {
        let (a, b) = ends();
        let large: Vec<u8> = (0..SMALLEST).map(|k| (k % 251) as u8).collect();
        let mut message = parts(&[vec![1; 10], large.clone(), vec![2; 3]]);
        let loan = a.lend(&mut message).unwrap();
        assert_eq!((loan.at, loan.len as usize, message.len()), (10, SMALLEST, 2));
        assert_eq!(Loan::from_bytes(&loan.to_bytes()), loan);
        let mut copy = vec![0; SMALLEST];
        b.read(loan.address, &mut copy).unwrap();
        assert_eq!(copy, large);
        a.take_back(loan.ticket);
        assert!(a.lent.lock().pieces.is_empty());
    }

    #[test]
    fn small_pieces_and_many_large_ones_are_not_lent() {
        let (a, _b) = ends();
        assert!(a.lend(&mut parts(&[vec![0; SMALLEST - 1]])).is_none());
        assert!(a.lend(&mut parts(&[vec![0; SMALLEST], vec![0; LARGEST_REST + 1]])).is_none());
        assert!(a.lend(&mut parts(&[])).is_none());
    }

    #[test]
    fn nothing_is_lent_to_whom_has_not_read_the_token() {
        let a = Lending::new(Some(std::process::id() as i32));
        assert!(a.lend(&mut parts(&[vec![0; SMALLEST]])).is_none());
        assert!(Lending::new(None).claim().is_none());
        let mut claim = a.claim().unwrap();
        claim[CLAIM - 1] ^= 1;
        assert!(!Lending::new(Some(std::process::id() as i32)).examine(&claim), "another token");
        assert!(!Lending::new(Some(i32::MAX)).examine(&a.claim().unwrap()), "another process");
        assert!(Lending::new(None).read(0, &mut [0]).is_err());
    }

    #[test]
    fn what_is_read_after_the_end_is_refused() {
        let (a, b) = ends();
        let loan = a.lend(&mut parts(&[vec![7; SMALLEST]])).unwrap();
        a.end();
        assert!(b.read(loan.address, &mut vec![0; SMALLEST]).is_err());
        assert!(a.lend(&mut parts(&[vec![7; SMALLEST]])).is_none());
    }
}
