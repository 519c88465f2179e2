"""Runs with fixed feeds and fetches (callables), tensors connected to others, and runs in parts, over two tasks."""
from tensorflow.core.protobuf import config_pb2

from suite import graph_and_session, np, raises, same, test, tf

W0, W1, PS0, PS1 = "/job:worker/task:0", "/job:worker/task:1", "/job:ps/task:0", "/job:ps/task:1"


def options(fetch=(), feed=(), target=(), connect=()):
    made = config_pb2.CallableOptions(fetch=fetch, feed=feed, target=target)
    for source, place in connect:
        made.tensor_connection.add(from_tensor=source, to_tensor=place)
    return made


def model():
    """x -> y = 2 x -> a = y + 1 on a worker; k = 7 and i on a ps; z is k after x."""
    with tf.device(W1):
        x = tf.placeholder(tf.float32, [], name="x")
        tf.add(tf.multiply(x, 2.0, name="y"), 1.0, name="a")
    with tf.device(PS0):
        k = tf.constant(7.0, name="k")
        tf.constant(3, name="i")
        tf.no_op(name="nothing")
    with tf.control_dependencies([x]):
        tf.identity(k, name="z")
    return x


@test()
def a_tensor_of_the_graph_takes_the_place_of_another(t):
    c = t.cluster()
    with graph_and_session(c.target()) as (_, session):
        x = model()
        with session() as s:
            def run(made, *feeds):
                return [float(v) for v in s._make_callable_from_options(made)(*feeds)]
            same(run(options(["a:0"], connect=[("k:0", "x:0")])), [15])
            same(run(options(["a:0"], connect=[("k", "x")])), [15])
            same(run(options(["z:0"], connect=[("k:0", "x:0")])), [7], "an edge without data")
            same(run(options(["a:0", "k:0"], connect=[("k:0", "x:0")])), [15, 7])
            same(run(options(target=["a"], connect=[("k:0", "x:0")])), [])
            same(run(options(["a:0"], feed=["k:0"], connect=[("k:0", "x:0")]), np.float32(5)), [15], "what is connected is not what is fed")
            same(s.run("a:0", {x: 1.0}), 3.0, "an ordinary step beside")


@test()
def impossible_connections_are_refused(t):
    c = t.cluster()
    with graph_and_session(c.target()) as (_, session):
        x = model()
        with session() as s:
            for kind, words, made in (
                    (tf.errors.InvalidArgumentError, ["y:0 is both fed and fetched"], options(["y:0"], connect=[("k:0", "y:0")])),
                    (tf.errors.InvalidArgumentError, ["fed more than once"], options(["a:0"], connect=[("k:0", "x:0"), ("k:0", "x:0")])),
                    (tf.errors.InvalidArgumentError, ["connection from unknown node"], options(["a:0"], connect=[("gone:0", "x:0")])),
                    (tf.errors.NotFoundError, ["unable to find feed output gone:0"], options(["a:0"], connect=[("k:0", "gone:0")])),
                    (tf.errors.InvalidArgumentError, ["would create a cycle"], options(["a:0"], connect=[("a:0", "x:0")])),
                    (tf.errors.InvalidArgumentError, ["would create a cycle"], options(["a:0"], connect=[("y:0", "y:0")])),
                    (tf.errors.InvalidArgumentError, ["incompatible with expected float"], options(["a:0"], connect=[("i:0", "x:0")])),
                    (tf.errors.InvalidArgumentError, ["number of outputs = 1"], options(["a:0"], connect=[("k:3", "x:0")])),
                    (tf.errors.InvalidArgumentError, ["number of outputs = 0"], options(["a:0"], connect=[("nothing:0", "x:0")]))):
                raises(kind, words, lambda: s._make_callable_from_options(made)())
            on_device = options(["a:0"], feed=["x:0"])
            on_device.feed_devices["x:0"] = "/job:worker/replica:0/task:1/device:CPU:0"
            raises(tf.errors.UnimplementedError, ["feed_devices"], lambda: s._make_callable_from_options(on_device)(np.float32(1)))
            same(s.run("a:0", {x: 1.0}), 3.0, "the session is still good")


@test()
def a_callable_has_its_own_options(t):
    c = t.cluster()
    with graph_and_session(c.target()) as (_, session):
        model()
        with tf.device(PS1):
            words = tf.placeholder(tf.string, [None], name="words")
            tf.strings.join([words, words], name="twice")
        with session() as s:
            traced = options(["a:0"], feed=["x:0"])
            traced.run_options.trace_level = config_pb2.RunOptions.FULL_TRACE
            metadata = config_pb2.RunMetadata()
            same(float(s._make_callable_from_options(traced)(np.float32(1), run_metadata=metadata)[0]), 3.0)
            twice = s._make_callable_from_options(options(["twice:0", "twice:0"], feed=["words:0"]))
            same([v.tolist() for v in twice(np.array([b"a", b"bc"], object))], [[b"aa", b"bcbc"]] * 2)
            nested = s.make_callable({"a": "a:0", "b": ["y:0", s.graph.get_operation_by_name("nothing")]}, feed_list=["x:0"])
            same(nested(4.0), {"a": 9.0, "b": [8.0, None]})


@test()
def runs_in_parts_over_three_tasks(t):
    c = t.cluster()
    with graph_and_session(c.target()) as (_, session):
        with tf.device(W1):
            a, b, d = (tf.placeholder(tf.float32, []) for _ in range(3))
            first = a + b
        with tf.device(PS0):
            second = first * d
        with tf.device(PS1):
            third = second - a
        bad = tf.check_numerics(first / 0.0, "not finite here")
        with session() as s:
            one, two = (s.partial_run_setup([first, second, third], [a, b, d]) for _ in range(2))
            same(s.partial_run(one, first, {a: 1, b: 2}), 3)
            same(s.partial_run(two, first, {a: 10, b: 20}), 30)
            same(s.partial_run(two, second, {d: 2}), 60)
            same(s.partial_run(one, [second, third], {d: 3}), [9, 8])
            same(s.partial_run(two, third), 50)
            whole = s.partial_run_setup([first, second], [a, b, d])
            same(s.partial_run(whole, [first, second], {a: 1, b: 2, d: 4}), [3, 12])
            early = s.partial_run_setup([second], [a, b, d])
            raises(tf.errors.InvalidArgumentError, ["can't be computed"], lambda: s.partial_run(early, second, {a: 1, b: 2}))
            failing = s.partial_run_setup([bad], [a, b])
            raises(tf.errors.InvalidArgumentError, ["not finite here"], lambda: s.partial_run(failing, bad, {a: 1, b: 2}))
            same(s.run(third, {a: 1, b: 1, d: 5}), 9, "a whole run afterwards")
