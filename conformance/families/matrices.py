"""Factors of matrices, equations, sums of products by label, Fourier transforms."""
from case import *  # noqa: F403

FIELDS = ("float", "double", "complex64", "complex128")


def regular(t, shape, seed=0):
    """Matrices far from singular."""
    return sample(t, shape, seed) + arr(t, np.eye(shape[-2], shape[-1]) * 8)


def adjoint(a):
    return np.conj(np.swapaxes(a, -1, -2))


def factors():
    for t in FIELDS:
        for shape in ((3, 3), (2, 4, 3), (3, 4)):
            for full in (False, True):
                yield Case("Qr", sample(t, shape), full_matrices=full)
            if t in ("float", "double"):
                yield Case("Svd", sample(t, shape), compute_uv=False)
        a = sample(t, (2, 3, 3))
        # Without vectors the second output is memory that nobody has written: complex ones would be recorded as what was there.
        if t in ("float", "double"):
            yield Case("SelfAdjointEigV2", ((a + adjoint(a)) / 2).astype(a.dtype), compute_v=False)
            yield Case("SelfAdjointEigV2", a, compute_v=False)
        yield Case("Lu", regular(t, (2, 3, 3)))
        yield Case("Lu", sample(t, (4, 4)), output_idx_type=Type("int64"))
        yield Case("MatrixSquareRoot", regular(t, (2, 3, 3)))
        for fast in (False, True):
            for m, n in ((4, 3), (3, 4), (3, 3)):
                yield Case("MatrixSolveLs", regular(t, (2, m, n)), sample(t, (2, m, 2), 1), arr("double", 0.5 if fast else 0.0), fast=fast)
        yield Case("TridiagonalSolve", regular(t, (2, 3, 4)) + arr(t, [[0], [9], [0]]), sample(t, (2, 4, 2), 1))
        yield Case("TridiagonalSolve", regular(t, (3, 4)) + arr(t, [[0], [9], [0]]), sample(t, (4, 1), 1), partial_pivoting=False)
        yield Case("TridiagonalSolve", sample(t, (3, 5)), sample(t, (5, 2), 1))
        yield Case("TridiagonalMatMul", sample(t, (2, 1, 4)), sample(t, (2, 1, 4), 1), sample(t, (2, 1, 4), 2), sample(t, (2, 4, 3), 3))
    for t in ("complex64", "complex128"):
        yield Case("MatrixLogarithm", regular(t, (2, 3, 3)))
        yield Case("MatrixLogarithm", sample(t, (4, 4)))
    for op in ("Qr", "Svd"):
        for shape in ((0, 3), (3, 0), (0, 3, 3), (1, 1), (3,)):
            yield Case(op, sample("float", shape))
            yield Case(op, sample("float", shape), full_matrices=True)
    yield Case("SelfAdjointEigV2", sample("float", (0, 3, 3)))
    yield Case("SelfAdjointEigV2", sample("float", (0, 0)))
    yield Case("SelfAdjointEigV2", sample("float", (2, 3)))
    yield Case("Lu", f32(np.zeros((2, 2))))
    yield Case("MatrixSolveLs", f32(np.zeros((2, 2))), f32(np.ones((2, 1))), arr("double", 0.0))
    yield Case("MatrixSolveLs", f32(np.zeros((2, 2))), f32(np.ones((3, 1))), arr("double", 0.0))
    yield Case("TridiagonalSolve", f32(np.zeros((3, 3))), f32(np.ones((3, 1))))
    yield Case("TridiagonalSolve", f32(np.zeros((3, 3))), f32(np.ones((3, 1))), partial_pivoting=False)
    yield Case("TridiagonalSolve", f32([[1, 1, 0], [0, 2, 3], [0, 4, 5]]), f32(np.ones((3, 1))), partial_pivoting=False)
    yield Case("TridiagonalSolve", f32([[1, 1, 0], [0, 2, 3], [0, 4, 5]]), f32(np.ones((3, 1))))
    yield Case("TridiagonalSolve", f32([[0], [0], [0]]), f32([[1]]))


def labels():
    two = (("ab,bc->ac", (2, 3), (3, 4)), ("...ab,...bc->...ac", (2, 2, 3), (3, 4)), ("...ab,...bc->...ac", (2, 1, 2, 3), (5, 3, 4)),
           ("abc,cb->a", (2, 3, 4), (4, 3)), ("a,b->ab", (2,), (3,)), ("ab,ab->", (2, 3), (2, 3)), ("aab,b->a", (2, 2, 3), (3,)),
           ("abc,bad->dbc", (2, 3, 4), (3, 2, 2)), ("i,i->ii", (3,), (3,)), (",ab->ba", (), (2, 3)), ("ab,cd->cb", (2, 3), (2, 2)),
           ("bhqd,bhkd->bhqk", (2, 2, 3, 4), (2, 2, 5, 4)))
    for equation, a, b in two:
        yield Case("Einsum", [sample("float", a), sample("float", b, 1)], equation=equation)
    one = (("ab->ba", (2, 3)), ("aa->a", (3, 3)), ("aa->", (3, 3)), ("a->aa", (3,)), ("abc->b", (2, 3, 4)), ("a...b->b...", (2, 3, 4)), ("...->...", (2, 3)),
           ("abab->ba", (2, 3, 2, 3)), ("a...->...", (2, 3)))
    for equation, a in one:
        yield Case("Einsum", [sample("float", a)], equation=equation)
    for t in ("bfloat16", "half", "double", "int32", "int64", "complex64", "complex128"):
        yield Case("Einsum", [sample(t, (2, 3)), sample(t, (3, 2), 1)], equation="ab,bc->ca")
    for equation, a, b in (("ab,bc->ac", (2, 3), (2, 4)), ("ab,bc->ad", (2, 3), (3, 4)), ("ab,bc", (2, 3), (3, 4)), ("abc,bc->ac", (2, 3), (3, 4)),
                           ("aab,b->a", (2, 3, 3), (3,))):
        yield Case("Einsum", [sample("float", a), sample("float", b, 1)], equation=equation)


def transforms():
    for t, real in (("complex64", "float"), ("complex128", "double")):
        for rank, suffix in ((1, ""), (2, "2D"), (3, "3D")):
            for shape in ((3, 4, 5), (2, 1, 6, 4), (2, 3, 0)):
                yield Case("FFT" + suffix, sample(t, shape))
                yield Case("IFFT" + suffix, sample(t, shape))
            for n in ((2, 3, 5), (2, 3, 4), (1, 1, 1)):
                n = i32(n[-rank:])
                yield Case("RFFT" + suffix, sample(real, (2, 3, 5)), n, Tcomplex=Type(t))
                yield Case("IRFFT" + suffix, sample(t, (2, 3, 3)), n, Treal=Type(real))
            yield Case("RFFT" + suffix, sample(real, (2, 3, 5)), i32([9] * rank), Tcomplex=Type(t))
            yield Case("IRFFT" + suffix, sample(t, (2, 3, 3)), i32([9] * rank), Treal=Type(real))
            yield Case("RFFT" + suffix, sample(real, (2, 3, 5)), i32([-1] * rank), Tcomplex=Type(t))
            yield Case("RFFT" + suffix, sample(real, (2, 3, 5)), i32([2] * (rank + 1)), Tcomplex=Type(t))
    for n in (7, 16, 101):
        yield Case("FFT", sample("complex64", (n,)))


def cases():
    yield from factors()
    yield from labels()
    yield from transforms()
