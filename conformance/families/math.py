"""Elementwise arithmetic, comparisons, reductions, matrix products, segments."""
from case import *  # noqa: F403

UNARY = ("Abs Neg Sign Square Sqrt Rsqrt Exp Expm1 Log Log1p Tanh Sigmoid Sin Cos Tan Asin Acos Atan Sinh Cosh "
         "Asinh Acosh Atanh Reciprocal Inv Floor Ceil Rint Round Erf Erfc Lgamma Digamma IsNan IsInf IsFinite "
         "Softplus Softsign Relu Relu6 Elu Selu ZerosLike OnesLike Identity StopGradient Snapshot Invert "
         "Conj").split()
BINARY = ("Add AddV2 Sub Mul Div RealDiv DivNoNan MulNoNan Xdivy Xlogy FloorDiv FloorMod Mod TruncateDiv TruncateMod "
          "Maximum Minimum SquaredDifference Equal NotEqual Less LessEqual Greater GreaterEqual Atan2 "
          "BitwiseAnd BitwiseOr BitwiseXor LeftShift RightShift").split()
GRADIENTS = ("SqrtGrad RsqrtGrad TanhGrad SigmoidGrad ReciprocalGrad InvGrad ReluGrad Relu6Grad EluGrad SeluGrad "
             "SoftplusGrad SoftsignGrad LeakyReluGrad").split()
PAIRS = [((), ()), ((3,), ()), ((), (3,)), ((2, 3), (3,)), ((3,), (2, 3)), ((2, 1), (1, 3)), ((7, 5), (7, 5)),
         ((0,), (1,)), ((2, 0), (1,)), ((2, 3, 1), (4,)), ((5, 1, 3, 1), (1, 2, 1, 4)), ((1,), (1, 1, 1))]


def unary():
    for op in UNARY:
        for t in NUMBERS + ["bool"]:
            if op == "Round" and t in INTS:
                continue  # TensorFlow 2.21 gives zeros
            if t in ("float", "int32"):
                for k, shape in enumerate([(), (0,), (3,), (7, 5), (2, 0, 3), (2, 1, 3, 1)]):
                    yield Case(op, sample(t, shape, k))
            else:
                yield Case(op, sample(t, (2, 3)))
            # Eigen's double erf of an infinity is NaN.
            floats = t in FLOATS and (op, t) != ("Erf", "double")
            if floats or (t in INTS and op in ("Abs", "Neg", "Sign", "Square", "Relu", "Relu6", "Invert")):
                yield Case(op, specials(t))
        if op in ("Log", "Sqrt", "Rsqrt", "Lgamma", "Digamma", "Acosh", "Exp"):
            yield Case(op, sample("float", (40,), 3, 0.01, 60.0))
            yield Case(op, sample("double", (12,), 3, 0.01, 60.0))
    for op in ("Identity", "ZerosLike", "OnesLike"):
        yield Case(op, sample("string", (2, 3)))
    for alpha in (0.2, 0.0, 1.5):
        yield Case("LeakyRelu", specials("float"), alpha=alpha)
    yield Case("LogicalNot", sample("bool", (7,)))
    yield Case("LogicalNot", sample("bool", ()))


def binary():
    for op in BINARY:
        bits = op.startswith("Bitwise") or op.endswith("Shift")
        divides = "Div" in op or "Mod" in op
        for t in NUMBERS + ["bool", "string"]:
            pairs = PAIRS if t in ("float", "int32") else PAIRS[3:5]
            for k, (a, b) in enumerate(pairs):
                x, y = sample(t, a, 2 * k), sample(t, b, 2 * k + 1)
                if t in INTS and divides:
                    y = np.where(y == 0, np.asarray(2, y.dtype), y).astype(y.dtype)
                if bits and op.endswith("Shift"):
                    y = (np.abs(y.astype("int64")) % 5).astype(y.dtype) if t in INTS else y
                yield Case(op, x, y)
            if t in FLOATS:
                # TensorFlow flushes denormal quotients to zero before it takes their floor.
                s = specials(t)[:12] if divides else specials(t)
                yield Case(op, s.reshape(-1, 1), s.reshape(1, -1)) if t == "float" else Case(op, s, s[::-1].copy())
            elif t in INTS and not divides and not bits:
                s = specials(t)
                yield Case(op, s, s[::-1].copy())
    for t in ("int32", "int64", "int8"):
        for op in ("FloorDiv", "FloorMod", "TruncateDiv", "TruncateMod", "Div", "Mod"):
            yield Case(op, arr(t, [7, -7, 7, -7, 6, 0]), arr(t, [2, 2, -2, -2, 3, 5]))
            yield Case(op, arr(t, [1, 2]), arr(t, [1, 0]))
    for op in ("LogicalAnd", "LogicalOr"):
        for k, (a, b) in enumerate(PAIRS):
            yield Case(op, sample("bool", a, 2 * k), sample("bool", b, 2 * k + 1))
    for t in FLOATS + ["int32", "int64"]:
        base = sample(t, (3, 4), 1, 0.1, 3)
        yield Case("Pow", base, abs(sample(t, (4,), 2)))
        yield Case("Pow", sample(t, (5,), 4), arr(t, 2))
    yield Case("Pow", specials("float").reshape(-1, 1), f32([0, 1, -1, 2, 0.5, np.inf, np.nan]))
    yield Case("Pow", i32([2, 3]), i32([-1, 2]))
    for op in ("Equal", "NotEqual"):
        yield Case(op, f32([1, 2]), f32([1, 2, 3]), incompatible_shape_error=False)
    yield Case("ApproximateEqual", f32([1, 2, np.nan]), f32([1.000001, 2.1, np.nan]), tolerance=1e-5)


def gradients():
    for op in GRADIENTS:
        for t in FLOATS:
            attrs = {"alpha": 0.3} if op == "LeakyReluGrad" else {}
            for shape in [(), (0,), (7, 5)] if t == "float" else [(2, 3)]:
                yield Case(op, sample(t, shape, 1), sample(t, shape, 2), **attrs)
            yield Case(op, specials(t), specials(t)[::-1].copy(), **attrs)


def reductions():
    axes = {(): [[]], (0,): [[0]], (5,): [[0], [], [-1]], (2, 0, 3): [[1], [0], [0, 1, 2]],
            (7, 5): [[0], [1], [0, 1], [], [-1], [-2]], (2, 3, 4): [[0], [1], [2], [0, 2], [1, 2], [2, 0], [0, 1, 2]],
            (2, 3, 2, 3): [[0, 2], [1, 3], [3, 1], [1]], (1, 9, 1): [[0], [2], [1]]}
    for op in ("Sum", "Mean", "Prod", "Max", "Min", "EuclideanNorm", "All", "Any"):
        for t in (["bool"] if op in ("All", "Any") else NUMBERS):
            if t in ("float", "int32", "bool"):
                for k, (shape, lists) in enumerate(axes.items()):
                    for axis in lists:
                        yield Case(op, sample(t, shape, k), i32(axis), keep_dims=len(axis) % 2 == 0)
                yield Case(op, sample(t, (3, 2)), i32(1), keep_dims=True)
                yield Case(op, sample(t, (3, 2)), i64([0]), keep_dims=False)
            else:
                yield Case(op, sample(t, (3, 4)), i32([1]))
        if op in ("Sum", "Mean", "Max", "Min", "Prod"):
            yield Case(op, f32([1, np.nan, 3]), i32([0]))
            yield Case(op, f32([np.inf, -np.inf, 1]), i32([0]))
            yield Case(op, sample("float", (300,), 9), i32([0]))
        bad = sample("bool" if op in ("All", "Any") else "float", (2, 3))
        for axis in ([2], [-3], [0, 0], [0, -2]):
            yield Case(op, bad, i32(axis))
    for op in ("ArgMax", "ArgMin"):
        for t in REAL + ["bool"]:
            yield Case(op, sample(t, (4, 5)), i32(1))
            yield Case(op, sample(t, (4, 5)), i32(0), output_type=Type("int32"))
        for shape, axis in [((6,), 0), ((2, 3, 4), 1), ((2, 3, 4), -1), ((2, 3, 4), 0), ((0, 3), 1), ((2, 3, 2, 2), 2)]:
            yield Case(op, sample("float", shape), i32(axis))
        yield Case(op, f32([2, 2, 1, 1]), i64(0))
        yield Case(op, f32([1, np.nan, 3]), i32(0))
        for shape, axis in [((2, 3), 2), ((2, 3), -3), ((0, 3), 0), ((), 0)]:
            yield Case(op, sample("float", shape), i32(axis))
        yield Case(op, sample("float", (2, 3)), i32([0, 1]))
    for op in ("Cumsum", "Cumprod"):
        for exclusive in (False, True):
            for reverse in (False, True):
                for axis in (0, 1, -1):
                    yield Case(op, sample("float", (3, 4, 2)), i32(axis), exclusive=exclusive, reverse=reverse)
                yield Case(op, sample("int32", (5,)), i32(0), exclusive=exclusive, reverse=reverse)
        yield Case(op, sample("float", (0, 3)), i32(0))
        yield Case(op, sample("float", (3,)), i32(1))


def products():
    for t in FLOATS + ["int32", "int64"] + COMPLEX:
        for ta in (False, True):
            for tb in (False, True):
                a, b = ((3, 2) if ta else (2, 3)), ((4, 3) if tb else (3, 4))
                yield Case("MatMul", sample(t, a, 1), sample(t, b, 2), transpose_a=ta, transpose_b=tb)
    for a, b in [((1, 1), (1, 1)), ((0, 3), (3, 2)), ((2, 0), (0, 3)), ((7, 5), (5, 1)), ((1, 64), (64, 9)),
                 ((17, 33), (33, 19)), ((2, 3), (3, 0))]:
        yield Case("MatMul", sample("float", a, 3), sample("float", b, 4))
    for a, b in [((2, 3), (2, 3)), ((3,), (3, 1)), ((2, 3, 1), (3, 2)), ((), (1, 1))]:
        yield Case("MatMul", sample("float", a), sample("float", b))
    for op in ("BatchMatMul", "BatchMatMulV2"):
        for ax in (False, True):
            for ay in (False, True):
                a, b = ((2, 3, 2) if ax else (2, 2, 3)), ((2, 4, 3) if ay else (2, 3, 4))
                for t in ("float", "double", "int32", "complex64", "bfloat16"):
                    yield Case(op, sample(t, a, 1), sample(t, b, 2), adj_x=ax, adj_y=ay)
    for a, b in [((2, 3), (4, 3, 2)), ((5, 1, 2, 3), (1, 2, 3, 2)), ((0, 2, 3), (0, 3, 2)), ((2, 2, 0), (2, 0, 2)),
                 ((2, 3), (3, 2))]:
        yield Case("BatchMatMulV2", sample("float", a, 5), sample("float", b, 6))
    for a, b in [((2, 2, 3), (3, 3, 2)), ((2, 2, 3), (2, 2, 3)), ((3,), (3, 2))]:
        yield Case("BatchMatMulV2", sample("float", a), sample("float", b))
    for t in NUMBERS:
        yield Case("AddN", [sample(t, (2, 3), k) for k in range(3)])
    yield Case("AddN", [sample("float", (), 1)])
    yield Case("AddN", [sample("float", (7, 5), k) for k in range(9)])
    yield Case("AddN", [sample("float", (0, 5), k) for k in range(2)])
    yield Case("AddN", [sample("float", (2, 3)), sample("float", (3, 2))])


def segments():
    for t in ("float", "double", "int32", "int64", "half"):
        for op in ("SegmentSum", "SegmentMean", "SegmentMax", "SegmentMin", "SegmentProd"):
            yield Case(op, sample(t, (5, 2)), i32([0, 0, 1, 3, 3]))
        for op in ("UnsortedSegmentSum", "UnsortedSegmentMax", "UnsortedSegmentMin", "UnsortedSegmentProd"):
            yield Case(op, sample(t, (5, 2)), i32([2, 0, -1, 2, 1]), i32(4))
    for op in ("UnsortedSegmentSum", "UnsortedSegmentMax"):
        yield Case(op, sample("float", (2, 3)), i32([[0, 1, 0], [2, 2, -1]]), i32(3))
        yield Case(op, sample("float", (0, 3)), i32([]), i32(2))
        yield Case(op, sample("float", (3,)), i64([0, 1, 5]), i32(3))
        yield Case(op, sample("float", (3,)), i32([0, 1]), i32(3))
        yield Case(op, sample("float", (2,)), i32([0, 1]), i32(-1))
    for ids in ([0, 1, 0, 2, 3], [-1, 0, 0, 1, 1], [0, 1, 2], [0, 0, 0, 0, 0]):
        yield Case("SegmentSum", sample("float", (5, 2)), i32(ids))
    for op in ("SparseSegmentSum", "SparseSegmentMean", "SparseSegmentSqrtN"):
        yield Case(op, sample("float", (5, 2)), i32([0, 4, 2]), i32([0, 0, 1]))
        yield Case(op, sample("float", (5, 2)), i32([0, 5, 2]), i32([0, 0, 1]))


def casts():
    for src in NUMBERS + ["bool"]:
        values = sample(src, (3, 4), 5)
        for dst in NUMBERS + ["bool"]:
            # A negative float as an unsigned integer is undefined.
            undefined = src in FLOATS + COMPLEX and dst in UNSIGNED
            yield Case("Cast", abs(values).astype(values.dtype) if undefined else values, DstT=Type(dst))
    for src, dst in [("float", "int32"), ("double", "float"), ("float", "half"), ("float", "bfloat16"),
                     ("double", "bfloat16"), ("int64", "float"), ("half", "float"), ("bfloat16", "float")]:
        if src in FLOATS and dst not in INTS:
            yield Case("Cast", specials(src), DstT=Type(dst))
            yield Case("Cast", sample(src, (64,), 8, -70000, 70000), DstT=Type(dst))
    yield Case("Cast", f32([0.5, -0.5, 1.99, -1.99, 2e9]), DstT=Type("int32"))
    yield Case("Cast", i32([300, -1, 70000]), DstT=Type("int8"))
    yield Case("Cast", i32([300, -1, 70000]), DstT=Type("uint8"))
    yield Case("Cast", sample("float", (0,)), DstT=Type("int32"))
    yield Case("Cast", f32(2.5), DstT=Type("double"))
    yield Case("Cast", f32([1.00000006]), DstT=Type("bfloat16"), Truncate=True)
    yield Case("Bitcast", f32([1.0, -2.0]), type=Type("int32"))
    yield Case("Bitcast", f32([1.0, -2.0]), type=Type("uint8"))
    yield Case("Bitcast", sample("uint8", (3, 4)), type=Type("float"))


def ranges():
    for t in ("int32", "int64", "float", "double", "half", "bfloat16"):
        for a, b, d in [(0, 5, 1), (3, 18, 3), (3, 1, -1), (0, 0, 1), (2, 3, 5)]:
            yield Case("Range", arr(t, a), arr(t, b), arr(t, d))
        for a, b, d in [(0, 5, 0), (0, 5, -1), (5, 0, 1)]:
            yield Case("Range", arr(t, a), arr(t, b), arr(t, d))
    yield Case("Range", f32(0), f32(1), f32(0.3))
    yield Case("Range", i32([0, 1]), i32(5), i32(1))
    yield Case("Range", f32(0), f32(1e20), f32(1))
    yield Case("Range", f32(0), f32(1), f32(np.nan))
    for t in ("float", "double"):
        yield Case("LinSpace", arr(t, 0), arr(t, 2), i32(5))
    yield Case("LinSpace", f32(0), f32(1), i32(1))
    yield Case("LinSpace", f32(0), f32(1), i32(0))
    for t in ("float", "double", "int32", "int64"):
        yield Case("ClipByValue", sample(t, (3, 4)), arr(t, -1), arr(t, 2))
    yield Case("ClipByValue", sample("float", (3, 4)), sample("float", (3, 4), 1), sample("float", (3, 4), 2, 4, 9))
    yield Case("L2Loss", sample("float", (7, 5)))
    for t in FLOATS:
        yield Case("L2Loss", sample(t, (3,)))
    yield Case("L2Loss", sample("float", (0,)))
    yield Case("L2Loss", f32(3))
    for t in COMPLEX:
        for op in ("Real", "Imag", "ComplexAbs", "Angle"):
            yield Case(op, sample(t, (3,)), Tout=Type("float" if t == "complex64" else "double"))
    for op in ("Betainc",):
        yield Case(op, sample("float", (3,), 1, 0.1, 2), sample("float", (3,), 2, 0.1, 2), sample("float", (3,), 3, 0, 1))
    yield Case("Cross", sample("float", (4, 3), 1), sample("float", (4, 3), 2))
    yield Case("Bincount", i32([1, 1, 3, 0]), i32(5), f32([]))
    yield Case("AccumulateNV2", [sample("float", (2, 3), k) for k in range(3)], shape=(2, 3))


def special():
    for op in ("BesselI0", "BesselI0e", "BesselI1", "BesselI1e", "BesselJ0", "BesselJ1", "BesselK0", "BesselK0e", "BesselK1", "BesselK1e", "BesselY0", "BesselY1"):
        for t in ("float", "double", "half"):
            # What TF has for Y1(0) depends on the type.
            yield Case(op, arr(t, [-1] + [0] * (op != "BesselY1") + [1e-3, 0.1, 0.9, 1.1, 5, 8.5, 50, 70, 300, np.nan, np.inf]))
    for op in ("Erfinv", "Ndtri"):
        for t in ("float", "double", "half"):
            yield Case(op, arr(t, [-1.5, -1, -0.999, -0.3, 0, 1e-6, 0.02, 0.1, 0.5, 0.9, 0.9999, 1, 1.1, np.nan]))
    a = [0.5, 1, 2, 10, 100, 3, 0, -1, 0.1, 30, np.nan, 1]
    x = [0.3, 1, 5, 9, 110, 0, 1, 1, 8, 20, 1, np.inf]
    for op in ("Igamma", "Igammac"):
        for t in ("float", "double"):
            yield Case(op, arr(t, a), arr(t, x))
        yield Case(op, sample("float", (2, 1), low=0.5), sample("float", (3,), 1, low=0.5))
        yield Case(op, sample("float", (2,)), sample("float", (3,)))
    for op in ("IgammaGradA", "RandomGammaGrad"):
        for t in ("float", "double"):
            yield Case(op, arr(t, [0.5, 1, 2, 10, 5, 3, 30]), arr(t, [0.3, 1, 5, 9, 2, 3.5, 20]))
    for t in ("float", "double"):
        yield Case("Zeta", arr(t, [2, 2, 3, 1.5, 2, 30, 1, 0.5, 2, 3]), arr(t, [1, 0.5, 4, 20, -1.5, 2, 3, 1, 0, -2]))
        yield Case("Polygamma", arr(t, [0, 1, 2, 3, 5, 1, 0, 1.5, -1]), arr(t, [0.5, 2, 3, 0.7, 10, 100, -0.5, 2, 2]))
        yield Case("Betainc", arr(t, [1, 2, 0, -1, 0.5, 30, 3, 5]), arr(t, [1, 2, 1, 4, 0.5, 2, 2, 0.2]), arr(t, [0.5, 0.2, 0.3, 0.4, 1.5, 0.99, 0, 0.9]))
        yield Case("Betainc", arr(t, 2), arr(t, [1, 2, 3]), arr(t, 0.25))
    yield Case("Betainc", f32([1, 2]), f32([1, 2, 3]), f32(0.25))


def cases():
    for part in (unary, binary, gradients, reductions, products, segments, casts, ranges, special):
        yield from part()