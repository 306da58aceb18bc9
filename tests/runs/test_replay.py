"""The page that replays a result."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

import nestor
from nestor import NRPA, Result
from nestor.plot import replay
from nestor.plot.page import page_data
from nestor.problems import RNA, TSPTW, Crossword, Kakuro, LatinSquare, Morpion, SameGame
from nestor.problems.own import adapt
from nestor.problems.tsptw import draw, labels
from support.browser import Parts, in_browser, in_engine
from support.commands import SMALL, Nestor
from support.instances import SMALL_BOARD, small_tsptw
from support.own import Subset

NAMES = ["</script><script>alert(1)</script>", "Mill & Söhne", "\u2028", "Farm"]


def town() -> TSPTW:
    """Return an instance whose names are hard to write into a page."""
    return TSPTW.from_coordinates(
        [(0, 0), (3, 4), (6, 8), (0, 8)], [None] * 4, service=5, names=[n + "x" for n in NAMES]
    )


PROBLEMS: dict[str, Callable[[], Any]] = {
    "tsptw": small_tsptw,
    "town": town,
    "samegame": lambda: SameGame(SMALL_BOARD),
    "morpion": lambda: Morpion("5D"),
    "crossword": lambda: Crossword(["mercury", "venus", "earth", "mars"], size=8),
    "latin": lambda: LatinSquare([[1, 0, 0], [0, 0, 0], [0, 0, 0]], hidden_singles=False),
    "kakuro": lambda: Kakuro.generate(4, 5, seed=1),
    "rna": lambda: RNA("((((....))))"),
    "own": Subset,
}
every = pytest.mark.parametrize("name", PROBLEMS)


def solved(name: str) -> Result:
    """Return a result of a short search."""
    if name == "rna":
        pytest.importorskip("RNA")
    return nestor.solve(PROBLEMS[name](), NRPA(2, 10), seed=1)


@every
def test_the_page_loads_nothing_and_has_all_moves(name: str, tmp_path: Path) -> None:
    result = solved(name)
    replay(result, tmp_path / "replay.html")
    text = (tmp_path / "replay.html").read_text(encoding="utf-8")
    page = Parts(text)
    data = json.loads(page.scripts[0])
    assert len(page.scripts) == 2
    loaded = [value for key, value in page.attributes if key in ("src", "href", "action")]
    assert loaded == ["data:,"]
    assert "default-src 'none'" in text
    assert re.findall(r"https?://[^\"]*", text) == ["http://www.w3.org/2000/svg"] * 2
    assert not re.search(
        r"fetch|XMLHttpRequest|import\s*\(|@import|url\(|WebSocket", page.scripts[1]
    )
    assert len(data["moves"]) == len(result.moves) + 1
    assert data["moves"][-1]["caption"].endswith(f"score {result.show_score(result.score)}")
    assert data["score"] == result.score
    for step in (*data["moves"], *data["improvements"]):
        assert max(data["pictures"][step["picture"]]["shapes"], default=0) < len(data["shapes"])


@every
def test_the_last_picture_is_that_of_the_solution(name: str) -> None:
    result = solved(name)
    data = page_data(result)
    last = data["pictures"][data["moves"][-1]["picture"]]
    if name != "samegame":  # whose picture has the whole game
        assert last["title"] == result.solution.picture().title
        assert len(last["shapes"]) == len(result.solution.picture().shapes)
    if name != "crossword":
        bounds = {tuple(data["pictures"][step["picture"]]["bounds"]) for step in data["moves"]}
        assert len(bounds) == 1


def test_the_names_of_a_tour_are_placed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    placed = Mock(side_effect=labels.labels)
    monkeypatch.setattr(draw, "labels", placed)
    places = [(0, 0), (5, 1), (2, 7), (9, 4), (4, 4), (8, 8)]
    problem = TSPTW.from_coordinates(places, [None] * 6, names=list("ABCDEF"))
    result = nestor.solve(problem, NRPA(1, 20), playouts=20, seed=1)
    assert len(page_data(result)["improvements"]) > 1
    assert placed.call_count == 1


@pytest.mark.parametrize("name", [name for name in PROBLEMS if name != "own"])
def test_improvements_have_their_moves(name: str, tmp_path: Path) -> None:
    result = solved(name)
    kept = [found for found in result.improvements if found.moves is not None]
    assert kept
    problem: Any = result.problem
    for found in kept:
        assert problem.solution(found.moves).score == pytest.approx(found.score)
    assert kept[-1].moves == result.moves
    result.save(tmp_path / "run.json")
    loaded = Result.load(tmp_path / "run.json")
    again = [found.moves for found in loaded.improvements]
    assert again == [found.moves for found in result.improvements]
    assert page_data(loaded)["improvements"] == page_data(result)["improvements"]
    assert len(page_data(result)["improvements"]) == len(kept)


@pytest.mark.parametrize("algorithm", [NRPA(2, 30), None])
def test_improvements_of_a_problem_in_python_have_their_moves(algorithm: Any) -> None:
    problem = Subset()
    result = nestor.solve(problem, algorithm, playouts=500, seed=1)
    kept = [found for found in result.improvements if found.moves is not None]
    assert len(kept) == min(10, len(result.improvements)) > 1
    for found in kept:
        assert adapt(problem).solution(found.moves or ()).score == found.score
    assert kept[-1].moves == result.moves
    assert len(page_data(result)["improvements"]) == len(kept)
    short = nestor.solve(problem, NRPA(1, 49), seed=1)
    assert {found.moves for found in short.improvements} == {None}


def test_moves_are_kept_of_the_last_improvements_only() -> None:
    results = [nestor.solve(Morpion("5D"), NRPA(3, 20), seed=1, threads=n) for n in (1, 2)]
    result = results[0]
    known = [found.moves is not None for found in result.improvements]
    assert sum(known) <= 20
    assert known == sorted(known)
    assert [found.moves for found in results[1].improvements] == [
        found.moves for found in result.improvements
    ]


def test_moves_of_improvements_survive_a_stop(tmp_path: Path) -> None:
    problem, path = Morpion("5D"), tmp_path / "run.ckpt"
    whole = nestor.solve(problem, NRPA(2, 30), seed=1, playouts=700)
    nestor.solve(problem, NRPA(2, 30), seed=1, playouts=300, checkpoint=path)
    resumed = nestor.resume(path, playouts=700)
    assert [found.moves for found in resumed.improvements] == [
        found.moves for found in whole.improvements
    ]


def test_long_games_are_shown_in_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nestor.plot.page.MOST", 10)
    data = page_data(solved("morpion"))
    assert len(data["moves"]) == 11
    assert data["moves"][-1]["caption"].startswith("All")


def test_the_command_writes_the_page(run: Nestor) -> None:
    assert run("solve", "morpion", "5D", "--playouts", "20", "--save", "run.json").code == 0
    done = run("replay", "run.json", "--html", "replay.html")
    assert (done.code, done.out) == (0, "written replay.html\n")
    assert Path("replay.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert run("replay", "run.json", "--html", "no/folder.html").code == 2


STEPS = """
const seen = [];
const look = () => seen.push([document.getElementById("caption").textContent,
  document.querySelectorAll("#picture > *").length]);
const press = (key) => {
  document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
  look();
};
look();
for (const key of KEYS) press(key);
const slider = document.getElementById("moves");
slider.value = 1;
slider.dispatchEvent(new Event("input"));
look();
document.getElementById("last").click();
look();
"""
LAYOUT = """
const page = document.documentElement;
return { seen, requests: performance.getEntriesByType("resource").length,
  width: innerWidth, overflow: page.scrollWidth - page.clientWidth,
  ground: getComputedStyle(document.body).backgroundColor,
  ink: getComputedStyle(document.body).color,
  title: document.title, scripts: document.scripts.length };
"""
KEYS = ["Home", "ArrowRight", "ArrowRight", "ArrowLeft", "ArrowLeft", "ArrowLeft", "End"]
SCRIPT = STEPS.replace("KEYS", json.dumps([*KEYS, "ArrowUp", "ArrowDown"]))
PLAYED = """
document.body.dispatchEvent(new KeyboardEvent("keydown", { key: " ", bubbles: true }));
const captions = [], caption = document.getElementById("caption");
captions.push(caption.textContent);
while (timers.size) { tick(); captions.push(caption.textContent); }
return { captions, title: document.title, value: document.getElementById("moves").value };
"""


@every
def test_keys_sliders_and_buttons_move_through_it(name: str, tmp_path: Path) -> None:
    """Without a browser: the script of the page runs all the same."""
    result = solved(name)
    replay(result, tmp_path / "replay.html")
    data = page_data(result)
    check_steps(in_engine(tmp_path / "replay.html", f"{SCRIPT} return seen;"), data)
    played = in_engine(tmp_path / "replay.html", PLAYED)
    assert played["captions"] == [step["caption"] for step in data["moves"]]
    assert played["captions"][-1].endswith(f"score {result.show_score(result.score)}")
    assert played["title"] == result.heading
    assert int(played["value"]) == len(result.moves)


def test_in_a_browser(tmp_path: Path) -> None:
    check_in_browser(solved("town"), tmp_path)


@pytest.mark.long
@every
def test_every_problem_in_a_browser(name: str, tmp_path: Path) -> None:
    check_in_browser(solved(name), tmp_path)


def check_steps(seen: list[tuple[str, int]], data: dict[str, Any]) -> None:
    """Check the captions and the numbers of shapes that were seen after each step of the script."""
    captions = [step["caption"] for step in data["moves"]]
    last = len(captions) - 1
    numbers = [last, 0, min(1, last), min(2, last), min(1, last), 0, 0, last]
    assert [caption for caption, _ in seen[:8]] == [captions[k] for k in numbers]
    improvements = [step["caption"] for step in data["improvements"]]
    if improvements:
        assert seen[8][0] == improvements[-1]
        assert seen[9][0] == improvements[max(len(improvements) - 2, 0)]
    assert [caption for caption, _ in seen[10:]] == [captions[min(1, last)], captions[-1]]
    shapes = [len(data["pictures"][step["picture"]]["shapes"]) for step in data["moves"]]
    assert [count for _, count in seen[:8]] == [shapes[k] for k in numbers]


def check_in_browser(result: Result, folder: Path) -> None:
    """Step through the page of a result, wide and narrow, light and dark."""
    replay(result, folder / "replay.html")
    for width, dark in ((1200, False), (400, True)):
        found = in_browser(folder / "replay.html", SCRIPT + LAYOUT, width=width, dark=dark)
        check_steps(found["seen"], page_data(result))
        assert found["requests"] == 0
        assert found["width"] == width
        assert found["overflow"] <= 0
        assert found["title"] == result.heading
        assert found["scripts"] == 3
        light = [sum(map(int, re.findall(r"\d+", found[each])[:3])) for each in ("ground", "ink")]
        assert (light[0] < light[1]) is dark
        assert abs(light[0] - light[1]) > 400


def test_a_move_that_is_none_is_replayed(run: Nestor, folder: Path) -> None:
    (folder / "passes.py").write_text(
        "class Passes:\n"
        "    def initial(self): return 0\n"
        "    def moves(self, state): return [None] if state < 3 else []\n"
        "    def play(self, state, move): return state + 1\n"
        "    def score(self, state): return state\n"
    )
    assert run("solve", "passes:Passes", *SMALL, "--save", "run.json").code == 0
    code, out, err = run("replay", "run.json", "--problem", "passes:Passes")
    assert (code, err) == (0, "")
    assert "1. None/1" in out
