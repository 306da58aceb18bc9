"""The command line: output, files, exit codes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import nestor
from nestor import InputError, Result
from nestor.problems import PROBLEMS
from support.commands import MORPION, SMALL, Nestor
from support.parts import partly

SOLVABLE = {
    "tsptw": ("tsptw", "tour.txt"),
    "makespan": ("tsptw", "tour.txt", "--objective", "makespan", "--no-selective"),
    "samegame": ("samegame", "boards.txt", "--board", "2"),
    "no-tabu": ("samegame", "boards.txt", "--tabu", "none", "--bias", "none"),
    "morpion": ("morpion", "4D"),
    "no-dominated": ("morpion", "5T", "--no-dominated"),
    "crossword": ("crossword", "words.txt", "--size", "8"),
    "latin": ("latin", "square.txt"),
    "no-hidden-singles": ("latin", "square.txt", "--no-hidden-singles"),
    "kakuro": ("kakuro", "puzzle.txt"),
    "no pruning": ("kakuro", "puzzle.txt", "--no-pruning"),
    "rna": ("rna", "((((....))))", "--sequence", "NNNNGNNNNNNN"),
    "rna-file": ("rna", "targets.fasta", "--target-number", "2", "--model", "turner1999-d2"),
    "own": ("own:Subset",),
    "instance": ("own:subset",),
}
solvable = pytest.mark.parametrize("problem", SOLVABLE.values(), ids=SOLVABLE)


@pytest.mark.parametrize(
    "command",
    [
        *("", "solve", "solve tsptw", "solve samegame", "solve morpion", "solve crossword"),
        *("solve latin", "solve kakuro", "solve rna", "solve own:Subset"),
        *("verify", "replay", "completion"),
    ],
)
def test_help_has_examples_and_fits(command: str, run: Nestor) -> None:
    for option in ("--help", "-h"):
        code, out, err = run(*command.split(), option)
        assert (code, err) == (0, "")
        assert out.startswith("Usage: nestor " + command)
        assert "Examples:" in out
        assert max(map(len, out.splitlines())) <= 80


def test_the_help_of_tours_says_what_is_meant(run: Nestor) -> None:
    late = "[default: time for tables]"
    for command in ("solve tsptw --help-all", "problems tsptw"):
        out = " ".join(run(*command.split()).out.split())
        assert late in out
        assert "Playouts avoid moves that make other stops late." in out
    assert "--now TIME" in run("solve", "tsptw", "--help-all").out


def test_without_a_command(run: Nestor) -> None:
    assert run() == run("--help")
    assert run("--version") == (0, f"nestor {nestor.__version__}\n", "")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion(shell: str, run: Nestor) -> None:
    code, out, _ = run("completion", shell)
    assert code == 0
    assert "_NESTOR_COMPLETE" in out


def test_completion_knows_the_problems(folder: Path) -> None:
    environment = {
        "_NESTOR_COMPLETE": "bash_complete",
        "COMP_WORDS": "nestor solve ",
        "COMP_CWORD": "2",
    }
    code = "from nestor.cli import main; main(prog_name='nestor')"
    out = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert {"plain,tsptw", "plain,samegame", "plain,morpion"} <= set(out.split())


@solvable
def test_solve_save_draw_verify_replay(problem: tuple[str, ...], run: Nestor, folder: Path) -> None:
    code, out, err = run("solve", *problem, *SMALL, "--save", "run.json", "--plot", "a.svg")
    assert code == 0
    assert "\x1b" not in out + err
    assert err.count("best ") >= 1
    result = Result.load("run.json", trust=True)
    for part in ("score  ", "verified   yes", "gnrpa, level 2", f"bias       {result.bias}"):
        assert part in out
    for part in ("reproducible", "saved      run.json", "drawn      a.svg", str(result.solution)):
        assert part in out
    assert (folder / "a.svg").read_text().startswith("<?xml")
    code, out, err = run("verify", "run.json", "--trust")
    assert (code, err, len(out.splitlines())) == (0, "", 1)
    assert out.startswith("run.json: verified, ")
    code, out, err = run("replay", "run.json", "--trust")
    assert (code, err) == (0, "")
    first = result.moves[0]
    first = ",".join(map(str, first)) if isinstance(first, tuple) else first
    assert f"1. {first}/" in out
    assert out.splitlines()[-1].startswith("score ")
    assert str(result.solution) in out


@solvable
def test_json_is_one_object_and_nothing_else(problem: tuple[str, ...], run: Nestor) -> None:
    code, out, err = run("solve", *problem, *SMALL, "--json", "--save", "run.json")
    assert code == 0
    assert run("solve", *problem, *SMALL, "--quiet").err == ""
    data = json.loads(out)
    assert out.count("\n") == 1
    needed = "problem instance algorithm seed score sense solved solution verified playouts seconds"
    assert {*needed.split(), "stop_reason", "improvements", "version"} <= data.keys()
    assert data["verified"] is True
    assert data["playouts"] == 25 or data["stop_reason"] == "target"
    assert json.loads(Path("run.json").read_text()) == data
    assert "best " in err
    code, out, err = run("verify", "--json", "run.json", "--trust")
    assert (code, err) == (0, "")
    assert json.loads(out)["verified"] is True
    code, out, err = run("replay", "--json", "run.json", "--trust")
    assert (code, err) == (0, "")
    assert [step["move"] for step in json.loads(out)["steps"]] == data["moves"]


def test_designs_are_exported(run: Nestor, folder: Path) -> None:
    files = ("--fasta", "a.fasta", "--csv", "a.csv")
    code, out, err = run("solve", "rna", "((((....))))", *files, "-q")
    assert (code, err) == (0, "")
    assert "exported   a.fasta" in out
    header, sequence = (folder / "a.fasta").read_text().splitlines()
    assert header.startswith(">design solved model=turner2004-d2")
    columns, row = (folder / "a.csv").read_text().splitlines()
    assert dict(zip(columns.split(","), row.split(","), strict=True))["sequence"] == sequence
    code, out, err = run("solve", "rna", "((((....))))", "--fasta", "a", "--csv", "./a")
    assert (code, out, err) == (2, "", "Error: outputs must be different files, not twice a\n")


def test_the_default_bias_is_named(run: Nestor) -> None:
    assert json.loads(run("solve", "tsptw", "tour.txt", *SMALL, "--json").out)["bias"] == "distance"
    assert "bias       size" in run("solve", "samegame", "boards.txt", *SMALL).out


def test_budgets_and_resources(run: Nestor) -> None:
    limits = (
        "--seconds",
        "0.05",
        "--jobs",
        "3",
        "--threads",
        "2",
        "--seed",
        "18446744073709551615",
    )
    run("solve", "morpion", "5D", *limits, "--save", "run.json")
    result = Result.load("run.json")
    assert (result.jobs, result.threads, result.seed) == (3, 2, 2**64 - 1)
    assert result.stop_reason == "seconds"
    out = run("solve", "morpion", "5D", "--target", "30", "--json").out
    assert json.loads(out)["stop_reason"] == "target"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("solve",), "a problem is missing"),
        (("solve", "chess"), f"must be {', '.join(sorted(PROBLEMS))} or"),
        (("solve", "tsptw"), "FILE"),
        (("solve", "tsptw", "missing.txt"), "missing.txt: cannot be read: No such file"),
        (("solve", "tsptw", "empty.txt"), "empty.txt: is empty"),
        (("solve", "tsptw", "."), "directory"),
        (("solve", "tsptw", "own.py"), "own.py:2"),
        (("solve", "tsptw", "tour.txt", "--objective", "fun"), "'fun'"),
        (("solve", "tsptw", "tour.txt", "--bias", "size"), "bias must be one of"),
        (("solve", "samegame", "boards.txt", "--board", "3"), "the file has 2"),
        (("solve", "samegame", "boards.txt", "--board", "0"), "board must be"),
        (("solve", "samegame", "boards.txt", "--board", "one"), "'one' is not a whole number"),
        (("solve", "morpion", "6X"), "variant must be"),
        (("solve", "crossword", "words.txt", "--size", "4"), "words.txt:1"),
        (("solve", "latin", "tour.txt"), "tour.txt:2"),
        (("solve", "kakuro", "square.txt"), "square.txt"),
        (("solve", "rna", "((((....))"), "'(' at position 2 is never closed"),
        (("solve", "rna", "[[....]]"), "without pseudoknots"),
        (("solve", "rna", "(( .... ))"), "without spaces"),
        (("solve", "rna", "targets.fasta", "--target-number", "3"), "the file has 2"),
        (("solve", "rna", "((....))", "--target-number", "1"), "is for a file"),
        (("solve", "rna", "targets.fasta", "--sequence", "N"), "targets.fasta:2: sequence must"),
        (("solve", "rna", "((....))", "--sequence", "NNN"), "sequence must have a letter"),
        (("solve", "missing:Problem"), "cannot import 'missing:Problem'"),
        (("solve", "own:Missing"), "cannot import 'own:Missing'"),
        (("solve", "own:"), "module:Class"),
        (("solve", "os:getcwd"), "has no initial"),
        (("solve", "own:Bytes", "--json"), "bytes"),
        ((*MORPION, "5T"), "5T"),
        ((*MORPION, "--levels", "3"), "--levels"),
        ((*MORPION, "--level", "0"), "level must be 1 to 20, not 0"),
        ((*MORPION, "--level", "2.5"), "'2.5' is not a whole number"),
        ((*MORPION, "--level", "9" * 5000), "not a whole number"),
        ((*MORPION, "--iterations", "10,20"), "3 values for level 3"),
        ((*MORPION, "--iterations", "10,"), "'' is not a whole number"),
        ((*MORPION, "--temperature", "nan"), "temperature must be positive"),
        ((*MORPION, "--temperature", "warm"), "'warm' is not a number"),
        ((*MORPION, "--seconds", "-1"), "seconds must be positive"),
        ((*MORPION, "--playouts", "0"), "playouts must be"),
        ((*MORPION, "--target", "nan"), "target must be"),
        ((*MORPION, "--threads", "-1"), "threads must be"),
        ((*MORPION, "--seed", str(2**64)), "seed must be"),
        ((*MORPION, "--algorithm", "magic"), "'magic'"),
        (
            (*MORPION, "--algorithm", "nrpa", "--bias", "none"),
            "beam-nrpa or beam-search, not for nrpa",
        ),
        ((*MORPION, "--algorithm", "sampling", "--level", "1"), "or beam-nrpa, not for sampling"),
        ((*MORPION, "--smoothing", "1"), "--smoothing requires --prior"),
        (
            (*MORPION, "--algorithm", "nrpa", "--prior-temperature", "1"),
            "--prior-temperature is for",
        ),
        ((*MORPION, "--prior", "missing.json"), "missing.json"),
        ((*MORPION, "--prior", "missing.json", "--bias", "size"), "prior takes the place of"),
        (("verify",), "RUN"),
        (("verify", "missing.json"), "No such file"),
        (("verify", "."), "directory"),
        (("verify", "empty.txt"), "not JSON"),
        (("verify", "list.json"), "not a saved result"),
        (("verify", "/dev/zero"), "not a regular file"),
        (("replay", "object.json"), "not a saved result"),
        (("completion", "tcsh"), "tcsh"),
    ],
)
def test_wrong_use_is_one_line_and_leaves_nothing(
    arguments: tuple[str, ...], message: str, run: Nestor, folder: Path
) -> None:
    (folder / "empty.txt").touch()
    (folder / "list.json").write_text("[]")
    (folder / "object.json").write_text("{}")
    if arguments[0] == "solve" and len(arguments) > 2:
        arguments = (*arguments, "--save", "run.json")
    before = sorted(folder.iterdir())
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert err.startswith("Error: ")
    assert err.count("\n") == 1
    assert len(err) < 400 or "9999" in err
    assert message in err
    assert sorted(folder.iterdir()) == before


@pytest.mark.parametrize(
    ("command", "content"),
    partly(
        [
            *(("solve tsptw", content) for content in (b"12 ", b"1\n", b"x y\n")),
            *(("solve samegame", content) for content in (b"\0", b"7", b"1\n")),
            *(("verify", content) for content in (b"7", b"[", b"\xff")),
        ],
        *(("solve tsptw", b"x y\n"), ("solve samegame", b"7"), ("verify", b"[")),
    ),
)
def test_a_huge_file_is_refused(command: str, content: bytes, run: Nestor, folder: Path) -> None:
    with (folder / "huge").open("wb") as file:
        for _ in range(100):
            file.write(content * ((1 << 20) // len(content)))
    code, out, err = run(*command.split(), "huge")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("Error: huge")
    assert len(err) < 200


@pytest.mark.parametrize(
    ("output", "message"),
    [
        (("--save", "missing/run.json"), "missing does not exist"),
        (("--save", "."), "it is a folder"),
        (("--save", "/proc/run.json"), "cannot write /proc/run.json"),
        (("--save", "/dev/null"), "not a regular file"),
        (("--save", "tour.txt/run.json"), "cannot write"),
        (("--save", "tour.txt"), "is the file of the problem"),
        (("--save", "x" * 300), "too long"),
        (("--save", "a.svg", "--plot", "./a.svg"), "different files"),
        (("--plot", "a.jpg"), "a.jpg: a picture is a file in .svg, .png, .pdf"),
        (("--plot", "a"), "a picture is a file in"),
        (("--plot", "missing/a.svg"), "missing does not exist"),
        (("--save", "run.json", "--plot", "missing/a.svg"), "missing does not exist"),
    ],
)
def test_outputs_are_checked_before_the_search(
    output: tuple[str, ...], message: str, run: Nestor, folder: Path
) -> None:
    before = sorted(folder.iterdir())
    code, out, err = run("solve", "tsptw", "tour.txt", "--seconds", "1e6", *output)
    assert (code, out) == (2, "")
    assert err.startswith("Error: ")
    assert err.count("\n") == 1
    assert message in err
    assert sorted(folder.iterdir()) == before
    assert Path("/dev/null").is_char_device()


@pytest.mark.parametrize("option", ["--save", "--plot", "--checkpoint", "--log", "--initial"])
def test_a_dash_is_no_file(option: str, run: Nestor, folder: Path) -> None:
    code, out, err = run("solve", "morpion", "4D", "--playouts", "5", option, "-")
    assert (code, out) == (2, "")
    assert "'-' is neither standard input nor output here: give the name of a file" in err
    assert not (folder / "-").exists()


def test_the_module_of_a_problem_is_not_replaced(run: Nestor, folder: Path) -> None:
    for option in ("--save", "--checkpoint", "--log"):
        code, out, err = run("solve", "own:Subset", "--seconds", "1e6", option, "own.py")
        assert (code, out) == (2, "")
        assert err == "Error: own.py is the file of the problem and would be replaced\n"


def test_drawing_needs_matplotlib(
    run: Nestor, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    code, out, err = run(*MORPION, "--seconds", "1e6", "--plot", "a.svg")
    assert (code, out) == (2, "")
    assert "nestor[plot]" in err
    assert not (folder / "a.svg").exists()
    assert run(*MORPION, *SMALL, "--save", "run.json").code == 0


def writing_fails(path: Path) -> None:
    """Write as to a full disk."""
    raise InputError(f"cannot write {path}: No space left on device")


def test_a_result_without_room_is_saved_elsewhere(
    run: Nestor, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, save = tmp_path / "elsewhere", Result.save
    whole.mkdir()

    def full(self: Result, path: Path) -> None:
        if path == Path("run.json"):
            writing_fails(path)
        save(self, path)

    monkeypatch.setattr(Result, "save", full)
    monkeypatch.setattr(tempfile, "tempdir", str(whole))
    code, out, err = run(*MORPION, *SMALL, "--save", "run.json")
    assert code == 2
    assert "Next:" not in out
    (spare,) = whole.rglob("run.json")
    message = "cannot write run.json: No space left on device; the result is saved as"
    assert err.endswith(f"Error: {message} {spare}\n")
    assert Result.load(spare).verified
    out = run(*MORPION, *SMALL, "--save", "run.json", "--checkpoint", "run.ckpt").out
    assert out.partition("Next:")[2].count("--save") == 1
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "nowhere"))
    assert run(*MORPION, *SMALL, "--save", "run.json").err.endswith("No space left on device\n")
    again = tmp_path / "again"
    again.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(again))
    monkeypatch.setattr(Result, "save", lambda self, path: writing_fails(path))
    assert run(*MORPION, *SMALL, "--save", "run.json").err.endswith("No space left on device\n")
    assert not list(again.iterdir())


def test_what_fails_to_be_written_does_not_cost_the_rest(
    run: Nestor, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: Any, path: Path, **_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("matplotlib.figure.Figure.savefig", full)
    code, out, err = run(*MORPION, *SMALL, "--quiet", "--plot", "a.svg", "--save", "run.json")
    assert code == 2
    assert "morpion 5D" in out
    assert err == "Error: cannot write a.svg: No space left on device\n"
    assert sorted(path.name for path in folder.iterdir()) == [
        *("boards.txt", "own.py", "puzzle.txt", "run.json", "square.txt", "targets.fasta"),
        *("tour.txt", "words.txt"),
    ]


def test_an_exception_in_a_users_problem(run: Nestor) -> None:
    code, out, err = run("solve", "own:Failing", "--save", "run.json", "--json", "--quiet")
    assert code == 1
    assert json.loads(out)["playouts"] == 49
    assert 'raise ZeroDivisionError("the fiftieth")' in err
    assert err.startswith("Traceback")
    assert "nestor_result" not in err
    assert str(Path(nestor.__file__).parent) not in err
    assert run("verify", "run.json", "--problem", "own:Subset").code == 0


def test_an_exception_on_workers_is_that_of_a_users_problem(run: Nestor, folder: Path) -> None:
    (folder / "broken.py").write_text(
        "import multiprocessing\nimport own\n\nclass Broken(own.Subset):\n    games = 0\n"
        "    def score(self, state):\n        Broken.games += 1\n"
        "        if self.games > 50 and multiprocessing.parent_process():\n"
        "            raise ValueError('the machine')\n        return super().score(state)\n"
    )
    asked = ("--jobs", "2", "--workers", "2", "--playouts", "4000", "--algorithm", "nrpa")
    code, out, err = run("solve", "broken:Broken", *asked, "--save", "a.json", "--json", "--quiet")
    assert (code, json.loads(out)["verified"]) == (1, True)
    assert err.startswith("in process ")
    assert err.endswith("ValueError: the machine\n")
    assert str(Path(nestor.__file__).parent) not in err
    assert run("verify", "a.json", "--problem", "broken:Broken").code == 0


def test_an_exception_in_undo_names_the_check(run: Nestor, folder: Path) -> None:
    text = "    change = 'set'\n    def undo(self, state, move):\n        state.remove(move)\n"
    (folder / "taken.py").write_text(f"import own\n\nclass Taken(own.Subset):\n{text}")
    code, _, err = run("solve", "taken:Taken", "--playouts", "300", "--quiet")
    assert (code, "attribute nestor_result" in err) == (1, False)
    assert err.endswith(
        "each must leave it as it was; `nestor check taken:Taken` says which does not\n"
    )


@pytest.mark.parametrize("name", ["FailingAtOnce", "Unborn"])
def test_an_exception_before_the_first_playout(name: str, run: Nestor, folder: Path) -> None:
    code, out, err = run("solve", f"own:{name}", "--quiet", "--plot", "a.svg")
    assert (code, out) == (1, "")
    assert err.startswith("Traceback")
    assert not (folder / "a.svg").exists()


def test_a_wrong_answer_of_a_users_problem_is_one_line(run: Nestor, folder: Path) -> None:
    with (folder / "own.py").open("a") as own:
        own.write(
            "\n\nclass Nan(Subset):\n    def score(self, state):\n        return float('nan')\n"
        )
    code, out, err = run("solve", "own:Nan", "--quiet")
    told = "Error: own:Nan: score() must return a number, not nan, after the moves ["
    assert (code, out, err[: len(told)], err.count("\n")) == (1, "", told, 1)


def test_what_a_users_problem_prints_is_kept_from_the_json(run: Nestor) -> None:
    code, out, err = run("solve", "own:Loud", *SMALL, "--json", "--quiet", "--save", "run.json")
    assert code == 0
    assert json.loads(out)["playouts"] == 25
    assert err.count("loud") >= 25
    assert json.loads(run("replay", "run.json", "--json", "--trust").out)["steps"]
    assert run("solve", "own:Loud", *SMALL, "--quiet").out.count("loud") >= 25


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda data: data.update(score=data["score"] + 1), "the search said"),
        (lambda data: data["moves"].pop(), "the game is not over"),
        (lambda data: data["moves"].insert(0, data["moves"][-1]), "move 1"),
        (lambda data: data["solution"]["moves"].pop(), "'solution' is not what the moves lead to"),
        (lambda data: data.update(solved=True), "'solved' is not"),
        (lambda data: data.pop("solution"), "'solution' is not"),
    ],
)
def test_a_changed_result_is_found_out(
    change: Callable[[dict[str, Any]], object], message: str, run: Nestor
) -> None:
    run(*MORPION, *SMALL, "--save", "run.json")
    data = json.loads(Path("run.json").read_text())
    change(data)
    Path("run.json").write_text(json.dumps(data))
    code, out, err = run("verify", "run.json")
    assert (code, out) == (1, "")
    assert err.startswith("Error: run.json: ")
    assert err.count("\n") == 1
    assert message in err
    code, out, err = run("verify", "run.json", "--json")
    assert code == 1
    assert json.loads(out)["verified"] is False


def test_why_windows_cannot_be_met_is_printed_once(run: Nestor, folder: Path) -> None:
    (folder / "s.csv").write_text("name,x,y,due\nDepot,0,0,\nA,3,4,1\n")
    tsptw = ("solve", "tsptw", "s.csv", "--playouts", "20", "--quiet")
    for more, reason in ((), "this: stop 1 (A) closes at 1,"), (("--json",), '["stop 1 (A) closes'):
        _, out, err = run(*tsptw, *more)
        assert out.count(reason) == 1
        assert err == "Warning: no solution can meet everything: the result has the reasons\n"


def test_an_illegal_move_is_not_replayed(run: Nestor) -> None:
    run("solve", "own:Subset", *SMALL, "--save", "run.json")
    data = json.loads(Path("run.json").read_text())
    data["moves"][0] = 99
    Path("run.json").write_text(json.dumps(data))
    code, out, err = run("replay", "run.json", "--problem", "own:Subset")
    assert (code, out) == (1, "")
    assert err == "Error: move number 1 (99) is not legal\n"


def test_a_schedule_is_written_in_the_dialect_of_the_stops(run: Nestor, folder: Path) -> None:
    table = "name;x;y;due\nDepot;0;0;\n=a;1;1;\nB,c;-0,5;1;99\n"
    tsptw = ("solve", "tsptw", "s.csv", "--playouts", "20", "--csv", "tour.csv")
    told = []
    for stops in table, table.replace("0,5", "0.5"), table.replace(",", ".").replace(";", ","):
        (folder / "s.csv").write_text(stops)
        assert run(*tsptw).code == 0
        told.append((folder / "tour.csv").read_text())
    semicolons, points, commas = told
    header, *rows = semicolons.splitlines()
    assert header.startswith("\ufefforder;stop;name;arrival;")
    assert {row.split(";")[2] for row in rows} == {"Depot", "'=a", "B,c"}
    assert ";1,414214;" in semicolons or ";1,118034;" in semicolons
    assert points == semicolons.replace(",", ".").replace("B.c", "B,c")
    assert commas == points[1:].replace("B,c", "B.c").replace(";", ",")
    for tour in commas, semicolons:
        (folder / "tour.csv").write_text(tour)
        assert run(*tsptw, "--initial", "tour.csv").code == 0


def test_columns_that_nothing_uses_are_in_the_schedule(run: Nestor, folder: Path) -> None:
    table = "name;x;y;due;Phone;penalty;late\nDepot;0;0;;;;\nA;1;1;;=030;;no\nB;9;9;5;-;0;yes\n"
    (folder / "s.csv").write_text(table)
    tsptw = ("solve", "tsptw", "s.csv", "--playouts", "20", "--csv", "tour.csv")
    assert run(*tsptw).code == 0
    lines = (folder / "tour.csv").read_text().splitlines()
    assert lines[0].endswith(";slack;late;Phone;late (table)")
    assert [line.split(";")[-2:] for line in lines[1:]] == [
        *(["", ""], ["'=030", "no"], ["", ""], ["", "yes"])
    ]
    assert lines[-1].startswith("left out;2;B;")
    assert run(*tsptw, "--initial", "tour.csv").code == 0


def test_a_saved_tour_is_written_as_a_schedule(run: Nestor, folder: Path) -> None:
    (folder / "s.csv").write_text("name,x,y,due\nDepot,0,0,\nMill,3,4,9:00\nFarm,5,4,\n")
    tsptw = ("solve", "tsptw", "s.csv", "--playouts", "20", "--save", "run.json")
    assert run(*tsptw, "--csv", "tour.csv").code == 0
    assert run("replay", "run.json", "--csv", "again.csv").out == "written again.csv\n"
    assert (folder / "again.csv").read_bytes() == (folder / "tour.csv").read_bytes()
    for command in (tsptw, ("replay", "run.json")):
        code, _, err = run(*command, "--csv", "tour.xlsx")
        assert (code, "tour.xlsx: a schedule is written as CSV: name it tour.csv" in err) == (
            2,
            True,
        )
    assert run("solve", "latin", "square.txt", "--playouts", "20", "--save", "latin.json").code == 0
    code, _, err = run("replay", "latin.json", "--csv", "latin.csv")
    assert (code, "--csv: latin has no solutions that are tables" in err) == (2, True)


def test_replay_boards(run: Nestor) -> None:
    run(*MORPION, *SMALL, "--save", "run.json")
    code, out, _ = run("replay", "run.json", "--boards")
    assert code == 0
    assert out.count("After move ") == int(Result.load("run.json").score)
    run("solve", "tsptw", "tour.txt", *SMALL, "--save", "run.json")
    code, out, err = run("replay", "run.json", "--boards")
    assert (code, out) == (2, "")
    assert err == "Error: --boards: tsptw has no picture of a part\n"


def test_a_label_cannot_break_the_line(run: Nestor) -> None:
    code, _, err = run("solve", "tsptw", "no\nsuch\x1b[31mfile")
    assert code == 2
    assert err.count("\n") == 1
    assert "\x1b" not in err
