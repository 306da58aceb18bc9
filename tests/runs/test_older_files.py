"""Files of other versions: whatever settings and records have been added, removed or renamed."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import MISSING, field, fields, make_dataclass
from pathlib import Path
from typing import Any

import pytest

from nestor import NRPA, InputError, Race, Racer, Result, algorithms, compare, resume, solve
from nestor.comparison.row import RunBudget
from nestor.problems import Morpion
from nestor.result import Improvement
from nestor.runs.adopting import Beginning, Exchange
from nestor.runs.checkpoint import Checkpoint
from nestor.runs.limits import Budget
from nestor.runs.run import Identity
from nestor.runs.session import Findings
from nestor.settings import Setting, Settings, from_settings

GAME = Morpion("4D")
VALUES: list[Any] = [
    *(kind() for kind in algorithms.ALGORITHMS.values()),
    Race([NRPA(2)]),
    Budget(playouts=5),
    RunBudget(playouts=5, jobs=2),
    Exchange(100, "ring"),
    Beginning("ab", 2),
    Identity("morpion", None, {}, "none", 0, 1),
    Improvement(0.5, 3, 0, 1.0, 0),
    Racer("a", 3, 1.0, 1),
]
"""A value of every class that a file has by its fields."""


def data_of(value: Any) -> dict[str, Any]:
    """Return its fields, as a file has them."""
    return {entry.name: getattr(value, entry.name) for entry in fields(value)}


@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_fields_are_added_removed_and_renamed(value: Any) -> None:
    owner, data = type(value), data_of(value)
    for entry in fields(value):
        # Added since: the file lacks it. A race without algorithms was never one.
        if entry.default is not MISSING and entry.default != ():
            less = {name: each for name, each in data.items() if name != entry.name}
            told = from_settings(owner, less | {entry.name: entry.default})
            assert data_of(from_settings(owner, less)) == data_of(told)
        # Renamed since.
        described = entry.metadata.get("setting")
        assert described is None or isinstance(described, Setting)
        told = vars(described) | {"formerly": "once"} if described else {}
        metadata = {"setting": Setting(**told)} if described else {"formerly": "once"}
        default = {} if entry.default is MISSING else {"default": entry.default}
        renamed: Any = make_dataclass(
            owner.__name__,
            [(entry.name, Any, field(metadata=metadata, **default))],
            bases=(owner,),
            frozen=True,
        )
        older = {("once" if name == entry.name else name): each for name, each in data.items()}
        assert data_of(from_settings(renamed, older)) == data
    # Removed since: a setting is named as such, or it is refused.
    more = data | {"gone": 3}
    if not issubclass(owner, Settings):
        assert from_settings(owner, more) == value
        return
    with pytest.raises(InputError, match="gone"):
        from_settings(owner, more)
    without = type(owner.__name__, (owner,), {"retired": {**owner.retired, "gone": "nothing"}})
    assert data_of(from_settings(without, more)) == data


def saved_run(path: Path, **more: Any) -> Checkpoint:
    """Write the checkpoint of a run, and return it."""
    solve(GAME, NRPA(2, 10), playouts=300, seed=3, checkpoint=path, **more)
    return Checkpoint.read(path)


def facts(result: Result) -> Any:
    """Return all of a result but the times."""
    return result.score, result.moves, result.playouts, result.options


ISLANDS: dict[str, Any] = {"jobs": 2, "exchange": 50, "topology": "ring"}


@pytest.mark.parametrize("how", ["resume", "resume with the algorithm", "solve"])
def test_a_checkpoint_has_other_fields(
    how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "run.ckpt"
    began = solve(GAME, NRPA(1, 10)).moves
    asked: dict[str, Any] = {**ISLANDS, "initial": began, "initial_strength": 1}
    saved = saved_run(path, **asked)
    for removed in ("exchange", "initial", "budget", "algorithm"):
        saved.asked[removed]["gone"] = 1
    saved.asked["also_gone"] = 1
    saved.asked["exchange"]["once"] = saved.asked["exchange"].pop("every")
    del saved.asked["initial"]["strength"], saved.asked["budget"]["longest"]
    del saved.asked["algorithm"]["warm_start"]
    saved.write(path)
    with pytest.raises(InputError, match="gone"):
        resume(path, playouts=600)
    for owner in (Exchange, Beginning, Budget, NRPA):
        monkeypatch.setattr(owner, "retired", {**owner.retired, "gone": "nothing"})
    every = Exchange.__dataclass_fields__["every"]
    monkeypatch.setattr(every, "metadata", {"formerly": "once"})
    if how == "solve":
        gone_on = solve(GAME, NRPA(2, 10), playouts=600, seed=3, checkpoint=path, **asked)
    else:
        algorithm = NRPA(2, 10) if how != "resume" else None
        gone_on = resume(path, playouts=600, algorithm=algorithm)
    whole = solve(GAME, NRPA(2, 10), playouts=600, seed=3, **asked)
    assert facts(gone_on) == facts(whole)


def test_a_checkpoint_from_before_a_field_of_its_identity(tmp_path: Path) -> None:
    path = tmp_path / "run.ckpt"
    saved = saved_run(path)
    del saved.asked["exchange"], saved.asked["initial"]
    saved.write(path)
    for asked in ({**ISLANDS, "jobs": 1}, {"initial": solve(GAME, NRPA(1, 10))}):
        with pytest.raises(InputError, match=r"differs in initial|needs several jobs"):
            solve(GAME, NRPA(2, 10), playouts=600, seed=3, checkpoint=path, **asked)
    gone_on = solve(GAME, NRPA(2, 10), playouts=600, seed=3, checkpoint=path)
    assert facts(gone_on) == facts(solve(GAME, NRPA(2, 10), playouts=600, seed=3))


@pytest.mark.parametrize(
    ("field", "value"),
    [("exchange", {"every": 0}), ("exchange", []), ("initial", {"moves": 3}), ("initial", "x")],
)
def test_a_checkpoint_with_malformed_fields(field: str, value: Any, tmp_path: Path) -> None:
    path = tmp_path / "run.ckpt"
    saved = saved_run(path)
    saved.asked[field] = value or 5
    saved.write(path)
    with pytest.raises(InputError, match=r"run\.ckpt"):
        resume(path, playouts=600)
    with pytest.raises(InputError, match=r"run\.ckpt"):
        solve(GAME, NRPA(2, 10), playouts=600, seed=3, checkpoint=path)


def test_a_result_has_other_fields(tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    result = solve(GAME, Race([NRPA(1, 10), NRPA(2, 5)], first=20), playouts=200)
    result.save(path)
    before = Result.load(path)
    data = json.loads(path.read_text())
    for each in (*data["improvements"], *data["race"]):
        each["gone"] = 1
    path.write_text(json.dumps(data))
    loaded = Result.load(path)
    assert (loaded.improvements, loaded.race) == (before.improvements, before.race)


def test_a_file_of_runs_has_other_fields(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "runs.jsonl"
    asked: dict[str, Any] = {"seeds": 2, "playouts": 20, "save": path}
    compare([GAME], [NRPA(1, 10)], **asked)
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    for row in lines:
        row["gone"] = row["budget"]["gone"] = row["settings"]["gone"] = 1
        del row["settings"]["warm_start"]
    path.write_text("".join(json.dumps(row) + "\n" for row in lines))
    with pytest.raises(InputError, match="another comparison"):
        compare([GAME], [NRPA(1, 10)], **asked)
    for owner in (RunBudget, NRPA):
        monkeypatch.setattr(owner, "retired", {**owner.retired, "gone": "nothing"})
    assert len(compare([GAME], [NRPA(1, 10)], **asked)) == 2
    assert len(path.read_text().splitlines()) == 2
    with pytest.raises(InputError, match="budget of 4D"):
        compare([GAME], [NRPA(1, 10)], **asked | {"playouts": 21})


def test_what_a_job_counts_has_its_place_beside_what_it_found() -> None:
    found = Findings(playouts=3, counts=Counter(evaluated=2, restarts=1))
    data = json.loads(json.dumps(found.to_dict()))
    assert (data["evaluated"], data["restarts"], "counts" in data) == (2, 1, False)
    assert Findings.from_dict(data) == found
    del data["evaluated"]  # It is counted since.
    assert Findings.from_dict(data).counts == {"evaluated": 0, "restarts": 1}
