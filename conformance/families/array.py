"""Ops that make, move, cut and look up: nothing is computed but positions."""
from case import *  # noqa: F403

ALL = NUMBERS + ["bool", "string"]


def shapes():
    for t in ALL:
        yield Case("Shape", sample(t, (2, 3)))
        yield Case("Size", sample(t, (2, 3)))
        yield Case("Rank", sample(t, (2, 3)))
    for shape in [(), (0,), (4, 0, 2), (1, 1, 1)]:
        for out in ("int32", "int64"):
            yield Case("Shape", sample("float", shape), out_type=Type(out))
            yield Case("Size", sample("float", shape), out_type=Type(out))
            yield Case("ShapeN", [sample("float", shape), sample("float", (3, 2))], out_type=Type(out))
        yield Case("Rank", sample("float", shape))
    for t in ALL:
        yield Case("Reshape", sample(t, (2, 6)), i32([3, 4]))
    for shape, to in [((2, 6), [-1]), ((2, 6), [4, -1]), ((2, 6), [1, 12, 1]), ((), []), ((1,), []), ((), [1, 1]),
                      ((0, 3), [0]), ((0, 3), [3, 0]), ((0,), [2, 0, -1]), ((0,), [-1, 2]), ((2, 3), [5]),
                      ((2, 3), [-1, -1]), ((2, 3), [-1, 4]), ((2, 3), [-2, 3]), ((0,), [0, -1]), ((2, 3), [2**20, 2**20])]:
        yield Case("Reshape", sample("float", shape), i32(to))
    yield Case("Reshape", sample("float", (2, 3)), i64([3, -1]))
    yield Case("Reshape", sample("float", (2, 3)), i64([2**40, 2**40]))
    yield Case("Reshape", sample("float", (2, 3)), i32([[6]]))
    for t in ALL:
        yield Case("ExpandDims", sample(t, (2, 3)), i32(1))
        yield Case("Squeeze", sample(t, (1, 3, 1)))
    for shape, d in [((2, 3), 0), ((2, 3), 2), ((2, 3), -1), ((2, 3), -3), ((), 0), ((0,), 1), ((2, 3), 3), ((2, 3), -4)]:
        yield Case("ExpandDims", sample("float", shape), i32(d))
    yield Case("ExpandDims", sample("float", (2,)), i32([0, 1]))
    for shape, dims in [((1, 3, 1), [0]), ((1, 3, 1), [-1]), ((1, 3, 1), [0, 2]), ((1, 3, 1), [1]), ((1,), []), ((), []),
                        ((2, 1), [5]), ((1, 0, 1), [])]:
        yield Case("Squeeze", sample("float", shape), squeeze_dims=dims)
    for t in ("int32", "int64"):
        for a, b in [([2, 3], [3]), ([2, 1], [1, 3]), ([], [4]), ([], []), ([5], [5]), ([1], [1]), ([4, 1, 3], [2, 3]),
                     ([0, 3], [1, 3]), ([2, 3], [2, 4])]:
            yield Case("BroadcastGradientArgs", arr(t, a), arr(t, b))
            yield Case("BroadcastArgs", arr(t, a), arr(t, b))
    for t in ALL:
        yield Case("BroadcastTo", sample(t, (3, 1)), i32([2, 3, 4]))
    for shape, to in [((), []), ((), [2, 2]), ((3,), [3]), ((1, 3), [0, 3]), ((3,), [2]), ((2, 3), [3]), ((3,), [-1, 3])]:
        yield Case("BroadcastTo", sample("float", shape), i32(to))


def fills():
    for t in ALL:
        yield Case("Fill", i32([2, 3]), sample(t, ()))
    for dims in [[], [0], [2, 0, 3], [4], [-1], [2, -2]]:
        yield Case("Fill", i32(dims), f32(1.5))
    yield Case("Fill", i64([2, 2]), f32(1.5))
    yield Case("Fill", i64([2**31, 2**31, 2**31]), f32(0))
    yield Case("Fill", i32(3), f32(0))
    yield Case("Fill", i32([2]), f32([1, 2]))
    for t in ALL:
        yield Case("Tile", sample(t, (2, 3)), i32([2, 1]))
    for shape, m in [((), []), ((2,), [3]), ((2, 3), [1, 1]), ((2, 3), [0, 2]), ((0, 2), [2, 2]), ((2, 1, 3), [1, 4, 2]),
                     ((2, 3), [2]), ((2, 3), [-1, 1]), ((2,), [[1]])]:
        yield Case("Tile", sample("float", shape), i32(m))
    yield Case("Tile", sample("float", (2,)), i64([2**62]))
    for t in ALL:
        yield Case("OneHot", i32([0, 2, 1]), i32(3), *([sample(t, (), 1), sample(t, (), 2)]))
    for axis in (-1, 0, 1, 2):
        yield Case("OneHot", i64([[0, 2], [-1, 5]]), i32(3), f32(1), f32(0), axis=axis)
    yield Case("OneHot", i32(1), i32(3), f32(5), f32(-1))
    yield Case("OneHot", arr("uint8", [0, 2]), i32(3), f32(5), f32(-1))
    yield Case("OneHot", i32([]), i32(3), f32(1), f32(0))
    yield Case("OneHot", i32([1]), i32(0), f32(1), f32(0))
    yield Case("OneHot", i32([1]), i32(-1), f32(1), f32(0))
    yield Case("OneHot", i32([1]), i32([3, 3]), f32(1), f32(0))
    yield Case("OneHot", i32([1]), i32(3), f32([1, 2]), f32(0))
    yield Case("OneHot", i32([1]), i32(3), f32(1), f32(0), axis=3)
    yield Case("Diag", sample("float", (3,)))
    yield Case("DiagPart", sample("float", (3, 3)))
    yield Case("MatrixDiag", sample("float", (2, 3)))
    yield Case("MatrixDiagPart", sample("float", (2, 3, 4)))
    yield Case("MatrixBandPart", sample("float", (3, 4)), i64(1), i64(-1))


def joins():
    for t in ALL:
        yield Case("Pack", [sample(t, (2,), k) for k in range(3)])
        yield Case("Unpack", sample(t, (2, 3)), num=2)
        yield Case("ConcatV2", [sample(t, (2, 3), 1), sample(t, (1, 3), 2)], i32(0))
        yield Case("Split", i32(1), sample(t, (2, 6)), num_split=3)
        yield Case("SplitV", sample(t, (2, 6)), i32([1, 3, 2]), i32(1), num_split=3)
    for shape, axis in [((), 0), ((2, 3), 0), ((2, 3), 1), ((2, 3), 2), ((2, 3), -1), ((0, 3), 1), ((2,), -2), ((2,), 2)]:
        yield Case("Pack", [sample("float", shape, k) for k in range(2)], axis=axis)
    yield Case("Pack", [sample("float", (2,)), sample("float", (3,))])
    for shape, axis, num in [((3,), 0, 3), ((2, 3), 1, 3), ((2, 3, 4), -1, 4), ((2, 0), 0, 2), ((0, 2), 0, 0),
                             ((2, 3), 0, 3), ((2, 3), 2, 1), ((), 0, 1)]:
        yield Case("Unpack", sample("float", shape), axis=axis, num=num)
    for a, b, axis in [((2, 3), (2, 1), 1), ((2, 3), (2, 2), -1), ((0,), (3,), 0), ((2, 0), (2, 3), 1), ((2, 3, 2), (2, 1, 2), 1),
                       ((2, 3), (3, 3), 1), ((2, 3), (2, 3), 2), ((2, 3), (2, 3), -3), ((2, 3), (6,), 0), ((), (), 0)]:
        yield Case("ConcatV2", [sample("float", a, 1), sample("float", b, 2)], i32(axis))
        yield Case("Concat", i32(axis), [sample("float", a, 1), sample("float", b, 2)])
    yield Case("ConcatV2", [sample("float", (7, k), k) for k in range(1, 6)], i64(1))
    yield Case("ConcatV2", [sample("float", (2,)), sample("float", (2,))], i32([0]))
    for dim, lists in [(1, [[2, 2, 5], [2, 3, 5], [2, 7, 5]]), (0, [[1, 2], [3, 2]]), (-1, [[1, 2], [1, 4]]),
                       (0, [[1, 2], [3, 4]]), (3, [[1, 2], [1, 2]]), (0, [[1], [1, 2]])]:
        yield Case("ConcatOffset", i32(dim), [i32(x) for x in lists])
    for axis, shape, num in [(0, (4, 3), 2), (-1, (2, 4), 2), (0, (3,), 3), (0, (0, 2), 2), (1, (2, 3, 2), 1), (0, (3, 2), 2),
                             (2, (2, 2), 1), (0, (), 1)]:
        yield Case("Split", i32(axis), sample("float", shape), num_split=num)
    yield Case("Split", i32([0, 1]), sample("float", (2, 2)), num_split=2)
    for sizes, axis, shape in [([2, -1], 0, (5, 2)), ([0, 2], 1, (3, 2)), ([-1, -2], 0, (3,)), ([-1, -1], 0, (3,)), ([2, 9], 0, (3,)),
                               ([1, 2], -5, (3,)), ([1, 1], 0, (3,))]:
        yield Case("SplitV", sample("float", shape), i64(sizes), i32(axis), num_split=len(sizes))


def slices():
    for t in ALL:
        yield Case("Slice", sample(t, (3, 4)), i32([1, 0]), i32([2, 3]))
        yield Case("StridedSlice", sample(t, (3, 4)), i32([0, 1]), i32([3, 4]), i32([2, 1]))
    for shape, b, s in [((3, 4), [0, 0], [-1, -1]), ((3, 4), [3, 0], [0, 4]), ((5,), [2], [-1]), ((), [], []), ((0, 2), [0, 1], [0, 1]),
                        ((3, 4), [1, 1], [3, 1]), ((3, 4), [-1, 0], [1, 1]), ((3, 4), [0, 0], [-2, 1]), ((3, 4), [0], [1]),
                        ((3, 4), [4, 0], [0, 1])]:
        yield Case("Slice", sample("float", shape), i32(b), i32(s))
    yield Case("Slice", sample("float", (3, 4)), i64([1, 1]), i64([1, 2]))
    x = sample("float", (4, 5, 3))

    def cut(value, b, e, s, **masks):
        return Case("StridedSlice", value, i32(b), i32(e), i32(s), **{k + "_mask": v for k, v in masks.items()})
    yield cut(x, [1], [3], [1])
    yield cut(x, [-1], [0], [-1])
    yield cut(x, [0, 0, 0], [4, 5, 3], [2, 3, 2])
    yield cut(x, [3, -1, 2], [-9, 0, -9], [-1, -2, -1])
    yield cut(x, [1, 2, 1], [2, 3, 2], [1, 1, 1], shrink_axis=7)
    yield cut(x, [-1, 0], [0, 2], [1, 1], shrink_axis=1)
    yield cut(x, [1, 1], [9, 9], [1, 1], begin=1, end=2)
    yield cut(x, [0, 0], [0, 0], [-1, 1], begin=3, end=3)
    yield cut(x, [0, 1], [0, 2], [1, 1], ellipsis=1)
    yield cut(x, [1, 0, 1], [2, 0, 2], [1, 1, 1], ellipsis=2, shrink_axis=5)
    yield cut(x, [0, 1], [0, 2], [1, 1], new_axis=1)
    yield cut(x, [1, 0, 0, 1], [3, 0, 0, 2], [1, 1, 1, 1], new_axis=2, ellipsis=4)
    yield cut(x, [0, 0, 0, 0], [0, 2, 0, 1], [1, 1, 1, 1], new_axis=5, end=8, begin=8)
    yield cut(x, [5], [9], [1])
    yield cut(x, [2], [1], [1])
    yield cut(x, [100], [-100], [-3])
    yield cut(f32(3), [], [], [])
    yield cut(f32(3), [0], [0], [1], new_axis=1)
    yield cut(sample("float", (0, 3)), [0, 1], [0, 3], [1, 1], begin=1, end=1)
    yield cut(i32([7, 8, 9]), [1], [2], [1], shrink_axis=1)
    yield cut(i32([7, 8, 9]), [0], [-1], [1])
    yield Case("StridedSlice", x, i64([1]), i64([3]), i64([1]))
    # refused
    yield cut(x, [1], [3], [0])
    yield cut(x, [4], [5], [1], shrink_axis=1)
    yield cut(x, [0], [1], [-1], shrink_axis=1)
    yield cut(x, [0, 0], [1], [1])
    yield cut(x, [0] * 4, [1] * 4, [1] * 4)
    yield cut(x, [0, 0], [1, 1], [1, 1], ellipsis=3)
    yield Case("StridedSliceGrad", i32([4, 3]), i32([1, 0]), i32([3, 3]), i32([1, 2]), sample("float", (2, 2)))
    yield Case("StridedSliceGrad", i32([4]), i32([1]), i32([2]), i32([1]), f32(5), shrink_axis_mask=1)
    yield Case("StridedSliceGrad", i32([4]), i32([1]), i32([3]), i32([1]), f32([5]))
    for t in ALL:
        yield Case("ReverseV2", sample(t, (2, 3)), i32([1]))
        yield Case("Transpose", sample(t, (2, 3)), i32([1, 0]))
    for shape, axis in [((2, 3), [0, 1]), ((2, 3), [-1]), ((2, 3), []), ((), []), ((0, 2), [0]), ((2, 3, 4), [0, 2]), ((2, 3), [2]),
                        ((2, 3), [0, 0])]:
        yield Case("ReverseV2", sample("float", shape), i32(axis))
    for shape, perm in [((), []), ((3,), [0]), ((2, 3, 4), [2, 0, 1]), ((2, 3, 4), [0, 2, 1]), ((2, 0), [1, 0]), ((1, 2, 3, 2), [3, 1, 0, 2]),
                        ((7, 5), [1, 0]), ((2, 3), [0, 0]), ((2, 3), [0, 2]), ((2, 3), [0]), ((2, 3), [-1, 0])]:
        yield Case("Transpose", sample("float", shape), i32(perm))
    yield Case("Transpose", sample("float", (2, 3)), i64([1, 0]))
    for p in ([3, 4, 0, 2, 1], [0], [], [0, 0], [1, 2], [-1, 0]):
        yield Case("InvertPermutation", i32(p))
        yield Case("InvertPermutation", i64(p))
    for t in ALL:
        yield Case("Pad", sample(t, (2, 3)), i32([[1, 0], [0, 2]]))
        yield Case("PadV2", sample(t, (2, 3)), i32([[1, 0], [0, 2]]), sample(t, (), 3))
    for shape, p in [((), np.zeros((0, 2))), ((2,), [[0, 0]]), ((0, 2), [[1, 1], [0, 0]]), ((2, 3), [[1, 1]]), ((2,), [[-1, 0]]), ((2,), [1, 1])]:
        yield Case("Pad", sample("float", shape), i32(p))
    for mode in ("REFLECT", "SYMMETRIC"):
        yield Case("MirrorPad", sample("float", (3, 4)), i32([[1, 2], [2, 1]]), mode=mode)
        yield Case("MirrorPad", sample("float", (2,)), i32([[2, 0]]), mode=mode)


def lookups():
    for t in ALL:
        yield Case("GatherV2", sample(t, (4, 2)), i32([3, 0, 0]), i32(0))
        yield Case("Gather", sample(t, (4, 2)), i32([[3, 0], [1, 1]]))
        yield Case("GatherNd", sample(t, (3, 2)), i32([[0, 1], [2, 0]]))
        yield Case("ScatterNd", i32([[1], [3], [1]]), sample(t, (3, 2)), i32([4, 2]))
        yield Case("DynamicStitch", [i32([0, 2]), i32([[3], [1]])], [sample(t, (2, 2), 1), sample(t, (2, 1, 2), 2)])
        yield Case("DynamicPartition", sample(t, (4, 2)), i32([0, 2, 0, 1]), num_partitions=3)
        yield Case("Select", sample("bool", (2, 3)), sample(t, (2, 3), 1), sample(t, (2, 3), 2))
        yield Case("SelectV2", sample("bool", (2, 1), 3), sample(t, (3,), 1), sample(t, (), 2))
        yield Case("Where", sample(t, (3, 4), 4, -1, 1))
        yield Case("Unique", sample(t, (9,), 5, -1, 1))
        yield Case("TopKV2", sample(t, (2, 5)), i32(3))
    for shape, ix, axis, batch in [((4, 3), 1, 0, 0), ((4, 3), [2, 0], 1, 0), ((4, 3), [2, 0], -1, 0), ((2, 3, 4), [[1, 0], [2, 2]], 1, 0),
                                   ((2, 3, 2), [[1, 0], [2, 2]], 1, 1), ((4, 0), [1, 1], 0, 0), ((4,), [], 0, 0), ((0, 3), [], 0, 0),
                                   ((4, 3), [4], 0, 0), ((4, 3), [-1], 0, 0), ((4, 3), [0], 2, 0), ((), [0], 0, 0), ((0, 3), [0], 0, 0)]:
        yield Case("GatherV2", sample("float", shape), i32(ix), i32(axis), batch_dims=batch)
    yield Case("GatherV2", sample("float", (4,)), i64([3, 1]), i64(0))
    for shape, ix in [((2, 2), [[1]]), ((2, 2), [1, 0]), ((2, 2), [[[0], [1]]]), ((3,), np.zeros((0, 1))), ((2, 2), np.zeros((3, 0))),
                      ((2, 2), [[2, 0]]), ((2, 2), [[-1, 0]]), ((2, 2), [[0, 0, 0]]), ((0,), [[0]])]:
        yield Case("GatherNd", sample("float", shape), i32(ix))
    for ix, u, shape in [([[0, 1], [1, 0]], f32([5, 6]), [2, 2]), (np.zeros((0, 1)), f32([], (0, 2)), [3, 2]), ([[5]], f32([1]), [3]),
                         ([[-1]], f32([1]), [3]), ([[0]], f32([[1]]), [3]), ([[0]], f32([1, 2]), [3]), ([[0]], f32([1]), [-1])]:
        yield Case("ScatterNd", i32(ix), u, i32(shape))
    yield Case("DynamicStitch", [i32(1), i32(0)], [f32(4), f32(5)])
    yield Case("DynamicStitch", [i32([0, 1]), i32([1, 0])], [f32([1, 2]), f32([3, 4])])
    yield Case("DynamicStitch", [i32([2])], [f32([[1, 2]])])
    yield Case("DynamicStitch", [i32([])], [f32([], (0, 2))])
    yield Case("DynamicStitch", [i32([-1])], [f32([1])])
    yield Case("DynamicStitch", [i32([0, 1])], [f32([1])])
    yield Case("DynamicStitch", [i32([0]), i32([1])], [f32([[1]]), f32([1])])
    yield Case("DynamicPartition", sample("float", (4,)), i32([0, 2, 0, 3]), num_partitions=3)
    yield Case("DynamicPartition", sample("float", (4,)), i32([0, 1]), num_partitions=3)
    yield Case("Select", np.array(True), sample("float", (2, 3), 1), sample("float", (2, 3), 2))
    yield Case("Select", np.array(False), f32(1), f32(2))
    yield Case("Select", np.array([True, False]), sample("float", (2, 3), 1), sample("float", (2, 3), 2))
    yield Case("Select", np.array([True, False, True]), sample("float", (2, 3), 1), sample("float", (2, 3), 2))
    yield Case("Select", np.array([True, False]), f32([1, 2]), f32([1, 2, 3]))
    yield Case("SelectV2", np.array(True), f32([1, 2]), f32([[3], [4]]))
    yield Case("SelectV2", sample("bool", (0,)), f32(1), f32([]))
    yield Case("SelectV2", np.array([True, False]), f32([1, 2, 3]), f32(0))
    for shape in [(), (0,), (5,), (2, 0), (2, 3, 4), (1, 1, 2, 1, 3)]:
        yield Case("Where", sample("bool", shape, 7))
    yield Case("Where", np.array(True))
    yield Case("Where", f32([0, -0.0, np.nan, 1]))
    yield Case("Unique", strs([b"b", b"a", b"b", b"", b""]))
    yield Case("Unique", f32([]))
    yield Case("Unique", i32([3, 3, 1]), out_idx=Type("int64"))
    yield Case("Unique", i32([[1]]))
    yield Case("UniqueV2", i32([[1, 2], [1, 2], [3, 4]]), i64([0]))
    yield Case("UniqueWithCounts", i32([4, 1, 4]))
    for x, k in [([1, 3, 3, 2], 2), ([1, 3, 3, 2], 0), ([1, 3, 3, 2], 4), ([[1, 2], [4, 3]], 1), ([1, 2], 3), ([1, 2], -1)]:
        yield Case("TopKV2", f32(x), i32(k))
    yield Case("TopKV2", f32(1), i32(1))
    yield Case("ListDiff", i32([1, 2, 3, 4, 2]), i32([2, 4]))
    yield Case("InTopK", sample("float", (3, 4)), i32([0, 3, 1]), k=2)
    yield Case("InTopKV2", sample("float", (3, 4)), i32([0, 3, 9]), i32(2))
    yield Case("EnsureShape", sample("float", (2, 3)), shape=(2, None))
    yield Case("EnsureShape", sample("float", (2, 3)), shape=(3, None))
    yield Case("ReverseSequence", sample("float", (2, 4)), i32([3, 1]), seq_dim=1, batch_dim=0)
    yield Case("TensorScatterUpdate", f32([1, 2, 3]), i32([[1], [0]]), f32([8, 9]))
    yield Case("TensorScatterAdd", f32([1, 2, 3]), i32([[1], [1]]), f32([8, 9]))
    yield Case("PreventGradient", f32([1, 2]))
    yield Case("PlaceholderWithDefault", f32([1, 2]), shape=(2,))
    yield Case("CheckNumerics", f32([1, 2]), message="m")
    yield Case("CheckNumerics", f32([1, np.nan]), message="m")
    yield Case("CheckNumerics", f32([1, np.inf]), message="m")
    yield Case("CheckNumerics", f32([-np.inf, np.nan]), message="m")
    yield Case("SpaceToDepth", sample("float", (1, 4, 4, 2)), block_size=2)
    yield Case("DepthToSpace", sample("float", (1, 2, 2, 8)), block_size=2)
    yield Case("IdentityN", [f32([1, 2]), i32(3)])


def cases():
    for part in (shapes, fills, joins, slices, lookups):
        yield from part()
