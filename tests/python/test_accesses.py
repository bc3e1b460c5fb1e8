"""Accesses come in many types, some without a copy."""

import array
import ctypes
import unittest

from helper import Folder, np, pandas, rows, tide


def address(accesses, name="page"):
    return ctypes.cast(getattr(accesses.struct(), name), ctypes.c_void_p).value


class Types(unittest.TestCase):
    def same(self, source, pages=(3, 1, 2)):
        self.assertEqual([int(p) for p in tide._accesses.gather(source).page], list(pages))

    def test_plain(self):
        for code in "QqLlIiHB":
            self.same(array.array(code, [3, 1, 2]))
        self.same([3, 1, 2])
        self.same((3, 1, 2))
        self.same(iter([3, 1, 2]))
        self.same(range(3), (0, 1, 2))
        self.same(bytes([3, 1, 2]))
        self.same(memoryview(array.array("Q", [3, 9, 1, 9, 2]))[::2])
        self.same({"page": [3, 1, 2]})
        self.same([[3, 1], [2]])
        self.same(a for a in ([3], array.array("Q", [1, 2])))
        self.same([2**64 - 1, 0], (2**64 - 1, 0))
        self.same(iter(range(200_000)), range(200_000))

    def test_no_copy(self):
        for code in "Qq":
            given = array.array(code, [3, 1, 2])
            self.assertEqual(address(tide.Accesses(given)), given.buffer_info()[0])
        flags = bytearray([1, 0, 255])
        at = ctypes.addressof((ctypes.c_char * 3).from_buffer(flags))
        self.assertEqual(address(tide.Accesses([1, 2, 3], write=flags), "write"), at)

    def test_stays(self):
        given = array.array("Q", [3, 1, 2])
        struct = tide.Accesses(given).struct()
        with self.assertRaises(BufferError):
            given.append(4)  # it would move
        del struct

    def test_wrong(self):
        for source in ([-1], array.array("q", [1, -1]), [2**64], {"pages": [1]}, {"page": [1], "color": [1]}):
            with self.assertRaises(ValueError):
                tide._accesses.gather(source)
        for source in ([1.5], ["1"], "file.tide", 5, None, array.array("d", [1.0]), [None], [1, [2]]):
            with self.assertRaises(TypeError):
                tide._accesses.gather(source)
        with self.assertRaisesRegex(ValueError, "write has 1 items, page has 2"):
            tide.Accesses([1, 2], write=[True])

    def test_slices(self):
        a = tide.Accesses([5, 6, 7, 8], write=[0, 1, 0, 1])
        self.assertEqual(a[1:3].rows(), [{"page": 6, "write": 1}, {"page": 7, "write": 0}])
        self.assertEqual(len(a[::2]), 2)
        self.assertEqual([int(p) for p in a[::2].page], [5, 7])
        self.assertEqual(rows(a.table())[3], {"page": 8, "write": 1})
        with self.assertRaises(TypeError):
            a[1]


@unittest.skipUnless(np, "no numpy")
class Numpy(unittest.TestCase):
    def test_types(self):
        for dtype in ("u8", "i8", "u4", "i2", "u1", ">u8", ">i4"):
            a = tide.Accesses(np.array([3, 1, 2], dtype=dtype))
            self.assertEqual(a.page.tolist(), [3, 1, 2])
            self.assertEqual(a.page.dtype, np.uint64)
        self.assertEqual(tide.Accesses(np.array([3, 2**64 - 1], dtype=object)).page[1], 2**64 - 1)
        self.assertEqual(tide.sim(np.array([1, 2, 1], dtype=">u8"), near="2p", chunk="1p").accesses, 3)

    def test_no_copy(self):
        for dtype in ("u8", "i8"):
            given = np.arange(5, dtype=dtype)
            self.assertEqual(address(tide.Accesses(given)), given.ctypes.data)
        given.flags.writeable = False
        self.assertEqual(address(tide.Accesses(given)), given.ctypes.data)
        flags = np.array([True, False, True])
        self.assertEqual(address(tide.Accesses(range(3), write=flags), "write"), flags.ctypes.data)
        strided = np.arange(10, dtype="u8")[::2]
        self.assertEqual(tide.Accesses(strided).page.tolist(), [0, 2, 4, 6, 8])

    def test_flags(self):
        self.assertEqual(tide.Accesses(range(3), write=np.array([0, 256, 1])).write.tolist(), [0, 1, 1])

    def test_wrong(self):
        with self.assertRaisesRegex(ValueError, "page has -1"):
            tide.Accesses(np.array([1, -1]))
        with self.assertRaises(ValueError):
            tide.Accesses(np.zeros((2, 2), dtype="u8"))
        for wrong in (np.array([1.0]), np.array(["1"]), np.array([True])):
            with self.assertRaises(TypeError):
                tide.Accesses(wrong)


@unittest.skipUnless(pandas, "no pandas")
class Pandas(unittest.TestCase):
    def test_frames(self):
        frame = pandas.DataFrame({"page": [3, 1, 2], "write": [True, False, True], "stream": [0, 1, 2]})
        a = tide._accesses.gather(frame)
        self.assertEqual(a.page.tolist(), [3, 1, 2])
        self.assertEqual(a.write.tolist(), [1, 0, 1])
        self.assertEqual(tide._accesses.gather(frame["page"]).page.tolist(), [3, 1, 2])
        self.assertTrue(a.table().equals(pandas.DataFrame(a.columns())))


class Traces(Folder):
    def test_all_columns(self):
        n = 10_000
        a = tide.Accesses(
            range(n),
            ref=range(1, n + 1),
            stream=[i % 3 for i in range(n)],
            write=[i % 2 for i in range(n)],
            first=[i % 10 == 0 for i in range(n)],
            bytes=[100 + i for i in range(n)],
            cost=[i % 7 for i in range(n)],
        )
        path = self.path("all.tide")
        self.assertEqual(tide.write_trace(path, a), n)
        self.assertEqual(tide.read_trace(path).rows(), a.rows())
        self.assertEqual(sum(len(batch) for batch in tide.read_batches(path)), n)

    def test_formats(self):
        for name in ("a.txt", "a.tide", "a.txt.gz", "a.txt.zst"):
            path = self.path(name)
            self.assertEqual(tide.write_trace(path, (i % 7 for i in range(100_000))), 100_000)
            back = tide.read_trace(path)
            self.assertEqual([int(p) for p in back.page], [i % 7 for i in range(100_000)])
            self.assertIsNone(back.write)
            self.assertIsNone(back.ref)

    def test_late_columns(self):
        """A column that begins to be used late has zeros before."""
        path = self.path("late.txt")
        with open(path, "w", encoding="ascii") as file:
            file.write("1\n" * 5000 + "2 w 7\n")
        back = tide.read_trace(path)
        self.assertEqual((int(back.write[4999]), int(back.write[5000]), int(back.ref[5000])), (0, 1, 7))

    def test_failed_writes_leave_nothing(self):
        def pages():
            yield from range(100_000)
            raise KeyError("mine")

        path = self.path("cut.tide")
        with self.assertRaises(KeyError):
            tide.write_trace(path, pages())
        with self.assertRaises(FileNotFoundError):
            open(path, "rb").close()

    def test_errors(self):
        with open(self.path("bad.txt"), "w", encoding="ascii") as file:
            file.write("1\nx\n")
        with self.assertRaisesRegex(tide.TideError, "line 2"):
            tide.read_trace(self.path("bad.txt"))
        with self.assertRaises(tide.TideError):
            tide.read_trace(self.path("missing.tide"))
        with self.assertRaisesRegex(ValueError, "zero byte"):
            tide.read_trace("a\0b")
        with self.assertRaises(tide.TideError):
            tide.generate("no-such-pattern")


if __name__ == "__main__":
    unittest.main()
