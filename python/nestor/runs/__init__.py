"""Runs: a search advances until it reaches a limit, and writes and shows things on the way."""

# Files tell of its algorithms, which come with Nestor and so need no trust.
import nestor.pareto  # noqa: F401
