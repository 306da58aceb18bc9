"""The random numbers of a twin, and how the core saves the generator that draws them."""

from __future__ import annotations

from nestor.exact import child_key

GOLDEN = 0x9E3779B97F4A7C15
"""What a draw adds to the state of a generator."""


class Draws:
    """The generator of a key."""

    def __init__(self, key: int) -> None:
        """Begin."""
        self.key, self.made = key, 0

    def bits(self) -> int:
        """Draw 64 bits."""
        self.made += 1
        return child_key(self.key, self.made - 1)

    def uniform(self) -> float:
        """Draw a number in [0, 1)."""
        return (self.bits() >> 11) * 2.0**-53

    def below(self, limit: int) -> int:
        """Draw an index."""
        return int(self.uniform() * limit)

    @property
    def saved(self) -> bytes:
        """The generator as a state has it: seven bits a byte, the lowest first."""
        number, found = (self.key + GOLDEN * self.made) % 2**64, bytearray()
        while number >= 0x80:
            found.append(number & 0x7F | 0x80)
            number >>= 7
        return bytes([*found, number])
