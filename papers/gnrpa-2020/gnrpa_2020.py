"""The tables and figures of gnrpa-2020."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from kit import COUNTED, Alike, Claim, Finding, Judged, Lab, Means, Scale, Searches, Share, item
from kit.tables import draw_means, mean, scores_at
from kit.verdicts import counted

from nestor import GNRPA, NRPA, Algorithm, Runs, data
from nestor.problems import TSPTW, SameGame

TIMES = (40.96, 81.92, 163.84, 327.68, 655.36)
"""Seconds at which the tables look."""

RATES = {"board 1": 3_000, "rc_204.1": 8_000}
"""Playouts of a second of the paper, which says nothing of them (see the README)."""

SAMEGAME: dict[str, tuple[Algorithm, Sequence[str]]] = {
    "NRPA": (
        NRPA(4),
        (
            "2435.12 ± 49.26",
            "2676.39 ± 47.16",
            "2838.99 ± 41.82",
            "2997.74 ± 21.39",
            "3081.25 ± 10.66",
        ),
    ),
    "GNRPA.beta": (
        GNRPA(4, bias="size"),
        (
            "2513.35 ± 53.57",
            "2749.33 ± 47.82",
            "2887.78 ± 39.50",
            "3024.68 ± 18.27",
            "3091.44 ± 10.96",
        ),
    ),
}
"""Searches, and the paper's means of 200 runs with two standard errors to each side."""

OPTIMISED = (
    "2591.46 ± 52.50",
    "2777.83 ± 48.05",
    "2907.23 ± 38.45",
    "3057.78 ± 13.52",
    "3116.54 ± 7.42",
)

TOUR: dict[str, tuple[Algorithm, Sequence[str]]] = {
    "NRPA": (
        NRPA(3),
        (
            "3,745,986 ± 245,767",
            "1,750,959 ± 243,211",
            "1,030,947 ± 212,092",
            "285,934 ± 108,976",
            "45,919 ± 38,204",
        ),
    ),
    "GNRPA.beta": (
        GNRPA(3, bias="distance"),
        ("897.60 ± 1.32", "891.04 ± 1.05", "888.44 ± 0.98", "883.61 ± 0.63", "880.42 ± 0.30"),
    ),
    "GNRPA.beta.t.1.4": (
        GNRPA(3, bias="distance", temperature=1.4),
        ("892.89 ± 0.96", "886.97 ± 0.87", "883.87 ± 0.71", "880.76 ± 0.40", "879.35 ± 0.16"),
    ),
}

TOUR_OPTIMISED = (
    "892.17 ± 1.04",
    "886.52 ± 0.83",
    "884.07 ± 0.70",
    "880.83 ± 0.32",
    "879.45 ± 0.17",
)

RUNS = 200
"""Of the paper, at each time."""

OPT = (
    "What the paper says of its variant .opt is not judged. That keeps the moves of the best "
    "playout and does not copy the policy, as every search does here, so there is nothing to "
    "compare it with."
)
LENGTHS = (
    "What the paper says of the lengths of NRPA's tours after 655.36 s, without their late visits, "
    "is not judged."
)
FITTED = (
    "The column NRPA is no test of ours: the playouts of a second were read from it. The others "
    "depend on that rate."
)

SMALL = (
    "The paper's gain is 78 points with intervals of 50 to each side after 200 runs, too little "
    "to be seen in fewer and shorter ones."
)


def board() -> SameGame:
    """Return board 1."""
    return SameGame.read(data.find("samegame/problems.txt"), board=1, tabu=True, shaping=False)


def tour(selective: bool) -> TSPTW:
    """Return rc_204.1, with all moves or selective ones."""
    path = data.find("tsptw/SolomonPotvinBengio/rc_204.1.txt")
    return TSPTW.read(path, selective=selective)


def playouts(at: Scale, name: str) -> int:
    """Return the playouts of the first, third or last time of a table."""
    first, third, last = (int(RATES[name] * TIMES[place]) for place in (0, 2, -1))
    return at.playouts(first, third, last)


def samegame(at: Scale) -> list[Searches]:
    """Return runs on board 1."""
    return [
        Searches(
            "gnrpa-2020-samegame",
            {"board 1": board},
            {name: algorithm for name, (algorithm, _) in SAMEGAME.items()},
            at.runs(20, 100, 200),
            playouts=playouts(at, "board 1"),
        )
    ]


READINGS = {"all moves": False, "selective moves": True}
"""Whether moves are selective, by the name of the reading."""


def tours(at: Scale) -> list[Searches]:
    """Return runs on rc_204.1, as the paper may be read."""
    return [
        Searches(
            "gnrpa-2020-tsptw",
            {name: partial(tour, selective) for name, selective in READINGS.items()},
            {name: algorithm for name, (algorithm, _) in TOUR.items()},
            at.runs(12, 100, 200),
            playouts=playouts(at, "rc_204.1"),
        )
    ]


def compared(
    reading: str, runs: Runs, rate: float, said: Mapping[str, Sequence[str]], margin: float
) -> Iterator[Judged]:
    """Return the means of the paper at the times that runs reach.

    A visit that is late costs a million, and all of the paper's tours with a bias meet their
    windows. So where some of ours do not, how many do is compared, and no mean.
    """
    for name in (name for name in said if name != "NRPA"):
        for place, time in enumerate(TIMES):
            at = int(rate * time)
            if at > last_of(runs) or not (found := runs.of(algorithm=name).at(playouts=at)):
                continue
            text = f"{reading}{name} after {time} s"
            mean, half = map(float, said[name][place].replace(",", "").split(" ± "))
            late = [score >= LATE for score in found.scores]
            if any(late):
                met = [not each for each in late]
                yield Share(f"{text}, runs that meet all windows", met, 100.0, COUNTED, of=RUNS)
            else:
                yield Means(text, found.scores, mean, margin * mean, of=RUNS, half=half)


LATE = 1e6
"""The cost of a visit that is late."""


def points_to(last: float) -> list[float]:
    """Return the numbers of playouts that double up to the last."""
    return [last / 2**k for k in range(len(TIMES) - 1, -1, -1)]


def last_of(runs: Runs) -> int:
    """Return the playouts of a run."""
    return int(runs[0]["budget"]["playouts"])


def table(
    runs: Runs, rate: float, said: Mapping[str, Sequence[str]]
) -> tuple[list[str], list[list[str]]]:
    """Return means after the playouts of each time, each beside the paper's mean.

    Of searches without runs there is only the paper's. If runs are shorter than the first time,
    what they found at last stands there.
    """
    header = ["playouts (time)"]
    for name in said:
        header += [name, "paper"] if name in runs.algorithms else [f"paper, {name}"]
    rows, last = [], last_of(runs)
    for place, time in enumerate(TIMES):
        at = int(rate * time) if place else min(int(rate * time), last)
        row = [f"{at:,} ({time} s)"]
        for name, means in said.items():
            if name in runs.algorithms:
                ours = mean(runs.of(algorithm=name).at(playouts=at).scores) if at <= last else ""
                row.append(ours or "not run")
            row.append(means[place])
        rows.append(row)
    return header, rows


RATE = (
    "the paper has no numbers of playouts: ours are {:,} for each of its seconds, for which its "
    "column NRPA speaks"
)
LEVELS = "level {} and N = 100 are ours: the paper does not say them"


GAME = [RATE.format(RATES["board 1"]), LEVELS.format(4)]


@item("table 1", "SameGame board 1: NRPA, GNRPA with a bias, and optimised", samegame, GAME)
def table_1(lab: Lab) -> Finding:
    """Compare the means of NRPA and GNRPA as the playouts double."""
    runs = lab.runs("gnrpa-2020-samegame")
    said = {name: means for name, (_, means) in SAMEGAME.items()}
    header, rows = table(runs, RATES["board 1"], said | {"GNRPA.beta.opt": OPTIMISED})
    claims = [
        Claim(
            f"the bias is better than none after {min(at, last_of(runs)):,} playouts ({time} s)",
            now.of(algorithm="GNRPA.beta").scores,
            now.of(algorithm="NRPA").scores,
        )
        for time in TIMES
        if (at := int(RATES["board 1"] * time)) <= last_of(runs) or time == TIMES[0]
        for now in [runs.at(playouts=min(at, last_of(runs)))]
    ]
    numbers = [*compared("", runs, RATES["board 1"], said, 0.05)]
    ours = mean(runs.of(algorithm="NRPA").at(playouts=int(RATES["board 1"] * TIMES[0])).scores)
    why = (
        "The rate may be the reason: NRPA, from whose column it was read, has a mean of "
        f"{ours} where the paper has {said['NRPA'][0]}"
    )
    return Finding(header, rows, claims, numbers=numbers, why=why, note=f"{OPT} {FITTED} {SMALL}")


@item("figure 1", "SameGame board 1: the means over time", samegame, GAME)
def figure_1(lab: Lab) -> Finding:
    """Draw the means of NRPA and GNRPA as the playouts double."""
    runs = lab.runs("gnrpa-2020-samegame")
    points = points_to(last_of(runs))
    curves = {name: scores_at(runs, name, points) for name in SAMEGAME}
    early, late = (
        [
            biased - plain
            for plain, biased in zip(curves["NRPA"][at], curves["GNRPA.beta"][at], strict=True)
        ]
        for at in (points[0], points[-1])
    )
    text = f"the bias gains more after {points[0]:,.0f} playouts than after {points[-1]:,.0f}"
    claims = [Claim(text, early, late, paired=True)]
    return Finding(
        ["playouts", *SAMEGAME],
        [[f"{at:,.0f}", *(mean(curve[at]) for curve in curves.values())] for at in points],
        claims,
        note=f"{OPT} {SMALL}",
        picture=lambda path: draw_means(curves, "playouts", "mean score", path),
    )


ROUTE = [RATE.format(RATES["rc_204.1"]), LEVELS.format(3)]


@item("table 2", "TSPTW rc_204.1: NRPA, GNRPA with a bias, and with a temperature", tours, ROUTE)
def table_2(lab: Lab) -> Finding:
    """Compare the means of the searches as the playouts double, by both readings."""
    said: dict[str, Sequence[str]] = {name: means for name, (_, means) in TOUR.items()}
    rows: list[list[str]] = []
    claims: list[Claim] = []
    numbers: list[Judged] = []
    for reading in READINGS:
        runs = lab.runs("gnrpa-2020-tsptw").of(problem=reading)
        header, more = table(
            runs, RATES["rc_204.1"], said | {"GNRPA.beta.t.1.4.opt": TOUR_OPTIMISED}
        )
        rows += [[reading, *row] for row in more]
        scores = {name: runs.of(algorithm=name).scores for name in TOUR}
        claims += [
            Claim(
                f"{reading}: the bias is better than none",
                scores["GNRPA.beta"],
                scores["NRPA"],
                "min",
            ),
            *(
                Claim(
                    f"{reading}: a temperature of 1.4 is better than 1 after {time} s",
                    now.of(algorithm="GNRPA.beta.t.1.4").scores,
                    now.of(algorithm="GNRPA.beta").scores,
                    "min",
                )
                for time in TIMES[:-1]
                if (at := int(RATES["rc_204.1"] * time)) <= last_of(runs) or time == TIMES[0]
                for now in [runs.at(playouts=min(at, last_of(runs)))]
            ),
            *(
                Alike(
                    f"{reading}: both temperatures are alike after {TIMES[-1]} s",
                    scores["GNRPA.beta.t.1.4"],
                    scores["GNRPA.beta"],
                    "min",
                )
                for at in [RATES["rc_204.1"] * TIMES[-1]]
                if int(at) <= last_of(runs)
            ),
        ]
        numbers += compared(f"{reading}: ", runs, RATES["rc_204.1"], said, 0.05)
    note = f"{OPT} {FITTED} {LENGTHS}"
    return Finding(["", *header], rows, claims, numbers=numbers, why=slower(lab, said), note=note)


def slower(lab: Lab, said: Mapping[str, Sequence[str]]) -> str:
    """Return whether the means of selective moves are the paper's at half the playouts."""
    runs = lab.runs("gnrpa-2020-tsptw")
    late = {
        reading: [row["score"] >= LATE for row in runs.of(reading) if row["algorithm"] != "NRPA"]
        for reading in READINGS
    }
    missed = ", ".join(f"{sum(each)} of {len(each)} with {name}" for name, each in late.items())
    rate = RATES["rc_204.1"] / 2
    found = [*compared("", runs.of("selective moves"), rate, said, 0.05)]
    return (
        f"Runs with a bias that miss a window: {missed}; none of the paper's does. At {rate:,.0f} "
        f"playouts a second, of the paper's means with a bias up to then and ours with selective "
        f"moves, {counted([each.verdict for each in found])}"
    )


@item("figure 2", "TSPTW rc_204.1: the means of GNRPA over time", tours, ROUTE)
def figure_2(lab: Lab) -> Finding:
    """Draw the means of the two temperatures; late visits count a million each."""
    names = list(TOUR)[1:]
    rows: list[list[str]] = []
    drawn = dict[str, dict[float, list[float]]]()
    for reading in READINGS:
        runs = lab.runs("gnrpa-2020-tsptw").of(problem=reading)
        points = points_to(last_of(runs))
        curves = {name: scores_at(runs, name, points) for name in names}
        met = {name: [[s for s in curves[name][at] if s < 1e6] for at in points] for name in names}
        rows += [
            [
                reading,
                f"{at:,.0f}",
                *(f"{mean(met[name][place])} ({len(met[name][place])} meet all)" for name in names),
            ]
            for place, at in enumerate(points)
        ]
        drawn |= {
            f"{name}, {reading}": {
                at: met[name][place] for place, at in enumerate(points) if met[name][place]
            }
            for name in names
        }
    return Finding(
        ["", "playouts", *names],
        rows,
        note="What the paper says of the temperature is tested in table 2. The picture has the "
        "tours that meet all windows: the others are off its scale.",
        picture=lambda path: draw_means(drawn, "playouts", "mean cost", path),
    )
