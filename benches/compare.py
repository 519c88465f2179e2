#!/usr/bin/env python3
"""ferroflow's servers and TensorFlow's, side by side, with TensorFlow's own client.

    .venv/bin/python benches/compare.py [--server target/release/ferroflow] [--rounds 3]

Each figure is measured with both implementations in turn, round by round, by the same client process; the table shows medians and
the ratio of ferroflow to TensorFlow. Absolute times depend on the machine and on what else it does; ratios of one run do much less.
"""
import argparse
import os
import statistics
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "tests", "interop"))
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")

import numpy as np  # noqa: E402
import tensorflow.compat.v1 as tf  # noqa: E402
from servers import Cluster  # noqa: E402

tf.disable_v2_behavior()

JOBS = {"ps": 2, "worker": 2}
MB = 1 << 20


def seconds_per_call(call, seconds):
    """The median of single calls over about this many seconds, after a warm-up."""
    for _ in range(20):
        call()
    times, end = [], time.perf_counter() + seconds
    while time.perf_counter() < end or len(times) < 10:
        begin = time.perf_counter()
        call()
        times.append(time.perf_counter() - begin)
    return statistics.median(times)


def start(impl, binary, logs):
    """Process start until the first step of a session, and resident memory afterwards."""
    begin = time.perf_counter()
    cluster = Cluster(impl, binary, logs, {"worker": 1})
    try:
        with tf.Graph().as_default():
            y = tf.constant(42.0)
            with tf.Session(cluster.target()) as session:
                assert session.run(y) == 42.0
        first = time.perf_counter() - begin
        time.sleep(0.3)
        return {"start to first step, ms": first * 1e3, "idle resident memory, MB": cluster.rss("worker", 0) / MB}
    finally:
        cluster.stop()


def latency(target):
    """Steps of a constant, and of a chain over three tasks."""
    with tf.Graph().as_default():
        const = tf.constant(1.0)
        with tf.device("/job:ps/task:0"):
            x = tf.Variable(tf.ones([2, 2]), name="latency_x")
        z = x
        for task in range(2):
            with tf.device("/job:worker/task:%d" % task):
                z = tf.matmul(z, x) + x
        with tf.Session(target) as session:
            session.run(x.initializer)
            np.testing.assert_allclose(session.run(z), np.full((2, 2), 7.0))
            return {"constant, us": seconds_per_call(lambda: session.run(const), 1.0) * 1e6,
                    "matmul over 3 tasks, us": seconds_per_call(lambda: session.run(z), 2.0) * 1e6}


def transfer(target, mb=16):
    """A variable on the ps, reduced on a worker, and back."""
    n = mb * MB // 4
    with tf.Graph().as_default():
        with tf.device("/job:ps/task:0"):
            v = tf.Variable(tf.fill([n], 0.5), name="transfer_v")
        with tf.device("/job:worker/task:0"):
            pull = tf.reduce_max(v)
            u = tf.Variable(tf.fill([n], 0.25), name="transfer_u")
        push = tf.assign(v, u).op
        with tf.Session(target) as session:
            session.run([v.initializer, u.initializer])
            assert session.run(pull) == 0.5
            out = {"pull of 16 MB, GB/s": n * 4 / 1e9 / seconds_per_call(lambda: session.run(pull), 1.5),
                   "push of 16 MB, GB/s": n * 4 / 1e9 / seconds_per_call(lambda: session.run(push), 1.5)}
            assert session.run(pull) == 0.25
            return out


def perceptron(cluster, steps=300):
    """Two replicas (threads of this process) train a 784-500-500-10 perceptron asynchronously with Adam; global steps a second."""
    rng = np.random.RandomState(0)
    images, labels = rng.rand(32, 784).astype(np.float32), np.eye(10, dtype=np.float32)[rng.randint(0, 10, 32)]
    sessions = []
    for task in range(2):
        graph = tf.Graph()
        with graph.as_default(), tf.device(tf.train.replica_device_setter(ps_tasks=2, worker_device="/job:worker/task:%d" % task)):
            x, y = tf.placeholder(tf.float32, [None, 784]), tf.placeholder(tf.float32, [None, 10])
            net, size = x, 784
            for k, units in enumerate((500, 500, 10)):
                w = tf.Variable(tf.truncated_normal([size, units], stddev=size ** -0.5, seed=k), name="w%d" % k)
                b = tf.Variable(tf.zeros([units]), name="b%d" % k)
                net, size = tf.matmul(net, w) + b, units
                net = tf.nn.relu(net) if units != 10 else net
            loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(logits=net, labels=y))
            train = tf.train.AdamOptimizer(1e-4).minimize(loss)
            session = tf.Session(cluster.target("worker", task), graph=graph)
            if task == 0:
                session.run(tf.global_variables_initializer())
        sessions.append((session, train, loss, {x: images, y: labels}))
    first = sessions[0][0].run(sessions[0][2], sessions[0][3])

    def replica(session, train, loss, feeds):
        for _ in range(steps):
            session.run(train, feeds)
    for s in sessions:
        s[0].run(s[1], s[3])
    threads = [threading.Thread(target=replica, args=s) for s in sessions]
    begin = time.perf_counter()
    [t.start() for t in threads]
    [t.join() for t in threads]
    rate = 2 * steps / (time.perf_counter() - begin)
    last = sessions[0][0].run(sessions[0][2], sessions[0][3])
    assert last < first, "the loss grew from %g to %g" % (first, last)
    [s[0].close() for s in sessions]
    return {"perceptron, 2 replicas, global steps/s": rate}


def measure(impl, binary, logs):
    out = start(impl, binary, logs)
    cluster = Cluster(impl, binary, logs, JOBS)
    try:
        out.update(latency(cluster.target()))
        out.update(transfer(cluster.target()))
        out.update(perceptron(cluster))
    finally:
        cluster.stop()
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--server", default=os.path.join(HERE, "..", "target", "release", "ferroflow"))
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    samples = {"tf": [], "ferroflow": []}
    with tempfile.TemporaryDirectory(prefix="compare_") as logs:
        for _ in range(args.rounds):
            for impl in samples:
                samples[impl].append(measure(impl, os.path.abspath(args.server), logs))
    print("| | TensorFlow 2.21 | ferroflow | ferroflow / TensorFlow |\n|---|---|---|---|")
    for name in samples["tf"][0]:
        tf_value, ours = (statistics.median(s[name] for s in samples[impl]) for impl in ("tf", "ferroflow"))
        print("| %s | %.4g | %.4g | %.3g |" % (name, tf_value, ours, ours / tf_value))


if __name__ == "__main__":
    main()
