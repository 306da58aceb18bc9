"""The errors that reach a user."""

from __future__ import annotations


class NestorError(Exception):
    """Base class of all errors that this package raises on purpose."""


class InputError(NestorError, ValueError):
    """An argument or a file has the wrong content.

    The message names the argument, or the file and line, and says what would be right.
    """


class VerificationError(NestorError, ValueError):
    """A solution is not what it claims to be.

    Raised by the verifiers of the problems, which share no code with the search.
    """


class MissingExtraError(NestorError, ImportError):
    """An optional dependency is needed; the message names the extra to install."""


def missing_extra(what: str, extra: str) -> MissingExtraError:
    """Return the error for a feature whose extra is not installed."""
    return MissingExtraError(f"{what} needs the extra '{extra}': pip install 'nestor[{extra}]'")
