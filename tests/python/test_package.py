"""The package as a whole: its version, its documentation, its lists."""

import doctest
import inspect
import os
import re
import sys
import typing
import unittest

from helper import SOURCE, cli, rows, tide


def read(*path):
    with open(os.path.join(SOURCE, *path), encoding="utf-8") as file:
        return file.read()


class Package(unittest.TestCase):
    def test_states(self):
        """The tests run with numpy and pandas, and without them: as they were asked to."""
        from helper import np, pandas

        for name in filter(None, os.environ.get("TIDE_TEST_NEEDS", "").split(",")):
            if {"numpy": np, "pandas": pandas}[name] is None:
                self.skipTest(f"{name} is not installed")
        for name in filter(None, os.environ.get("TIDE_TEST_WITHOUT", "").split(",")):
            self.assertIsNone({"numpy": np, "pandas": pandas}.get(name))

    def test_version(self):
        version = re.search('#define TIDE_VERSION "(.*)"', read("include", "tide", "tide.h"))[1]
        self.assertEqual(tide.__version__, version)
        self.assertEqual(tide.library_version(), version)

    def test_docstrings(self):
        for name in tide.__all__:
            found = getattr(tide, name)
            self.assertTrue(found.__doc__, name)
            members = vars(found).items() if inspect.isclass(found) else ()
            for member, value in members:
                if not member.startswith("_") and (inspect.isfunction(value) or isinstance(value, property)):
                    self.assertTrue(value.__doc__, f"{name}.{member}")

    def test_arguments_are_described(self):
        for function in (tide.sim, tide.compare, tide.mrc, tide.advise, tide.read_trace, tide.write_trace):
            for name in inspect.signature(function).parameters:
                self.assertRegex(function.__doc__, rf"\b{name}\b", function.__name__)
        for kind in (tide.InputSettings, tide.CommonSettings, tide.Settings):
            for name in set(kind.__annotations__) - set(tide.CommonSettings.__annotations__ if kind is tide.Settings else ()):
                self.assertRegex(kind.__doc__, rf"\b{name}\b")

    @unittest.skipIf(sys.version_info < (3, 11), "typing has no Unpack")
    def test_hints(self):
        for name in tide.__all__:
            found = getattr(tide, name)
            for function in [found] if inspect.isfunction(found) else []:
                self.assertIn("return", typing.get_type_hints(function), name)
        self.assertTrue(os.path.exists(os.path.join(os.path.dirname(tide.__file__), "py.typed")))

    def test_examples(self):
        for module in (tide._sim, tide._compare, tide._curves, tide._traces):
            result = doctest.testmod(module)
            self.assertEqual(result.failed, 0)
            self.assertGreater(result.attempted, 0)

    def test_document(self):
        """What docs/python.md shows is what happens."""
        text = read("docs", "python.md")
        result = doctest.DocTestParser().get_doctest(text, {}, "docs/python.md", None, 0)
        self.assertGreater(len(result.examples), 5)
        runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
        self.assertEqual(runner.run(result).failed, 0)

    def test_lists(self):
        self.assertEqual([p["name"] for p in rows(tide.policies())], [p["name"] for p in cli("policies")["policies"]])
        wanted = {p["name"]: p for p in cli("policies")["policies"] if p["role"] == "evict"}
        for policy in rows(tide.policies("evict")):
            self.assertEqual(policy["needs"], wanted[policy["name"]]["needs"])
            self.assertEqual(
                [p["name"] for p in policy["params"]], [p["name"] for p in wanted[policy["name"]]["params"]]
            )
        with self.assertRaises(ValueError):
            tide.policies("evictor")
        self.assertIn("zipf", [w["name"] for w in rows(tide.workloads())])
        self.assertIn("h200", [m["name"] for m in rows(tide.models())])

    def test_files_are_small(self):
        folder = os.path.dirname(tide.__file__)
        for name in os.listdir(folder):
            if name.endswith(".py"):
                self.assertLess(read("python", "tide", name).count("\n"), 350, name)


if __name__ == "__main__":
    unittest.main()
