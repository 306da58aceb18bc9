"""The tables and figures of distributed-nrpa-samegame-2017."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from kit import Claim, Finding, Lab, item
from kit.facts import facts
from kit.tables import draw_means, mean, scores_at

from nestor import GNRPA, NRPA, Algorithm, Runs, data
from nestor.problems import SameGame


def board(number: int) -> SameGame:
    """Return one of the 20 boards."""
    return SameGame.read(data.find("samegame/problems.txt"), board=number, tabu=True, shaping=False)


def wide(level: int, iterations: int, parallel: int, local: bool, inherit: bool = False) -> NRPA:
    """Return NRPA with four children side by side at one level."""
    width = tuple(4 if each == parallel else 1 for each in range(1, level + 1))
    return NRPA(
        level, iterations, width=width, policies="local" if local else "shared", inherit=inherit
    )


def strategies(level: int, iterations: int) -> dict[str, Algorithm]:
    """Return sequential NRPA and the strategies at levels 1 and 2.

    Local policies are as in the authors' program, or inherited as section 3.2 says.
    """
    return {
        "sequential": NRPA(level, iterations),
        **{f"shared, L={n}": wide(level, iterations, n, local=False) for n in (1, 2)},
        **{f"local, L={n}": wide(level, iterations, n, local=True) for n in (1, 2)},
        **{
            f"local, inherited, L={n}": wide(level, iterations, n, local=True, inherit=True)
            for n in (1, 2)
        },
    }


def means(runs: Mapping[str, Runs], points: Sequence[float]) -> list[list[str]]:
    """Return a row of means for each search."""
    return [
        [name, *(mean(scores, 0) for scores in scores_at(of, name, points).values())]
        for name, of in runs.items()
    ]


def whole(lab: Lab) -> tuple[Runs, int]:
    """Return whole searches of each strategy, and their playouts."""
    iterations, level = lab.number(30, 60, 100), 4 if lab.scale == "paper" else 3
    runs = lab.compare(
        "distributed-figure-3",
        {"board 1": board(1)},
        strategies(level, iterations),
        seeds=lab.runs(40, 40, 20),
        playouts=iterations**level,
    )
    return runs, iterations**level


@item("figure 3", "Board 1: what it costs to run children side by side")
def figure_3(lab: Lab) -> Finding:
    """Compare the strategies at equal playouts."""
    runs, last = whole(lab)
    searches = runs.algorithms
    points = [max(last / 2**k, 1) for k in range(5, -1, -1)]
    scores = {name: runs.of(algorithm=name).scores for name in searches}
    middle = {name: runs.of(algorithm=name).at(playouts=points[2]).scores for name in searches}
    claims = [
        Claim(
            "sequential NRPA ends above the shared policy, L=1",
            scores["sequential"],
            scores["shared, L=1"],
        ),
        Claim("shared policy: L=1 is above L=2", middle["shared, L=1"], middle["shared, L=2"]),
        Claim("local policies: L=1 is above L=2", middle["local, L=1"], middle["local, L=2"]),
    ]
    curves = {name: scores_at(runs, name, points) for name in searches}
    return Finding(
        ["search", *(f"{at:,.0f}" for at in points)],
        means(dict.fromkeys(searches, runs), points),
        claims,
        note="The columns are playouts. The paper's figures have no numbers. Its searches have "
        "level 4 and up to 32 threads.",
        picture=lambda path: draw_means(curves, "playouts", "mean score", path),
    )


@item("figure 4", "Board 1: the strategies at equal time")
def figure_4(lab: Lab) -> Finding:
    """Compare the strategies on two threads with sequential NRPA on one.

    Shorter runs count playouts in place of time: two threads make 1.8 times as many.
    """
    if lab.scale in ("day", "paper"):
        seconds = lab.number(3, 20, 500)
        runs, at, note = timed(lab, seconds), f"after {seconds} s", ""
    else:
        runs, last = whole(lab)
        at = f"after the time of {last:,} playouts on 2 threads"
        note = (
            f"A speed-up of {SPEED_UP} on 2 threads is assumed (benchmarks/README.md), so that a "
            "busy machine does not matter. The paper has 500 s on 16 cores, as has --scale paper."
        )
        one = runs.of(algorithm="sequential").at(playouts=last / SPEED_UP)
        others = [row for row in runs if row["algorithm"] != "sequential"]
        runs = Runs([*one, *others])
    scores = {name: runs.of(algorithm=name).scores for name in runs.algorithms}
    claims = [
        Claim(f"{name} on 2 threads is above sequential NRPA", scores[name], scores["sequential"])
        for name in ("shared, L=1", "local, L=1")
    ]
    rows = [[name, mean(each, 0)] for name, each in scores.items()]
    return Finding(
        ["search", at],
        rows,
        claims,
        note=note,
    )


SPEED_UP = 1.8
"""Of two threads, if children run side by side at level 1 or 2."""


def timed(lab: Lab, seconds: int) -> Runs:
    """Return runs of so many seconds, one at a time: they would take each other's threads."""
    runs = [
        lab.compare(
            f"distributed-figure-4-{name.replace(', ', '-').replace('=', '')}",
            {"board 1": board(1)},
            {name: algorithm},
            seeds=lab.runs(10, 20, 20),
            seconds=seconds,
            threads=1 if name == "sequential" else 2,
            here=True,
        )
        for name, algorithm in strategies(4 if lab.scale == "paper" else 3, 100).items()
    ]
    return Runs([row for of in runs for row in of])


@item("figure 5", "Boards 1 and 3: root and hybrid parallelisation over the number of jobs")
def figure_5(lab: Lab) -> Finding:
    """Compare independent jobs with jobs that are parallel at level 1, at equal playouts of all."""
    iterations = lab.number(20, 60, 100)
    searches: dict[str, Algorithm] = {
        "root": NRPA(3, iterations),
        "hybrid, shared": wide(3, iterations, 1, local=False),
        "hybrid, local": wide(3, iterations, 1, local=True),
    }
    rows, claims = [], []
    curves: dict[str, dict[float, list[float]]] = {}
    for number in (1, 3):
        for jobs in (1, 4, 16):
            runs = lab.compare(
                f"distributed-figure-5-board-{number}-jobs-{jobs}",
                {f"board {number}": board(number)},
                searches,
                seeds=lab.runs(16, 20, 20),
                playouts=iterations**3,
                jobs=jobs,
            )
            found = {name: runs.of(algorithm=name).scores for name in searches}
            rows.append([str(number), str(jobs), *(mean(scores, 0) for scores in found.values())])
            for name, scores in found.items():
                curves.setdefault(f"board {number}, {name}", {})[jobs] = scores
        drawn = {name: curves[f"board {number}, {name}"] for name in searches}
        shared = drawn["hybrid, shared"][4]
        claims += [
            Claim(
                f"board {number}: 4 jobs of 4 children with a shared policy are above 16 jobs",
                shared,
                drawn["root"][16],
            ),
            Claim(
                f"board {number}: they are above 4 jobs of 4 children with local policies",
                shared,
                drawn["hybrid, local"][4],
            ),
        ]
    return Finding(
        ["board", "jobs", *searches],
        rows,
        claims,
        why="in searches this short local policies lose nothing, and many jobs lose little",
        note="On as many cores 4 hybrid jobs of 4 children stand against 16 jobs of one. The paper "
        "compares them at equal times; here all searches share the same number of playouts.",
        picture=lambda path: draw_means(curves, "jobs", "mean score", path),
    )


@item("table 1", "The 20 boards")
def table_1(lab: Lab) -> Finding:
    """Search every board on one core and on eight, and compare the totals."""
    published = facts(Path(__file__).with_name("scores.csv"))
    if lab.scale == "smoke":
        published = published[:2]
    names = [f"board {row['board']}" for row in published]
    boards = {name: board(int(row["board"])) for name, row in zip(names, published, strict=True)}
    iterations, one = lab.number(40, 100, 100), lab.playouts(8_000, 10**6, 10**8)
    alone = lab.compare(
        "distributed-table-1",
        boards,
        {"NRPA": NRPA(3, iterations), "GNRPA": GNRPA(3, iterations)},
        seeds=lab.runs(1, 1, 1),
        playouts=one,
    )
    spread = lab.compare(
        "distributed-table-1-hybrid",
        boards,
        {"Dist-NRPA": wide(3, iterations, 1, local=False)},
        seeds=lab.runs(1, 1, 1),
        playouts=CORES * one,
        jobs=2,
    )
    ours = {
        name: [max(of.of(problem, name).scores) for problem in names]
        for name, of in (("NRPA", alone), ("GNRPA", alone), ("Dist-NRPA", spread))
    }
    theirs = {
        name: [float(row[name]) for row in published] for name in published[0] if name != "board"
    }
    columns = [*ours.values(), *theirs.values()]
    rows = [
        [row["board"], *(f"{scores[i]:.0f}" for scores in columns)]
        for i, row in enumerate(published)
    ]
    rows.append(["total", *(f"{sum(scores):,.0f}" for scores in columns)])
    claim = Claim("Dist-NRPA is better than NRPA", ours["Dist-NRPA"], ours["NRPA"], paired=True)
    return Finding(
        ["board", *ours, *(f"paper, {name}" for name in theirs)],
        rows,
        [claim],
        note=f"NRPA and GNRPA have {one:,} playouts on each board, and Dist-NRPA what {CORES} "
        "cores make in that time: 2 jobs of 4 children with a shared policy. The paper's had two "
        "hours on 160 cores.",
    )


CORES = 8
"""Of our Dist-NRPA in table 1."""
