"""A search that tells of each new best is the search that does not."""

from __future__ import annotations

from typing import Any

from nestor.runs.session import Limits
from properties.table import Case, every_case
from support.searching import found, improvements


@every_case
def test_telling_of_new_bests_changes_nothing(case: Case) -> None:
    heard: list[list[Any]] = [[], []]
    last: list[Any] = [None, None]

    def told(job: int, found: list[Any], moves: list[Any]) -> None:
        heard[job] += [(each["playouts"], each["score"], each["level"]) for each in found]
        last[job] = moves

    silent, telling = (case.subject.begin(case.algorithm, 4, 2) for _ in range(2))
    telling.tell(told)
    for threads, playouts in ((1, 3), (2, 41), (1, 42), (2, 90)):
        for search in (silent, telling):
            search.advance(Limits(1e9, threads, playouts))
        assert found(telling) == found(silent)
        assert heard == improvements(telling)
        assert last == [telling.job_moves(job) for job in range(2)]
