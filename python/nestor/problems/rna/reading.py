"""Targets from text files."""

from __future__ import annotations

import re
from collections import Counter
from os import PathLike
from typing import NamedTuple

from nestor.errors import InputError
from nestor.files import MIB, opened
from nestor.problems.rna.structure import BASES, IUPAC, MAX_LENGTH, partners_of
from nestor.problems.textfile import number_in, split_lines

LIMIT = 16 << 20
"""The largest size of a file of targets, in bytes."""
SEQUENCE = re.compile(rb"[>A-Za-z]")
"""How a file of a sequence begins."""
JSON_WORDS = frozenset((b"null", b"true", b"false", b"NaN", b"Infinity"))
"""Files that begin like a sequence, but are JSON."""
SYMBOLS = frozenset("(.)[{<")
"""How a structure begins, even one with pseudoknots, which is refused."""
LETTERS = frozenset("".join(IUPAC) + "".join(IUPAC).lower())


class Target(NamedTuple):
    """A target in a file.

    Attributes
    ----------
    structure, sequence, title : str
        Those of the problem; "" if there is none.
    line : int
        The line of the structure, from 1.
    """

    structure: str
    sequence: str
    title: str
    line: int


def targets(text: str, where: str, only: int | None = None) -> list[Target]:
    """Return the targets of a text.

    A target is a line of "(", ")" and ".", which may end with an energy in brackets as ViennaRNA
    writes it. A line ">title" before it names it. A line of IUPAC letters between title and
    structure, or after the structure, is its `sequence`; without a title only one after it is.
    Titles that occur more than once end with their lines, so that no two targets have the same.

    Parameters
    ----------
    text : str
    where : str
        How errors name the text, before the line number.
    only : int, optional
        The number of the target that is wanted, from 1; the structures of others are not checked.

    Raises
    ------
    InputError
        If a line is neither a title, letters nor a structure, or if letters belong to no structure;
        the message names the line. Also if there is no target.
    """
    found: list[Target] = []
    title: str | None = None
    letters: tuple[int, str] | None = None
    behind = False
    for number, line in enumerate(split_lines(text), start=1):
        line = line.strip()
        if not line:
            continue
        if line.startswith(">"):
            _check_used(letters, where)
            title, letters, behind = line[1:].strip(), None, False
        elif line[0] in SYMBOLS:
            if only in (None, len(found) + 1):
                line = _structure(line, f"{where}:{number}")
            given = letters[1] if letters else ""
            found.append(Target(line, given, title or "", number))
            title, letters, behind = None, None, not given
        elif len(line) <= MAX_LENGTH and set(line) <= LETTERS:
            if behind:
                found[-1] = found[-1]._replace(sequence=line)
                behind = False
            elif title is not None and letters is None:
                letters = number, line
            else:
                raise _unused(number, where)
        else:
            raise InputError(
                f"{where}:{number}: a line is '>title', a structure of '(', ')' and '.', or a "
                f"sequence of at most {MAX_LENGTH} IUPAC letters, not {line!r:.40}"
            )
    _check_used(letters, where)
    if not found:
        raise InputError(f"{where}: there is no target; a target is a line such as '((((....))))'")
    count = Counter(each.title for each in found if each.title)
    return [
        each._replace(title=f"{each.title} line {each.line}") if count[each.title] > 1 else each
        for each in found
    ]


def without_energy(line: str) -> str:
    """Return a structure without the energy in brackets that ViennaRNA writes behind it."""
    structure, *rest = line.split(maxsplit=1) or [line]
    energy = rest[0].rstrip() if rest else ""
    bracketed = energy.startswith("(") and energy.endswith(")")
    return structure if bracketed and number_in(energy.strip("() ")) is not None else line


def is_sequence(path: str | PathLike[str]) -> bool:
    """Whether a file looks like a sequence, and not like a result of Nestor or a list of moves.

    A file of blanks alone does: it is a sequence that is missing.
    """
    with opened(path) as file:
        begin = file.read(64).removeprefix(b"\xef\xbb\xbf").lstrip()
        while not begin and (part := file.read(MIB)):
            begin = part.lstrip()
        begin += file.read(64)  # A word may have been cut.
    return not begin or (SEQUENCE.match(begin) is not None and begin.rstrip() not in JSON_WORDS)


def sequence(text: str, where: str) -> list[tuple[str, int]]:
    """Return the bases of a sequence, each with its line, from 1.

    Parameters
    ----------
    text : str
        A FASTA record, or the bases alone. T is U, and small letters will do.
    where : str
        How errors name the text, before the line number.

    Raises
    ------
    InputError
        If there is another letter, a second record or no base.
    """
    found: list[tuple[str, int]] = []
    titled = False
    for number, line in enumerate(split_lines(text), start=1):
        line = line.strip()
        if line.startswith(">"):
            if titled or found:
                raise InputError(f"{where}:{number}: here a second sequence begins; give one")
            titled = True
            continue
        bases = line.upper().replace("T", "U")
        if wrong := next((letter for letter in bases if letter not in BASES), None):
            raise InputError(
                f"{where}:{number}: {wrong!r} is not a base; a sequence has A, C, G and U"
            )
        found += [(base, number) for base in bases]
    if not found:
        raise InputError(f"{where}: there is no sequence")
    return found


def _structure(line: str, where: str) -> str:
    structure, *rest = without_energy(line).split(maxsplit=1)
    if rest:
        raise InputError(
            f"{where}: a structure has no spaces, and only an energy such as (-1.20) may "
            f"follow it, not {rest[0]!r:.40}"
        )
    try:
        partners_of(structure, f"{where}: target")
    except InputError as error:
        open_at_end = structure.count("(") > structure.count(")")
        more = "; a structure is one line" if open_at_end else ""
        raise InputError(f"{error}{more}") from None
    return structure


def _check_used(letters: tuple[int, str] | None, where: str) -> None:
    if letters is not None:
        raise _unused(letters[0], where)


def _unused(number: int, where: str) -> InputError:
    return InputError(
        f"{where}:{number}: these letters belong to no structure; a sequence is one line after a "
        "structure, or between a line '>title' and it"
    )
