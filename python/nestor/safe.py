r"""What others wrote, made safe for each kind of output: names, titles, paths and messages.

Whatever this package writes goes through here: text on a terminal or in a picture (`visible`), in
HTML and SVG (`markup`), in the script of a page (`script`), and in a table (`csv_table`).
"""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any, NamedTuple

CONTROLS = re.compile(
    r"[\0-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)
"""Characters that no output needs: they steer a terminal, turn the direction of text, or are none.

XML has none of them but U+007F to U+009F. Line feeds and tabs are not among them.
"""

FORMULA = re.compile(
    r"'*(?=[=+\-@\t\r\uff1d\uff0b\uff0d\uff20])(?![+-]?[0-9.,:]+(?:[eE][+-]?[0-9]+)?\Z)"
)
"""How a cell begins that a spreadsheet would take for a formula, behind any apostrophes.

Some take the wide signs of Chinese and Japanese for the others.
"""


def visible(text: object) -> str:
    r"""Return a text whose control characters are written as Python would write them.

    Examples
    --------
    >>> print(visible("a\x1b[31mred\x1b[0m\nb"))
    a\x1b[31mred\x1b[0m
    b
    """
    return CONTROLS.sub(lambda found: ascii(found[0])[1:-1], str(text))


def markup(text: object) -> str:
    r"""Return a text as HTML and SVG have it, between tags or in the quotes of an attribute.

    Examples
    --------
    >>> print(markup("<b>\x1b</b>"))
    &lt;b&gt;\x1b&lt;/b&gt;
    """
    from html import escape

    return escape(visible(text))


def script(data: Any) -> str:
    r"""Return data as JSON that can stand in a script of a page: no text in it can end the script.

    Examples
    --------
    >>> print(script({"name": "</script>"}))
    {"name":"\u003c/script>"}
    """
    import json

    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    # JSON escapes what is below a blank itself.
    return CONTROLS.sub(lambda found: f"\\u{ord(found[0]):04x}", text).replace("<", "\\u003c")


def cell(value: Any) -> Any:
    r"""Return what a table has in a cell: a visible text, an apostrophe before a formula.

    Numbers are no formulas, nor are times of day. `from_cell` takes the apostrophe off again.

    Examples
    --------
    >>> cell("=1+1"), cell("'=1+1"), cell("-1.5"), cell("O'Hara"), cell(-3)
    ("'=1+1", "''=1+1", '-1.5', "O'Hara", -3)
    >>> print(cell("A\x1b[2J"))
    A\x1b[2J
    """
    text = visible(value) if isinstance(value, str) else value
    return f"'{text}" if isinstance(text, str) and FORMULA.match(text) else text


def from_cell(text: str) -> str:
    """Return the text that `cell` has put into a table.

    Examples
    --------
    >>> from_cell("'=1+1"), from_cell("'tis")
    ('=1+1', "'tis")
    """
    return text[1:] if text.startswith("'") and FORMULA.match(text) else text


def csv_table(rows: Iterable[Iterable[Any]], delimiter: str = ",") -> str:
    """Return rows as the text of a CSV file."""
    import csv

    lines: list[str] = []
    # Cells are quoted that have a character of the line's end.
    writer = csv.writer(_Lines(lines.append), delimiter=delimiter, lineterminator="\r\n")
    writer.writerows(map(cell, row) for row in rows)
    return "".join(f"{line[:-2]}\n" for line in lines)


class _Lines(NamedTuple):
    """A file for `csv`, whose lines are given to a function."""

    write: Callable[[str], object]


class Notices:
    """Standard error as it is now. What cannot be written there is dropped: it is no result."""

    def __init__(self) -> None:
        self._stream = sys.stderr or io.StringIO()

    def write(self, text: str) -> None:
        """Write a text, if that is possible."""
        with suppress(OSError, ValueError):  # A ValueError is a stream that was closed.
            self._stream.write(text)

    def flush(self) -> None:
        """Write what waits, if that is possible."""
        with suppress(OSError, ValueError):
            self._stream.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def tell(text: object = "", *, error: bool = False, begin: str = "", end: str = "\n") -> None:
    r"""Print a text on standard output, or as a notice on standard error, at once.

    `begin` and `end` are printed as they are: "\r" to write over the line before.
    """
    print(f"{begin}{visible(text)}", end=end, file=Notices() if error else sys.stdout, flush=True)
