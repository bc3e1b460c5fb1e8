"""Progress: told to a function, shown in a terminal, shown in a notebook."""

import io
import sys
import types
import unittest
from unittest import mock

from helper import CACHE, tide
from tide import _progress

LONG = "cyclic:pages=1000,rounds=4000"  # 4 million accesses: the library tells every million


class Terminal(io.StringIO):
    def isatty(self):
        return True


class Kernel:
    """What a process that serves a notebook has; tests/python/notebook.py has a real one."""

    def __init__(self):
        self.shown = []
        display = types.ModuleType("IPython.display")
        display.display = self.display
        ipython = types.ModuleType("IPython")
        ipython.get_ipython = lambda: types.SimpleNamespace(kernel=self)
        ipython.display = display
        self.modules = {"IPython": ipython, "IPython.display": display}

    def display(self, what, display_id):
        self.shown.append(what._repr_html_())
        return types.SimpleNamespace(update=lambda what: self.shown.append(what._repr_html_()))


class Shown(unittest.TestCase):
    def setUp(self):
        quick = mock.patch.object(_progress, "_SHOW_AFTER_SECONDS", -1)
        quick.start()
        self.addCleanup(quick.stop)

    def meter(self, progress="auto", jobs=2):
        """Two jobs, of which one is half done."""
        with _progress.Meter("sim", progress, jobs) as meter:
            tell = meter.callback(0)
            if tell:
                tell(None, 50, 100)
            meter.look()
            meter.look()

    def test_terminal(self):
        with mock.patch.object(sys, "stderr", Terminal()) as stderr:
            self.meter()
            self.assertEqual(stderr.getvalue(), "\rsim: 25%\r        \r")

    def test_no_terminal(self):
        with mock.patch.object(sys, "stderr", io.StringIO()) as stderr:
            self.meter()
            self.assertEqual(stderr.getvalue(), "")
            self.meter(True)
            self.assertIn("25%", stderr.getvalue())
        with mock.patch.object(sys, "stderr", Terminal()) as stderr:
            self.meter(False)
            self.assertEqual(stderr.getvalue(), "")
        with mock.patch.object(sys, "stderr", None):
            self.meter()

    def test_notebook(self):
        kernel = Kernel()
        with mock.patch.dict(sys.modules, kernel.modules):
            self.meter()
        self.assertEqual(kernel.shown, ['<progress value="50" max="200"></progress> sim: 25%', ""])

    def test_told(self):
        told = []
        run = tide.sim(workload=LONG, near="50%", progress=lambda done, total: told.append((done, total)), **CACHE)
        self.assertEqual(run.accesses, 4_000_000)
        for done, total in told:
            self.assertTrue(0 < done <= total == 4_000_000)

    def test_iterators(self):
        told = []
        tide.sim(iter(range(100_000)), near="10p", progress=lambda done, total: told.append((done, total)), **CACHE)
        self.assertEqual(told, [(65536, 0), (100_000, 0)])

    def test_wrong(self):
        with self.assertRaisesRegex(ValueError, "give True, False"):
            tide.sim([1], near="1p", chunk="1p", progress="yes")


if __name__ == "__main__":
    unittest.main()
