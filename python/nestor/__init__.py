"""Nested Monte Carlo search for combinatorial problems.

Give `solve` a problem (one of `nestor.problems`, or your own class), an algorithm and a budget. It
returns the best sequence of moves that it found, decoded and verified.
"""

from typing import TYPE_CHECKING

from nestor import algorithms, problems, research, testing
from nestor.algorithms import *  # noqa: F403
from nestor.errors import InputError, MissingExtraError, NestorError, VerificationError
from nestor.learning import learn_prior
from nestor.prior import Prior
from nestor.problem import Problem
from nestor.result import Improvement, Result
from nestor.runs.run import Progress
from nestor.solve import resume, solve
from nestor.version import version as _version

__all__ = [
    *algorithms.__all__,
    "Improvement",
    "InputError",
    "MissingExtraError",
    "NestorError",
    "Prior",
    "Problem",
    "Progress",
    "Result",
    "VerificationError",
    "__version__",
    "learn_prior",
    "problems",
    "research",
    "resume",
    "solve",
    "testing",
]

if TYPE_CHECKING:
    __version__: str
else:

    def __getattr__(name: str) -> str:
        """Return the version."""
        if name == "__version__":
            return _version()
        raise AttributeError(f"module 'nestor' has no attribute {name!r}")
