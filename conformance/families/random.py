"""Random ops with fixed seeds, each run twice: the generator moves on between steps."""
from case import *  # noqa: F403

SEEDS = [(87654321, 7), (1, 2), (0, 5), (5, 0), (-3, 2**40 + 1)]

def stateless():
    seeds = ([1, 2], [-3, 4], [0, 0])
    for seed in seeds:
        yield Case("StatelessRandomGetKeyCounter", i64(seed))
        yield Case("StatelessRandomGetKeyCounterAlg", i32(seed))
        for t in ("int32", "int64"):
            yield Case("StatelessRandomUniformInt", i32([3, 4]), i64(seed), arr(t, -5), arr(t, 100))
        for t in ("int32", "int64", "uint32", "uint64"):
            yield Case("StatelessRandomUniformFullInt", i32([7]), i64(seed), dtype=Type(t))
    yield Case("StatelessRandomGetAlg")
    yield Case("StatelessRandomGetKeyCounter", i64([1, 2, 3]))
    key, counter = arr("uint64", [2**40 + 5]), arr("uint64", [3, 2**63 + 1])
    for op in ("StatelessRandomUniformV2", "StatelessRandomNormalV2", "StatelessTruncatedNormalV2"):
        for t in ("half", "bfloat16", "float", "double"):
            yield Case(op, i32([5, 3]), key, counter, i32(1), dtype=Type(t))
        yield Case(op, i64([0, 3]), key, counter, i32(1))
        yield Case(op, i64([2]), key, counter, i32(9))
        yield Case(op, i64([2]), key, counter, i32([1]))
        yield Case(op, i64([-2]), key, counter, i32(1))
    for t in ("int32", "int64", "uint32", "uint64"):
        yield Case("StatelessRandomUniformIntV2", i32([7]), key, counter, i32(1), arr(t, 3), arr(t, 1000))
        yield Case("StatelessRandomUniformIntV2", i32([7]), key, counter, i32(1), arr(t, 3), arr(t, 3))
        yield Case("StatelessRandomUniformFullIntV2", i32([7]), key, counter, i32(1), dtype=Type(t))


def candidates():
    given = i64([[0, 3], [5, 1]])
    for op in ("UniformCandidateSampler", "LogUniformCandidateSampler"):
        for unique in (True, False):
            for n in (100, 64):
                yield Case(op, given, num_true=2, num_sampled=6, unique=unique, range_max=n, seed=3, seed2=4, runs=2)
        yield Case(op, given, num_true=2, num_sampled=10, unique=True, range_max=5, seed=3)
        yield Case(op, given, num_true=2, num_sampled=3, unique=True, range_max=5, seed=3)
        yield Case(op, given, num_true=1, num_sampled=3, unique=True, range_max=50, seed=3)
    weights = [float(w) for w in range(1, 11)]
    for extra in ({}, dict(distortion=0.75), dict(num_reserved_ids=2, range_max=12), dict(num_shards=2, shard=1), dict(range_max=9), dict(unigrams=[])):
        attrs = dict(dict(num_true=2, num_sampled=5, range_max=10, unigrams=weights, seed=3, seed2=4), **extra)
        yield Case("FixedUnigramCandidateSampler", given, unique=False, runs=2, **attrs)
        yield Case("FixedUnigramCandidateSampler", given, unique=True, runs=2, **attrs)
    shard = dict(unigrams=weights, num_reserved_ids=1, num_shards=2, shard=1, range_max=5)
    yield Case("FixedUnigramCandidateSampler", i64([[0, 3], [4, 1]]), num_true=2, num_sampled=7, unique=False, seed=3, seed2=4, **shard)
    yield Case("AllCandidateSampler", given, num_true=2, num_sampled=6, unique=True)
    yield Case("ComputeAccidentalHits", given, i64([3, 7, 5, 0]), num_true=2)
    yield Case("ComputeAccidentalHits", given, i64([3, 3, 5]), num_true=2)
    yield Case("ComputeAccidentalHits", given, i64([3, 3, 5]), num_true=1)


def by_parameter():
    for t in ("half", "float", "double"):
        yield Case("RandomGamma", i32([3]), arr(t, [0.5, 1, 2, 20]), seed=87654321, seed2=7, runs=2)
        yield Case("RandomPoissonV2", i32([2, 2]), arr(t, [0.5, 3, 20, 0]), dtype=Type("int64"), seed=87654321, seed2=7, runs=2)
        yield Case("RandomPoissonV2", i32([3]), arr("double", [0.5, 3, 20, 0]), dtype=Type(t), seed=87654321, seed2=7)
    yield Case("RandomPoissonV2", i32([3]), i32([1, 30]), dtype=Type("int32"), seed=3, seed2=4)
    yield Case("RandomGamma", i32([[3]]), f32([0.5]), seed=3, seed2=4)
    yield Case("RandomGamma", i32([-3]), f32([0.5]), seed=3, seed2=4)
    yield Case("RandomGamma", i32([0]), f32([0.5]), seed=3, seed2=4)
    for t in ("float", "double", "int32"):
        for seed in (i32([1, 2]), i64([-3, 1 << 40])):
            yield Case("StatelessMultinomial", sample(t, (2, 3)), i32(7), seed, output_dtype=Type("int32"))
    yield Case("StatelessMultinomial", sample("float", (2, 3)), i32(-1), i32([1, 2]))
    yield Case("StatelessMultinomial", sample("float", (2, 3)), i32(1), i32([1, 2, 3]))


def cases():
    yield from by_parameter()
    for op in ("RandomUniform", "RandomStandardNormal", "TruncatedNormal"):
        for t in FLOATS:
            yield Case(op, i32([7]), dtype=Type(t), seed=87654321, seed2=7, runs=2)
            yield Case(op, i32([3, 5]), dtype=Type(t), seed=3, seed2=4, runs=2)
        for seed, seed2 in SEEDS:
            yield Case(op, i32([9]), dtype=Type("float"), seed=seed, seed2=seed2, runs=2)
        for shape in ([], [0], [1], [600], [2, 0, 3], [4, 4, 4]):
            yield Case(op, i32(shape), dtype=Type("float"), seed=11, seed2=12, runs=2)
        yield Case(op, i64([5]), dtype=Type("float"), seed=11, seed2=12, runs=2)
        yield Case(op, i32([-1]), dtype=Type("float"), seed=11, seed2=12)
        yield Case(op, i32(3), dtype=Type("float"), seed=11, seed2=12)
        yield Case(op, i64([2**31, 2**31, 2**31]), dtype=Type("float"), seed=11, seed2=12)
    for t in ("int32", "int64"):
        for low, high in ((0, 10), (-5, 5), (-2**31, 2**31 - 1), (0, 1), (3, 3), (4, 3)):
            yield Case("RandomUniformInt", i32([9]), arr(t, low), arr(t, high), seed=11, seed2=12, runs=2)
    for n in (0, 1, 2, 8, 33):
        yield Case("RandomShuffle", np.arange(n, dtype=np.int32), seed=87654321, seed2=7, runs=2)
    for t in ("float", "string", "bool", "int64"):
        yield Case("RandomShuffle", sample(t, (6, 2)), seed=4, seed2=5, runs=2)
    yield Case("RandomShuffle", f32(3), seed=4, seed2=5, runs=2)
    yield Case("RandomShuffle", f32([], (0, 2)), seed=4, seed2=5, runs=2)
    for n in (0, 1, 10):
        yield Case("Multinomial", sample("float", (2, 5)), i32(n), seed=4, seed2=5, runs=2)
    yield Case("Multinomial", sample("float", (2, 5)), i32(-1), seed=4, seed2=5)
    for op in ("StatelessRandomUniform", "StatelessRandomNormal", "StatelessTruncatedNormal"):
        for t in FLOATS:
            yield Case(op, i32([7]), i64([3, 4]), dtype=Type(t))
        yield Case(op, i32([2, 3]), i32([-1, 9]), dtype=Type("float"))
        yield Case(op, i32([2, 3]), i32([1]), dtype=Type("float"))
    yield from stateless()
    yield from candidates()
