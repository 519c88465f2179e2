"""Records the .pb files of this folder from TensorFlow (`pip install tensorflow-cpu==2.21.0`): python record.py"""

import os

os.environ["CUDA_VISIBLE_DEVICES"] = ""
import tensorflow as tf

tf1 = tf.compat.v1
tf1.disable_v2_behavior()
HERE = os.path.dirname(os.path.abspath(__file__))


def write(name, message):
    with open(os.path.join(HERE, name), "wb") as file:
        file.write(message.SerializeToString(deterministic=True))


with tf1.Graph().as_default() as graph:

    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
    def twice(x):
        return x + x

    with tf1.device("/job:ps/task:0"):
        w = tf1.get_variable("w", [2, 3], initializer=tf1.zeros_initializer(), use_resource=False)
        parts = tf1.get_variable("p", [4, 2], partitioner=tf1.fixed_size_partitioner(2), use_resource=True)
    x = tf1.placeholder(tf.float32, [None, 2], name="x")
    with tf.control_dependencies([w.initializer]):
        y = tf.matmul(x, w, name="y")
    doubled = tf.identity(twice(tf.reshape(y, [-1])), name="doubled")
    loop = tf1.while_loop(lambda i: i < 3, lambda i: i + 1, [tf.constant(0)], name="loop")
    words = tf.constant(["ab", "", "hello"], name="words")
    queue = tf1.train.string_input_producer(["a", "b"], name="files")
    scalar = tf1.summary.scalar("loss", tf.reduce_sum(doubled))
    tf1.summary.histogram("w_values", w)
    saver = tf1.train.Saver(sharded=True)
    meta = tf1.train.export_meta_graph(graph=graph, saver_def=saver.as_saver_def(), clear_devices=False)
    meta.signature_def["serving_default"].CopyFrom(
        tf1.saved_model.predict_signature_def({"x": x}, {"y": y})
    )
    write("meta_graph.pb", meta)

with tf1.Graph().as_default():
    a = tf1.placeholder(tf.float32, [2, 2], name="a")
    b = tf.matmul(a, a, name="b")
    tf1.summary.scalar("zero", tf.constant(0.0))
    tf1.summary.histogram("values", b)
    tf1.summary.text("words", tf.constant("hello"))
    merged = tf1.summary.merge_all()
    with tf1.Session() as session:
        metadata = tf1.RunMetadata()
        options = tf1.RunOptions(trace_level=tf1.RunOptions.FULL_TRACE, output_partition_graphs=True)
        summary = session.run(merged, {a: [[1, 2], [3, 4]]}, options, metadata)
        # Addresses mean nothing outside the recording process.
        for device in metadata.step_stats.dev_stats:
            for node in device.node_stats:
                for output in node.output:
                    output.tensor_description.allocation_description.ptr = 0
        write("run_metadata.pb", metadata)
        write("event.pb", tf1.Event(wall_time=1.5, step=7, summary=tf1.Summary.FromString(summary)))

config = tf1.ConfigProto(
    device_count={"CPU": 2, "GPU": 1},
    inter_op_parallelism_threads=3,
    device_filters=["/job:ps", "/job:worker/task:1"],
    allow_soft_placement=True,
    operation_timeout_in_ms=4000,
    isolate_session_state=True,
)
config.graph_options.optimizer_options.opt_level = tf1.OptimizerOptions.L0
config.rpc_options.compression_algorithm = "gzip"
config.experimental.collective_group_leader = "/job:worker/task:0"
config.experimental.disable_optimize_for_static_graph = True
config.experimental.coordination_config.service_leader = "/job:worker/task:0"
cluster = tf1.train.ClusterSpec({"ps": ["h0:2222"], "worker": {1: "h1:2222", 5: "h5:2222"}})
write(
    "server_def.pb",
    tf1.train.ServerDef(cluster=cluster.as_cluster_def(), job_name="worker", task_index=5, protocol="grpc", default_session_config=config),
)
