"""What the help shows, and that what derives from the settings agrees with them."""

from __future__ import annotations

import inspect
import json
import re
import shlex
import tomllib
from pathlib import Path
from typing import Any
from unittest.mock import patch

import click
import pytest

import nestor
from nestor.algorithms import ALGORITHMS
from nestor.cli.app import app
from nestor.cli.comparing import algorithm_named
from nestor.cli.options import KINDS
from nestor.problems import PROBLEMS
from nestor.runs.limits import Budget, Outputs, Resources
from nestor.settings import defaults_of, settings_of
from support.commands import Nestor

RUN = {
    name: value
    for kind in (Budget, Resources, Outputs)
    for name, value in defaults_of(kind).items()
}


COMMANDS = [
    "",
    *app.list_commands(click.Context(app)),
    *(f"{command} {problem}" for command in ("solve", "compare") for problem in PROBLEMS),
]


@pytest.mark.parametrize("command", COMMANDS)
def test_marks_of_the_layout_are_not_shown(command: str, run: Nestor) -> None:
    for flag in ("--help", "--help-all"):
        told = run(*command.split(), flag)
        if told.code == 2 and flag == "--help-all":
            continue  # It has no more options than --help shows.
        assert told.code == 0
        assert "\b" not in told.out
        assert "\\b" not in told.out


def test_the_file_of_a_comparison_is_shown_line_by_line(run: Nestor) -> None:
    out = run("compare", "--help").out
    (example,) = re.findall(r"^  SPEC.toml describes .*:\n((?:    .*\n)+)", out, re.MULTILINE)
    spec = tomllib.loads(example)
    assert spec["problems"]["5D"] == "morpion 5D"
    assert spec["algorithms"]["beam of 8"] == "beam-nrpa --beam 8"


def understand(words: list[str]) -> dict[str, Any]:
    """Return what a command is given, without running it; `click.UsageError` if it is wrong."""
    with patch.object(click.Command, "invoke", lambda _, context: context.params):
        given: dict[str, Any] = app.main(words, "nestor", standalone_mode=False)
    return given


@pytest.mark.parametrize("command", [*COMMANDS, "solve own:Subset", "compare own:Subset"])
def test_examples_are_understood(command: str, run: Nestor) -> None:
    told = run(*command.split(), "--help").out.partition("Examples:\n")[2]
    lines = [line.strip() for line in told.splitlines() if line.startswith("    nestor ")]
    assert lines or command == "completion"
    for line in lines:
        given = understand(shlex.split(re.split(r" [|>] ", line)[0], comments=True)[1:])
        for algorithm in (given.get("algorithms") or "").split(","):
            assert not algorithm or algorithm_named([algorithm])
    with pytest.raises(click.UsageError):
        understand([*shlex.split(command), "--no-such-option"])


def test_the_examples_of_comparisons_run(run: Nestor) -> None:
    out = " ".join(run("compare", "morpion", "--help").out.split())
    (several,) = re.findall(r"`nestor solve`, as in '(.*?)'", out)
    for algorithms in (several, "nrpa,nmcs"):
        words = ("--algorithms", algorithms, "--playouts", "20", "--seeds", "1", "--quiet")
        done = run("compare", "morpion", "4D", *words)
        assert (done.code, done.err) == (0, "")


@pytest.mark.parametrize("command", [*COMMANDS, "solve own:Subset"])
def test_help_fits_a_page(command: str, run: Nestor) -> None:
    assert len(run(*command.split(), "--help").out.splitlines()) <= 50


def test_the_log_of_a_resumed_run_is_in_the_help(run: Nestor) -> None:
    assert "--log PATH" in run("resume", "--help").out


def test_options_of_other_algorithms_have_other_headings(run: Nestor) -> None:
    out = run("solve", "tsptw", "--help-all").out
    under = dict(re.findall(r"^Algorithm: (.*):\n((?:  .*\n)+)", out, re.MULTILINE))
    for names, options in under.items():
        of = re.split(", | and ", names)
        for flag in re.findall(r"^  --([a-z-]+)", options, re.MULTILINE):
            setting = flag.replace("-", "_")
            assert of == [n for n, kind in KINDS.items() if setting in settings_of(kind)]
    assert "--patience N" in under["counterexamples"]


@pytest.mark.parametrize("command", ["solve", "solve tsptw", "solve own:Subset", "resume"])
def test_all_options_are_behind_help_all(command: str, run: Nestor) -> None:
    short = run(*command.split(), "--help").out
    code, out, err = run(*command.split(), "--help-all")
    assert (code, err) == (0, "")
    assert max(map(len, out.splitlines())) <= 80
    own = short.partition("\nAlgorithm:\n")[0].count("\n  -") if "Problem:" in short else 0
    # A dozen, and two for the help.
    assert short.count("\n  -") - own <= 14
    assert out.count("\n  -") > 20 or command == "resume"
    assert "--checkpoint-every" in out
    assert "--checkpoint-every" not in short


def test_an_algorithm_of_ones_own_is_explained(run: Nestor, folder: Path) -> None:
    (folder / "ideas.py").write_text(
        "import nestor\n\n\n@nestor.algorithm\n"
        "def decaying(search, problem, policy, level=2, key=None, *, decay=0.5, seed=3):\n"
        '    """NRPA that learns less and less."""\n'
        "    return nestor.research.playout(problem, policy, key=key)\n"
        'print("imported")\n'
    )
    code, out, _ = run("algorithms", "ideas:decaying")
    assert code == 0
    assert "ideas:decaying: NRPA that learns less and less." in out
    assert "--decay  " in out
    assert "--set seed=...  " in out
    assert run("algorithms", "ideas:none").code == 2
    assert "module:name is one of your own" in run("algorithms").out
    assert "or module:name of your own" in run("algorithms", "decaying").err
    search = ("morpion", "4D", "--algorithm", "ideas:decaying")
    for flag in ("--help", "--help-all"):
        told = run("solve", *search, flag).out
        assert re.search(r"--decay X +A setting of this algorithm.  \[default: 0.5\]", told)
        assert re.search(r"--level N +Levels of nesting.  \[1 to 20; default: 2\]", told)
        assert "--seed N  " in told
        assert "--beam" not in told
    asked = ("--decay", "0.25", "--set", "seed=5", "--seed", "1", "--playouts", "3")
    found = json.loads(run("solve", *search, *asked, "--json").out)
    assert (found["algorithm"]["decay"], found["algorithm"]["seed"], found["seed"]) == (0.25, 5, 1)
    twice = run("solve", *search, *asked, "--set", "decay=1")
    assert (twice.code, "decay is given twice" in twice.err) == (2, True)
    assert "did you mean '--decay'" in run("solve", *search, "--decai", "1").err
    compared = ("--algorithms", "ideas:decaying --decay 0.25", *asked[-2:], "--seeds", "1")
    assert run("compare", "morpion", "4D", *compared, "--quiet").code == 0


def test_every_setting_is_an_option(run: Nestor) -> None:
    out = run("solve", "tsptw", "--help-all").out
    for kind in ALGORITHMS.values():
        for name in settings_of(kind):
            assert f"--{name.replace('_', '-')}" in out
    assert "[1 to 20; set by auto, else 3; nmcs: 2]" in " ".join(out.split())
    assert "[default: the problem's own; sampling, nmcs and beam-nrpa: none]" in " ".join(
        out.split()
    )
    seed = " Seed of all random choices.  [default: 0]\n"  # Its range would take another line.
    assert seed in run("solve", "tsptw", "--help").out
    assert "[0 to 2^64 - 1;" in out
    assert seed not in out


@pytest.mark.parametrize("problem", PROBLEMS)
def test_every_name_that_an_option_of_a_problem_takes_is_in_the_help(
    problem: str, run: Nestor
) -> None:
    told = "".join(run("solve", problem, "--help").out.split())
    for setting in settings_of(PROBLEMS[problem]).values():
        assert all(name in told for name in getattr(setting.kind, "names", ()))


@pytest.mark.parametrize("function", [nestor.solve, nestor.resume])
def test_arguments_have_the_defaults_of_the_settings(function: object) -> None:
    for name, parameter in inspect.signature(function).parameters.items():  # type: ignore[arg-type]
        if name in RUN and parameter.default is not inspect.Parameter.empty:
            assert parameter.default == RUN[name]


@pytest.mark.parametrize("kind", ALGORITHMS.values(), ids=ALGORITHMS)
def test_every_setting_is_in_the_docstring(kind: type[nestor.Algorithm]) -> None:
    doc = kind.__doc__ or ""
    assert doc.count("\nParameters\n") == 1
    for name, default in defaults_of(kind).items():
        assert f"\n{name} : " in doc
        assert f"default {default!r}\n" in doc
    assert max(map(len, doc.splitlines())) <= 100


def test_an_option_before_the_problem_is_told(run: Nestor) -> None:
    done = run("solve", "--algorithm", "x:y", "--help")
    assert done.code == 2
    assert "the problem comes first, nestor solve PROBLEM --algorithm ..." in done.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--vehicles 2", "--vehicles is not supported: .* PyVRP plans several vehicles"),
        ("--priority 1", "--priority is not supported: .* in a column penalty"),
        ("--penalty 30", "--penalty is not supported: .* in a column penalty"),
        ("--vehicels 2", "no option --vehicels"),
    ],
)
def test_what_other_tools_plan_is_told(words: str, said: str, run: Nestor) -> None:
    done = run("solve", "tsptw", "stops.csv", *words.split())
    assert done.code == 2
    assert re.search(said, done.err)
    assert "vehicles" not in run("solve", "tsptw", "--help-all").out
    assert "PyVRP plans several vehicles" in run("solve", "cvrp", "stops.csv").err
