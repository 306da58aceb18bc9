"""The tables and figures of learned-prior-2024."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from statistics import median
from typing import Any

from kit import (
    COUNTED,
    Claim,
    Count,
    Effort,
    Finding,
    Incomparable,
    Judged,
    Lab,
    Scale,
    Searches,
    Share,
    item,
    mostly,
)

from nestor import GNRPA, NRPA, Algorithm, Prior, Runs, Sampling, data, solve
from nestor.problems import RNA, Kakuro, LatinSquare
from nestor.render import log_axis

BUDGETS = [2**k for k in range(10, 18)]
TIMES = [2**k for k in range(5, 13)]

TABLE_1 = {
    "sampling": (2, 5, 10, 16, 26, 36, 49, 61),
    "sampling + prior": (12, 24, 34, 48, 70, 80, 89, 95),
    "NRPA": (8, 16, 25, 35, 48, 61, 70, 80),
    "GNRPA + prior": (26, 39, 54, 67, 83, 91, 95, 98),
}
TABLE_2 = {
    "sampling": (0,) * 8,
    "sampling + prior": (100,) * 8,
    "NRPA": (0, 0, 0, 23, 35, 65, 86, 98),
    "GNRPA + prior": (100,) * 8,
}
TABLE_3 = {
    "sampling": (11, 11, 11, 12, 14, 16, 16, 17),
    "sampling + NEMO": (51, 55, 57, 60, 61, 61, 62, 64),
    "sampling + NGRAM": (57, 65, 68, 69, 69, 69, 69, 69),
    "NRPA": (28, 33, 41, 48, 57, 59, 61, 65),
    "GNRPA + NEMO": (68, 69, 74, 77, 78, 79, 81, 81),
    "GNRPA + NGRAM": (70, 75, 78, 79, 80, 81, 82, 85),
}


def searches(prior: str) -> dict[str, Algorithm]:
    """Return the rows of tables 1 and 2."""
    known: dict[str, Any] = {"prior": prior, "prior_temperature": 4.0}
    return {
        "sampling": Sampling(),
        "sampling + prior": Sampling(**known),
        "NRPA": NRPA(2),
        "GNRPA + prior": GNRPA(2, **known),
    }


def solved_by(runs: Runs, name: str, by: str, limits: Sequence[float]) -> list[int]:
    """Return how many puzzles an algorithm has solved within each limit."""
    ends = [row[by] for row in runs.of(algorithm=name) if row["stop_reason"] == "target"]
    return [sum(end <= limit for end in ends) for limit in limits]


def solved_at(runs: Runs, name: str, seconds: float) -> list[float]:
    """Return 1 for each target that is solved after so many seconds, and 0 for the others."""
    return [
        float(row["stop_reason"] == "target" and row["seconds"] <= seconds)
        for row in runs.of(algorithm=name)
    ]


def effort(runs: Runs, name: str) -> list[float]:
    """Return the playouts that each puzzle took; one that is not solved takes twice the limit."""
    return [
        row["playouts"] * (1 if row["stop_reason"] == "target" else 2)
        for row in runs.of(algorithm=name)
    ]


def table(runs: Runs, paper: Mapping[str, Sequence[int]], last: int) -> list[list[str]]:
    """Return the percentage of solved puzzles, ours and the paper's, up to the last budget."""
    budgets = [budget for budget in BUDGETS if budget <= last]
    puzzles = len(runs.problems)
    rows = []
    for name, theirs in paper.items():
        found = solved_by(runs, name, "playouts", budgets)
        cells = [str(round(100 * solved / puzzles)) for solved in found]
        rows.append([name, *cells, *["not run"] * (len(BUDGETS) - len(budgets))])
        rows.append(["  paper", *map(str, theirs)])
    return rows


def puzzles(family: str, make: Callable[..., Any], prior: str, count: int, last: int) -> Searches:
    """Return searches of generated puzzles until they are solved."""
    return Searches(
        f"learned-prior-2024-{family}",
        {f"{family} {seed}": partial(make, seed=seed) for seed in range(count)},
        searches(prior),
        1,
        playouts=last,
        target=0,
    )


def solved(
    lab: Lab, family: str, paper: Mapping[str, Any], said: Sequence[Sequence[str]]
) -> Finding:
    """Tell how many puzzles were solved after how many playouts, and what solves sooner."""
    runs = lab.runs(f"learned-prior-2024-{family}")
    last = runs[0]["budget"]["playouts"]
    took = {name: effort(runs, name) for name in paper}
    claims = [
        Claim(f"{better} solves sooner than {worse}", took[better], took[worse], "min", True)
        for better, worse in said
    ]
    numbers = [
        Share(
            f"{name} after {budget:,} playouts",
            [end <= budget for end in took[name]],
            n,
            COUNTED,
        )
        for name, counts in paper.items()
        for budget, n in zip(BUDGETS, counts, strict=True)
        if budget <= last
    ]
    header = ["percent solved", *(f"{budget:,}" for budget in BUDGETS)]
    return Finding(header, table(runs, paper, last), claims, numbers=numbers)


@item("figure 1", "Latin squares: the distribution of the prior")
def figure_1(lab: Lab) -> Finding:
    """Draw how many codes have which ratio."""
    return histogram("latin_square_20_forward", {})


SHARES = (0.3, 0.34, 0.38, 0.4, 0.42, 0.44, 0.46, 0.5, 0.55, 0.6)


def transition(at: Scale) -> list[Searches]:
    """Return uniform playouts on squares with more or fewer empty cells, and on an empty one."""
    number, most = at.number(30, 200, 1000), at.playouts(20_000, 100_000, 1_000_000)
    return [
        Searches(
            "learned-prior-2024-figure-2",
            {
                f"{share} {seed}": partial(
                    LatinSquare.generate, 20, share, seed, hidden_singles=False
                )
                for share in SHARES
                for seed in range(number)
            },
            {"sampling": Sampling()},
            1,
            playouts=most,
            target=0,
        ),
        Searches(
            "learned-prior-2024-figure-2-empty",
            {
                name: partial(LatinSquare.generate, 20, 1.0, 0, hidden_singles=singles)
                for name, singles in PROPAGATION.items()
            },
            {"sampling": Sampling()},
            number,
            playouts=1000,
            target=0,
        ),
    ]


PROPAGATION = {"forward checking alone": False, "hidden singles": True}
"""Whether a value that has one place left is put there."""

FORWARD = "forward checking alone, without the hidden singles of the text"
LEVEL = "level 2 and N = 100 are ours: the paper does not say them"


@item(
    "figure 2",
    "Latin squares: median playouts by the share of empty cells",
    transition,
    [FORWARD, "the shares are ours: the paper's figure has no numbers"],
)
def figure_2(lab: Lab) -> Finding:
    """Find the phase transition: uniform playouts needed for squares of order 20."""
    runs, shares = lab.runs("learned-prior-2024-figure-2"), SHARES
    most = runs[0]["budget"]["playouts"]
    needed = {
        share: effort(
            Runs([row for row in runs if row["problem"].startswith(f"{share} ")]), "sampling"
        )
        for share in shares
    }
    rows = [[f"{share:.0%}", f"{median(each):,.0f}"] for share, each in needed.items()]
    claims = [
        Claim(f"{other:.0%} is easier than 42 %", needed[other], needed[0.42], "min")
        for other in shares
        if other != 0.42
    ]
    empty = lab.runs("learned-prior-2024-figure-2-empty")
    facts = [
        mostly(
            f"{name}: one of the first three playouts completes an empty square",
            [end <= 3 for end in effort(empty.of(name), "sampling")],
        )
        for name in PROPAGATION
    ]
    return Finding(
        ["empty cells", "median playouts"],
        rows,
        claims,
        facts,
        note=f"A square that {most:,} playouts do not complete counts twice that. Forward checking "
        "alone: with hidden singles these squares are easy.",
        picture=lambda path: draw_line(shares, [median(each) for each in needed.values()], path),
    )


def squares(at: Scale) -> list[Searches]:
    """Return searches of Latin squares of order 20."""
    count = at.number(400, 400, 400)
    forward = partial(LatinSquare.generate, 20, 0.42, hidden_singles=False)
    last = at.playouts(2**15, 2**17, 2**17)
    easy = {f"latin {seed}": partial(LatinSquare.generate, 20, 0.42, seed) for seed in range(count)}
    return [
        puzzles("latin", forward, "latin_square_20_forward", count, last),
        Searches(
            "learned-prior-2024-latin-hidden-singles",
            easy,
            {"sampling": Sampling()},
            1,
            playouts=1000,
            target=0,
        ),
    ]


@item(
    "table 1",
    "Latin squares of order 20: percent solved after so many playouts",
    squares,
    [FORWARD, "400 squares of our own: the paper's 100 are not published", LEVEL],
)
def table_1(lab: Lab) -> Finding:
    """Compare searches with and without the prior."""
    easy = lab.runs("learned-prior-2024-latin-hidden-singles")
    said = [
        ("sampling + prior", "sampling"),
        ("GNRPA + prior", "NRPA"),
        ("GNRPA + prior", "sampling"),
        ("GNRPA + prior", "sampling + prior"),
    ]
    finding = solved(lab, "latin", TABLE_1, said)
    finding.note = (
        "Forward checking alone. The paper's text also has hidden singles, with which "
        "uniform playouts solve such a square at the median after "
        f"{median(effort(easy, 'sampling')):.0f}."
    )
    return finding


@item("figure 3", "Kakuro: the distribution of the prior")
def figure_3(lab: Lab) -> Finding:
    """Draw how many codes have which ratio, and look for its two peaks."""
    finding = histogram("kakuro_10_11", {(0.0, 0.1): 20_353}, "The paper has no other numbers.")
    prior = Prior.load("kakuro_10_11")
    ones = sum(count == nb for count, nb in prior.counts.values() if nb)
    finding.rows = [*finding.rows, ["1.00", f"{ones:,} (paper 15,410)"]]
    number = Count("codes at 1", [ones], 15_410, 0, "{:,.0f}".format)
    finding.numbers = [*finding.numbers, number]
    finding.why = (
        "It is not the chance of the puzzles: 10,000 others have 22,074 and 14,950 codes. What it "
        "is, we do not know"
    )
    first, *_, last = bars = [codes for *_, codes in prior.histogram(20)]
    finding.facts = [
        ("the highest peak is at 0", "holds" if first == max(bars) else "fails"),
        ("a smaller peak is at 1", "holds" if last == max(bars[1:]) else "fails"),
    ]
    return finding


def sums(at: Scale) -> list[Searches]:
    """Return searches of Kakuro."""
    make, last = partial(Kakuro.generate, 10, 11, pruning=False), at.playouts(2**13, 2**17, 2**17)
    return [puzzles("kakuro", make, "kakuro_10_11", at.number(100, 100, 100), last)]


@item(
    "table 2",
    "Kakuro of 10 x 10 cells: percent solved after so many playouts",
    sums,
    ["puzzles of our own: the paper's are not published", LEVEL],
)
def table_2(lab: Lab) -> Finding:
    """Compare searches with and without the prior."""
    said = [
        (better, worse)
        for better in ("sampling + prior", "GNRPA + prior")
        for worse in ("sampling", "NRPA")
    ]
    finding = solved(lab, "kakuro", TABLE_2, said)
    finding.why = (
        "No reading of the code that we tried does it: of 480 playouts on other puzzles 21 solve "
        "theirs with ours, and none with three others (see above)"
    )
    runs = lab.runs("learned-prior-2024-kakuro")
    finding.facts = [
        mostly(f"{name} usually solves in 1 playout", [each == 1 for each in effort(runs, name)])
        for name in ("sampling + prior", "GNRPA + prior")
    ]
    return finding


@item("figure 4", "RNA: the distribution of the NGRAM prior")
def figure_4(lab: Lab) -> Finding:
    """Draw how many codes have which ratio; none is near 1."""
    ratios = [count / nb for count, nb in Prior.load("rna_ngram").counts.values() if nb]
    low, high = min(ratios), max(ratios)
    finding = histogram("rna_ngram", {})
    finding.rows = [
        ["least ratio", f"{low:.4f}", "0.0101"],
        ["largest ratio", f"{high:.4f}", "0.4378"],
    ]
    finding.header = ["", "ours", "paper"]
    finding.note = "The paper's figure has no other numbers."
    finding.numbers = [
        Count("codes", [len(ratios)], 100, 0, "{:.0f}".format),
        *(
            Incomparable(f"the {name} ratio", theirs, SEQUENCES)
            for name, theirs in (("least", "0.0101"), ("largest", "0.4378"))
        ),
    ]
    return finding


SEQUENCES = "ours is of the 71,834 sequences in seed alignments of Rfam 14.2, the paper's of 85,232"


NAMES = [str(number) for number in range(1, 101)]
"""The targets of Eterna100."""


def eterna(at: Scale) -> list[Effort]:
    """Return searches of the targets, of fewer of them in the smallest scale."""
    ngram: dict[str, Any] = {"bias": "ngram"}
    return [
        Searches(
            "learned-prior-2024-eterna",
            {name: partial(target, name) for name in NAMES[: 3 if at.name == "smoke" else None]},
            {
                "sampling": Sampling(),
                "sampling + NEMO": Sampling(bias="nemo"),
                "sampling + NGRAM": Sampling(**ngram),
                "NRPA": NRPA(2),
                "GNRPA + NEMO": GNRPA(2, bias="nemo"),
                "GNRPA + NGRAM": GNRPA(2, **ngram),
            },
            1,
            seconds=at.pick(1, 1, 60, TIMES[-1]),
            target=1.0,
        )
    ]


def times(lab: Lab) -> list[float]:
    """Return the times that double up to the limit of a run."""
    last = lab.runs("learned-prior-2024-eterna")[0]["budget"]["seconds"]
    return [last / TIMES[-1] * time for time in TIMES]


SECONDS = "seconds of this machine, not of the paper's"
TARGETS = "targets of V2: the paper does not say whether its are of V1 or V2"


@item(
    "table 3",
    "Eterna100-V2: targets solved after so many seconds",
    eterna,
    [SECONDS, LEVEL, TARGETS],
)
def table_3(lab: Lab) -> Finding:
    """Compare priors and searches on all targets."""
    runs, limits = lab.runs("learned-prior-2024-eterna"), times(lab)
    last = limits[-1]
    rows = []
    for name, theirs in TABLE_3.items():
        rows.append([name, *map(str, solved_by(runs, name, "seconds", limits))])
        rows.append(["  paper, 32 s to 4,096 s", *map(str, theirs)])
    took = {
        name: [
            row["seconds"] if row["stop_reason"] == "target" else 2.0 * last
            for row in runs.of(algorithm=name)
        ]
        for name in TABLE_3
    }
    pairs = (
        ("sampling + NEMO", "sampling"),
        ("sampling + NGRAM", "sampling"),
        ("sampling + NGRAM", "sampling + NEMO"),
        ("GNRPA + NEMO", "NRPA"),
        *(("GNRPA + NGRAM", name) for name in TABLE_3 if name != "GNRPA + NGRAM"),
    )
    claims = [
        Claim(f"{better} solves sooner than {worse}", took[better], took[worse], "min", True)
        for better, worse in pairs
    ]
    header = ["", *(f"{limit:,.3g} s" for limit in limits)]
    return Finding(header, rows, claims)


@item(
    "figure 5",
    "Eterna100-V2: targets solved by NRPA and by GNRPA with the NGRAM prior",
    eterna,
    [SECONDS, LEVEL, TARGETS],
)
def figure_5(lab: Lab) -> Finding:
    """Draw the targets solved over time."""
    runs, points = lab.runs("learned-prior-2024-eterna"), times(lab)
    names = ("NRPA", "GNRPA + NGRAM")
    solved = {name: solved_by(runs, name, "seconds", points) for name in names}
    rows = [
        [f"{at:.3g} s", *(str(solved[name][i]) for name in names)] for i, at in enumerate(points)
    ]
    claims = [
        Claim(
            f"GNRPA with the prior has solved more after {at:.3g} s",
            solved_at(runs, "GNRPA + NGRAM", at),
            solved_at(runs, "NRPA", at),
            paired=True,
        )
        for at in points
    ]
    return Finding(
        ["", *names],
        rows,
        claims,
        picture=lambda path: draw_lines(points, solved, path),
    )


@item("figure 6", "The Shooting Star, a target of Eterna100, and the best of a short search")
def figure_6(lab: Lab) -> Finding:
    """Draw the target with the best sequence of a short search."""
    shape = target("99")
    result = solve(
        shape, GNRPA(2, bias="ngram"), playouts=lab.at.playouts(300, 3000, 30_000), threads=1
    )
    rows = [[str(len(shape.target)), result.show_score(result.score)]]
    return Finding(
        ["bases", "score (1 is solved)"],
        rows,
        note="The paper shows the target as an example of a hard one.",
        picture=result.solution.plot,
    )


@cache
def table_of_targets() -> list[dict[str, str]]:
    """Return what is known of the targets of Eterna100."""
    with data.find("rna/eterna100_puzzles.tsv").open(newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def target(number: str) -> RNA:
    """Return a target of Eterna100-V2."""
    (row,) = [row for row in table_of_targets() if row["Puzzle #"] == number]
    title = f"{number} {row['Puzzle Name']}"
    return RNA(row["Secondary Structure V2"], title=title, model="turner2004-d2")


def histogram(
    name: str,
    paper: Mapping[tuple[float, float], int],
    note: str = "The paper's figure has no numbers.",
) -> Finding:
    """Return how many codes of a prior have which ratio, beside the counts of the paper."""
    prior = Prior.load(name)
    bars = prior.histogram(20)
    rows = [[f"{low:.2f} to {high:.2f}", f"{codes:,}"] for low, high, codes in bars]
    numbers: list[Judged] = []
    for (low, high), theirs in paper.items():
        ours = sum(
            codes for start, end, codes in bars if start >= low - 1e-9 and end <= high + 1e-9
        )
        rows.append([f"{low:.2f} to {high:.2f} together", f"{ours:,} (paper {theirs:,})"])
        numbers.append(
            Count(f"codes from {low:g} to {high:g}", [ours], theirs, 0, "{:,.0f}".format)
        )
    return Finding(
        ["ratio", "codes"],
        rows,
        numbers=numbers,
        note=note,
        picture=lambda path: draw_bars(bars, path),
    )


def draw_bars(bars: Sequence[tuple[float, float, int]], path: Path) -> None:
    """Draw a histogram."""
    axes = new_axes()
    axes.bar([low for low, _, _ in bars], [n for *_, n in bars], width=0.05, align="edge")
    axes.set(xlabel="count / nb of a code", ylabel="number of codes")
    axes.figure.savefig(path)


def draw_line(shares: Sequence[float], medians: Sequence[float], path: Path) -> None:
    """Draw medians over shares."""
    axes = new_axes()
    axes.plot([100 * share for share in shares], medians, marker="o")
    axes.set(
        yscale="log",
        xlabel="empty cells in %",
        ylabel="median playouts (twice the limit if incomplete)",
    )
    axes.figure.savefig(path)


def draw_lines(points: Sequence[float], solved: Mapping[str, Sequence[int]], path: Path) -> None:
    """Draw how many are solved over time."""
    axes = new_axes()
    for name, counts in solved.items():
        axes.plot(points, counts, marker="o", label=name)
    log_axis(axes)
    axes.set(xlabel="seconds", ylabel="targets solved")
    axes.legend(frameon=False)
    axes.figure.savefig(path)


def new_axes() -> Any:
    """Return the axes of a new figure."""
    from matplotlib.figure import Figure

    axes = Figure(figsize=(6.4, 4.2), layout="constrained").subplots()
    axes.grid(color="#DDDDDD", linewidth=0.6)
    axes.set_axisbelow(True)
    return axes
