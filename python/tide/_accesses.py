"""Accesses as arrays, from whatever a program has them in."""

from __future__ import annotations

import ctypes
import numbers
import os
from array import array
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import Any, Optional

from . import _abi
from ._tables import Rows, optional

_BATCH = 1 << 16  # items of an iterator that are taken at a time

# Names and types of the columns: Q is 64 bits without a sign, B a flag.
COLUMNS = {
    name: "B" if kind is ctypes.POINTER(ctypes.c_uint8) else "Q" for name, kind in _abi.tide_accesses._fields_[2:]
}


def _from_numpy(np: Any, values: Any, code: str, name: str) -> Any:
    """A column without a copy, if type and layout allow."""
    a = np.asarray(values)
    if a.ndim != 1:
        raise ValueError(f"{name} has {a.ndim} dimensions: give one")
    if a.dtype.kind == "O":
        return _from_items(a, code, name)
    if a.dtype.kind not in ("biu" if code == "B" else "iu"):
        raise TypeError(f"{name} has items of type {a.dtype}: give whole numbers")
    a = np.ascontiguousarray(a)
    if code == "B":
        return a.view(np.uint8) if a.dtype.itemsize == 1 else (a != 0).view(np.uint8)
    if a.dtype.kind == "i" and len(a) and a.min() < 0:
        raise ValueError(f"{name} has {a.min()}: give numbers from 0")
    return a.view(np.uint64) if a.dtype in (np.uint64, np.int64) else a.astype(np.uint64)


def _from_buffer(view: memoryview, code: str, name: str) -> Any:
    """The same without numpy. Memory that cannot be written to is copied, since ctypes refuses it."""
    is_number = view.ndim == 1 and view.contiguous and view.itemsize == 8 and view.format in ("Q", "L", "q", "l")
    is_flag = view.ndim == 1 and view.contiguous and view.itemsize == 1 and view.format in ("B", "b", "?")
    if view.readonly or not view.nbytes or not (is_flag if code == "B" else is_number):
        return _from_items(view, code, name)
    if view.format in ("q", "l") and min(view) < 0:
        raise ValueError(f"{name} has {min(view)}: give numbers from 0")
    return view.cast("B").cast(code)


def _from_items(values: Iterable[Any], code: str, name: str) -> "array[int]":
    try:
        return array("B", map(bool, values)) if code == "B" else array("Q", values)
    except OverflowError:
        raise ValueError(f"{name} has a number below 0 or above 64 bits: give numbers from 0 to 2**64 - 1") from None
    except (TypeError, NotImplementedError) as why:
        raise TypeError(f"{name}: {why}: give whole numbers") from None


def _is_array(values: Any) -> bool:
    return hasattr(values, "__array__") or isinstance(values, (memoryview, array, bytes, bytearray, ctypes.Array))


def _column(values: Any, code: str, name: str) -> Any:
    np = optional("numpy")
    if np is not None and _is_array(values):
        return _from_numpy(np, values if hasattr(values, "__array__") else memoryview(values), code, name)
    if _is_array(values):
        return _from_buffer(memoryview(values), code, name)
    items = _from_items(values, code, name)
    return np.frombuffer(items, dtype=np.uint8 if code == "B" else np.uint64) if np is not None else items


def _address(column: Any) -> tuple[int, Any]:
    """Where a column lies, and what keeps it there."""
    if hasattr(column, "ctypes"):
        return column.ctypes.data, column
    memory = (ctypes.c_char * (len(column) * column.itemsize)).from_buffer(column)
    return ctypes.addressof(memory), memory


class Accesses(Rows):
    """Accesses of a program, one array per field.

    page    page numbers, 0 to 2**64 - 1
    ref     ids of the instructions that made the accesses
    stream  ids of the threads or queues
    write   true: the access is a write
    first   true: the access begins a group, such as a request
    bytes   sizes of the objects
    cost    costs of fetches

    All but page may be left out. A numpy array, an array.array or another buffer of 64-bit integers (flags: of
    bytes) in one piece is used without a copy; it must not change while a call uses it. Lists and other types
    are copied. Each column is an attribute, None where it was left out: a numpy array where numpy is installed,
    otherwise an array or a memoryview. len() is the number of accesses, and a slice is Accesses again.
    """

    page: Any
    ref: Any
    stream: Any
    write: Any
    first: Any
    bytes: Any
    cost: Any

    def __init__(
        self,
        page: Any,
        *,
        ref: Any = None,
        stream: Any = None,
        write: Any = None,
        first: Any = None,
        bytes: Any = None,
        cost: Any = None,
    ) -> None:
        given = dict(page=page, ref=ref, stream=stream, write=write, first=first, bytes=bytes, cost=cost)
        for name, code in COLUMNS.items():
            column = None if given[name] is None else _column(given[name], code, name)
            if column is not None and len(column) != len(self.page if name != "page" else column):
                raise ValueError(f"{name} has {len(column)} items, page has {len(self.page)}: give as many")
            setattr(self, name, column)

    def __len__(self) -> int:
        return len(self.page)

    def columns(self) -> dict[str, Any]:
        """The columns that are not None, by name."""
        return {name: getattr(self, name) for name in COLUMNS if getattr(self, name) is not None}

    def __getitem__(self, which: slice) -> "Accesses":
        if not isinstance(which, slice):
            raise TypeError("accesses are taken by slices: write accesses[i:i + 1], or accesses.page[i]")
        return Accesses(**{name: memoryview(column)[which] for name, column in self.columns().items()})

    def rows(self) -> list[dict[str, Any]]:
        """One dict per access."""
        names = list(self.columns())
        return [dict(zip(names, row)) for row in zip(*(memoryview(c).tolist() for c in self.columns().values()))]

    def table(self) -> Any:
        """One row per access, as a pandas DataFrame or a list of dicts."""
        pandas = optional("pandas")
        return pandas.DataFrame(self.columns()) if pandas else self.rows()

    def __repr__(self) -> str:
        return f"Accesses({len(self):,}: {', '.join(self.columns())})"

    def _repr_html_(self) -> None:
        return None

    def struct(self) -> _abi.tide_accesses:
        """For the library. The struct keeps the arrays where they are."""
        s = _abi.tide_accesses(n=len(self))
        s.kept = []
        for name, column in self.columns().items():
            address, owner = _address(column)
            s.kept.append(owner)
            kind = ctypes.c_uint8 if COLUMNS[name] == "B" else ctypes.c_uint64
            setattr(s, name, ctypes.cast(address, ctypes.POINTER(kind)))
        return s


class Builder:
    """Puts accesses together. A column that has only zeros takes no memory."""

    def __init__(self) -> None:
        self.n = 0
        self.parts: dict[str, array[int]] = {"page": array("Q")}

    def add(self, batch: Accesses) -> None:
        """Appends a copy."""
        for name, column in batch.columns().items():
            data = memoryview(column).cast("B").tobytes() if len(column) else b""
            if name not in self.parts and data.strip(b"\0"):
                code = COLUMNS[name]
                self.parts[name] = array(code, b"\0" * self.n * array(code).itemsize)
            if name in self.parts:
                self.parts[name].frombytes(data)
        self.n += len(batch)
        for part in self.parts.values():
            part.frombytes(b"\0" * (self.n - len(part)) * part.itemsize)

    def take(self) -> Accesses:
        """All of them."""
        return Accesses(**self.parts)


def is_stream(source: Any) -> bool:
    """Does it give its items only once, one after the other?"""
    return isinstance(source, Iterator)


def _whole(source: Any) -> Optional[Accesses]:
    """Accesses that are there all at once; None: it must be read item by item."""
    if isinstance(source, (str, os.PathLike)):
        raise TypeError(f"{str(source)!r} is a text, not accesses: write trace={str(source)!r} or workload=...")
    if isinstance(source, Accesses):
        return source
    if hasattr(source, "keys") and getattr(source, "ndim", 2) == 2:  # a Series has keys, too
        return _from_table(source)
    is_list = isinstance(source, (list, tuple)) and all(isinstance(item, numbers.Integral) for item in source[:1])
    if is_list or _is_array(source) or isinstance(source, range):
        return Accesses(source)
    if not isinstance(source, Iterable):
        raise TypeError(f"{type(source).__name__} is no accesses: give an array or an iterator of page numbers")
    return None


def _from_table(source: Any) -> Accesses:
    """A DataFrame, or a dict of arrays."""
    unknown = [str(name) for name in source.keys() if name not in COLUMNS]
    if unknown or "page" not in source.keys():
        names = ", ".join(map(str, source.keys()))
        raise ValueError(f"the columns are {names}: give page, and any others of {', '.join(COLUMNS)}")
    return Accesses(**{name: source[name] for name in source.keys()})


def batches(source: Any) -> Iterator[Accesses]:
    """Accesses, batch by batch: of an iterator, so many page numbers at a time, or each array as it comes."""
    whole = _whole(source)
    if whole is not None:
        yield whole
        return
    items = iter(source)
    for item in items:
        if not isinstance(item, numbers.Integral):
            yield from batches(item)
            continue
        yield Accesses(list(islice(chain([item], items), _BATCH)))


def gather(source: Any) -> Accesses:
    """All accesses, in memory."""
    whole = _whole(source)
    if whole is not None:
        return whole
    builder = Builder()
    for batch in batches(source):
        builder.add(batch)
    return builder.take()
