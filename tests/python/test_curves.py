"""Curves are those of the command line."""

import unittest

from helper import Folder, cli, numbers, rows, tide

N = 20_000
PAGES = numbers(N, 2000)


def rounded(rows, *keys):
    """JSON has 15 digits."""
    return [
        {k: round(v, 12) if isinstance(v, float) else v for k, v in row.items() if not keys or k in keys} for row in rows
    ]


class Curves(Folder):
    def setUp(self):
        super().setUp()
        self.trace = self.path("a.tide")
        accesses = tide.Accesses(PAGES, bytes=[100 + p for p in PAGES], first=[i % 10 == 0 for i in range(N)])
        tide.write_trace(self.trace, accesses)
        self.accesses = accesses

    def check(self, words, **settings):
        wanted = cli("mrc", "--trace", self.trace, *words)
        for source in ({"accesses": self.accesses}, {"trace": self.trace}):
            curves = tide.mrc(**source, **settings)
            self.assertEqual([c.policy for c in curves], [w["policy"] for w in wanted["curves"]])
            self.assertEqual([rounded(c.points) for c in curves], [rounded(w["curve"]) for w in wanted["curves"]])
            for key in ("samples", "sample_share", "estimated_error", "method"):
                self.assertEqual(rounded([vars(c) for c in curves], key), rounded(wanted["curves"], key))
            self.assertEqual(curves[0].footprint_pages, wanted["input"]["footprint_pages"])
        return curves

    def test_same(self):
        curves = self.check([])
        self.assertEqual(len(curves[0].points), 50)
        self.assertIn("prefix_hits", curves[0].points[0])
        policies = ("lru", "opt", "arc", "vmin")
        words = [word for policy in policies for word in ("--policy", policy)]
        self.check([*words, "--sizes", "5"], evict=policies, near=5)
        self.check(["--sizes", "1%,5%,100p,1M"], near=["1%", "5%", "100p", "1M"])
        self.check(["--preset", "gpu", "--near", "1M"], preset="gpu", near="1M")
        self.check(["--sizes", "4", "--sample", "0.5", "--policy", "fifo"], sizes=4, sample=0.5, evict="fifo")
        self.check(["--sizes", "3", "--objects", "--policy", "gdsf"], sizes=3, objects=True, evict="gdsf")
        self.check(["--sizes", "3", "--exact", "--seed", "4", "--policy", "random"], sizes=3, sample=None, seed=4, evict="random")

    def test_tables(self):
        curves = tide.mrc(iter(PAGES), evict=["lru", "opt"], sizes=4)
        table = rows(curves.table())
        self.assertEqual([row["policy"] for row in table], ["lru"] * 4 + ["opt"] * 4)
        self.assertEqual(table[3]["misses"], len(set(PAGES)))
        self.assertEqual(len(rows(curves[1].table())), 4)

    def test_errors(self):
        with self.assertRaisesRegex(tide.TideError, "^nope: no evict policy nope"):
            tide.mrc(PAGES, evict=["lru", "nope"])
        with self.assertRaisesRegex(tide.TideError, "^no evict policy nope"):
            tide.mrc(PAGES, evict="nope")
        with self.assertRaisesRegex(TypeError, "for each size"):
            tide.mrc(PAGES, evict=tide.Policy)
        with self.assertRaises(tide.TideError):
            tide.mrc(PAGES, sizes="nothing")
        with self.assertRaisesRegex(ValueError, "a number of sizes"):
            tide.mrc(PAGES, sizes=[100])
        with self.assertRaisesRegex(ValueError, "threads"):
            tide.mrc(PAGES, threads=-1)
        with self.assertRaises(TypeError):
            tide.mrc(PAGES, trace=self.trace)


if __name__ == "__main__":
    unittest.main()
