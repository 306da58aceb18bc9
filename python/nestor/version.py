"""The version of this package."""

from functools import cache


@cache
def version() -> str:
    """Return the version; to look it up takes a tenth of the time that the whole package takes."""
    from importlib.metadata import version

    return version("nestor")
