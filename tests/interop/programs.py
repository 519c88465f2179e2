"""Training programs of several client processes; each function is one replica (see clients.py)."""
import os
import time

import numpy as np

from suite import tf

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def digits():
    """The 8x8 digits as (train images, train labels, test images, test labels); every fifth is for testing."""
    records = np.fromfile(os.path.join(ROOT, "crates", "data", "digits", "digits.bin"), np.uint8).reshape(-1, 65)
    images, labels = records[:, :64].astype(np.float32) / 16, records[:, 64].astype(np.int64)
    test = np.arange(len(records)) % 5 == 0
    return images[~test], labels[~test], images[test], labels[test]


class Greedy:
    """A placement strategy: each variable goes to the ps task that holds the fewest bytes so far."""

    def __init__(self, tasks):
        self.bytes = [0] * tasks

    def __call__(self, op):
        task = int(np.argmin(self.bytes))
        output = op.outputs[0]
        # A handle says nothing of its variable's size; its attributes do.
        shape = tf.TensorShape(op.get_attr("shape")) if "shape" in op.node_def.attr else output.shape
        self.bytes[task] += shape.num_elements() * 4
        return task


def wait_for_file(path, seconds=60):
    """Waits until another client has made this file."""
    end = time.monotonic() + seconds
    while not os.path.exists(path):
        if time.monotonic() > end:
            raise RuntimeError("%s does not appear" % path)
        time.sleep(0.02)


class StartTogether(tf.train.SessionRunHook):
    """Holds the chief back after its first step until the other replica takes part.

    The other replica opens its session only once the chief's first checkpoint says that the variables are there: a
    monitored session that comes too early looks again only after 30 s.
    """

    def __init__(self, folder, task):
        self.folder, self.joined, self.chief, self.met = folder, os.path.join(folder, "joined"), task == 0, False
        if not self.chief:
            wait_for_file(os.path.join(folder, "checkpoint"))

    def after_run(self, run_context, run_values):
        if not self.met and self.chief:
            wait_for_file(self.joined)
        elif not self.met:
            open(self.joined, "w").close()
        self.met = True


def linear_regression(cluster, task, folder, resource, last_step):
    """y = 0.1 x + 0.3 found by all replicas together, in a monitored session."""
    rng = np.random.RandomState(task)
    with tf.Graph().as_default(), tf.device(tf.train.replica_device_setter(
            worker_device="/job:worker/task:%d" % task, cluster=tf.train.ClusterSpec(cluster))):
        x, y = tf.placeholder(tf.float32, [100]), tf.placeholder(tf.float32, [100])
        weight = tf.Variable(tf.random_uniform([1], -1.0, 1.0), use_resource=resource, name="weight")
        bias = tf.Variable(tf.zeros([1]), use_resource=resource, name="bias")
        loss = tf.reduce_mean(tf.square(weight * x + bias - y))
        step = tf.train.get_or_create_global_step()
        train = tf.train.GradientDescentOptimizer(0.2).minimize(loss, global_step=step)
        tf.summary.scalar("loss", loss)
        steps = 0
        with tf.train.MonitoredTrainingSession(
                master="grpc://" + cluster["worker"][task], is_chief=task == 0, checkpoint_dir=folder,
                save_checkpoint_secs=None, save_checkpoint_steps=200, save_summaries_steps=100,
                hooks=[tf.train.StopAtStepHook(last_step=last_step), StartTogether(folder, task)]) as session:
            while not session.should_stop():
                inputs = rng.rand(100).astype(np.float32)
                _, at, w, b, value = session.run([train, step, weight, bias, loss], {x: inputs, y: inputs * 0.1 + 0.3})
                steps += 1
    return {"step": int(at), "own_steps": steps, "weight": float(w[0]), "bias": float(b[0]), "loss": float(value)}


def digits_mlp(cluster, task, folder, greedy, last_step):
    """A perceptron with two hidden layers on the digits, trained asynchronously with Adam; the chief evaluates it."""
    images, labels, test_images, test_labels = digits()
    rng = np.random.RandomState(task)
    spec = tf.train.ClusterSpec(cluster)
    strategy = Greedy(spec.num_tasks("ps")) if greedy else None
    target = "grpc://" + cluster["worker"][task]

    def dense(inputs, size, name, activation):
        with tf.variable_scope(name):
            w = tf.get_variable("kernel", [inputs.shape[1], size], initializer=tf.glorot_uniform_initializer())
            b = tf.get_variable("bias", [size], initializer=tf.zeros_initializer())
            return activation(tf.nn.bias_add(tf.matmul(inputs, w), b))

    with tf.Graph().as_default() as graph, tf.device(tf.train.replica_device_setter(
            worker_device="/job:worker/task:%d" % task, cluster=spec, ps_strategy=strategy)):
        x, y = tf.placeholder(tf.float32, [None, 64]), tf.placeholder(tf.float32, [None, 10])
        hidden = dense(dense(x, 128, "first", tf.nn.relu), 64, "second", tf.nn.relu)
        logits = dense(hidden, 10, "logits", tf.identity)
        loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(logits=logits, labels=y))
        right = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(logits, 1), tf.argmax(y, 1)), tf.float32))
        step = tf.train.get_or_create_global_step()
        train = tf.train.AdamOptimizer(2e-3).minimize(loss, global_step=step)
        devices = sorted({v.device for v in tf.global_variables()})
        eye, first, steps = np.eye(10, dtype=np.float32), None, 0
        with tf.train.MonitoredTrainingSession(
                master=target, is_chief=task == 0, checkpoint_dir=folder, save_checkpoint_secs=30,
                hooks=[tf.train.StopAtStepHook(last_step=last_step), StartTogether(folder, task)]) as session:
            while not session.should_stop():
                rows = rng.randint(len(images), size=64)
                _, value, at = session.run([train, loss, step], {x: images[rows], y: eye[labels[rows]]})
                first, steps = first or value, steps + 1
        answer = {"step": int(at), "own_steps": steps, "first_loss": float(first), "loss": float(value), "devices": devices}
        if task == 0:
            with tf.Session(target, graph=graph) as session:
                answer["accuracy"] = float(session.run(right, {x: test_images, y: eye[test_labels]}))
    return answer


def blocked_forever(cluster, task, folder):
    """A step that waits for what never comes; the process is killed meanwhile."""
    with tf.Graph().as_default(), tf.device("/job:ps/task:0"):
        queue = tf.FIFOQueue(2, tf.float32, shapes=[[]], shared_name="blocked_forever")
        value, size = queue.dequeue(), queue.size()
        with tf.Session("grpc://" + cluster["worker"][task]) as session:
            session.run(size)
            open(os.path.join(folder, "blocked_%d" % task), "w").close()
            return {"value": float(session.run(value))}


def synchronous_regression(cluster, task, folder, last_step):
    """y = 3 x - 1, every step by the gradients of all replicas (SyncReplicasOptimizer: accumulators, tokens, the chief's queue runner)."""
    workers, rng = len(cluster["worker"]), np.random.RandomState(task)
    target = "grpc://" + cluster["worker"][task]
    if task > 0:
        wait_for_file(os.path.join(folder, "checkpoint"))
    with tf.Graph().as_default() as graph, tf.device(tf.train.replica_device_setter(
            worker_device="/job:worker/task:%d" % task, cluster=tf.train.ClusterSpec(cluster))):
        x = tf.placeholder(tf.float32, [None])
        w, b = tf.get_variable("w", []), tf.get_variable("b", [])
        loss = tf.reduce_mean(tf.square(w * x + b - (3 * x - 1)))
        step = tf.train.get_or_create_global_step()
        optimizer = tf.train.SyncReplicasOptimizer(tf.train.AdamOptimizer(0.1), workers, total_num_replicas=workers)
        train = optimizer.minimize(loss, global_step=step)
        # Whoever stops leaves tokens for those that still wait for one.
        release = optimizer._sync_token_queue.enqueue_many(tf.fill([workers], tf.cast(step, tf.int64)))
        steps, value = [], None
        with tf.train.MonitoredTrainingSession(
                master=target, is_chief=task == 0, checkpoint_dir=folder, stop_grace_period_secs=3,
                hooks=[tf.train.StopAtStepHook(last_step=last_step), optimizer.make_session_run_hook(task == 0)]) as session:
            while not session.should_stop():
                _, at, value = session.run([train, step, loss], {x: rng.rand(64)})
                steps.append(int(at))
        with tf.Session(target, graph=graph) as session:
            try:
                session.run(release)
            except (tf.errors.CancelledError, tf.errors.AbortedError):
                pass  # the chief's queue runner has closed the queue
            final = session.run([w, b])
    return {"steps": steps, "loss": float(value), "w": float(final[0]), "b": float(final[1])}
