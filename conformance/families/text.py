"""String ops and summaries."""
import unicodedata

from case import *  # noqa: F403


def plain():
    for t in REAL + ["bool"]:
        yield Case("AsString", sample(t, (2, 3)))
    yield Case("AsString", specials("float"))
    yield Case("AsString", specials("double"))
    for attrs in ({"precision": 3}, {"precision": 0}, {"scientific": True}, {"shortest": True}, {"width": 12}, {"width": 12, "fill": "0"},
                  {"width": 12, "fill": "-"}, {"width": 10, "fill": " "}, {"precision": 2, "width": 9, "scientific": True}, {"fill": "n", "width": 6},
                  {"scientific": True, "shortest": True}):
        yield Case("AsString", f32([1.5, -0.1, 1234567, 1e-9]), **attrs)
    z = np.array([1j, 1 + 2j, -1, 0.5 + 1.5j, complex("inf"), -1.25 - 3j], np.complex64)
    for attrs in ({"width": 8}, {"width": 9, "fill": "-", "shortest": True}, {"width": 3, "fill": "0", "shortest": True},
                  {"width": 9, "fill": "+", "shortest": True}, {"width": 6, "fill": " ", "shortest": True}, {"precision": 2, "width": 8}):
        for t in ("complex64", "complex128"):
            yield Case("AsString", arr(t, z), **attrs)
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
    for axes in ([0, 1], [1, 0], [-1, 0]):
        yield Case("ReduceJoin", strs([[b"a", b"b"], [b"c", b"d"]]), i32(axes), separator="+", keep_dims=axes[0] == 0)
    yield Case("ReduceJoin", strs([[[b"a", b"b"], [b"c", b"d"]], [[b"e", b"f"], [b"g", b"h"]]]), i32([2, 0]))
    yield Case("Substr", strs([b"hello", b"abc"]), i32(1), i32(2))
    yield Case("Substr", strs([b"hello", b""]), i32(1), i32(2))
    yield Case("StringSplitV2", strs([b"a b c", b"", b"x"]), strs(b" "))
    for most in (-1, 0, 1, 2):
        for sep in (b"", b" ", b","):
            yield Case("StringSplitV2", strs([b" 1 2 3 ", b"  4  5    6  ", b"a,b,,c,", b"  "]), strs(sep), maxsplit=most)
    yield Case("EncodeBase64", strs([b"abc", b"\xff"]), pad=True)
    yield Case("DecodeBase64", strs([b"YWJj"]))
    yield Case("DecodeRaw", strs([b"\x01\x00\x02\x00"]), out_type=Type("int16"))
    yield Case("DecodeRaw", strs([b"\x01\x00\x02"]), out_type=Type("int16"))
    yield Case("DecodeRaw", strs([b"ab", b"longer", b"abc"]), out_type=Type("uint8"))
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


def unicode():
    good = strs([b"", "größer".encode(), "\U0001F600a\t".encode()])
    bad = strs([b"a\xff\xfeb", b"\xe2\x82", b"\xed\xa0\x80z", b"\xf0\x9f\x98x", b"\x00a\xd8\x3d\xde\x00\xd8\x00b", b"\xdc\x00\x00a", b"\xd8\x00\x00a"])
    for text in (good, bad):
        for encoding in ("UTF-8", "UTF-16-BE", "UTF-32-BE", "US-ASCII", "UTF-16", "ISO-8859-1"):
            for errors in ("replace", "ignore", "strict"):
                yield Case("UnicodeDecodeWithOffsets", text, input_encoding=encoding, errors=errors)
        yield Case("UnicodeDecode", text, input_encoding="UTF-8", replace_control_characters=True, replacement_char=63, Tsplits=Type("int32"))
        for to in ("UTF-8", "UTF-16-BE", "UTF-32-BE"):
            yield Case("UnicodeTranscode", text, input_encoding="UTF-8", output_encoding=to)
            yield Case("UnicodeTranscode", text, input_encoding="UTF-16-BE", output_encoding=to, errors="ignore")
    yield Case("UnicodeTranscode", strs([b"\xff\xfea\x00", b"\xfe\xff\x00a"]), input_encoding="UTF-16", output_encoding="UTF-8")
    yield Case("UnicodeTranscode", bad, input_encoding="UTF-8", output_encoding="UTF-8", errors="strict")
    for encoding, text in (("shift_jis", b"\\\x8f\x70\x83\x4f"), ("gb18030", b"a\xca\xf5\x81\x30\x81\x30"), ("big5", b"\xb3\x4eb"),
                           ("euc_kr", b"\xc7\xd1\xb9\xce"), ("euc-jp", b"\xa4\xa2"), ("gbk", b"\xca\xf5"), ("windows-1252", b"\x80x"),
                           ("koi8-r", b"\xc1"), ("iso-8859-5", b"\xb0"), ("iso-2022-jp", b"a\x1b$B$\"%\"\x1b(Bb"), ("macintosh", b"\x80"),
                           ("shift_jis", b"\x81"), ("gb18030", b"a\x81\x20b"), ("x-user-defined", b"a"), ("replacement", b"a")):
        yield Case("UnicodeDecodeWithOffsets", strs([text, b""]), input_encoding=encoding)
    yield Case("UnicodeDecode", good, input_encoding="bogus")
    yield Case("UnicodeDecode", good, input_encoding="UTF-8", replacement_char=0x110000)
    points = i32([97, 0x1F600, 0xD800, -1, 0x110000, 0])
    for to in ("UTF-8", "UTF-16-BE", "UTF-32-BE"):
        for errors in ("replace", "ignore", "strict"):
            yield Case("UnicodeEncode", points, i64([0, 2, 2, 6]), output_encoding=to, errors=errors)
    for splits in ([0, 1], [1, 6], [0, 4, 2, 6], [], [0, 9]):
        yield Case("UnicodeEncode", points, i64(splits), output_encoding="UTF-8")


def formats():
    values = (f32([1.5, 2, 3, 4, 5, 6, 7, 8]), i32(np.arange(14), (7, 2)), f32(3.25), strs([b"a", b"b\n"]), strs(b"s"), i64([]),
              np.asarray(True), i32(np.arange(27), (3, 3, 3)), i32(np.arange(81), (9, 9)))
    for v in values:
        for most in (1, 3, -1):
            yield Case("StringFormat", [v], template="<%s>", summarize=most)
    yield Case("StringFormat", [i32(1), f32([1, 2])], template="{} and {}", placeholder="{}")
    yield Case("StringFormat", [i32(1), f32([1, 2])], template="{} and", placeholder="{}")
    yield Case("StringFormat", [], template="nothing")
    for data in (strs([b"ab", b"c"]), strs([[b"ab", b"c"], [b"", b"x"]]), strs([[b"a"], [b"b"]]), sample("float", (2, 3)), sample("int16", (2,)), sample("float", (0, 2)),
                 sample("bool", (2, 2, 2)), f32(1)):
        yield Case("Fingerprint", data, strs(b"farmhash64"))
    yield Case("Fingerprint", strs([b"ab", b"c"]), strs(b"md5"))


def scripts():
    # What Unicode 3.2 had: later versions know scripts of more.
    assigned = [c for c in range(0, 0x110000) if unicodedata.ucd_3_2_0.category(chr(c)) != "Cn" and not 0xe000 <= c < 0xf900]
    yield Case("UnicodeScript", i32(assigned[::40]))
    yield Case("UnicodeScript", i32([[-1, 0, 97], [0x10ffff, 0x110000, 2**31 - 1]]))
    # Of scripts that came later.
    yield Case("UnicodeScript", i32([0x1e900, 0x104b0, 0x11c00, 0x16fe0, 0x1bc00, 0x10e80, 0x118a0, 0x10fb0, 0x1b170, 0x16e40, 0x11d60, 0x1e100]))
    yield Case("UnicodeScript", i32([]))
    yield Case("UnicodeScript", i32(1606))


def cases():
    yield from plain()
    yield from scripts()
    yield from unicode()
    yield from formats()
