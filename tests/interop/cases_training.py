"""Training programs as TensorFlow's users write them."""
import glob
import os

from suite import close, graph_and_session, holds, np, test, tf


def linear_regression(t, device):
    c = t.cluster()
    rng = np.random.RandomState(0)
    with graph_and_session(c.target()) as (_, session):
        x, y = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
        with tf.device(device):
            weight, bias = tf.Variable(0.0, name="weight"), tf.Variable(0.0, name="bias")
        cost = tf.reduce_sum(tf.pow(weight * x + bias - y, 2)) / 20
        train = tf.train.GradientDescentOptimizer(0.5).minimize(cost)
        with session() as s:
            s.run(tf.global_variables_initializer())
            for _ in range(300):
                inputs = rng.rand(10).astype(np.float32)
                s.run(train, {x: inputs, y: 2 * inputs - 1})
            w, b = s.run([weight, bias])
    holds(abs(w - 2) < 0.05 and abs(b + 1) < 0.05, "weight %f, bias %f" % (w, b))


@test()
def linear_regression_on_the_masters_task(t):
    linear_regression(t, None)


@test()
def linear_regression_with_its_variables_on_a_ps(t):
    linear_regression(t, "/job:ps/task:1")


def replicated(t, resource):
    c, folder = t.cluster(), t.temp()
    results = t.clients().run("linear_regression", cluster=c.spec, folder=folder, resource=resource, last_step=600)
    for k, r in enumerate(results):
        holds(r["step"] >= 590 and r["loss"] < 1e-3, "client %d: %s" % (k, r))
        holds(r["own_steps"] > 10, "client %d took part: %s" % (k, r))
    close([results[0]["weight"], results[0]["bias"]], [0.1, 0.3], "what was learnt", 0.03)
    latest = tf.train.latest_checkpoint(folder)
    holds(latest and tf.train.load_checkpoint(latest).get_tensor("global_step") >= 600, "checkpoint %s" % latest)
    close(tf.train.load_checkpoint(latest).get_tensor("bias"), [0.3], "the checkpoint's bias", 0.03)
    events = glob.glob(os.path.join(folder, "events.out.tfevents.*"))
    tags = {v.tag for path in events for e in tf.train.summary_iterator(path) for v in e.summary.value}
    holds("loss" in tags, "summaries %s" % tags)


@test(limit=120)
def replicated_linear_regression_with_reference_variables(t):
    replicated(t, False)


@test(limit=120)
def replicated_linear_regression_with_resource_variables(t):
    replicated(t, True)


def digits(t, greedy):
    c = t.cluster()
    results = t.clients().run("digits_mlp", cluster=c.spec, folder=t.temp(), greedy=greedy, last_step=800)
    for k, r in enumerate(results):
        holds(r["loss"] < 0.5 * r["first_loss"] and r["own_steps"] > 10, "client %d: %s" % (k, r))
    holds(len({d for d in results[0]["devices"]}) == 2, "variables on both ps: %s" % results[0]["devices"])
    holds(results[0]["accuracy"] > 0.93, "test accuracy %.3f" % results[0]["accuracy"])


@test(limit=180)
def two_clients_train_a_perceptron_asynchronously(t):
    digits(t, False)


@test(limit=180)
def two_clients_train_with_greedy_placement(t):
    digits(t, True)


@test()
def the_optimizers_learn(t):
    c = t.cluster()
    rng = np.random.RandomState(0)
    inputs = rng.randn(64, 5).astype(np.float32)
    wanted = inputs @ np.array([1, -2, 3, 0.5, -1], np.float32)[:, None] + 0.3
    optimizers = {
        "descent": tf.train.GradientDescentOptimizer(0.05), "momentum": tf.train.MomentumOptimizer(0.02, 0.9),
        "nesterov": tf.train.MomentumOptimizer(0.02, 0.9, use_nesterov=True), "adagrad": tf.train.AdagradOptimizer(0.3),
        "rmsprop": tf.train.RMSPropOptimizer(0.05), "adam": tf.train.AdamOptimizer(0.1)}
    for name, optimizer in optimizers.items():
        with graph_and_session(c.target()) as (_, session):
            with tf.device(tf.train.replica_device_setter(ps_tasks=2, worker_device="/job:worker/task:1")):
                with tf.variable_scope(name):
                    w = tf.get_variable("w", [5, 1], initializer=tf.zeros_initializer())
                    b = tf.get_variable("b", [], initializer=tf.zeros_initializer())
                x, y = tf.placeholder(tf.float32, [None, 5]), tf.placeholder(tf.float32, [None, 1])
                loss = tf.reduce_mean(tf.square(tf.matmul(x, w) + b - y))
                train = optimizer.minimize(loss)
            with session() as s:
                s.run(tf.global_variables_initializer())
                values = [s.run([loss, train], {x: inputs, y: wanted})[0] for _ in range(60)]
            holds(values[-1] < 0.5 * values[0], "%s: %f to %f" % (name, values[0], values[-1]))
