"""Every public callable and every option, given extremes: it works or says what is wrong."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import click
import numpy as np
import pytest

import nestor
from nestor import Sampling, problems, research, testing
from nestor.cli.app import app
from nestor.prior import WithPrior
from nestor.problems import PROBLEMS, RNA, TSPTW, Crossword, Kakuro, LatinSquare, Morpion, SameGame
from robustness.sandbox import FILES, command, faults

EVERY_ELEVENTH = [
    pytest.param(11, id="an eleventh"),
    pytest.param(1, id="all", marks=pytest.mark.long),
]

PLAIN: list[Any] = [0, -1, 2, 0.5, 2**63, 2**64, 10**400, -(10**400), 1e308, 5e-324, 1j, True, None]
PLAIN += [
    float("nan"),
    float("inf"),
    float("-inf"),
    "",
    "x",
    "\0",
    "\ud800",
    "x" * 10**6,
    b"x",
    int,
]
PLAIN += [[], (), {}, [[]], (1, "x"), [10**400], {"x": None}, Path(), Path("/dev/null"), object()]
PLAIN += [np.int64(2), np.float32(0.5), np.True_, np.array([1, 2]), np.array(3), np.array([None])]
PLAIN += [np.timedelta64(2), Path("x" * 5000), lambda *_: 0, (_ for _ in [1])]
EXTREMES = {f"{each!r:.40}": each for each in PLAIN}

SQUARES = LatinSquare([[1, 0, 0], [0, 0, 0], [0, 0, 0]])
POLICY = research.Policy(SQUARES)
PLAYED = research.playout(SQUARES, POLICY, key=research.Key(0))
RESULT = nestor.solve(SQUARES, Sampling(), playouts=3)
PRIOR = nestor.learn_prior([RESULT])
SHORT: dict[str, Any] = {"seconds": 0.05, "playouts": 30, "threads": 2}


def search(algorithm: Any) -> None:
    """Use an algorithm or a prior."""
    if isinstance(algorithm, nestor.Prior):
        algorithm = nestor.GNRPA(1, 5, prior=algorithm)
    if isinstance(algorithm, nestor.Algorithm):
        assert str(nestor.solve(SQUARES, algorithm, **SHORT))


def play(problem: Any) -> None:
    """Use an instance."""
    for each in problem if isinstance(problem, list | tuple) else [problem]:
        if isinstance(each, problems.NativeProblem):
            assert str(nestor.solve(each, Sampling(), playouts=2, threads=1))


class Case(NamedTuple):
    """A callable, arguments that suit it, and what is done with what it returns."""

    call: Callable[..., Any]
    given: dict[str, Any]
    use: Callable[[Any], object] = id


TOUR = {"matrix": [[0, 3, 4], [3, 0, 5], [4, 5, 0]], "windows": [(0, 20), (0, 20), (0, 4)]}
BOUND = {"problem": SQUARES, "policy": POLICY, "key": research.Key(1)}
CASES = {
    "solve": Case(nestor.solve, {"problem": SQUARES, "algorithm": nestor.NRPA(2, 4), **SHORT}, str),
    "compare": Case(
        nestor.compare,
        {"problems": [SQUARES], "algorithms": [Sampling()], "seeds": 1, **SHORT},
        str,
    ),
    "Runs.load": Case(nestor.Runs.load, {"path": "runs.jsonl"}, str),
    "resume": Case(nestor.resume, {"checkpoint": "run.ckpt", **SHORT}, str),
    **{kind.__name__: Case(kind, {}, search) for kind in nestor.algorithms.ALGORITHMS.values()},
    "TSPTW": Case(TSPTW, TOUR, play),
    "TSPTW.read": Case(TSPTW.read, {"path": "tour.txt"}, play),
    "SameGame": Case(SameGame, {"board": "01\n10"}, play),
    "SameGame.read": Case(SameGame.read, {"path": "boards.txt"}, play),
    "SameGame.read_all": Case(SameGame.read_all, {"path": "boards.txt"}, play),
    "Morpion": Case(Morpion, {}, play),
    "Morpion.read": Case(Morpion.read, {"path": "game.json"}),
    "Crossword": Case(Crossword, {"words": ["ab", "ba"], "size": 5}, play),
    "Crossword.read": Case(Crossword.read, {"path": "words.txt"}, play),
    "LatinSquare": Case(LatinSquare, {"square": [[1, 0], [0, 0]]}, play),
    "LatinSquare.read": Case(LatinSquare.read, {"path": "square.txt"}, play),
    "LatinSquare.generate": Case(LatinSquare.generate, {"order": 5}, play),
    "LatinSquare.generate_solved": Case(LatinSquare.generate_solved, {"order": 5}, play),
    "Kakuro": Case(Kakuro, {"grid": FILES["puzzle.txt"]}, play),
    "Kakuro.square": Case(Kakuro.square, {"row_sums": [3], "column_sums": [3], "largest": 9}, play),
    "Kakuro.read": Case(Kakuro.read, {"path": "puzzle.txt"}, play),
    "Kakuro.generate": Case(Kakuro.generate, {"size": 4}, play),
    "Kakuro.generate_solved": Case(Kakuro.generate_solved, {"size": 4}, play),
    "RNA": Case(RNA, {"target": "((((....))))"}, play),
    "RNA.read": Case(RNA.read, {"path": "targets.fasta"}, play),
    "RNA.read_all": Case(RNA.read_all, {"path": "targets.fasta"}, play),
    **{f"{name}.from_dict": Case(kind.from_dict, {}, play) for name, kind in PROBLEMS.items()},
    "LatinSquare.solution": Case(SQUARES.solution, {"moves": RESULT.moves}, str),
    "LatinSquare.with_bias": Case(SQUARES.with_bias, {}, play),
    "Prior": Case(nestor.Prior, {"problem": PRIOR.problem, "counts": PRIOR.counts}, search),
    "Prior.load": Case(nestor.Prior.load, {}, search),
    "Prior.from_dict": Case(nestor.Prior.from_dict, {}, search),
    "Prior.save": Case(PRIOR.save, {}),
    "Prior.betas": Case(PRIOR.betas, {}),
    "Prior.histogram": Case(PRIOR.histogram, {}),
    "learn_prior": Case(nestor.learn_prior, {"solved": [RESULT]}, search),
    "Result.load": Case(nestor.Result.load, {"path": "run.json"}),
    "Result.save": Case(RESULT.save, {}),
    "Result.plot": Case(RESULT.plot, {}),
    "Key": Case(research.Key, {}),
    "Key.child": Case(research.Key(1).child, {}),
    "Policy": Case(research.Policy, {"problem": SQUARES}, repr),
    "Policy.load": Case(research.Policy.load, {"path": "policy.json", "problem": SQUARES}),
    "Policy.save": Case(POLICY.save, {}),
    "playout": Case(research.playout, BOUND, repr),
    "playouts": Case(research.playouts, {**BOUND, "n": 2}, repr),
    "adapt": Case(research.adapt, {"policy": POLICY.copy(), "sequence": PLAYED}),
    "run_level": Case(research.run_level, {**BOUND, "level": 1, "iterations": 5}, repr),
    "WithPrior": Case(WithPrior, {"problem": SQUARES, "betas": {}}, research.Policy),
    "check_problem": Case(testing.check_problem, {"problem": SQUARES, "playouts": 2}),
}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with a file of each kind."""
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        Path(name).write_text(text)
    nestor.solve(SQUARES, nestor.NRPA(2, 4), playouts=10, checkpoint="run.ckpt").save("run.json")
    nestor.solve(Morpion("4D"), Sampling(), playouts=1).solution.save("game.json")  # type: ignore[attr-defined]
    POLICY.save("policy.json")
    nestor.compare([SQUARES], [Sampling()], seeds=1, playouts=1, save="runs.jsonl")
    return tmp_path


@pytest.mark.parametrize("every", EVERY_ELEVENTH)
@pytest.mark.parametrize("name", CASES)
def test_callables(name: str, every: int, here: Path) -> None:
    call, given, use = CASES[name]

    def attempt(argument: str, extreme: Any) -> Callable[[], None]:
        return lambda: (use(call(**{**given, argument: extreme})), None)[1]

    # Each argument meets another eleventh of the values.
    assert len(EXTREMES) % 11
    pairs = [
        (argument, shown)
        for argument, parameter in inspect.signature(call).parameters.items()
        if parameter.kind is not parameter.VAR_KEYWORD
        for shown in EXTREMES
    ]
    calls = {
        f"{argument} = {shown}": attempt(argument, EXTREMES[shown])
        for argument, shown in pairs[len(name) % every :: every]
        # Its TypeError is the callback's own.
        if argument not in ("callback", "on_improvement") or EXTREMES[shown] is not int
    }
    found = faults(calls, megabytes=1000)
    assert not found, found


class Mute:
    """What has no text."""

    def __repr__(self) -> str:
        raise RuntimeError("no text")


@pytest.mark.parametrize("value", [Mute(), 10**5000], ids=["mute", "long"])
@pytest.mark.parametrize(
    "call",
    [
        lambda value: nestor.solve(SQUARES, playouts=1, seed=value),
        lambda value: TSPTW.from_coordinates([(0, 0), (1, 1)], None, metric=value),
        lambda value: nestor.Prior.load(value),
        lambda value: nestor.compiled(value),
        lambda value: nestor.plot.timeline(value),
        lambda value: nestor.reference.search(SQUARES, value, 1),
        lambda value: research.playout(SQUARES, POLICY, key=value),
        lambda value: research.adapt(POLICY, value),
    ],
)
def test_values_without_a_text_are_told_by_their_type(
    call: Callable[[Any], object], value: Any
) -> None:
    with pytest.raises(nestor.InputError, match=r"not a Mute|not an int|must be 0 to"):
        call(value)


TEXTS: tuple[str, ...] = (
    "0",
    "-1",
    "1",
    "2.5",
    "1e400",
    "-1e308",
    "5e-324",
    "nan",
    "inf",
    "",
    " ",
    "x",
    "None",
)
TEXTS += ("1,2", ",", "1,x", "٣", "9" * 400, "9" * 5000, "true", "\udcff", "a\nb", "[]", "1e4")
TEXTS += (".", "/dev/null", "/dev/full", "/nowhere/x", "x" * 300, "run.json", "x.svg", "\udcff.png")

COMMANDS = {
    "tsptw": ["solve", "tsptw", "tour.txt"],
    "samegame": ["solve", "samegame", "boards.txt"],
    "morpion": ["solve", "morpion", "4D"],
    "crossword": ["solve", "crossword", "words.txt"],
    "latin": ["solve", "latin", "square.txt"],
    "kakuro": ["solve", "kakuro", "puzzle.txt"],
    "rna": ["solve", "rna", "targets.fasta"],
    "own": ["solve", "own:Subset"],
    "resume": ["resume", "run.ckpt"],
    "verify": ["verify", "run.json"],
    "replay": ["replay", "run.json"],
    "completion": ["completion", "bash"],
}


def find(words: list[str]) -> Any:
    """Return the command of these words."""
    command: Any = app
    for word in words:
        command = command.get_command(click.Context(command), word)
    return command


def arguments(name: str) -> Iterator[list[str]]:
    """Yield the command with every text as its argument, and with every option of every text.

    The options that all problems share are tried with one of them.
    """
    base = COMMANDS[name]
    command = find(base[:-1] if name != "own" else base)
    known = {
        option.name
        for option in find(["solve", "tsptw"]).params
        if getattr(option, "heading", "") != "Problem"
    }
    quick = ["--seconds", "0.05", "--playouts", "30", "--quiet", "--threads", "2"]
    base = base + quick if name not in ("verify", "replay", "completion") else base
    for text in TEXTS if name != "own" else ():
        yield [*base[: len(COMMANDS[name]) - 1], text, *base[len(COMMANDS[name]) :]]
    for option in command.params:
        if isinstance(option, click.Option) and (name == "tsptw" or option.name not in known):
            if option.is_flag:
                yield [*base, option.opts[0], option.opts[0]]
            else:
                yield from ([*base, option.opts[-1], text] for text in TEXTS)


@pytest.mark.parametrize("every", EVERY_ELEVENTH)
@pytest.mark.parametrize("name", COMMANDS)
def test_options(name: str, every: int, here: Path) -> None:
    def attempt(words: list[str]) -> Callable[[], int]:
        return lambda: command(*words)

    # Fewer designs than were asked for end with 1.
    fine = ("returned", "InputError", "VerificationError: Error: only ")
    # Each option meets another eleventh of the texts.
    assert len(TEXTS) % 11
    chosen = list(arguments(name))[len(name) % every :: every]
    calls = {" ".join(word[:30] for word in words): attempt(words) for words in chosen}
    found = faults(calls, lambda told: told.startswith(fine), megabytes=1000)
    assert not found, found
