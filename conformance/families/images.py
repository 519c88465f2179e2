"""Images and matrices: resizing, patches, depthwise convolution; inverses, factors, equations."""
import zlib

from case import *  # noqa: F403


def resizing():
    for op in ("ResizeBilinear", "ResizeNearestNeighbor"):
        for t in ("float", "double", "half", "uint8", "int32"):
            yield Case(op, sample(t, (1, 3, 4, 2)), i32([5, 6]))
        for attrs in ({}, {"align_corners": True}, {"half_pixel_centers": True}, {"align_corners": True, "half_pixel_centers": True}):
            for size in ([1, 1], [2, 3], [7, 5], [3, 4], [6, 8]):
                yield Case(op, sample("float", (2, 3, 4, 1)), i32(size), **attrs)
        for size in ([0, 3], [-1, 3], [3], [[3, 3]], [3, 3, 3]):
            yield Case(op, sample("float", (2, 3, 4, 1)), i32(size))
        yield Case(op, sample("float", (2, 0, 4, 1)), i32([2, 2]))
    for attrs in ({}, {"align_corners": True}, {"half_pixel_centers": True}):
        for shape in ((1, 5, 6, 2), (1, 2, 3, 2), (1, 1, 1, 2)):
            yield Case("ResizeBilinearGrad", sample("float", shape), sample("float", (1, 3, 4, 2)), **attrs)
            yield Case("ResizeNearestNeighborGrad", sample("float", shape), i32([3, 4]), **attrs)
    yield Case("ResizeBilinearGrad", sample("float", (1, 5, 6, 2)), sample("double", (1, 3, 4, 2)))
    yield Case("ResizeNearestNeighborGrad", sample("double", (1, 5, 6, 2)), i32([3, 4]))
    for t in ("float", "double", "int32", "uint8"):
        yield Case("ExtractImagePatches", sample(t, (1, 4, 5, 2)), ksizes=[1, 2, 3, 1], strides=[1, 1, 2, 1], rates=[1, 1, 1, 1], padding="VALID")
    for padding in ("SAME", "VALID"):
        for rate in (1, 2):
            yield Case("ExtractImagePatches", sample("float", (2, 5, 5, 1)), ksizes=[1, 2, 2, 1], strides=[1, 2, 1, 1], rates=[1, rate, rate, 1], padding=padding)


def depthwise():
    window = dict(strides=[1, 1, 1, 1], padding="SAME")
    for t in ("float", "double", "half"):
        yield Case("DepthwiseConv2dNative", sample(t, (1, 4, 4, 2)), sample(t, (2, 2, 2, 2), 1), **window)
        yield Case("DepthwiseConv2dNativeBackpropInput", i32([1, 4, 4, 2]), sample(t, (2, 2, 2, 2), 1), sample(t, (1, 4, 4, 4), 2), **window)
        yield Case("DepthwiseConv2dNativeBackpropFilter", sample(t, (1, 4, 4, 2)), i32([2, 2, 2, 2]), sample(t, (1, 4, 4, 4), 2), **window)
    for stride, padding, out in ((2, "SAME", 3), (1, "VALID", 3), (2, "VALID", 2)):
        window = dict(strides=[1, stride, stride, 1], padding=padding)
        yield Case("DepthwiseConv2dNative", sample("float", (2, 5, 5, 3)), sample("float", (3, 3, 3, 1), 1), **window)
        yield Case("DepthwiseConv2dNativeBackpropInput", i32([2, 5, 5, 3]), sample("float", (3, 3, 3, 1), 1), sample("float", (2, out, out, 3), 2), **window)
        yield Case("DepthwiseConv2dNativeBackpropFilter", sample("float", (2, 5, 5, 3)), i32([3, 3, 3, 1]), sample("float", (2, out, out, 3), 2), **window)
    yield Case("DepthwiseConv2dNative", sample("float", (1, 5, 5, 3)), sample("float", (3, 3, 2, 1)), **window)
    yield Case("DepthwiseConv2dNative", sample("float", (1, 5, 5, 3)), sample("float", (3, 3, 3, 1)), strides=[1, 1, 2, 1], padding="SAME")
    for t in ("float", "double"):
        for merge in (False, True):
            yield Case("CTCGreedyDecoder", sample(t, (5, 2, 3)), i32([5, 3]), merge_repeated=merge)
    yield Case("CTCGreedyDecoder", sample("float", (5, 2, 3)), i32([5, 3]), blank_index=0)
    yield Case("CTCGreedyDecoder", sample("float", (5, 2, 3)), i32([6, 3]))
    yield Case("CTCGreedyDecoder", sample("float", (5, 2, 3)), i32([5]))


def chunk(kind, data):
    return len(data).to_bytes(4, "big") + kind + data + zlib.crc32(kind + data).to_bytes(4, "big")


def png(pixels, color):
    """A PNG file of these pixels, uint8 or uint16, of this type of colour."""
    rows, columns, _ = pixels.shape
    lines = b"".join(b"\0" + row.astype(">u2" if pixels.dtype == np.uint16 else np.uint8).tobytes() for row in pixels)
    header = columns.to_bytes(4, "big") + rows.to_bytes(4, "big") + bytes([pixels.itemsize * 8, color, 0, 0, 0])
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(lines)) + chunk(b"IEND", b"")


def files():
    for t in ("uint8", "uint16"):
        for depth, color in ((1, 0), (2, 4), (3, 2), (4, 6)):
            pixels = np.random.RandomState(depth).randint(0, 256 if t == "uint8" else 65536, (2, 3, depth)).astype(t)
            pixels[1, 1, :] = pixels[1, 1, 0]
            for channels in (0, 1, 3, 4):
                if (t, channels) == ("uint16", 1) and depth >= 3:
                    continue
                for to in ("uint8", "uint16"):
                    yield Case("DecodePng", strs(png(pixels, color)), channels=channels, dtype=Type(to))
    good = png(np.zeros((2, 3, 3), np.uint8), 2)
    for bad in (b"", b"nonsense", good[:30]):
        yield Case("DecodePng", strs(bad))
    yield Case("DecodePng", strs(good), channels=2)
    yield Case("DecodePng", strs([good]))
    for t in ("float", "half"):
        x = sample(t, (1, 2, 2, 5))
        for attrs in ({}, {"depth_radius": 1, "bias": 2.0, "alpha": 0.5, "beta": 0.75}):
            scale = (attrs.get("bias", 1) + attrs.get("alpha", 1) * np.stack([np.sum(np.square(x.astype(np.float64))[..., max(d - attrs.get("depth_radius", 5), 0):d + attrs.get("depth_radius", 5) + 1], -1)
                                                                               for d in range(5)], -1)) ** -attrs.get("beta", 0.5)
            yield Case("LRNGrad", sample(t, (1, 2, 2, 5), 1), x, (x * scale).astype(x.dtype), **attrs)
    yield Case("LRNGrad", sample("float", (1, 2, 2, 5)), sample("float", (1, 2, 2, 5)), sample("float", (1, 2, 2, 4)))


def regular(t, shape, seed=0):
    """Matrices far from singular."""
    return sample(t, shape, seed) + arr(t, np.eye(shape[-1]) * 8)


def matrices():
    for t in ("float", "double", "complex64", "complex128"):
        a = regular(t, (2, 3, 3))
        spd = np.matmul(a, np.conj(np.swapaxes(a, -1, -2))).astype(a.dtype)
        for adjoint in (False, True):
            yield Case("MatrixInverse", a, adjoint=adjoint)
            yield Case("MatrixSolve", a, sample(t, (2, 3, 2), 1), adjoint=adjoint)
            for lower in (False, True):
                yield Case("MatrixTriangularSolve", a, sample(t, (2, 3, 2), 1), adjoint=adjoint, lower=lower)
        yield Case("MatrixDeterminant", a)
        yield Case("LogMatrixDeterminant", a)
        yield Case("Cholesky", spd)
    zero = f32([[1, 2], [2, 4]])
    for op in ("MatrixInverse", "MatrixDeterminant", "LogMatrixDeterminant", "Cholesky"):
        if op != "Cholesky":  # What TensorFlow writes then is partly chance.
            yield Case(op, zero)
        yield Case(op, sample("float", (2, 3)))
        yield Case(op, sample("float", (0, 0)))
        yield Case(op, sample("float", (3, 0, 0)))
        yield Case(op, f32([[2]]))
    yield Case("MatrixSolve", zero, f32([[1], [2]]))
    yield Case("MatrixSolve", regular("float", (3, 3)), sample("float", (2, 2)))
    yield Case("MatrixTriangularSolve", f32([[1, 2], [2, 0]]), f32([[1], [2]]))
    yield Case("MatrixTriangularSolve", regular("float", (2, 1, 3, 3)), sample("float", (4, 3, 1)))
    yield Case("MatrixTriangularSolve", regular("float", (2, 3, 3)), sample("float", (3, 3, 1)))


def cases():
    for group in (resizing, depthwise, files, matrices):
        yield from group()
