"""A sequence to begin with: given as a result, a solution, moves or a file."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass, field
from typing import Any

from nestor.algorithms.base import Algorithm
from nestor.checks import as_list, plain
from nestor.errors import InputError
from nestor.fast_json import parsed
from nestor.files import as_path, parse_json, parsing, read_text
from nestor.problems.base import BaseProblem, Solution
from nestor.runs.exchange import Adopting

WHAT = "a saved result, a JSON list of moves, or whole numbers between blanks"
"""How errors name a file."""

LIMIT = 128 << 20
"""The largest size of a file, in bytes."""


@dataclass(frozen=True)
class Initial:
    """A complete sequence that all jobs begin with.

    Attributes
    ----------
    moves : list
        As the core has them.
    strength : int
        How often the top level adapts to it.
    where : str
        How errors name it: its file, if there is one.
    """

    moves: list[Any] = field(repr=False)
    strength: int
    where: str = "initial"

    @classmethod
    def of(
        cls, given: Any, strength: int | None, problem: BaseProblem, algorithm: Algorithm
    ) -> Initial | None:
        """Return a sequence of a problem, if one is given.

        Parameters
        ----------
        given : Result, Solution, sequence, path or None
        strength : int or None
            None for once.
        problem : BaseProblem
        algorithm : Algorithm

        Raises
        ------
        InputError
            If it is none of these, if a move is not legal, or if nothing could adapt to it with
            this strength.
        """
        if strength is not None:
            _check_strength(given, algorithm)
        if given is None:
            return None
        strength = 1 if strength is None else strength
        if isinstance(given, str | os.PathLike):
            path = as_path("initial", given)
            with parsing(path, WHAT):
                moves = problem.moves_in(path)
                moves = _read(path) if moves is None else moves
                return cls(problem.core_moves(moves, "initial"), strength, str(path))
        if isinstance(given, Solution):
            moves = given.played
            if moves is None:
                raise InputError(
                    f"initial: a {type(given).__name__} does not tell its moves; give the result "
                    "or the moves"
                )
        else:
            moves = getattr(given, "moves", given)
        return cls(problem.core_moves(as_list("initial", moves), "initial"), strength)

    def adopt(self, jobs: Adopting) -> None:
        """Make all jobs take it over: it is the first playout of each.

        Raises
        ------
        InputError
            If the game goes on after its last move.
        """
        try:
            for job in range(len(jobs.job_playouts)):
                jobs.adopt(job, self.moves, self.strength)
        except ValueError as error:
            raise InputError(f"{self.where}: {error}") from None

    def identity(self) -> dict[str, Any]:
        """Return what a checkpoint and a result say about it."""
        text = json.dumps(self.moves, default=plain)
        return {"moves": hashlib.sha256(text.encode()).hexdigest(), "strength": self.strength}


def _check_strength(given: Any, algorithm: Algorithm) -> None:
    """Check that something can adapt to a sequence."""
    if given is None:
        raise InputError("initial_strength needs a sequence to begin with (initial)")
    if algorithm.no_strength:
        raise InputError(
            f"initial_strength has no effect on {algorithm.name}: {algorithm.no_strength}"
        )


def _read(path: str | os.PathLike[str]) -> list[Any]:
    text = read_text(path, WHAT, LIMIT)
    begin = text.lstrip()[:1]
    if begin == "{":
        return as_list("moves", parse_json(text.encode(), path, WHAT)["moves"])
    return as_list(
        "moves", parsed(text.encode()) if begin == "[" else [int(w) for w in text.split()]
    )
