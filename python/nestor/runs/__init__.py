"""Runs: a search advances until it reaches a limit, and writes and shows things on the way."""
