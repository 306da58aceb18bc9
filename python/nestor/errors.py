"""The errors that reach a user."""

from __future__ import annotations

from collections.abc import Iterable


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


class FetchError(NestorError, OSError):
    """A benchmark set cannot be downloaded; the message says why, and where its files belong."""


class MissingExtraError(NestorError, ImportError):
    """An optional dependency is needed; the message names the extra to install."""


def missing_extra(what: str, extra: str) -> MissingExtraError:
    """Return the error for a feature whose extra is not installed."""
    return MissingExtraError(f"{what} needs the extra '{extra}': pip install 'nestor[{extra}]'")


def nearest(value: object, known: Iterable[str]) -> str:
    """Return a question to put after an error: which known name was meant; empty if none is near.

    Capitals matter only if names differ in nothing else.
    """
    from difflib import get_close_matches

    if isinstance(value, str):
        names = {name: name for name in known}
        lower = {name.lower(): name for name in names}
        for word, meant in ((value, names), (value.lower(), lower)):
            if found := get_close_matches(word, meant, 1):
                return f" (did you mean {meant[found[0]]!r}?)"
    return ""
