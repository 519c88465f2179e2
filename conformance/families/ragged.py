"""Ragged tensors: rows picked, made dense, made sparse."""
from case import *  # noqa: F403


def splits(*all_, dtype="int64"):
    return [arr(dtype, s) for s in all_]


def cases():
    for t in ("float", "string", "int32", "bool"):
        for dtype in ("int64", "int32"):
            yield Case("RaggedGather", splits([0, 2, 2, 5], dtype=dtype), sample(t, (5, 2)), i32([2, 0, 2]), OUTPUT_RAGGED_RANK=1)
    nested = splits([0, 2, 2, 3], [0, 1, 4, 5])
    for index, rank in ((i64([0, 2, 1, 0]), 2), (i64([[0, 2], [1, 0], [2, 2]]), 3), (i64([]), 2), (i64(np.zeros((2, 0))), 3)):
        yield Case("RaggedGather", nested, sample("float", (5,)), index, OUTPUT_RAGGED_RANK=rank)
    for index in (i64([3]), i64([-1])):
        yield Case("RaggedGather", nested, sample("float", (5,)), index, OUTPUT_RAGGED_RANK=2)
    for bad in ([0, 2, 1, 3], [1, 2, 3], [0, 9], []):
        yield Case("RaggedGather", splits(bad), sample("float", (3,)), i64([0]), OUTPUT_RAGGED_RANK=1)
    for t in ("float", "string", "int64"):
        yield Case("RaggedTensorToSparse", splits([0, 2, 2, 5]), sample(t, (5,)))
        yield Case("RaggedTensorToSparse", nested, sample(t, (5, 2)))
    yield Case("RaggedTensorToSparse", splits([0]), sample("float", (0,)))
    yield Case("RaggedTensorToSparse", splits([0, 0]), sample("float", (0, 2)))
    for bad in ([0, 2, 1, 3], [1, 2, 3], [0, 9], [0, 2], []):
        yield Case("RaggedTensorToSparse", splits(bad), sample("float", (3,)))
    rows = ["ROW_SPLITS"]
    ids = ["FIRST_DIM_SIZE", "VALUE_ROWIDS"]
    for shape in (i64(-1), i64([-1, -1]), i64([2, 4]), i64([5, 1]), i32([-1, 3]), i64([2, -1])):
        yield Case("RaggedTensorToTensor", shape, f32([1, 2, 3, 4]), f32(9), [i64([0, 2, 2, 4])], row_partition_types=rows)
        yield Case("RaggedTensorToTensor", shape, f32([1, 2, 3, 4]), f32(9), [i64(3), i64([0, 0, 2, 2])], row_partition_types=ids)
    for t in ("string", "int32", "bool"):
        yield Case("RaggedTensorToTensor", i64(-1), sample(t, (4,)), sample(t, ()), [i32([0, 2, 2, 4])], row_partition_types=rows)
    for default in (f32(9), f32([7, 8]), f32([[7, 8]]), f32([7, 8, 9])):
        yield Case("RaggedTensorToTensor", i64([3, 3, 2]), sample("float", (4, 2)), default, [i64([0, 2, 2, 4])], row_partition_types=rows)
    yield Case("RaggedTensorToTensor", i64([-1, -1, -1]), f32([1, 2, 3, 4, 5]), f32(9), [i64([0, 2, 2, 3]), i64([0, 1, 4, 5])], row_partition_types=rows * 2)
    yield Case("RaggedTensorToTensor", i64([-1, -1, -1]), f32([1, 2, 3, 4, 5]), f32(9), [i64(4), i64([0, 0, 2]), i64([0, 1, 1, 2, 2])],
               row_partition_types=ids + ["VALUE_ROWIDS"])
    yield Case("RaggedTensorToTensor", i64([-1]), f32([1, 2, 3, 4]), f32(9), [i64([0, 2, 2, 4])], row_partition_types=rows)
    yield Case("RaggedTensorToTensor", i64(-1), f32([1, 2, 3, 4]), f32(9), [i64([0, 2, 2, 4])], row_partition_types=["ROW_LENGTHS"])
    yield Case("RaggedTensorToTensor", i64(-1), f32([1, 2, 3, 4]), f32(9), [i64([0, 2, 2, 4])], row_partition_types=["VALUE_ROWIDS"])
