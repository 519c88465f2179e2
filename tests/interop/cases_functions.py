"""Functions and functional control flow (control flow v2) whose bodies name several tasks; TensorFlow's in-process session is the judge."""
import tensorflow
from tensorflow.python.framework import function

from reference import version_2
from suite import close, graph_and_session, holds, np, raises, test, tf

W0, W1, PS0, PS1 = "/job:worker/task:0", "/job:worker/task:1", "/job:ps/task:0", "/job:ps/task:1"


def agrees(t, program):
    """`program(on)` builds a graph, with `on` for devices, and returns the runs to do: pairs of fetches and feeds."""
    results = []
    for target, on in [("", lambda device: tf.device(None)), (t.cluster().target(), tf.device)]:
        with version_2(), graph_and_session(target) as (_, session):
            runs = program(on)
            with session() as s:
                results.append([tensorflow.nest.flatten(s.run(fetches, feeds)) for fetches, feeds in runs])
    expected, got = results
    for k, (e, g) in enumerate(zip(expected, got)):
        for a, b in zip(e, g):
            holds((a is None) == (b is None), "run %d: %r and %r" % (k, a, b))
            if a is not None:
                close(b, a, "run %d" % k)


@test()
def a_conditional_runs_on_the_tasks_that_its_branches_name(t):
    def program(on):
        x, p = tf.placeholder(tf.float32, []), tf.placeholder(tf.bool, [])

        def yes():
            with on(W1):
                y = x * 2.0
            with on(W0):
                return y + 1.0, y

        def no():
            with on(PS0):
                y = x * 3.0
            return y - 1.0, y

        r = tf.cond(p, yes, no)
        return [(r, {x: 5, p: True}), (r, {x: 5, p: False}), (r[0], {x: 7, p: True}), (r[0].op, {x: 7, p: True})]

    agrees(t, program)


@test()
def branches_change_variables_of_several_ps_once(t):
    def program(on):
        with on(PS0):
            v = tf.Variable(1.0)
        with on(PS1):
            w = tf.Variable(10.0)
        p = tf.placeholder(tf.bool, [])
        r = tf.cond(p, lambda: v.assign_add(w + 1.0), lambda: w.assign_add(v))
        runs = [(tf.global_variables_initializer(), {})]
        for choice in [True, False, True, True]:
            runs += [(r, {p: choice}), ([v.read_value(), w.read_value()], {})]
        return runs + [(r.op, {p: False}), ([v.read_value(), w.read_value()], {})]

    agrees(t, program)


@test()
def a_loop_runs_over_two_tasks_and_a_ps(t):
    def program(on):
        n = tf.placeholder(tf.int32, [])
        with on(PS1):
            v = tf.Variable(1.0)
        with on(W0):
            c = tf.constant([[1.0, 0.5], [0.25, 1.0]])

        def body(i, m, s):
            with on(W1):
                m = tf.matmul(m, c)
            with on(PS0):
                m = m * 0.5
            return i + 1, m, s + v.assign_add(2.0)

        r = tf.while_loop(lambda i, m, s: i < n, body, [0, np.eye(2, dtype=np.float32), 0.0])
        runs = [(tf.global_variables_initializer(), {})]
        return runs + [(r, {n: k}) for k in [0, 1, 5, 30]] + [(r[1], {n: 3}), (v.read_value(), {})]

    agrees(t, program)


@test()
def loops_and_conditionals_nest(t):
    def program(on):
        n, p, x = tf.placeholder(tf.int32, []), tf.placeholder(tf.bool, []), tf.placeholder(tf.float32, [])

        def outer(i, s):
            def yes():
                with on(W1):
                    return s + tf.cast(i, tf.float32)

            def no():
                with on(PS0):
                    return tf.while_loop(lambda j, u: j < i, lambda j, u: (j + 1, u * x), [0, s])[1]

            return i + 1, tf.cond(tf.equal(i % 2, 0), yes, no)

        r = tf.cond(p, lambda: tf.while_loop(lambda i, s: i < n, outer, [0, 1.0])[1], lambda: x - 1.0)
        return [(r, {n: k, p: choice, x: 1.5}) for k in [0, 1, 4] for choice in [True, False]]

    agrees(t, program)


@test()
def gradients_go_through_loops_and_conditionals(t):
    def program(on):
        n, x = tf.placeholder(tf.int32, []), tf.placeholder(tf.float32, [2])

        def body(i, s):
            def yes():
                with on(W1):
                    return s * x

            def no():
                with on(PS0):
                    return tf.sin(s) + x

            return i + 1, tf.cond(tf.equal(i % 2, 0), yes, no)

        r = tf.while_loop(lambda i, s: i < n, body, [0, x])[1]
        g = tf.gradients(r, x)
        return [([r, g], {n: k, x: [0.3, 1.2]}) for k in [0, 1, 4]] + [(r, {n: 4, x: [0.3, 1.2]})]

    agrees(t, program)


@test()
def a_recurrent_net_with_its_weights_on_a_ps_learns(t):
    def program(on):
        with on(PS0):
            w = tf.Variable([[0.1, 0.2], [0.3, 0.4]])
        x = tf.placeholder(tf.float32, [3, 2])
        with on(W1):
            h = tf.while_loop(lambda i, h: i < 3, lambda i, h: (i + 1, tf.tanh(tf.matmul(h, w))), [0, x])[1]
            loss = tf.reduce_sum(h * h)
        step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
        feeds = {x: [[1, 2], [3, -1], [0.5, 0.5]]}
        return [(tf.global_variables_initializer(), {})] + 3 * [([loss, step], feeds)] + [(w.read_value(), {})]

    agrees(t, program)


@test()
def tensor_arrays_map_and_scan_are_lists_of_tensors(t):
    def program(on):
        x = tf.placeholder(tf.float32, [None])
        with on(W1):
            m = tf.map_fn(lambda a: a * a + 1.0, x)
        s = tf.scan(lambda a, b: a * 0.5 + b, x)
        g = tf.gradients(tf.reduce_sum(m * s), x)
        return [([m, s, g], {x: [1, 2, 3]}), ([m, s, g], {x: [4]})]

    agrees(t, program)


@test()
def a_tf_function_is_expanded_where_its_nodes_belong(t):
    def program(on):
        with on(PS0):
            v = tf.Variable(2.0)

        @tensorflow.function
        def inner(x):
            with on(W1):
                y = x * v
            return y, v.assign_add(1.0)

        @tensorflow.function
        def outer(x):
            with on(W0):
                a, b = inner(x)
            c, d = inner(a)
            return a + c, b * d

        x = tf.placeholder(tf.float32, [])
        r = outer(x)
        return [(tf.global_variables_initializer(), {}), (r, {x: 3}), (r[0], {x: 3}), (v.read_value(), {})]

    agrees(t, program)


@test()
def functions_called_by_their_names_are_expanded(t):
    def program(on):
        @function.Defun(tf.float32, tf.float32)
        def times(a, b):
            with on(W1):
                c = a * b
            return c, c + 1.0

        @function.Defun(tf.float32)
        def squared(a):
            x, y = times(a, a)
            with on(PS0):
                return x * y

        x = tf.placeholder(tf.float32, [])
        r = squared(x)
        s = times(x, r)
        return [([r, s], {x: 3}), (s[1], {x: 2})]

    agrees(t, program)


@test()
def gradients_go_through_functions_called_by_their_names(t):
    def program(on):
        @function.Defun(tf.float32)
        def sine(x):
            with on(W1):
                return tf.sin(x)

        @function.Defun(tf.float32, tf.float32)
        def pair(x, y):
            return sine(x) * y, sine(y)

        @function.Defun(tf.float32, tf.float32)
        def own_gradient(x, dy):
            return dy * 100.0 * x

        @function.Defun(tf.float32, grad_func=own_gradient)
        def linear(x):
            return x * 2.0 + 1.0

        @function.Defun(tf.float32, noinline=True)
        def closed(x):
            return x * x

        x = tf.placeholder(tf.float32, [3])
        a, b, c = pair(x, x + 1.0), linear(x), closed(x)
        return [([a, tf.gradients(a, x), b, tf.gradients(b, x), c, tf.gradients(c, x)], {x: [1, 2, 3]})]

    agrees(t, program)


@test()
def effects_in_a_body_happen_once_per_iteration_and_in_order(t):
    def program(on):
        with on(PS0):
            q = tf.FIFOQueue(100, [tf.float32], shapes=[[]])
        n = tf.placeholder(tf.int32, [])

        def body(i):
            with on(W1):
                x = tf.cast(i, tf.float32) * 1.5
            with tf.control_dependencies([q.enqueue(x)]):
                return i + 1

        r = tf.while_loop(lambda i: i < n, body, [0])
        return [(r, {n: 4}), (q.dequeue_many(4), {}), (q.size(), {}), (r, {n: 0}), (q.size(), {})]

    agrees(t, program)


@test()
def a_device_in_a_body_that_cannot_be_had_is_named(t):
    with version_2(), graph_and_session(t.cluster().target()) as (_, session):
        x = tf.placeholder(tf.float32, [])

        def nowhere():
            with tf.device("/job:nowhere/task:3"):
                return tf.multiply(x, 2.0, name="lost")

        r = tf.cond(x < 5.0, nowhere, lambda: x)
        with session() as s:
            raises(tf.errors.InvalidArgumentError, ["lost", "/job:nowhere"], lambda: s.run(r, {x: 1}))


@test()
def a_case_takes_its_last_branch_for_any_other_number(t):
    def program(on):
        i, x = tf.placeholder(tf.int32, []), tf.placeholder(tf.float32, [])

        def first():
            with on(W1):
                return x + 1.0

        def second():
            with on(PS0):
                return x * 5.0

        r = tensorflow.switch_case(i, [first, second, lambda: tf.constant(7.0)])
        return [(r, {i: k, x: 3}) for k in [0, 1, 2, 3, -1]]

    agrees(t, program)


@test()
def random_numbers_in_a_branch_go_on_from_step_to_step(t):
    def program(on):
        p = tf.placeholder(tf.bool, [])
        tf.set_random_seed(3)

        def yes():
            with on(W1):
                return tf.random_uniform([3], seed=5)

        r = tf.cond(p, yes, lambda: tf.random_uniform([3], seed=6))
        return [(r, {p: choice}) for choice in [True, True, False, True, False]]

    agrees(t, program)
