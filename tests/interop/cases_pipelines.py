"""Input pipelines that read files, keep elements, and go on after a restart from where a checkpoint found them."""
import os

from cases_data import Dataset, all_equal
from suite import graph_and_session, np, raises, same, test, tf

PS1, WORKER1 = "/job:ps/task:1", "/job:worker/task:1"
experimental = tf.data.experimental


@test(limit=120)
def records_are_parsed_grouped_and_kept_in_files(t):
    folder = t.temp()
    table = os.path.join(folder, "table.csv")
    with open(table, "w") as f:
        f.write('name,n,x\na,1,2.5\n"b ""c"",\nd",,\r\ne,7,1e3\n')
    with open(os.path.join(folder, "bad.csv"), "w") as f:
        f.write("a,1\nb,x\nc,3,4\nd,5\n")

    def example(i):
        values = {"i": tf.train.Feature(int64_list=tf.train.Int64List(value=[i])), "s": tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"w"] * i))}
        return tf.train.Example(features=tf.train.Features(feature=values)).SerializeToString()
    examples = [example(i) for i in range(5)]
    features = {"i": tf.io.FixedLenFeature([], tf.int64), "none": tf.io.FixedLenFeature([2], tf.float32, [0.5, 1.0]), "s": tf.io.VarLenFeature(tf.string)}
    reducer = experimental.Reducer(lambda key: (key * 100, 0), lambda state, x: (state[0] + x, state[1] + 1), lambda total, n: (total, n))
    caches = iter(range(100))
    all_equal(t, {
        "columns": lambda: experimental.CsvDataset(table, [tf.string, tf.constant([5], tf.int32), tf.constant([9.5])], header=True),
        "some columns": lambda: experimental.CsvDataset([table, table], [tf.constant([-1.0], tf.float64)], header=True, select_cols=[2]),
        "columns that are wrong": lambda: experimental.CsvDataset(os.path.join(folder, "bad.csv"), [tf.string, tf.int64]),
        "examples": lambda: Dataset.from_tensor_slices(examples).batch(2).apply(experimental.parse_example_dataset(features, num_parallel_calls=2)),
        "sparse batches": lambda: Dataset.range(1, 6).map(lambda x: tf.fill([x, 2], x)).apply(experimental.dense_to_sparse_batch(2, [None, 3])),
        "a row that is too large": lambda: Dataset.range(1, 6).map(lambda x: tf.fill([x], x)).apply(experimental.dense_to_sparse_batch(2, [3])),
        "reduced groups": lambda: Dataset.range(10).apply(experimental.group_by_reducer(lambda x: x % 3, reducer)),
        "a cache in files": lambda: Dataset.range(4).map(lambda x: (x, tf.as_string(x))).cache(os.path.join(folder, "cache%d" % next(caches))).repeat(2),
    }, limit=12)


@test()
def a_cache_in_files_is_read_by_the_other_system(t):
    c = t.cluster()
    for writer, reader in (("", c.target()), (c.target(), "")):
        path = os.path.join(t.temp(), "cache")
        for target, n in ((writer, 11), (reader, 0)):
            with graph_and_session(target) as (_, session):
                following = tf.data.make_one_shot_iterator(Dataset.range(n).map(lambda x: (x, x * 2)).cache(path).batch(20)).get_next()
                with session() as s:
                    same(s.run(following), [np.arange(11), 2 * np.arange(11)])
                    raises(tf.errors.OutOfRangeError, [], lambda: s.run(following))


@test()
def an_iterator_goes_on_from_where_a_checkpoint_found_it(t):
    c = t.cluster()
    path = os.path.join(t.temp(), "model")

    def pipeline(seed):
        shuffled = Dataset.range(12).shuffle(5, seed=seed).map(lambda x: x * 2).batch(2).repeat(3)
        return tf.data.make_initializable_iterator(Dataset.zip((shuffled, experimental.RandomDataset(seed=seed))).prefetch(2))

    for seed in (3, None):  # without seeds the order is another in each graph, and the checkpoint has to bring it along: TensorFlow's for one epoch
        with graph_and_session(c.target()) as (_, session), tf.device(PS1):
            iterator = pipeline(seed)
            following = iterator.get_next()
            tf.add_to_collection(tf.GraphKeys.SAVEABLE_OBJECTS, experimental.make_saveable_from_iterator(iterator))
            saver = tf.train.Saver([tf.get_variable("v", initializer=1)] + tf.get_collection(tf.GraphKeys.SAVEABLE_OBJECTS))
            with session() as s:
                raises(tf.errors.FailedPreconditionError, ["has not been initialized"], lambda: s.run(tf.get_collection(tf.GraphKeys.SAVEABLE_OBJECTS)[0].specs[0].tensor))
                s.run([iterator.initializer, tf.global_variables_initializer()])
                for _ in range(4):
                    s.run(following)
                saver.save(s, path)
                rest = [s.run(following) for _ in range(14)]
                saver.restore(s, path)
                same([s.run(following)[1] for _ in range(14)], [r[1] for r in rest], "numbers in the same session")
        tf.Session.reset(c.target())
        with graph_and_session(c.target()) as (_, session), tf.device(PS1):
            iterator = pipeline(seed)
            following = iterator.get_next()
            saver = tf.train.Saver([tf.get_variable("v", initializer=1), experimental.make_saveable_from_iterator(iterator)])
            with session() as s:
                raises(tf.errors.FailedPreconditionError, ["has not been initialized"], lambda: saver.restore(s, path))
                s.run(iterator.initializer)
                saver.restore(s, path)
                compared = rest if seed or t.impl == "ferroflow" else rest[:2]
                for k, (batch, number) in enumerate(compared):
                    got = s.run(following)
                    same(got[0], batch, "batch %d" % k)
                    same(got[1], number, "number %d" % k)
                for _ in rest[len(compared):]:
                    s.run(following)
                raises(tf.errors.OutOfRangeError, [], lambda: s.run(following))


@test()
def a_monitored_session_goes_on_with_its_data(t):
    c, folder = t.cluster(), t.temp()
    seen = []
    for last_step in (3, 7):
        tf.Session.reset(c.target())
        with tf.Graph().as_default(), tf.device(PS1):
            iterator = tf.data.make_one_shot_iterator(Dataset.range(100).map(lambda x: x * 10))
            following = iterator.get_next()
            train = tf.assign_add(tf.train.get_or_create_global_step(), 1)
            tf.add_to_collection(tf.GraphKeys.SAVEABLE_OBJECTS, experimental.make_saveable_from_iterator(iterator))
            hooks = [tf.train.StopAtStepHook(last_step=last_step)]
            with tf.train.MonitoredTrainingSession(c.target(), checkpoint_dir=folder, save_checkpoint_steps=1, hooks=hooks) as s:
                while not s.should_stop():
                    seen.append(int(s.run([following, train])[0]))
    same(seen, [10 * i for i in range(7)], "elements of both sessions")
