"""What the library has: policies, workloads, models."""

from __future__ import annotations

from ctypes import byref
from typing import Any, Callable, Optional

from . import _abi
from ._library import library
from ._tables import table


def _text(value: Optional[bytes]) -> Optional[str]:
    return None if value is None else value.decode(errors="replace")


def _param(row: Any) -> dict[str, Any]:
    kind = _abi.PARAM_TYPES[row.type] if row.type < len(_abi.PARAM_TYPES) else "text"
    found: dict[str, Any] = {"name": _text(row.name), "type": kind, "default": _text(row.initial)}
    if kind in ("int", "real"):
        found.update(min=row.min, max=row.max)
    found["help"] = _text(row.help)
    return found


def _params(rows: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    while rows and rows[len(found)].name:
        found.append(_param(rows[len(found)]))
    return found


def policies_raw() -> list[dict[str, Any]]:
    """The policies as dicts."""
    found: list[dict[str, Any]] = []
    while True:
        at = library().tide_policy_at(len(found))
        if not at:
            return found
        p = at.contents
        found.append({
            "name": _text(p.name),
            "role": _abi.ROLES[p.role],
            "summary": _text(p.summary),
            "paper": _text(p.paper),
            "needs": [need for i, need in enumerate(_abi.NEEDS) if p.needs >> i & 1],
            "params": _params(p.params),
        })  # fmt: skip


def policies(role: Optional[str] = None) -> Any:
    """The built-in policies as a table: name, role, summary, paper, needs, params.

    role  "evict", "prefetch" or "place"; None: all

    Returns a pandas DataFrame, or a list of dicts where pandas is not installed.
    """
    if role not in (None, *_abi.ROLES):
        raise ValueError(f"there is no role {role!r}: give {', '.join(_abi.ROLES)}")
    return table(p for p in policies_raw() if role in (None, p["role"]))


def _infos(kind: Any, function: Callable[..., int]) -> list[Any]:
    found: list[Any] = []
    while True:
        info = kind()
        if function(len(found), byref(info)):
            return found
        found.append(info)


def workloads() -> Any:
    """The plain patterns of the library as a table: name, summary, footprint_bytes, accesses, params.

    Returns a pandas DataFrame, or a list of dicts where pandas is not installed. `tide workloads` also lists the
    papers' applications, which are part of the program.
    """
    return table(
        {
            "name": _text(w.name),
            "summary": _text(w.summary),
            "footprint_bytes": w.footprint_bytes,
            "accesses": w.accesses,
            "params": _params(w.params),
        }
        for w in _infos(_abi.tide_workload_info, library().tide_workload_at)
    )


def models() -> Any:
    """The timed models as a table: name, summary, params.

    Returns a pandas DataFrame, or a list of dicts where pandas is not installed.
    """
    return table(
        {"name": _text(m.name), "summary": _text(m.summary), "params": _params(m.params)}
        for m in _infos(_abi.tide_model_info, library().tide_model_at)
    )
