"""Sparse tensors: coordinates, values and shape; and sets."""
from case import *  # noqa: F403

SOME = ["float", "double", "int32", "int64", "complex64", "string", "bool"]
NUM = ["float", "double", "int32", "int64", "complex64"]


def coo(dtype="float", seed=0):
    """A 3 x 4 sparse matrix of five values in order."""
    return i64([[0, 1], [0, 3], [2, 0], [2, 1], [2, 3]]), sample(dtype, (5,), seed), i64([3, 4])


def cube(dtype="float"):
    return i64([[0, 0, 1], [0, 1, 0], [1, 1, 1], [1, 1, 2], [1, 0, 0]]), sample(dtype, (5,)), i64([2, 2, 3])


EMPTY = i64(np.zeros((0, 2))), f32([]), i64([3, 4])


def shapes():
    for wanted in ([12], [4, 3], [2, -1], [-1], [3, 4], [2, 2, 3], [5], [-1, -1], [-1, 5], [-2, -6], [], [0, -1], [[12]]):
        yield Case("SparseReshape", coo()[0], coo()[2], i64(wanted))
    yield Case("SparseReshape", i64(np.zeros((0, 2))), i64([0, 4]), i64([2, 0]))
    yield Case("SparseReshape", i64(np.zeros((0, 2))), i64([0, 4]), i64([-1, 2]))
    yield Case("SparseReshape", i64(np.zeros((0, 2))), i64([0, 4]), i64([0, -1]))
    yield Case("SparseReshape", i64([[1, 2]]), i64([2**33, 4]), i64([-1, 2**34]))
    yield Case("SparseReshape", i64([[1, 2]]), i64([3]), i64([3]))
    for t in SOME:
        yield Case("SparseReorder", *cube(t))
        yield Case("SparseReorder", *coo(t))
    yield Case("SparseReorder", i64([[1, 0], [0, 1], [0, 1], [2, 2]]), f32([1, 2, 3, 4]), i64([3, 4]))
    yield Case("SparseReorder", i64([[1, 0], [0, 7]]), f32([1, 2]), i64([3, 4]))
    yield Case("SparseReorder", *EMPTY)
    for start, size in (([0, 0], [3, 4]), ([1, 0], [2, 3]), ([0, 2], [9, 9]), ([5, 5], [1, 1]), ([0, 0], [0, 2])):
        yield Case("SparseSlice", *coo(), i64(start), i64(size))
    for t in SOME:
        yield Case("SparseSlice", *coo(t), i64([0, 1]), i64([3, 2]))
    yield Case("SparseSlice", *coo(), i64([0]), i64([1, 1]))
    yield Case("SparseSliceGrad", f32([5, 6]), coo()[0], i64([0, 1]), i64([[0, 0], [2, 0]]))
    yield Case("SparseSliceGrad", f32([5]), coo()[0], i64([0, 1]), i64([[1, 0]]))
    yield Case("SparseSliceGrad", f32([5]), coo()[0], i64([0, 1]), i64([[0, 0], [2, 0]]))
    for axis, n in ((0, 3), (0, 2), (1, 2), (1, 3), (1, 4), (-1, 2), (1, 5), (2, 1), (0, 1)):
        yield Case("SparseSplit", i64(axis), *coo(), num_split=n)
    for t in SOME:
        yield Case("SparseSplit", i64(1), *coo(t), num_split=2)
    for t in SOME:
        a, b = coo(t), coo(t, 1)
        for axis in (0, 1, -1):
            yield Case("SparseConcat", [a[0], b[0]], [a[1], b[1]], [a[2], b[2]], concat_dim=axis)
    a, c = coo(), cube()
    yield Case("SparseConcat", [a[0], a[0]], [a[1], a[1]], [a[2], i64([3, 5])], concat_dim=0)
    yield Case("SparseConcat", [a[0], a[0]], [a[1], a[1]], [a[2], i64([3, 5])], concat_dim=1)
    yield Case("SparseConcat", [a[0], c[0]], [a[1], c[1]], [a[2], c[2]], concat_dim=1)
    yield Case("SparseConcat", [a[0], a[0]], [a[1], a[1]], [a[2], a[2]], concat_dim=2)
    yield Case("SparseConcat", [c[0], c[0]], [c[1], c[1]], [c[2], c[2]], concat_dim=1)
    yield Case("SparseConcat", [c[0], c[0]], [c[1], c[1]], [c[2], c[2]], concat_dim=0)


def dense():
    for t in SOME:
        yield Case("SparseToDense", coo()[0], i64([3, 4]), sample(t, (5,)), sample(t, (), 1))
        yield Case("SparseToDense", i32([1, 3]), i32([5]), sample(t, ()), sample(t, (), 1))
    yield Case("SparseToDense", i32(2), i32([4]), f32(1), f32(0))
    for bad in ([[2, 0], [0, 1]], [[0, 1], [0, 1]], [[0, 9], [1, 1]], [[-1, 0], [0, 0]]):
        yield Case("SparseToDense", i64(bad), i64([3, 4]), f32([1, 2]), f32(0))
        yield Case("SparseToDense", i64(bad), i64([3, 4]), f32([1, 2]), f32(0), validate_indices=False)
    yield Case("SparseToDense", i64([[0, 1]]), i64([3]), f32([1]), f32(0))
    yield Case("SparseToDense", i64([[0, 1]]), i64([3, -4]), f32([1]), f32(0))
    yield Case("SparseToDense", i64([[0, 1]]), i64([3, 4]), f32([1, 2]), f32(0))
    yield Case("SparseToDense", i64([[0, 1]]), i64([3, 4]), f32([1]), f32([0]))
    for t in SOME:
        yield Case("SparseFillEmptyRows", *coo(t), sample(t, (), 5))
        yield Case("SparseFillEmptyRows", i64([[2, 1], [0, 3], [2, 0]]), sample(t, (3,)), i64([4, 4]), sample(t, (), 5))
    yield Case("SparseFillEmptyRows", *cube(), f32(9))
    yield Case("SparseFillEmptyRows", *EMPTY, f32(9))
    yield Case("SparseFillEmptyRows", EMPTY[0], EMPTY[1], i64([0, 4]), f32(9))
    yield Case("SparseFillEmptyRows", coo()[0], coo()[1], i64([0, 4]), f32(9))
    yield Case("SparseFillEmptyRows", i64([[5, 0]]), f32([1]), i64([3, 4]), f32(9))
    yield Case("SparseFillEmptyRows", i64([[-1, 0]]), f32([1]), i64([3, 4]), f32(9))
    for t in NUM:
        yield Case("SparseFillEmptyRowsGrad", i64([2, 0, 3]), sample(t, (5,)))
    yield Case("SparseFillEmptyRowsGrad", i64([2, 7]), f32([1, 2, 3]))
    yield Case("SparseFillEmptyRowsGrad", i64([]), f32([1, 2, 3]))


def arithmetic():
    a34, b = coo(), sample("float", (4, 2), 3)
    for t in NUM:
        yield Case("SparseTensorDenseMatMul", *coo(t), sample(t, (4, 2), 3))
        yield Case("SparseTensorDenseMatMul", *coo(t), sample(t, (3, 2), 3), adjoint_a=True)
        yield Case("SparseTensorDenseMatMul", *coo(t), sample(t, (2, 4), 3), adjoint_b=True)
        yield Case("SparseTensorDenseMatMul", *coo(t), sample(t, (2, 3), 3), adjoint_a=True, adjoint_b=True)
    yield Case("SparseTensorDenseMatMul", a34[0].astype(np.int32), a34[1], a34[2], b)
    yield Case("SparseTensorDenseMatMul", *EMPTY, b)
    # Sums of many small numbers, which are rounded once only.
    row = i64(np.stack([np.zeros(300), np.arange(300)], 1))
    for t in ("half", "bfloat16"):
        yield Case("SparseTensorDenseMatMul", row, sample(t, (300,), 4), i64([1, 300]), sample(t, (300, 3), 5))
    yield Case("SparseTensorDenseMatMul", *a34, sample("float", (3, 2)))
    yield Case("SparseTensorDenseMatMul", *a34, sample("float", (4, 0)))
    yield Case("SparseTensorDenseMatMul", i64([[0, 4]]), f32([1]), i64([3, 4]), b)
    yield Case("SparseTensorDenseMatMul", i64([[3, 0]]), f32([1]), i64([3, 4]), b)
    yield Case("SparseTensorDenseMatMul", i64([[-1, 0]]), f32([1]), i64([3, 4]), b)
    other = i64([[0, 1], [1, 1], [2, 3]])
    for t in NUM:
        real = "float" if t == "complex64" else t
        for least in (0, 2):
            yield Case("SparseAdd", *coo(t), other, sample(t, (3,), 4), i64([3, 4]), arr(real, least))
        yield Case("SparseTensorDenseAdd", *coo(t), sample(t, (3, 4), 2))
        yield Case("SparseAddGrad", sample(t, (3,)), i64([[0, 1], [2, 3]]), i64([[0, 0], [2, 3], [2, 4]]), i64([[0, 0], [0, 1], [2, 3]]))
    yield Case("SparseAdd", *a34, *EMPTY, f32(0))
    yield Case("SparseAdd", *a34, *cube(), f32(0))
    yield Case("SparseAdd", *a34, *coo()[:2], i64([3, 5]), f32(0))
    yield Case("SparseAdd", i64([[0, 1]]), f32([2]), i64([3, 4]), i64([[0, 1]]), f32([-2]), i64([3, 4]), f32(0.5))
    yield Case("SparseTensorDenseAdd", a34[0].astype(np.int32), a34[1], a34[2].astype(np.int32), sample("float", (3, 4), 2))
    yield Case("SparseTensorDenseAdd", *a34, sample("float", (4, 4), 2))
    yield Case("SparseTensorDenseAdd", i64([[5, 0]]), f32([1]), i64([3, 4]), sample("float", (3, 4), 2))
    for op in ("SparseDenseCwiseAdd", "SparseDenseCwiseMul", "SparseDenseCwiseDiv"):
        for t in ("float", "double", "int32", "int64", "half"):
            # No zeros: what divides must not be one.
            yield Case(op, *coo(t), np.abs(sample(t, (3, 4), 2)) + arr(t, 1))
        for shape in ((4,), (1, 4), (3, 1), (), (1,), (3,), (2, 3, 4)):
            yield Case(op, *coo(), sample("float", shape, 2))
        yield Case(op, i64([[5, 0]]), f32([1]), i64([3, 4]), sample("float", (3, 4)))
    for op in ("SparseReduceSum", "SparseReduceMax", "SparseReduceSumSparse", "SparseReduceMaxSparse"):
        for t in ("float", "double", "int32", "int64"):
            yield Case(op, *coo(t), i32([1]))
        ordered = i64([[0, 0, 1], [0, 1, 0], [1, 0, 0], [1, 1, 1], [1, 1, 2]]), sample("float", (5,)), i64([2, 2, 3])
        for axes in ([0], [1], [2], [0, 1], [0, 2], [0, 1, 2], [-1], [], [3], [-4]):
            for keep in (False, True):
                yield Case(op, *ordered, i32(axes), keep_dims=keep)
        yield Case(op, *EMPTY, i32([0]))
    for t in ("float", "double", "half"):
        yield Case("SparseSoftmax", *coo(t))
    yield Case("SparseSoftmax", i64([[0, 0, 1], [0, 1, 0], [1, 1, 1], [1, 1, 2]]), f32([1, 2, 3, 4]), i64([2, 2, 3]))
    yield Case("SparseSoftmax", i64([[0], [2]]), f32([1, 2]), i64([3]))
    for op in ("SparseSparseMaximum", "SparseSparseMinimum"):
        for t in ("float", "int32", "int64"):
            yield Case(op, *coo(t), other, sample(t, (3,), 4), i64([3, 4]))
        yield Case(op, *a34, *EMPTY)
        yield Case(op, *a34, *coo()[:2], i64([3, 5]))


def segments():
    for op in ("SparseSegmentSumGradV2", "SparseSegmentMeanGradV2", "SparseSegmentSqrtNGradV2"):
        for t in ("float", "double", "half", "bfloat16"):
            yield Case(op, sample(t, (3, 2)), i32([5, 0, 5, 3]), i32([0, 0, 1, 2]), i32(7))
        yield Case(op, sample("float", (3, 2)), i64([5, 0, 5, 3]), i64([0, 0, 1, 2]), i32(7))
        yield Case(op, sample("float", (3, 2)), i32([]), i32([]), i32(7))
        yield Case(op, sample("float", (3, 2)), i32([7]), i32([0]), i32(7))
        yield Case(op, sample("float", (3, 2)), i32([6]), i32([3]), i32(7))


def serialized():
    for t in ("float", "int64", "bool"):
        yield Case("SerializeSparse", *coo(t))
        yield Case("SerializeManySparse", *coo(t))
    yield Case("SerializeManySparse", i64([[0]]), f32([1]), i64([2]))
    yield Case("DeserializeManySparse", strs([[b"x", b"y", b"z"]]), dtype=Type("float"))
    yield Case("DeserializeManySparse", strs([[b"x", b"y"]]), dtype=Type("float"))
    yield Case("DeserializeSparse", strs([b"x", b"y"]), dtype=Type("float"))
    yield Case("TakeManySparseFromTensorsMap", i64([0]), dtype=Type("float"))
    yield Case("AddSparseToTensorsMap", *coo(), runs=2)
    yield Case("AddManySparseToTensorsMap", *coo(), runs=2)
    yield Case("AddManySparseToTensorsMap", i64([[5, 0]]), f32([1]), i64([3, 4]))


def sets():
    for t in ("int32", "int64", "int8", "uint16", "string"):
        words = {"string": [b"b", b"a", b"c", b"a"]}.get(t, [3, 1, 7, 1])
        x, y = arr(t, [words[:3], words[1:]]), arr(t, [words[1:], words[:3]])
        sparse = i64([[0, 0], [0, 1], [1, 0]]), arr(t, words[:3]), i64([2, 4])
        third = i64([[0, 2], [1, 0], [1, 3]]), arr(t, words[1:]), i64([2, 4])
        for operation in ("a-b", "b-a", "intersection", "union"):
            yield Case("DenseToDenseSetOperation", x, y, set_operation=operation)
            yield Case("DenseToSparseSetOperation", x, *sparse, set_operation=operation)
            yield Case("SparseToSparseSetOperation", *sparse, *third, set_operation=operation)
        yield Case("SetSize", *sparse)
    x = i32([[1, 2], [3, 3]])
    yield Case("DenseToDenseSetOperation", x, x, set_operation="nothing")
    yield Case("DenseToDenseSetOperation", x, i32([[1, 2]]), set_operation="union")
    yield Case("DenseToDenseSetOperation", i32([1]), i32([1]), set_operation="union")
    yield Case("DenseToDenseSetOperation", i32([[[1, 2], [2, 2]], [[5, 5], [0, 1]]]), i32([[[1], [2]], [[5], [0]]]), set_operation="a-b")
    unordered = i64([[1, 0], [0, 1]]), i32([1, 2]), i64([2, 4])
    for check in (True, False):
        yield Case("DenseToSparseSetOperation", x, *unordered, set_operation="union", validate_indices=check)
        yield Case("SetSize", *unordered, validate_indices=check)
    yield Case("SetSize", i64([[0, 0, 1], [0, 0, 2], [1, 1, 0]]), i32([4, 4, 4]), i64([2, 2, 3]))
    yield Case("SetSize", i64(np.zeros((0, 2))), i32([]), i64([2, 3]))


def crosses():
    sparse = ([i64([[0, 0], [1, 0], [1, 1]])], [strs([b"a", b"b", b"c"])], [i64([2, 2])])
    numbers = ([i64([[0, 0], [1, 0], [1, 1]])], [i64([3, -4, 5])], [i64([2, 2])])
    texts, dense = strs([[b"x", b"y"], [b"z", b""]]), i64([[1], [2]])
    hashed = dict(hashed_output=True, out_type=Type("int64"), internal_type=Type("int64"))
    joined = dict(hashed_output=False, out_type=Type("string"), internal_type=Type("string"), num_buckets=0, hash_key=0)
    for columns in (sparse, numbers):
        for given in ([], [texts], [dense], [texts, dense]):
            for buckets in (0, 100):
                yield Case("SparseCross", *columns, given, num_buckets=buckets, hash_key=956888297470, **hashed)
                yield Case("SparseCrossHashed", *columns, given, i64(buckets), np.asarray(False), i64([1, 2]))
            yield Case("SparseCrossV2", *columns, given, strs(b"-"))
    yield Case("SparseCross", *sparse, [texts], num_buckets=100, hash_key=956888297470, **dict(hashed, internal_type=Type("string")))
    yield Case("SparseCross", *sparse, [texts], **joined)
    yield Case("SparseCross", *sparse, [dense], **joined)
    for salt in ([0, 0], [1, 2]):
        yield Case("SparseCrossHashed", [], [], [], [texts, texts], i64(1000), np.asarray(True), i64(salt))
    yield Case("SparseCrossV2", [], [], [], [texts, strs([[b"x"]])], strs(b"-"))
    yield Case("SparseCrossV2", [], [], [], [texts, strs([b"x"])], strs(b"-"))
    yield Case("SparseCrossV2", [], [], [], [texts, strs(np.zeros((2, 0)))], strs(b"-"))
    yield Case("SparseCrossV2", [i64([[0, 0]])], [strs([b"a", b"b"])], [i64([2, 2])], [texts], strs(b"-"))
    yield Case("SparseCrossV2", [i64([[0]])], [strs([b"a"])], [i64([2])], [texts], strs(b"-"))


def cases():
    for group in (shapes, dense, arithmetic, segments, serialized, sets, crosses):
        yield from group()
