"""Rows as tables: of pandas where it is installed, else as text."""

from __future__ import annotations

import functools
import html
import importlib
import shutil
from typing import Any, Iterable, List, Optional

_ROWS = 60  # that are shown; a table has all of them


@functools.lru_cache(maxsize=None)
def optional(name: str) -> Optional[Any]:
    """A module, or None where it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.4g}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def _columns(rows: Iterable[dict[str, Any]]) -> list[list[str]]:
    """A list of cells per column, its name first. Columns that say nothing are left out."""
    rows = list(rows)
    names = list(dict.fromkeys(name for row in rows for name in row))
    columns = [[name, *(_cell(row.get(name)) for row in rows[:_ROWS])] for name in names]
    return [column for column in columns if any(column[1:])]


def _width(column: list[str]) -> int:
    return max(map(len, column))


def _arranged(columns: list[list[str]], most: int) -> list[list[str]]:
    """Where not all columns fit, those that all rows share come last."""
    if not columns or len(columns[0]) < 3 or sum(_width(column) + 2 for column in columns) <= most:
        return columns
    return sorted(columns, key=lambda column: len(set(column[1:])) == 1)


class Table(List[Any]):
    """A list of dicts that is shown as a table: as many columns as fit, and the names of the others."""

    def __repr__(self) -> str:
        left = shutil.get_terminal_size((100, 0)).columns
        lines = [""] * (min(len(self), _ROWS) + 1)
        others: list[str] = []
        for column in _arranged(_columns(self), left):
            width = _width(column)
            left -= width + 2
            if others or (left < 0 and any(lines)):
                others.append(column[0])
                continue
            right = all(cell[:1].isdigit() or cell[:1] in ("", "-") for cell in column[1:])
            lines = [line + (cell.rjust(width) if right else cell.ljust(width)) + "  " for line, cell in zip(lines, column)]
        if len(self) > _ROWS:
            lines.append(f"and {len(self) - _ROWS:,} more rows")
        if others:
            lines.append(f"and {len(others)} more columns: {', '.join(others)}")
        return "\n".join(line.rstrip() for line in lines)

    def _repr_html_(self) -> str:
        rows = zip(*_columns(self))
        cells = ("".join(f"<td>{html.escape(cell)}</td>" for cell in row) for row in rows)
        return f"<table>{''.join(f'<tr>{row}</tr>' for row in cells)}</table>"


def table(rows: Iterable[dict[str, Any]]) -> Any:
    """Rows as a pandas DataFrame, or as a list of dicts where pandas is not installed.

    A column that a row does not have is missing in its dict, and NaN in a DataFrame.
    """
    rows = list(rows)
    pandas = optional("pandas")
    return pandas.DataFrame(rows) if pandas else Table(rows)


class Rows:
    """Something that is shown as a table, also in notebooks."""

    def rows(self) -> list[dict[str, Any]]:
        """The rows as dicts."""
        raise NotImplementedError

    def table(self) -> Any:
        """The rows as a pandas DataFrame, or as a list of dicts where pandas is not installed."""
        return table(self.rows())

    def __repr__(self) -> str:
        return repr(Table(self.rows()))

    def _repr_html_(self) -> Optional[str]:
        html_of: str = self.table()._repr_html_()
        return html_of
