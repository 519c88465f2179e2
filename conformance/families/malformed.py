"""A sweep over every op: each input of a good case in turn with a wrong rank, empty, or with one element too many.

Only what TensorFlow refuses is recorded: what it accepts is either broadcasting, which the families cover, or
a check that it lacks.
"""
from case import *  # noqa: F403
from families import array, cells, decoding, images, math, matrices, nn, parsing, pictures, ragged, random, rearrange, sequences, sparse, state, text

# TensorFlow 2.21 does not check these inputs and dies, or writes where it should not.
SKIP = {"AvgPoolGrad", "FractionalAvgPoolGrad", "FractionalMaxPoolGrad", "BatchNormWithGlobalNormalization", "BatchNormWithGlobalNormalizationGrad", "ParseExample", "ParseSingleSequenceExample", "ApplyAddSign", "ApplyPowerSign", "RaggedGather", "RaggedTensorToTensor", "SparseCrossHashed", "LSTMBlockCell", "LSTMBlockCellGrad", "BlockLSTM", "BlockLSTMV2", "BlockLSTMGrad", "BlockLSTMGradV2", "GRUBlockCell", "GRUBlockCellGrad", "ResourceApplyAddSign", "ResourceApplyPowerSign"}
SKIPPED_FAMILIES = ("SparseApply", "ResourceSparseApply")


def wrong(value):
    """Variants of an input, each wrong in its shape."""
    yield value[np.newaxis]
    yield np.zeros((0,) + value.shape[1:], value.dtype) if value.dtype != object else strs([], (0,))
    flat = value.reshape(-1)
    if value.ndim > 0 and flat.size:
        yield flat[0].reshape(()) if value.dtype != object else strs(flat[0])
        yield np.concatenate([value, value[:1]])
        yield flat


def cases():
    done = set()
    for family in (math, array, nn, cells, decoding, text, parsing, sequences, images, pictures, matrices, ragged, random, rearrange, sparse, state):
        for case in family.cases():
            if case.op in done or case.op in SKIP or case.op.startswith(SKIPPED_FAMILIES) or not case.inputs:
                continue
            if isinstance(case.inputs[0], list) and not case.inputs[0]:
                continue
            first = case.inputs[0][0] if isinstance(case.inputs[0], list) else case.inputs[0]
            # The first case of the op that has float values (or what the op takes) and something in them.
            if first.size < 2 or first.dtype in (np.float16, bfloat16):
                continue
            done.add(case.op)
            for i, given in enumerate(case.inputs):
                values = given if isinstance(given, list) else [given]
                for j, value in list(enumerate(values))[:2]:
                    for bad in wrong(value):
                        inputs = list(case.inputs)
                        inputs[i] = values[:j] + [bad] + values[j + 1:] if isinstance(given, list) else bad
                        yield Case(case.op, *inputs, refused_only=True, known=case.known, **case.attrs)
