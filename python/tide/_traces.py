"""Traces: files of accesses, and generated ones."""

from __future__ import annotations

import ctypes
from array import array
from collections.abc import Iterator
from ctypes import byref, c_void_p
from typing import Any, Optional

from . import _abi
from ._accesses import COLUMNS, Accesses, Builder, batches
from ._library import Text, call, library, to_text


def _copy(got: _abi.tide_accesses) -> Accesses:
    """The library's arrays are valid until its next call."""
    columns = {}
    for name, code in COLUMNS.items():
        at = getattr(got, name)
        if at:
            columns[name] = array(code, ctypes.string_at(at, got.n * array(code).itemsize))
    return Accesses(**columns)


def _read(**given: Optional[Text]) -> Iterator[Accesses]:
    options = _abi.tide_trace_options(**{name: to_text(name, value) for name, value in given.items()})
    trace = c_void_p()
    call(library().tide_trace_open, byref(trace), byref(options))
    try:
        got = _abi.tide_accesses()
        while call(library().tide_trace_next_batch, trace, byref(got)):
            yield _copy(got)
    finally:
        library().tide_trace_close(trace)


def read_batches(
    path: Text, *, format: Optional[Text] = None, columns: Optional[Text] = None, page: Optional[Text] = None
) -> Iterator[Accesses]:
    """Reads a trace as Accesses, a few thousand accesses at a time. The whole trace need not fit into memory.

    The arguments are those of read_trace(). The iterator can be given to write_trace(), to Simulator.push() and to sim().
    """
    return _read(path=path, format=format, columns=columns, page=page)


def read_trace(
    path: Text, *, format: Optional[Text] = None, columns: Optional[Text] = None, page: Optional[Text] = None
) -> Accesses:
    """Reads a whole trace as Accesses.

    path     file name; files that end in .zst, .gz or .xz are decompressed
    format   guessed if not given; tide-trace(1) lists the formats
    columns  of a csv or jsonl trace, such as "page=5,op=3"
    page     bytes per page, for formats that have addresses or bytes: "4K"

    A column that has only zeros is None. Marks of a recorded trace (memory that comes and goes) are left out.
    Raises TideError for a file that is no trace.
    """
    return _collect(read_batches(path, format=format, columns=columns, page=page))


def _collect(parts: Iterator[Accesses]) -> Accesses:
    builder = Builder()
    for batch in parts:
        builder.add(batch)
    return builder.take()


def generate(workload: Text, *, page: Optional[Text] = None, seed: Optional[Text] = None) -> Accesses:
    """The accesses of a plain pattern, such as "zipf:pages=1000,accesses=100000" (see workloads()).

    The papers' applications are part of the program and not of the library: `tide trace generate` writes them as traces.

    >>> import tide
    >>> len(tide.generate("cyclic:pages=100,rounds=3"))
    300
    """
    return _collect(_read(workload=workload, page=page, seed=seed))


def write_trace(path: Text, accesses: Any, *, format: Optional[Text] = None) -> int:
    """Writes accesses to a trace, and returns how many.

    path      file name; its ending says the format and the compression, such as "mine.tide", "mine.txt" or "mine.txt.gz"
    accesses  all that sim() takes; of an iterator, a batch at a time is kept
    format    if the name does not say it

    Groups, sizes and costs must be in the first batch already. If something fails, no file is left.
    """
    writer = c_void_p()
    name = to_text("path", path)
    call(library().tide_trace_create, byref(writer), name, to_text("format", format))
    written = 0
    try:
        for batch in batches(accesses):
            struct = batch.struct()
            call(library().tide_trace_put_batch, writer, byref(struct))
            written += len(batch)
    except BaseException:
        library().tide_trace_abandon(writer)
        raise
    call(library().tide_trace_finish, writer)
    return written
