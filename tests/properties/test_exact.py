"""The core's arithmetic is that of its Python twin."""

from __future__ import annotations

import math
import random

from nestor import _core, exact

ENDS = (0.0, -0.0, 708.0, -708.0, 709.0, -800.0)


def test_exp_is_the_twins() -> None:
    rng = random.Random(0)
    for x in (*ENDS, *(rng.uniform(-750, 750) for _ in range(2000))):
        assert _core.exp(x) == exact.exp(x)
        if abs(x) < 700:
            assert math.isclose(exact.exp(x), math.exp(x), rel_tol=1e-14)
