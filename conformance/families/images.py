"""Images and matrices: resizing, patches, depthwise convolution; inverses, factors, equations."""
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
    for group in (resizing, depthwise, matrices):
        yield from group()
