"""Is it the policy or the size? The judgement is the program's, so this runs the program."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
from typing import TYPE_CHECKING, Any, Iterable, Iterator, Optional, Union

from ._library import Text, TideError, program, to_text
from ._settings import InputSettings, take_input
from ._tables import Rows, _cell
from ._traces import write_trace

if sys.version_info >= (3, 11):
    from typing import Unpack
elif TYPE_CHECKING:
    from typing_extensions import Unpack


class Advice(Rows):
    """What `tide advise` says.

    document  its JSON document for the input, as dicts
    verdict   "policy", "size", "neither", "too short" or "none"; tide-advise(1) says what they mean
    """

    def __init__(self, document: dict[str, Any]) -> None:
        self.document = document
        self.verdict: str = document["advice"]["verdict"]

    @property
    def advice(self) -> dict[str, Any]:
        """The verdict and its figures: policy, saves, saves_error, same_as_pages, next_knee_pages, next_knee_saves."""
        advice: dict[str, Any] = self.document["advice"]
        return advice

    @property
    def curve(self) -> list[dict[str, Any]]:
        """The miss ratios of today's policy, and of the optimum, by size."""
        curve: list[dict[str, Any]] = self.document["curve"]
        return curve

    def rows(self) -> list[dict[str, Any]]:
        """The policies that were tried, each with its miss ratio, the best first."""
        return sorted(self.document["policies"], key=lambda row: float(row["miss_ratio"]))

    def __repr__(self) -> str:
        said = "; ".join(f"{key} {_cell(value)}" for key, value in self.advice.items() if value is not None)
        return f"{said}\n{super().__repr__()}"


@contextlib.contextmanager
def _as_file(accesses: Any) -> Iterator[str]:
    """Arrays as a trace, for the program."""
    with tempfile.TemporaryDirectory(prefix="tide-") as folder:
        path = os.path.join(folder, "accesses.tide")
        write_trace(path, accesses)
        yield path


def _run(command: list[Any]) -> dict[str, Any]:
    """The program's document. subprocess kills the program if an exception, such as Ctrl-C, passes."""
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    except OSError as why:
        raise TideError(f"cannot run {command[0]} ({why}): set TIDE_PROGRAM to the program tide") from None
    if done.returncode:
        text = done.stderr.decode(errors="replace").strip() or f"{command[0]} ended with status {done.returncode}"
        raise TideError(text.splitlines()[-1].replace("tide advise: ", "", 1))
    document: dict[str, Any] = json.loads(done.stdout)["inputs"][0]
    return document


def _arguments(options: dict[str, Optional[Text]], candidates: Iterable[Any]) -> list[Any]:
    words: list[Any] = []
    for name, value in options.items():
        if value is not None:
            words += [f"--{name}", to_text(name, value)]
    for candidate in candidates:
        if not isinstance(candidate, str):
            raise TypeError("the program advises, and cannot run a policy written in Python: use compare()")
        words += ["--candidate", candidate]
    return words


def advise(
    accesses: Any = None,
    *,
    near: Optional[Text] = None,
    evict: Optional[str] = None,
    candidates: Union[str, Iterable[str]] = (),
    jobs: Optional[int] = None,
    **settings: Unpack[InputSettings],
) -> Advice:
    """Says whether another policy or more memory would help, as `tide advise` does.

    accesses    as for sim()
    near        today's memory; the default is a guess, 10% of the footprint
    evict       today's policy, "lru"
    candidates  policies to try; the default is every one that needs neither the future nor a clock
    jobs        runs at the same time; None: one per core
    settings    see InputSettings. A workload may be one of the papers' applications here.

    This runs the program tide (TIDE_PROGRAM, or that of PATH), because the library does not judge. Accesses go to it
    in a temporary file of the tide format, in TMPDIR. Returns Advice.

    Raises TideError if there is no program, or with what it says.
    """
    given = take_input(accesses, settings)
    trace = given.pop("trace", None)
    options = dict(given, near=near, evict=evict, jobs=jobs)
    listed = [candidates] if isinstance(candidates, str) else candidates
    command = [program(), "advise", "--json", "--progress=never", *_arguments(options, listed)]
    if accesses is None:
        return Advice(_run(command if trace is None else [*command, "--", trace]))
    with _as_file(accesses) as path:
        document = _run([*command, path])
    document["input"].pop("trace", None)  # a name that is gone
    return Advice(document)
