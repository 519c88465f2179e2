"""Images cut out, turned and chosen, pools that tell where, and numbers rounded to the steps of quantized types."""
from case import *  # noqa: F403

BOXES = [[0.1, 0.2, 0.9, 0.8], [0, 0, 1, 1], [0.8, 0.9, 0.1, 0.2], [-0.3, 0.1, 0.5, 1.4]]


def crops():
    for t in ("float", "double", "half", "uint8", "int8", "int16", "uint16", "int32", "int64"):
        yield Case("CropAndResize", sample(t, (2, 4, 5, 2)), f32(BOXES), i32([0, 1, 1, 0]), i32([3, 4]))
    x = sample("float", (2, 4, 5, 2))
    for method in ("bilinear", "nearest"):
        for size in ([3, 4], [1, 1], [1, 3], [7, 2]):
            yield Case("CropAndResize", x, f32(BOXES), i32([0, 1, 1, 0]), i32(size), method=method, extrapolation_value=-2.5)
            grads = sample("float", (4, size[0], size[1], 2))
            yield Case("CropAndResizeGradImage", grads, f32(BOXES), i32([0, 1, 1, 0]), i32([2, 4, 5, 2]), T=Type("float"), method=method)
            if method == "bilinear":
                yield Case("CropAndResizeGradBoxes", grads, x, f32(BOXES), i32([0, 1, 1, 0]))
    yield Case("CropAndResize", x, f32(np.zeros((0, 4))), i32(np.zeros(0)), i32([2, 2]))
    yield Case("CropAndResize", x, f32(BOXES), i32([0, 1, 2, 0]), i32([3, 4]))
    yield Case("CropAndResize", x, f32(BOXES), i32([0, -1, 1, 0]), i32([3, 4]))
    yield Case("CropAndResize", x, f32(BOXES), i32([0, 1]), i32([3, 4]))
    yield Case("CropAndResize", x, f32(BOXES)[:, :3], i32([0, 1, 1, 0]), i32([3, 4]))
    yield Case("CropAndResize", x[0], f32(BOXES), i32([0, 1, 1, 0]), i32([3, 4]))
    yield Case("CropAndResize", x, f32(BOXES), i32([0, 1, 1, 0]), i32([0, 4]))
    yield Case("CropAndResize", x, f32(BOXES), i32([0, 1, 1, 0]), i32([3]))
    for t in ("half", "double"):
        yield Case("CropAndResizeGradImage", sample("float", (4, 2, 2, 1)), f32(BOXES), i32([0, 1, 1, 0]), i32([2, 4, 5, 1]), T=Type(t))
    yield Case("CropAndResizeGradImage", sample("float", (4, 2, 2, 1)), f32(BOXES), i32([0, 1, 1, 0]), i32([2, 4, 5, 2]), T=Type("float"))
    yield Case("CropAndResizeGradImage", sample("float", (3, 2, 2, 1)), f32(BOXES), i32([0, 1, 1, 0]), i32([2, 4, 5, 1]), T=Type("float"))
    yield Case("CropAndResizeGradBoxes", sample("float", (4, 2, 2, 2)), sample("uint8", (2, 4, 5, 2)), f32(BOXES), i32([0, 1, 1, 0]))
    yield Case("CropAndResizeGradBoxes", sample("float", (4, 2, 2, 3)), x, f32(BOXES), i32([0, 1, 1, 0]))


def areas():
    for t in ("float", "double", "half", "bfloat16", "uint8", "int8", "int16", "uint16", "int32", "int64"):
        yield Case("ResizeArea", sample(t, (2, 4, 5, 3)), i32([3, 2]))
    x = sample("float", (1, 5, 7, 2))
    for align in (True, False):
        for size in ([5, 7], [2, 3], [11, 13], [1, 1], [3, 14]):
            yield Case("ResizeArea", x, i32(size), align_corners=align)
    yield Case("ResizeArea", x[0], i32([2, 2]))
    yield Case("ResizeArea", x, i32([0, 2]))
    yield Case("ResizeArea", x, i32([2]))


TRANSFORMS = [[1, 0, 0, 0, 1, 0, 0, 0], [1, 0.3, -1, 0.2, 0.9, 0.5, 0.01, -0.02], [0.7, 0, 4, 0, 0.7, -5, 0, 0]]


def projections():
    for t in ("float", "double", "half", "bfloat16", "uint8", "int32", "int64"):
        for op in ("ImageProjectiveTransformV2", "ImageProjectiveTransformV3"):
            fill = [f32(2.0)] if op.endswith("3") else []
            yield Case(op, sample(t, (3, 4, 5, 2)), f32(TRANSFORMS), i32([4, 6]), *fill, interpolation="BILINEAR")
    x = sample("float", (2, 4, 5, 2))
    for how in ("NEAREST", "BILINEAR"):
        for mode in ("CONSTANT", "REFLECT", "WRAP", "NEAREST"):
            for k in range(3):
                yield Case("ImageProjectiveTransformV3", x, f32(TRANSFORMS[k:k + 1]), i32([5, 7]), f32(-1.5), interpolation=how, fill_mode=mode)
                yield Case("ImageProjectiveTransformV2", x[:, :1, :1], f32(TRANSFORMS[k:k + 1]), i32([3, 3]), interpolation=how, fill_mode=mode)
    yield Case("ImageProjectiveTransformV3", x, f32([[1, 0, 0, 0, 1, 0, -1, 0]]), i32([3, 3]), f32(7), interpolation="NEAREST")
    yield Case("ImageProjectiveTransformV3", x, f32(TRANSFORMS), i32([3, 3]), f32(7), interpolation="NEAREST")
    yield Case("ImageProjectiveTransformV3", x, f32(TRANSFORMS)[:1, :7], i32([3, 3]), f32(7), interpolation="NEAREST")
    yield Case("ImageProjectiveTransformV3", x[0], f32(TRANSFORMS[:1]), i32([3, 3]), f32(7), interpolation="NEAREST")
    yield Case("ImageProjectiveTransformV3", x, f32(TRANSFORMS[:1]), i32([3, 0]), f32(7), interpolation="NEAREST")


CORNERS = [[0, 0, 1, 1], [0, 0.1, 1, 1.1], [0, -0.1, 1, 0.9], [0, 10, 1, 11], [1, 11.1, 0, 10.1], [0, 100, 1, 101], [2, 2, 2, 3]]
SCORES = [0.9, 0.75, 0.6, 0.95, 0.5, 0.3, 0.9]


def suppressions():
    for t in ("float", "half"):
        boxes, scores = arr(t, CORNERS), arr(t, SCORES)
        for most in (0, 3, 30):
            if t == "float":
                yield Case("NonMaxSuppression", boxes, scores, i32(most), iou_threshold=0.5)
            for iou in (0.0, 0.5, 1.0):
                limit = arr(t, iou)
                yield Case("NonMaxSuppressionV2", boxes, scores, i32(most), limit)
                for score in (-1.0, 0.55):
                    least = arr(t, score)
                    yield Case("NonMaxSuppressionV3", boxes, scores, i32(most), limit, least)
                    for pad in (True, False):
                        yield Case("NonMaxSuppressionV4", boxes, scores, i32(most), limit, least, pad_to_max_output_size=pad)
                        for sigma in (0.0, 0.5):
                            yield Case("NonMaxSuppressionV5", boxes, scores, i32(most), limit, least, arr(t, sigma), pad_to_max_output_size=pad)
    boxes, scores, none = f32(CORNERS), f32(SCORES), f32(np.zeros((0, 4)))
    yield Case("NonMaxSuppressionV3", boxes, f32([0.5] * 7), i32(9), f32(0.5), f32(0))
    yield Case("NonMaxSuppressionV3", none, none[:, 0], i32(3), f32(0.5), f32(0))
    for pad in (True, False):
        yield Case("NonMaxSuppressionV4", none, none[:, 0], i32(3), f32(0.5), f32(0), pad_to_max_output_size=pad)
        yield Case("NonMaxSuppressionV5", none, none[:, 0], i32(3), f32(0.5), f32(0), f32(0.5), pad_to_max_output_size=pad)
    for bad in ((boxes[0], scores, i32(3), f32(0.5)), (boxes[:, :3], scores, i32(3), f32(0.5)), (boxes, scores[:3], i32(3), f32(0.5)), (boxes, scores[:, None], i32(3), f32(0.5)),
                (boxes, scores, i32([3]), f32(0.5)), (boxes, scores, i32(3), f32(1.5)), (boxes, scores, i32(3), f32(-0.1)), (boxes, scores, i32(-1), f32(0.5)), (boxes, scores, i32(3), f32([0.5]))):
        yield Case("NonMaxSuppressionV2", *bad)
        yield Case("NonMaxSuppressionV3", *bad, f32(0.0))
        yield Case("NonMaxSuppressionV5", *bad, f32(0.0), f32(0.0))
    yield Case("NonMaxSuppressionV5", boxes, scores, i32(3), f32(0.5), f32(0.0), f32(-1))
    alike = np.abs(sample("float", (7, 7), low=0.0, high=1.0))
    for limit in (0.2, 0.7):
        yield Case("NonMaxSuppressionWithOverlaps", alike, scores, i32(5), f32(limit), f32(0.4))
    yield Case("NonMaxSuppressionWithOverlaps", alike[:3], scores, i32(5), f32(0.5), f32(0.4))
    yield Case("NonMaxSuppressionWithOverlaps", alike, scores[:2], i32(5), f32(0.5), f32(0.4))
    many, by_class = sample("float", (2, 6, 1, 4), low=0.0, high=1.2), sample("float", (2, 6, 3), 1, 0.0, 1.0)
    for boxes in (many, sample("float", (2, 6, 3, 4), 2, 0.0, 1.2)):
        for pad in (True, False):
            for clip in (True, False):
                for per_class, total in ((2, 4), (3, 20), (1, 2)):
                    yield Case("CombinedNonMaxSuppression", boxes, by_class, i32(per_class), i32(total), f32(0.4), f32(0.3), pad_per_class=pad, clip_boxes=clip)
    for bad in ((many, by_class[:, :5], 2, 4, 0.5), (many[..., :3], by_class, 2, 4, 0.5), (many, by_class, 0, 4, 0.5), (many, by_class, 2, 0, 0.5), (many, by_class, 2, 4, 1.5),
                (sample("float", (2, 6, 2, 4)), by_class, 2, 4, 0.5), (many[0], by_class, 2, 4, 0.5), (many, by_class[0], 2, 4, 0.5)):
        yield Case("CombinedNonMaxSuppression", bad[0], bad[1], i32(bad[2]), i32(bad[3]), f32(bad[4]), f32(0.0))


def distortions():
    objects = f32([[[0.1, 0.2, 0.6, 0.9], [0.5, 0.5, 0.7, 0.7]]])
    none = f32(np.zeros((0, 0, 4)))
    seeds = dict(seed=3, seed2=11)
    for size in ([40, 50, 3], [7, 5, 1], [200, 30, 3]):
        for covered in (0.0, 0.5, 1.0):
            for more in ({}, dict(area_range=[0.3, 0.9]), dict(aspect_ratio_range=[0.2, 4.0], max_attempts=3)):
                yield Case("SampleDistortedBoundingBox", i32(size), objects, min_object_covered=covered, runs=2, **seeds, **more)
                yield Case("SampleDistortedBoundingBoxV2", i32(size), objects, f32(covered), runs=2, **seeds, **more)
                yield Case("StatelessSampleDistortedBoundingBox", i32(size), objects, f32(covered), i64([5, 6]), **more)
    for t in ("uint8", "int8", "int16", "int64"):
        yield Case("SampleDistortedBoundingBoxV2", arr(t, [40, 50, 3]), objects, f32(0.1), **seeds)
    yield Case("SampleDistortedBoundingBoxV2", i32([40, 50, 3]), none, f32(0.1), use_image_if_no_bounding_boxes=True, **seeds)
    for bad in ((i32([40, 50, 3]), none, f32(0.1)), (i32([40, 50]), objects, f32(0.1)), (i32([40, 50, 3]), objects[0], f32(0.1)), (i32([40, 50, 3]), objects[..., :3], f32(0.1)),
                (i32([40, 50, 3]), objects + f32(0.5), f32(0.1)), (i32([40, 50, 3]), objects, f32(-0.1)), (i32([40, 50, 3]), objects, f32([0.1])), (i32([0, 50, 3]), objects, f32(0.1)), (i32([40, -50, 3]), objects, f32(0.1))):
        yield Case("SampleDistortedBoundingBoxV2", *bad, **seeds)
    for bad in (dict(area_range=[0.0, 1.0]), dict(area_range=[0.1, 1.5]), dict(aspect_ratio_range=[-1.0, 1.0]), dict(max_attempts=0)):
        yield Case("SampleDistortedBoundingBoxV2", i32([40, 50, 3]), objects, f32(0.1), **seeds, **bad)


def argmax_pools():
    for t in ("float", "double", "half", "bfloat16", "int32", "int64", "uint8", "int16", "int8", "uint16", "uint32", "uint64"):
        yield Case("MaxPoolWithArgmax", sample(t, (2, 4, 5, 3)), ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME")
    x = sample("float", (2, 5, 6, 2))
    for padding in ("SAME", "VALID"):
        for size, step in (([1, 2, 3, 1], [1, 1, 2, 1]), ([1, 3, 3, 1], [1, 3, 3, 1]), ([1, 2, 2, 1], [1, 3, 3, 1])):
            for batch in (True, False):
                for index in ("int32", "int64"):
                    attrs = dict(ksize=size, strides=step, padding=padding, include_batch_in_index=batch)
                    yield Case("MaxPoolWithArgmax", x, Targmax=Type(index), **attrs)
                rows, columns = [-(-(n if padding == "SAME" else n - k + 1) // s) for n, k, s in ((5, size[1], step[1]), (6, size[2], step[2]))]
                grads = sample("float", (2, rows, columns, 2), 3)
                places = np.arange(grads.size).reshape(grads.shape) % 60
                yield Case("MaxPoolGradWithArgmax", x, grads, i64(places + (60 * np.arange(2).reshape(2, 1, 1, 1) if batch else 0)), **attrs)
    yield Case("MaxPoolWithArgmax", f32([[1, 1], [1, 1]], (1, 2, 2, 1)), ksize=[1, 2, 2, 1], strides=[1, 1, 1, 1], padding="SAME")
    yield Case("MaxPoolWithArgmax", x[0], ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME")
    yield Case("MaxPoolGradWithArgmax", x, sample("float", (2, 2, 3, 1)), i64(np.zeros((2, 2, 3, 1))), ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="VALID")


def fakes():
    x = sample("float", (3, 4), low=-8.0, high=8.0)
    dy = sample("float", (3, 4), 1)
    for bits in (2, 8, 16):
        for narrow in (True, False):
            for low, high in ((-6.0, 6.0), (0.1, 5.0), (-3.0, -0.5), (-0.7, 4.2)):
                attrs = dict(num_bits=bits, narrow_range=narrow)
                yield Case("FakeQuantWithMinMaxArgs", x, min=low, max=high, **attrs)
                yield Case("FakeQuantWithMinMaxArgsGradient", dy, x, min=low, max=high, **attrs)
                yield Case("FakeQuantWithMinMaxVars", x, f32(low), f32(high), **attrs)
                yield Case("FakeQuantWithMinMaxVarsGradient", dy, x, f32(low), f32(high), **attrs)
            low, high = f32([-6, 0.1, -3, 0]), f32([6, 5, -0.5, 0])
            yield Case("FakeQuantWithMinMaxVarsPerChannel", x, low, high, **attrs)
            yield Case("FakeQuantWithMinMaxVarsPerChannelGradient", dy, x, low, high, **attrs)
    yield Case("FakeQuantWithMinMaxVars", x, f32(0), f32(0))
    yield Case("FakeQuantWithMinMaxVarsGradient", dy, x, f32(0), f32(0))
    yield Case("FakeQuantWithMinMaxArgs", x, min=1.0, max=0.0)
    yield Case("FakeQuantWithMinMaxArgs", x, num_bits=17)
    yield Case("FakeQuantWithMinMaxVars", x, f32([0]), f32([1]))
    yield Case("FakeQuantWithMinMaxVarsPerChannel", x, f32([0]), f32([1]))
    yield Case("FakeQuantWithMinMaxVarsPerChannelGradient", dy[:2], x, f32([0] * 4), f32([1] * 4))
    yield Case("FakeQuantWithMinMaxArgsGradient", dy[:2], x)
    yield Case("FakeQuantWithMinMaxVarsPerChannel", sample("float", (2, 2, 2, 3)), f32([-1, -2, 0]), f32([1, 3, 5]))


def roundings():
    for t in ("float", "double"):
        x = sample(t, (3, 2, 2))
        for signed in (True, False):
            for given in (True, False):
                for bits in (2, 8):
                    for narrow in (True, False):
                        for mode in ("HALF_TO_EVEN", "HALF_UP"):
                            attrs = dict(signed_input=signed, range_given=given, narrow_range=narrow)
                            ends = arr(t, -2.5), arr(t, 1.5)
                            yield Case("QuantizeAndDequantizeV2", x, *ends, num_bits=bits, round_mode=mode, **attrs)
                            yield Case("QuantizeAndDequantizeV4", x, *ends, num_bits=bits, round_mode=mode, **attrs)
                        yield Case("QuantizeAndDequantizeV3", x, *ends, i32(bits), **attrs)
                for axis in (0, 2):
                    ends = arr(t, [-2.5, -1, 0][:x.shape[axis]]), arr(t, [1.5, 2, 3][:x.shape[axis]])
                    yield Case("QuantizeAndDequantizeV2", x, *ends, axis=axis, range_given=given, signed_input=signed)
                    yield Case("QuantizeAndDequantizeV3", x, *ends, i32(8), axis=axis, range_given=given, signed_input=signed)
                    yield Case("QuantizeAndDequantizeV4Grad", x * x, x, *ends, axis=axis)
        yield Case("QuantizeAndDequantizeV4Grad", x * x, x, arr(t, -1), arr(t, 1))
        yield Case("QuantizeAndDequantizeV2", x, arr(t, 1), arr(t, -1), range_given=True)
        yield Case("QuantizeAndDequantizeV2", x, arr(t, -1), arr(t, 1), num_bits=0)
        yield Case("QuantizeAndDequantizeV2", x, arr(t, -1), arr(t, 1), num_bits=70)
        yield Case("QuantizeAndDequantizeV2", x, arr(t, [-1]), arr(t, [1]), axis=3, range_given=True)
        yield Case("QuantizeAndDequantizeV2", arr(t, [[0.5, 1.5, 2.5, 127]]), arr(t, -127), arr(t, 127), range_given=True)


def places():
    for t in ("int32", "int64"):
        yield Case("UnravelIndex", arr(t, [0, 5, 23, 11]), arr(t, [2, 3, 4]))
        yield Case("UnravelIndex", arr(t, 17), arr(t, [2, 3, 4]))
        yield Case("UnravelIndex", arr(t, []), arr(t, [2, 3, 4]))
    yield Case("UnravelIndex", i32([24]), i32([2, 3, 4]))
    yield Case("UnravelIndex", i32([-1]), i32([2, 3, 4]))
    yield Case("UnravelIndex", i32([[0]]), i32([2, 3, 4]))
    yield Case("UnravelIndex", i32([0]), i32([[2, 3, 4]]))
    yield Case("UnravelIndex", i32([0]), i32([2, 0, 4]))


def classes():
    true = i64([[1, 5], [0, 9]])
    for unique in (True, False):
        for op in ("LearnedUnigramCandidateSampler", "ThreadUnsafeUnigramCandidateSampler"):
            attrs = dict(num_true=2, num_sampled=4, unique=unique, range_max=10, seed=3, seed2=7)
            yield Case(op, true, runs=2, **attrs)
    yield Case("LearnedUnigramCandidateSampler", i64([[1, 10]]), **attrs)
    yield Case("LearnedUnigramCandidateSampler", i64([1, 3]), **attrs)
    yield Case("LearnedUnigramCandidateSampler", i64([[1]]), **attrs)
    yield Case("LearnedUnigramCandidateSampler", true, num_true=2, num_sampled=11, unique=True, range_max=10)


def sounds():
    x = sample("float", (2, 20), low=-1.2, high=1.2)
    for most in (1, 3):
        yield Case("AudioSummary", strs(b"t"), x, sample_rate=8000.0, max_outputs=most)
        yield Case("AudioSummaryV2", strs(b"t"), x, f32(8000), max_outputs=most)
        yield Case("AudioSummaryV2", strs(b"t"), x.reshape(2, 10, 2), f32(44100), max_outputs=most)
    yield Case("AudioSummaryV2", strs([b"t"]), x, f32(8000))
    yield Case("AudioSummaryV2", strs(b"t"), x[0], f32(8000))
    yield Case("AudioSummaryV2", strs(b"t"), x, f32(-1))


def cases():
    for family in (crops, areas, projections, suppressions, distortions, argmax_pools, fakes, roundings, places, classes, sounds):
        yield from family()
