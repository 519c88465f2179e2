"""The client's API: sessions, extension, feeds, partial runs, callables, devices, containers."""
from tensorflow.core.protobuf import config_pb2

from suite import close, graph_and_session, holds, np, raises, release_callable, same, test, tf


@test()
def a_matmul_runs_over_a_ps_and_two_workers(t):
    c = t.cluster()
    rng = np.random.RandomState(0)
    a, b = rng.rand(64, 32).astype(np.float32), rng.rand(32, 16).astype(np.float32)
    with graph_and_session(c.target()) as (_, session):
        with tf.device("/job:ps/task:0"):
            left, right = tf.Variable(a), tf.Variable(b)
        halves = []
        for k in range(2):
            with tf.device("/job:worker/task:%d" % k):
                halves.append(tf.matmul(left[32 * k:32 * (k + 1)], right))
        with tf.device("/job:worker/task:0"):
            product = tf.concat(halves, 0)
        with session() as s:
            s.run(tf.global_variables_initializer())
            for _ in range(5):
                close(s.run(product), a @ b)


@test()
def a_graph_grows_between_steps(t):
    c = t.cluster()
    with graph_and_session(c.target()) as (_, session):
        with tf.device("/job:worker/task:1"):
            x = tf.constant(2.0)
        with session() as s:
            same(s.run(x), 2.0)
            with tf.device("/job:ps/task:1"):
                y = x * 3.0
            same(s.run(y), 6.0)
            for k in range(5):
                y = y + 1.0
                same(s.run(y), 7.0 + k)


@test()
def inner_tensors_can_be_fed_and_fed_ones_fetched(t):
    c = t.cluster()
    with graph_and_session(c.target()) as (_, session):
        with tf.device("/job:worker/task:1"):
            x = tf.placeholder(tf.float32, [2])
            y = x * 2.0
            z = y + 1.0
        with session() as s:
            same(s.run(z, {x: [1, 2]}), [3, 5])
            same(s.run(z, {y: [5, 6]}), [6, 7])
            got = s.run([z, z, x, y], {x: [1, 2]})
            same(got[1], [3, 5])
            same(got[2], [1, 2])
            same(s.run({"a": z, "b": [x]}, {x: [0, 0]})["a"], [1, 1])


@test()
def variables_belong_to_the_servers_not_to_the_session(t):
    c = t.cluster()
    for resource in (False, True):
        name = "kept_%d" % resource

        def build():
            with tf.device("/job:ps/task:1"):
                return tf.Variable(1.0, name=name, use_resource=resource)
        with graph_and_session(c.target(task=0)) as (_, session):
            v = build()
            with session() as s:
                s.run(v.initializer)
                s.run(v.assign(7.0))
        with graph_and_session(c.target(task=1)) as (_, session):
            v = build()
            with session() as s:
                same(s.run(v), 7.0, "another session, at another master")


@test()
def every_dtype_makes_a_round_trip(t):
    c = t.cluster()
    kinds = [tf.float32, tf.float64, tf.float16, tf.bfloat16, tf.int8, tf.int16, tf.int32, tf.int64, tf.uint8, tf.uint16, tf.uint32,
             tf.uint64, tf.bool, tf.complex64, tf.complex128, tf.string]
    with graph_and_session(c.target()) as (_, session):
        pairs = []
        for kind in kinds:
            with tf.device("/job:worker/task:1"):
                x = tf.placeholder(kind, [None])
                here = tf.identity(x)
            with tf.device("/job:ps/task:0"):
                pairs.append((kind, x, tf.concat([here, x], 0)))
        with session() as s:
            for kind, x, y in pairs:
                value = (np.array([b"ab", b"", b"\x00\xff" * 500], object) if kind == tf.string
                         else np.array([1, 0, 3]).astype(kind.as_numpy_dtype))
                for v in (value, value[:0]):
                    got = s.run(y, {x: v})
                    same(got.tolist(), np.concatenate([v, v]).tolist(), kind.name)


@test()
def a_partial_run_goes_on_where_it_stopped(t):
    c = t.cluster()
    with graph_and_session(c.target()) as (_, session):
        with tf.device("/job:worker/task:1"):
            a, b, d = (tf.placeholder(tf.float32, []) for _ in range(3))
            first = a + b
        with tf.device("/job:ps/task:0"):
            second = first * d
        with session() as s:
            for k in range(3):
                handle = s.partial_run_setup([first, second], [a, b, d])
                same(s.partial_run(handle, first, {a: 1, b: 2 + k}), 3.0 + k)
                same(s.partial_run(handle, second, {d: 10}), 30.0 + 10 * k)
            handle = s.partial_run_setup([first, second], [a, b, d])
            s.partial_run(handle, first, {a: 1, b: 2})
            raises(tf.errors.InvalidArgumentError, ["already been fed"], lambda: s.partial_run(handle, second, {a: 1}))
            raises(tf.errors.InvalidArgumentError, ["Must run"], lambda: s.partial_run("no such handle", first, {a: 1}))
            same(s.run(first, {a: 1, b: 1}), 2.0, "an ordinary step afterwards")


@test()
def callables_run_and_can_be_released(t):
    c = t.cluster()
    with graph_and_session(c.target()) as (_, session):
        with tf.device("/job:ps/task:0"):
            v = tf.Variable(1.0, name="callables_v")
        with tf.device("/job:worker/task:1"):
            x = tf.placeholder(tf.float32, [], name="x")
            y = x + 1.0
            total = y + v
            increase = tf.assign_add(v, 1.0).op
        with session() as s:
            s.run(v.initializer)
            call = s.make_callable([y, total], feed_list=[x])
            same(call(1.0), [2.0, 3.0])
            same(call(5.0), [6.0, 7.0])
            options = config_pb2.CallableOptions(feed=[x.name], fetch=[total.name], target=[increase.name])
            direct = s._make_callable_from_options(options)
            holds(float(direct(np.float32(2.0))[0]) in (4.0, 5.0), "the fetch, before or after the target")
            holds(s.run(v) == 2.0, "the target ran once")
            release_callable(direct)
            same(s.run(y, {x: 3.0}), 4.0, "a step after the release")


@test()
def a_session_lists_the_devices_of_all_tasks(t):
    c = t.cluster()
    with tf.Session(c.target(task=1)) as s:
        devices = s.list_devices()
    cpus = sorted(d.name for d in devices if d.device_type == "CPU")
    same(cpus, ["/job:%s/replica:0/task:%d/device:CPU:0" % (j, k) for j in ("ps", "worker") for k in range(2)])
    holds(len({d.incarnation for d in devices}) == len(devices), "incarnations differ")
    holds(all(d.memory_limit_bytes > 0 for d in devices), "memory limits")


@test()
def device_filters_hide_tasks(t):
    c = t.cluster()
    config = tf.ConfigProto(device_filters=["/job:ps", "/job:worker/task:0"])
    with graph_and_session(c.target(), config) as (_, session):
        with tf.device("/job:ps/task:1"):
            seen = tf.constant(2.0)
        with session() as s:
            same(s.run(seen), 2.0)
    with graph_and_session(c.target(), config) as (_, session):
        with tf.device("/job:worker/task:1"):
            hidden = tf.constant(1.0)
        with session() as s:
            holds(not [d for d in s.list_devices() if "/job:worker/replica:0/task:1" in d.name], "worker:1 is hidden")
            raises(tf.errors.InvalidArgumentError, ["Cannot assign a device"], lambda: s.run(hidden))


@test()
def reset_clears_one_container_or_all(t):
    c = t.cluster()

    def build():
        with tf.device("/job:ps/task:0"):
            plain = tf.Variable(1.0, name="r")
            with tf.container("box"):
                boxed = tf.Variable(2.0, name="r")
        return plain, boxed
    with graph_and_session(c.target()) as (_, session):
        both = build()
        with session() as s:
            s.run([v.initializer for v in both])
            same(s.run(list(both)), [1.0, 2.0], "containers keep equal names apart")
        tf.Session.reset(c.target(), ["box"])
        with session() as s:
            same(s.run(both[0]), 1.0)
            raises(tf.errors.FailedPreconditionError, ["uninitialized"], lambda: s.run(both[1]))
        tf.Session.reset(c.target())
        with session() as s:
            raises(tf.errors.FailedPreconditionError, ["uninitialized"], lambda: s.run(both[0]))


@test()
def isolated_sessions_do_not_share_variables(t):
    c = t.cluster()
    with graph_and_session(c.target()) as (_, session):
        with tf.device("/job:ps/task:0"):
            v = tf.Variable(1.0, name="shared_or_not")
        with session() as s:
            s.run(v.initializer)
        with tf.Session(c.target(), config=tf.ConfigProto(isolate_session_state=True)) as s:
            raises(tf.errors.FailedPreconditionError, ["uninitialized"], lambda: s.run(v))
            s.run(v.initializer)
            s.run(v.assign(5.0))
        with session() as s:
            same(s.run(v), 1.0)


@test()
def control_edges_hold_across_tasks(t):
    c = t.cluster()
    with graph_and_session(c.target()) as (_, session):
        with tf.device("/job:ps/task:0"):
            v = tf.Variable(0.0, name="ordered")
        with tf.device("/job:worker/task:1"):
            add = tf.assign_add(v, 1.0)
        with tf.control_dependencies([add]), tf.device("/job:worker/task:0"):
            after = tf.constant(5.0)
            with tf.device("/job:ps/task:0"):
                read = v.read_value()
            total = after + read
        with session() as s:
            s.run(v.initializer)
            same([s.run(total) for _ in range(4)], [6.0, 7.0, 8.0, 9.0])


@test()
def soft_placement_moves_what_no_device_takes(t):
    c = t.cluster()
    with graph_and_session(c.target(), tf.ConfigProto(allow_soft_placement=True)) as (_, session):
        with tf.device("/job:worker/task:1/device:GPU:0"):
            x = tf.constant(3.0) * 2.0
        with session() as s:
            same(s.run(x), 6.0)
    with graph_and_session(c.target()) as (_, session):
        with tf.device("/job:worker/task:1/device:GPU:0"):
            x = tf.constant(3.0) * 2.0
        with session() as s:
            raises(tf.errors.InvalidArgumentError, ["Cannot assign a device"], lambda: s.run(x))


@test()
def conditionals_and_loops_run_on_a_remote_task(t):
    c = t.cluster()
    with graph_and_session(c.target()) as (_, session):
        with tf.device("/job:worker/task:1"):
            x = tf.placeholder(tf.float32, [])
            chosen = tf.cond(x > 0, lambda: x * 2.0, lambda: x - 1.0)
            _, doubled = tf.while_loop(lambda i, _: i < 10, lambda i, v: (i + 1, v * 2.0), [tf.constant(0), x])
        with session() as s:
            same(s.run(chosen, {x: 3}), 6.0)
            same(s.run(chosen, {x: -3}), -4.0)
            same(s.run(doubled, {x: 1}), 1024.0)


@test()
def the_costs_of_nodes_are_told_for_every_so_manieth_step(t):
    c = t.cluster()
    config = tf.ConfigProto()
    config.graph_options.build_cost_model = 2
    with graph_and_session(c.target(), config) as (_, session):
        with tf.device("/job:ps/task:0"):
            v = tf.Variable([[1.0, 2.0]], name="cost_v")
        with tf.device("/job:worker/task:1"):
            y = tf.matmul(v, v, transpose_b=True, name="cost_y")
        with session() as s:
            s.run(v.initializer)
            told = []
            for _ in range(4):
                metadata = tf.RunMetadata()
                same(s.run(y, run_metadata=metadata), [[5.0]])
                holds(not metadata.step_stats.dev_stats, "no trace was asked for")
                told.append({n.name: n for n in metadata.cost_graph.node})
            same([bool(nodes) for nodes in told], [False, True, False, True])
            product, source = told[1]["cost_y"], told[1]["cost_v"]
            same(product.device, "/job:worker/replica:0/task:1/device:CPU:0")
            same([d.size for d in product.output_info[0].shape.dim], [1, 1])
            same([d.size for d in source.output_info[0].shape.dim], [1, 2])
            same((product.output_info[0].size, len(product.input_info)), (4, 2))
            holds(product.compute_cost > 0, product)


@test()
def run_metadata_names_the_nodes_that_ran(t):
    c = t.cluster()
    with graph_and_session(c.target()) as (_, session):
        with tf.device("/job:worker/task:1"):
            x = tf.placeholder(tf.float32, [], name="traced_x")
            y = tf.add(x, 1.0, name="traced_y")
        with session() as s:
            metadata = tf.RunMetadata()
            same(s.run(y, {x: 1}, options=tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE), run_metadata=metadata), 2.0)
        names = {n.node_name for d in metadata.step_stats.dev_stats for n in d.node_stats}
        holds("traced_y" in names, "the traced nodes are %s" % sorted(names))
