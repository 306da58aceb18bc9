"""The tables and figures of distributed-nrpa-samegame-2017."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache, partial
from itertools import pairwise
from pathlib import Path

from kit import Alike, Claim, Finding, Lab, Scale, Searches, item
from kit.facts import facts
from kit.tables import draw_means, mean, scores_at

from nestor import GNRPA, NMCS, NRPA, Algorithm, BeamNRPA, Runs, data
from nestor.problems import SameGame

PUBLISHED = facts(Path(__file__).with_name("scores.csv"))
"""The paper's table 1."""

CORES = 16
"""Of a node of the paper's cluster."""

WIDTHS = (4, 8, CORES, 32)
"""Threads of a search in the paper; the last is more than a node has cores."""

ITERATIONS = "N = 100 is ours: the paper does not say it"


@cache
def board(number: int) -> SameGame:
    """Return one of the 20 boards."""
    return SameGame.read(data.find("samegame/problems.txt"), board=number, tabu=True, shaping=False)


def wide(
    level: int, iterations: int, parallel: int, width: int, local: bool, inherit: bool = False
) -> NRPA:
    """Return NRPA with so many children side by side at one level."""
    widths = tuple(width if each == parallel else 1 for each in range(1, level + 1))
    return NRPA(
        level, iterations, width=widths, policies="local" if local else "shared", inherit=inherit
    )


def strategies(at: Scale, level: int, iterations: int) -> dict[str, Algorithm]:
    """Return sequential NRPA and the strategies at each level below, by their names.

    Local policies are as in the authors' program, or inherited as section 3.2 says. At the paper's
    scale there are more widths and levels; a name without a width has the one that others compare.
    """
    usual = at.pick(4, 4, 4, CORES)
    found: dict[str, Algorithm] = {"sequential": NRPA(level, iterations)}
    for width in at.pick([4], [4], [4], [CORES, *(w for w in WIDTHS if w != CORES)]):
        for parallel in at.pick([1, 2], [1, 2], [1, 2], [1, 2, 3]):
            place = f"L={parallel}" + (f", M={width}" if width != usual else "")
            given = level, iterations, parallel, width
            found |= {
                f"shared, {place}": wide(*given, local=False),
                f"local, {place}": wide(*given, local=True),
                f"local, inherited, {place}": wide(*given, local=True, inherit=True),
            }
    return found


def means(runs: Mapping[str, Runs], points: Sequence[float]) -> list[list[str]]:
    """Return a row of means for each search."""
    return [
        [name, *(mean(scores, 0) for scores in scores_at(of, name, points).values())]
        for name, of in runs.items()
    ]


def pairs(names: Sequence[str], setting: str) -> list[tuple[str, str]]:
    """Return the names of searches that differ in one setting alone, by one step of it."""
    found: dict[str, list[str]] = {}
    for name in names:
        if setting in name:
            found.setdefault(re.sub(f"{setting}\\d+", "", name), []).append(name)
    ordered = (sorted(each, key=lambda name: value(name, setting)) for each in found.values())
    return [pair for each in ordered for pair in pairwise(each)]


def value(name: str, setting: str) -> int:
    """Return a setting in the name of a search."""
    return int(name.split(setting)[1].split(",")[0])


def whole(at: Scale) -> list[Searches]:
    """Return whole searches of each strategy."""
    iterations, level = at.number(30, 60, 100), at.pick(3, 3, 3, 4)
    return [
        Searches(
            "distributed-figure-3",
            {"board 1": partial(board, 1)},
            strategies(at, level, iterations),
            at.runs(40, 40, 20),
            playouts=iterations**level,
        )
    ]


@item(
    "figure 3",
    "Board 1: what it costs to run children side by side",
    whole,
    [ITERATIONS, "so are the widths apart from 32"],
)
def figure_3(lab: Lab) -> Finding:
    """Compare the strategies at equal playouts."""
    runs = lab.runs("distributed-figure-3")
    last = runs[0]["budget"]["playouts"]
    searches = runs.algorithms
    points = [max(last / 2**k, 1) for k in range(5, -1, -1)]
    scores = {name: runs.of(algorithm=name).scores for name in searches}
    claims = [
        *(
            Claim(f"sequential NRPA ends above {name}", scores["sequential"], scores[name])
            for name in searches
            if name != "sequential"
        ),
        *(
            Claim(f"{low} ends above {high}", scores[low], scores[high])
            for low, high in pairs(searches, "L=")
        ),
    ]
    curves = {name: scores_at(runs, name, points) for name in searches}
    return Finding(
        ["search", *(f"{at:,.0f}" for at in points)],
        means(dict.fromkeys(searches, runs), points),
        claims,
        note="The columns are playouts. The paper's figures have no numbers.",
        picture=lambda path: draw_means(curves, "playouts", "mean score", path),
    )


def at_equal_time(at: Scale) -> list[Searches]:
    """Return runs of so many seconds, one at a time: they would take each other's threads.

    Smaller scales have playouts, those of figure 3, in place of time.
    """
    if at.name in ("smoke", "quick"):
        return whole(at)
    return [
        Searches(
            f"distributed-figure-4-{name.replace(', ', '-').replace('=', '')}",
            {"board 1": partial(board, 1)},
            {name: algorithm},
            20,
            seconds=at.pick(0, 0, 20, 500),
            threads=at.pick(1, 1, 2, max(level.width for level in algorithm.levels()))
            if name != "sequential"
            else 1,
            alone=True,
        )
        for name, algorithm in strategies(at, at.pick(3, 3, 3, 4), 100).items()
    ]


@item(
    "figure 4",
    "Board 1: the strategies at equal time",
    at_equal_time,
    ["seconds of this machine, not of the paper's", ITERATIONS, "so are the widths apart from 32"],
)
def figure_4(lab: Lab) -> Finding:
    """Compare the strategies on several threads with sequential NRPA on one.

    Shorter runs count playouts in place of time: two threads make 1.8 times as many.
    """
    runs = lab.runs(*(searches.name for searches in lab.planned))
    if (seconds := runs[0]["budget"].get("seconds")) is not None:
        at, note = f"after {seconds:g} s", ""
    else:
        last = runs[0]["budget"]["playouts"]
        at = f"after the time of {last:,} playouts on 2 threads"
        note = (
            f"A speed-up of {SPEED_UP} on 2 threads is assumed (benchmarks/README.md), so that a "
            "busy machine does not matter. The paper has 500 s on 16 cores, as has --scale paper."
        )
        one = runs.of(algorithm="sequential").at(playouts=last / SPEED_UP)
        others = [row for row in runs if row["algorithm"] != "sequential"]
        runs = Runs([*one, *others])
    scores = {name: runs.of(algorithm=name).scores for name in runs.algorithms}
    best, other = "shared, L=1", "local, L=1"
    claims = [
        Claim(f"{other}, is above sequential", scores[other], scores["sequential"]),
        *(
            Claim(f"{best}, is above {name}", scores[best], scores[name])
            for name in scores
            if not name.startswith(best)
        ),
        Alike("local policies are alike with L=1 and L=2", scores[other], scores["local, L=2"]),
        Alike("shared and local policies are alike with L=1", scores[best], scores[other]),
        *(
            Claim(f"{name}, gains from 32 threads", scores[name], scores[name.split(", M=")[0]])
            if name.startswith(best)
            else Claim(f"{name}, loses by 32 threads", scores[name.split(", M=")[0]], scores[name])
            for name in scores
            if name.endswith("M=32")
        ),
    ]
    if not any(name.endswith("M=32") for name in scores):
        note += " What the paper says of 32 threads is not judged: there are none."
    rows = [[name, mean(each, 0)] for name, each in scores.items()]
    return Finding(
        ["search", at],
        rows,
        claims,
        note=note,
    )


SPEED_UP = 1.8
"""Of two threads, if children run side by side at level 1 or 2."""

SHAPES = ("root", "hybrid, shared", "hybrid, local")

RATE = 3000
"""Playouts of a core in a second, as on the machine of gnrpa-2020 (see its README)."""

LONGEST = 7200
"""Seconds of the longest runs of the paper, those of its table 1."""


def layout(at: Scale) -> tuple[int, int]:
    """Return the nodes of a cluster and the cores of a node."""
    return at.pick((4, 4), (4, 4), (4, 4), (10, CORES))


def shape_of(number: int, name: str) -> str:
    """Return the name of the file of a board's runs."""
    return f"distributed-figure-5-board-{number}-{name.replace(', ', '-')}"


def distributed(at: Scale) -> list[Searches]:
    """Return as many jobs as there are cores, and a job for each node that uses all its cores."""
    nodes, cores = layout(at)
    level, iterations = at.pick((3, 3), (3, 40), (3, 100), (4, 100))
    each = at.playouts(16_000, 250_000, RATE * LONGEST)
    return [
        Searches(
            shape_of(number, name),
            {f"board {number}": partial(board, number)},
            {
                name: NRPA(level, iterations)
                if name == "root"
                else wide(level, iterations, 1, cores, local=name == "hybrid, local")
            },
            at.runs(8, 20, 20),
            playouts=nodes * cores * each,
            jobs=nodes * cores if name == "root" else nodes,
        )
        for number in (1, 3)
        for name in SHAPES
    ]


@item(
    "figure 5",
    "Boards 1 and 3: root and hybrid parallelisation over time",
    distributed,
    [
        "playouts for seconds, at the rate of gnrpa-2020 and up to two hours; the paper's axis is "
        "not known",
        "a core of a job of several makes 0.9 of the playouts of a core of its own, as two do here",
        "level 4 and N = 100 are ours",
    ],
)
def figure_5(lab: Lab) -> Finding:
    """Compare a job for each core with a job for each node, on as many cores, over time."""
    nodes, cores = layout(lab.at)
    rows, claims = [], []
    curves: dict[str, dict[float, list[float]]] = {}
    for number in (1, 3):
        for name in SHAPES:
            runs = lab.runs(shape_of(number, name))
            most = runs[0]["budget"]["playouts"] / (nodes * cores)
            speed = nodes * cores * (1 if name == "root" else SPEED_UP / 2)
            points = {at / RATE: runs.at(playouts=at * speed).scores for at in halved(most)}
            curves[f"board {number}, {name}"] = points
            rows.append([str(number), name, *(mean(scores, 0) for scores in points.values())])
        first, last = (
            {name: [*curves[f"board {number}, {name}"].values()][place] for name in SHAPES}
            for place in (0, -1)
        )
        claims += [
            *(
                Claim(f"board {number}: root is ahead of {name} early", first["root"], first[name])
                for name in SHAPES[1:]
            ),
            *(
                Claim(f"board {number}: {name}, ends above root", last[name], last["root"])
                for name in SHAPES[1:]
            ),
            Claim(
                f"board {number}: hybrid, shared, ends above hybrid, local",
                last["hybrid, shared"],
                last["hybrid, local"],
            ),
        ]
    return Finding(
        ["board", "search", *(f"{at / RATE:,.3g} s" for at in halved(most))],
        rows,
        claims,
        why=lab.at.pick("", EARLY, "", ""),
        note=f"A second is {RATE:,} playouts that a core makes by itself. There are {nodes} jobs "
        f"of {cores} children against {nodes * cores} jobs.",
        picture=lambda path: draw_means(
            curves, f"seconds of {RATE:,} playouts", "mean score", path
        ),
    )


EARLY = (
    "That hybrid, shared, is ahead early comes from short levels: on board 3, with the paper's 160 "
    "jobs against 10 of 16 children, root has 1,901 ± 114 and hybrid, shared, 2,156 ± 168 after "
    "500 playouts of a core (8 runs, p = 0.007) with level 3 and N = 40, and 2,009 ± 178 and "
    "2,061 ± 99 (8 runs, p = 0.2) with level 4 and N = 100"
)
"""Why the sentences of figure 5 about the beginning fail at the scale quick."""


def halved(most: float) -> list[float]:
    """Return points of time up to the longest."""
    return [most / 2**k for k in range(5, -1, -1)]


BEFORE = ("NMCS", "NRPA", "Diversity-NRPA")
"""The searches of other papers in table 1."""


def boards(at: Scale) -> list[Searches]:
    """Return one search of each board: on a core, and on the cores of several nodes."""
    numbers = [int(row["board"]) for row in PUBLISHED][: 2 if at.name == "smoke" else None]
    problems = {f"board {number}": partial(board, number) for number in numbers}
    level, iterations = at.pick((3, 3), (3, 40), (3, 100), (4, 100))
    one = at.playouts(8_000, 10**6, 100**4)
    nodes, cores = at.pick((2, 4), (2, 4), (2, 4), (10, CORES))
    paper = at.name == "paper"
    return [
        Searches(
            "distributed-table-1",
            problems,
            {
                "NMCS": NMCS(at.pick(2, 2, 3, 4)),
                "NRPA": NRPA(level, iterations),
                "Diversity-NRPA": BeamNRPA(level, iterations),
                "GNRPA": GNRPA(level, iterations),
            },
            1,
            playouts=one,
        ),
        Searches(
            "distributed-table-1-hybrid",
            problems,
            {"Dist-NRPA": wide(at.pick(3, 3, 3, 5), iterations, 1, cores, local=False)},
            nodes,
            playouts=None if paper else cores * one,
            seconds=LONGEST if paper else None,
            threads=cores if paper else 1,
        ),
    ]


@item(
    "table 1",
    "The 20 boards",
    boards,
    [
        "NMCS, NRPA and Diversity-NRPA are from other papers: here each has the 100^4 playouts of "
        "a search of level 4, though one of NMCS is longer",
        "Diversity-NRPA is Beam NRPA whose beam of 4 is kept diverse, our reading",
        ITERATIONS,
    ],
)
def table_1(lab: Lab) -> Finding:
    """Search every board on one core and on those of several nodes, and compare the totals."""
    alone, spread = lab.runs("distributed-table-1"), lab.runs("distributed-table-1-hybrid")
    names = alone.problems
    published = PUBLISHED[: len(names)]
    ours = {
        name: [max(of.of(problem, name).scores) for problem in names]
        for of in (alone, spread)
        for name in of.algorithms
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
    limit = ", ".join(f"{most:,} {name}" for name, most in spread[0]["budget"].items() if most)
    before = [max(scores) for scores in zip(*(ours[name] for name in BEFORE), strict=True)]
    claims = [
        Claim(
            f"Dist-NRPA is better than the best of {', '.join(BEFORE)}",
            ours["Dist-NRPA"],
            before,
            paired=True,
        ),
        *(
            Claim(f"Dist-NRPA is better than {name}", ours["Dist-NRPA"], ours[name], paired=True)
            for name in BEFORE
        ),
    ]
    return Finding(
        ["board", *ours, *(f"paper, {name}" for name in theirs)],
        rows,
        claims,
        note=f"All but Dist-NRPA have {alone[0]['budget']['playouts']:,} playouts on each board. "
        f"Dist-NRPA is the best of {len({row['seed'] for row in spread})} jobs with a shared "
        f"policy, each with {limit}, so it has more than the others, as in the paper. The paper's "
        "had two hours on 160 cores.",
    )
