"""Learn the NGRAM prior from sequences and the structures that they fold into.

The prior that comes with Nestor was learned from the seed alignments of Rfam 14.2, each sequence
with its structure of minimum free energy::

    python -m nestor.problems.rna.learn rfam14_2_seed_pairs.tsv.xz rna_ngram.json.gz
"""

from __future__ import annotations

import csv
import io
import lzma
import sys
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator
from functools import partial
from itertools import pairwise
from pathlib import Path

from nestor.errors import InputError, NestorError
from nestor.files import opened
from nestor.prior import Prior
from nestor.problems.rna.ngram import PRIOR, code_of
from nestor.problems.rna.structure import (
    BASE_MOVES,
    BASES,
    MOVES,
    PAIR_MOVES,
    moves_making,
    partners_of,
)
from nestor.safe import tell

LONGEST = 1 << 20
"""The longest sequence of a table."""


def moves_of(structure: str, sequence: str) -> list[str]:
    """Return the moves, from left to right, that make a sequence for a structure."""
    return moves_making(sequence, partners_of(structure, "structure", LONGEST), "target")


def learn(solved: Iterable[tuple[str, str]], source: str, command: str) -> Prior:
    """Count moves by the move before them (learned-prior-2024, algorithm 5).

    Parameters
    ----------
    solved : iterable of (structure, sequence)
        Targets and sequences that fold into them. Sequences with letters other than A, C, G and U,
        structures without a pair, and pairs of bases that no move makes are left out.
    source, command : str
        What the prior says about its origin.

    Raises
    ------
    InputError
        If a structure is not balanced or there is nothing to count.
    """
    played: Counter[tuple[str, str]] = Counter()
    sequences = 0
    for structure, sequence in solved:
        if set(sequence) <= set(BASES) and "(" in structure:
            moves = moves_of(structure, sequence)
            if set(moves) <= set(MOVES):
                sequences += 1
                played.update(pairwise(moves))
    if not played:
        raise InputError("there must be at least one sequence to learn from")
    counts: dict[Hashable, tuple[int, int]] = {}
    for previous in MOVES:
        for kind in (PAIR_MOVES, BASE_MOVES):
            legal = sum(played[previous, move] for move in kind)
            for move in kind:
                counts[code_of(previous, move)] = (played[previous, move], legal)
    facts = {"sequences": sequences, "source": source, "command": command}
    return Prior("rna", counts, facts, PRIOR)


def read_table(path: Path) -> Iterator[tuple[str, str]]:
    """Read the columns `mfe_structure` and `sequence` of a table, which may be compressed (.xz).

    Raises
    ------
    InputError
        If the file cannot be read or has no such columns, or if a row has no sequence of the length
        of its structure; the message names the line.
    """
    try:
        csv.field_size_limit(LONGEST)
        rows = csv.DictReader(_lines(path), delimiter="\t")
        for row in rows:
            structure, sequence = row["mfe_structure"] or "", row["sequence"] or ""
            if not len(structure) == len(sequence) > 0:
                raise InputError(
                    f"{path}:{rows.line_num}: a structure and a sequence of the same length are "
                    f"needed, not of {len(structure)} and {len(sequence)}"
                )
            yield structure, sequence
    except InputError:
        raise
    except (OSError, EOFError, ValueError, KeyError, csv.Error, lzma.LZMAError) as error:
        raise InputError(f"{path}: no table of structures and sequences: {error!r}") from None


def _lines(path: Path) -> Iterator[str]:
    """Yield the lines of a table, one after the other, in parts if they are too long for a row."""
    with (
        opened(path) as file,
        lzma.LZMAFile(file) if path.suffix == ".xz" else file as data,
        io.TextIOWrapper(data, "utf-8") as text,
    ):
        yield from iter(partial(text.readline, 4 * LONGEST), "")


def main(arguments: list[str]) -> int:
    """Learn from the table named first and write the prior to the file named second."""
    try:
        if len(arguments) != 2:
            raise InputError("name a table (.tsv or .tsv.xz) and a file to write (.json.gz)")
        table, target = map(Path, arguments)
        command = f"python -m nestor.problems.rna.learn {table.name} {target.name}"
        learn(read_table(table), table.name, command).save(target)
    except NestorError as error:
        tell(f"Error: {error}", error=True)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
