"""Policies written in Python decide as the same ones in C, and their exceptions reach the caller."""

import collections
import functools
import gc
import unittest

from helper import CACHE, numbers, tide

PAGES = numbers(8000, 1000)
ACCESSES = tide.Accesses(PAGES, write=[i % 3 == 0 for i in range(len(PAGES))], stream=[i % 2 for i in range(len(PAGES))])


class Fifo(tide.Policy):
    name = "my-fifo"

    def start(self):
        self.order = collections.OrderedDict()
        self.dirty = 0

    def on_migrated(self, chunk, pages):
        self.order.setdefault(chunk)

    def on_evicted(self, chunk, what):
        del self.order[chunk]
        self.dirty += bin(what.resident & what.dirty).count("1")

    def pick_victim(self):
        return next(c for c in self.order if self.view.valid(c))

    def report(self):
        return {"dirty": self.dirty, "share": 0.5, "mood": "good", "none": None, "list": [1, 2]}


class Lru(Fifo):
    name = "my-lru"

    def on_access(self, chunk, page, ref):
        self.order.move_to_end(chunk)


class Opt(tide.Policy):
    needs = ("future", "accesses")

    def pick_victim(self):
        v = self.view
        resident = [c for c in range(v.near.chunks) if v.resident(c) and v.valid(c)]
        return max(resident, key=lambda c: (v.next_use(c) or 1 << 60, -v.number(c)))


class Random(tide.Policy):
    """random of policies/evict: see there."""

    def start(self):
        self.chunks = []

    def on_migrated(self, chunk, pages):
        if chunk not in self.chunks:
            self.chunks.append(chunk)

    def on_evicted(self, chunk, what):
        self.chunks.remove(chunk)

    def pick_victim(self):
        while True:
            chunk = self.chunks[self.view.random_below(len(self.chunks))]
            if self.view.valid(chunk):
                return chunk


class Whole(tide.Policy):
    """A prefetcher: the rest of the chunk, and the next chunk."""

    def plan_prefetch(self, chunk, page):
        n = self.view.near.chunk_pages
        first = page // n * n
        return range(first, first + 2 * n)


class Place(tide.Policy):
    def place_victim(self, chunk):
        return "tier2" if self.view.dirty(chunk) else "tier3"


class Same(unittest.TestCase):
    def test_counts(self):
        for mine, name in ((Fifo, "fifo"), (Lru, "lru")):
            for settings in ({}, CACHE, {"prefetch": "none"}, {**CACHE, "split": "stream"}, {"model": "h200"}):
                with self.subTest(f"{name} {settings}"):
                    run = tide.sim(ACCESSES, near="30%", evict=mine, **settings)
                    self.assertEqual(run.counts, tide.sim(ACCESSES, near="30%", evict=name, **settings).counts)
                    self.assertEqual(run.config["evict"], mine.name)

    def test_future(self):
        few = ACCESSES[:800]
        self.assertEqual(
            tide.sim(few, near="30%", evict=Opt, **CACHE).counts, tide.sim(few, near="30%", evict="opt", **CACHE).counts
        )

    def test_objects(self):
        sized = tide.Accesses(PAGES, bytes=[1000 + 7 * p for p in PAGES])
        mine = type("Sized", (Lru,), {"needs": ("sizes",)})
        self.assertEqual(
            tide.sim(sized, near="30%", evict=mine, objects=True).counts,
            tide.sim(sized, near="30%", evict="lru", objects=True).counts,
        )
        with self.assertRaisesRegex(tide.TideError, "several sizes"):
            tide.sim(sized, near="30%", evict=Lru, objects=True)

    def test_report(self):
        run = tide.sim(ACCESSES, near="30%", evict=Fifo)
        self.assertEqual(
            run.policy, {"dirty": run.writeback_pages, "share": 0.5, "mood": "good", "none": None, "list": [1, 2]}
        )

    def test_random(self):
        """The numbers come from the seed."""
        run = [tide.sim(PAGES, near="30%", evict=Random, seed=seed, **CACHE).faults for seed in (1, 1, 2)]
        self.assertEqual(run[0], run[1])
        self.assertNotEqual(run[0], run[2])

    def test_prefetch(self):
        run = tide.sim(range(0, 1600), near="50%", prefetch=Whole, evict="lru")
        self.assertEqual((run.faults, run.prefetched_pages), (50, 1550))

    def test_place(self):
        run = tide.sim(ACCESSES, near="10%", host="20%", place=Place)
        self.assertGreater(run.tier2_hits, 0)
        self.assertGreater(run.tier3_reads, 0)
        self.assertEqual(run.accesses, run.hits + run.faults)

    def test_push_and_compare(self):
        with tide.Simulator(near="300p", evict=Lru, **CACHE) as simulator:
            for i in range(0, len(PAGES), 1000):
                simulator.push(ACCESSES[i : i + 1000])
                gc.collect()
            self.assertEqual(simulator.counts, tide.sim(ACCESSES, near="300p", evict="lru", **CACHE).counts)
        runs = tide.compare(ACCESSES, near="30%", evict=["fifo", Fifo, "lru", Lru], **CACHE)
        self.assertEqual(runs[0].counts, runs[1].counts)
        self.assertEqual(runs[2].counts, runs[3].counts)

    def test_view(self):
        seen = {}

        class Look(Lru):
            def on_evicted(self, chunk, what):
                super().on_evicted(chunk, what)
                n = self.view.near
                seen.update(capacity=n.capacity_pages, chunk_pages=n.chunk_pages)
                assert self.view.find(self.view.number(chunk)) == chunk
                assert self.view.find(1 << 50) is None
                assert self.view.object_cost(chunk) == 1
                assert self.view.object_bytes(chunk) == 4096
                assert what.touched & what.resident and not what.dirty & ~what.resident

            def on_access(self, chunk, page, ref):
                super().on_access(chunk, page, ref)
                bit = 1 << page % self.view.near.chunk_pages
                assert self.view.resident(chunk) & self.view.touched(chunk) & bit
                assert self.view.number(chunk) == page // self.view.near.chunk_pages

        tide.sim([p * 100 for p in PAGES], near="160p", evict=Look)
        self.assertEqual(seen, {"capacity": 160, "chunk_pages": 16})

    def test_arguments(self):
        class Given(Fifo):
            def __init__(self, k):
                self.k = k

            def report(self):
                return {"k": self.k}

        self.assertEqual(tide.sim(PAGES, near="30%", evict=functools.partial(Given, 5)).policy, {"k": 5})


class Failures(unittest.TestCase):
    def fails(self, kind, methods, role="evict", base=Fifo, text="", **settings):
        policy = type("Bad", (base,), methods)
        for replace in (False, True):
            with self.assertRaisesRegex(kind, text):
                tide.sim(ACCESSES, near="10%", **{role: policy}, replace_invalid=replace, **settings)
        with self.assertRaisesRegex(kind, text):
            tide.compare(ACCESSES, near="10%", **{role: ["lru" if role == "evict" else "tree", policy]}, **settings)

    def test_exceptions(self):
        def fail(self, *_):
            raise LookupError("mine")

        for method in ("start", "on_full", "on_fault", "on_migrated", "on_access", "on_evicted", "pick_victim", "report"):
            with self.subTest(method):
                self.fails(LookupError, {method: fail}, text="mine")
        self.fails(LookupError, {"plan_prefetch": fail}, role="prefetch", base=Whole)
        with self.assertRaises(LookupError):
            tide.sim(ACCESSES, near="10%", host="10%", place=type("Bad", (Place,), {"place_victim": fail}))
        self.fails(SystemExit, {"pick_victim": lambda self: exit(3)})

    def test_at_the_place(self):
        """The trace back shows the policy's line."""
        try:
            tide.sim(ACCESSES, near="10%", evict=type("Bad", (Fifo,), {"pick_victim": lambda self: 1 // 0}))
        except ZeroDivisionError as why:
            trace, names = why.__traceback__, []
            while trace:
                names.append(trace.tb_frame.f_code.co_name)
                trace = trace.tb_next
            self.assertIn("<lambda>", names)

    def test_answers(self):
        for answer in ("lru", 1.5, -1, 2**32, object()):
            with self.assertRaises((TypeError, ValueError)):
                tide.sim(ACCESSES, near="10%", evict=type("Bad", (Fifo,), {"pick_victim": lambda self: answer}))
        for answer in (None, 2**32 - 1, 4_000_000):
            with self.assertRaisesRegex(tide.TideError, "my-fifo gave an invalid answer"):
                tide.sim(ACCESSES, near="10%", evict=type("Bad", (Fifo,), {"pick_victim": lambda self: answer}))
        for answer in ([-1], [2**64], ["x"], 5, None):
            with self.assertRaises((TypeError, ValueError)):
                tide.sim(ACCESSES, near="10%", prefetch=type("Bad", (Whole,), {"plan_prefetch": lambda self, c, p: answer}))
        with self.assertRaisesRegex(ValueError, "keep, tier2, tier3"):
            tide.sim(ACCESSES, near="10%", host="9p", place=type("Bad", (Place,), {"place_victim": lambda self, c: 7}))

    def test_pushes(self):
        """After an exception the run cannot go on."""
        simulator = tide.Simulator(near="100p", evict=type("Bad", (Fifo,), {"pick_victim": lambda self: 1 // 0}), **CACHE)
        with self.assertRaises(ZeroDivisionError):
            simulator.push(PAGES)
        with self.assertRaisesRegex(tide.TideError, "stopped before"):
            simulator.push(PAGES)
        simulator.close()

    def test_replaced(self):
        """An invalid answer that is no exception is the engine's business."""
        run = tide.sim(ACCESSES, near="10%", evict=type("Bad", (Fifo,), {"pick_victim": lambda self: None}), replace_invalid=True)
        self.assertEqual(run.policy_errors, 16)

    def test_too_many_pages(self):
        run = tide.sim([0] * 3, near="5000p", chunk="1p", evict="lru", prefetch=type("Greedy", (Whole,), {"plan_prefetch": lambda s, c, p: range(9000)}), replace_invalid=True)
        self.assertEqual(run.policy_errors, 1)

    def test_refused(self):
        with self.assertRaises(TypeError):
            tide.sim(PAGES, near="10%", evict=dict)
        with self.assertRaisesRegex(TypeError, "give the class"):
            tide.sim(PAGES, near="10%", evict=Fifo())
        with self.assertRaisesRegex(ValueError, "cannot need notices"):
            tide.sim(PAGES, near="10%", evict=type("Bad", (Fifo,), {"needs": ("notices",)}))
        with self.assertRaisesRegex(ValueError, "no name of a policy"):
            tide.sim(PAGES, near="10%", evict=type("Bad", (Fifo,), {"name": "a:b"}))
        with self.assertRaisesRegex(tide.TideError, "pick_victim"):
            tide.sim(PAGES, near="10%", evict=tide.Policy)
        with self.assertRaisesRegex(tide.TideError, "one page"):
            tide.sim(PAGES, near="10%", evict=type("Bad", (Fifo,), {"needs": ("pages",)}))
        with self.assertRaisesRegex(ValueError, "needs the future"):
            tide.sim(PAGES, near="10%", evict=type("Bad", (Opt,), {"needs": ()}))
        with self.assertRaises(IndexError):
            tide.sim(PAGES, near="10%", evict=type("Bad", (Fifo,), {"on_full": lambda self: self.view.resident(1 << 30)}))


if __name__ == "__main__":
    unittest.main()
