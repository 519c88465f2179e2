"""What can be fed and fetched: every kind of value, structures, tensors inside the graph, and what is refused."""
from tensorflow.python.framework.indexed_slices import IndexedSlicesValue

from reference import agrees
from suite import graph_and_session, holds, np, raises, same, test, tf

W1, PS0, PS1 = "/job:worker/task:1", "/job:ps/task:0", "/job:ps/task:1"


@test()
def sparse_ragged_and_indexed_values(t):
    c = t.cluster()
    with graph_and_session(c.target()) as (_, session):
        sparse, ragged = tf.sparse_placeholder(tf.float32), tf.ragged.placeholder(tf.int32, 1)
        slices = tf.IndexedSlices(tf.placeholder(tf.float32, [None, 2]), tf.placeholder(tf.int32, [None]), tf.placeholder(tf.int32, [2]))
        with tf.device(W1):
            doubled = tf.SparseTensor(sparse.indices, sparse.values * 2.0, sparse.dense_shape)
            whole = tf.convert_to_tensor(slices)
        with tf.device(PS0):
            added = tf.ragged.map_flat_values(lambda v: v + 1, ragged)
        with session() as s:
            value = tf.SparseTensorValue([[0, 1], [2, 0]], [1.0, 2.0], [3, 2])
            for fed in (value, tuple(value)):
                got = s.run(doubled, {sparse: fed})
                same(got.indices, value.indices)
                same(got.values, [2, 4])
                same(got.dense_shape, [3, 2])
            got = s.run(added, {ragged: tf.ragged.constant_value([[1, 2], [], [3]], dtype=np.int32)})
            holds(got.to_list() == [[2, 3], [], [4]], got)
            fed = IndexedSlicesValue(np.ones((2, 2), np.float32), np.array([1, 1], np.int32), np.array([4, 2]))
            same(s.run(whole, {slices: fed}), [[0, 0], [2, 2], [0, 0], [0, 0]])


@test()
def structures_and_operations_are_fetched(t):
    def program(on):
        a = tf.placeholder(tf.float32, [2, 2], name="a")
        with on(W1):
            b = a * 2.0
        with on(PS1):
            c = b + 1.0
            k, v, u = tf.constant(3.0), tf.Variable(2.0), tf.Variable(4.0, use_resource=True)
            total = k * 2.0 + v + u
            either = tf.placeholder_with_default(tf.constant([1.0, 2.0]), [None]) * 2.0
        ones = {a: np.ones((2, 2))}
        return [({"x": [c, (b, a)], "y": tf.group(c), "z": c.op}, ones), ([c, c, b, c], ones), (c, {b: np.zeros((2, 2))}), ([], {}),
                (total, {}), (total, {k: 5.0, v: 1.0}), (tf.global_variables_initializer(), {}), (total, {}), (total, {k: 5.0}),
                ([total, v], {v: 100.0}), (either, {}), (either, {either.op.inputs[0]: [3.0]}), (c, {})]
    agrees(t, program)


@test()
def odd_types_pass_or_are_refused_in_words(t):
    c = t.cluster()
    for name in ("qint8", "quint8", "qint16", "quint16", "qint32", "float8_e5m2", "float8_e4m3fn", "int4", "uint4"):
        kind = tf.as_dtype(name)
        with graph_and_session(c.target()) as (_, session):
            with tf.device(W1):
                x = tf.placeholder(kind, [None])
                y = tf.identity(x)
            with tf.device(PS0):
                z = tf.identity(y)
            value = (np.array([(1,), (0,), (2,)], kind.as_numpy_dtype) if kind.is_quantized
                     else np.array([1, 0, 2]).astype(kind.as_numpy_dtype))
            with session() as s:
                try:
                    got = s.run(z, {x: value})
                except tf.errors.OpError as e:
                    holds(e.message and "panic" not in e.message, "%s: %s" % (name, e.message))
                else:
                    same(np.array(got.tolist()).ravel(), [1, 0, 2], name)
                same(s.run(tf.constant(2) + 1), 3, "the server lives")


@test()
def strings_of_every_shape(t):
    c = t.cluster()
    with graph_and_session(c.target()) as (_, session):
        with tf.device(W1):
            x = tf.placeholder(tf.string, None)
            y = tf.identity(x)
        with session() as s:
            for value in (b"x", "h\u00e9", [["a", "b"], ["c", ""]], np.zeros((0, 2), object), b"\0\0\xff", b"z" * 5_000_000):
                expected = np.array(value, object) if not isinstance(value, str) else np.array(value.encode(), object)
                if isinstance(value, list):
                    expected = np.array([[v.encode() for v in row] for row in value], object)
                got = np.array(s.run(y, {x: value}), object)
                holds(got.shape == expected.shape and got.tolist() == expected.tolist(), "%.60r" % value)


@test()
def session_tensors_are_refused_in_words(t):
    c = t.cluster()
    with graph_and_session(c.target()) as (_, session):
        with tf.device(W1):
            kept = tf.get_session_handle(tf.constant([1.0]))
            good = tf.constant(1.0) + 1.0
        with session() as s:
            raises(tf.errors.FailedPreconditionError, ["GetSessionHandle called on null session state"], lambda: s.run(kept))
            same(s.run(good), 2.0)
