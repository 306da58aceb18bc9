"""The command line of inverse RNA folding."""

from typing import Any

from nestor.errors import InputError
from nestor.files import exists
from nestor.problems.command import Command
from nestor.problems.rna.problem import RNA
from nestor.problems.rna.solution import Design, to_csv, to_fasta
from nestor.settings import Integer, Setting


def load(target: str, *, target_number: int | None = None, **settings: Any) -> RNA:
    """Return the problem of a structure, or of one in a file."""
    # A "." is a folder, but no file of targets.
    dots = set(target) <= {"."}
    if dots or (not exists(target) and ("(" in target or not any(map(str.isalnum, target)))):
        if target_number is not None:
            raise InputError("--target-number is for a file of targets")
        return RNA(target, **settings)
    return RNA.read(target, target_number, **settings)


COMMAND = Command(
    RNA,
    "TARGET",
    """Inverse RNA folding: design a sequence that folds into a structure.

    TARGET is a structure in dot-bracket form, or a file of such lines, each with an optional line
    >title before it. ViennaRNA folds (extra rna). The score is NEMO's; the search stops at 1, when
    the sequence folds right.
    """,
    (
        '"((((....))))" --plot design.svg',
        '"((((....))))" --sequence GNNNGAAANNNC --bias ngram',
        "targets.fasta --target-number 3 --model turner1999-d1",
        '"((((....))))" --designs 10 --seconds 60 --csv out.csv',
    ),
    load,
    {
        "target_number": Setting(
            Integer(1, 10**6), "Which target of a file, from 1.", none="1", basic=True
        )
    },
    {
        "fasta": ("Write the sequence as a FASTA record.", lambda *_: Design.fasta),
        "csv": (
            "Write the design and its figures as a table.",
            lambda *_: lambda one: to_csv([one]),
        ),
    },
    {
        "fasta": lambda many: to_fasta(many.solutions),
        "csv": lambda many: to_csv(many.solutions, many.nearest),
    },
    notes={
        "temperature": "--temperature is that of the policy of the search; RNA is folded "
        "at 37 degrees Celsius"
    },
)
