"""How record files write games: the compact form of MSR, and the text of the record site.

MSR 0.1 is JSON, and its compact form ``MS1:`` is the same, deflated and in Base64. The text of the
record site, Pentasol, has a line for a reference dot, the one of the cross at (3, 3), and then one
for each move: ``(27,25) - +2`` is the new dot (column, row), the direction of its line, and how far
the new dot is from the line's middle: to the left or top if positive.
"""

from __future__ import annotations

import base64
import json
import re
import zlib
from collections.abc import Sequence
from typing import Any, NamedTuple

from nestor.errors import InputError
from nestor.files import inflated
from nestor.problems.morpion.lines import FARTHEST, Dot, Move

COMPACT = "MS1:"
LIMIT = 1 << 20
"""The largest size of a game, unpacked, in bytes."""

MARKS = "-|/\\"
"""The directions in Pentasol, in the order of `lines.DIRECTIONS`."""
CORNER = (3, 3)
"""The dot of the cross that Pentasol's reference dot is."""
SHIFT = 25
"""What is added to our coordinates in Pentasol, as on the record site."""
LINE = re.compile(r"\( *(-?\d{1,4}) *, *(-?\d{1,4}) *\)(?: *([-|/\\]) *([+-]?\d)?)?")


def compact(data: dict[str, Any]) -> str:
    """Return the compact form of a game in MSR."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    text = json.dumps(data, separators=(",", ":")).encode()
    packed = base64.urlsafe_b64encode(packer.compress(text) + packer.flush())
    return COMPACT + packed.decode().rstrip("=")


def unpacked(text: str) -> bytes:
    """Return the JSON of a game in compact form.

    Raises
    ------
    InputError
        If the text is damaged or too large.
    """
    packed = text.strip().removeprefix(COMPACT)
    try:
        data = base64.b64decode(packed + "=" * (-len(packed) % 4), b"-_", validate=True)
        return inflated(data, LIMIT, -zlib.MAX_WBITS)
    except ValueError as error:
        raise InputError(f"damaged data after {COMPACT}: {error}") from None


class Read(NamedTuple):
    """What a Pentasol file has.

    Attributes
    ----------
    moves : list of Move
    lines : list of str
        For each move its line: the number, and what it says.
    shift : (x, y)
        What the coordinates of the file are more than ours.
    """

    moves: list[Move]
    lines: list[str]
    shift: Dot

    def place(self, dot: Dot) -> str:
        """Return a dot as the file would have it."""
        return f"({dot[0] + self.shift[0]},{dot[1] + self.shift[1]})"


def pentasol(variant: str, moves: Sequence[Move]) -> str:
    """Return a game of 5T or 5D as Pentasol.

    Raises
    ------
    InputError
        If lines have four dots.
    """
    if variant[0] != "5":
        raise InputError(f"a Pentasol file (.psol, .txt) has games of 5T or 5D, not {variant}")
    lines = [f"# Morpion Solitaire {variant}, {len(moves)} moves", _place(CORNER)]
    for move in moves:
        distance = f"{2 - move.pos:+d}".replace("+0", "0")
        lines.append(f"{_place(move.dot)} {MARKS[move.dir]} {distance}")
    return "\n".join(lines) + "\n"


def _place(dot: Dot) -> str:
    return f"({dot[0] + SHIFT},{dot[1] + SHIFT})"


def read_pentasol(text: str) -> Read:
    """Return what a Pentasol file has.

    Without a reference dot the file is taken for one of the program that writes MSR: its
    coordinates are ours plus 1, and its distances have the other sign.

    Raises
    ------
    InputError
        If a line has another form; the message names it. Also if there is no move and no reference
        dot.
    """
    moves: list[Move] = []
    lines: list[str] = []
    shift, sign, empty = (1, 1), 1, True
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        found = LINE.fullmatch(line.strip())
        if found is None or (found[3] is None and moves):
            raise InputError(
                f"line {number}: not a move such as (27,25) - +2: {line.strip()!r:.60}"
            )
        x, y, empty = int(found[1]), int(found[2]), False
        if found[3] is None:
            shift, sign = (x - CORNER[0], y - CORNER[1]), -1
            continue
        x, y, pos = x - shift[0], y - shift[1], 2 + sign * int(found[4] or 0)
        if not 0 <= pos <= 4 or max(abs(x), abs(y)) > FARTHEST:
            raise InputError(f"line {number}: no dot is there or in that place of its line")
        moves.append(Move(x, y, MARKS.index(found[3]), pos, pos))
        lines.append(f"line {number}, {line.strip()}")
    if empty:
        raise InputError("neither a reference dot nor a move is there")
    return Read(moves, lines, shift)
