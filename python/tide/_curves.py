"""Miss ratio curves."""

from __future__ import annotations

import ctypes
import sys
from ctypes import POINTER, byref, c_int, pointer
from typing import TYPE_CHECKING, Any, Iterable, List, Optional, Union

from . import _abi
from ._accesses import Accesses, gather
from ._library import Text, TideError, call, free, library, to_count, to_text
from ._progress import Meter, Progress
from ._settings import InputSettings, take_input
from ._tables import Rows
from ._work import run_one

if sys.version_info >= (3, 11):
    from typing import Unpack
elif TYPE_CHECKING:
    from typing_extensions import Unpack


class Curve(Rows):
    """The miss ratio curve of one policy.

    policy            its name
    points            rows: pages, misses, miss_ratio, and where they apply error, prefix_hits, near_bytes,
                      byte_miss_ratio and cost_miss_ratio
    accesses          of the input
    footprint_pages   distinct pages of the input; of a sampled curve, an estimate
    method            how it was computed, in words
    samples           0: the curve is exact
    sample_share      share of the pages in each sample, or None
    estimated_error   of a sampled curve: mean error of the miss ratios, or None
    """

    def __init__(self, policy: str, m: _abi.tide_mrc) -> None:
        self.policy = policy
        self.accesses: int = m.accesses
        self.footprint_pages: int = m.footprint_pages
        self.method: str = m.method.decode()
        self.samples: int = m.samples
        self.sample_share: Optional[float] = m.sample_share if m.samples else None
        self.estimated_error: Optional[float] = m.error if m.samples else None
        self._sizes = ",".join(
            str(m.objects[i].near_bytes) if m.objects else f"{m.at[i].size_pages}p" for i in range(m.n)
        )
        self.points = [_point(m, i) for i in range(m.n)]

    def rows(self) -> list[dict[str, Any]]:
        """One row per size, with the name of the policy."""
        return [{"policy": self.policy, **point} for point in self.points]

    def __repr__(self) -> str:
        return f"Curve({self.policy}, {len(self.points)} sizes, {self.method})"


def _point(m: _abi.tide_mrc, i: int) -> dict[str, Any]:
    at = m.at[i]
    pages = int(at.pages) if at.pages.is_integer() else at.pages
    point = {"pages": pages, "misses": at.misses, "miss_ratio": at.miss_ratio}
    if m.prefix_hits:
        point["prefix_hits"] = m.prefix_hits[i]
    if m.objects:
        o = m.objects[i]
        point.update(near_bytes=o.near_bytes, byte_miss_ratio=o.byte_miss_ratio, cost_miss_ratio=o.cost_miss_ratio)
    if m.errors:
        point["error"] = m.errors[i]
    return point


class Curves(Rows, List[Curve]):
    """Curves of the same input: a list of Curve."""

    def rows(self) -> list[dict[str, Any]]:
        """One row per policy and size."""
        return [row for curve in self for row in curve.rows()]


def _compute(policy: str, options: _abi.tide_mrc_options, progress: Any) -> Curve:
    found = POINTER(_abi.tide_mrc)()
    call(library().tide_mrc_run, byref(found), byref(options), progress, None)
    try:
        return Curve(policy, found.contents)
    finally:
        free(ctypes.cast(found, ctypes.c_void_p))


def _names(evict: Union[str, Iterable[str]]) -> list[str]:
    names: list[Any] = [evict] if isinstance(evict, str) or callable(evict) else list(evict)
    if any(not isinstance(name, str) for name in names):
        raise TypeError("a curve takes built-in policies and shared objects: for a policy written in Python, call sim() for each size")
    return names


def _sizes_text(sizes: Union[Text, Iterable[Text]]) -> Optional[bytes]:
    if isinstance(sizes, (str, bytes, int)):
        return to_text("near", sizes)
    listed = [str(size) for size in sizes]  # type: ignore[union-attr]
    if len(listed) == 1 and listed[0].isdigit():
        raise ValueError(f"near is [{listed[0]}], which would be a number of sizes: write '{listed[0]}p' for pages")
    return to_text("near", ",".join(listed))


def mrc(
    accesses: Any = None,
    *,
    evict: Union[str, Iterable[str]] = "lru",
    near: Union[Text, Iterable[Text]] = 50,
    sizes: Union[Text, Iterable[Text], None] = None,
    sample: Union[Text, float, None] = "auto",
    objects: bool = False,
    threads: int = 0,
    progress: Progress = "auto",
    **settings: Unpack[InputSettings],
) -> Curves:
    """Miss ratio curves: the misses for every size of near memory, as `tide mrc` gives them.

    accesses, progress
             as for sim(); an iterator is collected first
    evict    one or several eviction policies, or "vmin" and "osl", which are bounds
    near     a number of sizes up to the footprint; or sizes, as a list or a text: "1%,5%,1024p,64M"
    sizes    another spelling of near
    sample   "auto": long inputs are sampled where a policy does not have all sizes in one pass; a share of the pages, 0.01 or "1%";
             None: the curve is exact
    objects  True: objects have the sizes and costs of the input
    threads  for policies that do not have all sizes in one pass; 0: all cores
    settings see InputSettings

    Chunks have one page, and there is no prefetch. Returns Curves, a list of Curve with table(). All curves have the
    sizes of the first. The points equal those of `tide mrc --json`.

    >>> import tide
    >>> tide.mrc(list(range(100)) * 10, evict=["lru", "opt"], near="50p,100p")[1].points[0]["misses"]
    550
    """
    given = take_input(accesses, settings)
    names, stop = _names(evict), c_int()
    kept = None if accesses is None else gather(accesses)
    given["sample"] = to_text("sample", repr(sample) if isinstance(sample, float) else sample)
    wanted, curves = _sizes_text(near if sizes is None else sizes), Curves()
    for name in names:
        options = _options(given, name, wanted, kept, stop, objects, threads)
        with Meter(f"mrc {name}", progress) as meter:
            callback = meter.callback()
            try:
                curves.append(run_one(lambda: _compute(name, options, callback), stop, meter.look))
            except TideError as why:
                raise (TideError(f"{name}: {why}", why.code) if len(names) > 1 else why) from None
        wanted = curves[0]._sizes.encode()
    return curves


def _options(
    given: dict[str, Any],
    policy: str,
    sizes: Optional[bytes],
    accesses: Optional[Accesses],
    stop: c_int,
    objects: bool,
    threads: int,
) -> _abi.tide_mrc_options:
    options = _abi.tide_mrc_options(
        policy=to_text("evict", policy), sizes=sizes, objects=objects, threads=to_count("threads", threads), stop=pointer(stop), **given
    )
    if accesses is not None:
        options.kept = accesses.struct()
        options.accesses = pointer(options.kept)
    return options
