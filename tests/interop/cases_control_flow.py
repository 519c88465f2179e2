"""Loops and conditionals of version 1 (Enter, Switch, Merge) whose nodes lie on several tasks; TensorFlow's session is the judge."""
import time

from reference import agrees
from suite import close, graph_and_session, holds, np, raises, same, test, tf

from tensorflow.python.framework import function
from tensorflow.python.ops import functional_ops

W0, W1, PS0, PS1 = "/job:worker/task:0", "/job:worker/task:1", "/job:ps/task:0", "/job:ps/task:1"


@test()
def a_loop_over_three_tasks_and_its_gradient(t):
    def program(on):
        x = tf.placeholder(tf.float32, [])

        def body(i, v):
            with on(W1):
                v = v * 1.5
            with on(PS0):
                return i + 1, v + 1.0
        with on(W0):
            last, value = tf.while_loop(lambda i, _: i < 6, body, [tf.constant(0), x])
            slope = tf.gradients(value, x)[0]
        return [([last, value, slope], {x: v}) for v in (2.0, -1.0)]
    agrees(t, program)


@test()
def loops_in_loops_and_conditionals_over_tasks(t):
    def program(on):
        x = tf.placeholder(tf.float32, [3])

        def inner(j, w):
            with on(W1):
                return j + 1, w * tf.constant([1.0, 2.0, 0.5]) + tf.cast(j, tf.float32)

        def body(i, v):
            with on(PS0):
                u = tf.tanh(v)
            _, w = tf.while_loop(lambda j, _: j < i + 1, inner, [tf.constant(0), u])
            return i + 1, tf.cond(tf.reduce_sum(w) > 1.0, lambda: w * 0.5, lambda: w + 1.0)
        with on(W0):
            _, v = tf.while_loop(lambda i, _: i < 4, body, [tf.constant(0), x])
            loss = tf.reduce_sum(v * v)
            slope = tf.gradients(loss, x)[0]
        return [([v, loss, slope], {x: [0.1, 0.2, 0.3 * k]}) for k in range(2)]
    agrees(t, program)


@test()
def loops_take_their_options(t):
    def program(on):
        runs = []
        x = tf.constant([[1.0, 2.0]])
        for options in ({"parallel_iterations": 1}, {"parallel_iterations": 32}, {"swap_memory": True}, {"back_prop": False}):
            with on(W1):
                i, v = tf.while_loop(lambda i, _: i < 5, lambda i, v: (i + 1, tf.concat([v, v[:1] * 2.0], 0)), [tf.constant(0), x],
                                     shape_invariants=[tf.TensorShape([]), tf.TensorShape([None, 2])], **options)
            runs.append(([i, v], {}))
            if options.get("back_prop", True):
                runs.append((tf.gradients(v, x), {}))
        return runs
    agrees(t, program)


@test()
def a_tensor_array_is_filled_and_read_from_several_tasks(t):
    def program(on):
        x = tf.placeholder(tf.float32, [4, 2])
        with on(W1):
            source = tf.TensorArray(tf.float32, 4).unstack(x)
        with on(PS1):
            target = tf.TensorArray(tf.float32, 4)

        def body(i, made):
            with on(PS0):
                y = source.read(i) * 2.0
            with on(W0):
                return i + 1, made.write(i, y + 1.0)
        _, target = tf.while_loop(lambda i, _: i < 4, body, [tf.constant(0), target])
        whole = target.stack()
        slope = tf.gradients(tf.reduce_sum(whole * whole), x)[0]
        return [([whole, slope], {x: np.arange(8).reshape(4, 2)})] * 2
    agrees(t, program)


@test()
def the_side_of_a_conditional_that_is_not_taken_stays_dead_over_tasks(t):
    c = t.cluster()
    with graph_and_session(c.target()) as (_, session):
        taken, x = tf.placeholder(tf.bool, []), tf.placeholder(tf.float32, [2])
        switch = tf.raw_ops.Switch(data=x, pred=taken)
        with tf.device(W1):
            use = switch.output_true + 1.0
        with tf.device(PS0):
            merged = tf.raw_ops.Merge(inputs=[use, switch.output_false])
        with session() as s:
            for k in range(2):
                raises(tf.errors.InternalError, ["was not valid"], lambda: s.run(use, {taken: False, x: [1, 3]}))
                same(s.run(use, {taken: True, x: [1, 3]}), [2, 4])
                same(s.run(merged.output, {taken: True, x: [1, 3]}), [2, 4])
                same(s.run(merged.output, {taken: False, x: [1, 3]}), [1, 3])


@test()
def a_read_after_an_update_sees_it_from_another_task(t):
    c = t.cluster()
    with graph_and_session(c.target()) as (_, session):
        with tf.device(PS0):
            v = tf.Variable(1.0, name="read_after")
        with tf.device(W1):
            update = tf.assign_add(v, 1.0)
            with tf.control_dependencies([update]):
                beside = v.read_value()
        with tf.device(W0):
            # What the read waits for lies on a third task here.
            with tf.control_dependencies([tf.group(update)]):
                later = v.read_value()

        def body(i, total):
            with tf.control_dependencies([tf.assign_add(v, 1.0)]):
                return i + 1, total + v.read_value()
        with tf.device(W1):
            _, total = tf.while_loop(lambda i, _: i < 5, body, [tf.constant(0), tf.constant(0.0)], parallel_iterations=1)
        with session() as s:
            s.run(v.initializer)
            same([s.run(beside) for _ in range(3)], [2, 3, 4])
            same([s.run(later) for _ in range(3)], [5, 6, 7])
            same(s.run(total), 8 + 9 + 10 + 11 + 12)


@test()
def a_loop_without_end_ends_at_the_steps_time_limit(t):
    c = t.cluster()
    with graph_and_session(c.target()) as (_, session):
        def body(i):
            with tf.device(PS0):
                return i * 1
        with tf.device(W1):
            here = tf.while_loop(lambda i: i >= 0, lambda i: i * 1, [tf.constant(0)])
            apart = tf.while_loop(lambda i: i >= 0, body, [tf.constant(0)])
        good = tf.constant(1.0) + 1.0
        with session() as s:
            for endless in (here, apart):
                begin = time.monotonic()
                raises(tf.errors.DeadlineExceededError, [], lambda: s.run(endless, options=tf.RunOptions(timeout_in_ms=500)))
                holds(time.monotonic() - begin < 20, "it ended late")
                same(s.run(good), 2.0)


@test()
def a_recurrent_net_with_lengths_learns_as_in_tensorflow(t):
    rng = np.random.RandomState(0)
    start, data = rng.randn(7, 16).astype(np.float32) * 0.3, rng.randn(5, 6, 3)

    def program(on):
        x, lengths = tf.placeholder(tf.float32, [None, None, 3]), tf.placeholder(tf.int32, [None])
        with on(PS0):
            kernel = tf.get_variable("kernel", initializer=start)
        with on(PS1):
            bias = tf.get_variable("bias", [16], initializer=tf.zeros_initializer())
        with on(W1):
            steps, rows = tf.shape(x)[1], tf.shape(x)[0]
            inputs = tf.TensorArray(tf.float32, steps).unstack(tf.transpose(x, [1, 0, 2]))

            def step(k, state, output, made):
                i, j, f, o = tf.split(tf.matmul(tf.concat([inputs.read(k), output], 1), kernel) + bias, 4, 1)
                new = state * tf.sigmoid(f + 1.0) + tf.sigmoid(i) * tf.tanh(j)
                out = tf.tanh(new) * tf.sigmoid(o)
                runs = tf.tile((k < lengths)[:, None], [1, 4])
                new, out = tf.where(runs, new, state), tf.where(runs, out, output)
                return k + 1, new, out, made.write(k, out)
            zeros = tf.zeros([rows, 4])
            made = tf.while_loop(lambda k, *_: k < steps, step, [tf.constant(0), zeros, zeros, tf.TensorArray(tf.float32, steps)])[3]
            loss = tf.reduce_mean(tf.square(made.stack() - 1.0))
            train = tf.train.AdamOptimizer(0.1).minimize(loss)
        feeds = {x: data, lengths: [6, 1, 3, 0, 5]}
        return [(tf.global_variables_initializer(), {})] + [([loss, train], feeds)] * 4 + [(kernel, {})]
    agrees(t, program, tolerance=1e-3)


@test()
def maps_scans_folds_and_second_derivatives(t):
    def program(on):
        x = tf.placeholder(tf.float32, [3])
        with on(W1):
            y = tf.reduce_sum(x ** 3) + tf.reduce_prod(x)
            mapped = tf.map_fn(lambda a: tf.sin(a) * 2.0, x)
            scanned = tf.scan(lambda a, b: a * b + 1.0, x, initializer=1.0)
            folded = tf.foldl(lambda a, b: a + b, x), tf.foldr(lambda a, b: a * 0.5 + b, x)
            slopes = tf.gradients([tf.reduce_sum(mapped), scanned], x)
        return [([tf.hessians(y, x), mapped, scanned, folded, slopes], {x: [1, 2, 3]})]
    agrees(t, program)


@test()
def functions_are_told_apart_in_every_way_to_run_a_graph(t):
    """A loop that stays a node is one kernel for all steps of a session; each kind of step makes the functions of its own ready."""
    def program(target):
        with graph_and_session(target) as (graph, session), tf.device("/job:worker/task:1" if target else None):
            x = tf.constant([1.0, 2.0])

            @function.Defun(tf.int32, tf.float32)
            def body(i, v):
                return v * 2.0 + tf.cast(i, tf.float32)

            @function.Defun(tf.float32, tf.float32)
            def below(v, w):
                return tf.reduce_sum(v) < 50.0

            @function.Defun(tf.float32, tf.float32)
            def grow(v, w):
                return v + w, w * 1.5
            counted = functional_ops.For(tf.constant(1), tf.constant(8), tf.constant(3), [x], body)
            while_loop = functional_ops.While([x, x], below, grow)
            downwards = functional_ops.For(tf.constant(2), tf.constant(-1), tf.constant(-1), [x], body)
            wrong = functional_ops.For(tf.constant(3), tf.constant(1), tf.constant(1), [x], body)
            with session() as s:
                runs = [s.run(f) for f in (while_loop, counted, [counted, while_loop], downwards, [downwards, while_loop, counted], while_loop)]
                raises(tf.errors.InvalidArgumentError, ["Invalid start/limit/delta"], lambda: s.run(wrong))
                return [np.concatenate([np.ravel(v) for v in tf.nest.flatten(r)]) for r in runs]
    for k, (expected, got) in enumerate(zip(program(""), program(t.cluster().target()))):
        close(got, expected, "run %d" % k)


@test()
def a_loss_over_alignments_has_its_gradient(t):
    """`ctc_loss_v2` is two functional loops over the frames in one graph."""
    def program(target):
        with graph_and_session(target) as (_, session), tf.device("/job:worker/task:1" if target else None):
            logits = tf.constant(np.cos(np.arange(105, dtype=np.float32)).reshape(7, 3, 5))
            loss = tf.nn.ctc_loss_v2(tf.constant([[1, 2, 0], [3, 0, 0], [1, 1, 2]]), logits, [2, 1, 3], [7, 5, 6], blank_index=0)
            slope = tf.gradients(loss, logits)[0]
            with session() as s:
                return [s.run(loss), s.run(slope), *s.run([loss, slope])]
    for k, (expected, got) in enumerate(zip(program(""), program(t.cluster().target()))):
        close(got, expected, "run %d" % k, 1e-4)
