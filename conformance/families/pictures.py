"""Images: glimpses, colours, boxes, cubic and other kernels of resizing."""
import base64
import struct

from case import *  # noqa: F403
from families.images import png


def glimpses():
    x = sample("float", (2, 4, 5, 2))
    for op in ("ExtractGlimpse", "ExtractGlimpseV2"):
        for centered in (True, False):
            for normalized in (True, False):
                attrs = dict(centered=centered, normalized=normalized, uniform_noise=False, noise="zero")
                for size in ([3, 2], [5, 6], [1, 1], [0, 3]):
                    for offsets in ([[0, 0], [0.25, -0.5]], [[0.9, 0.7], [-1, 1]], [[1.5, 2.5], [3, -2]]):
                        yield Case(op, x, i32(size), f32(offsets), **attrs)
        # What lies in the image does not depend on the noise.
        for noise in ("uniform", "gaussian", "zero"):
            yield Case(op, x, i32([2, 3]), f32([[0, 0], [0.1, 0.1]]), uniform_noise=False, noise=noise)
        yield Case(op, x, i32([2, 3]), f32([[0, 0], [0.1, 0.1]]))
        ok = dict(uniform_noise=False, noise="zero")
        for size in ([3], [[3, 3]], [3, 3, 3], [-1, 3]):
            yield Case(op, x, i32(size), f32([[0, 0], [0, 0]]), **ok)
        for offsets in ([[0, 0]], [0, 0], [[0, 0, 0], [0, 0, 0]]):
            yield Case(op, x, i32([2, 2]), f32(offsets), **ok)
        yield Case(op, sample("float", (4, 5, 2)), i32([2, 2]), f32([[0, 0]] * 4), **ok)
        yield Case(op, f32(np.zeros((0, 4, 3, 0))), i32([1, 1]), f32(np.zeros((0, 2))), **ok)
        yield Case(op, x, i32([2, 2]), f32([[0, 0], [0, 0]]), noise="gaussian")
        yield Case(op, x, i32([2, 2]), f32([[0, 0], [0, 0]]), uniform_noise=False, noise="pink")


COLORS = [[0.2, 0.5, 0.9], [0.9, 0.3, 0.1], [0.4, 0.8, 0.1], [0.7, 0.2, 0.5], [0.5, 0.5, 0.5], [0, 0, 0], [1, 1, 0], [0.3, 0.3, 0.9], [1, 0, 1], [0.1, 0.6, 0.6]]


def colors():
    for op in ("RGBToHSV", "HSVToRGB"):
        for t in ("float", "double", "half", "bfloat16"):
            yield Case(op, arr(t, COLORS))
        yield Case(op, f32([0.1, 0.2, 0.3]))
        yield Case(op, sample("float", (2, 2, 3, 3), low=0.0, high=1.0))
        yield Case(op, sample("float", (0, 3)))
        yield Case(op, sample("float", (2, 4)))
        yield Case(op, f32(0.5))
    images = f32(COLORS, (1, 2, 5, 3))
    for delta in (0.0, 0.1, -0.3, 0.5, 1.0, -1.0):
        yield Case("AdjustHue", images, f32(delta))
    for scale in (0.0, 0.5, 1.0, 2.0, 10.0):
        yield Case("AdjustSaturation", images, f32(scale))
    for factor in (0.0, 0.5, 1.0, 2.0):
        yield Case("AdjustContrastv2", images, f32(factor))
    yield Case("AdjustContrastv2", sample("float", (2, 2, 3, 2, 4)), f32(1.5))
    for op in ("AdjustHue", "AdjustSaturation", "AdjustContrastv2"):
        yield Case(op, sample("half", (2, 2, 3)), f32(0.5))
        yield Case(op, f32(COLORS), f32(0.5))
        yield Case(op, images, f32([0.5]))
        yield Case(op, sample("float", (2, 2, 4)), f32(0.5))
        yield Case(op, sample("float", (0, 2, 3)), f32(0.5))
    for t in ("uint8", "int8", "int16", "int32", "int64", "float", "double"):
        yield Case("AdjustContrast", sample(t, (2, 2, 3)), f32(2.0), f32(-4.0), f32(5.0))
    yield Case("AdjustContrast", sample("float", (2, 3)), f32(2.0), f32(-4.0), f32(5.0))
    yield Case("AdjustContrast", sample("float", (2, 2, 3)), f32([2.0]), f32(-4.0), f32(5.0))


def boxes():
    edges = f32([[[0, 0, 1, 1], [0.2, 0.3, 0.6, 0.7], [-0.5, 0.1, 0.4, 1.5], [0.8, 0.1, 0.2, 0.9], [1.2, 0, 1.5, 1], [0.5, 0.5, 0.5, 0.5]]])
    palette = f32([[0.1, 0.2, 0.3, 0.4], [0.5, 0.6, 0.7, 0.8]])
    for depth in (1, 3, 4):
        x = sample("float", (1, 7, 8, depth), low=0.0, high=1.0)
        yield Case("DrawBoundingBoxes", x, edges)
        yield Case("DrawBoundingBoxesV2", x, edges, palette)
        yield Case("DrawBoundingBoxesV2", x, edges, f32(np.zeros((0, 0))))
        yield Case("DrawBoundingBoxesV2", x, edges, palette[:, :3])
    for op, more in (("DrawBoundingBoxes", ()), ("DrawBoundingBoxesV2", (palette,))):
        yield Case(op, sample("half", (1, 4, 4, 3)), edges, *more)
        yield Case(op, sample("float", (2, 4, 4, 3)), np.concatenate([edges, edges[:, ::-1]]), *more)
        yield Case(op, sample("float", (2, 4, 4, 3)), edges, *more)
        yield Case(op, sample("float", (1, 4, 4, 2)), edges, *more)
        yield Case(op, sample("float", (1, 4, 4, 3)), edges[0], *more)
        yield Case(op, sample("float", (4, 4, 3)), edges, *more)
        yield Case(op, sample("float", (1, 4, 4, 3)), edges[:, :, :3], *more)
        yield Case(op, sample("float", (1, 4, 4, 3)), f32(np.zeros((1, 0, 4))), *more)
    yield Case("DrawBoundingBoxesV2", sample("float", (1, 4, 4, 3)), edges, palette[0])
    yield Case("DrawBoundingBoxesV2", sample("float", (1, 4, 4, 3)), edges, palette[:, :2])


def cubic():
    for t in ("float", "double", "half", "uint8", "int32"):
        yield Case("ResizeBicubic", sample(t, (1, 3, 4, 2)), i32([5, 6]))
    for attrs in ({}, {"align_corners": True}, {"half_pixel_centers": True}, {"align_corners": True, "half_pixel_centers": True}):
        for size in ([1, 1], [2, 3], [7, 5], [3, 4], [6, 8]):
            yield Case("ResizeBicubic", sample("float", (2, 3, 4, 1)), i32(size), **attrs)
            yield Case("ResizeBicubicGrad", sample("float", (2, *size, 1)), sample("float", (2, 3, 4, 1)), **attrs)
    for size in ([0, 3], [-1, 3], [3], [[3, 3]], [3, 3, 3]):
        yield Case("ResizeBicubic", sample("float", (2, 3, 4, 1)), i32(size))
    yield Case("ResizeBicubic", sample("float", (2, 0, 4, 1)), i32([2, 2]))
    yield Case("ResizeBicubicGrad", sample("float", (1, 5, 6, 2)), sample("double", (1, 3, 4, 2)))


def scaled():
    for kernel in ("lanczos1", "lanczos3", "lanczos5", "gaussian", "box", "triangle", "keyscubic", "mitchellcubic"):
        for antialias in (True, False):
            attrs = dict(kernel_type=kernel, antialias=antialias)
            for size, scale, move in (([5, 6], [1.3, 1.7], [0.0, 0.0]), ([3, 3], [0.4, 0.6], [0.5, -0.3]), ([4, 5], [1, 1], [2, -1])):
                yield Case("ScaleAndTranslate", sample("float", (1, 4, 5, 1)), i32(size), f32(scale), f32(move), **attrs)
                yield Case("ScaleAndTranslateGrad", sample("float", (1, *size, 1)), sample("float", (1, 4, 5, 1)), f32(scale), f32(move), **attrs)
    for t in ("uint8", "int32", "double", "half", "bfloat16"):
        yield Case("ScaleAndTranslate", sample(t, (2, 3, 4, 2)), i32([4, 3]), f32([1.5, 0.8]), f32([0, 0]))
    x = sample("float", (1, 3, 4, 2))
    for scale in ([0, 1], [-1, 1], [1], [[1, 1]]):
        yield Case("ScaleAndTranslate", x, i32([3, 3]), f32(scale), f32([0, 0]))
    yield Case("ScaleAndTranslate", x, i32([3, 3]), f32([1, 1]), f32([0, 0, 0]))
    yield Case("ScaleAndTranslate", x, i32([0, 3]), f32([1, 1]), f32([0, 0]))
    yield Case("ScaleAndTranslate", x[0], i32([3, 3]), f32([1, 1]), f32([0, 0]))
    yield Case("ScaleAndTranslate", x, i32([3, 3]), f32([1, 1]), f32([0, 0]), kernel_type="round")


# JPEG files, written by TensorFlow, of one colour (10 rows, 12 columns) and of one gray (9 rows, 8 columns): every decoder gives the
# same pixels for them.
FLAT = base64.b64decode(
    "/9j/4AAQSkZJRgABAQEBLAEsAAD/2wBDAAIBAQEBAQIBAQECAgICAgQDAgICAgUEBAMEBgUGBgYFBgYGBwkIBgcJBwYGCAsICQoKCgoKBggLDAsKDAkKCgr/"
    "2wBDAQICAgICAgUDAwUKBwYHCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgr/wAARCAAKAAwDASIAAhEBAxEB/8QA"
    "HwAAAQUBAQEBAQEAAAAAAAAAAAECAwQFBgcICQoL/8QAtRAAAgEDAwIEAwUFBAQAAAF9AQIDAAQRBRIhMUEGE1FhByJxFDKBkaEII0KxwRVS0fAkM2JyggkK"
    "FhcYGRolJicoKSo0NTY3ODk6Q0RFRkdISUpTVFVWV1hZWmNkZWZnaGlqc3R1dnd4eXqDhIWGh4iJipKTlJWWl5iZmqKjpKWmp6ipqrKztLW2t7i5usLDxMXG"
    "x8jJytLT1NXW19jZ2uHi4+Tl5ufo6erx8vP09fb3+Pn6/8QAHwEAAwEBAQEBAQEBAQAAAAAAAAECAwQFBgcICQoL/8QAtREAAgECBAQDBAcFBAQAAQJ3AAEC"
    "AxEEBSExBhJBUQdhcRMiMoEIFEKRobHBCSMzUvAVYnLRChYkNOEl8RcYGRomJygpKjU2Nzg5OkNERUZHSElKU1RVVldYWVpjZGVmZ2hpanN0dXZ3eHl6goOE"
    "hYaHiImKkpOUlZaXmJmaoqOkpaanqKmqsrO0tba3uLm6wsPExcbHyMnK0tPU1dbX2Nna4uPk5ebn6Onq8vP09fb3+Pn6/9oADAMBAAIRAxEAPwDqKKKK/ow/"
    "nc//2Q==")
GRAY = base64.b64decode(
    "/9j/4AAQSkZJRgABAQEBLAEsAAD/2wBDAAIBAQEBAQIBAQECAgICAgQDAgICAgUEBAMEBgUGBgYFBgYGBwkIBgcJBwYGCAsICQoKCgoKBggLDAsKDAkKCgr/"
    "wAALCAAJAAgBAREA/8QAHwAAAQUBAQEBAQEAAAAAAAAAAAECAwQFBgcICQoL/8QAtRAAAgEDAwIEAwUFBAQAAAF9AQIDAAQRBRIhMUEGE1FhByJxFDKBkaEI"
    "I0KxwRVS0fAkM2JyggkKFhcYGRolJicoKSo0NTY3ODk6Q0RFRkdISUpTVFVWV1hZWmNkZWZnaGlqc3R1dnd4eXqDhIWGh4iJipKTlJWWl5iZmqKjpKWmp6ip"
    "qrKztLW2t7i5usLDxMXGx8jJytLT1NXW19jZ2uHi4+Tl5ufo6erx8vP09fb3+Pn6/9oACAEBAAA/APjOiv/Z")


def gif(*frames):
    """A GIF file of 3 columns and 2 rows with four colours; frames are left, top, columns, rows, colours and the transparent colour."""
    out = b"GIF89a" + struct.pack("<HHBBB", 3, 2, 0x81, 0, 0) + bytes([10, 20, 30, 200, 0, 0, 0, 200, 0, 0, 0, 200])
    for left, top, columns, rows, colors, transparent in frames:
        if transparent is not None:
            out += b"\x21\xf9\x04" + bytes([1, 0, 0, transparent]) + b"\0"
        # Codes of 3 bits, the table cleared before each colour.
        codes = [c for color in colors for c in (4, color)] + [5]
        bits = "".join(format(c, "03b")[::-1] for c in codes)
        bits += "0" * (-len(bits) % 8)
        data = bytes(int(bits[k:k + 8][::-1], 2) for k in range(0, len(bits), 8))
        out += b"\x2c" + struct.pack("<HHHHB", left, top, columns, rows, 0) + b"\x02" + bytes([len(data)]) + data + b"\0"
    return out + b"\x3b"


def bmp(rows, columns, bits, from_above=False):
    """A BMP file of some bytes as pixels."""
    line = bytes(range(columns * bits // 8))
    data = b"".join(bytes(b + 50 * y for b in line).ljust((len(line) + 3) // 4 * 4, b"\0") for y in range(rows))
    return (b"BM" + struct.pack("<IHHI", 54 + len(data), 0, 0, 54)
            + struct.pack("<IiiHHIIiiII", 40, columns, -rows if from_above else rows, 1, bits, 0, len(data), 0, 0, 0, 0) + data)


def files():
    still = gif((0, 0, 3, 2, [0, 1, 2, 3, 0, 1], None))
    moving = gif((0, 0, 3, 2, [0, 1, 2, 3, 0, 1], None), (1, 0, 2, 1, [3, 2], 2), (0, 1, 1, 1, [1], None))
    pixels = np.arange(18).reshape(2, 3, 3).astype(np.uint8)
    everything = (FLAT, GRAY, png(pixels, 2), still, moving, gif((1, 1, 2, 1, [1, 2], 1)), bmp(2, 3, 24), bmp(2, 3, 32, True), b"nonsense", b"")
    for file in everything:
        yield Case("DecodeGif", strs(file))
        for channels in (0, 1, 3, 4):
            for op in ("DecodeJpeg", "DecodePng", "DecodeImage", "DecodeBmp"):
                # TensorFlow calculates the gray of a colour in a JPEG file in its own way.
                if (file, channels) != (FLAT, 1):
                    yield Case(op, strs(file), channels=channels)
        if file[:2] != b"BM":  # TensorFlow runs out of memory with some.
            for t in ("uint16", "float"):
                yield Case("DecodeImage", strs(file), dtype=Type(t))
        yield Case("DecodeImage", strs(file), expand_animations=False)
        yield Case("DecodePng", strs(file), dtype=Type("uint16"))
    for channels in (0, 3, 4):
        yield Case("DecodeBmp", strs(bmp(2, 3, 8)), channels=channels)
    for bad in (bmp(2, 3, 16), bmp(2, 0, 24), bmp(0, 3, 24), bmp(2, 3, 24)[:20], bmp(2, 3, 24)[:60]):
        yield Case("DecodeBmp", strs(bad))
    for bad in (still[:30], moving[:-10], moving[:-1]):
        yield Case("DecodeGif", strs(bad))
    for cut in (len(FLAT) - 2, 300, 10):
        yield Case("DecodeJpeg", strs(FLAT[:cut]))
        yield Case("ExtractJpegShape", strs(FLAT[:cut]))
    for ratio in (1, 2, 4, 8, 3):
        yield Case("DecodeJpeg", strs(FLAT), ratio=ratio)
    for method in ("", "INTEGER_FAST", "INTEGER_ACCURATE", "x"):
        yield Case("DecodeJpeg", strs(FLAT), dct_method=method)
    yield Case("DecodeJpeg", strs(FLAT), channels=2)
    yield Case("DecodeJpeg", strs([FLAT]))
    for window in ([2, 3, 8, 9], [2, 3, 9, 9], [-2, 3, 8, 9], [2, 3, 8], [0, 0, 0, 1]):
        yield Case("DecodeAndCropJpeg", strs(FLAT), i32(window))
    for t in ("int32", "int64"):
        yield Case("ExtractJpegShape", strs(FLAT), output_type=Type(t))
        yield Case("ExtractJpegShape", strs(GRAY), output_type=Type(t))


def cases():
    for group in (glimpses, colors, boxes, cubic, scaled, files):
        yield from group()
