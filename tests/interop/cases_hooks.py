"""Monitored sessions with every hook, and supervisors of version 0."""
import contextlib
import glob
import os

from suite import close, holds, same, test, tf


def setter(task=0):
    return tf.device(tf.train.replica_device_setter(ps_tasks=2, worker_device="/job:worker/task:%d" % task))


class Listener(tf.train.CheckpointSaverListener):
    """Notes what it is told."""

    def __init__(self):
        self.told = []

    def begin(self):
        self.told.append("begin")

    def before_save(self, session, step):
        self.told.append(("before", int(step)))

    def after_save(self, session, step):
        self.told.append(("after", int(step)))

    def end(self, session, step):
        self.told.append(("end", int(step)))


@test(limit=120)
def all_hooks_see_what_they_should(t):
    c, folder = t.cluster(), t.temp()
    with tf.Graph().as_default():
        with setter():
            x = tf.placeholder(tf.float32, [])
            w = tf.get_variable("w", [], initializer=tf.zeros_initializer())
            step = tf.train.get_or_create_global_step()
            loss = tf.square(w - x)
            train = tf.train.GradientDescentOptimizer(0.1).minimize(loss, global_step=step)
            summary = tf.summary.scalar("loss", loss)
        listener, final, logged = Listener(), tf.train.FinalOpsHook(w * 2.0), []
        hooks = [
            tf.train.StopAtStepHook(num_steps=12), tf.train.NanTensorHook(loss), tf.train.GlobalStepWaiterHook(0), final,
            tf.train.StepCounterHook(every_n_steps=4, output_dir=folder), tf.train.FeedFnHook(lambda: {x: 5.0}),
            tf.train.SummarySaverHook(save_steps=3, output_dir=folder, summary_op=summary),
            tf.train.ProfilerHook(save_steps=5, output_dir=folder),
            tf.train.CheckpointSaverHook(folder, save_steps=5, listeners=[listener]),
            tf.train.LoggingTensorHook({"loss": loss}, every_n_iter=3, formatter=lambda v: logged.append(v) or "")]
        losses = []
        with tf.train.MonitoredTrainingSession(master=c.target(), hooks=hooks, save_checkpoint_secs=None, save_summaries_steps=None,
                                               save_summaries_secs=None, log_step_count_steps=None) as s:
            while not s.should_stop():
                losses.append(float(s.run([train, loss])[1]))
    close(losses, [25 * 0.64 ** k for k in range(12)], "losses", 1e-4)
    close(final.final_ops_values, 10 * (1 - 0.8 ** 12), "the final value", 1e-4)
    same(str(listener.told), str(["begin", ("before", 0), ("after", 0), ("before", 5), ("after", 5), ("before", 10), ("after", 10),
                                  ("before", 12), ("after", 12), ("end", 12)]))
    holds(len(logged) == 4, "logged %d times" % len(logged))
    steps = {}
    for path in glob.glob(os.path.join(folder, "events.out.tfevents.*")):
        for event in tf.train.summary_iterator(path):
            for value in event.summary.value:
                steps.setdefault(value.tag, []).append(int(event.step))
    holds(len(steps.get("loss", [])) >= 3, "summaries of the loss at steps %s" % steps.get("loss"))
    holds("global_step/sec" in steps, "the step counter's summary in %s" % steps)
    holds(glob.glob(os.path.join(folder, "timeline-*.json")), "a profile in %s" % os.listdir(folder))


@test()
def a_loss_that_is_no_number_stops_training(t):
    c = t.cluster()
    with tf.Graph().as_default():
        with setter(1):
            x = tf.placeholder(tf.float32, [])
            w = tf.get_variable("w", [], initializer=tf.zeros_initializer())
            loss = tf.square(w - x)
        creator = tf.train.ChiefSessionCreator(master=c.target())
        try:
            with tf.train.MonitoredSession(creator, hooks=[tf.train.NanTensorHook(loss)]) as s:
                s.run(loss, {x: float("nan")})
        except tf.train.NanLossDuringTrainingError:
            return
    raise AssertionError("it went on")


@test()
def sessions_of_every_kind_are_prepared(t):
    c = t.cluster()
    with tf.Graph().as_default():
        with setter():
            w = tf.get_variable("w", [], initializer=tf.ones_initializer())
            step = tf.train.get_or_create_global_step()
            local = tf.get_variable("local", [], collections=[tf.GraphKeys.LOCAL_VARIABLES], initializer=tf.ones_initializer())
        with tf.train.MonitoredTrainingSession(master=c.target()) as s:
            seen = s.run_step_fn(lambda step_context: (step_context.session.run(step), step_context.run_with_hooks([w, local])))
            same(seen[0], 0)
            same(seen[1], [1, 1])
        with tf.train.MonitoredSession(tf.train.WorkerSessionCreator(master=c.target(task=1))) as s:
            same(s.run([w, step, local]), [1, 0, 1])
        with tf.train.SingularMonitoredSession(master=c.target()) as s:
            same(s.raw_session().run(w), 1)


@contextlib.contextmanager
def supervised(target, **options):
    """A supervisor's session of a model of its own graph, which the supervisor makes final: w and the step count what `train` does."""
    with tf.Graph().as_default():
        with setter():
            w = tf.get_variable("w", [], initializer=tf.zeros_initializer())
            step = tf.train.get_or_create_global_step()
            train = tf.group(w.assign_add(1.0), tf.assign_add(step, 1))
            tf.summary.scalar("w", w)
            summary = tf.summary.merge_all()
        supervisor = tf.train.Supervisor(global_step=step, summary_op=None, save_model_secs=0, **options)
        with supervisor.managed_session(target) as s:
            yield supervisor, s, [w, step], train, summary


@test(limit=90)
def supervisors_prepare_chiefs_and_workers(t):
    c, folder = t.cluster(), t.temp()
    with supervised(c.target(), logdir=folder) as (supervisor, s, state, train, summary):
        for _ in range(3):
            s.run(train)
            supervisor.summary_computed(s, s.run(summary))
        supervisor.saver.save(s, supervisor.save_path, global_step=state[1])
        with supervised(c.target(task=1), logdir=None, is_chief=False) as (_, other, its_state, _, _):
            same(other.run(its_state), [3, 3])
    # Read now: a second writer of the same second has the same file name.
    values = [(int(e.step), v.simple_value) for path in glob.glob(os.path.join(folder, "events.*"))
              for e in tf.train.summary_iterator(path) for v in e.summary.value if v.tag.startswith("w")]
    holds((3, 3.0) in values, "summaries %s" % values)
    tf.Session.reset(c.target())
    with supervised(c.target(), logdir=folder) as (supervisor, s, state, train, _):
        s.run(train)
        same(s.run(state), [4, 4], "restored")
        turns = []
        supervisor.loop(0, lambda: turns.append(1) or (len(turns) >= 3 and supervisor.request_stop()))
        supervisor.wait_for_stop()
        same(len(turns), 3)
