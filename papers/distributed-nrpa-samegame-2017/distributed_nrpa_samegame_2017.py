"""The tables and figures of distributed-nrpa-samegame-2017."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence

from kit import Claim, Finding, Lab, item
from kit.tables import draw_means, mean, scores_at

from nestor import GNRPA, NRPA, Algorithm, Runs, data
from nestor.problems import SameGame

COLUMNS = {
    "nmcs_level4": "NMCS(4)",
    "nrpa_level4": "NRPA(4)",
    "diversity_nrpa_level4": "Diversity-NRPA(4)",
    "dist_nrpa_level5": "Dist-NRPA(5)",
}


def board(number: int) -> SameGame:
    """Return one of the 20 boards."""
    return SameGame.read(data.find("samegame/problems.txt"), board=number)


def wide(level: int, iterations: int, parallel: int, local: bool) -> NRPA:
    """Return NRPA with four children side by side at one level."""
    width = tuple(4 if each == parallel else 1 for each in range(1, level + 1))
    return NRPA(level, iterations, width=width, policies="local" if local else "shared")


def strategies(level: int, iterations: int) -> dict[str, Algorithm]:
    """Return sequential NRPA and both strategies at levels 1 and 2."""
    return {
        "sequential": NRPA(level, iterations),
        **{f"shared, L={n}": wide(level, iterations, n, local=False) for n in (1, 2)},
        **{f"local, L={n}": wide(level, iterations, n, local=True) for n in (1, 2)},
    }


def means(runs: Mapping[str, Runs], points: Sequence[float]) -> list[list[str]]:
    """Return a row of means for each search."""
    return [
        [name, *(mean(scores, 0) for scores in scores_at(of, name, points).values())]
        for name, of in runs.items()
    ]


@item("figure 3", "Board 1: what it costs to run children side by side")
def figure_3(lab: Lab) -> Finding:
    """Compare the strategies at equal playouts."""
    iterations = lab.number(30, 60, 100)
    level = 3 if lab.scale != "paper" else 4
    last = iterations**level
    searches = strategies(level, iterations)
    runs = lab.compare(
        "distributed-figure-3",
        {"board 1": board(1)},
        searches,
        seeds=lab.runs(40, 40, 20),
        playouts=last,
    )
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
        note="The paper's figures have no numbers. Its searches have level 4 and up to 32 threads.",
        picture=lambda path: draw_means(curves, "playouts", "mean score", path),
    )


@item("figure 4", "Board 1: the strategies at equal time")
def figure_4(lab: Lab) -> Finding:
    """Compare the strategies on two threads with sequential NRPA on one."""
    seconds = lab.number(3, 20, 500)
    level = 3 if lab.scale != "paper" else 4
    searches = strategies(level, 100)
    runs = {}
    for name, algorithm in searches.items():
        # Runs side by side would take the threads of each other.
        runs[name] = lab.compare(
            f"distributed-figure-4-{name.replace(', ', '-').replace('=', '')}",
            {"board 1": board(1)},
            {name: algorithm},
            seeds=lab.runs(10, 20, 20),
            seconds=seconds,
            threads=1 if name == "sequential" else 2,
            here=True,
        )
    scores = {name: of.scores for name, of in runs.items()}
    claims = [
        Claim(f"{name} on 2 threads is above sequential NRPA", scores[name], scores["sequential"])
        for name in ("shared, L=1", "local, L=1")
    ]
    rows = [[name, mean(each, 0)] for name, each in scores.items()]
    return Finding(["search", f"after {seconds} s"], rows, claims)


@item("figure 5", "Boards 1 and 3: root and hybrid parallelisation over the number of jobs")
def figure_5(lab: Lab) -> Finding:
    """Compare independent jobs with jobs that are parallel at level 1, at equal playouts of all."""
    iterations = lab.number(30, 60, 100)
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
                seeds=lab.runs(12, 20, 20),
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
                why="In searches this short local policies lose nothing",
            ),
        ]
    return Finding(
        ["board", "jobs", *searches],
        rows,
        claims,
        note="On as many cores 4 hybrid jobs of 4 children stand against 16 jobs of one. The paper "
        "compares them at equal times; here all searches share the same number of playouts.",
        picture=lambda path: draw_means(curves, "jobs", "mean score", path),
    )


@item("table 1", "The 20 boards")
def table_1(lab: Lab) -> Finding:
    """Search every board and compare the totals."""
    with data.find("samegame/published_scores.csv").open(newline="") as file:
        published = list(csv.DictReader(file))
    if lab.scale == "smoke":
        published = published[:2]
    names = [f"board {row['board']}" for row in published]
    runs = lab.compare(
        "distributed-table-1",
        {name: board(int(row["board"])) for name, row in zip(names, published, strict=True)},
        {"GNRPA": GNRPA(3)},
        seeds=lab.runs(1, 1, 1),
        playouts=lab.playouts(200_000, 10**7, 10**9),
    )
    ours = {name: max(runs.of(name).scores) for name in names}
    rows = [
        [row["board"], f"{ours[name]:.0f}", *(row[column] for column in COLUMNS)]
        for name, row in zip(names, published, strict=True)
    ]
    totals = [sum(float(row[column]) for row in published) for column in COLUMNS]
    rows.append(["total", f"{sum(ours.values()):,.0f}", *(f"{total:,.0f}" for total in totals)])
    return Finding(
        ["board", "ours", *COLUMNS.values()],
        rows,
        note=f"Ours is GNRPA level 3 with {runs[0]['budget']['playouts']:,} playouts a board. The "
        "paper's Dist-NRPA had two hours on 160 cores.",
    )
