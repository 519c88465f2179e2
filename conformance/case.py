"""One case: an op, its inputs and attributes. Nothing here needs TensorFlow."""
import ml_dtypes
import numpy as np

bfloat16 = ml_dtypes.bfloat16

FLOATS = ["half", "bfloat16", "float", "double"]
SIGNED = ["int8", "int16", "int32", "int64"]
UNSIGNED = ["uint8", "uint16", "uint32", "uint64"]
INTS = SIGNED + UNSIGNED
COMPLEX = ["complex64", "complex128"]
REAL = FLOATS + INTS
NUMBERS = REAL + COMPLEX

NUMPY = {
    "half": np.float16, "bfloat16": bfloat16, "float": np.float32, "double": np.float64,
    "int8": np.int8, "int16": np.int16, "int32": np.int32, "int64": np.int64,
    "uint8": np.uint8, "uint16": np.uint16, "uint32": np.uint32, "uint64": np.uint64,
    "qint8": np.dtype([("qint8", np.int8)]), "quint8": np.dtype([("quint8", np.uint8)]), "qint16": np.dtype([("qint16", np.int16)]),
    "quint16": np.dtype([("quint16", np.uint16)]), "qint32": np.dtype([("qint32", np.int32)]), "bool": np.bool_, "complex64": np.complex64, "complex128": np.complex128, "string": object,
}
NAME = {np.dtype(v): k for k, v in NUMPY.items()}


class Type(str):
    """An attribute of kind `type`, to tell it from one of kind `string`."""


class Case:
    """An op to run. `inputs` holds one array for each argument; a list of arrays for a list argument.

    runs: how often the node is run in one session (2 for ops that keep a state, as random ones do).
    refused_only: record the case only if TensorFlow refuses it.
    known: tell the graph the inputs' shapes, for ops whose shape functions do not do without.
    """

    def __init__(self, op, *inputs, runs=1, refused_only=False, known=False, **attrs):
        self.op, self.runs, self.refused_only, self.known, self.attrs = op, runs, refused_only, known, attrs
        self.inputs = [[np.asarray(x) for x in i] if isinstance(i, list) else np.asarray(i)
                       for i in inputs]


def arr(dtype, values, shape=None):
    """An array of a TensorFlow dtype name; strings are given as bytes."""
    a = np.array(values, dtype=NUMPY[dtype])
    return a if shape is None else a.reshape(shape)


def f32(values, shape=None):
    return arr("float", values, shape)


def i32(values, shape=None):
    return arr("int32", values, shape)


def i64(values, shape=None):
    return arr("int64", values, shape)


def strs(values, shape=None):
    a = np.empty(np.shape(values), object)
    a[...] = np.array(values, object)
    return a if shape is None else a.reshape(shape)


def sample(dtype, shape, seed=0, low=-3.0, high=3.0):
    """Reproducible values of every kind that the dtype has, in [low, high] as far as it can hold them."""
    rng = np.random.RandomState(1000 + seed)
    if dtype == "bool":
        return np.asarray(rng.rand(*shape) < 0.5)
    if dtype == "string":
        words = [b"", b"a", b"tensor", b"\x00\xff", "größer".encode(), b"x" * 30]
        return strs([words[i] for i in rng.randint(len(words), size=int(np.prod(shape)))], shape)
    if dtype in COMPLEX:
        z = rng.uniform(low, high, shape) + 1j * rng.uniform(low, high, shape)
        return np.asarray(z).astype(NUMPY[dtype])
    if dtype in FLOATS:
        return np.asarray(rng.uniform(low, high, shape)).astype(NUMPY[dtype])
    low = max(int(low * 3), 0) if dtype in UNSIGNED else int(low * 3)
    return np.asarray(rng.randint(low, max(int(high * 3), low + 1), shape)).astype(NUMPY[dtype])


def specials(dtype):
    """Values at the edges of a dtype: zeros of both signs, infinities, NaN, extremes."""
    if dtype in FLOATS:
        info = ml_dtypes.finfo(NUMPY[dtype])
        return arr(dtype, [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, np.inf, -np.inf, np.nan,
                           float(info.max), float(info.tiny), 1e-3, 30.0, -30.0])
    info = np.iinfo(NUMPY[dtype])
    return arr(dtype, [0, 1, 2, 7, info.max, info.min, info.max - 1])
