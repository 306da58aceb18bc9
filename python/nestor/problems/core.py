"""What problems ask of the core whose moves and codes are as the core has them."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from typing import Any

from nestor import _core
from nestor.checks import as_integer, as_number
from nestor.errors import InputError
from nestor.problems.base import not_legal


def numbered(betas: Mapping[Hashable, float]) -> dict[Any, float] | None:
    """Return the bias by prior code, as the core takes it; None if there is no prior.

    Raises
    ------
    InputError
        If a code is not a number of 64 bits, or a bias is not a number of at most 700.
    """
    checked = {}
    for code, beta in betas.items():
        number = as_integer("a code of the prior", code, 0, 2**64 - 1)
        checked[number] = float(as_number(f"beta of code {number}", beta, -math.inf, 700))
    return checked or None


def replayed(
    name: str, core: _core.Problem, moves: list[Any], where: str, count: bool = True
) -> list[tuple[Hashable, int, int]]:
    """Return the prior codes of legal moves, how often each was chosen, and how often it was met.

    Without `count` there are none.

    Parameters
    ----------
    name : str
        The name of the problem, for errors.
    core : _core.Problem
    moves : list
        As the core has them.
    where : str
        How errors name the moves.
    count : bool, default True

    Raises
    ------
    InputError
        If a move is not legal.
    """
    try:
        return [(row["code"], row["count"], row["nb"]) for row in core.replay(moves, count)]
    except IndexError as error:
        raise not_legal(where, int(str(error)), moves=moves) from None
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(f"{where}: not moves of {name}: {error}") from None
