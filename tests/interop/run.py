#!/usr/bin/env python3
"""Runs stock TensorFlow clients against ferroflow's servers, or against TensorFlow's own (the tests' own check).

    run.py --server target/debug/ferroflow [TEST …]      (default: $FERROFLOW_BIN)
    run.py --impl tf [TEST …]
    run.py --list

TEST: a test's name, or a part of it. Last line: "N passed, N failed".
"""
import argparse
import os
import shutil
import signal
import sys
import tempfile
import threading
import time
import traceback

import suite
from clients import Clients
from servers import Cluster

import cases_callables  # noqa: F401  (importing a module declares its tests)
import cases_clusters  # noqa: F401
import cases_control_flow  # noqa: F401
import cases_data  # noqa: F401
import cases_errors  # noqa: F401
import cases_faults  # noqa: F401
import cases_feeds  # noqa: F401
import cases_files  # noqa: F401
import cases_functions  # noqa: F401
import cases_hooks  # noqa: F401
import cases_input  # noqa: F401
import cases_load  # noqa: F401
import cases_mixed  # noqa: F401
import cases_mixed_models  # noqa: F401
import cases_parallel  # noqa: F401
import cases_pipelines  # noqa: F401
import cases_savers  # noqa: F401
import cases_serve  # noqa: F401
import cases_session  # noqa: F401
import cases_training  # noqa: F401


class Context:
    """What a test gets: servers, client processes and an empty folder."""

    def __init__(self, impl, binary, folder):
        self.impl, self.binary, self.folder = impl, binary, folder
        self._shared, self._fresh, self._clients = None, [], None

    def cluster(self):
        """The cluster (2 ps, 2 workers) that all well-behaved tests share, its state reset."""
        if self._shared is None or self._shared.dead():
            if self._shared:
                self._shared.stop()
            self._shared = Cluster(self.impl, self.binary, self.logs(), suite.JOBS)
        suite.tf.Session.reset(self._shared.target())
        return self._shared

    def new_cluster(self, jobs=None, impls=None):
        """A cluster for this test alone, stopped after it."""
        self._fresh.append(Cluster(self.impl, self.binary, self.logs(), jobs or suite.JOBS, impls))
        return self._fresh[-1]

    def clients(self):
        """Two further client processes."""
        if self._clients is None or not self._clients.alive():
            self._clients = Clients(2, self.logs())
        return self._clients

    def logs(self):
        path = os.path.join(self.folder, "logs")
        os.makedirs(path, exist_ok=True)
        return path

    def temp(self):
        return tempfile.mkdtemp(dir=self.folder)

    def end_of_test(self):
        """Stops the test's own servers; what has died of the shared ones."""
        for c in self._fresh:
            c.stop()
        self._fresh = []
        return self._shared.dead() if self._shared else []

    def stop(self):
        self.end_of_test()
        for thing in (self._shared, self._clients):
            if thing:
                thing.stop()


def run_one(test, context):
    """None, or what went wrong. A test that does not end in time is left behind in its thread."""
    outcome = ["not finished after %d s" % test.limit]

    def body():
        try:
            test(context)
            outcome[0] = None
        except Exception:  # noqa: BLE001  (any failure of a test is its outcome)
            outcome[0] = traceback.format_exc()[-3000:]

    thread = threading.Thread(target=body, daemon=True)
    thread.start()
    thread.join(test.limit)
    frame = sys._current_frames().get(thread.ident) if thread.is_alive() else None
    if frame:
        outcome[0] += ", in\n" + "".join(traceback.format_stack(frame))[-3000:]
    dead = context.end_of_test()
    if dead:
        tails = "\n".join(context._shared.log(*key) for key in dead)
        return "%sservers of %s died:\n%s" % (outcome[0] + "\n" if outcome[0] else "", dead, tails)
    return outcome[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tests", nargs="*")
    parser.add_argument("--impl", choices=["ferroflow", "tf"], default="ferroflow")
    parser.add_argument("--server", default=os.environ.get("FERROFLOW_BIN"), help="ferroflow's binary")
    parser.add_argument("--list", action="store_true")
    args = parser.parse_args()
    chosen = [t for t in suite.TESTS if not args.tests or any(name in t.__name__ for name in args.tests)]
    if args.list:
        print("\n".join("%s%s" % (t.__name__, " (%s only)" % t.only if t.only else "") for t in chosen))
        return 0
    if args.impl == "ferroflow" and not (args.server and os.access(args.server, os.X_OK)):
        parser.error("--server or FERROFLOW_BIN must name ferroflow's binary, not %r" % args.server)
    binary = os.path.abspath(args.server) if args.server else None
    chosen = [t for t in chosen if t.only in (None, args.impl)]
    folder = tempfile.mkdtemp(prefix="interop_")
    context = Context(args.impl, binary, folder)
    failures, begin = [], time.monotonic()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the servers are stopped then, too
    try:
        for test in chosen:
            start = time.monotonic()
            problem = run_one(test, context)
            line = "%-74s %-4s %6.1f s" % (test.__name__, "FAIL" if problem else "ok", time.monotonic() - start)
            if problem:
                line += "\n    " + problem.strip().replace("\n", "\n    ")
                failures.append(line)
            print(line, flush=True)
    finally:
        context.stop()
    if failures:  # once more, where the end of a long log shows them
        print("\nFailed:\n" + "\n".join(failures))
    print("%.0f s%s" % (time.monotonic() - begin, "; server logs in %s" % context.logs() if failures else ""))
    if not failures:
        shutil.rmtree(folder, ignore_errors=True)
    print("%d passed, %d failed" % (len(chosen) - len(failures), len(failures)), flush=True)
    return 1 if failures else 0


if __name__ == "__main__":
    try:
        code = main()
    except SystemExit as e:
        code = e.code
    sys.stdout.flush()
    os._exit(code)  # threads of tests that hang must not keep the process
