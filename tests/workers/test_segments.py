"""Segments: where they run and what is sent of their state cannot matter."""

from __future__ import annotations

import copyreg
import dataclasses
import pickle
from typing import Any

import pytest

from nestor import GNRPA, NMCS, NRPA, Race
from nestor.problems import Morpion
from nestor.problems.own import adapt
from nestor.runs.elsewhere import segments
from nestor.runs.elsewhere.segments import Setup, Start, State, portable, segment
from nestor.runs.session import Limits
from support.own import Jobs

ENDS = (500, 800, 4000, 6500)


class TwoArgumentsError(Exception):
    """Its arguments are not those of its constructor."""

    def __init__(self, code: int, text: str) -> None:
        super().__init__(f"{text} ({code})")


class FewerError(Exception):
    """Made again it has fewer arguments each time."""

    def __init__(self, _code: int, *rest: str) -> None:
        super().__init__(*rest)


class GrowingError(Exception):
    """Made again it says more each time."""

    def __init__(self, code: object, text: str = "why") -> None:
        super().__init__(f"{code}: {text}")


@pytest.mark.parametrize(
    ("error", "kind", "text"),
    [
        (ValueError(3, "no licence"), ValueError, "(3, 'no licence')"),
        (TwoArgumentsError(3, "no licence"), RuntimeError, "TwoArgumentsError: no licence (3)"),
        (FewerError(3, "no licence"), RuntimeError, "FewerError: no licence"),
        (GrowingError(3), RuntimeError, "GrowingError: 3: why"),
    ],
)
def test_an_exception_arrives_with_its_text(
    error: Exception, kind: type, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Dask, once imported, pickles exceptions in a way of its own.
    monkeypatch.delitem(copyreg.dispatch_table, type(error), raising=False)
    told = pickle.loads(pickle.dumps(portable(error)))
    assert (type(told), str(told)) == (kind, text)


def chain(asked: Setup, ends: tuple[int, ...], whole: bool) -> tuple[list[State], list[State]]:
    """Return the states after segments that end after so many playouts, and what was sent back."""
    packed, state, digest = asked.packed(), State(), ""
    states, sent = [], []
    for end in ends:
        limits = Limits(60.0, 1, end, longest=99)
        start = Start.at(state, digest, whole) if digest else Start()
        done = segment("run", "asked", packed, 3, start, limits)
        assert done is not None
        sent.append(done.state)
        state = state.then(done.state)
        digest = state.digest("asked", 3)
        states.append(state)
    return states, sent


@pytest.fixture(autouse=True)
def blank(monkeypatch: pytest.MonkeyPatch) -> None:
    """Begin as a new worker does."""
    monkeypatch.setattr(segments, "_known", {})
    monkeypatch.setattr(segments, "_states", {})


def timeless(state: State) -> Any:
    """Return what depends on no clock."""
    found = [{**each, "seconds": 0} for each in state.improvements]
    return dataclasses.replace(state, saved=b"", improvements=found)


@pytest.mark.parametrize(
    ("problem", "algorithm"),
    [
        (Morpion("5D"), GNRPA(3, 20)),
        (Jobs(), GNRPA(3, 20)),
        (Jobs(), NMCS(2)),
        (Morpion("5D"), NRPA(3, 10, width=4)),
        (Morpion("5D"), Race([NRPA(2, 20), NRPA(3, 10)])),
    ],
    ids=["plain", "own", "nmcs", "wide", "race"],
)
@pytest.mark.parametrize("whole", [True, False])
def test_a_chain_of_segments_is_the_job(problem: Any, algorithm: Any, whole: bool) -> None:
    asked = Setup(adapt(problem), algorithm, 4)
    alone = asked.search(1, 3)
    for end, state in zip(ENDS, chain(asked, ENDS, whole)[0], strict=True):
        alone.advance(Limits(60.0, 1, end))
        assert timeless(state) == timeless(State.of(alone, "playouts"))


def test_little_comes_back() -> None:
    states, sent = chain(Setup(adapt(Morpion("5D")), NRPA(3, 20), 4), (400, 6000, 6400), False)
    assert states[1].improvements == states[2].improvements != []
    assert (sent[2].moves, sent[2].improvements) == ([], [])
    assert all(moves == [] for _, moves in sent[2].trail)
    assert len(sent[2].saved) < len(states[2].saved) / 3


def test_a_worker_that_does_not_know_the_state_says_so() -> None:
    asked = Setup(adapt(Morpion("5D")), NRPA(2, 20), 4)
    (state,), _ = chain(asked, (100,), True)
    limits, digest = Limits(60.0, 1, 200, longest=99), state.digest("asked", 3)
    given = ("run", "asked", asked.packed(), 3)
    assert segment(*given, Start.at(state, digest, False), limits) is not None
    segments._states.clear()
    assert segment(*given, Start.at(state, digest, False), limits) is None
    assert segment(*given, Start.at(state, digest, True), limits) is not None


def test_segments_end_where_the_state_is_small() -> None:
    asked = Setup(adapt(Morpion("5D")), NRPA(3, 10), 4)
    limits = Limits(0.5, 1, longest=99)
    done = segment("run", "asked", asked.packed(), 0, Start(), limits)
    assert done is not None
    assert [step for step, _ in done.state.progress[:2]] == [0, 0]
    assert done.state.status == "seconds"
