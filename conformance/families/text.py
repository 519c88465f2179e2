"""String ops and summaries."""
from case import *  # noqa: F403


def cases():
    for t in REAL + ["bool"]:
        yield Case("AsString", sample(t, (2, 3)))
    yield Case("AsString", specials("float"))
    yield Case("AsString", specials("double"))
    for attrs in ({"precision": 3}, {"precision": 0}, {"scientific": True}, {"shortest": True}, {"width": 12}, {"width": 12, "fill": "0"},
                  {"width": 12, "fill": "-"}, {"width": 10, "fill": " "}, {"precision": 2, "width": 9, "scientific": True}, {"fill": "n", "width": 6},
                  {"scientific": True, "shortest": True}):
        yield Case("AsString", f32([1.5, -0.1, 1234567, 1e-9]), **attrs)
    for attrs in ({"width": 6}, {"width": 6, "fill": "0"}, {"precision": 3}, {"fill": "%", "width": 6}, {"fill": "s", "width": 3}):
        yield Case("AsString", i32([1234, -5]), **attrs)
    words = strs([b"", b"part-0", b"a b", b"\xff\x00"])
    yield Case("StringJoin", [words, strs([b"1", b"2", b"3", b"4"])])
    yield Case("StringJoin", [words, strs(b"/x")], separator="-")
    yield Case("StringJoin", [strs(b"a"), strs(b"b"), strs(b"c")], separator=", ")
    yield Case("StringJoin", [strs([b"a", b"b"]), strs([b"a", b"b", b"c"])])
    yield Case("StringJoin", [strs(b"only")])
    for pattern in ("s3://.*", ".*", "a+b?", "[0-9]{2,3}", ""):
        yield Case("StaticRegexFullMatch", strs([b"s3://x", b"", b"aab", b"42", b"a\nb"]), pattern=pattern)
        yield Case("RegexFullMatch", strs([b"s3://x", b"", b"aab", b"42"]), strs(pattern.encode()))
    yield Case("StaticRegexFullMatch", strs([b"x"]), pattern="(")
    for base, shard, n in [(b"ckpt", 0, 2), (b"a/b", 12, 100), (b"", 1, 1), (b"x", 99999, 100000), (b"x", 123456, 1000000)]:
        yield Case("ShardedFilename", strs(base), i32(shard), i32(n))
    yield Case("ShardedFilename", strs([b"a", b"b"]), i32(0), i32(1))
    yield Case("ShardedFilespec", strs(b"ckpt"), i32(4))
    for unit in ("BYTE", "UTF8_CHAR"):
        yield Case("StringLength", strs([b"abc", b"", "größe".encode()]), unit=unit)
    for op in ("StringLower", "StringUpper", "StringStrip", "StringToHashBucketFast"):
        attrs = {"num_buckets": 1000} if "Hash" in op else {}
        yield Case(op, strs([b" aBc ", b"", b"x\t"]), **attrs)
    for t in ("float", "int32", "int64", "double"):
        yield Case("StringToNumber", strs([b"1", b"-27", b" 5 "]), out_type=Type(t))
        yield Case("StringToNumber", strs([b"1x"]), out_type=Type(t))
    yield Case("StringToNumber", strs([b"1e3", b"nan", b"-inf", b"0x10"]), out_type=Type("float"))
    yield Case("ReduceJoin", strs([[b"a", b"b"], [b"c", b"d"]]), i32([1]), separator="+")
    yield Case("Substr", strs([b"hello", b"abc"]), i32(1), i32(2))
    yield Case("Substr", strs([b"hello", b""]), i32(1), i32(2))
    yield Case("StringSplitV2", strs([b"a b c", b"", b"x"]), strs(b" "))
    yield Case("EncodeBase64", strs([b"abc", b"\xff"]), pad=True)
    yield Case("DecodeBase64", strs([b"YWJj"]))
    yield Case("DecodeRaw", strs([b"\x01\x00\x02\x00"]), out_type=Type("int16"))
    yield Case("DecodeRaw", strs([b"\x01\x00\x02"]), out_type=Type("int16"))
    for t in ("float", "double", "int32", "int64", "uint8", "half", "bfloat16"):
        yield Case("ScalarSummary", strs(b"loss"), sample(t, ()))
    yield Case("ScalarSummary", strs([b"a", b"b/c"]), f32([1.5, -2]))
    yield Case("ScalarSummary", strs(b"nan"), f32(np.nan))
    yield Case("ScalarSummary", strs([b"a", b"b"]), f32([1, 2, 3]))
    yield Case("ScalarSummary", strs(b"a"), f32([1]))
    one, two = b"\x0a\x06\x0a\x01a\x15\x00\x00\x80\x3f", b"\x0a\x06\x0a\x01b\x15\x00\x00\x00\x40"
    yield Case("MergeSummary", [strs(one), strs(two)])
    yield Case("MergeSummary", [strs([one, two])])
    yield Case("MergeSummary", [strs(one), strs(one)])
    yield Case("MergeSummary", [strs(b"\xff\xff broken")])
    yield Case("MergeSummary", [strs(b"")])
    yield Case("HistogramSummary", strs(b"h"), f32([1, 2, 2, -7]))
    yield Case("HistogramSummary", strs(b"h"), f32([1, np.nan]))
