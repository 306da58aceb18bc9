"""Experiments: problems x algorithms x seeds, and the statistics of what they found."""

from nestor.comparison.compare import compare
from nestor.comparison.runs import Runs

__all__ = ["Runs", "compare"]
