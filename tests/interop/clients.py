"""Client processes: each runs the programs that it is told to, one after the other, and answers with a JSON line.

One process lives for the whole run, because importing TensorFlow takes seconds.
"""
import json
import os
import subprocess
import sys
import threading

HERE = os.path.dirname(os.path.abspath(__file__))


class Clients:
    """n processes of this file."""

    def __init__(self, n, log_dir):
        self.processes = []
        for k in range(n):
            with open(os.path.join(log_dir, "client_%d.log" % k), "ab") as log:
                self.processes.append(subprocess.Popen(
                    [sys.executable, os.path.join(HERE, "clients.py")], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                    stderr=log, text=True))
        for p in self.processes:  # importing TensorFlow may take a minute on a busy machine, which is no test's concern
            if p.stdout.readline() != "ready\n":
                raise RuntimeError("a client process did not start; see client_*.log")

    def alive(self):
        return all(p.poll() is None for p in self.processes)

    def run(self, program, **arguments):
        """Runs a program in every process at once, with task=0, 1, …; their results, or an error of the first that failed."""
        results = [None] * len(self.processes)

        def one(k):
            p = self.processes[k]
            try:
                p.stdin.write(json.dumps(dict(arguments, program=program, task=k)) + "\n")
                p.stdin.flush()
                results[k] = json.loads(p.stdout.readline())
            except (OSError, ValueError) as e:
                results[k] = {"error": "the client process failed: %r" % e}

        threads = [threading.Thread(target=one, args=(k,)) for k in range(len(self.processes))]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        for k, r in enumerate(results):
            if "error" in r:
                raise AssertionError("client %d: %s" % (k, r["error"]))
        return results

    def stop(self):
        for p in self.processes:
            p.kill()
            p.wait()


def serve():
    """Reads requests from standard input until it ends."""
    import traceback

    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a program prints goes to the log
    import programs

    answers.write("ready\n")
    answers.flush()
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = getattr(programs, request.pop("program"))(**request)
        except Exception:  # noqa: BLE001
            answer = {"error": traceback.format_exc()}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


if __name__ == "__main__":
    serve()
