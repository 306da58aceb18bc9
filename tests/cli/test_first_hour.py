"""What helps a stranger: lists, suggestions, a doctor, and what to do after a search."""

from __future__ import annotations

import json
import shlex
import sys
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest

import nestor
from nestor.algorithms import ALGORITHMS
from nestor.cli.options import ALL
from nestor.errors import MissingExtraError, missing_extra
from nestor.prior import shipped
from nestor.problems import PROBLEMS
from nestor.settings import settings_of
from support.commands import MORPION, SMALL, TSPTW, Nestor
from support.pages import README, ROOT

LISTS = {"problems": sorted(PROBLEMS), "algorithms": list(ALL), "priors": shipped()}
OWN = ("solve", "own:Subset", *SMALL)


@pytest.mark.parametrize("kind", LISTS)
def test_a_list_names_and_explains_each(kind: str, run: Nestor) -> None:
    code, out, err = run(kind)
    assert (code, err) == (0, "")
    assert [line.split()[0] for line in out.splitlines() if line[:1].strip()] == [
        *LISTS[kind],
        "nestor",
    ]
    assert max(map(len, out.splitlines())) <= 80
    every = json.loads(run(kind, "--json").out)[kind]
    for name, facts in zip(LISTS[kind], every, strict=True):
        one = run(kind, name)
        assert one.code == 0
        assert one.out.startswith(f"{name}: {facts['summary'][:30]}")
        assert facts["summary"].endswith(".")
        data = run(kind, name, "--json").out
        assert (json.loads(data), data.count("\n")) == (facts, 1)


def test_every_setting_of_an_algorithm_is_explained(run: Nestor) -> None:
    for name, kind in ALGORITHMS.items():
        out = run("algorithms", name).out
        for setting in settings_of(kind):
            assert f"\n  --{setting.replace('_', '-')} " in out


def test_what_is_not_solved_is_a_result(run: Nestor, folder: Path) -> None:
    (folder / "late.txt").write_text(TSPTW.replace("0 20", "0 1"))
    code, out, _ = run(
        "solve", "tsptw", "late.txt", *SMALL, "--playouts", "9", "--target", "1", "--json"
    )
    assert (code, json.loads(out)["solved"]) == (0, False)
    assert ", not feasible (lower is" in run("solve", "tsptw", "late.txt", "--playouts", "9").out


RESULT, LOG = "a saved result", "a log of improvements"
CHECKPOINT, GAME = "a checkpoint of Nestor", "a game of Morpion Solitaire"
RUNS, PRIOR = "a file of runs", "a prior"
KINDS = {
    "run.json": RESULT,
    "run.jsonl": LOG,
    "run.ckpt": CHECKPOINT,
    "game.json": GAME,
    "cut.msr": GAME,
    "runs.jsonl": RUNS,
}
WANTED = {
    ("verify",): RESULT,
    ("plot",): RESULT,
    ("replay",): RESULT,
    ("watch",): LOG,
    ("resume",): CHECKPOINT,
    (*MORPION, "--algorithm", "gnrpa", *SMALL, "--prior"): PRIOR,
}


def test_a_file_of_another_kind_is_called_by_its_name(run: Nestor, folder: Path) -> None:
    files = ("--checkpoint", "run.ckpt", "--log", "run.jsonl", "--save", "run.json")
    run(*MORPION, *SMALL, *files, "--record", "game.json")
    (folder / "cut.msr").write_text("MS1:hVXLbsIwEPyVas9uZTt")
    compared = ("--algorithms", "sampling", "--seeds", "1", "--playouts", "5")
    run("compare", "morpion", "5D", *compared, "--quiet", "--save", "runs.jsonl")
    for command, wanted in WANTED.items():
        for name, kind in KINDS.items():
            if kind == wanted:
                continue
            told = run(*command, name)
            assert (told.code, told.out) == (2, "")
            assert told.err == f"Error: {name}: not {wanted}: it seems to be {kind}\n"
    (folder / "other.json").write_text("{}")
    told = run("resume", "other.json")
    assert told.err.startswith("Error: other.json: not a checkpoint of Nestor, which --checkpoint")
    told = run(*MORPION, "--algorithm", "gnrpa", "--prior", "other.json")
    assert told.err == "Error: other.json: not a prior, which Prior.save writes\n"
    assert "not a saved result, which --save writes" in run("verify", "other.json").err
    (folder / "other.json").write_text("nonsense")
    told = run("verify", "other.json")
    assert ":1: not JSON, so not a saved result, which --save writes: Expecting value" in told.err


def test_the_exit_codes_are_explained_alike(run: Nestor) -> None:
    pages = (README.read_text(), (ROOT / "docs" / "starting_and_stopping.md").read_text())
    for text in (run("--help").out, *pages):
        words = " ".join(text.replace("`", "").split())
        for part in (
            "a result, even one that is not solved (such as a late tour) or that misses --target",
            "exception in a problem of your own",
            "failed runs of a comparison",
            "fewer --designs than asked for",
        ):
            assert part in words


@pytest.mark.parametrize("name", ALGORITHMS)
def test_the_examples_of_an_algorithm_run(name: str, run: Nestor) -> None:
    for line in json.loads(run("algorithms", name, "--json").out)["examples"]:
        assert run(*shlex.split(line)[1:], "--playouts", "10").code == 0


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("sovle", "'solve'"),
        ("solve morpoin 5D", "'morpion'"),
        ("solve morpion 5d", "'5D'"),
        ("solve morpion 5D --secnods 3", "'--seconds'"),
        ("solve morpion 5D --algorithm GNPRA", "'gnrpa'"),
        ("solve morpion 5D --prior rna_ngrm", "'rna_ngram'"),
        ("solve tsptw tour.txt --bias distnace", "'distance'"),
        ("solve tsptw tour.txt --objective makspan", "'makespan'"),
        ("solve own:Subste", "'Subset'"),
        ("algorithms beam_nrp", "'beam-nrpa'"),
        ("problems TSP", "'tsptw'"),
        ("priors kakuro", "'kakuro_10_11'"),
    ],
)
def test_the_nearest_is_suggested(given: str, meant: str, run: Nestor) -> None:
    code, out, err = run(*given.split())
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert f"(did you mean {meant}?)" in err


def test_a_file_in_the_place_of_a_problem_is_told(run: Nestor) -> None:
    Path("packing.py").touch()
    for given, meant in (("work/packing.py", "NAME, in the folder work"), ("packing", "NAME")):
        for command in ("solve", "check"):
            code, out, err = run(command, given)
            assert (code, out, err.count("\n")) == (2, "", 1)
            assert f"not '{given}'; write packing:{meant}" in err


def test_nothing_is_suggested_if_nothing_is_near(run: Nestor) -> None:
    for given in ("xyzzy", "solve xyzzy", "solve morpion 5D --xyzzy", "algorithms xyzzy"):
        code, _, err = run(*given.split())
        assert (code, "did you mean" in err) == (2, False)


@pytest.mark.parametrize(
    "command",
    [
        (*MORPION, *SMALL, "--save", "a run.json"),
        (*MORPION, *SMALL),
        (
            *MORPION,
            "--playouts",
            "50",
            "--checkpoint",
            "run.ckpt",
            "--save",
            "run.json",
            "--log",
            "l",
        ),
        (*MORPION, "--seconds", "0.05", "--checkpoint", "run.ckpt"),
        (*OWN, "--save", "run.json", "--plot", "own.svg"),
        (*OWN, "--checkpoint", "run.ckpt"),
        (*OWN, "--checkpoint", "run.ckpt", "--cache", "scores"),
    ],
)
def test_the_next_commands_work_as_they_stand(command: tuple[str, ...], run: Nestor) -> None:
    code, out, _ = run(*command)
    assert code == 0
    lines = out.partition("\nNext:\n")[2].splitlines()
    offered = [shlex.split(line)[1] for line in lines]
    assert ("verify" in offered) == ("--save" in command)
    going_on = [line for line in lines if "--checkpoint run.ckpt" in line]
    assert bool(going_on) == ("--checkpoint" in command)
    assert all(shlex.split(line).count("--playouts") < 2 for line in going_on)
    assert ("--log l" in out.partition("\nNext:\n")[2]) == ("--log" in command)
    assert ("plot" in offered) == ("--save" in command and "--plot" not in command)
    assert ("--cache scores" in out) == ("--cache" in command)
    assert offered
    for line in lines:
        name, *arguments = shlex.split(line)
        assert name == "nestor"
        assert run(*arguments).code == 0
    assert list(Path().glob("*run.json"))


OWN_ALGORITHM = """
import nestor
from nestor.research import run_level

@nestor.algorithm
def own_steps(search, problem, policy, level, key):
    best = search.state
    for number in range(50):
        best = run_level(problem, policy, 1, 5, key=key.child(number))
        yield best
    return best
"""


def test_the_next_command_names_an_algorithm_of_ones_own(
    run: Nestor, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "own_steps.py").write_text(OWN_ALGORITHM)
    limits = ("--playouts", "20", "--checkpoint", "run.ckpt", "--save", "run.json")
    out = run(*MORPION, "--algorithm", "own_steps:own_steps", *limits).out
    for other in ("nrpa", "nestor:ParetoNRPA"):
        code, _, error = run("resume", "run.ckpt", "--algorithm", other, "--playouts", "40")
        assert code == 2
        assert "algorithm: the run is of own_steps:own_steps, not of " in error
    monkeypatch.delitem(sys.modules, "own_steps")
    monkeypatch.setattr("nestor.algorithms.own.OWN", {})
    (line,) = (each for each in out.splitlines() if "--playouts 40" in each)
    assert run(*shlex.split(line)[1:]).code == 0


def test_the_next_commands_replace_no_file(run: Nestor) -> None:
    Path("run.json").write_text("mine")
    assert "--save run2.json\n" in run(*MORPION, *SMALL).out


def test_quiet_and_json_say_nothing_of_it(run: Nestor) -> None:
    assert "Next:" not in run(*MORPION, *SMALL, "--quiet").out
    assert run(*MORPION, *SMALL, "--json").out.count("\n") == 1


def test_a_finished_run_is_not_resumed(run: Nestor) -> None:
    limits = ("--target", "1", "--checkpoint", "run.ckpt", "--save", "run.json")
    assert "--checkpoint" not in run(*MORPION, *limits).out.partition("Next:")[2]


def test_plot_names_the_picture_after_the_run(run: Nestor, folder: Path) -> None:
    run(*MORPION, *SMALL, "--save", "run.json")
    assert run("plot", "run.json") == (0, "drawn run.svg\n", "")
    assert run("plot", "run.json", "grid.png").code == 0
    assert run("plot", "run.json", "--timeline").out == "drawn run.timeline.svg\n"
    for name in ("run.svg", "grid.png", "run.timeline.svg"):
        assert (folder / name).stat().st_size > 1000
    assert (folder / "run.svg").read_bytes() != (folder / "run.timeline.svg").read_bytes()
    assert run("plot", ".").err.count("\n") == 1
    code, _, err = run("plot", "run.json", "grid.txt")
    assert (code, err.count("\n")) == (2, 1)
    assert not (folder / "grid.txt").exists()


def test_the_doctor(run: Nestor, monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    monkeypatch.setenv("NESTOR_DATA", str(folder))
    facts = json.loads(run("doctor", "--json").out)
    assert facts["nestor"] == nestor.__version__
    assert facts["data"] == str(folder)
    assert facts["cores"] >= 1
    assert {"numpy", "rich", "click"} <= facts["packages"].keys()
    assert "matplotlib" in facts["extras"]["plot"]
    code, out, err = run("doctor")
    assert (code, err) == (0, "")
    assert f"matplotlib {facts['extras']['plot']['matplotlib']}" in out
    monkeypatch.setenv("NESTOR_DATA", str(folder / "missing"))
    assert "must name a folder" in run("doctor").out

    def version(name: str) -> str:
        raise PackageNotFoundError(name)

    monkeypatch.setattr("importlib.metadata.version", version)
    told = "missing matplotlib: pip install 'nestor[plot]', or pip install matplotlib\n"
    assert told in run("doctor").out
    with pytest.raises(MissingExtraError, match=r"or pip install scipy pandas matplotlib$"):
        raise missing_extra("a table", "compare")
