"""Nested Monte Carlo search."""
