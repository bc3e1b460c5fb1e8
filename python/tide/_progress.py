"""Shows how far a call is: in a notebook as a bar, in a terminal as a line."""

from __future__ import annotations

import sys
import time
from typing import Any, Callable, Optional, Union

from . import _abi

Progress = Union[bool, str, Callable[[int, int], Any]]

_SHOW_AFTER_SECONDS = 0.5  # quick calls show nothing


class _Bar:
    """What a notebook shows."""

    def __init__(self, what: str, done: int, total: int) -> None:
        self.what, self.done, self.total = what, done, total

    def __repr__(self) -> str:
        return f"{self.what}: {100 * self.done // self.total}%" if self.total else f"{self.what}: {self.done:,}"

    def _repr_html_(self) -> str:
        bar = f'<progress value="{self.done}" max="{self.total}"></progress> ' if self.total else ""
        return bar + repr(self)


class _Nothing:
    """What a notebook shows at the end."""

    def __repr__(self) -> str:
        return ""

    def _repr_html_(self) -> str:
        return ""


class _Notebook:
    def __init__(self, what: str) -> None:
        self.what = what
        self.handle: Any = None

    def show(self, done: int, total: int) -> None:
        bar = _Bar(self.what, done, total)
        if self.handle is None:
            from IPython.display import display

            self.handle = display(bar, display_id=True)
        else:
            self.handle.update(bar)

    def end(self) -> None:
        if self.handle is not None:
            self.handle.update(_Nothing())


class _Line:
    def __init__(self, what: str) -> None:
        self.what = what
        self.drawn = 0

    def show(self, done: int, total: int) -> None:
        text = repr(_Bar(self.what, done, total))
        sys.stderr.write("\r" + text.ljust(self.drawn))
        sys.stderr.flush()
        self.drawn = len(text)

    def end(self) -> None:
        if self.drawn:
            sys.stderr.write("\r" + " " * self.drawn + "\r")
            sys.stderr.flush()


class _Told:
    """A function of the caller's."""

    def __init__(self, function: Callable[[int, int], Any]) -> None:
        self.show = function

    def end(self) -> None:
        pass


def in_notebook() -> bool:
    """Does this process serve a notebook?"""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    return hasattr(shell, "kernel")


def _display(what: str, progress: Progress) -> Union[_Notebook, _Line, _Told, None]:
    if callable(progress):
        return _Told(progress)
    if progress not in ("auto", True, False):
        raise ValueError(f"progress is {progress!r}: give True, False, 'auto' or a function of (done, total)")
    if progress and in_notebook():
        return _Notebook(what)
    if progress is True or (progress == "auto" and sys.stderr is not None and sys.stderr.isatty()):
        return _Line(what)
    return None


class Meter:
    """The progress of some jobs. The library calls callback()s in any thread; look() shows, in the caller's."""

    def __init__(self, what: str, progress: Progress, jobs: int = 1) -> None:
        self._display = _display(what, progress)
        self._parts = [(0, 0)] * jobs
        self._began = time.monotonic()
        self._shown: Optional[tuple[int, int]] = None

    def callback(self, job: int = 0) -> Any:
        """For the library, to be kept until its call has returned."""
        if self._display is None:
            return _abi.progress_function(0)  # NULL

        return _abi.progress_function(lambda _, done, total: self.tell(done, total, job))

    def tell(self, done: int, total: int, job: int = 0) -> None:
        """A job has come so far; total is 0 if not known."""
        self._parts[job] = (done, total)

    def _sum(self) -> tuple[int, int]:
        """Jobs that have not begun are as long as the longest."""
        done = sum(part[0] for part in self._parts)
        longest = max(part[1] for part in self._parts)
        return (min(done, longest * len(self._parts)), longest * len(self._parts)) if longest else (done, 0)

    def look(self) -> None:
        """Shows what has changed, once the call takes long enough."""
        now = self._sum()
        if self._display and self._is_due() and now not in (self._shown, (0, 0)):
            self._shown = now
            self._display.show(*now)

    def _is_due(self) -> bool:
        return isinstance(self._display, _Told) or time.monotonic() - self._began > _SHOW_AFTER_SECONDS

    def __enter__(self) -> "Meter":
        return self

    def __exit__(self, *_: Any) -> None:
        if self._display:
            self._display.end()
