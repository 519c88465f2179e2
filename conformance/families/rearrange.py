"""Ops that scatter into tensors, mirror, roll, and move blocks or diagonals."""
from case import *  # noqa: F403

SOME = ["float", "double", "int32", "int64", "bool", "complex64"]
NUM = ["float", "double", "int32", "int64", "complex64", "half"]


def scattering():
    for op in ("TensorScatterUpdate", "TensorScatterAdd", "TensorScatterSub", "TensorScatterMin", "TensorScatterMax", "ScatterNdNonAliasingAdd"):
        types = ["float", "double", "int32", "int64"] + (["string", "bool"] if op == "TensorScatterUpdate" else [])
        for t in types:
            yield Case(op, sample(t, (4, 2)), i32([[1], [3]]), sample(t, (2, 2), 1))
            yield Case(op, sample(t, (4, 2)), i64([[1, 0], [1, 0], [2, 1]]), sample(t, (3,), 1))
        yield Case(op, sample("float", (4,)), i32([[4]]), f32([1]))
        yield Case(op, sample("float", (4,)), i32([[-1]]), f32([1]))
        yield Case(op, sample("float", (4,)), i32([[4], [1]]), f32([1, 2]), bad_indices_policy="IGNORE")
        yield Case(op, sample("float", (4,)), i32([[1]]), f32([[1]]))
        yield Case(op, sample("float", (4,)), i32([[1, 1]]), f32([1]))
        yield Case(op, sample("float", (4,)), i32(np.zeros((0, 1))), f32([]))
    for op in ("InplaceUpdate", "InplaceAdd", "InplaceSub"):
        for t in ("float", "int32", "int64"):
            yield Case(op, sample(t, (4, 2)), i32([1, 3, -1]), sample(t, (3, 2), 1))
        yield Case(op, sample("float", (4, 2)), i32([1]), sample("float", (3, 2)))
        yield Case(op, sample("float", (4, 2)), i32([1]), sample("float", (1, 3)))
    yield Case("ParallelConcat", [sample("float", (1, 2)), sample("float", (1, 2), 1)], shape=(2, 2), known=True)
    yield Case("Empty", i32([2, 3]), dtype=Type("float"), init=True)
    yield Case("Empty", i32([2]), dtype=Type("string"), init=True)
    yield Case("Empty", i32([-2]), dtype=Type("float"), init=True)
    yield Case("Empty", i32(2), dtype=Type("float"), init=True)


def moving():
    for t in SOME:
        yield Case("Roll", sample(t, (2, 3)), i32(1), i32(0))
        yield Case("Diag", sample(t, (3,)))
        yield Case("DiagPart", sample(t, (3, 3)))
        yield Case("ConjugateTranspose", sample(t, (2, 3)), i32([1, 0]))
        yield Case("MirrorPad", sample(t, (3, 4)), i32([[1, 2], [2, 1]]), mode="REFLECT")
    yield Case("Diag", sample("float", (2, 3)))
    yield Case("DiagPart", sample("float", (2, 3, 2, 3)))
    yield Case("DiagPart", sample("float", (2, 3)))
    yield Case("Diag", sample("float", (0,)))
    for shift, axis in (([1, -2], [0, 1]), ([5, 1], [1, 1]), ([0], [0]), (-1, 2), (1, -3), ([1, 2], [0]), (1, 3), (1, -4), ([[1]], [[0]])):
        yield Case("Roll", sample("float", (2, 3, 4)), i32(shift), i64(axis))
    yield Case("Roll", sample("string", (5,)), i64(2), i32(0))
    yield Case("Roll", sample("float", (0, 3)), i32(1), i32(0))
    yield Case("Roll", sample("float", ()), i32(1), i32(0))
    for mode in ("REFLECT", "SYMMETRIC"):
        for paddings in ([[0, 0], [1, 1]], [[2, 2], [3, 3]], [[3, 0], [0, 4]], [[0, 0], [0, 0]], [[-1, 0], [0, 0]], [[1, 1]], [[4, 0], [0, 5]]):
            yield Case("MirrorPad", sample("float", (3, 4)), i64(paddings), mode=mode)
        yield Case("MirrorPad", sample("float", (2, 2, 3)), i32([[1, 0], [0, 1], [2, 2]]), mode=mode)
        for t in ("float", "double", "int32", "complex64"):
            yield Case("MirrorPadGrad", sample(t, (5, 7)), i32([[1, 1], [2, 1]]), mode=mode)
        yield Case("MirrorPadGrad", sample("float", (5,)), i32([[2, 1]]), mode=mode)
        yield Case("MirrorPadGrad", sample("float", (5,)), i32([[4, 4]]), mode=mode)
        yield Case("MirrorPadGrad", sample("float", (3,)), i32([[2, 0]]), mode=mode)
    for op in ("LowerBound", "UpperBound"):
        for t in ("float", "int32", "int64", "double"):
            yield Case(op, arr(t, [[0, 3, 3, 9], [1, 2, 3, 4]]), arr(t, [[3, -1, 10], [0, 2, 4]]))
        yield Case(op, f32([[0, 3]]), f32([[1], [2]]))
        yield Case(op, f32([[0, 3]]), f32([[1, 3]]), out_type=Type("int64"))
        yield Case(op, f32([0, 3]), f32([1]))
    for t in ("float", "int32", "int64", "string"):
        yield Case("UniqueWithCountsV2", sample(t, (8,)), i64([0]))
    yield Case("UniqueWithCountsV2", i32([[1, 2], [3, 4], [1, 2]]), i64([0]))
    yield Case("UniqueWithCountsV2", i32([[1, 2], [3, 4], [1, 2]]), i64([1]), out_idx=Type("int64"))
    yield Case("UniqueWithCountsV2", i32([[1, 2], [3, 4], [1, 2]]), i64([2]))
    for t in ("float", "double", "int32", "int64", "half", "uint8"):
        for reverse in (False, True):
            yield Case("NthElement", sample(t, (2, 5)), i32(1), reverse=reverse)
    yield Case("NthElement", sample("float", (5,)), i32(5))
    yield Case("NthElement", sample("float", (5,)), i32(-1))
    yield Case("NthElement", sample("float", ()), i32(0))
    yield Case("NthElement", sample("float", (5,)), i32([0]))
    for t in ("float", "double"):
        yield Case("NextAfter", arr(t, [0, 0, 1, -1, 1, np.inf, np.nan]), arr(t, [1, -1, 2, -2, 1, 0, 1]))
        yield Case("NextAfter", sample(t, (2, 3)), sample(t, (3,), 1))
    for t in ("float", "double", "half"):
        for exclusive in (False, True):
            for reverse in (False, True):
                yield Case("CumulativeLogsumexp", sample(t, (2, 3)), i32(1), exclusive=exclusive, reverse=reverse)
    yield Case("CumulativeLogsumexp", sample("float", (2, 3)), i64(0))
    yield Case("CumulativeLogsumexp", sample("float", (2, 3)), i32(2))
    yield Case("CumulativeLogsumexp", f32([-1000, 1000, 0]), i32(0))
    for x in ([1, 2, 3, 4], [[1, 2], [3, 4], [5, 6], [7, 8]], [5, 6], [[1, 2], [3, 4]], [1, 2, 3], 1):
        for src, dst in (("NHWC", "NCHW"), ("NCHW", "NHWC"), ("NHWC", "HWNC")):
            yield Case("DataFormatVecPermute", i32(x), src_format=src, dst_format=dst)
    yield Case("DataFormatVecPermute", i64([1, 2, 3, 4, 5]), src_format="NDHWC", dst_format="NCDHW")
    yield Case("DataFormatVecPermute", i32([1, 2, 3, 4]), src_format="NHWC", dst_format="NCH")
    for x in ([0, 1, 2, 3], [-1, -2, -3, -4], 1, [[2, 3]]):
        yield Case("DataFormatDimMap", i32(x))
        yield Case("DataFormatDimMap", i64(x), src_format="NCHW", dst_format="NHWC")


def ragged():
    for t in ("float", "double", "int32", "int64", "bfloat16"):
        yield Case("RaggedRange", arr(t, [0, 5, 8]), arr(t, [3, 5, 2]), arr(t, [1, 1, -2]))
        yield Case("RaggedRange", arr(t, 0), arr(t, [3, 0]), arr(t, 2))
        yield Case("RaggedRange", arr(t, 0), arr(t, 4), arr(t, 1), Tsplits=Type("int32"))
        yield Case("RaggedRange", arr(t, [0]), arr(t, [4]), arr(t, [0]))
    yield Case("RaggedRange", i32([0, 1]), i32([4]), i32(1))
    yield Case("RaggedRange", i32([[0]]), i32([4]), i32(1))
    yield Case("RaggedRange", i32([]), i32([]), i32(1))


def blocks():
    for t in SOME:
        yield Case("SpaceToBatchND", sample(t, (1, 4, 4, 1)), i32([2, 2]), i32([[0, 0], [0, 0]]), known=True)
        yield Case("BatchToSpaceND", sample(t, (4, 2, 2, 1)), i32([2, 2]), i32([[0, 0], [0, 0]]), known=True)
        yield Case("SpaceToBatch", sample(t, (1, 4, 4, 1)), i32([[0, 0], [0, 0]]), block_size=2)
        yield Case("BatchToSpace", sample(t, (4, 2, 2, 1)), i32([[0, 0], [0, 0]]), block_size=2)
        yield Case("DepthToSpace", sample(t, (1, 2, 3, 8)), block_size=2)
        yield Case("SpaceToDepth", sample(t, (1, 4, 6, 2)), block_size=2)
    for shape, block, paddings in (((2, 5, 3), [2], [[1, 0]]), ((2, 5, 3), [3], [[0, 1]]), ((1, 4, 6, 2), [2, 3], [[1, 1], [0, 0]]), ((2, 5), [2], [[0, 0]]),
                                   ((2, 4, 4), [0], [[0, 0]]), ((2, 4, 4), [2], [[-1, 1]]), ((2, 4), [2, 2], [[0, 0], [0, 0]]), ((2, 4), [1], [[0, 0]])):
        yield Case("SpaceToBatchND", sample("float", shape), i64(block), i32(paddings), known=True)
    for shape, block, crops in (((4, 3, 3), [2], [[1, 0]]), ((6, 5, 2), [3], [[0, 4]]), ((12, 2, 3, 2), [2, 3], [[1, 1], [0, 2]]), ((3, 5), [2], [[0, 0]]),
                                ((4, 2), [2], [[3, 2]]), ((4, 2), [2], [[-1, 0]]), ((4, 2), [2], [[2, 2]])):
        yield Case("BatchToSpaceND", sample("float", shape), i32(block), i32(crops), known=True)
    yield Case("SpaceToBatch", sample("float", (1, 3, 3, 1)), i32([[1, 0], [0, 1]]), block_size=2)
    yield Case("SpaceToBatch", sample("float", (1, 3, 3, 1)), i32([[0, 0], [0, 1]]), block_size=2)
    yield Case("BatchToSpace", sample("float", (4, 2, 2, 1)), i32([[1, 0], [0, 1]]), block_size=2)
    yield Case("BatchToSpace", sample("float", (3, 2, 2, 1)), i32([[1, 0], [0, 1]]), block_size=2)
    yield Case("DepthToSpace", sample("float", (1, 2, 3, 9)), block_size=3)
    yield Case("DepthToSpace", sample("float", (1, 2, 3, 6)), block_size=2)
    yield Case("SpaceToDepth", sample("float", (2, 6, 3, 1)), block_size=3)
    yield Case("SpaceToDepth", sample("float", (2, 5, 3, 1)), block_size=3)
    yield Case("SpaceToDepth", sample("float", (6, 3, 1)), block_size=3)


def diagonals():
    for t in SOME:
        yield Case("MatrixDiagV3", sample(t, (2, 3)), i32(0), i32(-1), i32(-1), sample(t, (), 1))
        yield Case("MatrixDiagPartV3", sample(t, (2, 3, 4)), i32([-1, 2]), sample(t, (), 1))
        yield Case("MatrixSetDiagV3", sample(t, (2, 3, 4)), sample(t, (2, 2, 3), 1), i32([-1, 0]))
        yield Case("MatrixSetDiag", sample(t, (2, 3, 4)), sample(t, (2, 3), 1))
    for align in ("LEFT_RIGHT", "RIGHT_LEFT", "LEFT_LEFT", "RIGHT_RIGHT"):
        for k, diagonal in (([-1, 1], (3, 4)), ([-2, 0], (3, 3)), ([0, 3], (4, 4)), ([1, 2], (2, 2)), (-1, (3,)), ([2], (2,)), ([-3, -1], (3, 3))):
            count = 1 if np.size(k) == 1 else k[1] - k[0] + 1
            yield Case("MatrixDiagV3", sample("float", diagonal), i32(k), i32(-1), i32(-1), f32(9), align=align)
            yield Case("MatrixDiagPartV3", sample("float", (4, 5)), i32(k), f32(9), align=align)
            low, high = (k, k) if np.ndim(k) == 0 else (k[0], k[-1])
            longest = min(4 + min(high, 0), 5 - max(low, 0))
            shape = (longest,) if count == 1 else (count, longest)
            yield Case("MatrixSetDiagV3", sample("float", (4, 5)), sample("float", shape, 1), i32(k), align=align)
    for rows, columns in ((4, -1), (-1, 5), (4, 5), (3, 7), (2, 2), (9, 9)):
        yield Case("MatrixDiagV3", sample("float", (2, 3)), i32([-1, 0]), i32(rows), i32(columns), f32(0))
        yield Case("MatrixDiagV2", sample("float", (2, 3)), i32([-1, 0]), i32(rows), i32(columns), f32(0))
    for k in ([1, 0], 5, -4, [0, 4], [0, 1, 2], [[1]], []):
        yield Case("MatrixDiagPartV3", sample("float", (3, 4)), i32(k), f32(0))
        yield Case("MatrixDiagPartV2", sample("float", (3, 4)), i32(k), f32(0))
        yield Case("MatrixSetDiagV2", sample("float", (3, 4)), sample("float", (3,)), i32(k))
    for op in ("MatrixDiagPartV2", "MatrixDiagPartV3"):
        yield Case(op, sample("float", (3, 4)), i32([-1, 1]), f32(7))
        yield Case(op, sample("float", (0, 4)), i32(0), f32(7))
        yield Case(op, sample("float", (3,)), i32(0), f32(7))
    yield Case("MatrixSetDiagV2", sample("float", (3, 4)), sample("float", (2, 3)), i32([0, 1]))
    yield Case("MatrixSetDiagV3", sample("float", (3, 4)), sample("float", (2, 2)), i32([0, 1]))
    yield Case("MatrixSetDiag", sample("float", (3, 4)), sample("float", (2,)))
    yield Case("BatchMatrixDiag", sample("float", (2, 3)))
    yield Case("BatchMatrixDiagPart", sample("float", (2, 3, 4)))
    yield Case("BatchMatrixSetDiag", sample("float", (2, 3, 4)), sample("float", (2, 3), 1))
    yield Case("BatchMatrixBandPart", sample("float", (3, 4)), i64(1), i64(-1))


def cases():
    for group in (scattering, moving, ragged, blocks, diagonals):
        yield from group()
