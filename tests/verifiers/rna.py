"""Inverse RNA folding: NEMO's score (Portela 2018), with ViennaRNA called from Python."""

from __future__ import annotations

import re
from contextlib import suppress
from functools import cache
from importlib import import_module
from typing import Any

from verifiers import need

RNA: Any = None
with suppress(ImportError):
    RNA = import_module("RNA")

LETTERS = {
    **{
        "A": "A",
        "C": "C",
        "G": "G",
        "U": "U",
        "T": "U",
        "R": "AG",
        "Y": "CU",
        "S": "CG",
        "W": "AU",
    },
    **{"K": "GU", "M": "AC", "B": "CGU", "D": "AGU", "H": "ACU", "V": "ACG", "N": "ACGU"},
}
MODELS = {"turner2004-d2": (2004, 2), "turner1999-d1": (1999, 1), "turner1999-d2": (1999, 2)}


def pairs_of(structure: str) -> dict[int, int]:
    """Return the partner to the right of every opening bracket."""
    waiting, pairs = [], {}
    for place, letter in enumerate(structure):
        if letter == "(":
            waiting.append(place)
        elif letter == ")":
            need(waiting, "an opening bracket")
            pairs[waiting.pop()] = place
    need(not waiting, "a closing bracket")
    return pairs


@cache
def parameters(model: str) -> Any:
    """Return the model details and parameters; those of others stay what they are."""
    year, dangles = MODELS[model]
    RNA.params_load_RNA_Turner1999() if year == 1999 else RNA.params_load_RNA_Turner2004()
    details = RNA.md()
    details.dangles = dangles
    found = details, RNA.param(details)
    RNA.params_load_RNA_Turner2004()
    return found


def check(data: dict[str, Any], moves: list[Any], _: object) -> tuple[float, dict[str, Any]]:
    """Write the bases, fold, and compare the structures."""
    target, constraint = data["target"], data["constraint"].upper() or "N" * len(data["target"])
    need(1 <= len(target) <= 5000 and re.fullmatch(r"[().]+", target), "a structure")
    need(re.fullmatch(f"[{''.join(LETTERS)}]{{{len(target)}}}", constraint), "a constraint")
    need(data["model"] in MODELS and data["order"] in ("target", "pairs"), "options")
    pairs = pairs_of(target)
    need(all(end - start > 3 for start, end in pairs.items()), "hairpins of three bases")
    opened = [place for place in range(len(target)) if target[place] == "("]
    single = [place for place in range(len(target)) if target[place] == "."]
    places = opened + single if data["order"] == "pairs" else sorted(opened + single)
    need(len(moves) == len(places), "a move for each place")
    bases = [""] * len(target)
    for place, move in zip(places, moves, strict=True):
        kinds = ("CG", "GC", "AU", "UA", "GU", "UG") if place in pairs else tuple("ACGU")
        need(move in kinds, "a pair or a base")
        for where, base in zip((place, pairs.get(place, place)), move, strict=False):
            need(base in LETTERS[constraint[where]], "what the constraint allows")
            bases[where] = base
    sequence = "".join(bases)

    details, param = parameters(data["model"])
    folding = RNA.fold_compound(sequence, details)
    folding.params_subst(param)
    structure, energy = folding.mfe()
    other = pairs_of(structure)
    distance = len(pairs.items() ^ other.items())
    excess = folding.eval_structure(target) - folding.eval_structure(structure)
    k, f = 1 - distance / (2 * max(1, len(pairs))), 1.01 + excess
    score = 1.0 if not distance else 1 / (1 + distance) if not pairs else k / f if k >= 0 else k * f
    return score, {
        "sequence": sequence,
        "structure": structure,
        "energy": energy,
        "distance": distance,
        "gc": sum(base in "GC" for base in sequence) / len(sequence),
    }
