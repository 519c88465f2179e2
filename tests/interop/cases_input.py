"""What programs of TensorFlow 1.x read, look up and sample: readers, examples, sparse tensors, barriers, candidates, images."""
import os

from suite import close, graph_and_session, holds, np, same, test, tf

from tensorflow.python.ops import data_flow_ops


def both(t, build, steps=1, initialize=False, device="/job:ps/task:1"):
    """Runs what `build` makes here and on the cluster: every fetch must be equal, in every step."""
    c = t.cluster()
    results = []
    for target in ("", c.target()):
        with graph_and_session(target) as (graph, session):
            tf.set_random_seed(7)
            with tf.device(device if target else None):
                fetches = build()
            with session() as s:
                if initialize:
                    s.run([tf.global_variables_initializer(), tf.local_variables_initializer(), tf.tables_initializer()])
                results.append([s.run(fetches) for _ in range(steps)])
    for step, (here, there) in enumerate(zip(*results)):
        here, there = tf.nest.flatten(here), tf.nest.flatten(there)
        holds(len(here) == len(there), "%d fetches, %d expected" % (len(there), len(here)))
        for i, (expected, got) in enumerate(zip(here, there)):
            expected, got = np.asarray(expected), np.asarray(got)
            what = "step %d, fetch %d" % (step, i)
            holds(expected.dtype == got.dtype and expected.shape == got.shape, "%s: %s%s, not %s%s" % (what, got.dtype, got.shape, expected.dtype, expected.shape))
            if expected.dtype.kind in "fc":
                close(got, expected, what)
            else:
                same(got, expected, what)


def some_sparse(dtype=tf.float32):
    return tf.SparseTensor(np.array([[0, 1], [0, 3], [2, 0], [2, 3]], np.int64), tf.constant([1, 2, 3, 4], dtype), np.array([4, 5], np.int64))


@test(limit=120)
def sparse_tensors_are_tensorflows(t):
    def build():
        a = some_sparse()
        b = tf.SparseTensor(np.array([[0, 1], [1, 1], [2, 0]], np.int64), [10.0, 20.0, -3.0], np.array([4, 5], np.int64))
        dense = tf.constant(np.arange(20, dtype=np.float32).reshape(4, 5))
        filled, empty = tf.sparse.fill_empty_rows(a, -1.0)
        return [tf.sparse.to_dense(a), tf.sparse.reshape(a, [2, -1]), tf.sparse.add(a, b), tf.sparse.add(a, dense), a * dense, a / (dense + 1),
                tf.sparse.concat(1, [a, b]), tf.sparse.split(sp_input=a, num_split=2, axis=1), tf.sparse.slice(a, [0, 1], [3, 3]), filled, empty,
                tf.sparse.reduce_sum(a, 1), tf.sparse.reduce_max(a, 0), tf.sparse.softmax(a), tf.sparse.maximum(a, b), tf.sparse.minimum(a, b),
                tf.sparse.sparse_dense_matmul(a, dense, adjoint_a=True), tf.sparse.transpose(a), tf.sparse.retain(a, a.values > 1.5),
                tf.sparse.from_dense(dense), tf.sparse.to_indicator(some_sparse(tf.int64), 6),
                tf.deserialize_many_sparse(tf.serialize_many_sparse(a), tf.float32), tf.sparse_tensor_to_dense(tf.sparse.reorder(a)),
                tf.sets.union(tf.constant([[1, 2], [3, 3]]), tf.constant([[2, 5], [3, 1]])), tf.sets.size(tf.sets.intersection(
                    tf.constant([[1, 2], [3, 3]]), tf.constant([[2, 5], [3, 1]]))), tf.edit_distance(some_sparse(tf.int64), some_sparse(tf.int64))]
    both(t, build)


@test(limit=90)
def a_linear_model_of_sparse_features_learns_the_same(t):
    def build():
        ids = tf.SparseTensor(np.array([[0, 0], [0, 1], [2, 0], [3, 0], [3, 2]], np.int64), tf.constant([3, 1, 4, 1, 5], tf.int64), np.array([4, 3], np.int64))
        weights = tf.SparseTensor(ids.indices, [1.0, 2.0, 0.5, 1.0, -1.0], ids.dense_shape)
        table = tf.get_variable("table", initializer=tf.constant(np.linspace(-1, 1, 24, dtype=np.float32).reshape(8, 3)))
        parts = tf.get_variable("parts", initializer=tf.constant(np.linspace(0, 1, 8, dtype=np.float32).reshape(8, 1)))
        embedded = [tf.nn.safe_embedding_lookup_sparse([table], ids, weights, combiner=how) for how in ("sum", "mean", "sqrtn")]
        linear = tf.nn.embedding_lookup_sparse(parts, ids, None, combiner="sum")
        wide = tf.sparse.sparse_dense_matmul(tf.sparse.reorder(tf.SparseTensor(
            tf.stack([ids.indices[:, 0], ids.values], 1), weights.values, [4, 8])), parts)
        loss = sum(tf.reduce_sum(tf.square(e - 1)) for e in embedded) + tf.reduce_sum(tf.square(linear - 2)) + tf.reduce_sum(tf.square(wide))
        train = tf.train.AdagradOptimizer(0.1).minimize(loss)
        with tf.control_dependencies([train]):
            return [loss, table.read_value() if hasattr(table, "read_value") else tf.identity(table), embedded, linear]
    both(t, build, steps=3, initialize=True)


@test(limit=90)
def feature_columns_become_a_model(t):
    def build():
        features = {"color": tf.constant([[b"red"], [b"blue"], [b"green"]]), "size": tf.constant([[1.0], [5.0], [12.0]]),
                    "words": tf.SparseTensor(np.array([[0, 0], [0, 1], [2, 0]], np.int64), tf.constant([b"x", b"why", b"zed"]), np.array([3, 2], np.int64))}
        column = tf.feature_column
        words = column.categorical_column_with_hash_bucket("words", 10)
        colors = column.categorical_column_with_vocabulary_list("color", ["red", "green"])
        sizes = column.bucketized_column(column.numeric_column("size"), [3.0, 10.0])
        return [column.input_layer(features, [column.indicator_column(words), column.indicator_column(colors), sizes, column.numeric_column("size")]),
                column.linear_model(features, [words, colors, sizes])]
    both(t, build, initialize=True)


@test(limit=90)
def text_files_are_read_through_queues(t):
    folder = t.temp()
    names = [os.path.join(folder, "part-%d.csv" % i) for i in range(3)]
    for i, name in enumerate(names):
        with open(name, "w") as f:
            f.write("id,x,label\n" + "".join("%d,%f,%s\n" % (i * 10 + k, k / 4, "odd" if k % 2 else "") for k in range(5)))
    c = t.cluster()
    with graph_and_session(c.target()) as (_, session):
        with tf.device("/job:worker/task:1"):
            queue = tf.train.string_input_producer(names, num_epochs=1, shuffle=False)
            key, line = tf.TextLineReader(skip_header_lines=1).read(queue)
            number, x, label = tf.decode_csv(line, [[0], [0.0], ["even"]])
            batch = tf.train.batch([key, number, x, label], batch_size=4, allow_smaller_final_batch=True)
        with session() as s:
            s.run(tf.local_variables_initializer())
            coordinator = tf.train.Coordinator()
            threads = tf.train.start_queue_runners(s, coordinator)
            rows = []
            try:
                while True:
                    rows += list(zip(*s.run(batch)))
            except tf.errors.OutOfRangeError:
                pass
            coordinator.request_stop()
            coordinator.join(threads)
    holds([int(r[1]) for r in rows] == [10 * i + k for i in range(3) for k in range(5)], "numbers %s" % [r[1] for r in rows])
    holds(rows[1][0].endswith(b"part-0.csv:3") and rows[1][3] == b"odd" and rows[2][3] == b"even", "rows %s" % rows[:3])
    close([r[2] for r in rows[:5]], [0, 0.25, 0.5, 0.75, 1])


@test()
def records_of_examples_are_read_and_parsed(t):
    path = os.path.join(t.temp(), "data.tfrecord")
    feature, values = tf.train.Feature, lambda *v: tf.train.Int64List(value=v)
    with tf.python_io.TFRecordWriter(path) as writer:
        for i in range(4):
            one = {"y": feature(int64_list=values(i)), "x": feature(float_list=tf.train.FloatList(value=[i, i / 2]))}
            if i % 2:
                one["words"] = feature(bytes_list=tf.train.BytesList(value=[b"w%d" % i] * i))
            writer.write(tf.train.Example(features=tf.train.Features(feature=one)).SerializeToString())

    def build():
        queue = tf.FIFOQueue(10, tf.string)
        fill = tf.group(queue.enqueue(path))
        with tf.control_dependencies([fill]):
            _, records = tf.TFRecordReader().read_up_to(queue, 4)
        spec = {"y": tf.FixedLenFeature([], tf.int64), "x": tf.FixedLenFeature([2], tf.float32), "words": tf.VarLenFeature(tf.string),
                "none": tf.FixedLenSequenceFeature([], tf.int64, allow_missing=True)}
        single = {"x": tf.FixedLenFeature([2], tf.float32), "words": tf.VarLenFeature(tf.string)}
        return [tf.parse_example(records, spec), tf.parse_single_example(records[3], single), tf.io.decode_raw([b"\x01\x00"], tf.int16)]
    both(t, build)


@test()
def barriers_and_staging_areas_wait_between_steps(t):
    def build():
        barrier = data_flow_ops.Barrier((tf.float32, tf.string), shapes=((), ()))
        first = barrier.insert_many(0, keys=[b"a", b"b"], values=[1.0, 2.0])
        with tf.control_dependencies([first]):
            second = barrier.insert_many(1, keys=[b"b", b"a"], values=[b"two", b"one"])
        with tf.control_dependencies([second]):
            taken = barrier.take_many(2)
        area = data_flow_ops.StagingArea([tf.int64], shapes=[[2]])
        with tf.control_dependencies([area.put([tf.constant([5, 6], tf.int64)])]):
            got = area.get()
        keyed = data_flow_ops.MapStagingArea([tf.float32, tf.int32], ordered=True)
        with tf.control_dependencies([keyed.put(tf.constant(3, tf.int64), [tf.constant(0.5), tf.constant(9)], [0, 1])]):
            mapped = keyed.get()
        return [taken[1:], got, mapped, area.size() * 0]
    both(t, build)


@test(limit=90)
def sampled_losses_learn_the_same(t):
    def build():
        inputs = tf.constant(np.linspace(-1, 1, 12, dtype=np.float32).reshape(4, 3))
        labels = tf.constant([[1], [40], [7], [0]], tf.int64)
        weights = tf.get_variable("weights", initializer=tf.constant(np.linspace(-1, 1, 150, dtype=np.float32).reshape(50, 3)))
        biases = tf.get_variable("biases", initializer=tf.zeros([50]))
        sampled = tf.nn.log_uniform_candidate_sampler(labels, 1, 8, True, 50, seed=3)
        nce = tf.nn.nce_loss(weights, biases, labels, inputs, 8, 50, sampled_values=sampled)
        softmax = tf.nn.sampled_softmax_loss(weights, biases, labels, inputs, 8, 50, sampled_values=tf.nn.uniform_candidate_sampler(labels, 1, 8, True, 50, seed=4))
        loss = tf.reduce_mean(nce) + tf.reduce_mean(softmax)
        with tf.control_dependencies([tf.train.GradientDescentOptimizer(0.2).minimize(loss)]):
            return [tf.identity(loss), sampled]
    both(t, build, steps=4, initialize=True)


@test(limit=90)
def images_matrices_and_random_numbers_are_tensorflows(t):
    def build():
        image = tf.constant(np.linspace(0, 1, 2 * 6 * 6 * 3, dtype=np.float32).reshape(2, 6, 6, 3))
        filters = tf.get_variable("filters", initializer=tf.constant(np.linspace(-1, 1, 54, dtype=np.float32).reshape(3, 3, 3, 2)))
        deep = tf.nn.depthwise_conv2d(image, filters, [1, 2, 2, 1], "SAME")
        large = tf.image.resize_bilinear(image, [9, 7])
        loss = tf.reduce_sum(deep * deep) + tf.reduce_sum(tf.square(large)) + tf.reduce_sum(tf.pad(image, [[0, 0], [2, 1], [1, 2], [0, 0]], "SYMMETRIC"))
        matrix = tf.constant([[4.0, 1.0, 0.5], [1.0, 3.0, 0.2], [0.5, 0.2, 5.0]])
        return [deep, large, tf.gradients(loss, [filters, image]), tf.image.resize_nearest_neighbor(image, [3, 4]), tf.space_to_depth(image, 2),
                tf.depth_to_space(tf.space_to_depth(image, 2), 2), tf.space_to_batch_nd(image, [2, 2], [[0, 0], [0, 0]]),
                tf.image.extract_image_patches(image, [1, 2, 2, 1], [1, 2, 2, 1], [1, 1, 1, 1], "VALID"), tf.nn.atrous_conv2d(image, filters, 2, "SAME"),
                tf.matrix_inverse(matrix), tf.cholesky(matrix), tf.matrix_solve(matrix, tf.ones([3, 1])), tf.matrix_determinant(matrix), tf.linalg.logdet(matrix),
                tf.linalg.set_diag(matrix, [1.0, 2.0, 3.0]), tf.linalg.diag_part(matrix, k=1), tf.roll(image, [1, -2], [1, 2]),
                tf.random.stateless_uniform([4], [1, 2]), tf.random.stateless_normal([4], [1, 2]), tf.random.stateless_uniform([4], [1, 2], 0, 100, tf.int32),
                tf.tensor_scatter_nd_update(matrix, [[0], [2]], tf.zeros([2, 3])), tf.string_to_hash_bucket_fast([b"a", b"bcd"], 1000), tf.string_split([b"a b", b"c"])]
    both(t, build, initialize=True)


@test(limit=90)
def boxes_in_images_are_tensorflows(t):
    def build():
        image = tf.constant(np.linspace(0, 1, 2 * 6 * 8 * 3, dtype=np.float32).reshape(2, 6, 8, 3) ** 2)
        boxes, scores = tf.constant([[0, 0, 1, 1], [0, 0.1, 1, 1.1], [0, 2, 1, 3]], tf.float32), tf.constant([0.9, 0.8, 0.7])
        crops = tf.image.crop_and_resize(image, boxes * 0.3, [0, 1, 1], [4, 3])
        pooled = tf.nn.max_pool_with_argmax(image, [1, 2, 2, 1], [1, 2, 2, 1], "SAME")
        table = tf.get_variable("low", initializer=-1.0)
        rounded = tf.quantization.fake_quant_with_min_max_vars(image, table, 0.6)
        slopes = tf.gradients(tf.reduce_sum(crops * crops) + tf.reduce_sum(pooled[0] ** 2) + tf.reduce_sum(rounded * image), [image, boxes, table])
        return [crops, pooled, rounded, slopes, tf.image.resize_area(image, [3, 5]), tf.image.non_max_suppression(boxes, scores, 3, 0.5),
                tf.image.non_max_suppression_with_scores(boxes, scores, 3, 0.5, soft_nms_sigma=0.5),
                tf.image.sample_distorted_bounding_box([20, 30, 3], [[[0.1, 0.1, 0.5, 0.6]]], min_object_covered=0.3, seed=3),
                tf.quantization.quantize_and_dequantize(image, -1.0, 1.0), tf.unravel_index([5, 40], [6, 8]),
                tf.nn.learned_unigram_candidate_sampler(tf.constant([[1], [3]], tf.int64), 1, 4, True, 20, seed=3)]
    both(t, build, steps=2, initialize=True)
