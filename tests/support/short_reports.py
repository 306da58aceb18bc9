"""Reports of `check_problem` that take hardly any time; also a plugin of pytest."""

from typing import Any

from nestor.diagnosis import form, games, rivals

PARTS: tuple[Any, ...] = (form, games, rivals)
"""What the parts of a report are made of: each has an `EFFORT`, in seconds."""

SHORT = 0.01


def pytest_configure() -> None:
    """Have every report short; for runs of other tests than these."""
    for part in PARTS:
        part.EFFORT = SHORT
