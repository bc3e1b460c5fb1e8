"""numpy and pandas where they are installed."""

from __future__ import annotations

import functools
import importlib
from typing import Any, Iterable, Optional


@functools.lru_cache(maxsize=None)
def optional(name: str) -> Optional[Any]:
    """A module, or None where it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def table(rows: Iterable[dict[str, Any]]) -> Any:
    """Rows as a pandas DataFrame, or as a list of dicts where pandas is not installed.

    A column that a row does not have is missing in its dict, and NaN in a DataFrame.
    """
    rows = list(rows)
    pandas = optional("pandas")
    return pandas.DataFrame(rows) if pandas else rows


class Rows:
    """Something that is shown as a table in notebooks."""

    def rows(self) -> list[dict[str, Any]]:
        """The rows as dicts."""
        raise NotImplementedError

    def table(self) -> Any:
        """The rows as a pandas DataFrame, or as a list of dicts where pandas is not installed."""
        return table(self.rows())

    def _repr_html_(self) -> Optional[str]:
        pandas = optional("pandas")
        return pandas.DataFrame(self.rows())._repr_html_() if pandas else None
