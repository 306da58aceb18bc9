"""`nestor watch`: what it shows of a log, and that it follows one that grows."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from nestor.cli.watching import Log, curve
from nestor.text import format_rate
from support.commands import HOUR, MORPION, TSPTW, Nestor, process


def line(score: float, seconds: float = 1.0, job: int = 0) -> str:
    return json.dumps({"job": job, "playouts": 10, "seconds": seconds, "score": score}) + "\n"


def best_of(folder: Path, *lines: str) -> list[float]:
    path = folder / "run.jsonl"
    path.write_text("".join(lines))
    log = Log(path)
    log.update()
    return [each["score"] for each in log.best]


def test_the_log_of_a_search(run: Nestor) -> None:
    run(*MORPION, "--playouts", "200", "--log", "run.jsonl", "--save", "run.json")
    result = json.loads(Path("run.json").read_text())
    code, out, err = run("watch", "run.jsonl", "--once")
    assert (code, err) == (0, "")
    assert out.startswith(f"run.jsonl: best {result['score']:.0f} after ")
    assert [row.split()[-1] for row in out.splitlines() if "playouts  job" in row] == [
        f"{found['score']:.0f}" for found in result["improvements"]
    ]
    assert max(map(len, out.splitlines()[1:])) <= 80
    data = run("watch", "run.jsonl", "--json").out
    assert data.count("\n") == 1
    assert json.loads(data)["best"]["score"] == result["score"]


def test_a_score_is_shown_as_the_problem_shows_it(run: Nestor) -> None:
    Path("late.txt").write_text("3\n0 9 9\n9 0 9\n9 9 0\n0 90\n0 3\n0 90\n")
    told = run("solve", "tsptw", "late.txt", "--playouts", "9", "--log", "run.jsonl").out
    told = told.partition("  score ")[2].strip()
    shown = json.loads(Path("run.jsonl").read_text().splitlines()[-1])["shown"]
    assert "late" in shown or "missed" in shown
    assert told.startswith(shown)
    assert f"best {shown} after " in run("watch", "run.jsonl", "--once").out


def test_the_best_of_all_jobs_whichever_way_is_better(tmp_path: Path) -> None:
    jobs = (line(5, job=0), line(7, job=1), line(6, job=0), line(9, job=1), line(8, job=0))
    assert best_of(tmp_path, *jobs) == [5, 7, 9]
    lower = (line(5, job=0), line(7, job=1), line(4, job=0), line(4.5, job=1), line(3, job=1))
    assert best_of(tmp_path, *lower) == [5, 4, 3]
    assert best_of(tmp_path, line(5), line(7, job=1)) == [5]
    assert best_of(tmp_path) == []


def test_the_pace_is_that_of_the_run(run: Nestor) -> None:
    args = ("--playouts", "2000", "--jobs", "4", "--threads", "2", "--log", "run.jsonl")
    result = json.loads(run(*MORPION, *args, "--json").out)
    last = json.loads(Path("run.jsonl").read_text().splitlines()[-1])
    assert last["playouts"] <= 500 < last["run"]["playouts"] <= 2000
    assert 0 < last["run"]["seconds"] <= result["seconds"]
    pace = format_rate(last["run"]["playouts"], last["run"]["seconds"])
    assert f", {pace}, last improvement" in run("watch", "run.jsonl", "--once").out
    run("watch", "run.jsonl", "--html", "page.html", "--once")
    assert f", {pace}<" in Path("page.html").read_text()


def test_older_logs_tell_only_of_a_job(run: Nestor, tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    for jobs, pace in (((0, 0), "20/s, "), ((0, 1), "20/s in a job, ")):
        path.write_text(line(1, job=jobs[0]) + line(2, 0.5, jobs[1]))
        assert f", {pace}last improvement" in run("watch", str(path), "--once").out


def test_whole_lines_only_and_a_new_file_in_its_place(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_text(line(1) + line(2)[:9])
    log = Log(path)
    log.update()
    assert len(log.lines) == 1
    path.write_text(line(1) + line(2) + line(3))
    log.update()
    assert [each["score"] for each in log.lines] == [1, 2, 3]
    path.write_text(line(9))
    assert log.update()
    assert [each["score"] for each in log.lines] == [9]
    for start in (1.0, 2.0):
        longer = [line(score, seconds=start + score) for score in range(5)]
        path.write_text("".join(longer))
        assert log.update()
        assert [each["score"] for each in log.lines] == [0, 1, 2, 3, 4]
        assert not log.update()


@pytest.mark.parametrize("content", ["x", "a letter to a friend", '{"jo', "[1, 2]", "\0", "{"])
def test_the_beginning_of_a_line_of_another_file_is_no_log(
    content: str, run: Nestor, folder: Path
) -> None:
    """Neither for one who watches, nor for a run that would cut it off to write its own lines."""
    path = folder / "letter"
    path.write_text(content)
    known = '{"job": '.startswith(content)
    told = run("watch", "letter", "--once")
    assert told.code == (0 if known else 2)
    assert known or "not a log of improvements" in told.err
    run(*MORPION, "--level", "1", "--playouts", "20", "--checkpoint", "run.ckpt")
    told = run("resume", "run.ckpt", "--playouts", "40", "--log", "letter")
    assert told.code == (0 if known else 2)
    assert known or path.read_text() == content


def test_the_curve_rises_from_the_first_score_to_the_last() -> None:
    found = [{"seconds": 10.0**power, "score": float(power)} for power in range(-2, 4)]
    lines = curve(found, 60, 6)
    columns = [row.split("|")[1].ljust(60) for row in lines[:6]]
    heights = [next(y for y in range(6) if columns[y][x] == "*") for x in range(60)]
    assert heights == sorted(heights, reverse=True)
    assert set(heights) == set(range(6))
    assert lines[0].startswith(" 3 |")
    assert lines[5].startswith("-2 |")
    assert lines[-1].split() == ["0.010", "s", "time,", "logarithmic", "16", "min", "40", "s"]
    assert curve(found[:1]) == []
    assert curve([found[0], {**found[0], "score": 5.0}])


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("[]\n", "not a log"),
        ("{}\n", "run.jsonl:1: not a log of improvements: no 'job'"),
        (line(1) + line(float("nan")), "run.jsonl"),
        (line(1, -1), "run.jsonl:1: seconds must be 0"),
        (line(1)[:-2] + ', "run": 5}\n', "run.jsonl:1: run must be a mapping"),
        (line(1) + "{x}\n", "not JSON"),
        (TSPTW, "run.jsonl"),
    ],
)
def test_another_file_is_refused(text: str, wrong: str, run: Nestor) -> None:
    Path("run.jsonl").write_text(text)
    code, out, err = run("watch", "run.jsonl", "--once")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert wrong in err


def test_a_log_that_would_take_too_much_memory(run: Nestor, folder: Path) -> None:
    with (folder / "run.jsonl").open("wb") as file:
        file.truncate((128 << 20) + 1)
    code, _, err = run("watch", "run.jsonl", "--once")
    assert (code, err.count("larger than 128 MiB, too large to watch")) == (2, 1)


def test_a_missing_log(run: Nestor) -> None:
    missing = ("missing.jsonl", "--once"), ("missing.jsonl", "--json"), ("no/missing.jsonl",)
    for words in (*missing, ("x" * 300,)):
        code, _, err = run("watch", *words)
        assert (code, err.count("\n")) == (2, 1)


@pytest.mark.parametrize("page", [(), ("--html", "page.html")])
def test_it_waits_for_a_log(page: tuple[str, ...], folder: Path) -> None:
    child = process(folder, "watch", "run.jsonl", "--every", "0.01", *page)
    assert child.stderr is not None
    assert child.stdout is not None
    assert child.stderr.readline().startswith("run.jsonl: waiting for a run to write it")
    (folder / "run.jsonl").write_text(line(1))
    assert child.stdout.readline().endswith("page.html\n" if page else "job 0  1\n")
    child.send_signal(signal.SIGINT)
    assert child.wait(timeout=HOUR) == 0
    child = process(folder, "watch", "none.jsonl", *page)
    assert child.stderr is not None
    child.stderr.readline()
    child.send_signal(signal.SIGINT)
    assert child.communicate(timeout=HOUR) == ("", "")
    assert child.returncode == 0


def test_it_follows_a_growing_log_without_a_terminal(folder: Path) -> None:
    path = folder / "run.jsonl"
    path.write_text(line(1))
    child = process(folder, "watch", "run.jsonl", "--every", "0.01")
    assert child.stdout is not None
    assert child.stdout.readline().endswith("job 0  1\n")
    with path.open("a") as file:
        file.write(line(2) + line(3)[:5])
    assert child.stdout.readline().endswith("job 0  2\n")
    path.write_text(line(7, 3.0) + line(8, 4.0) + line(9, 5.0))
    for score in (7, 8, 9):
        assert child.stdout.readline().endswith(f"job 0  {score}\n")
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=HOUR)
    assert (child.returncode, out, err) == (0, "", "")


def test_a_terminal_shows_the_curve(folder: Path) -> None:
    (folder / "run.jsonl").write_text(line(1) + line(2, 5))
    leader, follower = pty.openpty()
    child = subprocess.Popen(
        [sys.executable, "-m", "nestor", "watch", "run.jsonl", "--every", "0.01"],
        cwd=folder,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "80", "LINES": "40"},
        stdout=follower,
        stderr=subprocess.PIPE,
    )
    os.close(follower)
    shown = b""
    while b"5.00 s" not in shown.partition(b"+---")[2]:
        shown += os.read(leader, 1 << 16)
    child.send_signal(signal.SIGINT)
    assert child.wait(timeout=HOUR) == 0
    os.close(leader)
    assert b"best 2 after 5.00 s" in shown


def test_the_help_says_how_it_ends(run: Nestor) -> None:
    words = " ".join(run("watch", "--help").out.split())
    assert "the log does not say when it is over: watching continues until Ctrl-C" in words
