"""Neural network ops: activations over rows, losses, bias, convolution, pooling."""
from case import *  # noqa: F403


def losses():
    for op in ("Softmax", "LogSoftmax"):
        for t in FLOATS:
            yield Case(op, sample(t, (3, 4)))
        for shape in [(5,), (7, 5), (2, 3, 4), (0, 3), (3, 1), (1, 10), (2, 0)]:
            yield Case(op, sample("float", shape, 2, -20, 20))
        yield Case(op, f32([[1000, 1000, -1000], [np.inf, 1, 1], [np.nan, 1, 1], [-np.inf, 1, 2]]))
        yield Case(op, f32(1))
    for t in FLOATS:
        labels = sample(t, (3, 4), 1, 0, 1)
        yield Case("SoftmaxCrossEntropyWithLogits", sample(t, (3, 4)), labels)
        for labels_t in (i32([0, 3, 1]), i64([2, 2, 0])):
            yield Case("SparseSoftmaxCrossEntropyWithLogits", sample(t, (3, 4)), labels_t)
    for a, b in [((7, 5), (7, 5)), ((7, 5), (1, 5)), ((7, 5), (7, 1)), ((1, 5), (3, 5)), ((0, 3), (0, 3)), ((2, 1), (2, 1))]:
        yield Case("SoftmaxCrossEntropyWithLogits", sample("float", a, 1, -9, 9), sample("float", b, 2, 0, 1))
    one_hot = np.eye(10, dtype=np.float32)[[3, 0, 9]]
    yield Case("SoftmaxCrossEntropyWithLogits", sample("float", (3, 10), 3, -30, 30), one_hot)
    yield Case("SoftmaxCrossEntropyWithLogits", f32([[100, -100, 0]]), f32([[0, 1, 0]]))
    yield Case("SoftmaxCrossEntropyWithLogits", f32([1, 2]), f32([0, 1]))
    yield Case("SoftmaxCrossEntropyWithLogits", f32([[1, 2]]), f32([[0, 1, 0]]))
    for labels in ([0, 4], [-1, 0], [0, 1, 2], [[0], [1]]):
        yield Case("SparseSoftmaxCrossEntropyWithLogits", sample("float", (2, 4)), i32(labels))
    yield Case("SparseSoftmaxCrossEntropyWithLogits", sample("float", (0, 4)), i32([]))
    yield Case("SparseSoftmaxCrossEntropyWithLogits", sample("float", (2, 0)), i32([0, 0]))
    yield Case("SparseSoftmaxCrossEntropyWithLogits", sample("float", (4,)), i32([0, 0, 1, 1]))
    for t in NUMBERS:
        yield Case("BiasAdd", sample(t, (2, 3), 1), sample(t, (3,), 2))
        yield Case("BiasAddGrad", sample(t, (2, 3), 1))
    for shape in [(7, 5), (2, 3, 4), (1, 2, 2, 3), (0, 3), (2, 1, 2, 2, 3)]:
        yield Case("BiasAdd", sample("float", shape, 1), sample("float", shape[-1:], 2))
        yield Case("BiasAddGrad", sample("float", shape, 1))
        yield Case("BiasAddV1", sample("float", shape, 1), sample("float", shape[-1:], 2))
    yield Case("BiasAdd", sample("float", (2, 3, 2, 2)), sample("float", (3,)), data_format="NCHW")
    yield Case("BiasAddGrad", sample("float", (2, 3, 2, 2)), data_format="NCHW")
    yield Case("BiasAdd", sample("float", (2, 3)), sample("float", (2,)))
    yield Case("BiasAdd", sample("float", (3,)), sample("float", (3,)))
    yield Case("BiasAdd", sample("float", (2, 3)), sample("float", (1, 3)))
    yield Case("BiasAddGrad", sample("float", (3,)))
    yield Case("BiasAddGrad", f32(3))


def convolutions():
    shapes = [((1, 5, 5, 1), (3, 3, 1, 2)), ((2, 6, 5, 3), (3, 2, 3, 4)), ((1, 4, 4, 8), (1, 1, 8, 3)), ((1, 3, 3, 2), (3, 3, 2, 1)),
              ((0, 4, 4, 2), (3, 3, 2, 2)), ((1, 7, 9, 4), (5, 5, 4, 3))]
    for x, w in shapes:
        for padding in ("SAME", "VALID"):
            if padding == "VALID" and (x[1] < w[0] or x[2] < w[1]):
                continue
            for s in (1, 2):
                yield Case("Conv2D", sample("float", x, 1), sample("float", w, 2), strides=[1, s, s, 1], padding=padding)
    x, w = sample("float", (1, 6, 6, 2), 1), sample("float", (3, 3, 2, 2), 2)
    for t in FLOATS:
        yield Case("Conv2D", sample(t, (1, 5, 5, 2), 1), sample(t, (3, 3, 2, 2), 2), strides=[1, 1, 1, 1], padding="SAME")
    yield Case("Conv2D", x, w, strides=[1, 1, 1, 1], padding="VALID", dilations=[1, 2, 2, 1])
    yield Case("Conv2D", x, w, strides=[1, 2, 1, 1], padding="SAME")
    yield Case("Conv2D", x, w, strides=[1, 1, 1, 1], padding="EXPLICIT", explicit_paddings=[0, 0, 1, 2, 0, 1, 0, 0])
    yield Case("Conv2D", sample("float", (1, 0, 2, 1)), sample("float", (1, 1, 1, 1)), strides=[1, 1, 1, 1], padding="EXPLICIT",
               explicit_paddings=[0, 0, 1, 1, 1, 1, 0, 0])
    yield Case("Conv2D", x, sample("float", (3, 3, 3, 2)), strides=[1, 1, 1, 1], padding="SAME")
    none = np.zeros((3, 3, 2, 0), np.float32)
    yield Case("Conv2D", x, none, strides=[1, 1, 1, 1], padding="SAME")
    yield Case("Conv2DBackpropInput", i32([1, 6, 6, 2]), none, np.zeros((1, 6, 6, 0), np.float32), strides=[1, 1, 1, 1], padding="SAME")
    yield Case("Conv2DBackpropFilter", x, i32([3, 3, 2, 0]), np.zeros((1, 6, 6, 0), np.float32), strides=[1, 1, 1, 1], padding="SAME")
    yield Case("Conv2D", sample("float", (6, 6, 2)), w, strides=[1, 1, 1, 1], padding="SAME")
    yield Case("Conv2D", x, sample("float", (3, 3, 2)), strides=[1, 1, 1, 1], padding="SAME")
    for padding, s in (("SAME", 1), ("VALID", 1), ("SAME", 2), ("VALID", 2)):
        n = 6 if padding == "SAME" else 4
        out = -(-n // s)
        dy = sample("float", (1, out, out, 2), 3)
        yield Case("Conv2DBackpropInput", i32([1, 6, 6, 2]), w, dy, strides=[1, s, s, 1], padding=padding)
        yield Case("Conv2DBackpropFilter", x, i32([3, 3, 2, 2]), dy, strides=[1, s, s, 1], padding=padding)
    yield Case("Conv2DBackpropInput", i32([1, 6, 6, 2]), w, sample("float", (1, 3, 6, 2)), strides=[1, 1, 1, 1], padding="SAME")
    yield Case("Conv2DBackpropFilter", x, i32([3, 3, 2, 2]), sample("float", (1, 3, 6, 2)), strides=[1, 1, 1, 1], padding="SAME")
    for padding in ("SAME", "VALID"):
        yield Case("DepthwiseConv2dNative", x, sample("float", (3, 3, 2, 2), 4), strides=[1, 1, 1, 1], padding=padding)


def pools():
    x = sample("float", (2, 5, 6, 3), 1)
    for op in ("MaxPool", "AvgPool"):
        for padding in ("SAME", "VALID"):
            for k, s in ((2, 2), (3, 1), (3, 2), (1, 1)):
                yield Case(op, x, ksize=[1, k, k, 1], strides=[1, s, s, 1], padding=padding)
        for t in FLOATS:
            yield Case(op, sample(t, (1, 4, 4, 2)), ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="VALID")
        yield Case(op, sample("float", (0, 4, 4, 2)), ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="VALID")
        yield Case(op, sample("float", (4, 4, 2)), ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="VALID")
        yield Case(op, sample("float", (1, 1, 1, 2)), ksize=[1, 2, 2, 1], strides=[1, 1, 1, 1], padding="VALID")
    yield Case("MaxPool", f32([np.nan, 1, 2, -np.inf], (1, 2, 2, 1)), ksize=[1, 2, 2, 1], strides=[1, 1, 1, 1], padding="VALID")
    for padding, k, s, n in (("VALID", 2, 2, 2), ("SAME", 3, 2, 2), ("SAME", 2, 1, 4)):
        x = sample("float", (1, 4, 4, 2), 1)
        dy = sample("float", (1, n, n, 2), 2)
        pooled = sample("float", (1, n, n, 2), 3)
        if padding == "VALID":
            pooled = x.reshape(1, 2, 2, 2, 2, 2).max(axis=(2, 4))
            yield Case("MaxPoolGrad", x, pooled, dy, ksize=[1, k, k, 1], strides=[1, s, s, 1], padding=padding)
        yield Case("AvgPoolGrad", i32([1, 4, 4, 2]), dy, ksize=[1, k, k, 1], strides=[1, s, s, 1], padding=padding)
    yield Case("MaxPoolGrad", sample("float", (1, 4, 4, 2)), sample("float", (1, 2, 2, 2)), sample("float", (1, 3, 2, 2)),
               ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="VALID")
    yield Case("AvgPoolGrad", i32([1, 4, 4]), sample("float", (1, 2, 2, 2)), ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="VALID")
    # Only training: TensorFlow leaves two of the outputs of inference undefined.
    yield Case("FusedBatchNormV3", sample("float", (2, 3, 3, 3)), sample("float", (3,), 2), sample("float", (3,), 3), f32([]), f32([]),
               epsilon=0.001, is_training=True)
    yield Case("LRN", sample("float", (1, 2, 2, 7)), depth_radius=2)


def volumes():
    for t in ("float", "double", "half", "bfloat16"):
        for stride, padding, out in ((1, "VALID", (2, 3, 3)), (2, "SAME", (2, 2, 2)), (1, "SAME", (3, 4, 4))):
            window = dict(strides=[1, stride, stride, stride, 1], padding=padding)
            pool = dict(window, ksize=[1, 2, 2, 2, 1])
            x, shape = sample(t, (2, 3, 4, 4, 2)), (2,) + out + (2,)
            # TF adds up products of bfloat16 in bfloat16, which nobody need repeat.
            if t != "bfloat16":
                yield Case("Conv3D", x, sample(t, (2, 2, 2, 2, 3), 1), **window)
                yield Case("Conv3DBackpropInputV2", i32(x.shape), sample(t, (2, 2, 2, 2, 3), 1), sample(t, (2,) + out + (3,), 2), **window)
                yield Case("Conv3DBackpropFilterV2", x, i32([2, 2, 2, 2, 3]), sample(t, (2,) + out + (3,), 2), **window)
            yield Case("AvgPool3D", x, **pool)
            yield Case("AvgPool3DGrad", i32(x.shape), sample(t, shape, 1), **pool)
            yield Case("MaxPool3D", x, **pool)
            if t == "float":
                best = np.full(shape, -np.inf, np.float32)
                pad = np.full((2, 5, 6, 6, 2), -np.inf, np.float32)
                # SAME puts what is missing behind first.
                pad[:, :3, :4, :4] = x
                for a in range(2):
                    for b in range(2):
                        for c in range(2):
                            best = np.maximum(best, pad[:, a::stride, b::stride, c::stride][:, :out[0], :out[1], :out[2]])
                yield Case("MaxPool3DGrad", x, best, sample(t, shape, 1), **pool)
                # Elements that are as large all get it.
                yield Case("MaxPool3DGrad", np.ones_like(x), np.ones_like(best), sample(t, shape, 1), **pool)
    for t in ("float", "double", "int32", "uint8"):
        for padding in ("SAME", "VALID"):
            yield Case("ExtractVolumePatches", sample(t, (1, 3, 4, 4, 2)), ksizes=[1, 2, 3, 1, 1], strides=[1, 1, 2, 1, 1], padding=padding)
    window = dict(strides=[1, 1, 1, 1, 1], padding="VALID")
    yield Case("Conv3D", sample("float", (1, 4, 4, 4, 2)), sample("float", (2, 2, 2, 3, 3), 1), **window)
    yield Case("Conv3D", sample("float", (4, 4, 4, 2)), sample("float", (2, 2, 2, 2, 3), 1), **window)
    yield Case("AvgPool3D", sample("float", (1, 4, 4, 2)), ksize=[1, 2, 2, 2, 1], **window)


def pools_by_inputs():
    for padding, k, s in (("VALID", 2, 2), ("SAME", 3, 2), ("SAME", 2, 1)):
        for t in FLOATS + ["int32", "uint8"] if (k, s) == (2, 2) else ["float"]:
            yield Case("MaxPoolV2", sample(t, (1, 4, 4, 2), 1), i32([1, k, k, 1]), i32([1, s, s, 1]), padding=padding)
    x = sample("float", (1, 4, 4, 2), 1)
    best = x.reshape(1, 2, 2, 2, 2, 2).max(axis=(2, 4))
    window = (i32([1, 2, 2, 1]), i32([1, 2, 2, 1]))
    yield Case("MaxPoolGradV2", x, best, sample("float", (1, 2, 2, 2), 2), *window, padding="VALID")
    yield Case("MaxPoolGradV2", x, best, sample("float", (1, 3, 2, 2), 2), *window, padding="VALID")
    yield Case("MaxPoolV2", x, i32([1, 2, 2]), i32([1, 2, 2, 1]), padding="VALID")
    yield Case("MaxPoolV2", x, i32([1, 0, 2, 1]), i32([1, 2, 2, 1]), padding="VALID")
    yield Case("MaxPoolV2", x, i32([1, 2, 2, 1]), i32([1, 0, 2, 1]), padding="VALID")


def old_normalisation():
    for t in ("half", "float"):
        for scaled in (False, True):
            x, m, v = sample(t, (2, 2, 3, 4)), sample(t, (4,), 1), sample(t, (4,), 2, 0.5, 2)
            attrs = dict(variance_epsilon=0.001, scale_after_normalization=scaled)
            yield Case("BatchNormWithGlobalNormalization", x, m, v, sample(t, (4,), 3), sample(t, (4,), 4), **attrs)
            yield Case("BatchNormWithGlobalNormalizationGrad", x, m, v, sample(t, (4,), 4), sample(t, (2, 2, 3, 4), 5), **attrs)


def dilations():
    for t in REAL:
        for padding, stride, rate, n in (("VALID", 1, 1, 3), ("SAME", 2, 1, 2), ("SAME", 1, 2, 4), ("VALID", 1, 2, 2)):
            if t not in ("float", "int32") and padding == "SAME":
                continue
            window = dict(strides=[1, stride, stride, 1], rates=[1, rate, rate, 1], padding=padding)
            x, f, dy = sample(t, (2, 4, 4, 2)), sample(t, (2, 2, 2), 1), sample(t, (2, n, n, 2), 2)
            yield Case("Dilation2D", x, f, **window)
            yield Case("Dilation2DBackpropInput", x, f, dy, **window)
            yield Case("Dilation2DBackpropFilter", x, f, dy, **window)
    yield Case("Dilation2D", sample("float", (1, 4, 4, 2)), sample("float", (2, 2, 3)), strides=[1, 1, 1, 1], rates=[1, 1, 1, 1], padding="VALID")


def quantised():
    x = sample("float", (2, 3, 4), 1, -2, 5)
    for t in ("qint8", "quint8", "qint16", "quint16", "qint32"):
        ints = np.random.RandomState(3).randint(*((-100, 100) if t.startswith("qi") else (0, 200)), (2, 3, 4)).astype(NUMPY[t][0]).view(NUMPY[t])
        for mode in ("MIN_COMBINED", "MIN_FIRST", "SCALED"):
            for low, high in ((-1.0, 4.0), (-6.0, 6.5), (0.5, 3.0)):
                yield Case("Dequantize", ints, f32(low), f32(high), mode=mode)
                if t != "qint32":  # There TensorFlow's floats overflow the integers, each machine in its way.
                    yield Case("QuantizeV2", x, f32(low), f32(high), mode=mode, T=Type(t))
        if t in ("qint8", "quint8"):
            for narrow in (False, True):
                yield Case("QuantizeV2", x, f32([-1, -2, -3]), f32([1, 5, 2]), mode="SCALED", T=Type(t), axis=1, narrow_range=narrow, round_mode="HALF_TO_EVEN")
                yield Case("Dequantize", ints, f32([-1, -2, -3]), f32([1, 5, 2]), mode="SCALED", axis=1, narrow_range=narrow, known=True)
            yield Case("Dequantize", ints, f32(-1), f32(3), mode="MIN_COMBINED", dtype=Type("bfloat16"))
    yield Case("QuantizeV2", x, f32(2), f32(1), T=Type("qint8"))
    yield Case("QuantizeV2", x, f32(0), f32(0), T=Type("qint8"))
    yield Case("QuantizeV2", x, f32([0, 1]), f32([1, 2]), T=Type("qint8"))
    yield Case("QuantizeV2", x, f32([0, 1]), f32([1, 2]), T=Type("qint8"), axis=1)
    yield Case("QuantizeV2", x, f32(0), f32(1), T=Type("qint8"), round_mode="HALF_TO_EVEN")


def cases():
    for part in (losses, convolutions, pools, volumes, pools_by_inputs, old_normalisation, dilations, quantised):
        yield from part()
