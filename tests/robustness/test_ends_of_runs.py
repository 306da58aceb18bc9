"""How runs end: at once, at the deadline, on Ctrl-C, by a callback; how many jobs there may be."""

from __future__ import annotations

import itertools
import signal
import warnings
from pathlib import Path
from typing import Any

import pytest

import nestor
from nestor import GNRPA, InputError, Sampling
from nestor.problems import Morpion
from robustness.sandbox import outcomes
from support.commands import HOUR, process
from support.own import Subset

ENDLESS = """
class Endless:
    def initial(self): return print("begun", flush=True) or ()
    def moves(self, state): return [0, 1]
    def play(self, state, move): return ()
    def score(self, state): return 0.0
"""


def test_an_endless_game_ends_on_ctrl_c(folder: Path) -> None:
    Path("mine.py").write_text(ENDLESS)
    words = ("solve", "mine:Endless", "--longest", str(2**62), "--jobs", "3", "--quiet")
    child = process(folder, *words, "--seconds", str(HOUR))
    assert child.stdout is not None
    assert child.stdout.readline().startswith("begun")  # Threads print into one another.
    child.send_signal(signal.SIGINT)
    try:
        _, err = child.communicate(timeout=HOUR)
    finally:
        child.kill()
    assert child.returncode == 130
    assert "Traceback" not in err


def test_an_interrupt_within_exec_has_the_same_exit_code(folder: Path) -> None:
    """Dataclasses call it while a module is imported."""
    rules = ENDLESS.replace('print("begun", flush=True)', "exec('raise KeyboardInterrupt')")
    Path("mine.py").write_text(rules)
    child = process(folder, "solve", "mine:Endless", "--playouts", "1")
    _, err = child.communicate(timeout=HOUR)
    assert (child.returncode, "Traceback" in err) == (130, False)


class Long(Subset):
    """Its 40th game and those after it do not end."""

    games = 0

    def initial(self) -> Any:
        self.games += 1
        return super().initial()

    def moves(self, state: Any) -> Any:
        return super().moves(state) if self.games < 40 else [0, 1]

    def play(self, state: Any, move: Any) -> Any:
        return super().play(state, move) if self.games < 40 else state


def test_the_best_before_an_endless_game_is_kept() -> None:
    problem = Long()
    with pytest.raises(InputError, match="within 300 moves") as caught:
        nestor.solve(problem, Sampling(), playouts=1000, longest=300)
    assert "best" in caught.value.__notes__[0]


def test_a_problem_in_python_has_one_job_and_one_thread_by_default() -> None:
    assert nestor.solve(Subset(), playouts=20, jobs=2).threads == 1
    assert nestor.solve(Subset(), seconds=0.05, threads=2).jobs == 1


@pytest.mark.parametrize("when", [1, 3])
def test_a_callback_ends_a_search(when: int) -> None:
    seen: list[nestor.Progress] = []

    def callback(progress: nestor.Progress) -> bool:
        seen.append(progress)
        return len(seen) < when

    result = nestor.solve(Morpion("5D"), GNRPA(5), seconds=HOUR, callback=callback)
    assert result.stop_reason == "callback"
    assert len(seen) == when
    assert not result.reproducible


@pytest.mark.parametrize(
    ("checkpoint", "stops", "seconds"),
    [*itertools.product((None, "run.ckpt"), (False, True), (1e-9, 5e-324)), (None, True, 5.0)],
)
def test_a_run_makes_a_playout_and_ends(
    checkpoint: str | None, stops: bool, seconds: float, folder: Path
) -> None:
    def call() -> None:
        result = nestor.solve(
            Morpion("5D"),
            GNRPA(3),
            seconds=seconds,
            threads=1,
            checkpoint=checkpoint,
            callback=(lambda progress: False) if stops else None,
        )
        assert result.playouts >= 1
        result.verify()

    (told,) = outcomes([call])
    assert told == "returned"


def test_many_jobs_do_not_need_many_megabytes() -> None:
    def call() -> int:
        return nestor.solve(Morpion("5D"), GNRPA(1, 1), jobs=100_000, seconds=0.1).jobs

    (told,) = outcomes([call], megabytes=1000)
    assert told.startswith("InputError: jobs must fit into memory"), told


def test_jobs_that_fit_are_run() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert nestor.solve(Morpion("4D"), GNRPA(1, 1), jobs=200, playouts=200).jobs == 200
