"""Checkpoints: written by one implementation, read by the other."""
import os

from suite import graph_and_session, holds, np, raises, same, test, tf

VALUES = {
    "a": np.arange(12, dtype=np.float32).reshape(3, 4), "big": np.random.RandomState(0).rand(300, 70).astype(np.float32),
    "b": np.arange(5, dtype=np.int64), "c": np.array([0.25, -1e300]), "flag": np.array([True, False]), "i": np.array(7, np.int32),
    "s": np.array([b"x", b"", b"\x00" * 300], object), "empty": np.zeros((0, 3), np.float32),
}


def build(resource):
    variables = {}
    with tf.device(tf.train.replica_device_setter(ps_tasks=2, worker_device="/job:worker/task:0")):
        for name, value in VALUES.items():
            variables[name] = tf.Variable(value, name=name, use_resource=resource and name != "s")
        parts = tf.get_variable("parts", [10, 3], initializer=tf.constant_initializer(1.5),
                                partitioner=tf.fixed_size_partitioner(2))
        variables["parts"] = tf.convert_to_tensor(parts)
    return variables


def expect(session, variables, what):
    got = session.run(variables)
    for name, value in dict(VALUES, parts=np.full((10, 3), 1.5, np.float32)).items():
        same(got[name], value, "%s: %s" % (what, name))


def in_process(path, resource, save):
    """Saves to, or restores from, `path` with real TensorFlow in this process."""
    with tf.Graph().as_default():
        variables = {}
        for name, value in VALUES.items():
            start = value if save else (np.full(value.shape, b"", object) if value.dtype == object else np.zeros_like(value))
            variables[name] = tf.Variable(start, name=name, use_resource=resource and name != "s")
        with tf.variable_scope(""):
            parts = tf.get_variable("parts", [10, 3], initializer=tf.constant_initializer(1.5 if save else 0.0))
        variables["parts"] = parts
        with tf.Session() as s:
            s.run(tf.global_variables_initializer())
            if save:
                tf.train.Saver().save(s, path)
            else:
                tf.train.Saver().restore(s, path)
                expect(s, variables, "restored by TensorFlow")


@test(limit=120)
def a_checkpoint_of_the_servers_is_read_by_tensorflow(t):
    c, folder = t.cluster(), t.temp()
    for resource in (False, True):
        for sharded in (False, True):
            tf.Session.reset(c.target())
            with graph_and_session(c.target()) as (_, session):
                build(resource)
                saver = tf.train.Saver(sharded=sharded)
                with session() as s:
                    s.run(tf.global_variables_initializer())
                    path = saver.save(s, os.path.join(folder, "m_%d_%d" % (resource, sharded)), global_step=3)
            reader = tf.train.load_checkpoint(path)
            for name, value in VALUES.items():
                same(reader.get_tensor(name), value, name)
            same(reader.get_variable_to_shape_map()["parts"], [10, 3], "a partitioned variable is one")
            in_process(path, resource, save=False)


@test(limit=120)
def a_checkpoint_of_tensorflow_is_read_by_the_servers(t):
    c, folder = t.cluster(), t.temp()
    path = os.path.join(folder, "model")
    in_process(path, False, save=True)
    for resource in (False, True):
        tf.Session.reset(c.target())
        with graph_and_session(c.target()) as (_, session):
            variables = build(resource)
            saver = tf.train.Saver()
            with session() as s:
                saver.restore(s, path)
                expect(s, variables, "restored by the servers")


@test()
def a_checkpoint_that_is_absent_or_damaged_gives_an_error(t):
    c, folder = t.cluster(), t.temp()
    with graph_and_session(c.target()) as (_, session):
        with tf.device("/job:ps/task:0"):
            v = tf.Variable([1.0, 2.0], name="v")
            w = tf.Variable([1.0], name="w")
        saver, other = tf.train.Saver([v]), tf.train.Saver({"absent": w})
        restore = saver.saver_def.restore_op_name
        with session() as s:
            s.run(tf.global_variables_initializer())
            path = saver.save(s, os.path.join(folder, "m"))
            raises(tf.errors.NotFoundError, ["absent"], lambda: s.run(other.saver_def.restore_op_name,
                                                                     {other.saver_def.filename_tensor_name: path}))
            nowhere = os.path.join(folder, "nowhere")
            error = raises(tf.errors.OpError, [], lambda: s.run(restore, {saver.saver_def.filename_tensor_name: nowhere}))
            holds(error.error_code in (tf.errors.NOT_FOUND, tf.errors.INVALID_ARGUMENT), "absent file: %s" % error)
            index = path + ".index"
            with open(index, "rb") as f:
                data = f.read()
            with open(index, "wb") as f:
                f.write(data[:len(data) // 2])
            error = raises(tf.errors.OpError, [], lambda: s.run(restore, {saver.saver_def.filename_tensor_name: path}))
            holds(error.error_code in (tf.errors.DATA_LOSS, tf.errors.OUT_OF_RANGE), "half a file: %s" % error)
            same(s.run(v), [1, 2], "the refused restores changed nothing")
