"""Models in clusters of both kinds of tasks, each way round, against TensorFlow's in-process session: loops, queues, embeddings, input, functions."""
from reference import alike, outcomes, version_2
from suite import holds, np, test, tf

WORKER0, WORKER1, PS0, PS1 = "/job:worker/task:0", "/job:worker/task:1", "/job:ps/task:0", "/job:ps/task:1"


def spread(on):
    """Variables on the ps tasks in turn, the rest on a worker, where there are any."""
    return tf.device(tf.train.replica_device_setter(ps_tasks=2, worker_device=WORKER1) if on is tf.device else None)


def loops(on):
    """A loop over three tasks with its gradients, a conditional in it, and an array that is written from it."""
    with on(PS0):
        v = tf.get_variable("v", initializer=[1.0, 2.0])
    with on(PS1):
        r = tf.get_variable("r", initializer=[0.5, 0.25], use_resource=True)
    x = tf.placeholder(tf.float32, [2])

    def body(i, y, kept):
        with on(PS0):
            y = tf.cond(tf.reduce_sum(y) > 1.0, lambda: y * v, lambda: y + v)
        with on(WORKER1):
            y = tf.tanh(y) + r
            return i + 1, y, kept.write(i, y)
    with on(WORKER0):
        _, y, kept = tf.while_loop(lambda i, *_: i < 5, body, [0, x, tf.TensorArray(tf.float32, 5)])
        all_kept = kept.stack()
    slopes = tf.gradients(tf.reduce_sum(all_kept * y), [v, r, x])
    return [([v.initializer, r.initializer], {}), ([y, all_kept] + slopes, {x: [0.3, -1]}), (slopes, {x: [1, 2]})]


def queues(on):
    """Queues of every kind on the other's task: batches that arrive, that are short, that come after the end."""
    with on(PS0):
        queue = tf.FIFOQueue(10, [tf.float32, tf.string], shapes=[[2], []], shared_name="q")
        first = tf.PriorityQueue(10, [tf.int32], [[]], shared_name="first")
    with on(PS1):
        padded = tf.PaddingFIFOQueue(10, [tf.int32], [[None]], shared_name="padded")
    a, b, i = tf.placeholder(tf.float32, [None, 2]), tf.placeholder(tf.string, [None]), tf.placeholder(tf.int64, [])
    with on(WORKER1):
        put = queue.enqueue_many([a * 2.0, tf.strings.join([b, "!"])])
        rank, pad = first.enqueue([i, tf.cast(i, tf.int32) * 10]), padded.enqueue([tf.range(tf.cast(i, tf.int32))])
    with on(WORKER0):
        two, rest, least, both = queue.dequeue_many(2), queue.dequeue_up_to(5), first.dequeue(), padded.dequeue_many(2)
        two = [two[0] + 1.0, two[1]]
    return [(put, {a: [[1, 2], [3, 4], [5, 6]], b: ["a", "", "ccc"]}), (two, {}), (rank, {i: 5}), (rank, {i: 2}), (least, {}), (pad, {i: 1}),
            (pad, {i: 3}), (both, {}), (queue.close(), {}), (rest, {}), (two, {}), (put, {a: [[1, 2]], b: ["x"]})]


def embeddings(on):
    """Tables in parts on both ps, with the sparse updates of four optimizers."""
    ids, train, tables = tf.placeholder(tf.int64, [None]), [], []
    makers = [lambda: tf.train.AdagradOptimizer(0.1), lambda: tf.train.AdamOptimizer(0.1), lambda: tf.train.MomentumOptimizer(0.1, 0.9),
              lambda: tf.train.FtrlOptimizer(0.1, l1_regularization_strength=0.01)]
    for k, make in enumerate(makers):
        with spread(on), tf.variable_scope("table_%d" % k):
            table = tf.get_variable("t", [9, 3], initializer=tf.random_uniform_initializer(-1, 1, seed=k), use_resource=bool(k % 2),
                                    partitioner=tf.fixed_size_partitioner(2))
            with on(WORKER1):
                rows = tf.nn.embedding_lookup(table, ids, partition_strategy="div")
                loss = tf.reduce_sum(rows * rows * tf.constant([1.0, 2.0, 3.0]))
            train.append([loss, make().minimize(loss)])
            tables.extend(table)
    steps = [(train, {ids: i}) for i in ([1, 2, 1], [8, 8, 0], [])]
    return [(tf.global_variables_initializer(), {})] + steps + [(tables, {})]


def data_and_functions(on):
    """An iterator of one task that is used at another, a table, and a function over two tasks."""
    with on(PS0):
        pipeline = tf.data.Dataset.range(10).map(lambda n: (n * 2, tf.cast(n, tf.float32) / 2)).filter(lambda a, _: a % 4 == 0).batch(2)
        iterator = tf.data.make_initializable_iterator(pipeline, shared_name="iterator")
        whole, half = iterator.get_next()
        words = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a", "b"], tf.constant([1, 2], tf.int64)), -1)
        v = tf.get_variable("v", initializer=[1.0, 3.0], use_resource=True)
    with on(WORKER1):
        used, found = [whole + 1, half * 2.0], words.lookup(tf.constant(["b", "z"]))
    x = tf.placeholder(tf.float32, [2])

    @tf.compat.v2.function
    def over_two_tasks(y):
        with on(PS1):
            y = y * 2.0
        with on(WORKER1):
            return y + v
    y = over_two_tasks(x)
    return [(found, {}), ([tf.tables_initializer(), v.initializer, iterator.initializer], {}), (found, {})] + [(used, {})] * 4 + [
        ([y, tf.gradients(y, [x])], {x: [1, 2]})]


def transfers(on):
    """Tensors of every type, empty ones and large ones, sent from task to task both ways."""
    runs = []
    for kind in (tf.float16, tf.bfloat16, tf.float64, tf.int8, tf.uint16, tf.uint64, tf.int64, tf.bool, tf.complex64, tf.complex128, tf.string):
        x = tf.placeholder(kind, None)
        y = x
        for device in (PS0, WORKER1, PS1, WORKER0):
            with on(device):
                y = tf.identity(y)
        if kind == tf.string:
            values = [np.array([b"ab", b"", b"\x00\xff" * 50000], object), np.array(b"one", object), np.zeros((0, 3), object)]
        else:
            values = [np.array([1, 0, 3]), np.array(1), np.zeros((2, 0, 3)), np.ones((300, 1000))]
            values = [v.astype(kind.as_numpy_dtype) for v in values]
        runs.extend((y, {x: v}) for v in values)
    return runs


@version_2()
def lists(on):
    """Lists of tensors that go from task to task, as TensorFlow 2's loops and maps make them, and sparse tensors that do."""
    x = tf.placeholder(tf.float32, [None, 2])
    with on(PS1):
        array = tf.TensorArray(tf.float32, 4, clear_after_read=False).unstack(x * 2.0)
    with on(WORKER1):
        _, out = tf.while_loop(lambda i, o: i < 4, lambda i, o: (i + 1, o.write(i, tf.tanh(array.read(i)))), [0, tf.TensorArray(tf.float32, 4)])
    with on(WORKER0):
        mapped = tf.map_fn(lambda e: e * e, out.stack())
    with on(PS0):
        sums = tf.foldl(lambda a, e: a * 0.5 + e, x + 1.0)
        pairs = tf.data.Dataset.from_tensor_slices(tf.SparseTensor([[0, 0], [1, 2]], [1, 2], [2, 3])).batch(2)
        iterator = tf.data.make_initializable_iterator(pairs)
        batch = iterator.get_next()
    slopes = tf.gradients(tf.reduce_sum(mapped) + tf.reduce_sum(sums), x)
    return [([mapped, sums] + slopes, {x: [[1, 2], [3, 4], [-1, 0.5], [0, 1]]}), (iterator.initializer, {}), ([batch.indices, batch.values], {})]


def agree_each_way_round(t, impls):
    c = t.new_cluster({"ps": 2, "worker": 2}, impls)
    for program in (loops, queues, embeddings, data_and_functions, transfers, lists):
        expected = outcomes("", program)
        for job in ("worker", "ps"):
            tf.Session.reset(c.target(job))
            got = outcomes(c.target(job), program)
            holds(len(got) == len(expected), "%d runs of %s" % (len(got), program.__name__))
            for k, (e, g) in enumerate(zip(expected, got)):
                same = e == g if isinstance(e, int) or isinstance(g, int) else all(alike(a, b, 2e-5) for a, b in zip(e, g))
                holds(same, "%s, run %d, master on %s: got %r, expected %r" % (program.__name__, k, job, g, e))


@test(only="ferroflow", limit=180)
def models_run_with_tensorflow_ps(t):
    agree_each_way_round(t, {"ps": "tf"})


@test(only="ferroflow", limit=180)
def models_run_with_tensorflow_workers(t):
    agree_each_way_round(t, {"worker": "tf"})
