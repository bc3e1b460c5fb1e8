"""The same input under several combinations of policies."""

from __future__ import annotations

import os
import sys
from ctypes import c_int
from typing import TYPE_CHECKING, Any, Iterable, List, Mapping, NamedTuple, Optional, Union

from ._accesses import Accesses, gather
from ._library import Text, TideError, to_count
from ._policy import PolicyLike
from ._progress import Meter, Progress
from ._results import Run, row_of
from ._settings import RUN, CommonSettings, check_input, with_preset
from ._sim import Handle, Setup, simulate
from ._tables import Rows, Table
from ._work import run_all, run_one

if sys.version_info >= (3, 11):
    from typing import Unpack
elif TYPE_CHECKING:
    from typing_extensions import Unpack

Several = Union[PolicyLike, Iterable[PolicyLike], None]

# As `tide compare` has them; tests/python/test_compare.py compares the two.
_FOR_OBJECTS = ("fifo", "lru", "clock", "lfu", "sieve", "random")
_FOR_PAGES = ("fifo", "lrm", "lru", "clock", "lfu", "sieve", "arc", "opt")
_FOR_CHUNKS = ("fifo", "lrm", "lru", "clock", "lfu", "mru", "random", "opt")


class _Combination(NamedTuple):
    evict: Optional[PolicyLike]
    prefetch: Optional[PolicyLike]
    place: Optional[PolicyLike] = None

    def __str__(self) -> str:
        return "+".join(getattr(p, "__name__", str(p)) for p in self if p is not None)


class Runs(Rows, List[Run]):
    """Runs on the same input: a list of Run."""

    def cost(self, run: Run) -> int:
        """What the best run has least of: simulated time, pages moved to and from tier 3, or faults."""
        if run.time_ns:
            return run.time_ns
        return run.tier3_reads + run.tier3_writes if run.config["place"] else run.faults

    @property
    def best(self) -> Run:
        """The run with the least cost."""
        return min(self, key=self.cost)

    def rows(self) -> list[dict[str, Any]]:
        """One row per run: x_best is its cost divided by that of the best."""
        least = self.cost(self.best) if self else 0
        return [
            {"evict": run.config["evict"], "prefetch": run.config["prefetch"],
             "x_best": self.cost(run) / least if least else None, **row_of(run.document)}
            for run in self
        ]  # fmt: skip

    def __repr__(self) -> str:
        least = self.cost(self.best) if self else 0
        settings = ("evict", "prefetch", "place", "near_pages")
        return repr(
            Table(
                {**{key: run.config[key] for key in settings}, "faults": run.faults, "miss_ratio": run.miss_ratio,
                 "x_best": self.cost(run) / least if least else None}
                for run in self
            )
        )  # fmt: skip


def _listed(several: Several) -> list[PolicyLike]:
    if several is None:
        return []
    if isinstance(several, str) or callable(several):
        return [several]
    return list(several)


def _is_one_page(settings: Mapping[str, Any]) -> bool:
    """Is a chunk one page? The library knows."""
    sizes = {"page": settings.get("page"), "chunk": settings.get("chunk"), "evict": "lru", "prefetch": "none"}
    with Handle(Setup("64p", sizes, c_int())) as handle:
        return bool(handle.result().config["chunk_pages"] == 1)


def _default_evict(settings: Mapping[str, Any]) -> tuple[str, ...]:
    if settings.get("objects"):
        return _FOR_OBJECTS
    if settings.get("model"):  # with a clock nobody knows the future
        return _FOR_CHUNKS[:-1]
    return _FOR_PAGES if _is_one_page(settings) else _FOR_CHUNKS


def _split(text: str) -> _Combination:
    """At the last plus sign: values of an eviction policy may hold some."""
    evict, plus, prefetch = text.rpartition("+")
    if not evict or not prefetch:
        raise ValueError(f"{text!r} is no combination: write EVICT+PREFETCH, such as 'lrm+tree'")
    return _Combination(evict, prefetch)


def _combinations(
    evict: Several, prefetch: Several, place: Several, policies: Union[str, Iterable[str], None], settings: Mapping[str, Any]
) -> list[_Combination]:
    single = [_split(str(text)) for text in _listed(policies)]
    evicts, prefetches = _listed(evict), _listed(prefetch)
    places: list[Optional[PolicyLike]] = [*_listed(place)]
    if single and places:
        raise ValueError("policies and place do not go together: leave one out")
    if single and not evicts and not prefetches:
        return single
    usual = settings.get("prefetch") or ("none" if places or settings.get("objects") else "tree")
    evicts = evicts or (["clock"] if places else list(_default_evict(settings)))
    prefetches = prefetches or [usual]
    grid = [_Combination(e, p, where) for e in evicts for p in prefetches for where in places or [None]]
    return grid + single


class _Comparison:
    def __init__(self, near: Text, settings: Mapping[str, Any], accesses: Optional[Accesses], all_: list[_Combination]) -> None:
        self.near, self.settings, self.accesses, self.all = near, settings, accesses, all_
        self.stop = c_int()

    def _setup(self, one: _Combination, facts: Any = None) -> Setup:
        settings = dict(self.settings, **one._asdict())
        return Setup(self.near, settings, self.stop, self.accesses, facts)

    def look(self) -> Any:
        """What the first run has to find out about the input, for all of them."""
        with Handle(self._setup(self.all[0])) as handle:
            return handle.facts()

    def run(self, one: _Combination, facts: Any, progress: Any) -> Run:
        try:
            return simulate(self._setup(one, facts), progress)
        except TideError as why:
            raise TideError(f"{one}: {why}", why.code) from None


def compare(
    accesses: Any = None,
    *,
    near: Text,
    evict: Several = None,
    prefetch: Several = None,
    place: Several = None,
    policies: Union[str, Iterable[str], None] = None,
    jobs: int = 0,
    progress: Progress = "auto",
    **settings: Unpack[CommonSettings],
) -> Runs:
    """Runs the same input under several combinations of policies, as `tide compare` does.

    accesses, near, progress, settings
              as for sim(); an iterator is collected first
    evict     eviction policies, each a name or a class; the default is that of `tide compare`, eight policies
    prefetch  prefetch policies; every evict is combined with every prefetch. The default is that
              of the preset, or "tree".
    place     placement policies, with host
    policies  single combinations, such as "mhpe+pattern"
    jobs      runs at the same time; 0: one per core. Policies written in Python share one core.

    Returns Runs, a list of Run in the order of the combinations, with table() and best.

    Raises what sim() raises, at the first run that fails.

    >>> import tide
    >>> runs = tide.compare([1, 2, 3, 1, 4, 1, 2, 5, 1, 2], near="3p", preset="cache", evict=["fifo", "lru", "opt"])
    >>> [(run.config["evict"], run.faults) for run in runs]
    [('fifo', 7), ('lru', 6), ('opt', 5)]
    """
    check_input(accesses, settings)
    given = with_preset(settings, *RUN)
    wanted = _combinations(evict, prefetch, place, policies, given)
    all_ = _Comparison(near, given, None if accesses is None else gather(accesses), wanted)
    facts = run_one(all_.look, all_.stop)
    with Meter("compare", progress, len(wanted)) as meter:
        callbacks = [meter.callback(i) for i in range(len(wanted))]

        def job(i: int) -> Any:
            return lambda: all_.run(wanted[i], facts, callbacks[i])

        done = run_all([job(i) for i in range(len(wanted))], all_.stop, to_count("jobs", jobs) or os.cpu_count() or 1, meter.look)
    return Runs(done)
