"""Finds and loads libtide, and turns its errors into exceptions."""

from __future__ import annotations

import ctypes
import functools
import os
import pathlib
import shutil
from ctypes import byref, c_char_p, c_void_p
from typing import Any, Callable, Optional, Union

from . import _abi

NAME = "libtide.so.0"


class TideError(Exception):
    """What the library or the program refused or could not do: one sentence, what is wrong and what to do.

    code is the negative errno of the library, 0 where there is none.
    """

    def __init__(self, text: str, code: int = 0) -> None:
        super().__init__(text)
        self.code = code


def _source_tree() -> Optional[pathlib.Path]:
    """The build of the source tree that this package lies in, if it does."""
    top = pathlib.Path(__file__).resolve().parents[2]
    return top / "build" / "release" if (top / "include" / "tide" / "tide.h").is_file() else None


def _candidates() -> list[str]:
    given = os.environ.get("TIDE_LIBRARY")
    if given:
        return [given]
    build = _source_tree()
    built = [str(build / NAME)] if build and (build / NAME).is_file() else []
    return built + [NAME]


def _load(path: str) -> ctypes.CDLL:
    loaded = ctypes.CDLL(path)
    for name, (restype, argtypes) in _abi.FUNCTIONS.items():
        try:
            function = getattr(loaded, name)
        except AttributeError:
            raise TideError(f"{path} has no {name}: install a newer libtide") from None
        function.restype, function.argtypes = restype, argtypes
    return loaded


@functools.lru_cache(maxsize=1)
def library() -> ctypes.CDLL:
    """libtide, loaded when it is needed first."""
    why = ""
    for path in _candidates():
        try:
            return _load(path)
        except OSError as error:
            why = str(error)
    raise TideError(f"cannot load libtide ({why}): install libtide0, or set TIDE_LIBRARY to the file")


def program() -> str:
    """The program tide: TIDE_PROGRAM, that of the source tree, or that of PATH."""
    given = os.environ.get("TIDE_PROGRAM")
    build = _source_tree()
    if given:
        return given
    if build and os.access(build / "tide", os.X_OK):
        return str(build / "tide")
    found = shutil.which("tide")
    if not found:
        raise TideError("there is no program tide: install it, or set TIDE_PROGRAM to the file")
    return found


def library_version() -> str:
    """The version of the libtide that this package has loaded, such as "0.1.0"."""
    version: bytes = library().tide_version()
    return version.decode()


def call(function: Callable[..., int], *arguments: Any) -> int:
    """Calls a function whose last argument is an error; raises what it says."""
    error = _abi.tide_error()
    rc = function(*arguments, byref(error))
    if rc < 0:
        text = error.text.decode(errors="replace") or os.strerror(-rc)
        raise TideError(text.replace("`near_size`", "`near`"), rc)
    return rc


@functools.lru_cache(maxsize=1)
def _free() -> Any:
    free = ctypes.CDLL(None).free
    free.restype, free.argtypes = None, [c_void_p]
    return free


def free(address: Any) -> None:
    """Gives back what the library allocated for its caller."""
    _free()(address)


def take_text(address: c_void_p) -> bytes:
    """A text that the library allocated, which is freed."""
    try:
        return ctypes.cast(address, c_char_p).value or b""
    finally:
        free(address)


def to_count(name: str, value: Any) -> int:
    """A number of threads or runs."""
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 1 << 16:
        raise ValueError(f"{name} is {value!r}: give a number, or 0 for one per core")
    return value


Text = Union[str, bytes, int, "os.PathLike[str]"]


def to_text(name: str, value: Optional[Text]) -> Optional[bytes]:
    """A value as the library takes it: a text, a file name, or a number."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (str, bytes, int, os.PathLike)):
        raise TypeError(f"{name} is a {type(value).__name__}: give a text as on the command line, or an int")
    data = str(value).encode() if isinstance(value, int) else os.fsencode(value)
    if b"\0" in data:
        raise ValueError(f"{name} has a zero byte: leave it out")
    return data
