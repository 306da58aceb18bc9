"""The tables and figures of gnrpa-2020."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kit import Claim, Finding, Lab, item
from kit.tables import draw_means, mean, scores_at

from nestor import GNRPA, NRPA, Algorithm, Runs, data
from nestor.problems import TSPTW, SameGame

TIMES = (40.96, 81.92, 163.84, 327.68, 655.36)
DOUBLINGS = len(TIMES) - 1

SAMEGAME: dict[str, tuple[Algorithm, Sequence[str]]] = {
    "NRPA": (NRPA(4), ("2435.12", "2676.39", "2838.99", "2997.74", "3081.25")),
    "GNRPA.beta": (
        GNRPA(4, bias="size"),
        ("2513.35", "2749.33", "2887.78", "3024.68", "3091.44"),
    ),
}
OPTIMISED = ("2591.46", "2777.83", "2907.23", "3057.78", "3116.54")

TOUR: dict[str, tuple[Algorithm, Sequence[str]]] = {
    "NRPA": (NRPA(3), ("3745986", "1750959", "1030947", "285934", "45919")),
    "GNRPA.beta": (
        GNRPA(3, bias="distance"),
        ("897.60", "891.04", "888.44", "883.61", "880.42"),
    ),
    "GNRPA.beta.t.1.4": (
        GNRPA(3, bias="distance", temperature=1.4),
        ("892.89", "886.97", "883.87", "880.76", "879.35"),
    ),
}

TOUR_OPTIMISED = ("892.17", "886.52", "884.07", "880.83", "879.45")

OPT = (
    "The paper's variant .opt keeps the moves of the best playout and does not copy the policy. "
    "Here every search does, so it has no runs of its own."
)

SMALL = (
    "the paper's gain is 78 points with intervals of 50 to each side after 200 runs, too little "
    "to be seen in fewer and shorter ones"
)


def samegame(lab: Lab) -> tuple[Runs, list[float]]:
    """Return runs on board 1, and the playouts at which the table looks."""
    board = SameGame.read(data.find("samegame/problems.txt"), board=1, tabu=True, shaping=False)
    last = lab.playouts(80_000, 2_000_000, 25_000_000)
    runs = lab.compare(
        "gnrpa-2020-samegame",
        {"board 1": board},
        {name: algorithm for name, (algorithm, _) in SAMEGAME.items()},
        seeds=lab.runs(30, 100, 200),
        playouts=last,
    )
    return runs, points_to(last)


def tours(lab: Lab) -> tuple[Runs, list[float]]:
    """Return runs on rc_204.1, and the playouts at which the table looks."""
    path = data.find("tsptw/SolomonPotvinBengio/rc_204.1.txt")
    last = lab.playouts(320_000, 8_000_000, 110_000_000)
    runs = lab.compare(
        "gnrpa-2020-tsptw",
        {"rc_204.1": TSPTW.read(path, selective=False)},
        {name: algorithm for name, (algorithm, _) in TOUR.items()},
        seeds=lab.runs(60, 100, 200),
        playouts=last,
    )
    return runs, points_to(last)


def points_to(last: float) -> list[float]:
    """Return the numbers of playouts that double up to the last."""
    return [last / 2**k for k in range(DOUBLINGS, -1, -1)]


def table(
    runs: Runs, points: Sequence[float], said: Mapping[str, Sequence[str]]
) -> tuple[list[str], list[list[str]]]:
    """Return means over playouts, each beside the paper's mean at the time in the same place.

    Of searches without runs there is only the paper's.
    """
    header = ["playouts (time)"]
    for name in said:
        header += [name, "paper"] if name in runs.algorithms else [f"paper, {name}"]
    rows = []
    for place, (at, time) in enumerate(zip(points, TIMES, strict=True)):
        row = [f"{at:,.0f} ({time} s)"]
        for name, means in said.items():
            if name in runs.algorithms:
                row.append(mean(runs.of(algorithm=name).at(playouts=at).scores))
            row.append(means[place])
        rows.append(row)
    return header, rows


@item("table 1", "SameGame board 1: NRPA, GNRPA with a bias, and optimised")
def table_1(lab: Lab) -> Finding:
    """Compare the means of NRPA and GNRPA as the playouts double."""
    runs, points = samegame(lab)
    said = {name: means for name, (_, means) in SAMEGAME.items()}
    header, rows = table(runs, points, said | {"GNRPA.beta.opt": OPTIMISED})
    first = runs.at(playouts=points[0])
    claims = [
        Claim(
            "the bias is better than none early on",
            first.of(algorithm="GNRPA.beta").scores,
            first.of(algorithm="NRPA").scores,
        )
    ]
    return Finding(header, rows, claims, why=SMALL, note=OPT)


@item("figure 1", "SameGame board 1: the means over time")
def figure_1(lab: Lab) -> Finding:
    """Draw the means of NRPA and GNRPA as the playouts double."""
    runs, points = samegame(lab)
    curves = {name: scores_at(runs, name, points) for name in SAMEGAME}
    nearer = [
        sum(curves["GNRPA.beta"][at]) / len(curves["GNRPA.beta"][at])
        - sum(curves["NRPA"][at]) / len(curves["NRPA"][at])
        for at in (points[0], points[-1])
    ]
    return Finding(
        ["playouts", *SAMEGAME],
        [[f"{at:,.0f}", *(mean(curve[at]) for curve in curves.values())] for at in points],
        facts=[("the gain of the bias gets smaller with time", nearer[1] < nearer[0])],
        why=SMALL,
        note=OPT,
        picture=lambda path: draw_means(curves, "playouts", "mean score", path),
    )


@item("table 2", "TSPTW rc_204.1: NRPA, GNRPA with a bias, and with a temperature")
def table_2(lab: Lab) -> Finding:
    """Compare the means of the searches as the playouts double; all moves are legal."""
    runs, points = tours(lab)
    said = {name: means for name, (_, means) in TOUR.items()}
    header, rows = table(runs, points, said | {"GNRPA.beta.t.1.4.opt": TOUR_OPTIMISED})
    scores = {name: runs.of(algorithm=name).scores for name in TOUR}
    claims = [
        Claim("the bias is better than none", scores["GNRPA.beta"], scores["NRPA"], "min"),
        Claim(
            "a temperature of 1.4 is better than 1",
            scores["GNRPA.beta.t.1.4"],
            scores["GNRPA.beta"],
            "min",
        ),
    ]
    return Finding(header, rows, claims, note=OPT)


@item("figure 2", "TSPTW rc_204.1: the means of GNRPA over time")
def figure_2(lab: Lab) -> Finding:
    """Draw the means of the two temperatures; late visits count a million each."""
    runs, points = tours(lab)
    names = list(TOUR)[1:]
    curves = {name: scores_at(runs, name, points) for name in names}
    met = {name: [[s for s in curves[name][at] if s < 1e6] for at in points] for name in names}
    rows = [
        [
            f"{at:,.0f}",
            *(f"{mean(met[name][place])} ({len(met[name][place])} meet all)" for name in names),
        ]
        for place, at in enumerate(points)
    ]
    drawn = {
        name: {at: met[name][place] for place, at in enumerate(points) if met[name][place]}
        for name in names
    }
    last = [sum(met[name][-1]) / max(len(met[name][-1]), 1) for name in names]
    facts = [("the curve of 1.4 is below that of 1 at the end", last[1] < last[0])]
    return Finding(
        ["playouts", *names],
        rows,
        facts=facts,
        note="The picture has the tours that meet all windows: the others are off its scale.",
        picture=lambda path: draw_means(drawn, "playouts", "mean cost", path),
    )
