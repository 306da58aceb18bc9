"""Checkpoints, resuming and the log: nothing is lost, and a stop changes nothing."""

from __future__ import annotations

import json
import random
import shutil
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import nestor
from nestor import (
    GNRPA,
    NMCS,
    NRPA,
    BeamNRPA,
    InputError,
    Prior,
    Race,
    Result,
    Sampling,
    learn_prior,
    resume,
    solve,
)
from nestor.problems import Morpion, SameGame
from nestor.problems.own import adapt
from nestor.runs.checkpoint import MAGIC, Checkpoint
from nestor.runs.session import Limits
from support.instances import SMALL_BOARD, small_tsptw
from support.own import Failing, Subset
from support.searching import solved_games


def found(result: Result) -> Any:
    """Return what stops must not change."""
    improvements = [(i.playouts, i.job, i.score, i.level, i.moves) for i in result.improvements]
    return result.score, list(result.moves), improvements, result.playouts


RUNS: list[Any] = [
    (Morpion("5D"), NRPA(3, 8), 1),
    (SameGame(SMALL_BOARD), GNRPA(2, 15), 1),
    (small_tsptw(), GNRPA(3, 7, temperature=1.4), 3),
    (small_tsptw(), Sampling(), 2),
    (Subset(), NRPA(2, 12), 2),
    (Subset(), NMCS(2), 2),
    (small_tsptw(), NMCS(3, samples=2, bias="distance"), 1),
    (SameGame(SMALL_BOARD), BeamNRPA(2, 15, beam=(3, 2), bias="size"), 1),
    (Subset(), BeamNRPA(2, 12, unique=True), 2),
    (Morpion("5D"), NRPA(3, 8, width=4), 2),
    (Morpion("5D"), NRPA(3, 8, width=(1, 3, 1), repetitions=2), 1),
    (SameGame(SMALL_BOARD), GNRPA(2, 15, width=4, policies="local", inherit=True), 1),
    (Subset(), NRPA(2, 12, width=(1, 5), policies="local", share=False), 2),
    (small_tsptw(), GNRPA(2, 40, width=3, width_rate="once", repetitions=2, warm_start=2.3), 1),
    (Subset(), NRPA(3, 9, width=2, force_explore=True, repetitions=1), 2),
]


@pytest.mark.parametrize(("problem", "algorithm", "jobs"), RUNS, ids=str)
def test_stopped_and_resumed_equals_unbroken(
    problem: Any, algorithm: Any, jobs: int, tmp_path: Path
) -> None:
    path = tmp_path / "run.ckpt"
    unbroken = solve(problem, algorithm, playouts=1200, seed=3, jobs=jobs)
    solve(problem, algorithm, playouts=77, seed=3, jobs=jobs, checkpoint=path)
    for playouts in (78, 300, 555):
        resume(path, problem=problem, playouts=playouts, threads=1)
    resumed = resume(path, problem=problem, playouts=1200, threads=2)
    assert found(resumed) == found(unbroken)


def test_solve_continues_its_own_checkpoint(tmp_path: Path) -> None:
    path = tmp_path / "run.ckpt"
    settings: dict[str, Any] = {"seed": 3, "checkpoint": path}
    solve(Subset(), NRPA(2, 12), playouts=100, **settings)
    again = solve(Subset(), NRPA(2, 12), playouts=500, **settings)
    assert found(again) == found(solve(Subset(), NRPA(2, 12), playouts=500, seed=3))


def test_a_checkpoint_is_read_when_no_other_run_has_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "run.ckpt"
    run = partial(solve, Subset(), NRPA(2, 12), checkpoint=path)
    run(playouts=10)
    read, refusals = Checkpoint.read, []

    def read_while_another_begins(path: Path) -> Checkpoint:
        saved = read(path)
        monkeypatch.setattr(Checkpoint, "read", read)
        with pytest.raises(InputError, match="another run is using it") as refusal:
            run(playouts=500)
        refusals.append(refusal)
        return saved

    for again, playouts in ((run, 20), (partial(resume, path, problem=Subset()), 30)):
        monkeypatch.setattr(Checkpoint, "read", read_while_another_begins)
        assert again(playouts=playouts).playouts == playouts
    assert len(refusals) == 2


def test_a_prior_is_resumed_with_the_run(tmp_path: Path) -> None:
    problem = SameGame(SMALL_BOARD)
    algorithm = GNRPA(2, 10, prior=learn_prior(solved_games(problem, 3)), prior_temperature=2.0)
    path = tmp_path / "run.ckpt"
    solve(problem, algorithm, playouts=50, checkpoint=path)
    unbroken = solve(problem, algorithm, playouts=300)
    assert found(resume(path, playouts=300)) == found(unbroken)


def test_another_prior_of_the_same_name_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "run.ckpt"
    one, other = (
        GNRPA(2, 12, prior=Prior("support.own:Subset", {1: (count, 100)})) for count in (1, 99)
    )
    for raced in (lambda algorithm: algorithm, lambda algorithm: Race([NRPA(), algorithm], 5)):
        path.unlink(missing_ok=True)
        solve(Subset(), raced(one), playouts=10, checkpoint=path)
        refused(path, "differs in prior", problem=Subset(), algorithm=raced(other))
        with pytest.raises(InputError, match="its prior is not that of the run"):
            resume(path, problem=Subset(), algorithm=raced(other))
        assert solve(Subset(), raced(one), playouts=20, checkpoint=path).playouts == 20
        assert resume(path, problem=Subset(), algorithm=raced(one), playouts=30).playouts == 30


def test_an_exception_leaves_a_checkpoint(tmp_path: Path) -> None:
    path = tmp_path / "run.ckpt"
    with pytest.raises(ZeroDivisionError):
        solve(Failing(), NRPA(2, 20), seed=1, checkpoint=path)
    assert found(resume(path, problem=Subset())) == found(solve(Subset(), NRPA(2, 20), seed=1))


def test_finished_runs_stay_finished(tmp_path: Path) -> None:
    path = tmp_path / "run.ckpt"
    first = solve(Morpion("4D"), NRPA(2, 5), checkpoint=path)
    with pytest.warns(RuntimeWarning, match="nothing was left to do"):
        again = resume(path)
    assert again.stop_reason == "finished"
    assert found(again) == found(first)


KILLED = """
import nestor, sys
nestor.solve(nestor.problems.Morpion("5D"), nestor.NRPA(3, 40), playouts=20_000, seed=5,
             jobs=2, threads=1, checkpoint=sys.argv[1], checkpoint_every=0.05, log=sys.argv[2])
"""
RESUMED = """
import nestor, sys
nestor.resume(sys.argv[1], threads=1, checkpoint_every=0.05, log=sys.argv[2])
"""


@pytest.mark.parametrize(
    "kills", [3, pytest.param(20, marks=pytest.mark.long)], ids=lambda kills: f"{kills} kills"
)
def test_killed_at_any_moment_and_resumed_equals_unbroken(kills: int, tmp_path: Path) -> None:
    path, log = tmp_path / "run.ckpt", tmp_path / "run.jsonl"
    rng = random.Random(1)
    for _ in range(kills):
        code = RESUMED if path.exists() else KILLED
        process = subprocess.Popen([sys.executable, "-c", code, path, log])
        while not path.exists() and process.poll() is None:
            time.sleep(0.01)
        time.sleep(rng.uniform(0.1, 0.6))
        process.send_signal(signal.SIGKILL)
        process.wait()
    final = resume(path, playouts=20_100, log=log)
    problem, algorithm = Morpion("5D"), NRPA(3, 40)
    unbroken = solve(problem, algorithm, playouts=20_100, seed=5, jobs=2, threads=1)
    assert found(final) == found(unbroken)
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    for job in range(2):
        scores = [line["score"] for line in lines if line["job"] == job]
        assert scores == sorted(set(scores))
    logged = {(line["job"], line["playouts"], line["score"], line["level"]) for line in lines}
    assert logged >= {(i.job, i.playouts, i.score, i.level) for i in unbroken.improvements}


def test_killed_before_the_second_checkpoint(tmp_path: Path) -> None:
    path, log = tmp_path / "run.ckpt", tmp_path / "run.jsonl"
    killed, left = tmp_path / "killed.ckpt", tmp_path / "left.jsonl"

    def kill(progress: nestor.Progress) -> bool:
        shutil.copy(path, killed)
        shutil.copy(log, left)
        return False

    run = solve(Morpion("5D"), NRPA(3), playouts=10**6, checkpoint=path, log=log, callback=kill)
    assert left.stat().st_size
    final = resume(killed, playouts=run.playouts, log=left)
    assert len(left.read_text().splitlines()) == len(final.improvements)


def test_log_lines(tmp_path: Path) -> None:
    log = tmp_path / "run.jsonl"
    result = solve(small_tsptw(), NRPA(2, 20), playouts=400, seed=1, log=log)
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert [line["score"] for line in lines] == [i.score for i in result.improvements]
    names = {"job", "level", "playouts", "seconds", "score", "problem", "algorithm", "run"}
    assert names == set(lines[0])
    assert lines[0]["level"] == 0
    assert max(line["level"] for line in lines) <= 2
    with pytest.raises(InputError, match="exists"):
        solve(small_tsptw(), NRPA(2, 20), playouts=400, log=log)


def test_a_log_is_that_of_one_run(tmp_path: Path) -> None:
    run = partial(solve, Subset(), NRPA(2, 12), playouts=500, log=tmp_path / "run.jsonl")

    def again(_: object) -> None:
        with pytest.raises(InputError, match=r"run\.jsonl: another run is using it"):
            run()
        attempts.append(True)

    attempts: list[bool] = []
    run(callback=again)
    assert attempts


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    path = tmp_path / "run.ckpt"
    solve(small_tsptw(), NRPA(2, 12), playouts=60, seed=3, checkpoint=path)
    return path


def refused(path: Path, message: str, **arguments: Any) -> None:
    """Check that a checkpoint is refused and not changed."""
    before = path.read_bytes()
    again = partial(solve, checkpoint=path, playouts=500) if arguments else partial(resume, path)
    with pytest.raises(InputError, match=message):
        again(**arguments)
    assert path.read_bytes() == before


def test_damaged_checkpoints_are_refused(saved: Path, tmp_path: Path) -> None:
    content = saved.read_bytes()
    rng = random.Random(0)
    for cut in (0, 5, len(MAGIC), len(MAGIC) + 10, len(content) // 2, len(content) - 1):
        saved.write_bytes(content[:cut])
        refused(saved, "not a checkpoint|another version|damaged")
    for _ in range(50):
        place = rng.randrange(len(MAGIC), len(content))
        changed = bytes([content[place] ^ (1 << rng.randrange(8))])
        saved.write_bytes(content[:place] + changed + content[place + 1 :])
        refused(saved, "damaged")
    for other in (b"CHECKPOINT 1", b"CHECKPOINT 9"):
        saved.write_bytes(content.replace(b"CHECKPOINT 2", other))
        refused(saved, "another version")
    saved.write_bytes(b"\x00" * 1000)
    refused(saved, "not a checkpoint")
    with pytest.raises(InputError, match="cannot be read"):
        resume(tmp_path / "missing.ckpt")
    with pytest.raises(InputError, match="cannot be read"):
        resume(tmp_path)


def test_checkpoints_of_other_runs_are_refused(saved: Path) -> None:
    right: dict[str, Any] = {"problem": small_tsptw(), "algorithm": NRPA(2, 12), "seed": 3}
    refused(saved, "differs in seed", **{**right, "seed": 4})
    refused(saved, "differs in algorithm", **{**right, "algorithm": NRPA(2, 13)})
    refused(saved, "differs in problem", **{**right, "problem": Morpion("5D")})
    refused(saved, "differs in instance", **{**right, "problem": small_tsptw(selective=False)})
    refused(saved, r"differs in jobs \(1, not 2\); .* nestor.resume", **{**right, "jobs": 2})
    assert solve(checkpoint=saved, playouts=500, **right).playouts == 500


def test_a_run_has_as_many_jobs_as_its_checkpoint(saved: Path) -> None:
    """The defaults of another budget or machine would be others."""
    wanted: dict[str, Any] = {"target": -1e9, "stop": nestor.NoImprovement(playouts=300)}
    right: dict[str, Any] = {"problem": small_tsptw(), "algorithm": NRPA(2, 12), "seed": 3}
    for begun in (False, True):
        path = saved if begun else saved.with_name("new.ckpt")
        assert solve(checkpoint=path, seconds=60, threads=2, **wanted, **right).jobs == 2 - begun


def test_a_problem_that_cannot_be_pickled_is_refused_at_once(tmp_path: Path) -> None:
    class Local(Subset):
        def code(self, state: tuple[int, ...], move: int) -> complex:
            return complex(move)

    path = tmp_path / "run.ckpt"
    with pytest.raises(InputError, match="can be pickled"):
        solve(Local(), NRPA(1, 5), checkpoint=path)
    assert not path.exists()


@pytest.mark.parametrize(
    ("code", "facts"), [(frozenset({1}), {}), (1, {"made": {1, 2}})], ids=["code", "provenance"]
)
def test_a_prior_without_a_json_form_is_refused_at_once(
    code: Any, facts: dict[str, Any], tmp_path: Path
) -> None:
    algorithm = GNRPA(1, 5, prior=Prior("support.own:Subset", {code: (1, 2)}, facts))
    for each in (algorithm, Race([NRPA(1, 5), algorithm], 5)):
        with pytest.raises(InputError, match="checkpoint: the prior has no JSON form"):
            solve(Subset(), each, playouts=20, checkpoint=tmp_path / "run.ckpt")
    assert not list(tmp_path.iterdir())


def test_public_names() -> None:
    assert nestor.resume is resume


def test_equal_codes_of_a_damaged_file_are_refused() -> None:
    def begin() -> Any:
        return adapt(Subset()).cores((), {}).first.search(NRPA(1, 5).core(), 1, 1)

    search = begin()
    search.advance(Limits(10.0, 1, 3))
    saved, (codes,) = search.save(), search.codes
    begin().restore(saved, [codes])
    with pytest.raises(ValueError, match="two of its codes are equal"):
        begin().restore(saved, [[codes[0], *codes[:-1]]])


def test_a_checkpoint_of_another_instance_is_refused_by_the_names_of_its_fields(
    tmp_path: Path,
) -> None:
    path = tmp_path / "run.ckpt"
    run = partial(solve, algorithm=NRPA(2, 5), playouts=10, checkpoint=path)
    run(Morpion("5D"))
    with pytest.raises(InputError, match=r"it differs in instance \(variant\); to begin"):
        run(Morpion("5T"))


def test_a_checkpoint_from_before_a_setting_was_added_is_resumed_with_its_algorithm(
    tmp_path: Path,
) -> None:
    path, algorithm = tmp_path / "run.ckpt", NRPA(3, 10)
    solve(Morpion("4D"), algorithm, playouts=200, checkpoint=path)
    saved = Checkpoint.read(path)
    del saved.asked["algorithm"]["force_explore"]
    saved.asked["algorithm"]["candidates"] = 4  # a setting that is gone
    saved.write(path)
    with pytest.raises(InputError, match="not that of the run"):
        nestor.resume(path, algorithm=NRPA(3, 11), playouts=400)
    found = nestor.resume(path, algorithm=algorithm, playouts=400)
    assert found.moves == solve(Morpion("4D"), algorithm, playouts=400).moves


class Weighed(Subset):
    """One whose weight may be edited."""

    weight = 1.0

    def score(self, state: Any) -> float:
        return self.weight * super().score(state)


def test_an_edit_is_named_before_faults_of_the_rules(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "run.ckpt"
    run = partial(solve, algorithm=NRPA(2, 5), playouts=30, seed=1, checkpoint=path)
    run(Weighed())
    order = nestor.Order(4, lambda order: Weighed.weight * (order[0] + 1))
    solve(order, playouts=30, seed=1, checkpoint=tmp_path / "order.ckpt")
    monkeypatch.setattr(Weighed, "weight", 2.0)
    told = "not the problem that was solved: .* now.* Most often the code, .* was edited since"
    with pytest.raises(InputError, match=told) as caught:
        run(Weighed())
    assert "play()" not in str(caught.value)
    with pytest.raises(InputError, match=told):
        solve(order, playouts=60, seed=1, checkpoint=tmp_path / "order.ckpt")


@pytest.mark.parametrize(
    ("place", "long"),
    [
        (("algorithm", "name"), "x" * 100_000),
        (("algorithm", "bias"), "x" * 100_000),
        (("budget",), {"x" * 100_000: 1}),
        (("exchange",), {"x" * 100_000: 1}),
        (("problem",), "x" * 100_000),
    ],
)
def test_what_is_wrong_is_told_in_short(place: tuple[str, ...], long: Any, tmp_path: Path) -> None:
    path = tmp_path / "run.ckpt"
    nestor.solve(Morpion("4D"), nestor.GNRPA(1, 5), checkpoint=path)
    saved = Checkpoint.read(path)
    *outer, key = place
    for each in outer:
        saved.asked = {**saved.asked, each: dict(saved.asked[each])}
    (saved.asked[outer[0]] if outer else saved.asked)[key] = long
    saved.write(path)
    with pytest.raises(InputError, match=r"run\.ckpt: .*xxx") as error:
        nestor.resume(path)
    assert len(str(error.value)) < 700
