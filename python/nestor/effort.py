"""How long the methods of a problem take: processor time, but time on the wall if they wait."""

from __future__ import annotations

import time

WAITS = 25
"""What takes so many times its processor time waits for something: a busy machine costs less."""


def spent(processor: float, wall: float) -> float:
    """Return the seconds that something took, of its processor time and that on the wall."""
    return wall if wall > WAITS * processor else processor


class Effort:
    """The seconds that this process has worked or waited since it was made."""

    def __init__(self) -> None:
        self._begun = time.process_time(), time.monotonic()

    @property
    def seconds(self) -> float:
        """The seconds so far."""
        processor, wall = self._begun
        return spent(time.process_time() - processor, time.monotonic() - wall)
