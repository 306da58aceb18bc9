"""Golden outcomes: searches find again what they found when it was recorded, to the bit.

``python tests/test_golden.py`` records those that are missing. A recorded one is only ever replaced
on purpose and, from the first release on, with a line in the changelog.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest

import nestor
from golden import older
from golden.instances import ALGORITHMS, INSTANCES, pairs
from golden.instances import PLAYOUTS as OF_THEIR_OWN
from nestor import algorithms
from support.commands import Nestor
from support.parts import partly

FOLDER = Path(__file__).parent / "golden"
PLAYOUTS = 1500
SEED = 5


def digest(data: Any) -> str:
    """Return a short digest of JSON-able data."""
    return hashlib.sha256(json.dumps(data).encode()).hexdigest()[:16]


def outcome(instance: str, algorithm: Any) -> dict[str, Any]:
    """Return what a search finds."""
    problem = INSTANCES[instance]()
    # Of two jobs it is chance which one reaches a target first.
    jobs = 2 if getattr(problem, "optimum", None) is None else 1
    playouts = OF_THEIR_OWN.get(instance, PLAYOUTS)
    result = nestor.solve(problem, algorithm, playouts=playouts, jobs=jobs, seed=SEED, threads=1)
    improvements = [(i.playouts, i.job, i.score, i.level) for i in result.improvements]
    return {
        "score": result.score,
        "moves": digest(result.moves),
        "improvements": digest(improvements),
        "playouts": result.playouts,
        "stop": result.stop_reason,
    }


def path_of(instance: str, algorithm: str) -> Path:
    """Return the file of an outcome."""
    return FOLDER / "outcomes" / instance / f"{algorithm}.json"


SLOW = {
    ("set", "local-search"),
    ("set", "local-search-planned"),
    ("rna-never-1999", "counterexamples"),
}


@pytest.mark.parametrize(
    ("instance", "algorithm"), partly(pairs(), *(each for each in pairs() if each not in SLOW))
)
def test_outcome_is_the_recorded_one(instance: str, algorithm: str) -> None:
    if "rna" in instance:
        pytest.importorskip("RNA")
    recorded = json.loads(path_of(instance, algorithm).read_text())
    # The settings as they were recorded: names of old files go on being understood.
    found = outcome(instance, algorithms.from_dict(recorded["settings"]))
    assert found == {name: recorded[name] for name in found}


def own_problem(path: Path) -> Any:
    """Return the user's own problem of a stored file; None if it has one of Nestor's."""
    if "rna" in path.stem:
        pytest.importorskip("RNA")
    problem, _ = older.RUNS.get(path.stem.partition("-")[2], (None, None))
    return problem if type(problem).__module__ == older.__name__ else None


@pytest.mark.parametrize("path", sorted(FOLDER.glob("stored/*.json")), ids=lambda path: path.stem)
def test_stored_result_still_loads(path: Path, run: Nestor) -> None:
    result = nestor.Result.load(path, own_problem(path))
    result.verify()
    stored = json.loads(path.read_text())
    assert (result.score, result.seed) == (stored["score"], stored["seed"])
    again = json.loads(json.dumps(result.to_dict()))
    assert (again["solution"], again["moves"]) == (stored["solution"], stored["moves"])
    for command in ("verify", "replay"):
        assert run(command, str(path), "--trust").code == 0


@pytest.mark.parametrize("path", sorted(FOLDER.glob("stored/*.ckpt")), ids=lambda path: path.stem)
def test_stored_checkpoint_is_resumed(path: Path, tmp_path: Path) -> None:
    copy = tmp_path / "run.ckpt"
    copy.write_bytes(path.read_bytes())
    name, problem = path.stem.partition("-")[2], own_problem(path)
    if name in older.ENDED:
        with pytest.raises(nestor.InputError, match=older.ENDED[name]):
            nestor.resume(copy, problem=problem, playouts=PLAYOUTS)
        return
    playouts = older.FEWER.get(name, (0, PLAYOUTS))[1]
    resumed = nestor.resume(copy, problem=problem, playouts=playouts)
    assert resumed.playouts == playouts or resumed.stop_reason == "target"
    unbroken = nestor.solve(
        resumed.problem, resumed.algorithm, playouts=playouts, seed=SEED, threads=1
    )
    assert (resumed.score, resumed.moves) == (unbroken.score, unbroken.moves)


def record() -> None:
    """Record the outcomes that are missing."""
    for instance, algorithm in pairs():
        path = path_of(instance, algorithm)
        if path.exists() or ("rna" in instance and importlib.util.find_spec("RNA") is None):
            continue
        data = {"seed": SEED, "settings": ALGORITHMS[algorithm].to_dict()}
        path.parent.mkdir(parents=True, exist_ok=True)
        found = outcome(instance, ALGORITHMS[algorithm])
        path.write_text(json.dumps({**data, **found}, indent=1) + "\n")


if __name__ == "__main__":
    record()


def test_a_stored_file_of_runs_is_continued(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    path.write_bytes((FOLDER / "stored" / path.name).read_bytes())
    compared = {
        "nrpa": nestor.NRPA(2, 5),
        "gnrpa": nestor.GNRPA(2, 5),
        "nmcs": nestor.NMCS(1),
        "race": nestor.Race([nestor.NRPA(1, 5), nestor.Sampling()], 10),
    }
    game = {"game": nestor.problems.Morpion("4D")}
    runs = nestor.compare(game, compared, seeds=1, playouts=40, save=path)
    assert len(runs) == len(compared)
    assert path.read_bytes() == (FOLDER / "stored" / path.name).read_bytes()


def test_a_stored_file_of_own_runs_is_continued(tmp_path: Path) -> None:
    path = tmp_path / "runs-own.jsonl"
    path.write_bytes((FOLDER / "stored" / path.name).read_bytes())
    assert len(older.compared(path)) == 2 * len(older.COMPARED)
    assert path.read_bytes() == (FOLDER / "stored" / path.name).read_bytes()


def test_a_stored_log_is_continued(tmp_path: Path) -> None:
    log, checkpoint = tmp_path / "log.jsonl", tmp_path / "run.ckpt"
    log.write_bytes((FOLDER / "stored" / log.name).read_bytes())
    checkpoint.write_bytes((FOLDER / "stored" / "checkpoint-log.ckpt").read_bytes())
    before = log.read_text()
    algorithm = nestor.NRPA(2, 10)
    found = nestor.resume(checkpoint, algorithm=algorithm, playouts=300, log=log)
    assert log.read_text().startswith(before)
    assert log.read_text().count("\n") == len(found.improvements)


@pytest.mark.parametrize("path", sorted(FOLDER.glob("stored/*.prior*")), ids=lambda path: path.stem)
def test_a_stored_prior_still_loads(path: Path) -> None:
    own_problem(path)
    prior = nestor.Prior.load(path)
    problem, _ = older.RUNS.get(prior.name, (nestor.problems.Morpion("4D"), None))
    assert nestor.solve(problem, nestor.GNRPA(1, 5, prior=prior), playouts=5).verified
