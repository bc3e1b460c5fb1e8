"""Ctrl-C ends what runs. The inputs have no end: a test that fails does not return."""

import os
import signal
import threading
import unittest

from helper import CACHE, numbers, tide
from test_policy import Fifo

ENDLESS = "zipf:pages=1000,accesses=1000000000000"


def interrupt(*_):
    os.kill(os.getpid(), signal.SIGINT)


class CtrlC(unittest.TestCase):
    def setUp(self):
        # A test run in the background ignores it.
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        self.addCleanup(signal.signal, signal.SIGINT, before)
        self.addCleanup(lambda: self.assertEqual(threading.active_count(), self.threads))
        self.threads = threading.active_count()

    def ends(self, function, *arguments, **settings):
        with self.assertRaises(KeyboardInterrupt):
            function(*arguments, **settings)

    def test_runs(self):
        self.ends(tide.sim, workload=ENDLESS, near="100p", evict="lru", progress=interrupt, **CACHE)
        self.ends(tide.compare, workload=ENDLESS, near="100p", jobs=2, progress=interrupt, **CACHE)
        self.ends(tide.sim, workload=ENDLESS, near="100p", model="h200", progress=interrupt)

    def test_curves(self):
        self.ends(tide.mrc, workload=ENDLESS, progress=interrupt)

    def test_pushes(self):
        def pages():
            n = 0
            while True:
                yield n % 1000
                n += 1
                if n == 200_000:
                    interrupt()

        self.ends(tide.sim, pages(), near="100p", **CACHE)

    def test_policies(self):
        """Also one that does not return."""

        class Slow(Fifo):
            def pick_victim(self):
                interrupt()
                return super().pick_victim()

        class Loops(Fifo):
            def pick_victim(self):
                interrupt()
                while True:
                    pass

        self.ends(tide.sim, workload=ENDLESS, near="100p", evict=Slow, **CACHE)
        self.ends(tide.sim, workload=ENDLESS, near="100p", evict=Loops, **CACHE)

    def test_after(self):
        """The next run is not stopped."""
        self.test_curves()
        self.assertEqual(tide.sim(numbers(1000, 50), near="10p", **CACHE).accesses, 1000)


class Failing(unittest.TestCase):
    def test_progress(self):
        def fail(done, total):
            raise LookupError("mine")

        with self.assertRaisesRegex(LookupError, "mine"):
            tide.sim(workload=ENDLESS, near="100p", progress=fail, **CACHE)

    def test_other_runs_end(self):
        """One run fails, and the endless ones beside it end."""

        class Bad(Fifo):
            def pick_victim(self):
                raise LookupError("mine")

        with self.assertRaisesRegex(LookupError, "mine"):
            tide.compare(workload=ENDLESS, near="100p", evict=["lru", Bad], jobs=2, **CACHE)


if __name__ == "__main__":
    unittest.main()
