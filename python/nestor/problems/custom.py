"""Problems of the user's own: named by where they are imported from."""

from __future__ import annotations

import importlib
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nestor.biasing import check_bias_methods
from nestor.errors import InputError, VerificationError
from nestor.plot.picture import Picture, Text
from nestor.problem import Problem
from nestor.problems.base import Solution


def problem_path(problem: Problem[Any, Any]) -> str:
    """Return "module:Class" of a user's problem."""
    kind = type(problem)
    return f"{kind.__module__}:{kind.__qualname__}"


def import_problem(path: str) -> Problem[Any, Any]:
    """Import a problem named "module:Class" or "module:instance".

    A class is called without arguments. The current folder is searched besides the packages.

    Raises
    ------
    InputError
        If it cannot be imported or is not a problem.
    """
    module_name, _, attribute = path.partition(":")
    if not module_name or not attribute:
        raise InputError(f"problem must be a known name or module:Class, not {path!r}")
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        found: Any = importlib.import_module(module_name)
        for part in attribute.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError) as error:
        raise InputError(f"cannot import {path!r}: {error}") from None
    problem = found() if isinstance(found, type) else found
    check_methods(problem)
    return problem  # type: ignore[no-any-return]


def check_methods(problem: object) -> None:
    """Check that an object has the methods of a problem.

    Raises
    ------
    InputError
        Naming the methods that are missing, or if its `optimum` is no number or its `biases` are no
        methods.
    """
    needed = ("initial", "moves", "play", "score")
    missing = [name for name in needed if not callable(getattr(problem, name, None))]
    if missing:
        raise InputError(
            f"problem must have the methods {', '.join(needed)}; {type(problem).__name__} "
            f"has no {', '.join(missing)}"
        )
    optimum = getattr(problem, "optimum", None)
    if optimum is not None and (isinstance(optimum, bool) or not isinstance(optimum, int | float)):
        raise InputError(f"optimum of the problem must be a number, not {optimum!r:.80}")
    check_bias_methods(problem)


@dataclass(frozen=True)
class CustomSolution(Solution):
    """The moves of a user's problem, replayed where more is asked.

    Attributes
    ----------
    problem : Problem
    moves : tuple
        The moves, as the problem's `moves` gives them.
    """

    problem: Problem[Any, Any]
    moves: tuple[Any, ...]

    @property
    def score(self) -> float:
        """The score of the leaf the moves lead to."""
        return float(self.problem.score(self._replay()))

    def verify(self) -> None:
        """Replay the moves with the problem's own rules, the only ones there are.

        Raises
        ------
        VerificationError
            If a move is not legal or the last state is not terminal.
        """
        if len(list(self.problem.moves(self._replay()))):
            raise VerificationError(f"the game is not over after {len(self.moves)} moves")

    def _replay(self) -> Any:
        state = self.problem.initial()
        for number, move in enumerate(self.moves, 1):
            legal = list(self.problem.moves(state))
            played = [candidate for candidate in legal if same_move(candidate, move)]
            if not played:
                raise VerificationError(f"move {number}, {move!r}, is not legal")
            state = self.problem.play(state, played[0])
        return state

    def to_dict(self) -> dict[str, Any]:
        """Return the moves."""
        return {"moves": list(self.moves)}

    def __str__(self) -> str:
        return ", ".join(map(str, self.moves))

    def picture(self) -> Picture:
        """Return the moves as text: a problem of the user's own has no drawing."""
        lines = [Text(0, -k, str(move), align="left") for k, move in enumerate(self.moves)]
        return Picture(tuple(lines), (-1, -len(lines), 20, 1), problem_path(self.problem))


def same_move(move: Any, other: Any) -> bool:
    """Whether two moves are the same, one of which may have been through JSON."""
    return bool(move == other) or (
        isinstance(move, tuple) and isinstance(other, list) and _as_lists(move) == other
    )


def _as_lists(value: Any) -> Any:
    return [_as_lists(part) for part in value] if isinstance(value, tuple | list) else value
