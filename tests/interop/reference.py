"""Runs a program in TensorFlow's own session and on the servers, and compares what comes out."""
import contextlib

import tensorflow

from suite import graph_and_session, holds, np, tf


def outcomes(target, program, config=None):
    """`program(on)` builds a graph, with `on` for devices, and returns the runs to do: pairs of fetches and feeds. An error is its code."""
    got = []
    on = tf.device if target else lambda device: tf.device(None)
    with graph_and_session(target, config) as (_, session):
        runs = program(on)
        with session() as s:
            for fetches, feeds in runs:
                try:
                    got.append(tensorflow.nest.flatten(s.run(fetches, feeds)))
                except tf.errors.OpError as e:
                    got.append(e.error_code)
    return got


def alike(a, b, tolerance):
    if a is None or b is None:
        return a is b
    a, b = np.asarray(a), np.asarray(b)
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    return np.allclose(a, b, rtol=tolerance, atol=tolerance, equal_nan=True) if a.dtype.kind in "fc" else np.array_equal(a, b)


def agrees(t, program, tolerance=1e-5, config=None):
    """What the servers answer to a program is what TensorFlow's in-process session answers, errors included."""
    expected, got = outcomes("", program), outcomes(t.cluster().target(), program, config)
    holds(len(expected) == len(got), "%d and %d runs" % (len(expected), len(got)))
    for k, (e, g) in enumerate(zip(expected, got)):
        same = e == g if isinstance(e, int) or isinstance(g, int) else len(e) == len(g) and all(
            alike(a, b, tolerance) for a, b in zip(e, g))
        holds(same, "run %d: got %r, expected %r" % (k, g, e))


@contextlib.contextmanager
def version_2():
    """Control flow and variables as TensorFlow 2 builds them, in a graph of version 1."""
    flow, variables = tf.control_flow_v2_enabled(), tf.resource_variables_enabled()
    tf.enable_control_flow_v2()
    tf.enable_resource_variables()
    try:
        yield
    finally:
        if not flow:
            tf.disable_control_flow_v2()
        if not variables:
            tf.disable_resource_variables()
