"""ViennaRNA as the tests of RNA use it."""

from __future__ import annotations

import random

import pytest

vienna = pytest.importorskip("RNA", reason="needs ViennaRNA: pip install 'nestor[rna]'")

JUNCTION = "((..((((...)).((....))..)).))..(((..(((....)).).)))"
"""Stacks, bulges, internal loops, a junction, a triloop, a tetraloop and ends."""


def folded(sequence: str, dangles: int = 2) -> tuple[str, float]:
    """Fold by the plainest means of ViennaRNA's Python API, with its default parameters."""
    details = vienna.md()
    details.dangles = dangles
    structure, minimum = vienna.fold_compound(sequence, details).mfe()
    return structure, minimum


def random_sequence(choose: random.Random, length: int) -> str:
    return "".join(choose.choices("ACGU", k=length))
