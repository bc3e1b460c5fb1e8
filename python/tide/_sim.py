"""Simulated runs."""

from __future__ import annotations

import ctypes
import json
import sys
import threading
from ctypes import byref, c_int, c_void_p, pointer
from typing import TYPE_CHECKING, Any, Callable, Mapping, Optional

from . import _abi
from ._accesses import Accesses, batches, gather, is_stream
from ._library import Text, TideError, call, library, take_text, to_count, to_text
from ._policy import Bound, Policy
from ._progress import Meter, Progress
from ._results import Run
from ._settings import RUN, Settings, check_input, with_preset
from ._work import run_one

if sys.version_info >= (3, 11):
    from typing import Unpack
elif TYPE_CHECKING:
    from typing_extensions import Unpack


_KINDS = dict(_abi.tide_sim_options._fields_)
_CONVERT: dict[Any, Callable[[str, Any], Any]] = {
    ctypes.c_char_p: to_text,
    ctypes.c_size_t: to_count,
    ctypes.c_bool: lambda _, value: bool(value),
}


class Setup:
    """The options of one run, and all that they point to."""

    def __init__(
        self,
        near: Text,
        settings: Mapping[str, Any],
        stop: c_int,
        accesses: Optional[Accesses] = None,
        facts: Optional[_abi.tide_facts] = None,
    ) -> None:
        self.own: list[Bound] = []
        self.stop = stop
        self.options = _abi.tide_sim_options(near_size=to_text("near", near), stop=pointer(stop))
        self._kept: list[Any] = [accesses, facts]
        for name, value in settings.items():
            self._set(name, value)
        if accesses is not None:
            self._kept.append(accesses.struct())
            self.options.accesses = pointer(self._kept[-1])
        if facts is not None:
            self.options.facts = pointer(facts)
        self._list_own()

    def _set(self, name: str, value: Any) -> None:
        if name not in Settings.__annotations__:
            raise TypeError(f"there is no option {name}: known ones are near, {', '.join(Settings.__annotations__)}")
        if name in _abi.ROLES and callable(value):
            self.own.append(Bound(name, value, self.stop))
            value = self.own[-1].name
        if isinstance(value, Policy):
            raise TypeError(f"{name} is an object of {type(value).__name__}: give the class, since each run has its own")
        setattr(self.options, name, _CONVERT[_KINDS[name]](name, value))

    def _list_own(self) -> None:
        structs = [pointer(own.struct) for own in self.own]
        if structs:
            kind = ctypes.POINTER(_abi.tide_policy)
            table = (kind * (len(structs) + 1))(*structs)
            self._kept.append(table)
            self.options.own = ctypes.cast(table, ctypes.POINTER(kind))

    def failed(self) -> Optional[BaseException]:
        """What a policy of Python raised."""
        return next((own.failure for own in self.own if own.failure is not None), None)


class Handle:
    """A tide_sim that closes itself. All calls are made in a thread of _work; close() waits for them."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.address = c_void_p()
        self._lock = threading.Lock()
        self._close = library().tide_sim_close
        self.check(library().tide_sim_open, byref(self.address), byref(setup.options))

    def check(self, function: Callable[..., int], *arguments: Any) -> None:
        """Calls, and raises what a policy raised before what the library says of it."""
        try:
            with self._lock:
                call(function, *arguments)
        except TideError:
            if self.setup.failed() is None:
                raise
        why = self.setup.failed()
        if why is not None:
            raise why

    def run(self, progress: Any) -> None:
        self.check(library().tide_sim_run, self.address, progress, None)

    def result(self) -> Run:
        text = c_void_p()
        self.check(library().tide_sim_json, self.address, byref(text))
        return Run(json.loads(take_text(text)))

    def facts(self) -> _abi.tide_facts:
        facts = _abi.tide_facts()
        self.check(library().tide_sim_facts, self.address, byref(facts))
        return facts

    def close(self) -> None:
        with self._lock:
            address, self.address = self.address, c_void_p()
            if address:
                self._close(address)

    def __enter__(self) -> "Handle":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()


def simulate(setup: Setup, progress: Any) -> Run:
    """One whole run."""
    with Handle(setup) as handle:
        handle.run(progress)
        return handle.result()


def _needs_future(evict: Any) -> bool:
    from ._lists import policies_raw

    name = str(evict).split(":")[0]
    return any(p["name"] == name and "future" in p["needs"] for p in policies_raw())


def _can_stream(near: Text, settings: Mapping[str, Any]) -> bool:
    """Can accesses be pushed as they come, with the same counts as if all were known?"""
    alone = settings.get("prefetch") == "none" or settings.get("objects") or settings.get("place")
    shares = [str(near), str(settings.get("host"))]
    evict = settings.get("evict")
    if not alone or any(share.endswith("%") for share in shares) or settings.get("model") or settings.get("split"):
        return False
    return not callable(evict) and not _needs_future(evict)


def _stream(accesses: Any, near: Text, settings: Mapping[str, Any], progress: Progress) -> Run:
    """A run of accesses that are not kept."""
    done = 0
    with Simulator(near=near, **settings) as simulator, Meter("sim", progress) as meter:
        for batch in batches(accesses):
            simulator.push(batch)
            done += len(batch)
            meter.tell(done, 0)
            meter.look()
        return simulator.result()


def sim(
    accesses: Any = None,
    *,
    near: Text,
    progress: Progress = "auto",
    **settings: Unpack[Settings],
) -> Run:
    """Runs accesses under one combination of policies, as `tide sim` does.

    accesses  an array or a list of page numbers; Accesses; a dict or a DataFrame with the columns of Accesses; or
              an iterator of page numbers or of arrays. Instead, trace="FILE" or workload="zipf:pages=1000".
    near      near memory: bytes ("512M", or an int), pages ("1024p"), or a share of the footprint ("75%")
    progress  "auto": shown in notebooks and terminals; True, False, or a function of (done, total)
    settings  see Settings. The defaults are those of the command line: evict="lrm", prefetch="tree", chunk="64K".
              For a cache, give preset="cache".

    Returns a Run. Its counts equal those of `tide sim --json` for the same input.

    An iterator is pushed in batches and not kept if near is not a share, prefetch is "none", and the policy is built
    in and does not need the future. Otherwise its accesses are collected first.

    Ctrl-C ends the run. Raises TideError if the library refuses something, TypeError and ValueError for arguments
    that are wrong, and whatever a policy written in Python raised.

    >>> import tide
    >>> run = tide.sim([1, 2, 3, 1, 4, 1, 2, 5, 1, 2], near="3p", evict="lru", preset="cache")
    >>> run.faults, run.miss_ratio
    (6, 0.6)
    """
    check_input(accesses, settings)
    wanted = with_preset(settings, *RUN)
    if is_stream(accesses) and _can_stream(near, wanted):
        return _stream(accesses, near, wanted, progress)
    stop = c_int()
    setup = Setup(near, wanted, stop, None if accesses is None else gather(accesses))
    with Meter("sim", progress) as meter:
        callback = meter.callback()
        return run_one(lambda: simulate(setup, callback), stop, meter.look)


class Simulator:
    """A run whose accesses are pushed as they happen.

    near      in bytes or pages: the footprint is not known, so there are no shares
    settings  see Settings. trace, workload, model and split do not go together with pushing, and a policy that needs
              the future is refused. With a prefetch policy, the address range is all page numbers.

    Use it in a with statement, or close() it.

    >>> import tide
    >>> with tide.Simulator(near="75p", chunk="1p", prefetch="none", evict="lirs") as simulator:
    ...     for _ in range(10):
    ...         simulator.push(range(100))
    ...     simulator.counts["faults"]
    334
    """

    def __init__(self, *, near: Text, **settings: Unpack[Settings]) -> None:
        for name in ("trace", "workload"):
            if settings.get(name) is not None:
                raise TypeError(f"{name} is an input of its own: leave it out, or use sim()")
        self._stop = c_int()
        setup = Setup(near, with_preset(settings, *RUN), self._stop)
        self._handle = run_one(lambda: Handle(setup), self._stop)

    def push(self, accesses: Any) -> None:
        """Runs more accesses: all that sim() takes. If one fails, those before it count.

        A call starts a thread, so push many accesses at a time. After Ctrl-C the run cannot go on.
        """
        for batch in batches(accesses):
            struct = batch.struct()
            self._call(lambda: self._handle.check(library().tide_sim_push, self._handle.address, byref(struct)))

    def _call(self, job: Callable[[], Any]) -> Any:
        if not self._handle.address:
            raise TideError("the simulator is closed: open another one")
        return run_one(job, self._stop)

    def result(self) -> Run:
        """The run so far, as sim() gives it."""
        result: Run = self._call(self._handle.result)
        return result

    @property
    def counts(self) -> dict[str, int]:
        """The counts so far, by their names in `tide sim --json`."""
        return self.result().counts

    def close(self) -> None:
        """Ends the run. Closing twice is fine."""
        self._handle.close()

    def __enter__(self) -> "Simulator":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


