"""What clients are told when something is wrong: the codes and the words that TensorFlow's own code matches on."""
import os

from tensorflow.core.framework import graph_pb2

from suite import graph_and_session, holds, raises, same, test, tf
from wire import MASTER, WORKER, Wire, decode, refused

INVALID, NOT_FOUND, ABORTED = 3, 5, 10


@test()
def an_uninitialized_variable_says_so(t):
    c = t.cluster()
    with graph_and_session(c.target()) as (_, session):
        with tf.device("/job:ps/task:0"):
            plain = tf.Variable(1.0, name="plain_variable")
            resource = tf.Variable(1.0, name="resource_variable", use_resource=True)
        with session() as s:
            raises(tf.errors.FailedPreconditionError, ["Attempting to use uninitialized value plain_variable"], lambda: s.run(plain))
            raises(tf.errors.FailedPreconditionError, ["resource_variable", "uninitialized"], lambda: s.run(resource))
            same(sorted(s.run(tf.report_uninitialized_variables())), [b"plain_variable", b"resource_variable"])


@test()
def an_unfed_placeholder_names_itself(t):
    c = t.cluster()
    with graph_and_session(c.target()) as (_, session):
        with tf.device("/job:worker/task:1"):
            x = tf.placeholder(tf.float32, [2], name="pp")
            y = x + 1.0
        with session() as s:
            raises(tf.errors.InvalidArgumentError,
                   ["You must feed a value for placeholder tensor 'pp' with dtype float and shape [2]"], lambda: s.run(y))
            same(s.run(y, {x: [1, 2]}), [2, 3], "the session is still good")


@test()
def a_device_that_does_not_exist_is_named(t):
    c = t.cluster()
    for device in ("/job:ps/task:7", "/job:nowhere/task:0", "/job:worker/task:0/device:GPU:3"):
        with graph_and_session(c.target()) as (_, session):
            with tf.device("/job:worker/task:1"):
                good = tf.constant(1.0)
            with session() as s:
                same(s.run(good), 1.0)
                with tf.device(device):
                    bad = tf.constant(2.0, name="baddev")
                raises(tf.errors.InvalidArgumentError,
                       ["Cannot assign a device for operation baddev", "was explicitly assigned to " + device, "available devices"],
                       lambda: s.run(bad))


@test()
def a_failing_kernel_on_another_task_is_the_steps_error(t):
    c = t.cluster()
    with graph_and_session(c.target()) as (_, session):
        a, b = tf.placeholder(tf.float32, name="left"), tf.placeholder(tf.float32, name="right")
        with tf.device("/job:worker/task:1"):
            product = tf.matmul(a, b, name="the_product")
            checked = tf.check_numerics(a / 0.0, "not finite here", name="the_check")
        with tf.device("/job:ps/task:0"):
            used = product + 1.0
            used_check = checked + 1.0
        with session() as s:
            for _ in range(3):
                raises(tf.errors.InvalidArgumentError, ["the_product"], lambda: s.run(used, {a: [[1, 2]], b: [[1, 2]]}))
                raises(tf.errors.InvalidArgumentError, ["not finite here", "the_check"], lambda: s.run(used_check, {a: [1.0]}))
                same(s.run(used, {a: [[1, 2]], b: [[3], [4]]}), [[12]])


@test()
def a_step_that_waits_ends_at_its_timeout(t):
    c = t.cluster()
    with graph_and_session(c.target()) as (_, session):
        with tf.device("/job:ps/task:1"):
            queue = tf.FIFOQueue(4, tf.float32, shapes=[[]], shared_name="timeout_q")
        take, put = queue.dequeue(), queue.enqueue(3.0)
        with session() as s:
            for _ in range(2):
                raises(tf.errors.DeadlineExceededError, [], lambda: s.run(take, options=tf.RunOptions(timeout_in_ms=300)))
            s.run(put)
            same(s.run(take), 3.0, "the session stays usable, and the cancelled steps took nothing")


@test()
def a_closed_queue_says_so(t):
    c = t.cluster()
    with graph_and_session(c.target()) as (_, session):
        with tf.device("/job:ps/task:0"):
            queue = tf.FIFOQueue(3, tf.float32, shapes=[[]], shared_name="closed_q")
        put, take, end = queue.enqueue(1.0), queue.dequeue(), queue.close()
        with session() as s:
            s.run(put)
            s.run(end)
            same(s.run(take), 1.0)
            raises(tf.errors.OutOfRangeError, ["closed_q", "is closed and has insufficient elements (requested 1, current size 0)"],
                   lambda: s.run(take))
            raises(tf.errors.CancelledError, ["closed_q", "is closed"], lambda: s.run(put))


@test()
def keys_that_repeat_with_other_values_are_told(t):
    c, path = t.cluster(), os.path.join(t.temp(), "words")
    with open(path, "w") as f:
        f.write("a\nb\na\n")
    with graph_and_session(c.target()) as (_, session):
        pairs = [(["a", "a"], [1, 2], ["Key a has 1 and trying to add value 2"]), ([7, 7], ["x", "y"], ["Key 7 has x", "value y"]),
                 (["k", "k"], [1.5, 2.5], ["Key k has 1.5 and trying to add value 2.5"])]
        tables = [(tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(keys, values), values[0]), words) for keys, values, words in pairs]
        lines = tf.lookup.TextFileInitializer(path, tf.string, tf.lookup.TextFileIndex.WHOLE_LINE, tf.int64, tf.lookup.TextFileIndex.LINE_NUMBER)
        tables.append((tf.lookup.StaticHashTable(lines, -1), ["Key a has 0 and trying to add value 2"]))
        with session() as s:
            for table, words in tables:
                raises(tf.errors.FailedPreconditionError, words, lambda: s.run(table.initializer))


@test()
def wrong_shapes_for_a_variable_are_refused_and_change_nothing(t):
    c = t.cluster()
    with graph_and_session(c.target()) as (_, session):
        with tf.device("/job:ps/task:0"):
            v = tf.Variable([1.0, 2.0], name="two", validate_shape=True)
        value = tf.placeholder(tf.float32)
        assign = tf.raw_ops.Assign(ref=v._variable, value=value) if hasattr(v, "_variable") else v.assign(value)
        with session() as s:
            s.run(v.initializer)
            raises(tf.errors.InvalidArgumentError, ["shapes of both tensors to match"], lambda: s.run(assign, {value: [1, 2, 3]}))
            same(s.run(v), [1, 2])


@test()
def an_unknown_session_is_aborted(t):
    c = t.cluster()
    with Wire(c.target()) as wire:
        code, message = refused(lambda: wire.run_step("gone"))
        holds(code == ABORTED and "Session gone is not found." in message, "RunStep: %d %s" % (code, message))
        code, message = refused(lambda: wire.call(MASTER, "ExtendSession", {1: "gone"}))
        holds(code == ABORTED and "Session gone is not found." in message, "ExtendSession: %d %s" % (code, message))
        code, message = refused(lambda: wire.close_session("gone"))
        holds(code == ABORTED and "Session gone is not found. Possibly, this master has restarted." in message,
              "CloseSession: %d %s" % (code, message))


@test()
def a_worker_that_does_not_know_the_session_or_graph_aborts(t):
    c = t.cluster()
    with Wire(c.target("ps", 0)) as wire:
        code, message = refused(lambda: wire.call(WORKER, "RunGraph", {1: "0000000000000001", 8: "gone", 10: 1}))
        holds(code == ABORTED and "handle is not found" in message, "RunGraph: %d %s" % (code, message))
        code, message = refused(lambda: wire.call(WORKER, "DeregisterGraph", {1: "0000000000000001", 2: ""}))
        holds(code == ABORTED and "Graph handle is not found" in message, "DeregisterGraph: %d %s" % (code, message))
        status = wire.call(WORKER, "GetStatus", {})
        same(decode(status[1][0])[1], [b"/job:ps/replica:0/task:0/device:CPU:0"], "the device of GetStatus")


@test()
def an_unknown_op_or_a_graph_from_the_future_is_refused(t):
    c = t.cluster()
    with Wire(c.target()) as wire:
        graph = graph_pb2.GraphDef()
        graph.versions.producer = 1087
        graph.node.add(name="strange", op="FooBar")
        code, message = refused(lambda: wire.create_session(graph))
        holds(code == NOT_FOUND and "Op type not registered 'FooBar'" in message, "unknown op: %d %s" % (code, message))
        graph = graph_pb2.GraphDef()
        graph.versions.producer, graph.versions.min_consumer = 9001, 9000
        graph.node.add(name="nothing", op="NoOp")
        code, message = refused(lambda: wire.create_session(graph))
        holds(code == INVALID and "min consumer version 9000" in message, "too new: %d %s" % (code, message))


@test()
def damaged_graphs_are_refused_and_the_server_lives_on(t):
    c = t.cluster()

    def node(graph, name, op, inputs=(), **types):
        n = graph.node.add(name=name, op=op)
        n.input.extend(inputs)
        for k, v in types.items():
            n.attr[k].type = v
    damaged = []
    # Real TensorFlow's server dies of a node that lacks an input.
    missing = [[]] if t.impl == "ferroflow" else []
    for inputs in [["a:7"], ["a:-1"], ["nope"], ["^a:0"], ["a", "a"], ["b"]] + missing:
        graph = graph_pb2.GraphDef()
        graph.versions.producer = 1087
        node(graph, "a", "Placeholder", dtype=tf.float32.as_datatype_enum)
        node(graph, "b", "Identity", inputs, T=tf.float32.as_datatype_enum)
        damaged.append(graph)
    graph = graph_pb2.GraphDef()
    graph.versions.producer = 1087
    node(graph, "twice", "NoOp")
    node(graph, "twice", "NoOp")
    damaged.append(graph)
    graph = graph_pb2.GraphDef()
    graph.versions.producer = 1087
    node(graph, "bad name!", "NoOp")
    damaged.append(graph)
    graph = graph_pb2.GraphDef()
    graph.versions.producer = 1087
    node(graph, "untyped", "Placeholder")
    damaged.append(graph)
    with Wire(c.target()) as wire:
        for graph in damaged:
            code, message = refused(lambda: wire.create_session(graph))
            holds(code in (INVALID, NOT_FOUND) and message, "%s: %d %s" % (graph, code, message))
        # A request that is no message at all.
        code, message = refused(lambda: wire.call(MASTER, "CreateSession", b"\x0a\xff\xff\xff\xff\x0f damaged"))
        holds(code != 0, "garbage as a message")
        good = graph_pb2.GraphDef()
        good.versions.producer = 1087
        node(good, "fine", "NoOp")
        handle = wire.create_session(good)
        wire.run_step(handle, target=["fine"])
        code, message = refused(lambda: wire.run_step(handle, fetch=["absent:0"]))
        holds(code in (INVALID, NOT_FOUND), "fetch of an absent node: %d %s" % (code, message))
        wire.close_session(handle)


@test()
def unknown_and_released_callables_are_refused(t):
    c = t.cluster()
    with Wire(c.target()) as wire:
        graph = graph_pb2.GraphDef()
        graph.versions.producer = 1087
        graph.node.add(name="fine", op="NoOp")
        handle = wire.create_session(graph)
        made = wire.make_callable(handle, "fine")
        wire.run_callable(handle, made)
        wire.release_callable(handle, made)
        code, message = refused(lambda: wire.run_callable(handle, made))
        holds(code == INVALID and "callable" in message, "released: %d %s" % (code, message))
        code, message = refused(lambda: wire.run_callable(handle, 999))
        holds(code == INVALID and "No such callable handle: 999" in message, "unknown: %d %s" % (code, message))
        wire.close_session(handle)


@test()
def a_call_into_the_clients_python_is_refused_and_hurts_nobody(t):
    c = t.cluster()
    with graph_and_session(c.target()) as (_, session):
        with tf.device("/job:ps/task:0"):
            called = tf.numpy_function(lambda a: a + 1, [tf.constant(1)], tf.int32, name="the_call") + 1
        with tf.device("/job:worker/task:1"):
            eager = tf.py_function(lambda a: a + 1, [tf.constant(1)], tf.int32)
            iterator = tf.data.make_initializable_iterator(tf.data.Dataset.from_generator(lambda: iter([1, 2]), tf.int64, []))
            element = iterator.get_next()
            good = tf.constant(1.0) + 1.0

        def first_element():
            s.run(iterator.initializer)  # TensorFlow's servers notice later
            return s.run(element)
        with session() as s:
            ours = t.impl == "ferroflow"
            raises(tf.errors.InvalidArgumentError, ["PyFunc", "Python process", "the_call"] if ours else [], lambda: s.run(called))
            raises(tf.errors.InvalidArgumentError, ["EagerPyFunc"] if ours else [], lambda: s.run(eager))
            raises(tf.errors.InvalidArgumentError, ["GeneratorDataset"] if ours else [], first_element)
            same(s.run(good), 2.0)
