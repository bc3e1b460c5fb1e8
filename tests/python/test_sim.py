"""Runs on arrays have the counts of the command line."""

import gc
import os
import unittest

from helper import CACHE, Folder, cli, np, numbers, tide

N = 20_000
ACCESSES = tide.Accesses(
    numbers(N, 2000),
    stream=[i % 4 for i in range(N)],
    write=[i % 5 == 0 for i in range(N)],
    first=[i % 10 == 0 for i in range(N)],
    bytes=[100 + p for p in numbers(N, 2000)],
)

# settings, as the command line writes them
SAME = [
    {},
    {"evict": "lru", "prefetch": "none"},
    {"evict": "mhpe", "prefetch": "pattern"},
    {**CACHE, "evict": "opt"},
    {**CACHE, "evict": "arc"},
    {**CACHE, "evict": "random", "seed": "7"},
    {**CACHE, "evict": "s3fifo"},
    {"place": "reuse", "host": "20%"},
    {"evict": "lru", "model": "h200"},
    {"split": "stream", **CACHE, "evict": "lru"},
    {"page": "8K", "chunk": "32K", "evict": "clock"},
    {"preset": "gpu"},
    {"preset": "cache", "evict": "arc"},
    {"preset": "block"},
    {"preset": "cache", "chunk": "8K", "prefetch": "tree"},
]


def words(settings):
    return [word for name, value in settings.items() for word in ("--" + name, value)]


class Same(Folder):
    def setUp(self):
        super().setUp()
        self.trace = self.path("a.tide")
        tide.write_trace(self.trace, ACCESSES)

    def test_counts(self):
        for settings in SAME:
            with self.subTest(settings):
                wanted = cli("sim", "--trace", self.trace, "--near", "25%", *words(settings))
                for source in ({"accesses": ACCESSES}, {"trace": self.trace}):
                    run = tide.sim(near="25%", **source, **settings)
                    self.assertEqual(run.counts, wanted["counts"])
                    self.assertEqual(run.document["record"], wanted["record"])
                    self.assertEqual(run.time_ns, wanted["time"]["simulated_ns"])
                    self.assertEqual(list(run.document), list(wanted))

    def test_objects(self):
        wanted = cli("sim", "--trace", self.trace, "--near", "25%", "--objects", "--evict", "gdsf")
        run = tide.sim(ACCESSES, near="25%", objects=True, evict="gdsf")
        self.assertEqual(run.counts, wanted["counts"])
        self.assertGreater(run.hit_bytes, 0)

    def test_workloads(self):
        wanted = cli("sim", "--workload", "scanhot:accesses=30000", "--near", "1M", "--seed", "3", "--functional")
        self.assertEqual(tide.sim(workload="scanhot:accesses=30000", near=1 << 20, seed=3).counts, wanted["counts"])

    def test_log(self):
        log = self.path("log")
        cli("sim", "--trace", self.trace, "--near", "25%", "--log", log)
        with open(log, encoding="ascii") as file:
            wanted = file.read()
        tide.sim(ACCESSES, near="25%", log=log)
        with open(log, encoding="ascii") as file:
            self.assertEqual(file.read(), wanted)


class Iterators(unittest.TestCase):
    def test_same_counts(self):
        """Pushed or collected: the counts do not tell."""
        pages = numbers(150_000, 3000)
        for settings in ({**CACHE, "evict": "lru"}, {**CACHE, "evict": "opt"}, {"evict": "lru"}, {}):
            for near in ("500p", "25%"):
                wanted = tide.sim(pages, near=near, **settings).counts
                self.assertEqual(tide.sim(iter(pages), near=near, **settings).counts, wanted)
                parts = (pages[i : i + 7000] for i in range(0, len(pages), 7000))
                self.assertEqual(tide.sim(parts, near=near, **settings).counts, wanted)

    def test_pushed_are_not_kept(self):
        taken = []

        def pages():
            for i in range(300_000):
                if i % 100_000 == 0:
                    taken.append(simulated.counts["accesses"])
                yield i % 50

        with tide.Simulator(near="20p", **CACHE) as simulated:
            simulated.push(pages())
            self.assertEqual(simulated.counts["accesses"], 300_000)
        self.assertEqual(taken[0], 0)
        self.assertGreaterEqual(taken[2], 131_072)

    def test_exceptions(self):
        def pages():
            yield 1
            raise LookupError("mine")

        with self.assertRaisesRegex(LookupError, "mine"):
            tide.sim(pages(), near="2p", **CACHE)
        with self.assertRaisesRegex(LookupError, "mine"):
            tide.sim(pages(), near="50%")


class Pushes(unittest.TestCase):
    def test_life(self):
        simulator = tide.Simulator(near="100p", evict="lru", **CACHE)
        for i in range(0, N, 3000):
            simulator.push(ACCESSES[i : i + 3000])
        self.assertEqual(simulator.counts, tide.sim(ACCESSES, near="100p", evict="lru", **CACHE).counts)
        simulator.push([])
        simulator.close()
        simulator.close()
        with self.assertRaisesRegex(tide.TideError, "closed"):
            simulator.push([1])
        with self.assertRaisesRegex(tide.TideError, "closed"):
            simulator.result()

    def test_forgotten(self):
        for _ in range(50):
            tide.Simulator(near="100p").push([1, 2, 3])
        gc.collect()

    def test_refused(self):
        for near, settings in (("10%", {}), ("10p", {**CACHE, "evict": "opt"}), ("10p", {"model": "h200"})):
            with self.assertRaises(tide.TideError):
                tide.Simulator(near=near, **settings)
        with self.assertRaises(TypeError):
            tide.Simulator(near="10p", trace="a.tide")


class Wrong(unittest.TestCase):
    def test_arguments(self):
        with self.assertRaisesRegex(TypeError, "no option colour: known ones are near, trace"):
            tide.sim([1], near="1p", colour="red")
        with self.assertRaisesRegex(TypeError, "no input"):
            tide.sim(near="1p")
        with self.assertRaisesRegex(TypeError, "trace and accesses"):
            tide.sim([1], near="1p", trace="a.tide")
        with self.assertRaisesRegex(TypeError, "near is a float"):
            tide.sim([1], near=0.5)
        with self.assertRaisesRegex(TypeError, "evict is a list"):
            tide.sim([1], near="1p", evict=["lru"])
        with self.assertRaisesRegex(ValueError, "threads"):
            tide.sim([1], near="1p", threads=-1)
        with self.assertRaisesRegex(ValueError, "zero byte"):
            tide.sim([1], near="1p\0")
        with self.assertRaisesRegex(TypeError, "write trace="):
            tide.sim("app.tide", near="1p")

    def test_library(self):
        for text, settings in (
            ("no evict policy lruu", {"evict": "lruu"}),
            ("`near`|memory", {"near": "x"}),
            ("no accesses", {"accesses": []}),
            ("no accesses", {"accesses": iter([])}),
        ):
            with self.assertRaisesRegex(tide.TideError, text) as caught:
                tide.sim(**{"accesses": [1, 2], "near": "50%", **settings})
            self.assertLess(caught.exception.code, 0)

    def test_no_library(self):
        from tide import _library

        before = os.environ.get("TIDE_LIBRARY")
        self.addCleanup(_library.library.cache_clear)
        self.addCleanup(lambda: os.environ.update(TIDE_LIBRARY=before) if before else os.environ.pop("TIDE_LIBRARY"))
        for wrong, text in (("/no/such/libtide.so.0", "install libtide0"), ("libc.so.6", "no tide_version")):
            _library.library.cache_clear()
            os.environ["TIDE_LIBRARY"] = wrong
            with self.assertRaisesRegex(tide.TideError, text):
                tide.sim([1], near="1p")


class Results(unittest.TestCase):
    def test_run(self):
        run = tide.sim([1, 2, 1, 3], near="2p", evict="lru", **CACHE)
        self.assertEqual((run.accesses, run.faults, run.miss_ratio), (4, 3, 0.75))
        self.assertIn("faults", dir(run))
        with self.assertRaisesRegex(AttributeError, "its counts are accesses"):
            run.colours
        self.assertEqual(run.rows()[0]["faults"], 3)
        self.assertIn("3 faults in 4 accesses", repr(run))

    @unittest.skipUnless(np, "no numpy")
    def test_arrays_live_long_enough(self):
        """The library reads temporary arrays, which nothing else refers to."""
        for _ in range(20):
            run = tide.sim(np.arange(50_000) % 1000, near="999p", evict="lru", **CACHE)
            self.assertEqual(run.faults, 50_000)


if __name__ == "__main__":
    unittest.main()
