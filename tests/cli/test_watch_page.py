"""The page of `nestor watch --html`: whole, safe, and readable in a browser."""

from __future__ import annotations

import json
import re
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest

import nestor
from nestor.algorithms import from_dict
from nestor.algorithms.own import OWN as OWN_ALGORITHMS
from nestor.cli.watch_best import Best
from nestor.cli.watch_page import Run, write
from nestor.problems import Morpion
from nestor.problems.own import adapt
from nestor.runs.checkpoint import Checkpoint
from nestor.runs.elsewhere.segments import Setup
from nestor.solving import standing
from support.browser import in_browser
from support.commands import MORPION, SMALL, Nestor

OWN = """
class Own:
    def initial(self):
        return ()

    def moves(self, state):
        return [0, 1, 2] if len(state) < 6 else []

    def play(self, state, move):
        return (*state, move)

    def score(self, state):
        return sum(state)
"""


def line(job: int, playouts: int, seconds: float, score: float) -> dict[str, float]:
    return {"job": job, "level": 1, "playouts": playouts, "seconds": seconds, "score": score}


def log(path: Path, *lines: dict[str, Any]) -> None:
    path.write_text("".join(json.dumps(each) + "\n" for each in lines))


def test_each_job_has_a_curve_and_runs_stand_side_by_side(run: Nestor, folder: Path) -> None:
    log(folder / "a.jsonl", line(0, 1, 0.1, 5), line(1, 1, 0.2, 4), line(1, 9, 3.0, 8))
    log(folder / "b.jsonl", line(0, 1, 0.1, 5), line(0, 4, 1.0, 2.5))
    code, out, err = run("watch", "a.jsonl", "b.jsonl", "--html", "page.html", "--once")
    assert (code, out, err) == (0, "written page.html\n", "")
    page = (folder / "page.html").read_text()
    assert page.count("<section>") == 2
    assert page.count("<polyline") == 3
    assert "best 8 after" in page
    assert "best 2.5 after" in page
    assert 'http-equiv="refresh"' not in page  # it was written once and for all
    assert "http:" not in page.replace("http-equiv", "")
    assert "<script" not in page


def test_runs_of_one_problem_have_the_same_axes(run: Nestor, folder: Path) -> None:
    def axes(page: str) -> list[list[str]]:
        sections = page.split("<section>")[1:]
        return [re.findall(r"<text [^>]*>(.*?)</text>", each) for each in sections]

    names = ["a.jsonl", "b.jsonl", "c.jsonl", "old.jsonl", "older.jsonl"]
    for name, score, problem in zip(names, (5, 8, 7, 3, 4), "AAB??", strict=True):
        known: dict[str, Any] = {} if problem == "?" else {"problem": problem}
        log(folder / name, *(known | line(0, k, 0.1 * k * score, k + score) for k in (1, 9)))
    assert run("watch", *names, "--html", "page.html", "--once").code == 0
    first, second, *others = axes((folder / "page.html").read_text())
    assert first == second == ["6", "17", "0.500 s", "7.20 s", "time, logarithmic"]
    assert [each[:2] for each in others] == [["8", "16"], ["4", "12"], ["5", "13"]]


def test_the_page_of_a_run_is_renewed_whole(run: Nestor, folder: Path) -> None:
    run(*MORPION, *SMALL, "--log", "run.jsonl")
    assert run("watch", "run.jsonl", "--html", "page.html", "--once").code == 0
    assert "NaN" not in (folder / "page.html").read_text()
    assert run("watch", "run.jsonl", "--html", "no/page.html", "--once").code == 2
    assert run("watch", "run.jsonl", "run.jsonl", "--once").code == 2
    assert run("watch", "--once").code == 2
    assert sorted(path.suffix for path in folder.glob("page*")) == [".html"]


def test_names_are_text_and_extreme_scores_are_drawn(tmp_path: Path) -> None:
    extreme = [line(0, 1, 0.0, -1.7e308), line(0, 2, 1e17, 1.7e308)]
    bad = '<script>alert(1)</script>"&\x1b[31m'
    write(tmp_path / "page.html", [Run(bad, extreme, extreme), Run("empty", [], [])], 5)
    page = (tmp_path / "page.html").read_text()
    assert "<script" not in page
    assert "\x1b" not in page
    assert "no improvement yet" in page
    assert '<meta http-equiv="refresh" content="5">' in page
    svg = page[page.index("<svg") : page.index("</svg>") + 6]
    tree = ElementTree.fromstring(svg)
    for curve in tree.iter("polyline"):
        for point in curve.attrib["points"].split():
            across, down = map(float, point.split(","))
            assert 0 <= across <= 640
            assert 0 <= down <= 260


def test_it_fits_a_telephone_and_a_window_light_and_dark(tmp_path: Path) -> None:
    lines = [line(job, k, 0.5 * k, 10 * k + job) for k in range(1, 9) for job in range(6)]
    best = [each for each in lines if each["job"] == 5]
    page = tmp_path / "page.html"
    write(page, [Run("one.jsonl", lines, best), Run("two", lines, best)], 0)
    # The page allows no script: that of the test needs leave.
    page.write_text(page.read_text().replace("default-src 'none'", "default-src 'unsafe-inline'"))
    script = """
        const style = getComputedStyle(document.body);
        return [document.documentElement.scrollWidth <= innerWidth,
          document.querySelectorAll("polyline").length, style.backgroundColor];
    """
    for width in (360, 1000):
        for dark in (False, True):
            fits, curves, ground = in_browser(page, script, width=width, dark=dark)
            assert fits
            assert curves == 12
            assert ground == ("rgb(21, 24, 28)" if dark else "rgb(255, 255, 255)")


def test_the_best_solution_is_drawn_and_replayed(run: Nestor, folder: Path) -> None:
    watch = ["watch", "run.jsonl", "--checkpoint", "run.ckpt", "--html", "page.html", "--once"]
    log(folder / "run.jsonl", line(0, 1, 0.1, 5))
    assert run(*watch).code == 0
    assert "<figure>" not in (folder / "page.html").read_text()  # no checkpoint yet
    (folder / "run.jsonl").unlink()

    run(*MORPION, *SMALL, "--log", "run.jsonl", "--checkpoint", "run.ckpt")
    before = (folder / "run.ckpt").read_bytes()
    assert run(*watch).code == 0
    best = nestor.resume(folder / "run.ckpt", playouts=1)
    page, replayed = ((folder / name).read_text() for name in ("page.html", "page-run.html"))
    assert f"Score {best.shown}, from run.ckpt after" in page
    assert 'href="page-run.html"' in page
    assert f"All {len(best.moves)} moves" in replayed
    (folder / "run.ckpt").write_bytes(before)
    script = "const [image] = document.images; return image.naturalWidth > 100;"
    (folder / "page.html").write_text(
        page.replace("default-src 'none'", "default-src 'unsafe-inline'")
    )
    assert in_browser(folder / "page.html", script)


def test_the_first_page_does_not_wait_for_a_picture(
    run: Nestor, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def update(best: Best) -> bool:
        assert best.page.exists()
        raise KeyboardInterrupt

    monkeypatch.setattr(Best, "update", update)
    log(folder / "run.jsonl", line(0, 1, 0.1, 5))
    words = ("--checkpoint", "run.ckpt", "--html", "page.html", "--every", "1000")
    assert run("watch", "run.jsonl", *words).code == 0


def test_a_new_checkpoint_is_drawn_again(folder: Path) -> None:
    best = Best(folder / "run.ckpt", folder / "page.html")
    assert not best.update()
    figures = set()
    for seed in (1, 2):
        nestor.solve(Morpion("4D"), playouts=40, seed=seed, checkpoint="run.ckpt")
        assert best.update()
        assert not best.update()
        figures.add(best.figure)
        (folder / "run.ckpt").unlink()
        assert not best.update()  # what was drawn stays
        assert best.figure in figures
    assert len(figures) == 2


def test_a_checkpoint_that_cannot_be_drawn(run: Nestor, folder: Path) -> None:
    log(folder / "run.jsonl", line(0, 1, 0.1, 5))
    (folder / "run.ckpt").write_text("no checkpoint")
    given = ["watch", "run.jsonl", "--html", "page.html", "--once"]
    code, _, err = run(*given, "--checkpoint", "run.ckpt")
    assert code == 2
    assert "run.ckpt: not a checkpoint" in err
    assert run(*given, "--checkpoint", "run.jsonl/x").err.count("\n") == 1
    code, _, err = run(*given, "--checkpoint", ".")
    assert code == 2
    assert err.startswith("Error: ")
    assert run(*given, "--checkpoint", "a", "--checkpoint", "b").code == 2
    assert run("watch", "run.jsonl", "--checkpoint", "run.ckpt").code == 2
    (folder / "mine.py").write_text(OWN)
    (folder / "run.ckpt").unlink()
    run("solve", "mine:Own", "--playouts", "50", "--checkpoint", "run.ckpt")
    code, _, err = run(*given, "--checkpoint", "run.ckpt")
    assert code == 2
    assert err.startswith("Error: run.ckpt: ")
    assert run(*given[:-1], "--checkpoint", "run.ckpt") == (2, "", err)
    assert not (folder / "page.html").exists()
    assert run(*given, "--checkpoint", "run.ckpt", "--problem", "mine:Own").code == 0
    assert "<figure>" in (folder / "page.html").read_text()


ALGORITHM = """
import nestor
from nestor.research import playout


@nestor.algorithm
def sampled(search, problem, policy, level, key, *, tries=20):
    found = []
    for i in range(tries):
        found.append(playout(problem, policy, key=key, first=i))
        search.record("scores", [each.score for each in found])
        yield i
    return max(found, key=lambda each: each.score)
"""


def test_a_page_needs_no_algorithm_and_no_time(run: Nestor, folder: Path) -> None:
    (folder / "mine.py").write_text(OWN)
    (folder / "ours.py").write_text(ALGORITHM)
    files = ("--checkpoint", "run.ckpt", "--log", "run.jsonl")
    assert (
        run("solve", "mine:Own", "--algorithm", "ours:sampled", "--playouts", "200", *files).code
        == 0
    )
    (folder / "ours.py").unlink()
    OWN_ALGORITHMS.pop("ours:sampled", None)
    sys.modules.pop("ours", None)
    watch = ("watch", "run.jsonl", "--checkpoint", "run.ckpt", "--html", "page.html", "--once")
    assert run(*watch, "--problem", "mine:Own") == (0, "written page.html\n", "")
    assert "<figure>" in (folder / "page.html").read_text()


def test_a_limit_that_was_reached_before_is_not_late(run: Nestor, folder: Path) -> None:
    (folder / "mine.py").write_text(OWN)
    run("solve", "mine:Own", "--seconds", "2.5", "--checkpoint", "run.ckpt")
    told = run("resume", "run.ckpt", "--problem", "mine:Own", "--seconds", "0.1", "--quiet")
    assert (told.code, told.err.count("\n")) == (0, 1)
    assert told.err.startswith("Warning: nothing was left to do: limits are for the whole run")


def test_a_page_needs_no_model(folder: Path) -> None:
    guided = nestor.GNRPA(2, 10, bias=nestor.BatchBias(lambda batch: batch["code"] * 0.0, width=4))
    result = nestor.solve(Morpion("4D"), guided, playouts=80, checkpoint="run.ckpt")
    drawn = standing(folder / "run.ckpt")
    assert drawn is not None
    assert drawn.moves == result.moves


def test_a_checkpoint_without_a_playout_has_no_page(folder: Path) -> None:
    nestor.solve(Morpion("4D"), playouts=5, checkpoint="run.ckpt")
    saved = Checkpoint.read(folder / "run.ckpt")
    empty = Setup(adapt(Morpion("4D")), from_dict(saved.asked["algorithm"]), 0).search(1)
    Checkpoint(saved.asked, empty.save()).write(folder / "run.ckpt")
    best = Best(folder / "run.ckpt", folder / "page.html")
    assert not best.update()
    assert not best.figure
