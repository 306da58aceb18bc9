"""Long runs of rules in Python use processes by themselves where processes can be started."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
import warnings
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import nestor
from nestor import InputError, solve
from nestor.problems import RNA, Morpion
from nestor.problems.own import adapt
from nestor.problems.rna.energy import Folding
from nestor.runs.elsewhere import executors
from nestor.runs.elsewhere.processes import obstacle
from nestor.runs.limits import Budget, Resources, cores
from support.commands import HOUR
from support.own import Jobs

SCRIPT = """
import nestor
from support.own import Jobs
from support.commands import HOUR

class Mine(Jobs):
    pass

def main(**settings):
    return nestor.solve(Mine(), nestor.NRPA(2), callback=lambda p: p.playouts == 0, **settings)

{guard}
    first = main(seconds=HOUR)
    second = main(seconds=HOUR, threads=1)
    print(first.jobs, len(first.workers) > 0, second.jobs, len(second.workers))
"""


def told_by(folder: Path, guard: str) -> subprocess.CompletedProcess[str]:
    """Run the script in a process of its own."""
    script = folder / "search.py"
    script.write_text(SCRIPT.format(guard=guard))
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.run(
        [sys.executable, script], env=environment, capture_output=True, text=True, timeout=HOUR
    )


@pytest.mark.skipif(cores() == 1, reason="there is one core")
@pytest.mark.parametrize("before", ["", "for _ in range(1):\n  "])
def test_a_script_with_a_guard_has_a_process_for_each_core(before: str, tmp_path: Path) -> None:
    told = told_by(tmp_path, before + 'if __name__ == "__main__":')
    assert told.stderr == ""
    assert told.stdout.split() == [str(cores()), "True", "1", "0"]


@pytest.mark.skipif(cores() == 1, reason="there is one core")
def test_a_script_without_a_guard_has_one_job_and_says_so_once(tmp_path: Path) -> None:
    told = told_by(tmp_path, "for _ in range(2):")
    assert told.stderr.count("one job runs in this process") == 1
    assert "search.py:" in told.stderr.splitlines()[0]
    assert "a line 'if __name__ == \"__main__\"'. jobs=1 says that this is intended" in told.stderr
    assert told.stdout.split() == ["1", "False", "1", "0"] * 2


UNSENDABLE = """
import sys
sys.modules["cloudpickle"] = None
import nestor

if __name__ == "__main__":
    def fits(chosen):
        return len(chosen) < 3

    for settings in ({}, {}, {"jobs": 1}):
        problem = nestor.Subset(5, fits, sum)
        print(nestor.solve(problem, seconds=60, target=7, **settings).jobs)
"""


@pytest.mark.skipif(cores() == 1, reason="there is one core")
@pytest.mark.parametrize("given", [["search.py"], ["-"]])
def test_what_other_processes_cannot_load_has_one_job(given: list[str], tmp_path: Path) -> None:
    (tmp_path / "search.py").write_text(UNSENDABLE)
    told = subprocess.run(
        [sys.executable, *given],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        input=UNSENDABLE,
        capture_output=True,
        text=True,
        timeout=HOUR,
    )
    assert told.stdout.split() == ["1"] * 3, told.stderr
    (said,) = (line for line in told.stderr.splitlines() if "Warning" in line)
    assert "one job runs in this process, on one core: worker " in said
    assert "Can't get attribute 'fits'" in said
    assert "write it with def at the top of a file, not under 'if __name__" in said


@pytest.mark.parametrize(("jobs", "setting"), [(None, "jobs"), (3, "threads")])
def test_a_lambda_stays_in_this_process(
    jobs: int | None, setting: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(executors, "cores", lambda: 2)
    monkeypatch.setattr(executors, "_said", [])
    monkeypatch.setitem(sys.modules, "cloudpickle", None)
    problem = nestor.Subset(5, lambda chosen: len(chosen) < 3, sum)
    with pytest.warns(RuntimeWarning, match=f"lambda.* {setting}=1 says that this is") as told:
        result = solve(problem, nestor.LocalSearch(), seconds=60, target=7, jobs=jobs)
    assert (result.jobs, len(result.workers), len(told)) == (jobs or 1, 0, 1)
    intended: dict[str, Any] = {setting: 1}
    solve(problem, seconds=60, target=7, **intended)  # no warning: it would be an error


def test_a_class_of_a_module_that_is_no_file_stays_in_this_process(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(executors, "cores", lambda: 2)
    monkeypatch.setattr(executors, "_said", [])
    monkeypatch.setitem(sys.modules, "made_here", made := ModuleType("made_here"))
    made.Mine = type("Mine", (Jobs,), {"__module__": "made_here"})  # type: ignore[attr-defined]
    with pytest.warns(RuntimeWarning, match="one job runs in this process.* 'made_here'"):
        result = solve(made.Mine(), seconds=60, callback=lambda progress: progress.playouts == 0)
    assert (result.jobs, len(result.workers)) == (1, 0)


def test_long_runs_of_rna_have_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("RNA", reason="ViennaRNA is not installed")
    monkeypatch.setattr(executors, "cores", lambda: 4)
    monkeypatch.setattr(executors, "obstacle", lambda module: None)
    rna = RNA("((((....))))")
    assert executors._by_default(Resources(), Budget(seconds=60), rna) == 4
    assert executors._by_default(Resources(), Budget(seconds=5), rna) is None
    assert executors._by_default(Resources(threads=2), Budget(seconds=60), rna) is None
    assert executors._by_default(Resources(), Budget(seconds=60), Morpion("5D")) is None


@pytest.mark.parametrize("extension", ["here", None])
def test_rna_without_a_guard_warns_if_it_cannot_fold_on_threads(
    extension: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("RNA", reason="ViennaRNA is not installed")
    monkeypatch.setattr(executors, "cores", lambda: 4)
    monkeypatch.setattr(executors, "obstacle", lambda module: "no guard")
    monkeypatch.setattr(executors, "_said", [])
    monkeypatch.setattr(Folding, "extension", extension)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        assert executors._by_default(Resources(), Budget(seconds=60), RNA("((((....))))")) is None
    assert len(told) == (extension is None)


def searched_elsewhere(settings: dict[str, Any]) -> tuple[str, list[str]]:
    """Search twice in this process; return what comes of it, and the warnings."""
    problem: Any = adapt(Jobs())
    if settings.pop("isolated", False):
        problem.isolated = True
    else:
        settings["callback"] = lambda progress: progress.playouts == 0
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        for _ in range(2):
            try:
                result = solve(problem, nestor.NRPA(2), **settings)
                said = f"{result.jobs} job, {len(result.workers)} workers"
            except InputError as error:
                said = str(error)
    return said, [str(each.message) for each in told]


@pytest.mark.skipif(cores() == 1, reason="there is one core")
@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
def test_a_worker_of_another_pool_starts_no_processes(method: str) -> None:
    """A long search runs there in one process and says so once; what cannot be is refused."""
    asked: list[dict[str, Any]] = [{"seconds": 3600}, {"workers": 2}, {"isolated": True}]
    with multiprocessing.get_context(method).Pool(1) as pool:
        default, workers, isolated = pool.map(searched_elsewhere, asked, chunksize=1)
    reason = "this process is a worker of another pool that may not start processes"
    assert default[0] == "1 job, 0 workers"
    assert len(default[1]) == 1
    assert default[1][0].startswith(f"one job runs in this process, on one core: {reason}")
    assert workers[0].startswith(f"workers must not be 2 here: {reason}")
    assert isolated[0].startswith(f"an isolated problem cannot be searched here: {reason}")


def test_workers_need_a_guard(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    main = sys.modules["__main__"]
    script = tmp_path / "script.py"
    script.write_text("solve()\n")
    monkeypatch.setattr(main, "__spec__", None)
    monkeypatch.setattr(main, "__file__", str(script), raising=False)
    with pytest.raises(
        InputError, match=r"workers must not be 2 here: .* must be under a line 'if __name__"
    ):
        solve(Jobs(), workers=2, playouts=10)
    assert obstacle("support.own") is not None


def test_a_session_without_a_file_needs_no_guard(monkeypatch: pytest.MonkeyPatch) -> None:
    main = sys.modules["__main__"]
    monkeypatch.setattr(main, "__spec__", None)
    monkeypatch.delattr(main, "__file__", raising=False)
    assert obstacle("support.own") is None
