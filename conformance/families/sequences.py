"""Batches of sequence examples, and examples written as JSON."""
from case import *  # noqa: F403
from families.parsing import example, sequence

CONTEXT = example(f=[1.5, 2.5], i=[3], s=[b"x", b"yz"])
ONE = sequence(CONTEXT, x=[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], w=[[b"a"], None, [b"b", b"c"]], n=[[1], [2]], r=[[1, 2, 3, 4], [5, 6]])
TWO = sequence(example(f=[4.5], i=[4], v=[7, 8, 9]), x=[[7.0, 8.0]], w=[[b"d", b"e", b"f"]], n=[[3], [4], [5]], r=[[7, 8]])
BARE = sequence(b"")


def names(texts):
    return strs([t.encode() for t in texts], (len(texts),))


def types(defaults):
    return [NAME[np.asarray(x).dtype] for x in defaults]


def second(serialized, missing=None, cs=(), cd=(), cr=(), fs=(), fd=(), fr=(), defaults=(), debug=(), cs_types=(), cd_shapes=(), cr_types=(), cr_splits=(),
           fs_types=(), fd_types=(), fd_shapes=(), fr_types=(), fr_splits=()):
    missing = np.zeros(len(fd), bool) if missing is None else np.array(missing, bool)
    return Case("ParseSequenceExampleV2", serialized, names(debug), *map(names, (cs, cd, cr, fs, fd, fr)), missing, list(defaults), Ncontext_sparse=len(cs),
                Tcontext_dense=types(defaults), context_sparse_types=list(cs_types), context_ragged_value_types=list(cr_types),
                context_ragged_split_types=list(cr_splits), context_dense_shapes=list(cd_shapes), Nfeature_list_sparse=len(fs), Nfeature_list_dense=len(fd),
                feature_list_dense_types=list(fd_types), feature_list_sparse_types=list(fs_types), feature_list_ragged_value_types=list(fr_types),
                feature_list_ragged_split_types=list(fr_splits), feature_list_dense_shapes=list(fd_shapes))


def first(serialized, missing=(), cs=(), cd=(), fs=(), fd=(), defaults=(), debug=(), cs_types=(), cd_shapes=(), fs_types=(), fd_types=(), fd_shapes=()):
    return Case("ParseSequenceExample", serialized, names(debug), list(defaults), feature_list_dense_missing_assumed_empty=list(missing),
                context_sparse_keys=list(cs), context_dense_keys=list(cd), feature_list_sparse_keys=list(fs), feature_list_dense_keys=list(fd),
                Ncontext_sparse=len(cs), Ncontext_dense=len(cd), Nfeature_list_sparse=len(fs), Nfeature_list_dense=len(fd),
                context_sparse_types=list(cs_types), Tcontext_dense=types(defaults), context_dense_shapes=list(cd_shapes),
                feature_list_sparse_types=list(fs_types), feature_list_dense_types=list(fd_types), feature_list_dense_shapes=list(fd_shapes))


def sequences():
    two, three = strs([ONE, TWO]), strs([TWO, BARE, ONE])
    for parse in (second, first):
        for batch in (two, three, strs(ONE)) if parse is second else (two, three):
            yield parse(batch, cs=("f", "s", "none"), cs_types=("float", "string", "int64"))
            yield parse(batch, fs=("w", "n", "x", "none"), fs_types=("string", "int64", "float", "float"))
        yield parse(two, cd=("i", "j"), defaults=(i64([]), i64(9)), cd_shapes=((), ()))
        yield parse(three, cd=("i", "f"), defaults=(i64(5), f32([1, 2])), cd_shapes=((), (2,)))
        yield parse(strs([ONE]), cd=("f",), defaults=(f32([]),), cd_shapes=((2,),))
        yield parse(two, cd=("f",), defaults=(f32([]),), cd_shapes=((2,),))
        yield parse(two, cd=("v",), defaults=(i64([]),), cd_shapes=((3,),))
        yield parse(two, fd=("x", "n"), fd_types=("float", "int64"), fd_shapes=((2,), ()))
        yield parse(strs([]), fd=("x",), fd_types=("float",), fd_shapes=((2,),), fs=("w",), fs_types=("string",), cs=("f",), cs_types=("float",))
        yield parse(two, fd=("x",), fd_types=("float",), fd_shapes=((1, 2),))
        yield parse(two, fd=("x",), fd_types=("float",), fd_shapes=((3,),))
        yield parse(two, fd=("x",), fd_types=("int64",), fd_shapes=((2,),))
        yield parse(two, fs=("x",), fs_types=("int64",))
        yield parse(two, cs=("f",), cs_types=("int64",))
        yield parse(two, cd=("f",), defaults=(i64([]),), cd_shapes=((2,),))
        yield parse(three, fd=("x",), fd_types=("float",), fd_shapes=((2,),))
        yield parse(two, fd=("r",), fd_types=("int64",), fd_shapes=((2,),))
        yield parse(strs([b"nonsense"]), fs=("x",), fs_types=("float",))
        yield parse(strs([ONE, b"nonsense"]), fs=("x",), fs_types=("float",), debug=("one", "two"))
        yield parse(two, fd=("none",), fd_types=("float",), fd_shapes=((2,),), debug=("one", "two"))
        yield parse(two, fs=("n",), fs_types=("int64",), debug=("one",))
    yield first(three, missing=("x",), fd=("x", "w"), fd_types=("float", "string"), fd_shapes=((2,), ()))
    yield first(three, missing=("x", "n"), fd=("x", "n"), fd_types=("float", "int64"), fd_shapes=((2,), ()))
    yield first(strs(ONE), fs=("n",), fs_types=("int64",))
    yield second(three, missing=(True, True), fd=("x", "n"), fd_types=("float", "int64"), fd_shapes=((2,), ()))
    yield second(strs(ONE), fd=("x", "n"), fd_types=("float", "int64"), fd_shapes=((2,), ()))
    yield second(strs(ONE), cd=("i", "j"), defaults=(i64([]), i64(9)), cd_shapes=((), ()))
    # Not of a scalar: TensorFlow leaves its row splits as the memory was.
    for batch in (two, three, strs([])):
        for split in ("int32", "int64"):
            yield second(batch, cr=("f", "s"), cr_types=("float", "string"), cr_splits=(split, split))
            yield second(batch, fr=("w", "r", "none"), fr_types=("string", "int64", "float"), fr_splits=(split, split, split))
    yield second(two, fr=("w",), fr_types=("int64",), fr_splits=("int64",))
    yield second(two, cr=("f",), cr_types=("int64",), cr_splits=("int64",))


def json():
    def of(text):
        return '{"features":{"feature":{"a":%s}}}' % text

    texts = ["{}", "", "null", "[]", '{"features":null}', '{"features":{}}', '{"features":{"feature":{}}}', of("{}"), of("null"), '{"x":1}', "{]", "{} x", " {} ",
             of('{"foo":1}')]
    for numbers in ('[1,2.5,"3","NaN","Infinity","-Infinity"]', "[1e40]", "[]", "1", "[null]", "[true]", '["1e3"]', '["x"]', '[""]', "[-0.0]"):
        texts.append(of('{"floatList":{"value":%s}}' % numbers))
    for numbers in ('[1,-2,"3","-4"]', "[1.0]", "[1e3]", "[1.5]", '["x"]', "[9223372036854775808]", "[-9223372036854775808]", "[true]", "[]", "[null]", '[""]'):
        texts.append(of('{"int64List":{"value":%s}}' % numbers))
    for values in ('["aGk=","aGk",""]', '["_-8="]', '["+/8="]', '["!"]', "[1]", "[]"):
        texts.append(of('{"bytesList":{"value":%s}}' % values))
    texts += [of('{"float_list":{"value":[1]}}'), of('{"int64_list":{"value":[1]}}'), of('{"bytes_list":{"value":["aGk="]}}'), of('{"floatList":{}}'),
              of('{"floatList":null}'), of('{"floatList":{"value":null}}'), of('{"bytesList":{"value":["aGk="]},"floatList":{"value":[1]}}')]
    for text in texts:
        yield Case("DecodeJSONExample", strs([text.encode()]))
    yield Case("DecodeJSONExample", strs([[b"{}", of('{"int64List":{"value":[300]}}').encode()], [b"{}", b"{}"]]))
    yield Case("DecodeJSONExample", strs(b"{}"))
    for text in ("{ 'features' : { } }", "{features: {feature: {a: {int64List: {value: [1, 2, ]}}}}}", "{'features': {'feature': {'it\\'s': {'bytesList': {'value': ['YQ==',],},},},},}",
                 '{"features": {"feature": {"a b, ]": {"floatList": {"value": [1e2, 2.5E-1, "NaN"]}}}}}'):
        yield Case("DecodeJSONExample", strs([text.encode()]))
    yield Case("DecodeJSONExample", strs([]))


def cases():
    for group in (sequences, json):
        yield from group()
