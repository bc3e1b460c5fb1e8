"""Comparisons and advice are those of the command line."""

import os
import unittest

from helper import CACHE, Folder, cli, numbers, rows, tide

PAGES = numbers(20_000, 2000)


class Compare(Folder):
    def setUp(self):
        super().setUp()
        self.trace = self.path("a.tide")
        tide.write_trace(self.trace, tide.Accesses(PAGES, bytes=[100 + p for p in PAGES]))

    def check(self, words, **settings):
        wanted = cli("compare", "--trace", self.trace, "--near", "25%", *words)["runs"]
        for source in (tide.read_trace(self.trace), None):
            runs = tide.compare(source, near="25%", **settings, **({} if source else {"trace": self.trace}))
            key = [(run.config["evict"], run.config["prefetch"], run.config["place"], run.counts) for run in runs]
            self.assertEqual(
                key,
                [(w["config"]["evict"], w["config"]["prefetch"], w["config"]["place"], w["counts"]) for w in wanted],
            )

    def test_defaults(self):
        self.check([])
        self.check(["--chunk", "1p"], chunk="1p")
        self.check(["--chunk", "4096", "--page", "4K", "--prefetch", "none"], chunk=4096, page="4K", prefetch="none")
        self.check(["--objects"], objects=True)
        self.check(["--model", "h200"], model="h200")
        self.check(["--preset", "cache"], preset="cache")
        self.check(["--preset", "block", "--policies", "lru+tree"], preset="block", policies="lru+tree")
        self.check(["--preset", "cache", "--place", "bam", "--host", "20%"], preset="cache", place="bam", host="20%")
        self.check(["--place", "reuse", "--place", "bam", "--host", "20%"], place=["reuse", "bam"], host="20%")
        self.check(["--place", "reuse", "--host", "20%", "--flush"], place="reuse", host="20%", flush=True)

    def test_combinations(self):
        self.check(["--policies", "lrm+tree"], policies="lrm+tree")
        self.check(
            ["--evict", "lru", "--evict", "mhpe", "--prefetch", "none", "--prefetch", "pattern", "--policies", "lrm+tree"],
            evict=["lru", "mhpe"],
            prefetch=["none", "pattern"],
            policies=["lrm+tree"],
        )

    def test_best(self):
        runs = tide.compare(PAGES, near="25%", **CACHE, jobs=2)
        self.assertEqual(runs.best.config["evict"], "opt")
        table = rows(runs.table())
        self.assertEqual([row["evict"] for row in table if row["x_best"] == 1], ["opt"])
        self.assertEqual(len(table), 8)
        self.assertEqual(table[0]["faults"], runs[0].faults)

    def test_failures(self):
        with self.assertRaisesRegex(tide.TideError, "arc[+]tree: .*one page"):
            tide.compare(PAGES, near="25%", evict=["lru", "arc"])
        with self.assertRaisesRegex(ValueError, "gpu, cache, block"):
            tide.compare(PAGES, near="25%", preset="disk")
        with self.assertRaises(ValueError):
            tide.compare(PAGES, near="25%", policies="lru")
        with self.assertRaises(ValueError):
            tide.compare(PAGES, near="25%", policies="lru+none", place="reuse", host="1p")


class Advise(Folder):
    def test_same(self):
        trace = self.path("a.tide")
        tide.write_trace(trace, PAGES)
        options = ["--near", "10%", "--candidate", "arc", "--candidate", "lfu"]
        wanted = cli("advise", trace, *options)["inputs"][0]
        for source in ({"accesses": PAGES}, {"accesses": iter(PAGES)}, {"trace": trace}):
            advice = tide.advise(**source, near="10%", candidates=["arc", "lfu"])
            self.assertEqual(advice.advice, wanted["advice"])
            self.assertEqual(advice.curve, wanted["curve"])
            self.assertEqual({row["policy"] for row in rows(advice.table())}, {row["policy"] for row in wanted["policies"]})
        self.assertEqual(advice.verdict, wanted["advice"]["verdict"])

    def test_applications(self):
        """The program has workloads that the library has not."""
        self.assertTrue(tide.advise(workload="srd:scale=0.01", candidates="fifo").verdict)
        with self.assertRaises(tide.TideError):
            tide.generate("srd")

    def test_nothing_is_left(self):
        before = os.environ.get("TMPDIR")
        self.addCleanup(lambda: os.environ.update(TMPDIR=before) if before else os.environ.pop("TMPDIR"))
        os.environ["TMPDIR"] = self.folder
        import tempfile

        tempfile.tempdir = None
        self.addCleanup(setattr, tempfile, "tempdir", None)
        tide.advise(PAGES, near="10%", candidates="fifo")
        self.assertEqual(os.listdir(self.folder), [])

    def test_errors(self):
        with self.assertRaisesRegex(tide.TideError, "^nope: no evict policy nope"):
            tide.advise(PAGES, candidates="nope")
        with self.assertRaisesRegex(TypeError, "use compare"):
            tide.advise(PAGES, candidates=[tide.Policy])
        with self.assertRaisesRegex(TypeError, "no input"):
            tide.advise()
        before = os.environ.get("TIDE_PROGRAM")
        self.addCleanup(lambda: os.environ.update(TIDE_PROGRAM=before) if before else os.environ.pop("TIDE_PROGRAM"))
        os.environ["TIDE_PROGRAM"] = self.path("tide")
        with self.assertRaisesRegex(tide.TideError, "set TIDE_PROGRAM"):
            tide.advise(PAGES)


if __name__ == "__main__":
    unittest.main()
