"""Results: of runs that this package makes, and of files that the program wrote."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from typing import Any, Union

from ._library import TideError
from ._tables import Rows, table

Source = Union[str, "os.PathLike[str]", dict[str, Any]]

# Sections of a document whose keys become columns. input.accesses is left out: counts has it.
_SECTIONS = ("input", "config", "record", "counts", "time", "wall")
_OWN_NAMES = {"record": "{}_digest", "wall": "wall_{}"}


def _number(value: Any) -> Any:
    """Numbers above 2**63 - 1 are texts in JSON."""
    return int(value) if isinstance(value, str) and value.isdigit() else value


def _columns(document: dict[str, Any], section: str) -> dict[str, Any]:
    pattern = _OWN_NAMES.get(section, "{}")
    content = document.get(section) or {}
    return {
        pattern.format(key): value if key in ("trace", "workload") else _number(value)
        for key, value in content.items()
        if (section, key) != ("input", "accesses")
    }


def row_of(document: dict[str, Any]) -> dict[str, Any]:
    """A run as one flat row: input, config, digests, counts, times, what the policies report, and the rest."""
    row: dict[str, Any] = {}
    for section in _SECTIONS:
        row.update(_columns(document, section))
    for key, value in (document.get("policy") or {}).items():
        row[f"policy.{key}"] = value
    for key in ("error", "command", "key", "grid", "index"):
        if key in document:
            row[key] = document[key]
    return row


class Run(Rows):
    """The result of a run. Every count is an attribute too: run.faults.

    document  the JSON document of `tide sim --json`, as dicts
    counts    its counts
    """

    def __init__(self, document: dict[str, Any]) -> None:
        self.document = document
        self.counts: dict[str, int] = {name: int(value) for name, value in document["counts"].items()}

    def __getattr__(self, name: str) -> int:
        counts = self.__dict__.get("counts", {})
        if name in counts:
            return int(counts[name])
        raise AttributeError(f"a run has no {name}: its counts are {', '.join(counts)}")

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.counts]

    @property
    def config(self) -> dict[str, Any]:
        """Sizes, policies and seed of the run."""
        config: dict[str, Any] = self.document["config"]
        return config

    @property
    def policy(self) -> dict[str, Any]:
        """What the policies report."""
        policy: dict[str, Any] = self.document["policy"]
        return policy

    @property
    def time_ns(self) -> int:
        """The simulated time; 0 without a model."""
        return int(self.document["time"]["simulated_ns"])

    @property
    def miss_ratio(self) -> float:
        """Faults divided by accesses."""
        return self.counts["faults"] / max(1, self.counts["accesses"])

    def rows(self) -> list[dict[str, Any]]:
        """The run as one flat row."""
        return [row_of(self.document)]

    def __repr__(self) -> str:
        c = self.config
        return (
            f"Run({c['evict']}+{c['prefetch']}, {c['near_pages']:,} near pages:"
            f" {self.counts['faults']:,} faults in {self.counts['accesses']:,} accesses)"
        )


# ---- files ----


def _parse(text: str, where: str) -> dict[str, Any]:
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as why:
        raise TideError(f"{where} is no JSON ({why}): give what tide wrote with --json or --output") from None
    if not isinstance(document, dict):
        raise TideError(f"{where} is no JSON object: give what tide wrote with --json or --output")
    return document


def _lines(file: Iterable[str], first: str, path: str) -> Iterator[dict[str, Any]]:
    """JSON lines. The last one may be cut, where a sweep was killed or still runs."""
    last, at = first, 1
    for at, line in enumerate(file, 2):
        if last.strip():
            yield _parse(last, f"{path} line {at - 1}")
        last = line
    if last.endswith("\n") and last.strip():
        yield _parse(last, f"{path} line {at}")


def _is_line(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


def _documents(source: Source) -> Iterator[dict[str, Any]]:
    if isinstance(source, dict):
        yield source
        return
    path = os.fspath(source)
    try:
        with open(path, encoding="utf-8") as file:
            first = next((line for line in file if line.strip()), "")
            if _is_line(first) and first.endswith("\n"):
                yield from _lines(file, first, path)
            elif first:
                yield _parse(first + file.read(), path)
    except UnicodeDecodeError:
        raise TideError(f"{path} is no text in UTF-8: give what tide wrote with --json or --output") from None


def _runs_in(document: dict[str, Any], where: str) -> list[dict[str, Any]]:
    """A document of tide sim, a line of a sweep, or the runs of tide compare."""
    if isinstance(document.get("runs"), list):
        return [run for run in document["runs"] if isinstance(run, dict)]
    if "counts" in document or "error" in document:
        return [document]
    hint = "use read_curves()" if "curve" in document else "give results of sim, compare or sweep"
    raise TideError(f"{where} has no runs: {hint}")


def read_results(*sources: Source) -> Any:
    """Reads results of runs as a table: a pandas DataFrame, or a list of dicts where pandas is not installed.

    sources  file names of `tide sim --json`, `tide compare --json` or `tide sweep --output`; or such a document as a dict

    A row is a run. Its columns are the input (trace or workload, format, footprint_pages, last_page), the settings
    (model, near_pages, evict, ...), input_digest and settings_digest, every count by its name, the times
    (simulated_ns, ...; wall_seconds), what policies report (policy.NAME), and of a sweep command, key, grid and index.
    A failed run of a sweep has a row with error. A partial last line, of a sweep that was killed or still runs, is left out.

    Raises TideError for a file that is no result, and OSError for one that cannot be read.
    """
    found = ((source, document) for source in sources for document in _documents(source))
    return table(row_of(run) for source, document in found for run in _runs_in(document, _name(source)))


def _name(source: Source) -> str:
    return "the document" if isinstance(source, dict) else os.fspath(source)


def _curves_in(document: dict[str, Any], where: str) -> Iterator[dict[str, Any]]:
    if "curve" not in document:
        raise TideError(f"{where} has no curves: give what tide mrc --json wrote")
    source = document.get("input") or {}
    name = {key: source[key] for key in ("trace", "workload") if key in source}
    for curve in document.get("curves") or [document]:
        for point in curve["curve"]:
            yield {**name, "policy": curve["policy"], **point}


def read_curves(*sources: Source) -> Any:
    """Reads miss ratio curves as a table: a pandas DataFrame, or a list of dicts where pandas is not installed.

    sources  file names of `tide mrc --json`, or such a document as a dict

    A row is a point of a curve: trace or workload, policy, pages, misses, miss_ratio, and where they apply error (of a
    sampled curve), prefix_hits, near_bytes, byte_miss_ratio and cost_miss_ratio.

    Raises TideError for a file that is no curve, and OSError for one that cannot be read.
    """
    found = ((source, document) for source in sources for document in _documents(source))
    return table(row for source, document in found for row in _curves_in(document, _name(source)))
