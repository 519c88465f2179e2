"""Records `stock_client.rec`: the bytes that a stock client and a TensorFlow server exchange over one TCP connection.

`pip install tensorflow-cpu==2.21.0`, then: python record.py

The file is a row of parts: 'c' (client) or 's' (server), the length in 4 bytes, little-endian, and the bytes as they passed.
"""

import os
import socket
import struct
import threading

os.environ["CUDA_VISIBLE_DEVICES"] = ""
import numpy as np
import tensorflow as tf

tf1 = tf.compat.v1
tf1.disable_v2_behavior()
HERE = os.path.dirname(os.path.abspath(__file__))
parts = []
lock = threading.Lock()


def pump(source, sink, who):
    while data := source.recv(1 << 16):
        with lock:
            parts.append(who + struct.pack("<I", len(data)) + data)
        sink.sendall(data)
    sink.shutdown(socket.SHUT_WR)


def between(server_port):
    """A port whose connections are passed on to the server, and recorded."""
    listener = socket.create_server(("127.0.0.1", 0))

    def accept():
        while True:
            client, _ = listener.accept()
            server = socket.create_connection(("127.0.0.1", server_port))
            threading.Thread(target=pump, args=(client, server, b"c"), daemon=True).start()
            threading.Thread(target=pump, args=(server, client, b"s"), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    return listener.getsockname()[1]


def program(target):
    x = tf1.placeholder(tf.float32, [None, 2], name="x")
    w = tf1.get_variable("w", [2, 2], initializer=tf1.constant_initializer([[1.0, 2.0], [3.0, 4.0]]), use_resource=False)
    r = tf1.get_variable("r", [], initializer=tf1.zeros_initializer(), use_resource=True)
    y = tf.matmul(x, w, name="y")
    grow = tf1.assign_add(w, tf.ones([2, 2]), name="grow")
    loop = tf1.while_loop(lambda i, s: i < 5, lambda i, s: (i + 1, s * 2.0), [tf.constant(0), r + 1.0], name="loop")
    words = tf1.strings.join([tf.constant(["a", "b"]), tf.constant(["c", "d"])], name="words")
    halves = tf1.placeholder(tf.float32, [], name="first")
    second = tf1.placeholder(tf.float32, [], name="second")
    sum_of_halves = tf.add(halves, second, name="sum_of_halves")
    queue = tf1.FIFOQueue(4, [tf.int64], shapes=[[]], name="queue")
    put, get = queue.enqueue_many(tf.constant([7, 8], tf.int64)), queue.dequeue(name="get")
    with tf1.Session(target) as session:
        session.run(tf1.global_variables_initializer())
        session.run(y, {x: np.array([[1, 1]], np.float32)})
        session.run([grow, r, words])
        session.run(loop)
        # A second RunStep with the same key, a graph that grew in between, and one that fails.
        later = tf.add(y, 1.0, name="later")
        session.run(later, {x: np.eye(2, dtype=np.float32)})
        session.run(y, {x: np.eye(2, dtype=np.float32)})
        session.run(put)
        session.run(get)
        try:
            session.run(y, {x: np.ones([1, 2], np.float32), "second:0": np.float32(1)})
            session.run(tf1.check_numerics(tf.constant(1.0) / r, "not finite"))
        except tf.errors.InvalidArgumentError:
            pass
        handle = session.partial_run_setup([sum_of_halves, y], [halves, second, x])
        session.partial_run(handle, y, {x: np.ones([1, 2], np.float32)})
        session.partial_run(handle, sum_of_halves, {halves: 1.0, second: 2.0})
        call = session.make_callable(y, [x])
        call(np.zeros([1, 2], np.float32))


if __name__ == "__main__":
    server = tf1.train.Server.create_local_server()
    program("grpc://127.0.0.1:%d" % between(int(server.target.rsplit(":", 1)[1])))
    with lock, open(os.path.join(HERE, "stock_client.rec"), "wb") as file:
        file.write(b"".join(parts))
    os._exit(0)
