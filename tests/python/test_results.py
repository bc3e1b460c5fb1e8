"""Files that the program wrote, as tables."""

import json
import subprocess
import unittest

from helper import Folder, cli, pandas, program, rows, tide

WORKLOAD = "zipf:pages=1000,accesses=5000"


def missing(value):
    return value is None or value != value  # NaN in a DataFrame


class Sweeps(Folder):
    def setUp(self):
        super().setUp()
        self.file = self.path("grid.jsonl")
        words = ["--workload", WORKLOAD, "--near", "{25,50}%", "--evict", "lru", "--evict", "arc", "--output", self.file]
        subprocess.run([program(), "sweep", *words], capture_output=True, check=False)

    def test_rows(self):
        table = tide.read_results(self.file)
        self.assertEqual(isinstance(table, list), pandas is None)
        found = sorted(rows(table), key=lambda row: row["index"])
        self.assertEqual([row["evict"] for row in found], ["lru", "arc", "lru", "arc"])  # arc wants one page
        self.assertRegex(found[1]["error"], "one page")
        self.assertTrue(missing(found[0].get("error")) and missing(found[1].get("faults")))
        wanted = cli("sim", "--workload", WORKLOAD, "--near", "25%", "--evict", "lru", "--functional")
        for name, count in wanted["counts"].items():
            self.assertEqual(found[0][name], count)
        self.assertEqual(found[0]["near_pages"], wanted["config"]["near_pages"])
        self.assertEqual(found[0]["workload"], WORKLOAD)
        self.assertEqual(found[0]["input_digest"], wanted["record"]["input"])

    def test_partial(self):
        with open(self.file, "rb") as file:
            data = file.read()
        with open(self.file, "wb") as file:
            file.write(data[:-100])
        self.assertEqual(len(rows(tide.read_results(self.file))), 3)
        with open(self.file, "wb") as file:
            file.write(b"\n\n" + data[:100] + b"\n" + data)
        with self.assertRaisesRegex(tide.TideError, "is no JSON"):
            tide.read_results(self.file)
        with open(self.file, "wb") as file:
            file.write(data + b'{"broken\n')
        with self.assertRaisesRegex(tide.TideError, "grid.jsonl line 5 is no JSON"):
            tide.read_results(self.file)


class Documents(Folder):
    def put(self, name, text):
        with open(self.path(name), "wb") as file:
            file.write(text)
        return self.path(name)

    def test_sim_and_compare(self):
        sim = cli("sim", "--workload", WORKLOAD, "--near", "25%", "--evict", "lru")
        both = cli("compare", "--workload", WORKLOAD, "--near", "25%", "--evict", "lru", "--evict", "lrm")
        files = [self.put("a.json", json.dumps(sim, indent=1).encode()), self.put("b.json", json.dumps(both).encode())]
        found = rows(tide.read_results(*files, sim))
        self.assertEqual([row["evict"] for row in found], ["lru", "lru", "lrm", "lru"])
        self.assertEqual(found[0]["faults"], sim["counts"]["faults"])

    def test_package(self):
        run = tide.sim(workload=WORKLOAD, near="25%")
        self.assertEqual(rows(tide.read_results(run.document))[0]["faults"], run.faults)

    def test_large_numbers(self):
        run = tide.sim([2**64 - 1, 1], near="100%", chunk="1p")
        self.assertEqual(run.rows()[0]["last_page"], 2**64 - 1)

    def test_curves(self):
        document = cli("mrc", "--workload", WORKLOAD, "--policy", "lru", "--policy", "opt", "--sizes", "3")
        found = rows(tide.read_curves(self.put("c.json", json.dumps(document, indent=2).encode())))
        self.assertEqual([row["policy"] for row in found], ["lru"] * 3 + ["opt"] * 3)
        self.assertEqual(found[0]["workload"], WORKLOAD)
        self.assertEqual([row["misses"] for row in found[3:]], [p["misses"] for p in document["curves"][1]["curve"]])
        with self.assertRaisesRegex(tide.TideError, "use read_curves"):
            tide.read_results(document)

    def test_wrong(self):
        for text in (b"x", b"[1]", b"{", b"\xff\xfe", b"[" * 100_000, b'{"a":1}', b'{"a":1}\n{"a":2}\n'):
            path = self.put("w.json", text)
            for read in (tide.read_results, tide.read_curves):
                with self.assertRaisesRegex(tide.TideError, "w.json"):
                    read(path)
        self.assertEqual(rows(tide.read_results(self.put("empty.jsonl", b""))), [])
        with self.assertRaises(FileNotFoundError):
            tide.read_results(self.path("missing"))


if __name__ == "__main__":
    unittest.main()
