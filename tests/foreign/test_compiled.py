"""Problems whose classes are compiled."""

from __future__ import annotations

import inspect
import json
import os
import pickle
import signal
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nestor
from nestor import InputError, RulesError
from nestor.plot import replay
from nestor.runs import isolation
from nestor.testing import check_problem
from support.commands import Nestor
from support.parts import partly

pytest.importorskip("numba", reason="needs the extra compiled")


@nestor.compiled
class Knapsack:
    """Choose items in the order of their numbers."""

    state = np.dtype([("first", "i4"), ("room", "i4"), ("value", "f8")])

    def __init__(self, weights: Any, values: Any, limit: int) -> None:
        self.weights, self.values, self.limit = np.array(weights), np.array(values), limit

    def initial(self, s: Any) -> None:
        s.first, s.room, s.value = 0, self.limit, 0.0

    def moves(self, s: Any, out: Any) -> None:
        for i in range(s.first, len(self.weights)):
            if self.weights[i] <= s.room:
                out.add(i)

    def play(self, s: Any, i: int) -> None:
        s.first = i + 1
        s.room -= self.weights[i]
        s.value += self.values[i]

    def score(self, s: Any) -> float:
        return s.value  # type: ignore[no-any-return]


pytestmark = pytest.mark.usefixtures("shared_code")


def knapsack() -> Any:
    rng = np.random.default_rng(0)
    return Knapsack(rng.integers(5, 60, 30), rng.integers(10, 90, 30).astype(float), 250)


def test_compiled_and_uncompiled_are_the_same_to_the_bit() -> None:
    problem = knapsack()
    check_problem(problem)
    check_problem(problem.twin)
    compiled = nestor.solve(problem, nestor.NRPA(2, 20), seed=1)
    twin = nestor.solve(problem.twin, nestor.NRPA(2, 20), seed=1)
    assert (compiled.score, compiled.moves) == (twin.score, twin.moves)
    assert compiled.verified


def test_threads_and_width_change_nothing() -> None:
    problem = knapsack()
    settings = nestor.GNRPA(3, 6, width=4)
    results = [nestor.solve(problem, settings, seed=2, threads=threads) for threads in (1, 2)]
    assert results[0].moves == results[1].moves


def test_a_run_is_resumed(tmp_path: Path) -> None:
    problem, path = knapsack(), tmp_path / "run.ckpt"
    nestor.solve(problem, nestor.NRPA(3, 10), seed=3, playouts=300, checkpoint=path)
    resumed = nestor.resume(path, problem=problem, playouts=900)
    whole = nestor.solve(problem, nestor.NRPA(3, 10), seed=3, playouts=900)
    assert (resumed.score, resumed.moves) == (whole.score, whole.moves)


def test_an_instance_is_saved_with_its_result(tmp_path: Path) -> None:
    problem = knapsack()
    result = nestor.solve(problem, nestor.NRPA(1, 20), seed=1)
    result.save(tmp_path / "run.json")
    assert nestor.Result.load(tmp_path / "run.json", problem=problem).verified
    same = pickle.loads(pickle.dumps(problem))
    assert same.digest == problem.digest == type(problem).from_dict(problem.to_dict()).digest


def test_what_init_sets_is_saved_with_a_result() -> None:
    @nestor.compiled
    class Sized:
        def __init__(self, steps: int) -> None:
            self.gains, self.code_count = np.arange(steps, dtype="i4"), np.int64(2 * steps)
            self.state, self.sense = np.dtype([("step", "u1"), ("sums", "i8", (1, steps))]), "min"

        def initial(self, s: Any) -> None: ...

        def moves(self, s: Any, out: Any) -> None:
            if s.step < len(self.gains):
                out.add(2 * s.step)
                out.add(2 * s.step + 1)

        def play(self, s: Any, move: Any) -> None:
            s.sums[0, s.step] = move % 2 * self.gains[s.step]
            s.step += 1

        def score(self, s: Any) -> Any:
            return s.sums[0].sum()

    kind: Any = Sized
    problem = kind(4)
    data = json.loads(json.dumps(problem.to_dict()))
    same = kind.from_dict(data)
    assert (same.digest, same.sense) == (problem.digest, "min")
    assert nestor.solve(same, playouts=100, seed=1).score == 0
    for wrong in ({"state": {"names": ["step"]}}, {"gains": {"numbers": [1], "dtype": "i4"}}):
        with pytest.raises(
            InputError, match="Sized: not its attributes, as to_dict gives them: it has no"
        ):
            kind.from_dict(data | wrong)


@pytest.mark.parametrize("bias", partly([None, 0.5], None))
def test_results_are_drawn(bias: float | None, tmp_path: Path) -> None:
    def moves(self: Any, s: Any, out: Any) -> None:
        for i in range(s.first, len(self.weights)):
            if self.weights[i] <= s.room:
                out.add(i, bias=bias * s.first)

    pytest.importorskip("matplotlib")
    result = nestor.solve(knapsack() if bias is None else changed(moves=moves), playouts=100)
    result.plot(tmp_path / "plot.svg")
    result.timeline(tmp_path / "timeline.svg")
    replay(result, tmp_path / "page.html")
    assert len(list(tmp_path.iterdir())) == 3
    assert result.solution.picture().title == result.name


def test_several_solutions_by_a_distance_or_without() -> None:
    def distance(self: Any, moves: Any, others: Any) -> int:
        return len({*moves} ^ {*others})  # Sets are not compiled.

    limits: Any = {"distinct": 2, "min_distance": 3, "playouts": 500, "target": 3}
    problem = changed(distance=distance)
    for each in (problem, problem.twin):
        assert nestor.solve_many(each, nestor.NRPA(1, 5), **limits).nearest == (3, 3)
    with pytest.raises(InputError, match=r"min_distance must be at most 1 for \w+, not 3: more"):
        nestor.solve_many(knapsack(), **limits)
    different = nestor.solve_many(knapsack(), **limits | {"min_distance": 1})
    assert len({*different[0].moves} ^ {*different[1].moves}) > 0
    with pytest.raises(InputError, match=r"Near comes from a compiled class.* distance belongs"):
        type("Near", (Knapsack,), {"distance": distance})


def test_workers_find_the_same() -> None:
    problem = knapsack()
    alone = nestor.solve(problem, nestor.NRPA(2, 20), seed=1, jobs=2, playouts=400)
    workers = nestor.solve(problem, nestor.NRPA(2, 20), seed=1, jobs=2, playouts=400, workers=1)
    assert (alone.score, alone.moves) == (workers.score, workers.moves)


def test_primitives() -> None:
    from nestor.research import Key, Policy, adapt, playout, replay

    problem = knapsack()
    policy = Policy(problem)
    best = playout(problem, policy, 50, key=Key(1))
    adapt(policy, best)
    assert replay(problem, best.moves).score == best.score


def test_what_is_wrong_with_a_class_is_said() -> None:
    with pytest.raises(InputError, match=r"must have the method moves\(self, s, out\)"):
        nestor.compiled(type("Empty", (), {"initial": lambda self, s: None}))
    with pytest.raises(InputError, match="attribute 'weights' of Knapsack must be a number"):
        Knapsack(["a"], [1.0], 3)
    with pytest.raises(InputError, match="compiled takes a class"):
        nestor.compiled(3)  # type: ignore[call-overload]


@pytest.mark.parametrize(
    "optimum", ["best", True, float("nan"), float("inf"), pytest.param(10**400, id="huge")]
)
def test_the_optimum_of_a_class_is_a_finite_number(optimum: object) -> None:
    with pytest.raises(InputError, match="optimum of the problem must be "):
        changed(optimum=optimum)
    assert changed(optimum=np.int64(6)).optimum == 6.0


def helper(number: int) -> int:
    return number


def changed(**methods: Any) -> Any:
    """Return a knapsack with other methods."""
    kind = type("Knapsack", (type(knapsack()).rules,), methods)
    return nestor.compiled(kind)([1, 2, 3], [1.0, 2.0, 3.0], 3)


def test_an_index_out_of_range_is_an_error_not_a_crash() -> None:
    def play(self: Any, s: Any, i: int) -> None:
        s.first = i + 1
        s.room -= self.weights[i + 2]

    with pytest.raises(RulesError, match=r"IndexError: index . is out of bounds"):
        nestor.solve(changed(play=play), nestor.NRPA(1, 10), seed=1)


def test_a_method_that_cannot_be_compiled_is_named_with_its_line() -> None:
    def score(self: Any, s: Any) -> float:
        return s.value + abs(helper(s.first))  # type: ignore[no-any-return]

    line = score.__code__.co_firstlineno + 1
    with pytest.raises(
        InputError, match=rf"test_compiled.py, line {line}: .*score cannot be comp.*numba.njit"
    ):
        nestor.solve(changed(score=score), nestor.NRPA(1, 10), seed=1)


def test_an_assignment_to_self_is_named_with_its_line() -> None:
    def play(self: Any, s: Any, i: int) -> None:
        s.first = i + 1
        self.limit = 3

    line = play.__code__.co_firstlineno + 2
    with pytest.raises(
        InputError, match=rf"test_compiled.py, line {line}: .*play cannot be .*belongs in the st"
    ):
        nestor.solve(changed(play=play), nestor.NRPA(1, 10), seed=1)


@pytest.mark.long
def test_a_score_without_a_return_is_named_with_its_line() -> None:
    def score(self: Any, s: Any) -> None:
        s.value + 1.0

    line = score.__code__.co_firstlineno
    with pytest.raises(
        InputError, match=rf"test_compiled.py, line {line}: .*score cannot be .*returns nothing"
    ):
        nestor.solve(changed(score=score), nestor.NRPA(1, 10), seed=1)


@pytest.mark.long
def test_what_opens_a_file_cannot_be_compiled() -> None:
    def score(self: Any, s: Any) -> float:
        with Path("values").open() as file:
            return float(file.read())

    with pytest.raises(InputError, match=r"Knapsack cannot be compiled: The 'with .* opens files"):
        nestor.solve(changed(score=score), nestor.NRPA(1, 10), seed=1)


@nestor.compiled(isolated=True, unchecked=True)
class Deadly(type(knapsack()).rules):  # type: ignore[misc]
    """Its score is read from nowhere, or never comes."""

    def __init__(self, endless: bool) -> None:
        super().__init__([1, 2, 3], [1.0, 2.0, 3.0], 3)
        self.endless = endless

    def score(self, s: Any) -> float:
        while self.endless:
            s.value += 1.0
        return self.values[s.first + 1_000_000_000_000]  # type: ignore[no-any-return]


@pytest.mark.long
def test_the_death_of_an_isolated_problem_is_an_error() -> None:
    with pytest.raises(RulesError, match="the process of its code died with exit code -"):
        nestor.solve(Deadly(False), nestor.NRPA(1, 10), seed=1)


@pytest.mark.long
def test_an_endless_method_is_ended_with_the_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nestor.runs.isolation.GRACE", 5.0)
    with pytest.raises(RulesError, match=r"a method of .* did not return"):
        nestor.solve(Deadly(True), nestor.NRPA(1, 10), seed=1, seconds=0.1)


@nestor.compiled(isolated=True)
class Apart(type(knapsack()).rules):  # type: ignore[misc]
    """A knapsack that is searched in a process of its own."""


@pytest.mark.long
def test_an_isolated_problem_gives_the_same() -> None:
    problem: Any = Apart([3, 4, 5, 6], [4.0, 5.0, 6.0, 7.0], 9)
    result = nestor.solve(problem, nestor.NRPA(1, 20), seed=1)
    same = nestor.solve(problem.twin, nestor.NRPA(1, 20), seed=1)
    assert (result.score, result.moves, result.verified) == (same.score, same.moves, True)
    refused: Any = {"callback": print, "workers": 2}
    for option, value in refused.items():
        with pytest.raises(InputError, match=f"{option} must not be given for an isolated problem"):
            nestor.solve(problem, seed=1, **{option: value})
    with pytest.raises(InputError, match="seconds must be"):
        nestor.solve(problem, seconds="5")  # type: ignore[arg-type]


@pytest.mark.long
def test_an_isolated_search_is_interrupted_like_any_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    problem: Any = Apart([3, 4, 5, 6], [4.0, 5.0, 6.0, 7.0], 9)
    checkpoint = tmp_path / "run.ckpt"

    def press() -> None:
        while not checkpoint.exists():
            time.sleep(0.05)
        time.sleep(0.2)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=press, daemon=True).start()
    result = nestor.solve(problem, nestor.NRPA(3), seconds=300, checkpoint=checkpoint)
    assert (result.stop_reason, result.score) == ("interrupted", 11.0)
    # What it saved at last is what it has returned.
    calls, answer = [], isolation.Isolated.answer

    def counted(apart: isolation.Isolated) -> Any:
        calls.append(1)
        return answer(apart)

    monkeypatch.setattr(isolation.Isolated, "answer", counted)
    assert nestor.resume(checkpoint, trust=True, playouts=2).playouts == result.playouts
    assert calls == [1]


class TwoPartsError(Exception):
    """An exception that cannot be pickled."""

    def __init__(self, one: int, two: int) -> None:
        super().__init__(f"{one} and {two}")


@nestor.compiled(isolated=True, unchecked=True)
class Raising(type(knapsack()).rules):  # type: ignore[misc]
    """A knapsack that ends in an exception when it is full."""

    def score(self, s: Any) -> float:
        if s.value > 10.0:
            raise TwoPartsError(1, 2)
        return s.value  # type: ignore[no-any-return]


@pytest.mark.long
def test_any_exception_comes_out_of_an_isolated_search() -> None:
    problem: Any = Raising([3, 4, 5, 6], [4.0, 5.0, 6.0, 7.0], 9)
    with pytest.raises(RuntimeError, match="TwoPartsError: 1 and 2") as caught:
        nestor.solve(problem, nestor.NRPA(1, 100), seed=1)
    assert "raise TwoPartsError(1, 2)" in str(caught.value.__cause__)


def write_bags(path: Path, decorator: str) -> None:
    """Write a module with an instance that has a name."""
    source = inspect.getsource(type(knapsack()).rules).replace("nestor.compiled", decorator)
    given = "apart = Knapsack([3, 4, 5, 6], [4.0, 5.0, 6.0, 7.0], 9)\n"
    imports = "from typing import Any\nimport nestor\nimport numpy as np\n"
    path.write_text(f"{imports}{source}{given}")


@pytest.mark.long
def test_commands_name_the_instance_that_was_given(run: Nestor, folder: Path) -> None:
    pytest.importorskip("matplotlib")
    write_bags(folder / "named_bags.py", "nestor.compiled")
    words = "solve named_bags:apart --playouts 20 --checkpoint run.ckpt --save run.json"
    lines = run(*words.split()).out.partition("\nNext:\n")[2].splitlines()
    assert len(lines) == 3
    for line in [*lines, "nestor replay run.json --html run.html --problem named_bags:apart"]:
        assert run(*line.split()[1:]).code == 0
    assert "give the problem (--problem named_bags:apart," in run("verify", "run.json").err
    assert run("verify", "run.json", "--trust").code == 0


@pytest.mark.long
def test_the_command_line_searches_an_isolated_problem(run: Nestor, folder: Path) -> None:
    write_bags(folder / "isolated_bags.py", "nestor.compiled(isolated=True)")
    words = "solve isolated_bags:apart --algorithm nrpa --level 1 --playouts 20 --checkpoint r.ckpt"
    code, out, err = run(*words.split())
    assert (code, err.count("\n")) == (0, 1)
    assert "score      11" in out
    assert "Note: no progress is shown" in err
    assert "nestor solve isolated_bags:apart --algorithm nrpa --level 1 --checkpoint r.ckpt" in out
    words = "resume r.ckpt --problem isolated_bags:apart --playouts 40"
    again = run(*words.split())
    assert (again.code, "no progress is shown" in again.err) == (0, True)


def test_only_legal_moves_are_followed() -> None:
    search = knapsack().core().search(nestor.NRPA(1, 5).core(), 1, 1)
    with pytest.raises(ValueError, match="move 2 is not legal"):
        search.adopt(0, [3, 0], 1)


@pytest.mark.long
def test_methods_may_call_others() -> None:
    def worth(self: Any, s: Any, factor: float) -> float:
        return s.value * factor  # type: ignore[no-any-return]

    def score(self: Any, s: Any) -> float:
        return self.worth(s, 2.0)  # type: ignore[no-any-return]

    problem = changed(worth=worth, score=score)
    check_problem(problem)
    assert nestor.solve(problem, nestor.NRPA(1, 10), seed=1).score == 6.0


@pytest.mark.long
@pytest.mark.parametrize("liked", partly([1, 2], 2))
def test_biases_count_whatever_was_compiled_before(liked: int) -> None:
    def moves(self: Any, s: Any, out: Any) -> None:
        for i in range(s.first, len(self.weights)):
            if self.weights[i] <= s.room:
                out.add(i, bias=60.0 if i == liked else 0.0)

    algorithm = nestor.GNRPA(level=1, iterations=1)
    nestor.solve(knapsack(), algorithm, playouts=1, seed=1)
    assert nestor.solve(changed(moves=moves), algorithm, playouts=1, seed=1).moves[0] == liked


def test_ctrl_c_while_a_class_is_compiled_waits_for_its_code(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Numba may lose it, or take it for an error of the class."""
    from nestor.foreign import compiler

    compiled, made = compiler.compile_methods, []

    def interrupted(*given: Any) -> Any:
        signal.raise_signal(signal.SIGINT)
        made.append(compiled(*given))
        return made[0]

    monkeypatch.setattr(compiler, "compile_methods", interrupted)

    @nestor.compiled
    class Fresh:
        state = np.dtype([("steps", "i8")])

        def initial(self, s: Any) -> None: ...

        def moves(self, s: Any, out: Any) -> None:
            if s.steps < 12:
                out.add(s.steps + 1200)

        def play(self, s: Any, move: int) -> None:
            s.steps += 1

        def score(self, s: Any) -> Any:
            return s.steps

    problem: Any = Fresh()
    with pytest.raises(KeyboardInterrupt):
        nestor.solve(problem, playouts=10)
    assert nestor.solve(problem, playouts=10).score == 12
    assert len(made) == 1  # it was kept
