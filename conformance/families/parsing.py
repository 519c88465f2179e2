"""Strings: hashing, cutting, joining; and the parsing of lines and examples."""
from case import *  # noqa: F403


def varint(n):
    out = b""
    while n > 127:
        out, n = out + bytes([n & 127 | 128]), n >> 7
    return out + bytes([n])


def field(number, payload):
    return varint(number << 3 | 2) + varint(len(payload)) + payload


def feature(value):
    """A serialised Feature of floats, ints or bytes; None: a feature without a list."""
    if value is None:
        return b""
    if all(isinstance(v, float) for v in value) and value:
        return field(2, field(1, np.asarray(value, "<f4").tobytes()))
    if all(isinstance(v, int) for v in value) and value:
        return field(3, field(1, b"".join(varint(v % 2**64) for v in value)))
    return field(1, b"".join(field(1, v) for v in value))


def example(**features):
    return field(1, b"".join(field(1, field(1, k.encode()) + field(2, feature(v))) for k, v in features.items()))


TWO = strs([example(f=[1.5, 2.5], i=[3], s=[b"x", b"yz"]), example(f=[0.5, -1.0], i=[4], v=[7, 8, 9])])
NAMES = strs([])


def hashing():
    texts = strs([b"", b"a", b"abc", b"abcd", b"abcdefg", b"abcdefgh", b"x" * 16, b"y" * 17, b"z" * 32, b"w" * 33, bytes(range(64)),
                  bytes(range(65)), bytes(range(200)), b"\x00" * 128, "größer".encode()])
    for op, attrs in (("StringToHashBucketFast", {}), ("StringToHashBucket", {}), ("StringToHashBucketStrong", {"key": [123, -456]})):
        for n in (1, 1000, 2**62):
            yield Case(op, texts, num_buckets=n, **attrs)
    yield Case("StringToHashBucketStrong", texts, num_buckets=7, key=[1])
    for cut in (b" ", b",;", b"", b"ab"):
        for skip in (True, False):
            yield Case("StringSplit", strs([b"a b,c;d", b"", b" x  y "]), strs(cut), skip_empty=skip)
    yield Case("StringSplit", strs(b"a"), strs(b" "))
    yield Case("StringSplit", strs([b"a"]), strs([b" "]))
    yield Case("DecodeCompressed", strs([b"abc", b""]))
    yield Case("DecodeCompressed", strs([bytes.fromhex("789c4b4c4a06000 24d0127".replace(" ", ""))]), compression_type="ZLIB")
    yield Case("DecodeCompressed", strs([b"nonsense"]), compression_type="ZLIB")
    yield Case("DecodeCompressed", strs([b"nonsense"]), compression_type="LZW")
    for t in ("int16", "uint8", "float", "int64"):
        for n in (8, 16):
            yield Case("DecodePaddedRaw", strs([b"\x01\x02\x03\x04", b"", b"123456789abc"]), i32(n), out_type=Type(t))
        yield Case("DecodePaddedRaw", strs([b"\x01\x02\x03\x04"]), i32(8), out_type=Type(t), little_endian=False)
    yield Case("DecodePaddedRaw", strs([b"\x01"]), i32(3), out_type=Type("int16"))
    yield Case("DecodePaddedRaw", strs([b"\x01"]), i32(0), out_type=Type("int16"))
    for t in ("float", "int64", "bool", "complex64"):
        yield Case("SerializeTensor", sample(t, (2, 3)))
    yield Case("ParseTensor", strs(bytes.fromhex("080112040a02080222080000803f00000040")), out_type=Type("float"))
    yield Case("ParseTensor", strs(bytes.fromhex("080112040a02080222080000803f00000040")), out_type=Type("int32"))
    yield Case("ParseTensor", strs(b"nonsense"), out_type=Type("float"))
    words = strs([b"a", b"b", b"c", b"d"])
    yield Case("UnsortedSegmentJoin", words, i32([1, 0, 1, 2]), i32(4), separator="-")
    yield Case("UnsortedSegmentJoin", words, i64([1, -1, 1, 0]), i32(2))
    yield Case("UnsortedSegmentJoin", strs([[b"a", b"b"], [b"c", b"d"]]), i32([1, 1]), i64(2), separator=" ")
    yield Case("UnsortedSegmentJoin", words, i32([1, 0, 1, 9]), i32(4))
    yield Case("UnsortedSegmentJoin", words, i32([1, 0, 1]), i32(4))
    for attrs in (dict(ngram_widths=[2], pad_width=0), dict(ngram_widths=[1, 3], pad_width=-1), dict(ngram_widths=[3], pad_width=1), dict(ngram_widths=[5], pad_width=0),
                  dict(ngram_widths=[2, 5], pad_width=2)):
        for keep in (False, True):
            yield Case("StringNGrams", strs([b"a", b"b", b"c", b"d", b"e"]), i64([0, 3, 3, 5]), separator="|", left_pad="L", right_pad="R",
                       preserve_short_sequences=keep, **attrs)
    yield Case("StringNGrams", strs([b"a", b"b"]), i32([0, 2]), separator="", left_pad="", right_pad="", pad_width=0, ngram_widths=[2],
               preserve_short_sequences=False)
    for bad in ([0, 1], [1, 2], [0, 5], [0, 2, 1]):
        yield Case("StringNGrams", strs([b"a", b"b"]), i64(bad), separator="", left_pad="", right_pad="", pad_width=0, ngram_widths=[2],
                   preserve_short_sequences=False)


def distances():
    for t in ("int32", "int64", "float", "string"):
        letters = {"string": [b"a", b"b", b"c", b"d"]}.get(t, [1, 2, 3, 4])
        h = i64([[0, 0], [0, 1], [1, 0], [1, 1], [1, 2]]), arr(t, [letters[k] for k in (0, 1, 0, 1, 2)]), i64([3, 3])
        truth = i64([[0, 0], [1, 0], [1, 1], [1, 2], [1, 3]]), arr(t, [letters[k] for k in (1, 0, 2, 2, 3)]), i64([3, 4])
        for normalize in (True, False):
            yield Case("EditDistance", *h, *truth, normalize=normalize)
            yield Case("EditDistance", *truth, *h, normalize=normalize)
    yield Case("EditDistance", i64([[0, 0]]), i32([1]), i64([2, 1]), i64(np.zeros((0, 2))), i32([]), i64([2, 1]))
    yield Case("EditDistance", i64([[0]]), i32([1]), i64([2]), i64([[0]]), i32([1]), i64([2]))
    yield Case("EditDistance", i64([[5, 0]]), i32([1]), i64([2, 1]), i64([[0, 0]]), i32([1]), i64([2, 1]))


def lines():
    f, i, s, d, l = f32([1.5]), i32([7]), strs([b"dflt"]), arr("double", [2]), i64([9])
    yield Case("DecodeCSV", strs([b"1,2,abc,3.5,4", b" 1.25 ,-2,,0,8"]), [f, i, s, d, l])
    yield Case("DecodeCSV", strs([b",,,,"]), [f, i, s, d, l])
    yield Case("DecodeCSV", strs(b"1,2"), [f32(0), i32(0)])
    for record in (b'"a,b",c', b'"a""b",c', b'a"b,c', b'"a"b,c', b'"a,c', b"a,b\n", b"a,b\r\n", b'"a","b"\r\n', b"a\nb,c", b"a", b"a,b,c", b"", b"a,", b",b", b'"",b', b"\xff,b"):
        yield Case("DecodeCSV", strs([record]), [strs([b"x"]), strs([b"y"])])
    yield Case("DecodeCSV", strs([b'a"b,c']), [s, s], use_quote_delim=False)
    yield Case("DecodeCSV", strs([b'"a",c']), [s, s], use_quote_delim=False)
    yield Case("DecodeCSV", strs([b"a\tb"]), [s, s], field_delim="\t")
    yield Case("DecodeCSV", strs([b"a\tb"]), [s, s], field_delim="::")
    yield Case("DecodeCSV", strs([b"NA,NA,x"]), [f, i, s], na_value="NA")
    yield Case("DecodeCSV", strs([b"1,2,3,4"]), [i, i], select_cols=[1, 3])
    yield Case("DecodeCSV", strs([b"1,2,3,4"]), [i, i], select_cols=[3, 1])
    yield Case("DecodeCSV", strs([b"1,2,3,4"]), [i], select_cols=[1, 3])
    yield Case("DecodeCSV", strs([b"1,2"]), [i, i], select_cols=[1, 3])
    for text in (b"1.5", b"x", b"99999999999", b"1e3", b"+4", b"0x10", b"nan", b"inf", b"1 2"):
        yield Case("DecodeCSV", strs([text]), [i])
        yield Case("DecodeCSV", strs([text]), [l])
        yield Case("DecodeCSV", strs([text]), [f])
        yield Case("DecodeCSV", strs([text]), [d])
    yield Case("DecodeCSV", strs([b""]), [i])
    yield Case("DecodeCSV", strs([b","]), [i32([]), i])
    yield Case("DecodeCSV", strs([b"1,1"]), [i32([]), i])
    yield Case("DecodeCSV", strs([b"1,1"]), [i32([1, 2]), i])


def examples():
    def v2(serialized, sparse=(), dense=(), ragged=(), defaults=(), shapes=(), names=NAMES, sparse_types=(), ragged_value_types=(), ragged_split_types=()):
        keys = [strs([k.encode() for k in ks], (len(ks),)) for ks in (sparse, dense, ragged)]
        return Case("ParseExampleV2", serialized, names, *keys, list(defaults), num_sparse=len(sparse), sparse_types=list(sparse_types),
                    Tdense=[NAME[np.asarray(x).dtype] for x in defaults], dense_shapes=list(shapes), ragged_value_types=list(ragged_value_types),
                    ragged_split_types=list(ragged_split_types))

    none, f0, i0, s0 = (), f32([]), i64([]), strs([])
    for serialized in (TWO, strs(TWO[0]), strs([])):
        yield v2(serialized, sparse=("s", "v", "f"), sparse_types=("string", "int64", "float"))
        yield v2(serialized, dense=("f", "i"), defaults=(f0, i0), shapes=((2,), ()))
        yield v2(serialized, dense=("v", "s"), defaults=(i64([5, 6, 7]), strs([b"p", b"q"])), shapes=((3,), (2,)))
        yield v2(serialized, dense=("v", "f"), defaults=(i64(-1), f32(0)), shapes=((-1,), (-1, 2)))
        yield v2(serialized, ragged=("v", "s"), ragged_value_types=("int64", "string"), ragged_split_types=("int32", "int64"))
    yield v2(TWO, dense=("v",), defaults=(i0,), shapes=((3,),))
    yield v2(TWO, dense=("f",), defaults=(f0,), shapes=((3,),))
    yield v2(TWO, dense=("f",), defaults=(i0,), shapes=((2,),))
    yield v2(TWO, dense=("v",), defaults=(i64([-1]),), shapes=((-1, 2),))
    yield v2(TWO, dense=("v",), defaults=(i64([1, 2]),), shapes=((3,),))
    yield v2(TWO, sparse=("f",), sparse_types=("int64",))
    yield v2(TWO, sparse=("f",), sparse_types=("float",), names=strs([b"one", b"two"]))
    yield v2(TWO, dense=("v",), defaults=(i0,), shapes=((3,),), names=strs([b"one", b"two"]))
    yield v2(TWO, sparse=("f",), sparse_types=("float",), names=strs([b"one"]))
    yield v2(strs([b"nonsense"]), sparse=("f",), sparse_types=("float",))
    yield v2(strs([example(f=None, i=None)]), sparse=("f",), sparse_types=("float",), dense=("i",), defaults=(i64(4),), shapes=(none,))
    yield v2(strs([example(f=None, i=None)]), sparse=("f",), sparse_types=("float",), dense=("i",), defaults=(i0,), shapes=(none,))

    def v1(serialized, sparse=(), dense=(), defaults=(), shapes=(), sparse_types=(), names=NAMES):
        keys = [[strs(k.encode()) for k in ks] for ks in (sparse, dense)]
        return Case("ParseExample", serialized, names, *keys, list(defaults), sparse_types=list(sparse_types), Nsparse=len(sparse), Ndense=len(dense),
                    Tdense=[NAME[np.asarray(x).dtype] for x in defaults], dense_shapes=list(shapes))

    yield v1(TWO, sparse=("s", "v"), sparse_types=("string", "int64"), dense=("f", "i"), defaults=(f0, i64(3)), shapes=((2,), none))
    yield v1(TWO, sparse=("s",), sparse_types=("string",), dense=("v",), defaults=(i0,), shapes=((3,),))
    yield v1(strs(TWO[0]), sparse=("s",), sparse_types=("string",))

    def single(serialized, sparse=(), dense=(), defaults=(), shapes=(), sparse_types=()):
        return Case("ParseSingleExample", serialized, list(defaults), num_sparse=len(sparse), sparse_keys=list(sparse), dense_keys=list(dense),
                    sparse_types=list(sparse_types), Tdense=[NAME[np.asarray(x).dtype] for x in defaults], dense_shapes=list(shapes))

    yield single(strs(TWO[0]), sparse=("s", "v"), sparse_types=("string", "int64"), dense=("f", "i"), defaults=(f0, i64(3)), shapes=((2,), none))
    yield single(strs(TWO[1]), sparse=("s", "f"), sparse_types=("string", "float"), dense=("v",), defaults=(i64(3),), shapes=((-1,),))
    yield single(strs(TWO[1]), dense=("s",), defaults=(s0,), shapes=(none,))
    yield single(TWO, sparse=("s",), sparse_types=("string",))
    yield single(strs(b"nonsense"), sparse=("s",), sparse_types=("string",))


def sequence(context, **lists):
    """A serialised SequenceExample; each list is one of features."""
    packed = b"".join(field(1, field(1, k.encode()) + field(2, b"".join(field(1, feature(v)) for v in steps))) for k, steps in lists.items())
    return context + field(2, packed)


def sequences():
    one = sequence(example(f=[1.5, 2.5], i=[3]), x=[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], w=[[b"a"], None, [b"b", b"c"]], n=[[1], [2]])

    def parse(serialized, missing=(), cs=(), cd=(), fs=(), fd=(), defaults=(), cs_types=(), cd_shapes=(), fs_types=(), fd_types=(), fd_shapes=()):
        keys = [[strs(k.encode()) for k in ks] for ks in (cs, cd, fs, fd)]
        return Case("ParseSingleSequenceExample", strs(serialized), strs([m.encode() for m in missing], (len(missing),)), *keys, list(defaults), strs(b"name"),
                    Ncontext_sparse=len(cs), Ncontext_dense=len(cd), Nfeature_list_sparse=len(fs), Nfeature_list_dense=len(fd), context_sparse_types=list(cs_types),
                    Tcontext_dense=[NAME[np.asarray(x).dtype] for x in defaults], context_dense_shapes=list(cd_shapes), feature_list_sparse_types=list(fs_types),
                    feature_list_dense_types=list(fd_types), feature_list_dense_shapes=list(fd_shapes))

    yield parse(one, fd=("x", "n"), fd_types=("float", "int64"), fd_shapes=((2,), ()))
    yield parse(one, fs=("w", "n", "none"), fs_types=("string", "int64", "float"))
    yield parse(one, cs=("f", "none"), cs_types=("float", "int64"), cd=("i", "j"), defaults=(i64([]), i64(9)), cd_shapes=((), ()))
    yield parse(one, missing=("none",), fd=("none",), fd_types=("float",), fd_shapes=((2,),))
    yield parse(one, fd=("none",), fd_types=("float",), fd_shapes=((2,),))
    yield parse(one, fd=("x",), fd_types=("float",), fd_shapes=((3,),))
    yield parse(one, fd=("x",), fd_types=("int64",), fd_shapes=((2,),))
    yield parse(one, fs=("x",), fs_types=("int64",))
    yield parse(one, cd=("j",), defaults=(i64([]),), cd_shapes=((),))
    yield parse(b"nonsense", fs=("x",), fs_types=("int64",))


def cases():
    for group in (hashing, distances, lines, examples, sequences):
        yield from group()
