"""Whether an algorithm goes with a problem."""

from __future__ import annotations

from collections.abc import Sequence

from nestor.algorithms import GNRPA, Counterexamples, LocalSearch, Race
from nestor.algorithms.sampling import Unlearned
from nestor.errors import InputError
from nestor.problems import PROBLEMS
from nestor.problems.base import BaseProblem
from nestor.runs.segments import Asked

HOW_TO_CHANGE = (
    ': its class may have an attribute change = "order" or change = "set" (see '
    "docs/local-search.md)"
)
"""What those who wrote a problem can do for local search."""


def checked_biases(asked: Asked) -> str:
    """Check that an algorithm goes with its problem; return the names of the biases in force.

    Raises
    ------
    InputError
        If it does not, or if there is no such bias or prior.
    """
    problem, algorithm = asked.problem, asked.algorithm
    if isinstance(algorithm, Race) and algorithm.improver and not problem.improver:
        raise InputError(
            f"improve_every is for problems with an improver (SameGame), not for {problem.name}"
        )
    return " / ".join(dict.fromkeys(_checked(entrant) for _, entrant in asked.entrants))


def _checked(asked: Asked) -> str:
    """Check one of those that a race compares; return the name of the biases in force."""
    problem, algorithm = asked.problem, asked.algorithm
    if isinstance(algorithm, Unlearned):
        _check_policy(problem, algorithm.playout_policy)
    if getattr(algorithm, "polish", False) and problem.change != "decisions":
        raise InputError(_no_polish(problem))
    if isinstance(algorithm, Counterexamples) and not problem.repairs:
        raise InputError(
            f"{algorithm.name} is for problems that say why a sequence fails (Latin squares, RNA), "
            f"not for {problem.label or problem.name}"
        )
    if isinstance(algorithm, LocalSearch) and problem.change not in ("order", "set"):
        raise InputError(
            f"{algorithm.name} is for problems that say what may be changed; {problem.name} does "
            "not say so" + HOW_TO_CHANGE * (problem.reference is not None)
        )
    names, betas = asked.in_force
    biases = [*names, algorithm.bias_settings.prior_name] if betas else names
    if isinstance(algorithm, GNRPA):
        _check_biases(problem, algorithm, biases)
    return "+".join(biases) or "none"


def _no_polish(problem: BaseProblem) -> str:
    """Say why a problem cannot be polished, and what can be done."""
    polish = "polish changes single decisions"
    if problem.change != "none":
        return f"{polish}; {problem.name} is improved by nestor.LocalSearch() in place of it"
    own = ' (see docs/polish.md): its class may have an attribute change = "decisions"'
    return f"{polish}, which {problem.name} does not allow{own * (problem.reference is not None)}"


def _check_policy(problem: BaseProblem, policy: str | None) -> None:
    """Check that the problem supplies a playout policy of this name."""
    if policy is None or policy in problem.policies:
        return
    known = [f"{p!r} for {name}" for name, kind in PROBLEMS.items() for p in kind.policies]
    raise InputError(f"playout_policy must be {', '.join(known)}; {problem.name} has no {policy!r}")


def _check_biases(problem: BaseProblem, algorithm: GNRPA, biases: Sequence[str]) -> None:
    """Check that there are biases whose weights can be learned, and as many as weights."""
    if algorithm.bias_learning is None:
        return
    if not biases:
        raise InputError(
            f"bias_learning needs a bias or a prior: {problem.name} has none by default"
        )
    weights = algorithm.bias_weight
    if isinstance(weights, tuple) and len(weights) != len(biases):
        raise InputError(
            f"bias_weight must be a number, or one for each of the biases {', '.join(biases)}; "
            f"it has {len(weights)}"
        )
