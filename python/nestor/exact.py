"""The keys, random numbers and arithmetic of the core, to the last bit.

No result depends on the machine: `exp` is a polynomial, sums are taken in blocks of four, and every
random number comes from the key of a playout.
"""

from __future__ import annotations

import itertools
import math
import struct
from collections.abc import Iterator, Sequence

_MASK = 2**64 - 1
_GOLDEN = 0x9E3779B97F4A7C15


def _mix(z: int) -> int:
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & _MASK
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB & _MASK
    return z ^ (z >> 31)


def child_key(key: int, index: int) -> int:
    """Return the key of a child in the search tree: output number `index` of SplitMix64."""
    return _mix((key + _GOLDEN * (index + 1)) & _MASK)


def uniform(key: int, index: int) -> float:
    """Return draw number `index` of the playout with this key, in [0, 1)."""
    return (child_key(key, index) >> 11) * 2.0**-53


def uniforms(key: int) -> Iterator[float]:
    """Yield the draws of the playout with this key."""
    return (uniform(key, index) for index in itertools.count())


_TAYLOR = [1.0 / math.factorial(k) for k in range(11, -1, -1)]


def exp(x: float) -> float:
    """Return e to the power x by range reduction and the Taylor series of order 11."""
    if x < -708.0:
        return 0.0
    if x > 708.0:
        return math.inf
    whole = (x * 1.4426950408889634 + 6755399441055744.0) - 6755399441055744.0
    r = (x - whole * 6.931471803691238e-1) - whole * 1.9082149292705877e-10
    total = _TAYLOR[0]
    for coefficient in _TAYLOR[1:]:
        total = total * r + coefficient
    power: float = struct.unpack("<d", struct.pack("<Q", int(whole) + 1023 << 52))[0]
    return total * power


def cumulate(values: Sequence[float]) -> list[float]:
    """Return the cumulative sums, in blocks a, b, c, d of four (the last padded with zeros)."""
    sums: list[float] = []
    before = 0.0
    for start in range(0, len(values), 4):
        a, b, c, d = [*values[start : start + 4], 0.0, 0.0, 0.0][:4]
        block = [before + a, before + (a + b), before + ((a + b) + c)]
        before = before + ((a + b) + (c + d))
        sums += [*block, before][: len(values) - start]
    return sums
