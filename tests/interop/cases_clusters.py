"""Clusters that a session brings along in its options (`cluster_def`): what is taken, what is refused, and whose variables are seen."""
from tensorflow.core.protobuf import cluster_pb2

from suite import graph_and_session, raises, same, test, tf


def config(jobs, **options):
    """Options that name the tasks at these addresses."""
    made = cluster_pb2.ClusterDef()
    for name, addresses in jobs.items():
        job = made.job.add(name=name)
        for k, address in enumerate(addresses):
            job.tasks[k] = address
    return tf.ConfigProto(cluster_def=made, operation_timeout_in_ms=20000, **options)


@test()
def a_session_calls_the_tasks_by_other_names(t):
    c = t.cluster()
    jobs = {"params": c.spec["ps"], "me": c.spec["worker"]}
    for isolate in (False, True):
        with graph_and_session(c.target(), config(jobs, isolate_session_state=isolate)) as (_, session):
            with tf.device("/job:params/task:1"):
                v = tf.get_variable("v%d" % isolate, initializer=2.0)
                w = tf.get_variable("w%d" % isolate, initializer=5.0, use_resource=True)
            with tf.device("/job:me/task:1"):
                z = v * 3.0 + w
            with session() as s:
                same(sorted(d.name for d in s.list_devices() if d.device_type == "CPU"),
                     ["/job:%s/replica:0/task:%d/device:CPU:0" % (j, k) for j in ("me", "params") for k in range(2)])
                s.run(tf.global_variables_initializer())
                same(s.run(z), 11.0)
                with tf.device("/job:ps/task:0"):
                    unknown = tf.constant(1)
                raises(tf.errors.InvalidArgumentError, ["Cannot assign a device", "/job:params/replica:0/task:0"], lambda: s.run(unknown))


@test(only="ferroflow")
def variables_of_renamed_tasks_are_shared_unless_they_are_isolated(t):
    c = t.cluster()
    jobs = {"params": c.spec["ps"], "me": c.spec["worker"]}

    def value(config, job, isolated, start):
        with graph_and_session(c.target(task=1 - start), config) as (_, session):
            with tf.device("/job:%s/task:0" % job):
                v = tf.get_variable("seen_%d" % isolated, initializer=7.0)
            with session() as s:
                if start:
                    s.run(v.initializer)
                return s.run(v)
    for isolated in (False, True):
        own = config(jobs, isolate_session_state=isolated)
        same(value(own, "params", isolated, True), 7.0)
        for again, job in ((own, "params"), (None, "ps")):
            if isolated:
                raises(tf.errors.FailedPreconditionError, ["uninitialized"], lambda: value(again, job, isolated, False))
            else:
                same(value(again, job, isolated, False), 7.0, "the next session")


@test()
def clusters_without_or_with_the_same_master_are_refused(t):
    c = t.cluster()
    own = "Job: worker, task index: 0"
    for jobs, words in (({"ps": c.spec["ps"], "worker": c.spec["worker"]}, own), ({"params": c.spec["ps"], "worker": c.spec["worker"]}, own),
                        ({"ps": c.spec["ps"]}, "The master (current machine) is not included in the provided cluster_def")):
        for isolate in (False, True):
            with graph_and_session(c.target(), config(jobs, isolate_session_state=isolate)) as (_, session):
                x = tf.constant(1)
                raises(tf.errors.InvalidArgumentError, [words], lambda: session().run(x))
    with graph_and_session(c.target()) as (_, session):
        with session() as s:
            same(s.run(tf.constant(2)), 2)
