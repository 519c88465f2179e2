"""What the tests share: TensorFlow in graph mode, how a test is declared, and how it says what it expects."""
import contextlib
import logging
import os
import warnings

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")
os.environ.setdefault("GRPC_VERBOSITY", "NONE")
warnings.filterwarnings("ignore")

import numpy as np  # noqa: E402
import tensorflow.compat.v1 as tf  # noqa: E402

logging.getLogger("tensorflow").setLevel(logging.ERROR)
tf.disable_v2_behavior()

# A session that is collected as garbage is closed, and a callable released; TensorFlow's client waits for ever where the server has
# been stopped meanwhile. What a failed server leaves behind would block whichever test runs when the garbage is collected.
tf.Session.__mro__[1].__del__ = lambda self: None
release_callable = tf.Session.__mro__[1]._Callable.__del__
tf.Session.__mro__[1]._Callable.__del__ = lambda self: None

TESTS = []
JOBS = {"ps": 2, "worker": 2}


def test(only=None, limit=60):
    """Declares a test: a function of a Context. only: the implementation that it is about; limit: seconds."""
    def declare(function):
        function.only, function.limit = only, limit
        TESTS.append(function)
        return function
    return declare


def same(got, expected, what="value"):
    if not np.array_equal(got, expected):
        raise AssertionError("%s: got %r, expected %r" % (what, got, expected))


def close(got, expected, what="value", tolerance=1e-5):
    if not np.allclose(got, expected, rtol=tolerance, atol=tolerance):
        raise AssertionError("%s: got %r, expected %r" % (what, got, expected))


def holds(condition, what):
    if not condition:
        raise AssertionError(what)


def raises(kinds, words, function):
    """The error of `function`, which must be of one of these kinds and have all these words in its message."""
    try:
        value = function()
    except kinds as e:
        error = e
    else:
        error = None
    if error is not None:
        for word in words:
            holds(word in error.message, "no %r in the message %r" % (word, error.message))
        return error
    raise AssertionError("no error of kind %s, but %r" % (kinds, value))


@contextlib.contextmanager
def graph_and_session(target, config=None):
    """An empty default graph, and a session of it that is opened at the first use of the returned function."""
    with tf.Graph().as_default() as graph:
        yield graph, lambda: tf.Session(target, graph=graph, config=config)
