"""After a failure in a user's code a search continues as if nothing had happened."""

from __future__ import annotations

import pytest

from nestor import NMCS, NRPA, Algorithm, BeamNRPA
from nestor.runs.session import Limits
from support.own import FailingOnce, Forbidding
from support.searching import begin, found, run

# A playout with force_explore is played again in part: failures come later, too.
NUMBERS = {
    NMCS(2): range(1, 90, 3),
    NMCS(2, beam=(2, 3)): range(1, 90, 3),
    BeamNRPA(2, 5): range(1, 90, 3),
    NRPA(2, 12, force_explore=True): range(1, 700, 7),
}


@pytest.mark.parametrize("algorithm", NUMBERS, ids=Algorithm.describe)
@pytest.mark.parametrize("name", ["moves", "play"])
def test_a_search_continues_after_a_failure(name: str, algorithm: Algorithm) -> None:
    unbroken = run(Forbidding(), algorithm, 150)
    for number in NUMBERS[algorithm]:
        search = begin(FailingOnce(name, number), algorithm)
        with pytest.raises(RuntimeError, match="once"):
            search.advance(Limits(100.0, 1, 150))
        search.advance(Limits(100.0, 1, 150))
        assert found(search) == unbroken
