"""Runs calls of the library in threads, while the caller's thread listens for Ctrl-C.

Python hears Ctrl-C only between its own instructions, so a long call in the main thread would keep it waiting. A
job opens, uses and closes its handle by itself. So nothing is closed under a call, however the caller leaves.
"""

from __future__ import annotations

import ctypes
import errno
import threading
from typing import Callable, Generic, Optional, Sequence, TypeVar

from ._library import TideError

T = TypeVar("T")

_LOOK_SECONDS = 0.1
_PATIENCE_SECONDS = 1.0  # after which a policy written in Python is interrupted itself


def _is_stopped(why: BaseException) -> bool:
    """Is it a run that ended because another one failed?"""
    return getattr(why, "code", 0) == -errno.ECANCELED


class _Crew(Generic[T]):
    """Threads that do jobs in their order until all are done, one fails, or stop is set.

    Thread.join() is not used: after Ctrl-C, Python 3.11 takes the thread for ended.
    """

    def __init__(self, jobs: Sequence[Callable[[], T]], stop: ctypes.c_int, threads: int) -> None:
        self.stop = stop
        self.results: dict[int, T] = {}
        self.failure: Optional[BaseException] = None
        self._todo = list(enumerate(jobs))[::-1]
        self._threads = max(1, min(threads, len(jobs)))
        self._changed = threading.Condition()
        self._at_work: set[threading.Thread] = set()
        self._ended = 0

    def _take(self) -> tuple[int, Optional[Callable[[], T]]]:
        with self._changed:
            return self._todo.pop() if self._todo and not self.stop.value else (-1, None)

    def _do(self, at: int, job: Callable[[], T]) -> None:
        try:
            self.results[at] = job()
        except BaseException as why:  # the caller's thread raises it
            with self._changed:
                if self.failure is None or _is_stopped(self.failure):
                    self.failure = why
            self.stop.value = 1

    def _work(self) -> None:
        me = threading.current_thread()
        try:
            with self._changed:
                self._at_work.add(me)
            at, job = self._take()
            while job is not None:
                self._do(at, job)
                at, job = self._take()
        except KeyboardInterrupt:  # by _interrupt(), just after the job
            pass
        finally:
            with self._changed:
                self._at_work.discard(me)
                self._ended += 1
                self._changed.notify_all()

    def wait(self, look: Optional[Callable[[], None]]) -> None:
        for _ in range(self._threads):
            threading.Thread(target=self._work).start()
        while True:
            with self._changed:
                if self._changed.wait_for(lambda: self._ended == self._threads, _LOOK_SECONDS):
                    return
            if look:
                look()

    def end(self) -> None:
        """Waits for the threads at work, which end soon after stop is set."""
        self.stop.value = 1
        while self._at_work:
            try:
                with self._changed:
                    if not self._changed.wait_for(lambda: not self._at_work, _PATIENCE_SECONDS):
                        self._interrupt()
            except KeyboardInterrupt:  # the first one is being served
                pass

    def _interrupt(self) -> None:
        """Ends loops of Python code, such as one in a policy."""
        self._at_work = {thread for thread in self._at_work if thread.is_alive()}
        for thread in self._at_work:
            ident = ctypes.c_ulong(thread.ident or 0)
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ident, ctypes.py_object(KeyboardInterrupt))


def run_all(
    jobs: Sequence[Callable[[], T]],
    stop: ctypes.c_int,
    threads: int = 1,
    look: Optional[Callable[[], None]] = None,
) -> list[T]:
    """The results of the jobs. Raises what the first failing job raised, or Ctrl-C."""
    crew = _Crew(jobs, stop, threads)
    try:
        crew.wait(look)
    except BaseException:
        crew.end()
        raise
    if crew.failure:
        raise crew.failure
    if len(crew.results) < len(jobs):
        raise TideError("the run was stopped before: open another one", -errno.ECANCELED)
    return [crew.results[i] for i in range(len(jobs))]


def run_one(job: Callable[[], T], stop: ctypes.c_int, look: Optional[Callable[[], None]] = None) -> T:
    """The same for one job."""
    return run_all([job], stop, 1, look)[0]
