"""Starts and stops the servers of a cluster, one process a task, on free loopback ports. Needs no TensorFlow."""
import json
import os
import random
import signal
import socket
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))


def free_ports(n):
    """n distinct ports that nobody listens on, below those that systems give to outgoing connections: one of these could take a
    port between now and the start of its server, or while the server is down."""
    ports = []
    while len(ports) < n:
        port = random.randrange(15000, 32000)
        with socket.socket() as s:
            try:
                s.bind(("127.0.0.1", port))
            except OSError:
                continue
        if port not in ports:
            ports.append(port)
    return ports


def command(impl, binary, cluster, job, task):
    """The command line of one task's server."""
    where = ["--cluster", json.dumps(cluster), "--job", job, "--task", str(task)]
    if impl == "tf":
        return [sys.executable, os.path.join(HERE, "tf_server.py")] + where
    return [binary, "serve"] + where


class Cluster:
    """The running servers of a cluster. `impls` gives the implementation of each job, where they differ."""

    def __init__(self, impl, binary, log_dir, jobs, impls=None):
        ports = iter(free_ports(sum(jobs.values())))
        self.spec = {job: ["127.0.0.1:%d" % next(ports) for _ in range(n)] for job, n in jobs.items()}
        self.impl, self.binary, self.log_dir, self.impls = impl, binary, log_dir, impls or {}
        self.processes = {}
        for job, n in jobs.items():
            for task in range(n):
                self.start(job, task, wait=False)
        for job, task in list(self.processes):
            self.wait_until_listening(job, task)

    def start(self, job, task, wait=True):
        """Start (again) the server of a task."""
        log = os.path.join(self.log_dir, "%s_%d_%s.log" % (job, task, self.port(job, task)))
        with open(log, "ab") as f:
            self.processes[job, task] = subprocess.Popen(
                command(self.impls.get(job, self.impl), self.binary, self.spec, job, task),
                stdin=subprocess.DEVNULL, stdout=f, stderr=subprocess.STDOUT, start_new_session=True)
        if wait:
            self.wait_until_listening(job, task)

    def wait_until_listening(self, job, task, limit=90):
        """Returns when the task's port takes connections; raises if its process ends or the limit passes."""
        end = time.monotonic() + limit
        while time.monotonic() < end:
            if self.processes[job, task].poll() is not None:
                raise RuntimeError("the server of %s:%d ended:\n%s" % (job, task, self.log(job, task)))
            try:
                socket.create_connection(("127.0.0.1", self.port(job, task)), 1).close()
                return
            except OSError:
                time.sleep(0.02)
        raise RuntimeError("%s:%d does not listen" % (job, task))

    def port(self, job, task):
        return int(self.spec[job][task].rsplit(":", 1)[1])

    def target(self, job="worker", task=0):
        return "grpc://" + self.spec[job][task]

    def kill(self, job, task):
        """SIGKILL, and wait until the process is gone."""
        self.signal(job, task, signal.SIGKILL)
        self.processes[job, task].wait()

    def signal(self, job, task, number):
        self.processes[job, task].send_signal(number)

    def rss(self, job, task):
        """Resident memory of a server, bytes."""
        with open("/proc/%d/status" % self.processes[job, task].pid) as f:
            return next(int(line.split()[1]) * 1024 for line in f if line.startswith("VmRSS:"))

    def dead(self):
        """The tasks whose process has ended."""
        return [key for key, p in self.processes.items() if p.poll() is not None]

    def log(self, job, task, size=1500):
        path = os.path.join(self.log_dir, "%s_%d_%s.log" % (job, task, self.port(job, task)))
        with open(path, "rb") as f:
            return f.read().decode("utf-8", "replace")[-size:]

    def stop(self):
        for p in self.processes.values():
            if p.poll() is None:
                p.terminate()
        end = time.monotonic() + 5
        for p in self.processes.values():
            try:
                p.wait(max(0.1, end - time.monotonic()))
            except subprocess.TimeoutExpired:
                p.kill()
                p.wait()
