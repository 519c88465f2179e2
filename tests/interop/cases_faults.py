"""Tasks that are killed, restarted or spoken to in the wrong language."""
import os
import signal
import socket
import threading
import time

from tensorflow.core.protobuf import config_pb2

from programs import wait_for_file
from suite import graph_and_session, holds, np, raises, same, test, tf

LOST = (tf.errors.UnavailableError, tf.errors.AbortedError)


class Background:
    """A function run in a thread; `outcome` waits for its error or value."""

    def __init__(self, function):
        self.value = self.error = None

        def body():
            try:
                self.value = function()
            except Exception as e:  # noqa: BLE001
                self.error = e
        self.thread = threading.Thread(target=body, daemon=True)
        self.thread.start()

    def outcome(self, seconds):
        self.thread.join(seconds)
        holds(not self.thread.is_alive(), "the step has not ended after %d s" % seconds)
        return self.error


def blocked_step(c, session, job, task):
    """A step that waits on a queue at this task; returns once it waits there."""
    with tf.device("/job:%s/task:%d" % (job, task)):
        queue = tf.FIFOQueue(2, tf.float32, shapes=[[]], shared_name="never_%s_%d" % (job, task))
        value = queue.dequeue()
        size = queue.size()
    with tf.device("/job:worker/task:0"):
        use = value + 1.0
    session.run(size)  # everything is registered at the task before the step that blocks
    return Background(lambda: session.run(use))


def step_works(c, config=None, seconds=60):
    """A new session gets through a step over all tasks that it may see; waits for tasks that just came back."""
    end = time.monotonic() + seconds
    while True:
        try:
            with graph_and_session(c.target(), config) as (_, session):
                with tf.device("/job:ps/task:0"):
                    x = tf.constant([1.0, 2.0])
                with tf.device("/job:worker/task:0"):
                    y = x * 2.0
                with tf.device("/job:ps/task:1"):
                    z = y + 1.0
                with session() as s:
                    same(s.run(z), [3, 5])
                return
        except LOST:
            holds(time.monotonic() < end, "no step gets through")
            time.sleep(0.2)


@test(limit=180)
def a_killed_worker_ends_the_step_and_can_come_back(t):
    c = t.new_cluster()
    with graph_and_session(c.target()) as (_, session):
        with session() as s:
            step = blocked_step(c, s, "worker", 1)
            time.sleep(1)  # the step is on its way; whether it waits already does not matter
            begin = time.monotonic()
            c.kill("worker", 1)
            error = step.outcome(20)
            holds(isinstance(error, LOST), "the step's error is %r" % error)
            holds(time.monotonic() - begin < 15, "it took %.0f s" % (time.monotonic() - begin))
            same(c.dead(), [("worker", 1)], "the other servers live")
            step_works(c, tf.ConfigProto(device_filters=["/job:ps", "/job:worker/task:0"]))
            if t.impl == "ferroflow":  # TensorFlow's master waits here until the task is back
                same(Background(s.close).outcome(20), None, "closing the session without the task")
            c.start("worker", 1)
    with graph_and_session(c.target()) as (_, session):
        with tf.device("/job:worker/task:1"):
            x = tf.constant(4.0) + 1.0
        with session() as s:
            same(s.run(x), 5.0, "a new session uses the restarted task")


@test(limit=240)
def a_killed_ps_ends_the_step_and_comes_back_empty(t):
    c = t.new_cluster()
    with graph_and_session(c.target()) as (_, session):
        with tf.device("/job:ps/task:0"):
            kept = tf.Variable(1.0, name="kept")
        with tf.device("/job:ps/task:1"):
            lost = tf.Variable(2.0, name="lost")
        with tf.device("/job:worker/task:1"):
            total = kept + lost
        with session() as s:
            s.run(tf.global_variables_initializer())
            same(s.run(total), 3.0)
            step = blocked_step(c, s, "ps", 1)
            time.sleep(1)
            c.kill("ps", 1)
            error = step.outcome(20)
            holds(isinstance(error, LOST), "the step's error is %r" % error)
            raises(LOST, [], lambda: s.run(total))
            same(c.dead(), [("ps", 1)], "the other servers live")
            c.start("ps", 1)
            # The session has lost its state there for good, whatever the task's new life can do.
            raises(LOST, [], lambda: s.run(total))
    step_works(c)
    with graph_and_session(c.target()) as (_, session):
        with tf.device("/job:ps/task:0"):
            kept = tf.Variable(1.0, name="kept")
        with tf.device("/job:ps/task:1"):
            lost = tf.Variable(2.0, name="lost")
        with session() as s:
            same(s.run(kept), 1.0)
            raises(tf.errors.FailedPreconditionError, ["uninitialized"], lambda: s.run(lost))


@test(limit=240)
def a_monitored_session_outlives_a_restarted_ps(t):
    c, folder = t.new_cluster({"ps": 1, "worker": 1}), t.temp()
    with tf.Graph().as_default(), tf.device(tf.train.replica_device_setter(cluster=tf.train.ClusterSpec(c.spec))):
        x = tf.placeholder(tf.float32, [])
        w = tf.get_variable("w", [], initializer=tf.zeros_initializer())
        step = tf.train.get_or_create_global_step()
        train = tf.train.GradientDescentOptimizer(0.01).minimize(tf.square(w - x), global_step=step)
        seen = []
        with tf.train.MonitoredTrainingSession(
                master=c.target(), is_chief=True, checkpoint_dir=folder, save_checkpoint_secs=None, save_checkpoint_steps=10,
                hooks=[tf.train.StopAtStepHook(last_step=80)]) as session:
            while not session.should_stop():
                _, at = session.run([train, step], {x: 5.0})
                seen.append(int(at))
                if len(seen) == 35:
                    c.kill("ps", 0)
                    c.start("ps", 0)
    holds(seen[-1] >= 79, "the last step was %s" % seen[-1])
    # Steps since the last checkpoint are done again, none before it.
    holds(any(b <= a for a, b in zip(seen, seen[1:])) and min(seen[35:]) > 20, "steps %s" % seen)


class KillOnce(tf.train.SessionRunHook):
    """Kills and restarts a task when the first session has been made and initialized, before its first step."""

    def __init__(self, cluster, job, task):
        self.cluster, self.victim, self.created = cluster, (job, task), 0

    def after_create_session(self, session, coord):
        self.created += 1
        if self.created == 1:
            self.cluster.kill(*self.victim)
            self.cluster.start(*self.victim)


@test(limit=240)
def a_task_killed_between_initialization_and_the_first_step_is_survived(t):
    for job, task in (("ps", 0), ("ps", 1), ("worker", 0)) if t.impl == "ferroflow" else (("ps", 0),):
        c = t.new_cluster({"ps": 2, "worker": 1})
        with tf.Graph().as_default(), tf.device(tf.train.replica_device_setter(cluster=tf.train.ClusterSpec(c.spec))):
            w = [tf.get_variable("w%d" % k, [], initializer=tf.ones_initializer(), use_resource=bool(k)) for k in range(2)]
            step = tf.train.get_or_create_global_step()
            train = tf.train.GradientDescentOptimizer(0.01).minimize(tf.add_n([tf.square(v) for v in w]), global_step=step)
            killer = KillOnce(c, job, task)
            with tf.train.MonitoredTrainingSession(
                    master=c.target(), is_chief=True, checkpoint_dir=t.temp(),
                    hooks=[tf.train.StopAtStepHook(last_step=20), killer]) as session:
                at = 0
                while not session.should_stop():
                    at = session.run([train, step])[1]
        # One rebuild, or two where the loss is noticed once more.
        holds(at >= 19 and killer.created in (2, 3), "killed %s:%d: step %s, %d sessions" % (job, task, at, killer.created))


@test(only="ferroflow", limit=240)
def training_with_queues_outlives_either_ps(t):
    """A client closes its queues when a session fails; TensorFlow's servers leave them closed, so that its next session fails at once."""
    for task in range(2):
        c, folder = t.new_cluster({"ps": 2, "worker": 1}), t.temp()
        with tf.Graph().as_default(), tf.device(tf.train.replica_device_setter(cluster=tf.train.ClusterSpec(c.spec))):
            numbers = tf.FIFOQueue(20, tf.float32, shapes=[[]], shared_name="numbers")
            tf.train.add_queue_runner(tf.train.QueueRunner(numbers, [numbers.enqueue(1.0)] * 2))
            x = numbers.dequeue()
            w = [tf.get_variable("w%d" % k, [], initializer=tf.zeros_initializer()) for k in range(3)]
            step = tf.train.get_or_create_global_step()
            optimizer = tf.train.SyncReplicasOptimizer(tf.train.GradientDescentOptimizer(0.01), 1, total_num_replicas=1)
            train = optimizer.minimize(tf.add_n([tf.square(v - x) for v in w]), global_step=step)
            seen = []
            with tf.train.MonitoredTrainingSession(
                    master=c.target(), is_chief=True, checkpoint_dir=folder, save_checkpoint_secs=None, save_checkpoint_steps=10,
                    stop_grace_period_secs=1, hooks=[tf.train.StopAtStepHook(last_step=60), optimizer.make_session_run_hook(True)]) as session:
                while not session.should_stop():
                    seen.append(int(session.run([train, step])[1]))
                    if len(seen) == 25:
                        c.kill("ps", task)
                        c.start("ps", task)
        holds(seen[-1] >= 59 and min(seen[25:]) < 25, "ps %d killed: steps %s" % (task, seen))


@test(only="ferroflow", limit=60)
def callables_and_partial_runs_name_a_lost_task(t):
    """The client sends such calls again, and TensorFlow's servers then say only that a call came twice."""
    c = t.new_cluster({"ps": 1, "worker": 1})
    with graph_and_session(c.target()) as (_, session):
        x = tf.placeholder(tf.float32, [])
        with tf.device("/job:ps/task:0"):
            y = x + 1.0
        s = session()
        call = s._make_callable_from_options(config_pb2.CallableOptions(feed=[x.name], fetch=[y.name]))
        same(call(np.float32(1))[0], 2)
        c.kill("ps", 0)
        for attempt in (lambda: call(np.float32(1)), lambda: s.partial_run_setup([y], [x])):
            raises(LOST, ["/job:ps/replica:0/task:0 at " + c.spec["ps"][0]], attempt)


@test(limit=120)
def a_restarted_master_aborts_old_sessions_and_keeps_variables(t):
    c = t.new_cluster()
    with graph_and_session(c.target()) as (_, session):
        with tf.device("/job:ps/task:0"):
            v = tf.Variable(3.0, name="survivor")
        s = session()
        s.run(v.initializer)
        c.kill("worker", 0)
        c.start("worker", 0)
        # The client's channel may notice the loss first, and may wait before it connects again; then it meets the new master, which
        # does not know the session.
        end = time.monotonic() + 30
        error = raises(LOST, [], lambda: s.run(v))
        while isinstance(error, tf.errors.UnavailableError) and time.monotonic() < end:
            time.sleep(0.1)
            error = raises(LOST, [], lambda: s.run(v))
        holds(isinstance(error, tf.errors.AbortedError) and "is not found" in error.message, "the old session: %r" % error)
        with session() as again:
            same(again.run(v), 3.0)


@test()
def garbage_and_browsers_do_not_hurt(t):
    c = t.cluster()
    rng = np.random.RandomState(0)
    held = []
    for job, task in c.processes:
        for data in (b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", rng.bytes(5000), b"\x00" * 100,
                     b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + rng.bytes(3000), b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\xff\xff\xff\x04\x00\x00\x00\x00\x00"):
            with socket.create_connection(("127.0.0.1", c.port(job, task)), 5) as s:
                s.settimeout(0.2)
                s.sendall(data)
                try:
                    s.recv(1000)
                except OSError:
                    pass  # a reset or silence: both are fine answers to garbage
        held.append(socket.create_connection(("127.0.0.1", c.port(job, task)), 5))  # connected, says nothing
    step_works(c)
    same(c.dead(), [], "dead servers")
    for s in held:
        s.close()
    step_works(c)


@test(limit=120)
def a_client_that_dies_leaves_the_servers_usable(t):
    c = t.cluster()
    clients, folder = t.clients(), t.temp()
    done = Background(lambda: clients.run("blocked_forever", cluster=c.spec, folder=folder))
    try:
        for task in range(2):
            wait_for_file(os.path.join(folder, "blocked_%d" % task))
    finally:
        clients.stop()  # blocked ones are no use to other tests
    holds(done.outcome(20) is not None, "the clients ended in the middle of a step")
    step_works(c)


@test(limit=120)
def a_task_that_is_frozen_is_named_and_may_thaw(t):
    c = t.new_cluster()
    with graph_and_session(c.target()) as (_, session):
        with tf.device("/job:ps/task:1"):
            v = tf.Variable(1.0, name="frozen")
        with tf.device("/job:worker/task:0"):
            y = v + 1.0
        with session() as s:
            s.run(tf.constant(1))  # the session is open; nothing of it is registered at the ps
            c.signal("ps", 1, signal.SIGSTOP)
            try:
                raises(tf.errors.DeadlineExceededError, ["/job:ps/replica:0/task:1 at " + c.spec["ps"][1]] if t.impl == "ferroflow" else [],
                       lambda: s.run(v.initializer, options=tf.RunOptions(timeout_in_ms=3000)))
                patient = Background(lambda: s.run(v.initializer))
                time.sleep(0.3)
                holds(patient.thread.is_alive(), "a step without a limit waits")
            finally:
                c.signal("ps", 1, signal.SIGCONT)
            same(patient.outcome(20), None, "the step after the thaw")
            same(s.run(y), 2.0)
