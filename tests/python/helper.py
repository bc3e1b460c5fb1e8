"""What the tests share. Import it first: it takes away the modules that TIDE_TEST_WITHOUT names."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(SOURCE, "python"))
for name in filter(None, os.environ.get("TIDE_TEST_WITHOUT", "").split(",")):
    sys.modules[name] = None  # an import fails, as where it is not installed

import tide  # noqa: E402
from tide._library import program  # noqa: E402
from tide._tables import optional  # noqa: E402

np = optional("numpy")
pandas = optional("pandas")
CACHE = {"chunk": "1p", "prefetch": "none"}


def cli(*words):
    """The JSON document of a command line."""
    done = subprocess.run([program(), *words, "--json"], capture_output=True, check=False)
    if done.returncode:
        raise AssertionError(done.stderr.decode())
    return json.loads(done.stdout)


def numbers(n, below, seed=1):
    """Numbers that look random, and are the same everywhere."""
    found, x = [], seed
    for _ in range(n):
        x = x * 6364136223846793005 + 1442695040888963407 & (1 << 64) - 1
        found.append((x >> 33) * (x >> 33) % (below * below) // below)  # some more often than others
    return found


def rows(table):
    """A table as a list of dicts, whatever it is."""
    return table if isinstance(table, list) else table.to_dict("records")


class Folder(unittest.TestCase):
    """A test with a temporary folder."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="tide-test-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)
