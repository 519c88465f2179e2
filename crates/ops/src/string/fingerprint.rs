//! Hashes of strings that never change: FarmHash's 64-bit fingerprint, SipHash-2-4, and the hash of `StringToHashBucket`.

const K0: u64 = 0xc3a5_c85c_97cb_3127;
const K1: u64 = 0xb492_b66f_be98_f273;
const K2: u64 = 0x9ae1_6a3b_2f90_404f;

fn word(s: &[u8], at: usize) -> u64 {
    s.get(at..at + 8).and_then(|b| b.try_into().ok()).map_or(0, u64::from_le_bytes)
}

fn half(s: &[u8], at: usize) -> u64 {
    s.get(at..at + 4).and_then(|b| b.try_into().ok()).map_or(0, |b| u64::from(u32::from_le_bytes(b)))
}

fn shift_mix(x: u64) -> u64 {
    x ^ x >> 47
}

fn mix(u: u64, v: u64, mul: u64) -> u64 {
    let a = shift_mix((u ^ v).wrapping_mul(mul));
    shift_mix((v ^ a).wrapping_mul(mul)).wrapping_mul(mul)
}

fn weak(s: &[u8], at: usize, a: u64, b: u64) -> (u64, u64) {
    let (w, x, y, z) = (word(s, at), word(s, at + 8), word(s, at + 16), word(s, at + 24));
    let a = a.wrapping_add(w);
    let b = b.wrapping_add(a).wrapping_add(z).rotate_right(21);
    let c = a;
    let a = a.wrapping_add(x).wrapping_add(y);
    (a.wrapping_add(z), b.wrapping_add(a.rotate_right(44)).wrapping_add(c))
}

/// FarmHash's `Fingerprint64` (TF: `Fingerprint64`).
pub(crate) fn fingerprint64(s: &[u8]) -> u64 {
    let n = s.len();
    let mul = K2.wrapping_add(n as u64 * 2);
    match n {
        0 => K2,
        1..4 => {
            let (a, b, c) = (u32::from(s[0]), u32::from(s[n >> 1]), u32::from(s[n - 1]));
            let y = u64::from(a.wrapping_add(b << 8));
            let z = u64::from((n as u32).wrapping_add(c << 2));
            shift_mix(y.wrapping_mul(K2) ^ z.wrapping_mul(K0)).wrapping_mul(K2)
        }
        4..8 => mix((n as u64).wrapping_add(half(s, 0) << 3), half(s, n - 4), mul),
        8..=16 => {
            let (a, b) = (word(s, 0).wrapping_add(K2), word(s, n - 8));
            let c = b.rotate_right(37).wrapping_mul(mul).wrapping_add(a);
            let d = a.rotate_right(25).wrapping_add(b).wrapping_mul(mul);
            mix(c, d, mul)
        }
        17..=32 => {
            let (a, b) = (word(s, 0).wrapping_mul(K1), word(s, 8));
            let (c, d) = (word(s, n - 8).wrapping_mul(mul), word(s, n - 16).wrapping_mul(K2));
            let u = a.wrapping_add(b).rotate_right(43).wrapping_add(c.rotate_right(30)).wrapping_add(d);
            mix(u, a.wrapping_add(b.wrapping_add(K2).rotate_right(18)).wrapping_add(c), mul)
        }
        33..=64 => {
            let (a, b) = (word(s, 0).wrapping_mul(K2), word(s, 8));
            let (c, d) = (word(s, n - 8).wrapping_mul(mul), word(s, n - 16).wrapping_mul(K2));
            let y = a.wrapping_add(b).rotate_right(43).wrapping_add(c.rotate_right(30)).wrapping_add(d);
            let z = mix(y, a.wrapping_add(b.wrapping_add(K2).rotate_right(18)).wrapping_add(c), mul);
            let (e, f) = (word(s, 16).wrapping_mul(mul), word(s, 24));
            let g = y.wrapping_add(word(s, n - 32)).wrapping_mul(mul);
            let h = z.wrapping_add(word(s, n - 24)).wrapping_mul(mul);
            let u = e.wrapping_add(f).rotate_right(43).wrapping_add(g.rotate_right(30)).wrapping_add(h);
            mix(u, e.wrapping_add(f.wrapping_add(a).rotate_right(18)).wrapping_add(g), mul)
        }
        _ => long(s),
    }
}

/// The fingerprint of more than 64 bytes.
fn long(s: &[u8]) -> u64 {
    const SEED: u64 = 81;
    let n = s.len();
    let mut x = SEED.wrapping_mul(K2).wrapping_add(word(s, 0));
    let mut y = SEED.wrapping_mul(K1).wrapping_add(113);
    let mut z = shift_mix(y.wrapping_mul(K2).wrapping_add(113)).wrapping_mul(K2);
    let (mut v, mut w) = ((0u64, 0u64), (0u64, 0u64));
    let end = (n - 1) / 64 * 64;
    for at in (0..end).step_by(64) {
        x = x.wrapping_add(y).wrapping_add(v.0).wrapping_add(word(s, at + 8)).rotate_right(37).wrapping_mul(K1);
        y = y.wrapping_add(v.1).wrapping_add(word(s, at + 48)).rotate_right(42).wrapping_mul(K1);
        x ^= w.1;
        y = y.wrapping_add(v.0).wrapping_add(word(s, at + 40));
        z = z.wrapping_add(w.0).rotate_right(33).wrapping_mul(K1);
        v = weak(s, at, v.1.wrapping_mul(K1), x.wrapping_add(w.0));
        w = weak(s, at + 32, z.wrapping_add(w.1), y.wrapping_add(word(s, at + 16)));
        std::mem::swap(&mut z, &mut x);
    }
    let mul = K1.wrapping_add((z & 0xff) << 1);
    let at = n - 64;
    w.0 = w.0.wrapping_add((n as u64 - 1) & 63);
    v.0 = v.0.wrapping_add(w.0);
    w.0 = w.0.wrapping_add(v.0);
    x = x.wrapping_add(y).wrapping_add(v.0).wrapping_add(word(s, at + 8)).rotate_right(37).wrapping_mul(mul);
    y = y.wrapping_add(v.1).wrapping_add(word(s, at + 48)).rotate_right(42).wrapping_mul(mul);
    x ^= w.1.wrapping_mul(9);
    y = y.wrapping_add(v.0.wrapping_mul(9)).wrapping_add(word(s, at + 40));
    z = z.wrapping_add(w.0).rotate_right(33).wrapping_mul(mul);
    v = weak(s, at, v.1.wrapping_mul(mul), x.wrapping_add(w.0));
    w = weak(s, at + 32, z.wrapping_add(w.1), y.wrapping_add(word(s, at + 16)));
    std::mem::swap(&mut z, &mut x);
    let u = mix(v.0, w.0, mul).wrapping_add(shift_mix(y).wrapping_mul(K0)).wrapping_add(z);
    mix(u, mix(v.1, w.1, mul).wrapping_add(x), mul)
}

/// The fingerprint of two things, of those of each (TF: `FingerprintCat64`).
pub(crate) fn concatenated(a: u64, b: u64) -> u64 {
    const MUL: u64 = 0xc6a4_a793_5bd1_e995;
    let both = (a ^ MUL ^ shift_mix(b.wrapping_mul(MUL)).wrapping_mul(MUL)).wrapping_mul(MUL);
    shift_mix(shift_mix(both).wrapping_mul(MUL))
}

/// SipHash-2-4 under a key of two words (TF: `StrongKeyedHash`).
pub(crate) fn sip_hash(key: [u64; 2], s: &[u8]) -> u64 {
    let mut v =
        [key[0] ^ 0x736f_6d65_7073_6575, key[1] ^ 0x646f_7261_6e64_6f6d, key[0] ^ 0x6c79_6765_6e65_7261, key[1] ^ 0x7465_6462_7974_6573];
    let rounds = |v: &mut [u64; 4], n: usize| {
        for _ in 0..n {
            v[0] = v[0].wrapping_add(v[1]);
            v[1] = v[1].rotate_left(13) ^ v[0];
            v[0] = v[0].rotate_left(32);
            v[2] = v[2].wrapping_add(v[3]);
            v[3] = v[3].rotate_left(16) ^ v[2];
            v[0] = v[0].wrapping_add(v[3]);
            v[3] = v[3].rotate_left(21) ^ v[0];
            v[2] = v[2].wrapping_add(v[1]);
            v[1] = v[1].rotate_left(17) ^ v[2];
            v[2] = v[2].rotate_left(32);
        }
    };
    let (words, rest) = s.as_chunks::<8>();
    let mut last = [0u8; 8];
    last[..rest.len()].copy_from_slice(rest);
    last[7] = s.len() as u8;
    for m in words.iter().chain([&last]).map(|w| u64::from_le_bytes(*w)) {
        v[3] ^= m;
        rounds(&mut v, 2);
        v[0] ^= m;
    }
    v[2] ^= 0xff;
    rounds(&mut v, 4);
    v[0] ^ v[1] ^ v[2] ^ v[3]
}

/// TF's `Hash64`, a form of MurmurHash.
pub(crate) fn hash64(s: &[u8]) -> u64 {
    const MUL: u64 = 0xc6a4_a793_5bd1_e995;
    const SEED: u64 = 0x00DE_CAFC_AFFE;
    let scramble = |k: u64| {
        let k = k.wrapping_mul(MUL);
        (k ^ k >> 47).wrapping_mul(MUL)
    };
    let mut h = SEED ^ (s.len() as u64).wrapping_mul(MUL);
    let (words, rest) = s.as_chunks::<8>();
    for w in words {
        h = (h ^ scramble(u64::from_le_bytes(*w))).wrapping_mul(MUL);
    }
    if !rest.is_empty() {
        let mut last = [0u8; 8];
        last[..rest.len()].copy_from_slice(rest);
        h = (h ^ u64::from_le_bytes(last)).wrapping_mul(MUL);
    }
    h = (h ^ h >> 47).wrapping_mul(MUL);
    h ^ h >> 47
}
