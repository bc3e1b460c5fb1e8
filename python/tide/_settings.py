"""The options of runs and curves, and what presets give them."""

from __future__ import annotations

from typing import Any, Mapping, Optional, TypedDict

from ._library import Text, to_text
from ._policy import PolicyLike

# As the command line has them; tests/python/test_sim.py compares the two.
_PRESETS = {
    "gpu": {"page": "64K", "chunk": "2M", "prefetch": "tree"},
    "cache": {"page": "4K", "chunk": "1p", "prefetch": "none"},
    "block": {"page": "4K", "chunk": "64K", "prefetch": "locality"},
}
RUN = ("page", "chunk", "prefetch")  # what a preset gives a run


class InputSettings(TypedDict, total=False):
    """What is read. Texts are written as on the command line, tide-sim(1).

    trace            file name of a trace, in place of accesses
    workload         a plain pattern such as "zipf:pages=1000", in place of accesses (see workloads())
    format, columns  of the trace; guessed if not given
    page             bytes per page, "4K"
    preset           "gpu", "cache" or "block": the page, and of runs the chunk and the prefetch, if they are not given
    seed             start of the random numbers, 1
    """

    trace: Optional[Text]
    workload: Optional[Text]
    format: Optional[Text]
    columns: Optional[Text]
    page: Optional[Text]
    preset: Optional[str]
    seed: Optional[Text]


class CommonSettings(InputSettings, total=False):
    """What a run may be given besides near: InputSettings (trace, workload, format, columns, page, preset, seed), and:

    chunk            "64K", or in pages "1p"
    host             with place: the size of tier 2, as near
    model            timed model, such as "h200"; without one there is no clock
    split            "stream": a cache per stream
    threads          with split: parts that run at a time; 0: one per core
    flush            with place: True: dirty pages are written to storage at the end
    objects          True: objects have the sizes and costs of the input
    log              file for the decisions
    replace_invalid  True: invalid answers of policies are counted and replaced
    no_digest        True: no digest of the input is made
    """

    chunk: Optional[Text]
    host: Optional[Text]
    model: Optional[Text]
    split: Optional[Text]
    threads: int
    flush: bool
    objects: bool
    log: Optional[Text]
    replace_invalid: bool
    no_digest: bool


class Settings(CommonSettings, total=False):
    """The same with the policies of one run.

    evict            eviction policy, "lrm"; or a class derived from Policy
    prefetch         prefetch policy, "tree"; or a class
    place            placement policy, with host; or a class
    """

    evict: Optional[PolicyLike]
    prefetch: Optional[PolicyLike]
    place: Optional[PolicyLike]


def with_preset(settings: Mapping[str, Any], *names: str) -> dict[str, Any]:
    """The settings with those of their preset that are not given, of these names."""
    preset = settings.get("preset")
    if preset is not None and preset not in _PRESETS:
        raise ValueError(f"unknown preset {preset}: there is {', '.join(_PRESETS)}")
    found = {name: value for name, value in settings.items() if name != "preset"}
    for name in names if preset else ():
        if found.get(name) is None:
            found[name] = _PRESETS[preset][name]  # type: ignore[index]
    return found


def check_input(accesses: Any, settings: Mapping[str, Any]) -> None:
    """One input, and one alone."""
    given = [name for name in ("trace", "workload") if settings.get(name) is not None]
    given += ["accesses"] if accesses is not None else []
    if len(given) != 1:
        what = " and ".join(given) if given else "no input"
        raise TypeError(f"{what}: give one of accesses, trace= and workload=")


def take_input(accesses: Any, settings: Mapping[str, Any]) -> dict[str, Any]:
    """InputSettings as the library takes them: one input, and no option that is not known."""
    for name in settings:
        if name not in InputSettings.__annotations__:
            raise TypeError(f"there is no option {name}: known of the input are {', '.join(InputSettings.__annotations__)}")
    check_input(accesses, settings)
    return {name: to_text(name, value) for name, value in with_preset(settings, "page").items()}
