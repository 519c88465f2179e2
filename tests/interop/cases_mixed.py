"""Clusters in which ferroflow's tasks and TensorFlow's work together."""
from suite import close, graph_and_session, np, raises, same, test, tf


def step_over_both(t, impls):
    c = t.new_cluster({"ps": 1, "worker": 2}, impls)
    rng = np.random.RandomState(0)
    a, b = rng.rand(40, 30).astype(np.float32), rng.rand(30, 20).astype(np.float32)
    for job, task in (("worker", 0), ("ps", 0)):
        tf.Session.reset(c.target())
        with graph_and_session(c.target(job, task)) as (_, session):
            with tf.device("/job:ps/task:0"):
                left, right = tf.Variable(a), tf.Variable(b, use_resource=True)
                count = tf.Variable(0, name="count")
            with tf.device("/job:worker/task:0"):
                first = tf.matmul(left, right)
            with tf.device("/job:worker/task:1"):
                second = tf.reduce_sum(first)
                words = tf.strings.join([tf.constant("a"), tf.constant(["b", ""])])
                bad = tf.check_numerics(second / 0.0, "not finite here")
            with tf.device("/job:ps/task:0"):
                total = second + 1.0
                joined = tf.identity(words)
                failing = bad + 1.0
            with tf.control_dependencies([total]):
                add = tf.assign_add(count, 1)
            with session() as s:
                s.run(tf.global_variables_initializer())
                for k in range(20):
                    value, n = s.run([total, add])
                    close(value, (a @ b).sum() + 1, tolerance=1e-4)
                    same(n, k + 1)
                same(s.run(joined).tolist(), [b"ab", b"a"])
                raises(tf.errors.InvalidArgumentError, ["not finite here"], lambda: s.run(failing))
                close(s.run(total), (a @ b).sum() + 1, tolerance=1e-4)


@test(only="ferroflow", limit=180)
def a_tensorflow_ps_serves_ferroflow_workers(t):
    step_over_both(t, {"ps": "tf"})


@test(only="ferroflow", limit=180)
def a_ferroflow_ps_serves_tensorflow_workers(t):
    step_over_both(t, {"worker": "tf"})
