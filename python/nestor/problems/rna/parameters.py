"""Energy parameters, read from ViennaRNA, for folding in the core."""

from __future__ import annotations

import re
from typing import Any

COLUMNS = {"ML_params": (0, 2, 4), "NINIO": (0, 2), "Misc": (2,)}
"""Energies at 37 degrees Celsius in tables that have enthalpies beside them."""
LOGARITHM = 4
"""Place of the factor of the logarithm in the table of miscellaneous parameters."""
SPECIAL = ("Hexaloops", "Tetraloops", "Triloops")
NAMED = {"DEF": "-50", "INF": "10000000"}
"""Words that stand for numbers in parameter files."""


def read_parameters(text: str) -> tuple[dict[str, list[int]], dict[str, int], float]:
    """Read a parameter file of ViennaRNA, version 2.0.

    Parameters
    ----------
    text : str
        As ``RNA.params_save`` writes it.

    Returns
    -------
    tables : dict of list of int
        Energies in units of 0.01 kcal/mol, by the name of the table in small letters.
    special : dict of int
        Energies of hairpins by their bases and closing pair.
    longer : float
        The factor of the logarithm of the size for loops of more than 30 bases.

    Raises
    ------
    ValueError, IndexError, KeyError
        If the text is something else.
    """
    tables: dict[str, list[int]] = {}
    special: dict[str, int] = {}
    longer = 0.0
    uncommented = re.sub(r"/\*.*?\*/", " ", text, flags=re.DOTALL)
    for section in re.split(r"^# ", uncommented, flags=re.MULTILINE)[1:]:
        name, *words = section.split()
        words = [NAMED.get(word, word) for word in words]
        if name in SPECIAL:
            special |= {bases: int(e) for bases, e in zip(words[::3], words[1::3], strict=True)}
        elif name in COLUMNS:
            tables[name.lower()] = [int(words[column]) for column in COLUMNS[name]]
            if name == "Misc":
                longer = float(words[LOGARITHM])
        elif name != "END" and not name.endswith("enthalpies"):
            tables[name] = [int(word) for word in words]
    return tables, special, longer


def core_model(text: str, single: bool = False) -> Any:
    """Return the core's energy model for a parameter file; None if it cannot be read.

    Parameters
    ----------
    text : str
        See `read_parameters`.
    single : bool
        Whether it is a model of d1: a base dangles on one helix at most.
    """
    from nestor import _core

    try:
        return _core.EnergyModel(*read_parameters(text), single)
    except (ValueError, IndexError, KeyError, OverflowError):
        return None
