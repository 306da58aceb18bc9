"""The command `nestor`."""

from nestor.cli.app import main

__all__ = ["main"]
