"""Learning priors from solved problems (learned-prior-2024)."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from nestor.checks import as_integer, as_list, as_mapping, check_text, shown
from nestor.errors import InputError
from nestor.prior import Prior
from nestor.problems.base import BaseProblem, Solution
from nestor.problems.own import adapt

Solved = tuple[BaseProblem, Sequence[Any]]
"""An instance and the complete sequence of moves that solves it."""


def learn_prior(
    solved: Iterable[Any],
    *,
    name: str = "prior",
    provenance: Mapping[str, Any] | None = None,
    threads: int | None = None,
) -> Prior:
    """Learn a prior by replaying solutions (learned-prior-2024, section 3, algorithm 4).

    At each state of a solution the code of every legal move counts as legal (``nb``), and the code
    of the solution's move as chosen (``count``). The core replays the problems that come with
    Nestor, several instances in parallel.

    Parameters
    ----------
    solved : iterable of (problem, moves) or of Result
        Solved instances of one problem family, each with the complete sequence of moves that solves
        it.
    name : str
    provenance : mapping, optional
        JSON-able facts to keep with the prior, such as source and command.
    threads : int, optional
        By default four more than there are cores, at most 32.

    Returns
    -------
    Prior

    Raises
    ------
    InputError
        If there is nothing to learn from, if there are problems of several families, or if a move
        is not legal.
    """
    threads = None if threads is None else as_integer("threads", threads, 1, 1024)
    facts = {} if provenance is None else as_mapping("provenance", provenance)
    check_text("name", name)
    pairs = [_pair(item, number) for number, item in enumerate(as_list("solved", solved))]
    if not pairs:
        raise InputError("solved must have at least one solved instance")
    families = {problem.name for problem, _ in pairs}
    if len(families) > 1:
        raise InputError(f"solved must be of one problem family, not {', '.join(sorted(families))}")
    totals: dict[Hashable, tuple[int, int]] = {}
    with ThreadPoolExecutor(threads) as pool:
        told = [f"solution {number}" for number in range(len(pairs))]
        for rows in pool.map(lambda pair, where: pair[0].count_codes(pair[1], where), pairs, told):
            for code, count, nb in rows:
                old_count, old_nb = totals.get(code, (0, 0))
                totals[code] = old_count + count, old_nb + nb
    return Prior(families.pop(), totals, {"instances": len(pairs), **facts}, name)


def _pair(item: Any, number: int) -> Solved:
    is_result = isinstance(getattr(item, "solution", None), Solution)
    try:
        problem, moves = (item.problem, item.moves) if is_result else item
    except (TypeError, ValueError):
        raise InputError(
            f"solved must have (problem, moves) pairs or results; number {number} is {shown(item)}"
        ) from None
    return adapt(problem), as_list(f"moves of solution {number}", moves)
