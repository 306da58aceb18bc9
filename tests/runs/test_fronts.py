"""Fronts of several objectives: what is kept, that it is verified, and the same anywhere."""

from __future__ import annotations

import enum
import json
import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import permutations, product
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import nestor
from nestor.archive import Archive, crowding, hypervolume
from nestor.errors import InputError, VerificationError
from nestor.objectives import dominates, show_scores
from nestor.research import playout
from nestor.runs.own.job import OwnJob
from support.fronts import Choice, Coins, Costed, Enough, Kept, Last, Tours, Undone
from support.parts import crossed


def front_of(result: nestor.Result) -> nestor.Front:
    assert result.front is not None
    return result.front


def best_of(losses: set[tuple[float, ...]]) -> list[tuple[float, ...]]:
    """Return what nothing else beats."""
    return sorted(each for each in losses if not any(dominates(other, each) for other in losses))


@pytest.mark.parametrize("parts", [2, 3])
def test_archive_keeps_what_nothing_beats(parts: int) -> None:
    rng = Random(parts)
    seen = [tuple(float(rng.randrange(12)) for _ in range(parts)) for _ in range(150)]
    archive: Archive[int] = Archive()
    for number, losses in enumerate(seen):
        archive.add(losses, number)
        assert [*archive] == best_of(set(seen[: number + 1]))
        assert set(archive.entries) == set(archive)
    assert all(seen.index(losses) == number for losses, number in archive.entries.items())


@pytest.mark.parametrize("parts", [1, 2, 3, 4])
def test_hypervolume_counts_cells(parts: int) -> None:
    rng = Random(parts)
    for _ in range(20):
        front = [tuple(float(rng.randrange(5)) for _ in range(parts)) for _ in range(6)]
        cells = product(range(4), repeat=parts)
        beaten = sum(any(all(a <= b for a, b in zip(f, c)) for f in front) for c in cells)  # noqa: B905
        assert hypervolume(front, (4.0,) * parts) == beaten


def test_crowding() -> None:
    far = crowding([(0.0, 10.0), (2.0, 6.0), (10.0, 0.0)])
    assert far == [math.inf, 1.0, math.inf]
    assert crowding([(1.0, 1.0)]) == [math.inf]


def test_local_search_of_orders_finds_the_front() -> None:
    problem = Tours()
    every = {problem.score(order) for order in permutations(range(6))}
    result = nestor.solve(problem, seed=1, playouts=4000)
    assert "ParetoLocalSearch" in result.algorithm.name
    found, known = front_of(result).scores, best_of({tuple(round(x, 9) for x in e) for e in every})
    assert sorted({tuple(round(x, 9) for x in each) for each in found}) == known
    assert result.scores == front_of(result)[0].scores
    assert result.verified


@pytest.mark.parametrize("problem", [Choice(), Enough(), Undone()])
def test_local_search_of_sets_finds_the_front(problem: Choice) -> None:

    def ends(state: frozenset[int]) -> set[frozenset[int]]:
        legal = problem.moves(state)
        return set().union(*(ends(state | {m}) for m in legal)) if legal else {state}

    sign = -1 if problem.objectives[0] == "max" else 1
    losses = {tuple(sign * float(x) for x in problem.score(end)) for end in ends(frozenset())}
    result = nestor.solve(problem, seed=1, playouts=3000)
    assert "ParetoLocalSearch" in result.algorithm.name
    assert sorted(tuple(sign * x for x in s) for s in front_of(result).scores) == best_of(losses)


class Named(Choice):
    """Its moves are tuples, as those of an assignment."""

    def moves(self, state: frozenset[int]) -> list[Any]:
        return [("thing", (move,)) for move in super().moves(state)]

    def play(self, state: frozenset[int], move: Any) -> frozenset[int]:
        return super().play(state, move[1][0])


@pytest.mark.parametrize("settings", [{}, {"jobs": 2, "threads": 2}])
def test_moves_may_be_tuples(settings: dict[str, Any], tmp_path: Path) -> None:
    known, named = (
        nestor.solve(problem, seed=1, playouts=900, **settings) for problem in (Choice(), Named())
    )
    assert front_of(named).scores == front_of(known).scores
    assert [[move[1][0] for move in each.moves] for each in front_of(named)] == [
        each.moves for each in front_of(known)
    ]
    named.save(tmp_path / "front.json")
    loaded = front_of(nestor.Result.load(tmp_path / "front.json", Named()))
    assert [each.moves for each in loaded] == [each.moves for each in front_of(named)]


def test_policies_find_the_front() -> None:
    class Plain(Choice):
        change = "none"

    result = nestor.solve(Plain(), seed=3, playouts=3000)
    assert result.algorithm.describe().startswith("ParetoNRPA, level 3, iterations 30")
    known = front_of(nestor.solve(Choice(), seed=1, playouts=3000)).scores
    assert front_of(result).scores == known


class Ranked(Costed):
    """The same wrong cost where the first part decides."""

    objectives = "lexicographic"
    ranges = ((0, 100, 0.1), (0, 100, 0.01))

    def score(self, state: Sequence[int]) -> Any:
        return tuple(round(part, place) for place, part in enumerate(super().score(state), 1))

    def cost_of(self, order: Sequence[int]) -> Any:
        return tuple(round(part, place) for place, part in enumerate(super().cost_of(order), 1))


WRONG: dict[type, str] = {
    Costed: r"cost_of\(.*\) must return the score of the order, \(3\.\d+, \d\.\d+\), not \(3",
    Kept: r"undo\(\) must leave no trace of a move, but score\(\) is \(\d+\.0, \d+\.0\)",
    Last: r'change is "set": any subset of the .*, but score\(\) is \(\d\.0, \d\.0\)',
    Ranked: r"cost_of\(.*\) must return the score of the order, \(3\.2, 2\.84\), not \(3\.2, ",
}


@pytest.mark.parametrize("kind", WRONG)
def test_a_check_compares_all_parts(kind: type) -> None:
    with pytest.raises(AssertionError, match=WRONG[kind]):
        nestor.testing.check_problem(kind(), report=False)


class Cheap(Tours):
    def cost_of(self, order: Sequence[int]) -> Any:
        one, two = self.score(order)
        return one - 0.5, two


class Unknown(Tours):
    def cost_of(self, order: Sequence[int]) -> Any:
        return 1.0, math.nan


def test_a_cost_that_is_no_number_is_told_with_the_moves() -> None:
    with pytest.raises(InputError, match=r":Unknown: a part of cost_of\(\) .*, after the moves \["):
        nestor.solve(Unknown(), playouts=50)


@pytest.mark.parametrize("kind", [Cheap, Costed])
def test_a_wrong_cost_ends_a_search_for_a_front(kind: type) -> None:
    said = rf":{kind.__name__}: cost_of\(.*\) must return the score of the order, \("
    with pytest.raises(InputError, match=said) as failed:
        nestor.solve(kind(), playouts=2000, seed=1)
    assert failed.value.__cause__ is None
    assert failed.value.__suppress_context__


def test_what_is_accepted_of_a_front_is_kept() -> None:
    with (
        pytest.warns(RuntimeWarning, match="some of what the search found is refused"),
        pytest.warns(RuntimeWarning, match="undo.. must leave no trace of a move"),
    ):
        result = nestor.solve(Kept(), playouts=2000, seed=1)
    assert result.verified
    result.verify()
    assert (27, 11) in front_of(result).scores
    assert result.scores == front_of(result)[0].scores


ALGORITHMS = [nestor.ParetoNRPA(level=2, iterations=8), nestor.ParetoLocalSearch(turns=5, tries=60)]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_same_on_workers_and_after_a_checkpoint(
    algorithm: nestor.Algorithm, tmp_path: Path
) -> None:
    told = [
        (front_of(result).scores, [(at, job, scores) for at, job, _, scores in history])
        for result in (
            nestor.solve(Tours(), algorithm, seed=2, jobs=2, playouts=700),
            nestor.solve(Tours(), algorithm, seed=2, jobs=2, playouts=700, workers=2),
            _in_parts(algorithm, tmp_path / "run.ckpt", (90, 91, 333)),
        )
        for history in [front_of(result).history]
    ]
    assert told[0] == told[1] == told[2]


def _in_parts(
    algorithm: nestor.Algorithm, path: Path, stops: Sequence[int], problem: Any = None
) -> nestor.Result:
    """Return the result of a run that was stopped and resumed."""
    (first, *others), problem = stops, problem or Tours()
    nestor.solve(problem, algorithm, seed=2, jobs=2, playouts=first, checkpoint=path)
    for stop in others:
        nestor.resume(path, problem=problem, playouts=stop)
    return nestor.resume(path, problem=problem, playouts=700)


class Place(enum.Enum):
    A, B, C, D, E, F = "abcdef"


FORMS: dict[str, Any] = {
    "numbers of NumPy": np.int64,
    "tuples of them": lambda place: ("place", np.int32(place)),
    "an enumeration": [*Place].__getitem__,
    "frozensets": lambda place: frozenset([place]),
}


class Formed(Tours):
    """The same with places of another form."""

    def __init__(self, form: str) -> None:
        super().__init__()
        self.places = [FORMS[form](place) for place in range(self.n)]

    def moves(self, state: tuple[int, ...]) -> list[Any]:
        return [self.places[place] for place in super().moves(state)]

    def play(self, state: tuple[int, ...], move: Any) -> tuple[int, ...]:
        return super().play(state, self.places.index(move))


@pytest.mark.parametrize(("form", "algorithm"), crossed(FORMS, ALGORITHMS))
def test_moves_may_have_forms_that_json_lacks(
    form: str, algorithm: nestor.Algorithm, tmp_path: Path
) -> None:
    problem = Formed(form)
    plain = front_of(nestor.solve(Tours(), algorithm, seed=2, jobs=2, playouts=700))
    result = _in_parts(algorithm, tmp_path / "run.ckpt", (91, 333), problem)
    front, same = front_of(result), [[problem.places[k] for k in each.moves] for each in plain]
    assert front.scores == plain.scores
    assert [each.moves for each in front] == same
    result.save(tmp_path / "run.json")
    loaded = front_of(nestor.Result.load(tmp_path / "run.json", problem))
    assert [each.moves for each in loaded] == same


def test_codes_that_no_file_has_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nestor.runs.own.job.OFTEN", 0.0)  # Each state is kept.
    algorithm, problem = nestor.ParetoNRPA(level=2, iterations=8), Formed("numbers of NumPy")
    problem.places = [complex(place) for place in range(problem.n)]
    path = tmp_path / "run.ckpt"
    with pytest.raises(InputError, match="a complex has no form; a method code can return them"):
        nestor.solve(problem, algorithm, playouts=20_000, checkpoint=path)


def test_saved_and_drawn(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "front.json"
    result = nestor.solve(Tours(), seed=1, playouts=500)
    result.save(path)
    loaded = nestor.Result.load(path, problem=Tours())
    loaded.verify()
    assert loaded.front is not None
    assert loaded.front == result.front
    nestor.testing.check_problem(Tours())
    told = capsys.readouterr().out
    assert told.startswith("support.fronts:Tours\n")
    assert "; objective 2 2." in told
    assert "playouts/s of ParetoLocalSearch on one core" in told
    assert "\n  search    ParetoLocalSearch " in told
    loaded.plot(tmp_path / "front.svg")
    assert "first objective" in (tmp_path / "front.svg").read_text()

    class Named(Tours):
        objectives: Any = {"km": "min", "toll": "min"}  # noqa: RUF012

    named = nestor.solve(Named(), seed=1, playouts=500).front
    assert named is not None
    assert named.scores == loaded.front.scores
    assert named.names == ("km", "toll")
    named.plot(tmp_path / "front.svg")
    text = (tmp_path / "front.svg").read_text()
    assert "km (lower is better)" in text
    assert "toll (lower is better)" in text
    named.plot(tmp_path / "front.svg", names=("one", "other"))
    assert "one (lower is better)" in (tmp_path / "front.svg").read_text()
    nestor.testing.check_problem(Named())
    assert "; toll 2." in capsys.readouterr().out

    data = json.loads(path.read_text())
    data["front"]["points"][0]["scores"][1] -= 0.5
    path.write_text(json.dumps(data))
    with pytest.raises(VerificationError, match="front"):
        nestor.Result.load(path, problem=Tours()).verify()
    wrong: list[Any] = [{}, {"points": [], "history": []}, {"points": 3, "history": []}]
    for broken in wrong:
        path.write_text(json.dumps({**data, "front": broken}))
        with pytest.raises(InputError):
            nestor.Result.load(path, problem=Tours())


@pytest.mark.parametrize("kind", [Choice, Coins])
def test_a_point_that_another_beats_is_refused(kind: type) -> None:
    result = nestor.solve(kind(), seed=1, playouts=400)
    front, last = front_of(result), nestor.solve(kind(), playouts=1, seed=1, jobs=1)
    assert last.scores not in front.scores
    more = replace(front, points=(*front, *front_of(last)))
    with pytest.raises(VerificationError, match="which another one beats, ") as refused:
        replace(result, front=more).verify()
    assert show_scores(last.scores) in str(refused.value)  # type: ignore[arg-type]
    # Of equal scores one more is no fault.
    replace(front, points=(*front, front[0])).verify()


def test_hypervolume_grows() -> None:
    front = front_of(nestor.solve(Tours(), seed=1, playouts=500))
    volumes = [volume for _, _, volume in front.hypervolumes((10, 10))]
    assert volumes == sorted(volumes)
    assert volumes[-1] == pytest.approx(front.hypervolume((10, 10)))
    with pytest.raises(InputError, match="reference"):
        front.hypervolume((1, 2, 3))


def test_begins_with_a_solution() -> None:
    best = front_of(nestor.solve(Tours(), seed=1, playouts=4000))
    for point in (best[0], best[-1]):
        result = nestor.solve(Tours(), seed=5, playouts=2, initial=point.moves)
        assert any(s == point.scores for s in front_of(result).scores)


def test_no_wrong_settings_and_no_exchange() -> None:
    for kind, settings in (
        (nestor.ParetoNRPA, {"iterations": 0, "policies": 1001, "alpha": 0}),
        (nestor.ParetoLocalSearch, {"turns": 0, "tries": -1}),
    ):
        for name, value in settings.items():
            with pytest.raises(InputError, match=f"{name} must be"):
                kind(**{name: value})
    with pytest.raises(InputError, match="those for fronts, take nothing over"):
        nestor.solve(Tours(), playouts=100, jobs=2, exchange=10)


def test_stops_without_improvement() -> None:
    stop = nestor.NoImprovement(playouts=400)
    result = nestor.solve(Tours(), seed=1, stop=stop, playouts=10**6)
    assert result.stop_reason == "no_improvement"
    assert result.playouts >= front_of(result).history[-1][0] + 400


def test_refused() -> None:
    with pytest.raises(InputError, match="a front has none"):
        nestor.solve(Tours(), playouts=10, target=(1, 1))
    known = type("Known", (Tours,), {"optimum": 3})()
    with pytest.raises(InputError, match="optimum = None if the class inherits one"):
        nestor.solve(known, playouts=10)
    unnamed = type("Unnamed", (Tours,), {"objectives": {1: "min", 2: "min"}})()
    with pytest.raises(InputError, match="the name of an objective must be a string, not 1"):
        nestor.solve(unnamed, playouts=10)
    known.optimum = None
    assert nestor.solve(known, playouts=10).front
    with pytest.raises(InputError, match="ParetoNRPA"):
        nestor.solve(Tours(), nestor.NRPA(1, 5))
    with pytest.raises(InputError, match="objectives"):
        nestor.solve(nestor.problems.Morpion("4D"), ALGORITHMS[0], playouts=10)
    with pytest.raises(InputError, match="front"):
        nestor.compare([Tours()], ALGORITHMS[:1], seeds=1, playouts=10)
    with pytest.raises(InputError, match="front"):
        nestor.solve_many(Tours(), distinct=2, playouts=10)
    for wrong in (1.0, (1.0,), (1.0, math.nan), (1.0, math.inf)):
        problem = type("Wrong", (Tours,), {"score": lambda self, state, wrong=wrong: wrong})()
        with pytest.raises(InputError, match=r":Wrong: .*score\(\) .*, after the moves \["):
            nestor.solve(problem, playouts=10)
    unset = {"change": None, "objectives": None, "score": lambda self, state: 1.0}
    with pytest.raises(InputError, match="must be 'none', or be left out, not None"):
        nestor.solve(type("Unset", (Tours,), unset)(), playouts=10)


@nestor.algorithm
def noting(search: Any, problem: Any, policy: Any, level: Any, key: Any) -> Any:
    """Playouts that are counted in a record."""
    for number in range(search.state or 0, 40):
        found = playout(problem, policy, key=key.child(number))
        search.record("all", [*search.records.get("all", []), found.score])
        search.record("last", found)
        yield number + 1
    return found


def test_records_survive(tmp_path: Path) -> None:
    problem, path = nestor.problems.Morpion("4D"), tmp_path / "run.ckpt"
    whole = nestor.solve(problem, noting(), seed=1, jobs=2, playouts=60)
    far = nestor.solve(problem, noting(), seed=1, jobs=2, playouts=60, workers=2)
    nestor.solve(problem, noting(), seed=1, jobs=2, playouts=30, checkpoint=path)
    resumed = nestor.resume(path, problem=problem, algorithm=noting(), playouts=60)
    assert whole.records == far.records == resumed.records
    # The last playout of the budget is recorded too.
    assert [len(each["all"]) for each in whole.records] == [30, 30]
    whole.save(tmp_path / "r.json")
    loaded = nestor.Result.load(tmp_path / "r.json").records
    assert loaded == json.loads(json.dumps(whole.records))


@pytest.mark.parametrize("search", [nestor.ParetoLocalSearch(), nestor.ParetoNRPA()], ids=str)
def test_games_are_counted_before_they_are_on_the_front(
    search: nestor.Algorithm, monkeypatch: pytest.MonkeyPatch
) -> None:
    count, seen = OwnJob.count, list[int]()

    def checked(self: OwnJob, *told: Any) -> None:
        seen.extend(each["playouts"] for each in self.found.records.values())
        assert max(seen, default=0) <= self.found.playouts
        count(self, *told)

    monkeypatch.setattr(OwnJob, "count", checked)
    nestor.solve(Tours(), search, playouts=400, seed=1, jobs=1)
    assert seen
