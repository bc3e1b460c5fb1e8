"""Results as text, where pandas is not installed."""

import unittest

from helper import pandas, tide
from tide._tables import Table


class Text(unittest.TestCase):
    def test_aligned(self):
        lines = repr(Table([{"name": "lru", "faults": 1234567, "ratio": 0.25}, {"name": "sieve", "faults": 8}])).split("\n")
        self.assertEqual(lines, ["name      faults  ratio", "lru    1,234,567   0.25", "sieve          8"])

    def test_columns_that_do_not_fit(self):
        text = repr(Table([{f"column{i}": i + 1 for i in range(50)}]))
        self.assertRegex(text, r"\nand \d+ more columns: .*column49$")
        self.assertIn("column0 ", text)

    def test_what_differs_comes_first(self):
        rows = [{"trace": "t" * 90, "evict": name, "seed": 1, "faults": 9 + i} for i, name in enumerate(["lru", "opt"])]
        lines = repr(Table(rows)).split("\n")
        self.assertEqual(lines[:3], ["evict  faults", "lru         9", "opt        10"])
        self.assertEqual(lines[3], "and 2 more columns: trace, seed")

    def test_many_rows(self):
        text = repr(Table([{"page": i} for i in range(1000)]))
        self.assertTrue(text.endswith("\nand 940 more rows"))
        self.assertEqual(len(text.split("\n")), 62)

    def test_empty(self):
        self.assertEqual(repr(Table([])), "")

    def test_html(self):
        self.assertEqual(Table([{"name": "<b>"}])._repr_html_(), "<table><tr><td>name</td></tr><tr><td>&lt;b&gt;</td></tr></table>")


class Results(unittest.TestCase):
    def test_a_line_per_run(self):
        runs = tide.compare([1, 2, 3] * 9, near="2p", chunk="1p", prefetch="none", evict=["lru", "mru"])
        lines = repr(runs).split("\n")
        self.assertEqual(len(lines), 3)
        self.assertRegex(lines[0], "^evict +prefetch +near_pages +faults +miss_ratio +x_best$")
        self.assertRegex(lines[1], "^lru +none +2 +27 +1 +")
        self.assertIn("lru", runs._repr_html_())

    def test_a_line_per_point(self):
        curves = tide.mrc([1, 2, 3] * 9, sizes="2p,3p")
        self.assertRegex(repr(curves), r"^policy +pages +misses +miss_ratio\nlru +2 +27 +1\nlru +3 +3 ")

    def test_a_table(self):
        table = tide.sim([1, 2, 3], near="2p", chunk="1p", prefetch="none").table()
        self.assertEqual(isinstance(table, Table), pandas is None)

    def test_unknown_option(self):
        for run in (tide.mrc, tide.advise):
            with self.assertRaisesRegex(TypeError, "no option colums: known of the input are trace"):
                run([1, 2], colums="page=1")


if __name__ == "__main__":
    unittest.main()
