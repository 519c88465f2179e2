"""The command `ferroflow serve`: how it is told its cluster, how it ends, what it says when it cannot start."""
import json
import os
import signal
import socket
import subprocess
import time

from servers import free_ports
from suite import graph_and_session, holds, same, test, tf


def start(t, arguments, env=None):
    log = os.path.join(t.temp(), "serve.log")
    with open(log, "wb") as f:
        process = subprocess.Popen([t.binary, "serve"] + arguments, stdin=subprocess.DEVNULL, stdout=f, stderr=subprocess.STDOUT,
                                   env=dict(os.environ, **(env or {})))
    return process, log


def use_and_stop(process, address, number):
    """A step on the server, then the signal: it ends within 5 s, cleanly."""
    try:
        with graph_and_session("grpc://" + address) as (_, session):
            y = tf.constant(1.0) + 1.0
            # Closed before the server goes: a client waits for ever for a server that it wants to tell of its end.
            with session() as s:
                same(s.run(y), 2.0)
            begin = time.monotonic()
            process.send_signal(number)
            same(process.wait(5), 0, "the exit code after %s" % number)
            holds(time.monotonic() - begin < 5, "it ended in time")
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()


@test(only="ferroflow")
def serve_takes_every_form_of_a_cluster_and_ends_on_a_signal(t):
    for k, number in enumerate([signal.SIGTERM, signal.SIGINT, signal.SIGTERM, signal.SIGTERM, signal.SIGINT]):
        address = "127.0.0.1:%d" % free_ports(1)[0]
        cluster = {"worker": [address]}
        path = os.path.join(t.temp(), "cluster")
        env = None
        if k == 0:
            arguments = ["--cluster", json.dumps(cluster), "--job", "worker", "--task", "0"]
        elif k == 1:
            arguments = ["--cluster", "worker|" + address, "--job", "worker", "--task", "0"]
        elif k == 2:
            path += ".json"
            with open(path, "w") as f:
                json.dump(cluster, f)
            arguments = ["--cluster", path, "--job", "worker", "--task", "0"]
        elif k == 3:
            path += ".toml"
            with open(path, "w") as f:
                f.write('worker = ["%s"]\n' % address)
            arguments = ["--cluster", path, "--job", "worker", "--task", "0"]
        else:
            arguments = []
            env = {"TF_CONFIG": json.dumps({"cluster": cluster, "task": {"type": "worker", "index": 0}})}
        process, _ = start(t, arguments, env)
        use_and_stop(process, address, number)


@test(only="ferroflow")
def serve_says_what_is_wrong_with_its_arguments(t):
    address = "127.0.0.1:%d" % free_ports(1)[0]
    cluster = json.dumps({"worker": [address]})
    for arguments, word in ((["--cluster", cluster, "--job", "ps", "--task", "0"], "ps"),
                            (["--cluster", cluster, "--job", "worker", "--task", "3"], "3"),
                            (["--cluster", "{damaged", "--job", "worker", "--task", "0"], "cluster"),
                            (["--cluster", json.dumps({"ps": [address], "worker": [address]}), "--job", "ps", "--task", "0"], "already"),
                            (["--cluster", cluster, "--job", "worker", "--task", "-1"], "-1"),
                            (["--cluster", cluster, "--job", "worker", "--task", "0", "--threads", "0"], "1..=1024"),
                            (["--cluster", cluster, "--job", "worker", "--task", "0", "--wait-limit", "nan"], "seconds")):
        process, log = start(t, arguments)
        holds(process.wait(10) != 0, "it is refused: %s" % arguments)
        with open(log) as f:
            text = f.read()
        holds(word in text and "panicked" not in text, "it says why: %s" % text)


@test(only="ferroflow")
def serve_says_that_its_port_is_taken(t):
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        s.listen()
        port = s.getsockname()[1]
        process, log = start(t, ["--cluster", json.dumps({"worker": ["127.0.0.1:%d" % port]}), "--job", "worker", "--task", "0"])
        holds(process.wait(10) != 0, "it does not start")
    with open(log) as f:
        text = f.read()
    holds(str(port) in text and "in use" in text and "panicked" not in text, "it says why: %s" % text)
