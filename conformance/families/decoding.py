"""Sequences without alignment: their loss and their decoding; pools of regions of several sizes; truncated normals with parameters."""
from case import *  # noqa: F403


def labels(*rows):
    """Rows of labels as indices and values of a sparse matrix."""
    indices = [[b, t] for b, row in enumerate(rows) for t in range(len(row))]
    return i64(np.array(indices).reshape(-1, 2)), i32([v for row in rows for v in row])


def losses():
    for t in ("float", "double"):
        x = sample(t, (6, 2, 4))
        yield Case("CTCLoss", x, *labels([0, 1, 2], [1, 1]), i32([6, 5]))
    x = sample("float", (6, 2, 4))
    for collapse in (False, True):
        for merge in (False, True):
            flags = dict(preprocess_collapse_repeated=collapse, ctc_merge_repeated=merge)
            yield Case("CTCLoss", x, *labels([0, 0, 1], [2, 2]), i32([6, 4]), **flags)
            yield Case("CTCLoss", x, *labels([0, 0, 1, 1], [2]), i32([5, 1]), **flags)
    yield Case("CTCLoss", x, *labels([0, 1], []), i32([6, 3]))
    yield Case("CTCLoss", x, *labels([], []), i32([6, 3]))
    yield Case("CTCLoss", x, *labels([0, 1], [1]), i32([6, 0]))
    yield Case("CTCLoss", x, *labels([0, 1], [1]), i32([6, 0]), ignore_longer_outputs_than_inputs=True)
    yield Case("CTCLoss", x, *labels([0, 1, 2], [1]), i32([2, 6]))
    yield Case("CTCLoss", x, *labels([0, 1, 2], [1]), i32([2, 6]), ignore_longer_outputs_than_inputs=True)
    yield Case("CTCLoss", x, *labels([1, 1, 1], [1]), i32([4, 6]))
    yield Case("CTCLoss", x, *labels([1, 1, 1], [1]), i32([4, 6]), ctc_merge_repeated=False)
    yield Case("CTCLoss", x, *labels([0, 3], [1]), i32([6, 6]))
    yield Case("CTCLoss", x, *labels([0, 3, 1], [1]), i32([6, 6]))
    yield Case("CTCLoss", x, *labels([0, -1], [1]), i32([6, 6]))
    yield Case("CTCLoss", x, *labels([0, 7], [1]), i32([6, 6]))
    yield Case("CTCLoss", x, *labels([0, 1], [1]), i32([7, 6]))
    yield Case("CTCLoss", x, *labels([0, 1], [1]), i32([-1, 6]))
    yield Case("CTCLoss", x, *labels([0, 1], [1]), i32([6]))
    yield Case("CTCLoss", x, *labels([0, 1], [1], [2]), i32([6, 6]))
    yield Case("CTCLoss", x, i64([[0, 0], [1, 0]]), i32([1]), i32([6, 6]))
    yield Case("CTCLoss", x[0], *labels([0, 1], [1]), i32([6, 6]))
    yield Case("CTCLoss", sample("float", (6, 0, 4)), i64(np.zeros((0, 2))), i32([]), i32([]))
    yield Case("CTCLoss", sample("float", (6, 1, 1)), *labels([]), i32([6]))


def beams():
    for t in ("float", "double"):
        for width, paths in ((1, 1), (2, 1), (3, 2), (10, 3)):
            for merge in (False, True):
                yield Case("CTCBeamSearchDecoder", sample(t, (6, 2, 4), 3), i32([6, 4]), beam_width=width, top_paths=paths, merge_repeated=merge)
    x = sample("float", (6, 2, 4), 3)
    yield Case("CTCBeamSearchDecoder", sample("float", (12, 1, 6), 5, -5, 5), i32([12]), beam_width=20, top_paths=5)
    yield Case("CTCBeamSearchDecoder", x, i32([0, 2]), beam_width=4, top_paths=1)
    yield Case("CTCBeamSearchDecoder", x, i32([6, 4]), beam_width=2, top_paths=3)
    yield Case("CTCBeamSearchDecoder", x, i32([1, 0]), beam_width=9, top_paths=4)
    yield Case("CTCBeamSearchDecoder", x, i32([7, 0]), beam_width=9, top_paths=1)
    yield Case("CTCBeamSearchDecoder", x, i32([6]), beam_width=9, top_paths=1)
    yield Case("CTCBeamSearchDecoder", x[0], i32([6, 6]), beam_width=9, top_paths=1)
    yield Case("CTCBeamSearchDecoder", sample("float", (3, 1, 1)), i32([3]), beam_width=2, top_paths=1)


def pools():
    seeds = dict(deterministic=True, seed=87654321, seed2=7)
    for kind in ("Max", "Avg"):
        op = "Fractional%sPool" % kind
        for t in ("float", "double", "int32", "int64"):
            yield Case(op, sample(t, (1, 7, 9, 2)), pooling_ratio=[1.0, 1.6, 1.3, 1.0], **seeds)
        for pseudo in (False, True):
            for overlap in (False, True):
                for ratio in ([1.0, 1.44, 1.73, 1.0], [1.0, 2.0, 3.0, 1.0], [1.0, 1.0, 2.5, 1.0]):
                    yield Case(op, sample("float", (2, 12, 15, 1)), pooling_ratio=ratio, pseudo_random=pseudo, overlapping=overlap, **seeds)
        x = sample("float", (1, 6, 6, 1))
        for ratio in ([1.0, 0.5, 1.0, 1.0], [2.0, 1.0, 1.0, 1.0], [1.0, 1.5, 1.5, 1.5], [1.0, 9.0, 1.0, 1.0]):
            yield Case(op, x, pooling_ratio=ratio, **seeds)
        yield Case(op, x, pooling_ratio=[1.0, 1.5, 1.5, 1.0], deterministic=False, seed=3)
        yield Case(op, x[0], pooling_ratio=[1.0, 1.5, 1.5, 1.0], **seeds)
        yield Case(op, x, pooling_ratio=[1.0, 1.5, 1.5], **seeds)
    rows, columns = i64([0, 2, 4, 7]), i64([0, 3, 4])
    for t in ("float", "double", "int32", "int64"):
        for overlap in (False, True):
            x = sample(t, (2, 7, 4, 2))
            yield Case("FractionalAvgPoolGrad", i64([2, 7, 4, 2]), sample(t, (2, 3, 2, 2), 1), rows, columns, overlapping=overlap)
            ends = 1 if overlap else 0
            y = np.stack([np.stack([x[:, r:s + ends, c:d + ends].max((1, 2)) for c, d in ((0, 3), (3, 4))], 1) for r, s in ((0, 2), (2, 4), (4, 7))], 1)
            yield Case("FractionalMaxPoolGrad", x, y, sample(t, (2, 3, 2, 2), 1), rows, columns, overlapping=overlap)
    x, y, dy = sample("float", (1, 4, 4, 1)), sample("float", (1, 2, 2, 1)), sample("float", (1, 2, 2, 1), 1)
    for bad in ([0, 2, 9], [0, 2], [-1, 2, 4], [[0, 2, 4]], [2, 1, 4], []):
        yield Case("FractionalAvgPoolGrad", i64([1, 4, 4, 1]), dy, i64(bad), i64([0, 2, 4]))
        yield Case("FractionalMaxPoolGrad", x, y, dy, i64(bad), i64([0, 2, 4]))
    for bad in ([1, 4, 4], [1, 0, 4, 1], [-1, 4, 4, 1]):
        yield Case("FractionalAvgPoolGrad", i64(bad), dy, i64([0, 2, 4]), i64([0, 2, 4]))


def normals():
    seeds = dict(seed=87654321, seed2=7)
    regimes = ((0, 1, -2, 2), (0, 1, -0.5, 0.5), (0, 1, 2, 3), (0, 1, 4, 9), (1, 2, -np.inf, 0), (1, 2, 5, np.inf), (3, 0.5, -4, 1), (0, 1, -0.1, 4), (0, 2, -9, 9))
    for t in ("float", "double", "half"):
        for mean, deviation, low, high in regimes:
            given = [arr(t, v) for v in (mean, deviation, low, high)]
            yield Case("ParameterizedTruncatedNormal", i32([40]), *given, dtype=Type(t), **seeds)
            yield Case("StatelessParameterizedTruncatedNormal", i32([40]), i64([3, 4]), *given)
    yield Case("ParameterizedTruncatedNormal", i32([3, 7]), f32([0, 5, -5]), f32([1, 2, 0.5]), f32([-2, 4, -9]), f32([2, 9, -4]), runs=2, **seeds)
    yield Case("ParameterizedTruncatedNormal", i32([300]), f32(0), f32(1), f32(-2), f32(2), **seeds)
    yield Case("StatelessParameterizedTruncatedNormal", i32([4, 3, 1]), i32([3, 4]), f32([[0], [5], [-5]]), f32([[1], [2], [0.5]]), f32([[-2], [4], [-9]]), f32([[2], [9], [-4]]))
    for op, seed in (("ParameterizedTruncatedNormal", ()), ("StatelessParameterizedTruncatedNormal", (i64([3, 4]),))):
        for mean, deviation, low, high in ((0, -1, -2, 2), (0, 1, 2, -2), (0, 1, -np.inf, np.inf), (0, 0, -2, 2), (0, 1, 2, 2)):
            yield Case(op, i32([4]), *seed, f32(mean), f32(deviation), f32(low), f32(high))
        yield Case(op, i32([4]), *seed, f32([0, 1]), f32(1), f32(-2), f32(2))
        yield Case(op, i32(4), *seed, f32(0), f32(1), f32(-2), f32(2))
        yield Case(op, i32([-4]), *seed, f32(0), f32(1), f32(-2), f32(2))
        yield Case(op, i32([0]), *seed, f32(0), f32(1), f32(-2), f32(2))


def cases():
    for group in (losses, beams, pools, normals):
        yield from group()
