"""Policies written in Python, for prototypes."""

from __future__ import annotations

import ctypes
import errno
import functools
import operator
import re
from typing import Any, Callable, Iterable, NamedTuple, Optional, Union

from . import _abi

_ROOM = 2**64


class Evicted(NamedTuple):
    """Bitmaps of a chunk when it left near memory; bit i is its i-th page."""

    resident: int
    touched: int
    dirty: int


class View:
    """What a policy sees of near memory. Chunks are indices, pages are page numbers, bitmaps are ints."""

    def __init__(self, view: Any) -> None:
        self._view = view.contents

    @property
    def near(self) -> Any:
        """All of struct tide_near (tide/policy.h), such as capacity_pages, free_pages, time, chunk_pages."""
        return self._view.near.contents

    def _bits(self, chunk: int, lane: int) -> int:
        n = self.near
        if not 0 <= chunk < n.chunks:
            raise IndexError(f"there is no chunk {chunk}: indices are below {n.chunks}")
        at = n.bits + (chunk << n.record_shift) + lane * n.lane_bytes
        return int.from_bytes(ctypes.string_at(at, n.lane_bytes), "little")

    def resident(self, chunk: int) -> int:
        """The bitmap of the resident pages of a chunk; 0: it is not in near memory."""
        return self._bits(chunk, 0)

    def touched(self, chunk: int) -> int:
        """The bitmap of the pages of a chunk that were accessed since they came in."""
        return self._bits(chunk, 1)

    def dirty(self, chunk: int) -> int:
        """The bitmap of the pages of a chunk that were written to since they came in."""
        return self._bits(chunk, 2)

    def valid(self, chunk: int) -> bool:
        """May this resident chunk be the victim now? pick_victim() must skip a chunk that may not."""
        n = self.near
        if chunk == n.fault_chunk:
            return False
        return not (n.planned and n.planned[chunk // 64] >> chunk % 64 & 1)

    def number(self, chunk: int) -> int:
        """The number of a chunk: the number of its first page, divided by near.chunk_pages."""
        n = self.near
        return int(n.numbers[chunk]) if n.numbers else chunk

    def find(self, number: int) -> Optional[int]:
        """The chunk with this number, or None if it never was in use."""
        chunk = self.near.find(ctypes.addressof(self.near), number)
        return None if chunk == _abi.NO_CHUNK else chunk

    def next_use(self, chunk: int) -> Optional[int]:
        """The time of the next access to a chunk, or None: never. Only with "future" in needs."""
        n = self.near
        if not n.next_use:
            raise ValueError('next_use() needs the future: write needs = ("future",) in the policy')
        return n.next_use[chunk] or None

    def object_bytes(self, chunk: int) -> int:
        """The size of an object, if objects have sizes; otherwise of a page."""
        n = self.near
        return int(n.objects[chunk].bytes if n.objects else n.page_bytes)

    def object_cost(self, chunk: int) -> int:
        """The cost of a fetch of an object; 1 if the input has none."""
        n = self.near
        return int(n.objects[chunk].cost) if n.objects else 1

    def random_below(self, n: int) -> int:
        """A number from 0 to n - 1, by the seed of the run."""
        state = self._view.random
        x = state[0] = (state[0] + 0x9E3779B97F4A7C15) % _ROOM
        x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) % _ROOM
        x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) % _ROOM
        return int(x ^ (x >> 31)) % n


class Policy:
    """A policy written in Python. Derive from it, and give the class as evict, prefetch or place.

    It is slow: each callback costs about a microsecond and the time of its Python code, so a run is 10 to 100
    times slower than with a policy in C. Use it to try an idea on a short input, then write it in C
    (docs/writing-a-policy.md).

    The contract is that of include/tide/policy.h. The engine calls only the methods that a class defines. Notices
    are in the past tense; questions must be answered. An invalid answer ends the run, and so does an exception,
    which the caller of sim() or compare() gets. Each run makes its own object, by calling the class without
    arguments; functools.partial gives it some.

        class Fifo(tide.Policy):
            def start(self):
                self.order = collections.OrderedDict()
            def on_migrated(self, chunk, pages):
                self.order.setdefault(chunk)
            def on_evicted(self, chunk, what):
                del self.order[chunk]
            def pick_victim(self):
                return next(c for c in self.order if self.view.valid(c))

    name     how results call it; the name of the class in small letters if not set
    summary  one line
    needs    of "future", "refs", "pages" (chunks of one page only), "clock", "touched" and "sizes" (it is right
             for objects of several sizes). A policy that defines on_access() needs "accesses" by that.
    view     near memory, from start() on: see View

    Observation (on_notice, pick_observed, plan_notice), training and remote pages are for policies in C.
    """

    name: str = ""
    summary: str = "a policy written in Python"
    needs: tuple[str, ...] = ()
    view: View

    def start(self) -> None:
        """The run begins, and self.view is there."""

    def on_full(self) -> None:
        """Room is short for the first time."""

    def on_fault(self, chunk: int, page: int) -> None:
        """An absent page was accessed."""

    def on_migrated(self, chunk: int, pages: int) -> None:
        """Pages, a bitmap, came into near memory."""

    def on_access(self, chunk: int, page: int, ref: int) -> None:
        """A page was accessed, a hit or the access that faulted."""

    def on_evicted(self, chunk: int, what: Evicted) -> None:
        """A chunk left near memory."""

    def on_boundary(self, kernel: int) -> None:
        """A kernel of the workload ended. Only with a model."""

    def pick_victim(self) -> Optional[int]:
        """For evict: the chunk that is to leave, resident and valid."""
        raise NotImplementedError

    def follows_lru(self) -> bool:
        """For evict: does the policy now choose by recency?"""
        return True

    def plan_prefetch(self, chunk: int, page: int) -> Iterable[int]:
        """For prefetch: the numbers of the pages that should come in with the page that faulted."""
        return ()

    def place_victim(self, chunk: int) -> str:
        """For place: where the victim goes, "keep", "tier2" or "tier3"."""
        raise NotImplementedError

    def yields(self, oldest: int, chunk: int) -> bool:
        """For place: tier 2 is full; does its oldest page make room for the victim?"""
        return True

    def report(self) -> dict[str, Any]:
        """What the result says under "policy": numbers, texts, and lists of whole numbers."""
        return {}


PolicyLike = Union[str, Callable[[], Policy]]  # a name as on the command line, or a class


def _name_of(factory: Any, policy: Policy) -> str:
    name = policy.name or type(policy).__name__.lower()
    if not re.fullmatch(r"[A-Za-z0-9_.-]{1,63}", name) or "/" in name:
        raise ValueError(f"{name!r} is no name of a policy: use letters, digits, - and _")
    return name


def _needs_of(policy: Policy) -> int:
    unknown = set(policy.needs) - set(_abi.NEEDS) | set(policy.needs) & {"notices", "samples", "remote"}
    if unknown:
        raise ValueError(f"a policy in Python cannot need {', '.join(sorted(unknown))}: see tide.Policy")
    needs = set(policy.needs) | ({"accesses"} if _defines(policy, "on_access") else set())
    return sum(1 << _abi.NEEDS.index(need) for need in needs)


def _defines(policy: Policy, method: str) -> bool:
    return getattr(type(policy), method) is not getattr(Policy, method)


# ---- callbacks: what the engine gives, as the method takes it, and back ----


def _plan(policy: Policy, chunk: int, page: int, plan: Any) -> None:
    per_chunk = policy.view.near.chunk_pages
    by_number: dict[int, int] = {}
    for wanted in policy.plan_prefetch(chunk, page):
        number, bit = divmod(operator.index(wanted), per_chunk)
        if not 0 <= number * per_chunk < _ROOM:
            raise ValueError(f"plan_prefetch() wants page {wanted}: give page numbers from 0 to 2**64 - 1")
        by_number[number] = by_number.get(number, 0) | 1 << bit
    to = plan.contents
    to.own |= by_number.pop(page // per_chunk, 0)
    for i, (number, pages) in enumerate(by_number.items()):
        if i == _abi.PLAN_ENTRIES:
            to.overflow = True
            break
        to.other[i].number, to.other[i].pages, to.n = number, pages, i + 1


def _victim(policy: Policy) -> int:
    chunk = policy.pick_victim()
    index = _abi.NO_CHUNK if chunk is None else operator.index(chunk)
    if not 0 <= index <= _abi.NO_CHUNK:
        raise ValueError(f"pick_victim() gave {chunk}: give the index of a resident chunk")
    return index


def _placement(policy: Policy, chunk: int) -> int:
    where = policy.place_victim(chunk)
    if where not in _abi.PLACEMENTS:
        raise ValueError(f"place_victim() gave {where!r}: give {', '.join(_abi.PLACEMENTS)}")
    return _abi.PLACEMENTS[where]


def _evicted(policy: Policy, chunk: int, what: Any) -> None:
    w = what.contents
    policy.on_evicted(chunk, Evicted(w.resident, w.touched, w.dirty))


def _report(policy: Policy, report: Any) -> None:
    to = report.contents
    for key, value in policy.report().items():
        name = str(key).encode()
        if value is None or isinstance(value, str):
            to.text(to.to, name, None if value is None else value.encode())
        elif isinstance(value, float):
            to.real(to.to, name, value)
        elif isinstance(value, (list, tuple)):
            to.list(to.to, name, (ctypes.c_uint64 * len(value))(*value), len(value))
        else:
            to.number(to.to, name, operator.index(value))


# How each callback is made where it is not the method itself.
_CALLBACKS: dict[str, Callable[..., Any]] = {
    "plan_prefetch": _plan,
    "pick_victim": _victim,
    "place_victim": _placement,
    "on_evicted": _evicted,
    "report": _report,
}
# Every method that the struct has a callback for.
_METHODS = [name for name, _ in _abi.tide_policy._fields_ if name in vars(Policy) and callable(vars(Policy)[name])]
_AFTER_FAILURE = {"pick_victim": _abi.NO_CHUNK, "place_victim": 3, "follows_lru": True, "yields": True}


class Bound:
    """A class as a struct tide_policy. It must live as long as the handle that uses it."""

    def __init__(self, role: str, factory: Callable[[], Policy], stop: ctypes.c_int) -> None:
        self.failure: Optional[BaseException] = None
        self._factory, self._stop = factory, stop
        self._first: Optional[Policy] = factory()
        if not isinstance(self._first, Policy):
            raise TypeError(f"{role} gave a {type(self._first).__name__}: derive the class from tide.Policy")
        self._live: dict[int, Policy] = {}
        self._callbacks: list[Any] = []
        self.name = _name_of(factory, self._first)
        self.struct = self._fill(role, self._first)

    def _fill(self, role: str, policy: Policy) -> _abi.tide_policy:
        s = _abi.tide_policy(
            api=_abi.POLICY_API,
            size=ctypes.sizeof(_abi.tide_policy),
            name=self.name.encode(),
            role=_abi.ROLES.index(role),
            summary=policy.summary.encode(),
            needs=_needs_of(policy),
            state_bytes=8,  # so that each object has an address of its own
        )
        kinds: dict[str, Any] = dict(_abi.tide_policy._fields_)
        callbacks: dict[str, Callable[..., Any]] = {"create": self._create, "destroy": self._destroy}
        callbacks.update((method, self._guard(method)) for method in _METHODS if _defines(policy, method))
        for name, function in callbacks.items():
            self._callbacks.append(kinds[name](function))
            setattr(s, name, self._callbacks[-1])
        return s

    def _fail(self, why: BaseException) -> None:
        self.failure = self.failure or why
        self._stop.value = 1

    def _create(self, state: int, view: Any, _: Any, err: Any) -> int:
        try:
            policy = self._first or self._factory()
            self._first = None
            policy.view = View(view)
            self._live[state] = policy
            policy.start()
            return 0
        except BaseException as why:
            self._fail(why)
            err.contents.code, err.contents.text = -errno.ECANCELED, b"the policy failed to start"
            return -errno.ECANCELED

    def _destroy(self, state: int) -> None:
        self._live.pop(state, None)

    def _guard(self, method: str) -> Callable[..., Any]:
        """No exception may pass through the engine: it is kept for the caller of the run."""
        function = _CALLBACKS.get(method) or functools.partial(_call, method)
        live, after = self._live, _AFTER_FAILURE.get(method)

        def guarded(state: int, *arguments: Any) -> Any:
            if self.failure is not None:
                return after
            try:
                return function(live[state], *arguments)
            except BaseException as why:
                self._fail(why)
                return after

        return guarded


def _call(method: str, policy: Policy, *arguments: Any) -> Any:
    answer = getattr(policy, method)(*arguments)
    return bool(answer) if method in ("follows_lru", "yields") else None
