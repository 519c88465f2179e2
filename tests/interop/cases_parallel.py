"""Training that needs several tasks at once: synchronous replicas, embeddings spread over ps tasks, supervisors."""
import os
import random
import subprocess
import threading
import time

from reference import agrees
from servers import command
from suite import close, graph_and_session, holds, np, raises, same, test, tf


def synchronous(t, c):
    results = t.clients().run("synchronous_regression", cluster=c.spec, folder=t.temp(), last_step=200)
    for k, r in enumerate(results):
        holds(r["loss"] < 0.2, "client %d: loss %f" % (k, r["loss"]))
    # A step is made of one gradient for each replica: more are stale and dropped, and nobody gets a token for them.
    pushed = sum(len(r["steps"]) for r in results)
    holds(2 * 195 <= pushed <= 2 * 205, "%d gradients for 200 steps of 2" % pushed)
    for k, r in enumerate(results):
        holds(r["steps"] == sorted(r["steps"]), "client %d: steps %s" % (k, r["steps"]))
    close([results[0]["w"], results[0]["b"]], [3, -1], "what was learnt", 0.5)


@test(limit=180)
def replicas_train_synchronously(t):
    synchronous(t, t.new_cluster())


@test(only="ferroflow", limit=240)
def replicas_train_synchronously_with_a_tensorflow_ps(t):
    synchronous(t, t.new_cluster({"ps": 1, "worker": 2}, {"ps": "tf"}))


@test()
def an_embedding_over_two_ps_is_updated_where_it_was_looked_up(t):
    c = t.cluster()
    rng = np.random.RandomState(1)
    for resource in (False, True):
        tf.Session.reset(c.target())
        with graph_and_session(c.target()) as (_, session):
            with tf.device(tf.train.replica_device_setter(ps_tasks=2, worker_device="/job:worker/task:1")):
                table = tf.get_variable("table", [50, 4], partitioner=tf.fixed_size_partitioner(2), use_resource=resource)
                ids = tf.placeholder(tf.int64, [None])
                rows = tf.nn.embedding_lookup(table, ids, partition_strategy="div")
                loss = tf.reduce_sum(rows * rows)
                train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
                parts = list(table)
            holds({v.device for v in parts} == {"/job:ps/task:0", "/job:ps/task:1"}, [v.device for v in parts])
            with session() as s:
                s.run(tf.global_variables_initializer())
                expected = np.concatenate(s.run(parts))
                for _ in range(5):
                    chosen = rng.randint(50, size=30)
                    close(s.run(rows, {ids: chosen}), expected[chosen], "rows")
                    s.run(train, {ids: chosen})
                    before = expected.copy()
                    np.subtract.at(expected, chosen, 0.2 * before[chosen])
                close(np.concatenate(s.run(parts)), expected, "the table", 1e-4)


@test(limit=120)
def checkpoints_of_two_ps_restore_with_one_and_three(t):
    c, folder = t.new_cluster({"ps": 3, "worker": 1}), t.temp()
    rng = np.random.RandomState(2)
    values = {"a": rng.rand(6, 3), "b": rng.rand(4), "c": np.arange(5)}

    def graph(ps):
        with tf.device(tf.train.replica_device_setter(ps_tasks=ps)):
            made = [tf.get_variable(n, initializer=values[n]) for n in "abc"]
            made.append(tf.get_variable("whole", [9, 2], partitioner=tf.fixed_size_partitioner(ps)))
        return made, tf.train.Saver(sharded=True)
    prefix = os.path.join(folder, "model")
    with graph_and_session(c.target()) as (_, session):
        made, saver = graph(2)
        with session() as s:
            s.run(tf.global_variables_initializer())
            values["whole"] = np.concatenate(s.run(list(made[3])))
            saved = saver.save(s, prefix, global_step=7)
    holds(len([f for f in os.listdir(folder) if ".data-" in f]) == 2, os.listdir(folder))
    reader = tf.train.load_checkpoint(saved)
    for name, value in values.items():
        close(reader.get_tensor(name), value, "%s, read by TensorFlow" % name)
    for ps in (1, 3):
        tf.Session.reset(c.target())
        with graph_and_session(c.target()) as (_, session):
            made, saver = graph(ps)
            with session() as s:
                saver.restore(s, saved)
                for v in made[:3]:
                    close(s.run(v), values[v.op.name], "%s with %d ps" % (v.op.name, ps))
                close(np.concatenate(s.run(list(made[3]))), values["whole"], "the partitioned variable with %d ps" % ps)


@test(limit=240)
def a_server_killed_while_it_saves_leaves_a_checkpoint_that_restores(t):
    c, folder = t.new_cluster({"ps": 1, "worker": 1}), t.temp()
    chance = random.Random(5)
    prefix = os.path.join(folder, "model")
    written = 0
    for _ in range(8):
        with graph_and_session(c.target()) as (_, session):
            with tf.device("/job:ps/task:0"):
                n = tf.Variable(0, name="n")
                large = tf.Variable(tf.zeros([4_000_000]), name="large")
            value = tf.placeholder(tf.int32, [])
            put = tf.group(n.assign(value), large.assign(tf.fill([4_000_000], tf.cast(value, tf.float32))))
            saver = tf.train.Saver(sharded=True, max_to_keep=2)
            s = session()
            latest = tf.train.latest_checkpoint(folder)
            if latest:
                saver.restore(s, latest)
                got = s.run([n, tf.reduce_min(large), tf.reduce_max(large)])
                holds(got[0] >= written and got[1] == got[0] == got[2], "restored %s, written %d" % (got, written))
                written = int(got[0])
            saver.recover_last_checkpoints([latest] if latest else [])
            stop = threading.Timer(chance.uniform(0.05, 0.6), lambda: c.kill("ps", 0))
            stop.start()
            try:
                while True:
                    s.run(put, {value: written + 1})
                    saver.save(s, prefix, global_step=written + 1, write_meta_graph=False)
                    written += 1
            except (tf.errors.UnavailableError, tf.errors.AbortedError):
                pass
            stop.join()
            c.start("ps", 0)
    holds(written > 0, "nothing was ever saved")


@test(only="ferroflow", limit=120)
def a_task_of_another_cluster_is_not_taken_for_the_missing_one(t):
    c = t.new_cluster({"ps": 1, "worker": 1})
    c.kill("ps", 0)
    stranger = command("ferroflow", c.binary, {"other": c.spec["ps"]}, "other", 0)
    c.processes["ps", 0] = subprocess.Popen(stranger, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    c.wait_until_listening("ps", 0)
    words = ["/job:ps/replica:0/task:0 at " + c.spec["ps"][0], "answered by /job:other/replica:0/task:0", "device_filters"]
    with graph_and_session(c.target(), tf.ConfigProto(operation_timeout_in_ms=2000)) as (_, session):
        raises(tf.errors.DeadlineExceededError, words, lambda: session().run(tf.constant(1)))


@test(limit=120)
def a_supervisor_prepares_and_restores(t):
    c, folder = t.new_cluster({"ps": 1, "worker": 1}), t.temp()
    for part in range(2):
        with tf.Graph().as_default():
            with tf.device(tf.train.replica_device_setter(ps_tasks=1)):
                step = tf.train.get_or_create_global_step()
                add = tf.assign_add(step, 1)
            supervisor = tf.train.Supervisor(logdir=folder, is_chief=True, save_model_secs=0, save_summaries_secs=0)
            with supervisor.managed_session(c.target()) as s:
                same(s.run(step), 5 * part, "the step after part %d" % part)
                for _ in range(5):
                    s.run(add)
                supervisor.saver.save(s, supervisor.save_path, global_step=step)
        tf.Session.reset(c.target())


@test()
def a_dequeue_that_is_given_up_takes_no_element(t):
    c = t.cluster()
    with graph_and_session(c.target()) as (_, session):
        with tf.device("/job:ps/task:1"):
            queue = tf.FIFOQueue(10, tf.int32, shapes=[[]], shared_name="given_up")
            put, size = queue.enqueue(7), queue.size()
            many = queue.dequeue_many(3)
        with session() as s:
            s.run(put)
            s.run(put)
            begin = time.monotonic()
            words = ["/job:ps/replica:0/task:1", "queue 'given_up' has 2 of 3 elements"] if t.impl == "ferroflow" else []
            raises(tf.errors.DeadlineExceededError, words, lambda: s.run(many, options=tf.RunOptions(timeout_in_ms=500)))
            holds(time.monotonic() - begin < 20, "the step ended late")
            end = time.monotonic() + 20
            while s.run(size) != 2 and time.monotonic() < end:
                time.sleep(0.05)  # the step is cleaned up after its client was told
            same(s.run(size), 2, "elements left")
            s.run(put)
            same(s.run(many).tolist(), [7, 7, 7])


@test()
def gradients_are_taken_once_a_step_and_waited_for_by_name(t):
    c = t.cluster()
    with graph_and_session(c.target()) as (_, session):
        with tf.device("/job:ps/task:0"):
            accumulator = tf.ConditionalAccumulator(tf.float32, shape=[2], shared_name="the_accumulator")
            push, taken, held = accumulator.apply_grad([2.0, 4.0], local_step=9), accumulator.take_grad(2), accumulator.num_accumulated()
        with tf.device("/job:worker/task:1"):
            use = taken * 2.0
        with session() as s:
            s.run(push)
            s.run(push)
            got = s.run([taken, taken, use])
            same(got[1], [2, 4])
            same(got[2], [4, 8], "one take in one step, whoever uses it")
            same(s.run(held), 0)
            s.run(push)
            words = ["/job:ps/replica:0/task:0", "accumulator 'the_accumulator' has 1 of 2 gradients", "ResourceAccumulatorTakeGradient"]
            raises(tf.errors.DeadlineExceededError, words if t.impl == "ferroflow" else [],
                   lambda: s.run(use, options=tf.RunOptions(timeout_in_ms=500)))
            same(s.run(held), 1, "the step that gave up took nothing")
            s.run(push)
            same(s.run(use), [4, 8])
    if t.impl == "ferroflow":
        end, words = time.monotonic() + 10, "accumulator 'the_accumulator' has 1 of 2 gradients"
        while words not in c.log("ps", 0, 10000) and time.monotonic() < end:
            time.sleep(0.05)
        holds(words in c.log("ps", 0, 10000), "the server's log names what was waited for: %s" % c.log("ps", 0))


@test(limit=120)
def sparse_updates_of_every_optimizer_equal_tensorflows(t):
    rng = np.random.RandomState(3)
    table = rng.randn(8, 3).astype(np.float32)

    def program(on):
        runs, train = [], []
        makers = {
            "descent": lambda: tf.train.GradientDescentOptimizer(0.1), "momentum": lambda: tf.train.MomentumOptimizer(0.1, 0.9),
            "nesterov": lambda: tf.train.MomentumOptimizer(0.1, 0.9, use_nesterov=True),
            "adagrad": lambda: tf.train.AdagradOptimizer(0.1), "adadelta": lambda: tf.train.AdadeltaOptimizer(0.5),
            "adam": lambda: tf.train.AdamOptimizer(0.1), "rmsprop": lambda: tf.train.RMSPropOptimizer(0.1, momentum=0.5),
            "centered": lambda: tf.train.RMSPropOptimizer(0.1, centered=True),
            "ftrl": lambda: tf.train.FtrlOptimizer(0.1, l1_regularization_strength=0.01, l2_regularization_strength=0.01),
            "proximal": lambda: tf.train.ProximalAdagradOptimizer(0.1, l1_regularization_strength=0.01)}
        ids = tf.placeholder(tf.int64, [None])
        for k, (name, make) in enumerate(makers.items()):
            with tf.variable_scope(name):
                parts = [tf.get_variable("part_%d" % p, initializer=table[4 * p:4 * p + 4], use_resource=bool(k % 2)) for p in range(2)]
                with on("/job:worker/task:1"):
                    chosen = tf.nn.embedding_lookup(parts, ids)
                    loss = tf.reduce_sum(chosen * chosen * tf.constant([1.0, 2.0, 3.0]))
                train.append([loss, make().minimize(loss, var_list=parts)])
                runs.append((parts, {}))
        steps = [(train, {ids: i}) for i in ([1, 2, 1], [7, 7, 0], [3], [1, 1, 1, 5])]
        return [(tf.global_variables_initializer(), {})] + steps + runs
    agrees(t, lambda on: program_on_ps(on, program), tolerance=1e-4)


def program_on_ps(on, program):
    """The program with its variables spread over the ps tasks, where there are any."""
    with tf.device(tf.train.replica_device_setter(ps_tasks=2) if on is tf.device else None):
        return program(on)
