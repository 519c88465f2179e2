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


@test(only="ferroflow", limit=180)
def loops_and_late_reads_run_over_a_tensorflow_ps(t):
    c = t.new_cluster({"ps": 1, "worker": 2}, {"ps": "tf"})
    with graph_and_session(c.target()) as (_, session):
        x = tf.placeholder(tf.float32, [])
        with tf.device("/job:ps/task:0"):
            v = tf.Variable(1.0, name="v")

        def body(i, y):
            with tf.device("/job:ps/task:0"):
                y = y * 1.5
            with tf.device("/job:worker/task:1"):
                return i + 1, tf.cond(y > 3.0, lambda: y - v, lambda: y + 1.0)
        with tf.device("/job:worker/task:0"):
            _, y = tf.while_loop(lambda i, _: i < 6, body, [tf.constant(0), x])
            slope = tf.gradients(y, x)[0]
        with tf.device("/job:worker/task:1"):
            with tf.control_dependencies([tf.assign_add(v, 1.0)]):
                after = v.read_value()
        with session() as s:
            s.run(v.initializer)
            expected, at = 1.0, 2.0
            for _ in range(6):
                at, expected = at * 1.5, expected * 1.5
                at = at - 1.0 if at > 3.0 else at + 1.0
            close(s.run([y, slope], {x: 2.0}), [at, expected])
            same([s.run(after) for _ in range(3)], [2, 3, 4])


@test(only="ferroflow", limit=180)
def a_tensorflow_master_reads_a_ferroflow_variable_after_its_update(t):
    c = t.new_cluster({"ps": 1, "worker": 1}, {"worker": "tf"})
    with graph_and_session(c.target()) as (_, session):
        with tf.device("/job:ps/task:0"):
            v = tf.Variable(np.zeros(1000, np.float32), name="v")
        with tf.device("/job:worker/task:0"):
            with tf.control_dependencies([tf.assign_add(v, tf.ones([1000]))]):
                after = v.read_value() * 10.0
        with session() as s:
            s.run(v.initializer)
            same([s.run(after)[-1] for _ in range(5)], [10, 20, 30, 40, 50])


@test(only="ferroflow", limit=120)
def a_tensorflow_ps_shows_the_graph_that_it_ran(t):
    c = t.new_cluster({"ps": 1, "worker": 1}, {"ps": "tf"})
    with graph_and_session(c.target()) as (_, session):
        with tf.device("/job:worker/task:0"):
            x = tf.placeholder(tf.float32, [1, 4, 4, 1])
        with tf.device("/job:ps/task:0"):
            # TensorFlow may replace these by ops of a library, which nobody else knows.
            pooled = tf.nn.max_pool(tf.nn.relu(tf.nn.conv2d(x, np.ones((2, 2, 1, 3), np.float32), 1, "SAME")), 2, 2, "SAME")
        slope = tf.gradients(pooled, x, colocate_gradients_with_ops=True)
        with session() as s:
            data = tf.RunMetadata()
            options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE, output_partition_graphs=True)
            s.run([pooled, slope], {x: np.ones((1, 4, 4, 1))}, options=options, run_metadata=data)
        same(len(data.partition_graphs), 2)
        same(sum("Pool" in n.op for g in data.partition_graphs for n in g.node) >= 2, True)
