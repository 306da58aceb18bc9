"""`nestor compare`: the quick case, a file, and what is wrong with either."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from nestor import NRPA, BeamNRPA, InputError, Runs, compare
from nestor.problems import Morpion
from support.commands import Nestor

SPEC = """
playouts = 30
seeds = [4, 5]
save = "runs.jsonl"
[problems]
"4D" = "morpion 4D"
mine = "own:Subset"
[algorithms]
"NRPA 2" = "nrpa --level 2 --iterations 5"
beam = "beam-nrpa --level 2 --iterations 5 --beam 2"
"""


@pytest.fixture
def spec(folder: Path) -> Path:
    path = folder / "spec.toml"
    path.write_text(SPEC)
    return path


def test_the_quick_case(run: Nestor) -> None:
    words = "tsptw tour.txt --no-selective --algorithms nrpa,sampling --seeds 3 --playouts 20"
    code, out, err = run("compare", *words.split(), "--quiet", "--save", "runs.jsonl")
    assert (code, err) == (0, "")
    assert out.startswith("tour.txt\n")
    assert "Mann-Whitney" in out
    _, out, _ = run("compare", *words.split(), "--quiet", "--baseline", "sampling")
    assert "against sampling" in out
    assert [row["seed"] for row in Runs.load("runs.jsonl")] == [0, 1, 2] * 2


def test_a_file(run: Nestor, spec: Path) -> None:
    code, out, err = run("compare", "spec.toml", "--quiet", "--plot", "runs.svg")
    assert (code, err) == (0, "")
    made = Runs.load("runs.jsonl")
    assert (made.problems, made.algorithms) == (["4D", "mine"], ["NRPA 2", "beam"])
    algorithms = {"NRPA 2": NRPA(2, 5), "beam": BeamNRPA(2, 5, beam=2)}
    same = compare({"4D": Morpion("4D")}, algorithms, seeds=[4, 5], playouts=30)
    assert made.of("4D").scores == same.scores
    assert "<svg" in Path("runs.svg").read_text()
    before = Path("runs.jsonl").read_bytes()
    assert run("compare", "spec.toml", "--quiet")[1] == out
    assert Path("runs.jsonl").read_bytes() == before


def test_a_problem_is_no_baseline(run: Nestor, spec: Path) -> None:
    code, out, err = run("compare", "spec.toml", "--baseline", "mine")
    assert (code, out) == (2, "")
    assert "an algorithm, 'NRPA 2' or 'beam', not the problem 'mine'" in err
    assert not Path("runs.jsonl").exists()


def test_json(run: Nestor, spec: Path) -> None:
    code, out, _ = run("compare", "spec.toml", "--json")
    assert code == 0
    found = json.loads(out)
    assert (found["runs"], found["failed"]) == (8, 0)
    assert {each["algorithm"] for each in found["problems"]["mine"]} == {"NRPA 2", "beam"}


def test_workers(run: Nestor, spec: Path) -> None:
    _, out, _ = run("compare", "spec.toml", "--quiet")
    Path("runs.jsonl").unlink()
    assert run("compare", "spec.toml", "--quiet", "--workers", "2") == (0, out, "")


@pytest.mark.parametrize("words", ["compare", "compare tsptw", "compare spec.toml"])
def test_help(words: str, run: Nestor, spec: Path) -> None:
    code, out, err = run(*words.split(), "--help")
    assert (code, err) == (0, "")
    assert max(map(len, out.splitlines())) <= 80


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("compare", "a problem or a file is missing"),
        ("compare none.toml", "none.toml: cannot be read"),
        ("compare morpion 4D --playouts 9", "Missing option '--algorithms'"),
        ("compare morpion 4D --algorithms nrpa", "a budget for 4D: playouts or seconds"),
        ("compare morpion 4D --algorithms nrap --playouts 9", "algorithms: "),
        ("compare morpion 4D --algorithms nrpa,nrpa --playouts 9", "there are 2 of 'nrpa'"),
        ("compare morpion 4D --algorithms nrpa --playouts 9 --save no/a.jsonl", "no/a.jsonl: "),
        ("compare morpion 4D --algorithms nrpa --playouts 9 --seeds 0", "seeds must be 1"),
        ("compare morpion 4D --algorithms nrpa --playouts 9 --plot a.gif", "a.gif"),
        ("compare morpion 4D --algorithms nrpa --playouts 9 --save .", "cannot write"),
        ("compare morpion 4D --algorithms nrpa --playouts 9 --workers 0", "workers must be"),
        (
            "compare morpion 4D --algorithms nrpa --playouts 9 --workers 2 --scheduler a",
            "combined with",
        ),
        ("compare morpion 4D --algorithms nrpa --playouts 9 --baseline nmcs", "baseline must be"),
        ("compare chess --algorithms nrpa --playouts 9", "chess"),
    ],
)
def test_wrong_use(words: str, message: str, run: Nestor) -> None:
    code, out, err = run(*words.split())
    assert (code, out) == (2, "")
    assert err.startswith("Error: ")
    assert message in err
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("playouts = 30", "playouts = 30, 40", "spec.toml: not TOML"),
        ("playouts = 30", "plaiouts = 30", "'plaiouts'"),
        ("playouts = 30", "", "there must be a budget for 4D"),
        ("playouts = 30", 'playouts = "many"', "playouts must be an integer, not 'many'"),
        ("seeds = [4, 5]", "seeds = []", "at least one seed"),
        ("morpion 4D", "morpion 4E", "problems.4D: "),
        ("morpion 4D", "chess", "problems.4D: the problem must be one of"),
        ("morpion 4D", "morpion 4D --size 3", "problems.4D: No such option"),
        ("morpion 4D", "morpion '4D", "problems.4D: No closing quotation"),
        ('"morpion 4D"', "3", "problems.4D must be a string"),
        ("own:Subset", "own:Missing", "problems.mine: "),
        ("own:Subset", "own:Subset --size 3", "problems.mine: own:Subset takes no options"),
        ("--level 2", "--levl 2", "algorithms.NRPA 2: No such option"),
        ("--level 2", "--level 0", "algorithms.NRPA 2: level must be"),
        ("nrpa --level", "nrap --level", "algorithms.NRPA 2: "),
        ("[algorithms]", "[problems.more]", "problems.more must be a string"),
    ],
)
def test_a_wrong_file(old: str, new: str, message: str, run: Nestor, spec: Path) -> None:
    spec.write_text(SPEC.replace(old, new, 1))
    code, out, err = run("compare", "spec.toml", "--quiet")
    assert (code, out) == (2, "")
    assert err.startswith("Error: ")
    assert message in err
    assert len(err.splitlines()) == 1


def test_failures_are_told(run: Nestor, folder: Path) -> None:
    text = (folder / "own.py").read_text()
    (folder / "own.py").write_text(
        f"{text}\n\nclass Bad(Subset):\n    def score(self, state):\n        1 / 0\n"
    )
    words = "compare own:Bad --algorithms nrpa --seeds 1 --playouts 9 --quiet"
    code, out, err = run(*words.split())
    assert code == 1
    assert "1 failed" in out
    assert err.startswith(
        "Failed: Bad, nrpa, seed 0: ZeroDivisionError: division by zero (own.py, "
    )


WORDS = "compare morpion 4D --algorithms nrpa,sampling --seeds 2 --playouts 20 --quiet"
QUICK = tuple(WORDS.split())


def test_without_the_extra_there_are_scores_but_no_statistics(
    run: Nestor, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "scipy", None)
    code, out, err = run(*QUICK, "--json", "--save", "runs.jsonl")
    assert (code, out) == (2, "")
    assert "needs the extra 'compare'" in err
    assert not Path("runs.jsonl").exists()
    code, out, err = run(*QUICK, "--save", "runs.jsonl")
    assert (code, out.count("4D, sampling, seed ")) == (0, 2)
    assert "needs the extra 'compare'" in err


@pytest.mark.parametrize("words", [[], ["--json"]])
def test_a_failed_picture_leaves_the_table(
    words: list[str], run: Nestor, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, table, _ = run(*QUICK, *words)

    def full(*_: object) -> None:
        raise InputError("cannot write runs.svg: No space left on device")

    monkeypatch.setattr(Runs, "plot", full)
    code, out, err = run(*QUICK, *words, "--plot", "runs.svg")
    assert (code, out) == (2, table)
    assert err == "Error: cannot write runs.svg: No space left on device\n"


def test_scores_without_a_json_form_are_shown_all_the_same(run: Nestor, folder: Path) -> None:
    text = (folder / "own.py").read_text()
    (folder / "own.py").write_text(
        f"{text}\n\nclass Hopeless(Subset):\n    def score(self, state):\n"
        "        return float('-inf')\n"
    )
    words = "compare own:Hopeless --algorithms nrpa --seeds 1 --playouts 9 --quiet --json"
    code, out, err = run(*words.split())
    assert (code, out) == (2, "")
    assert "Hopeless\n" in err
    assert "has no JSON form" in err.splitlines()[-1]


@pytest.mark.parametrize(("lost", "code"), [(True, 1), (False, 130)])
def test_the_code_of_a_comparison_that_ended_early(
    lost: bool, code: int, run: Nestor, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    unmade = [("5D", "nrpa", 0), ("5D", "nrpa", 1)]
    monkeypatch.setattr("nestor.cli.comparing.compare", lambda *_, **__: Runs([], unmade, lost))
    assert run(*QUICK) == (code, "no run is complete\n", "Missing: 5D, all 2 runs\n")


def test_a_file_may_have_families(
    folder: Path, run: Nestor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    text = 'playouts = 20\nseeds = 2\n[problems]\ngames = ["morpion 4D", "morpion 4T"]\n'
    (folder / "spec.toml").write_text(text + '[algorithms]\na = "nmcs --level 1"\nb = "sampling"\n')
    found = run("compare", "spec.toml", "--json", "-q")
    assert found.code == 0, found.err
    data = json.loads(found.out)
    assert set(data["problems"]) == {"games/4D", "games/4T"}
    assert {each["algorithm"] for each in data["families"]["games"]} == {"a", "b"}
    assert data["families"]["games"][0]["pairs"] == 4
    (folder / "spec.toml").write_text(text + '[algorithms]\na = ["nmcs"]\n')
    wrong = run("compare", "spec.toml", "-q")
    assert wrong.code == 2
    assert "algorithms.a" in wrong.err
