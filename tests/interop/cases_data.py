"""Input pipelines in the graph: what tf.data's iterators yield from our servers is what they yield in TensorFlow's own session."""
import gzip
import os

from suite import graph_and_session, holds, np, raises, same, test, tf

Dataset = tf.data.Dataset


def elements(dataset, target, restarts=2, limit=100):
    """Everything that an iterator yields, start after start; an error of a request is its code."""
    iterator = tf.data.make_initializable_iterator(dataset)
    following = iterator.get_next()
    got = []
    with tf.Session(target) as s:
        s.run([tf.global_variables_initializer(), tf.tables_initializer()])
        for _ in range(restarts):
            s.run(iterator.initializer)
            for _ in range(limit):
                try:
                    got.append(s.run(following))
                except tf.errors.OutOfRangeError as e:
                    holds("End of sequence" in e.message, e.message)
                    got.append("end")
                    break
                except tf.errors.OpError as e:
                    got.append(e.error_code)
    return got


def equal(t, name, pipeline, **options):
    """Runs a pipeline in TensorFlow's own session and on our servers."""
    def run(target):
        with tf.Graph().as_default():
            tf.set_random_seed(5)
            return elements(pipeline(), target, **options)
    expected, got = run(""), run(t.cluster().target())
    if repr(got) != repr(expected):
        raise AssertionError("%s: got %r, expected %r" % (name, got, expected))


def all_equal(t, pipelines, **options):
    for name, pipeline in pipelines.items():
        equal(t, name, pipeline, **options)


@test(limit=120)
def sources_and_shapes_of_datasets(t):
    all_equal(t, {
        "range": lambda: Dataset.range(10, 0, -3),
        "tensors": lambda: Dataset.from_tensors({"a": [1, 2], "b": 2.5}),
        "slices": lambda: Dataset.from_tensor_slices(([[1, 2], [3, 4]], ["a", "bb"])),
        "take and skip": lambda: Dataset.range(9).take(6).skip(2),
        "repeat": lambda: Dataset.range(3).repeat().take(8),
        "an empty dataset for ever": lambda: Dataset.range(0).repeat(),
        "zip": lambda: Dataset.zip((Dataset.range(5), (Dataset.range(3), Dataset.from_tensor_slices(["a", "b", "c", "d"])))),
        "concatenate": lambda: Dataset.range(3).concatenate(Dataset.range(7, 9)),
        "shard": lambda: Dataset.range(10).shard(3, 1),
        "batch": lambda: Dataset.range(7).batch(3),
        "batch without the rest": lambda: Dataset.range(7).batch(3, drop_remainder=True),
        "padded batch": lambda: Dataset.range(5).map(lambda x: (tf.fill([x, 2], x), tf.fill([x], "s"))).padded_batch(
            2, padded_shapes=([6, None], [None]), padding_values=(np.int64(-1), "pad")),
        "unbatch": lambda: Dataset.range(5).batch(2).unbatch(),
        "window": lambda: Dataset.range(10).window(3, shift=2, stride=2, drop_remainder=True).flat_map(lambda w: w.batch(3)),
        "enumerate": lambda: Dataset.from_tensor_slices(["a", "b"]).enumerate(5),
        "prefetch": lambda: Dataset.range(9).prefetch(3),
        "cache": lambda: Dataset.range(4).map(lambda x: tf.random.uniform([], seed=3)).cache().repeat(3),
    })


@test(limit=120)
def functions_of_elements(t):
    def reciprocal(x):
        return tf.debugging.check_numerics(1.0 / tf.cast(x - 2, tf.float32), "no number")

    def captured():
        variable = tf.get_variable("v", initializer=np.int64(10), use_resource=True)
        return Dataset.range(3).map(lambda x: x + variable)

    all_equal(t, {
        "map": lambda: Dataset.range(5).map(lambda x: (x * 2, tf.cast(x, tf.float32) / 3)),
        "parallel map": lambda: Dataset.range(20).map(lambda x: x * 2, num_parallel_calls=4),
        "a captured variable": captured,
        "a conditional": lambda: Dataset.range(5).map(lambda x: tf.cond(x > 2, lambda: x * 10, lambda: -x)),
        "random numbers": lambda: Dataset.range(4).map(lambda x: tf.random.uniform([], seed=4)).repeat(2),
        "filter": lambda: Dataset.range(9).filter(lambda x: tf.equal(x % 3, 1)),
        "flat_map": lambda: Dataset.range(4).flat_map(lambda x: Dataset.range(x).map(lambda y: y * 10 + x)),
        "interleave": lambda: Dataset.range(1, 6).interleave(lambda x: Dataset.from_tensors(x).repeat(x), cycle_length=3, block_length=2),
        "parallel interleave": lambda: Dataset.range(1, 6).interleave(
            lambda x: Dataset.from_tensors(x).repeat(x), cycle_length=2, block_length=1, num_parallel_calls=2),
        "a failing element": lambda: Dataset.range(5).map(reciprocal),
        "a failing element of a parallel map": lambda: Dataset.range(5).map(reciprocal, num_parallel_calls=3),
        "failing elements left out": lambda: Dataset.range(5).map(reciprocal).apply(tf.data.experimental.ignore_errors()),
        "groups": lambda: Dataset.range(10).apply(
            tf.data.experimental.group_by_window(lambda x: x % 3, lambda _, d: d.batch(3), 2)),
        "map and batch": lambda: Dataset.range(7).apply(tf.data.experimental.map_and_batch(lambda x: x * 2, 3)),
    })


@test()
def the_order_of_a_shuffle_is_that_of_its_seeds(t):
    all_equal(t, {
        "shuffle": lambda: Dataset.range(10).shuffle(3, seed=7),
        "a buffer that holds all": lambda: Dataset.range(10).shuffle(100, seed=7),
        "epochs": lambda: Dataset.range(7).shuffle(4, seed=7).repeat(3),
        "equal epochs": lambda: Dataset.range(7).shuffle(4, seed=7, reshuffle_each_iteration=False).repeat(2),
        "across epochs": lambda: Dataset.range(7).repeat(3).shuffle(5, seed=7),
        "shuffle_and_repeat": lambda: Dataset.range(7).apply(tf.data.experimental.shuffle_and_repeat(3, 2, seed=1)),
    })


@test()
def files_of_records_and_lines(t):
    folder = t.temp()
    records, damaged, text, fixed = [os.path.join(folder, name) for name in ("records", "damaged", "text.gz", "fixed")]
    with tf.python_io.TFRecordWriter(records) as writer:
        for k in range(3):
            writer.write(b"record %d" % k)
    with open(records, "rb") as f:
        contents = bytearray(f.read())
    contents[40] ^= 1
    with open(damaged, "wb") as f:
        f.write(contents)
    with gzip.open(text, "wb") as f:
        f.write(b"one\r\ntwo\n\nlast")
    with open(fixed, "wb") as f:
        f.write(b"HEaaaabbbbF")
    all_equal(t, {
        "records": lambda: tf.data.TFRecordDataset([records, records]),
        "records in turn": lambda: tf.data.TFRecordDataset([records, records], num_parallel_reads=2),
        "a damaged record": lambda: tf.data.TFRecordDataset([damaged, records]),
        "a missing file": lambda: tf.data.TFRecordDataset(folder + "/nothing"),
        "lines": lambda: tf.data.TextLineDataset(text, "GZIP"),
        "pieces": lambda: tf.data.FixedLengthRecordDataset(fixed, 4, 2, 1),
    }, limit=12)


@test()
def iterators_are_reinitialized_fed_by_handle_and_shared(t):
    c = t.cluster()
    with graph_and_session(c.target()) as (_, session):
        first, second = Dataset.range(3), Dataset.range(7, 9)
        iterator = tf.data.Iterator.from_structure(tf.int64, tf.TensorShape([]))
        starts = [iterator.make_initializer(d) for d in (first, second)]
        following = iterator.get_next()
        one_shot = tf.data.make_one_shot_iterator(Dataset.range(10, 14).map(lambda x: -x))
        handle = tf.placeholder(tf.string, [])
        either = tf.data.Iterator.from_string_handle(handle, tf.int64, tf.TensorShape([])).get_next()
        with session() as s:
            raises(tf.errors.FailedPreconditionError, ["has not been initialized"], lambda: s.run(following))
            for start, expected in ((0, [0, 1, 2]), (1, [7, 8]), (0, [0, 1, 2])):
                s.run(starts[start])
                same([s.run(following) for _ in expected], expected)
                raises(tf.errors.OutOfRangeError, ["End of sequence"], lambda: s.run(following))
            s.run(starts[0])
            a, b = s.run([iterator.string_handle(), one_shot.string_handle()])
            same([s.run(either, {handle: h}) for h in (a, b, a, b, b)], [0, -10, 1, -11, -12])
            raises(tf.errors.InvalidArgumentError, ["ResourceHandle"], lambda: s.run(either, {handle: b"junk"}))
    graphs = []
    for _ in range(2):
        with tf.Graph().as_default() as graph:
            shared = tf.data.make_initializable_iterator(Dataset.range(6), shared_name="shared_by_sessions")
            graphs.append((graph, shared.initializer, shared.get_next()))
    with tf.Session(c.target(), graph=graphs[0][0]) as s, tf.Session(c.target(), graph=graphs[1][0]) as other:
        s.run(graphs[0][1])
        same([s.run(graphs[0][2]), other.run(graphs[1][2]), s.run(graphs[0][2])], [0, 1, 2])


@test()
def a_request_that_waits_ends_with_its_time_limit(t):
    c = t.cluster()
    with graph_and_session(c.target()) as (_, session):
        never = tf.data.make_initializable_iterator(Dataset.range(1).repeat().filter(lambda x: x > 0))
        following, five = never.get_next(), tf.constant(5)
        with session() as s:
            options = tf.RunOptions(timeout_in_ms=500)
            for _ in range(3):
                s.run(never.initializer)
                raises(tf.errors.DeadlineExceededError, [], lambda: s.run(following, options=options))
            same(s.run(five), 5)


@test()
def a_monitored_session_stops_at_the_end_of_its_data(t):
    c = t.cluster()
    with tf.Graph().as_default():
        data = Dataset.range(10).map(lambda x: tf.cast(x, tf.float32)).shuffle(4, seed=1).batch(2).repeat(2).prefetch(1)
        x = tf.data.make_one_shot_iterator(data).get_next()
        with tf.device("/job:ps/task:0"):
            w = tf.get_variable("w", [], initializer=tf.zeros_initializer())
        step = tf.train.get_or_create_global_step()
        loss = tf.reduce_mean(tf.square(x * w - 2 * x))
        train = tf.train.GradientDescentOptimizer(0.01).minimize(loss, global_step=step)
        steps, value = 0, None
        with tf.train.MonitoredTrainingSession(master=c.target(), is_chief=True) as s:
            while not s.should_stop():
                _, value = s.run([train, w])
                steps += 1
        same(steps, 10)
        holds(abs(value - 2) < 0.5, "w went from 0 to %r, away from 2" % value)
