"""Savers as programs use them: which files stay, the old format, meta graphs, parts of models, and what is said when nothing fits."""
import glob
import os

from suite import graph_and_session, holds, np, raises, same, test, tf


def build(tasks=2):
    """a of 4 doubles, b an int by resource, spread over the ps tasks, and the global step."""
    with tf.device(tf.train.replica_device_setter(ps_tasks=tasks)):
        a = tf.get_variable("a", initializer=np.arange(4.0))
        b = tf.get_variable("b", initializer=3, use_resource=True)
        return a, b, tf.train.get_or_create_global_step()


def names(folder):
    return sorted(os.path.basename(path) for path in glob.glob(os.path.join(folder, "*")))


@test()
def a_saver_keeps_the_newest_and_writes_relative_paths(t):
    c, folder = t.cluster(), t.temp()
    with graph_and_session(c.target()) as (_, session):
        build()
        saver = tf.train.Saver(max_to_keep=2, save_relative_paths=True, pad_step_number=True)
        with session() as s:
            s.run(tf.global_variables_initializer())
            for k in range(4):
                saver.save(s, os.path.join(folder, "m"), global_step=k)
        same([os.path.basename(p) for p in saver.last_checkpoints], ["m-00000002", "m-00000003"])
        holds(len(names(folder)) == 1 + 2 * 3, names(folder))
        with open(os.path.join(folder, "checkpoint")) as f:
            holds('model_checkpoint_path: "m-00000003"' in f.read(), "a relative path")
        same(os.path.basename(tf.train.latest_checkpoint(folder)), "m-00000003")


@test()
def the_old_format_is_written_and_read(t):
    c, folder = t.cluster(), t.temp()
    for sharded in (False, True):
        tf.Session.reset(c.target())
        path = os.path.join(folder, "old_%d" % sharded)
        with graph_and_session(c.target()) as (_, session):
            a, b, _ = build()
            parts = tf.get_variable("parts", [6, 2], initializer=tf.ones_initializer(), partitioner=tf.fixed_size_partitioner(2))
            old = tf.train.Saver(write_version=tf.train.SaverDef.V1, sharded=sharded)
            new = tf.train.Saver()
            with session() as s:
                s.run(tf.global_variables_initializer())
                saved = old.save(s, path)
                for saver in (old, new):  # the new ops read old files, too
                    s.run([a.assign(a * 0.0), b.assign(0)])
                    saver.restore(s, saved) if saver is old or not sharded else old.restore(s, saved)
                    same(s.run(a), np.arange(4.0))
                    same(s.run(b), 3)
                    same(s.run(tf.convert_to_tensor(parts)), np.ones((6, 2)))
        with tf.Graph().as_default():  # TensorFlow reads them, each shard being a file of the format
            for shard in glob.glob(path + "*"):
                if not shard.endswith(".meta"):
                    held = tf.train.load_checkpoint(shard).get_variable_to_shape_map()
                    holds(set(held) <= {"a", "b", "global_step", "parts"} and held, held)
            if not sharded:
                same(tf.train.load_checkpoint(path).get_tensor("a"), np.arange(4.0))


@test()
def the_old_format_of_tensorflow_is_read(t):
    c, path = t.cluster(), os.path.join(t.temp(), "old")
    values = [np.arange(6, dtype=np.float32).reshape(2, 3), np.array([1.5, -2]), np.array([1, -2], np.int64), np.array([1, 255], np.uint8),
              np.array([1, -2], np.float16), np.array([b"x", b""], object), np.array([True, False]), np.array([1 + 2j], np.complex64),
              np.array(7, np.int32), np.zeros((0, 3), np.float32)]
    keys = ["v%d" % k for k in range(len(values))]
    with tf.Graph().as_default(), tf.Session() as s:
        s.run(tf.raw_ops.SaveSlices(filename=path, tensor_names=keys + ["part"], shapes_and_slices=[""] * len(keys) + ["4 2 2,2:-"],
                                    data=values + [np.ones((2, 2))]))
    with graph_and_session(c.target()) as (_, session):
        with tf.device("/job:ps/task:1"):
            read = [tf.raw_ops.Restore(file_pattern=path, tensor_name=k, dt=tf.as_dtype(v.dtype)) for k, v in zip(keys, values)]
            part = tf.raw_ops.RestoreSlice(file_pattern=path, tensor_name="part", shape_and_slice="4 2 2,2:0,1", dt=tf.float64)
            missing = tf.raw_ops.Restore(file_pattern=path, tensor_name="gone", dt=tf.float32)
            partial = tf.raw_ops.Restore(file_pattern=path, tensor_name="part", dt=tf.float64)
        with session() as s:
            for k, (got, value) in enumerate(zip(s.run(read), values)):
                same(got, value, keys[k])
            same(s.run(part), [[1], [1]])
            raises(tf.errors.NotFoundError, ['Tensor name "gone" not found in checkpoint files'], lambda: s.run(missing))
            raises(tf.errors.InvalidArgumentError, ["Error copying slice data"], lambda: s.run(partial))


@test()
def a_meta_graph_brings_a_model_back(t):
    c, folder = t.cluster(), t.temp()
    with graph_and_session(c.target()) as (_, session):
        with tf.device(tf.train.replica_device_setter(ps_tasks=2, worker_device="/job:worker/task:1")):
            w = tf.get_variable("w", [3], initializer=tf.ones_initializer())
            train = tf.train.AdamOptimizer(0.1).minimize(tf.reduce_sum(w * w), global_step=tf.train.get_or_create_global_step())
        tf.add_to_collection("train", train)
        with session() as s:
            s.run(tf.global_variables_initializer())
            s.run(train)
            path = tf.train.Saver().save(s, os.path.join(folder, "m"))
            s.run(train)
            expected = s.run(w)
    for clear, target in ((False, c.target()), (True, c.target(task=1))):
        tf.Session.reset(c.target())
        with graph_and_session(target) as (graph, session):
            saver = tf.train.import_meta_graph(path + ".meta", clear_devices=clear)
            with session() as s:
                saver.restore(s, path)
                s.run(tf.get_collection("train")[0])
                same(s.run("w:0"), expected, "trained on")
                same(s.run("global_step:0"), 2)


@test(only="ferroflow")
def all_that_cannot_be_restored_is_said_at_once(t):
    c, folder = t.cluster(), t.temp()
    with graph_and_session(c.target()) as (_, session):
        a, b, _ = build()
        with session() as s:
            s.run(tf.global_variables_initializer())
            path = tf.train.Saver([a]).save(s, os.path.join(folder, "m"))
    with graph_and_session(c.target()) as (_, session):
        with tf.device("/job:ps/task:0"):
            wrong = tf.get_variable("wrong", [4])
            gone = tf.get_variable("gone", [2])
            also = tf.get_variable("also_gone", [2])
        saver = tf.train.Saver({"a": wrong, "gone": gone, "also_gone": also})
        with session() as s:
            raises(tf.errors.OpError, ["Key also_gone not found", "Key gone not found", "expected dtype float"],
                   lambda: s.run(saver.saver_def.restore_op_name, {saver.saver_def.filename_tensor_name: path}))


@test(only="ferroflow")
def the_task_that_writes_a_missing_shard_is_named(t):
    c, folder = t.cluster(), t.temp()
    with graph_and_session(c.target()) as (_, session):
        build()
        saver = tf.train.Saver(sharded=True)
        restore = saver.saver_def.restore_op_name, {saver.saver_def.filename_tensor_name: os.path.join(folder, "m")}
        with tf.device("/job:worker/task:1"):
            merge = tf.raw_ops.MergeV2Checkpoints(checkpoint_prefixes=[os.path.join(folder, "part-00001-of-00002")],
                                                  destination_prefix=os.path.join(folder, "n"))
        with session() as s:
            s.run(tf.global_variables_initializer())
            os.remove(saver.save(s, os.path.join(folder, "m")) + ".data-00001-of-00002")
            writer = "is written by /job:ps/replica:0/task:1"
            raises(tf.errors.NotFoundError, ["m.data-00001-of-00002", writer], lambda: s.run(*restore))
            raises(tf.errors.NotFoundError, ["part-00001-of-00002", writer, "From /job:worker/replica:0/task:1"], lambda: s.run(merge))


@test()
def what_fits_no_variable_changes_nothing(t):
    c, folder = t.cluster(), t.temp()
    with graph_and_session(c.target()) as (_, session):
        a, b, _ = build()
        with tf.device("/job:ps/task:0"):
            longer = tf.get_variable("longer", [5], dtype=tf.float64, initializer=tf.zeros_initializer())
            square = tf.get_variable("square", [2, 2], dtype=tf.float64, initializer=tf.zeros_initializer())
        with session() as s:
            s.run(tf.global_variables_initializer())
            path = tf.train.Saver([a]).save(s, os.path.join(folder, "m"))
            raises(tf.errors.InvalidArgumentError, ["shapes of both tensors to match"], lambda: tf.train.Saver({"a": longer}).restore(s, path))
            same(s.run(longer), np.zeros(5))
            tf.train.Saver({"a": square}, reshape=True).restore(s, path)
            same(s.run(square), [[0, 1], [2, 3]])
            raises(tf.errors.InvalidArgumentError, ["shape in shape_and_slice spec [5]"], lambda: s.run(tf.raw_ops.RestoreV2(
                prefix=path, tensor_names=["a"], shape_and_slices=["5 1,2"], dtypes=[tf.float64])))


@test()
def a_mistyped_folder_is_an_error_and_is_not_made(t):
    c, folder = t.cluster(), t.temp()
    with graph_and_session(c.target()) as (_, session):
        build()
        with session() as s:
            s.run(tf.global_variables_initializer())
            for sharded in (False, True):
                saver = tf.train.Saver(sharded=sharded)
                try:
                    saver.save(s, os.path.join(folder, "mistyped", "run", "m"))
                except ValueError as e:
                    holds("doesn't exist" in str(e), str(e))
                else:
                    holds(False, "it was saved")
                same(names(folder), [])
            # The prefix of a part lies one level deeper, in a folder that the servers do make.
            holds(tf.train.checkpoint_exists(saver.save(s, os.path.join(folder, "m"))), "it is saved in a folder that exists")
