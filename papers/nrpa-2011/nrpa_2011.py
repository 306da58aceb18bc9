"""The tables and figures of nrpa-2011."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import pairwise
from pathlib import Path
from statistics import fmean
from typing import Any

from kit import (
    Claim,
    Count,
    Effort,
    Finding,
    Incomparable,
    Judged,
    Lab,
    Mean,
    Measured,
    Median,
    Scale,
    Searches,
    Verdict,
    item,
    proportion,
)
from kit.facts import facts

from nestor import NMCS, NRPA, Algorithm, Runs, Sampling, data
from nestor.problems import Crossword, Morpion
from nestor.research import Key, Playout, Policy, adapt, playouts, run_level

PROBLEMS: dict[str, Callable[[], Any]] = {
    "MorpT": cache(partial(Morpion, "5T")),
    "MorpD": cache(partial(Morpion, "5D")),
    "CrossC": cache(Crossword.crossc),
    "CrossP": cache(Crossword.crossp),
}
WORDS = "CrossP has 51 of the paper's 52 words"

MARGIN = {"MorpT": 15.0, "MorpD": 5.0, "CrossC": 10_000.0}
"""An interval of a median that is wider says nothing: moves, or one word."""

SEEDS = {"MorpT": 6, "MorpD": 6, "CrossC": 8, "CrossP": 8}
"""Runs at the scale quick: the median of fewer than six has no 95 % interval."""

UNJUDGED = {"level 0": 3, "level 1": 5, "level 2": 5}
"""Runs at the scale quick of searches whose medians the paper only draws: as many as tell each from
the level above, if no run of one is as good as one of the other."""

LONGER = {"MorpT": (5, 168), "MorpD": (4, 1), "CrossC": (4, 24), "CrossP": (4, 15)}
"""The level of the longer runs of NRPA, and the hours that each took (section 4.2)."""

HORIZON = {"MorpT": 10_000, "MorpD": 1000, "CrossC": 10_000, "CrossP": 1000}
"""The longest time in seconds at which tables 2 to 4 look."""

TIMED: dict[str, dict[str, Algorithm]] = {
    "MorpT": {
        "NRPA 3": NRPA(3),
        "NRPA 4": NRPA(4),
        "level 0": Sampling(),
        "level 1": NRPA(1),
        "level 2": NRPA(2),
        "NMCS 3": NMCS(3),
        "Tuned NMCS 3": NMCS(3, playout_policy="tuned"),
    },
    "MorpD": {"NRPA 3": NRPA(3), "NMCS 3": NMCS(3)},
    "CrossC": {
        "NRPA 3": NRPA(3),
        "NRPA 2": NRPA(2),
        "NMCS 2": NMCS(2),
        "Sample-5 NMCS 4": NMCS(4, samples=5),
        "Sample-15 NMCS 3": NMCS(3, samples=15),
    },
    "CrossP": {"NRPA 3": NRPA(3), "NRPA 2": NRPA(2), "NMCS 2": NMCS(2)},
}
"""All searches that have a time limit in the paper."""

FASTER = {
    (row["problem"], row["search"]): float(row["times"])
    for row in facts(Path(__file__).with_name("rates.csv"))
}
"""How many times as fast as those of NRPA the playouts of searches that do not adapt are."""


def adapts(algorithm: Algorithm) -> bool:
    """Return whether its playouts cost as much as those of NRPA."""
    return isinstance(algorithm, NRPA)


def rate(name: str, search: str) -> float:
    """Return the playouts that the paper's machine made in a second.

    Those of NRPA are the size of its longer runs by their time, which section 4.2 gives. Searches
    that do not adapt were as many times as fast there as they are here (rates.py).
    """
    level, hours = LONGER[name]
    times = 1.0 if adapts(TIMED[name][search]) else FASTER[name, search]
    return float(100**level / (hours * 3600) * times)


def timed(at: Scale, name: str, searches: Iterable[str]) -> list[Searches]:
    """Return runs with the playouts that the paper's machine made in so many seconds."""
    seconds = at.pick(1 / 3, 100, 1000, HORIZON[name])
    return [
        Searches(
            kept_as(name, search),
            {name: PROBLEMS[name]},
            {search: TIMED[name][search]},
            at.runs(UNJUDGED.get(search, SEEDS[name]), 15, 15),
            playouts=int(rate(name, search) * seconds),
        )
        for search in searches
    ]


def kept_as(name: str, search: str) -> str:
    """Return the name of the file of a timed search."""
    return f"nrpa-2011-{name}-{search.replace(' ', '-')}"


def runs_of(lab: Lab, name: str, searches: Iterable[str]) -> Runs:
    """Return the runs of timed searches."""
    return lab.runs(*(kept_as(name, search) for search in searches))


def medians(runs: Runs, name: str, search: str, paper: Sequence[str]) -> list[str]:
    """Return the medians after 100, 1,000 and 10,000 seconds, each beside the paper's."""
    cells = []
    for seconds, theirs in zip(TIMES, paper, strict=False):
        done = seconds <= reached(runs, name, search)
        cells += [median(runs, name, search, seconds) if done else "not run", theirs]
    return cells


def numbers(runs: Runs, name: str, search: str, paper: Sequence[str]) -> Iterator[Judged]:
    """Return the paper's medians at the times that runs reach."""
    for seconds, theirs in zip(TIMES, paper, strict=False):
        if seconds <= reached(runs, name, search):
            scores = after(runs, name, search, seconds).scores
            yield judged(f"{name}, {search} after {seconds:,} s", name, scores, theirs)


def judged(text: str, name: str, scores: Sequence[float], paper: str) -> Judged:
    """Return a median of the paper beside scores."""
    if name not in MARGIN:
        return Incomparable(text, paper, WORDS)
    return Median(text, scores, points(paper), MARGIN[name], PROBLEMS[name]().show_score)


def points(shown: str) -> float:
    """Return a score as the paper writes it, such as 153 or 33;229, as a number."""
    words, _, rest = shown.rpartition(";")
    return 10_000 * float(words or 0) + float(rest)


def reached(runs: Runs, name: str, search: str) -> float:
    """Return the seconds for which a search ran."""
    made = runs.of(algorithm=search)[0]["budget"]["playouts"]
    return round(float(made) / rate(name, search), 1)


def median(runs: Runs, name: str, search: str, seconds: float) -> str:
    """Return the upper middle score after the playouts of so many seconds, as people write it."""
    early = after(runs, name, search, seconds)
    rows = sorted((row for row in early if row["shown"]), key=lambda row: row["score"])
    return rows[len(rows) // 2]["shown"] if rows else ""


def after(runs: Runs, name: str, search: str, seconds: float) -> Runs:
    """Return runs of a search as they were after the playouts of so many seconds."""
    return runs.of(algorithm=search).at(playouts=rate(name, search) * seconds)


TABLE_2: dict[str, dict[str, Sequence[str]]] = {
    "MorpT": {"NRPA 3": ("153", "157"), "NMCS 3": ("116", "130")},
    "MorpD": {"NRPA 3": ("79", "81"), "NMCS 3": ("71", "74")},
    "CrossC": {
        "NRPA 3": ("33;229", "34;244"),
        "NRPA 2": ("32;240", "33;242"),
        "NMCS 2": ("31;223", "32;229"),
    },
    "CrossP": {
        "NRPA 3": ("26;222", "27;223"),
        "NRPA 2": ("26;219", "26;232"),
        "NMCS 2": ("25;208", "26;215"),
    },
}


def test_runs(at: Scale) -> list[Effort]:
    """Return the test runs of table 1."""
    runs, iterations = at.number(20, 100, 1000), at.number(30, 100, 100)

    def measure() -> dict[str, tuple[int, int]]:
        found = {}
        for name, make in PROBLEMS.items():
            policy = Policy(make())
            steps = [
                run_level(make(), policy, 2, iterations, key=Key(seed)).steps
                for seed in range(runs)
            ]
            branches = max(len(step.codes) for each in steps for step in each)
            found[name] = (max(map(len, steps)), branches)
        return found

    made = dict.fromkeys(PROBLEMS, runs * iterations**2)
    searches = runs * len(PROBLEMS)
    return [Measured("nrpa-2011-table-1", measure, searches, made, PROBLEMS, NRPA(2))]


@item(
    "table 1",
    "The test problems: depth and branching",
    test_runs,
    [WORDS, "the paper does not say what its test runs were"],
)
def table_1(lab: Lab) -> Finding:
    """Measure the largest depth and branching factor in a set of test runs."""
    paper = {"MorpT": (177, 46), "MorpD": (82, 46), "CrossC": (37, 1197), "CrossP": (28, 988)}
    found = lab.kept("nrpa-2011-table-1")
    rows = [
        [
            name,
            *(str(value) for pair in zip(found[name], paper[name], strict=True) for value in pair),
        ]
        for name in paper
    ]
    unsaid = "the paper does not say what its test runs were"
    largest = found["CrossC"][1]
    numbers: list[Judged] = [
        Count("the branching factor at the root of CrossC", [largest], 1197, 0, "{:,.0f}".format),
        Incomparable("the branching factor at the root of CrossP", "988", WORDS),
        *(Incomparable(f"the depth of {name}", str(paper[name][0]), unsaid) for name in paper),
        *(
            Incomparable(f"the branching factor of {name}", str(paper[name][1]), unsaid)
            for name in ("MorpT", "MorpD")
        ),
    ]
    return Finding(
        ["problem", "depth", "paper", "branching", "paper"],
        rows,
        numbers=numbers,
        note="Depth is that of the best sequence of short searches, so it is below the records.",
    )


TIMED_HERE = [
    "playouts for seconds: as many as the paper's machine made in them",
    "those of NRPA from the sizes and times of section 4.2, of the others by rates.csv",
]


def table_2_searches(at: Scale) -> list[Searches]:
    """Return the searches of table 2."""
    return [each for name, searches in TABLE_2.items() for each in timed(at, name, searches)]


TIMES = (100, 1000, 10_000)
"""Seconds at which the tables look."""

Ahead = tuple[str, str, float, str, float]
"""A problem, a search, after how many seconds it is better than another, after how many."""


def timed_table(
    lab: Lab,
    said: Mapping[str, Mapping[str, Sequence[str]]],
    ahead: Sequence[Ahead],
    why: str = "",
) -> Finding:
    """Compare medians at the playouts that the paper's machine made in that time.

    Where runs end sooner than a sentence says, it is tested at their end.
    """
    rows: list[list[str]] = []
    claims: list[Claim] = []
    found: list[Judged] = []
    for name, searches in said.items():
        runs = runs_of(lab, name, searches)
        for search, paper in searches.items():
            rows.append([name, search, *medians(runs, name, search, paper)])
            found += numbers(runs, name, search, paper)
        for problem, better, early, worse, late in ahead:
            if problem == name:
                first, last = (
                    min(seconds, reached(runs, name, search))
                    for search, seconds in ((better, early), (worse, late))
                )
                claims.append(
                    Claim(
                        f"{name}: {better} after {first:,g} s is better than {worse} after "
                        f"{last:,g} s",
                        after(runs, name, better, first).scores,
                        after(runs, name, worse, last).scores,
                    )
                )
    columns = [cell for seconds in TIMES for cell in (f"{seconds:,} s", "paper")]
    return Finding(
        ["problem", "search", *columns][: len(rows[0])],
        rows,
        claims,
        numbers=found,
        why=why,
        note="Seconds are playouts here, as many as the paper's machine made in them: of each "
        "search by its own rate. The paper has NRPA ahead of others in a tenth or a hundredth of "
        "their time. What ends sooner here is compared at its end; where both sides end at the "
        "same time, that is not yet what the paper says.",
    )


@item(
    "table 2",
    "NRPA and NMCS at equal time: medians after 100 and 1,000 seconds",
    table_2_searches,
    [*TIMED_HERE, WORDS],
)
def table_2(lab: Lab) -> Finding:
    """Compare NRPA after 100 seconds with NMCS after 1,000."""
    ahead: list[Ahead] = [
        (name, better, 100, [*searches][-1], 1000)
        for name, searches in TABLE_2.items()
        for better in [*searches][:-1]
    ]
    return timed_table(lab, TABLE_2, ahead)


TABLE_3: dict[str, Sequence[str]] = {
    "NRPA 3": ("33;229", "34;244", "35;247"),
    "NMCS 2": ("31;223", "32;229", "33;235"),
    "Sample-5 NMCS 4": ("32;228", "33;232", "34;235"),
    "Sample-15 NMCS 3": ("32;231", "33;235", "33;248"),
}


@item(
    "table 3",
    "CrossC: NRPA against NMCS that samples its moves",
    partial(timed, name="CrossC", searches=TABLE_3),
    TIMED_HERE,
)
def table_3(lab: Lab) -> Finding:
    """Compare with Sample-k NMCS, which reaches higher levels in the same time."""
    others = [*TABLE_3][1:]
    ahead: list[Ahead] = [
        *(("CrossC", "NRPA 3", 1000.0, search, 10_000.0) for search in others),
        *(("CrossC", search, 10_000.0, "NMCS 2", 10_000.0) for search in others[1:]),
    ]
    return timed_table(lab, {"CrossC": TABLE_3}, ahead)


TABLE_4: dict[str, Sequence[str]] = {
    "NRPA 4": ("152", "155", "160"),
    "NRPA 3": ("153", "157", "158"),
    "NMCS 3": ("116", "130", "137"),
    "Tuned NMCS 3": ("137", "146", "149"),
}


@item(
    "table 4",
    "MorpT: NRPA against NMCS with a tuned playout policy",
    partial(timed, name="MorpT", searches=TABLE_4),
    TIMED_HERE,
)
def table_4(lab: Lab) -> Finding:
    """Show that a policy made by hand helps NMCS, but not enough."""
    first, second, plain, tuned = TABLE_4
    ahead: list[Ahead] = [
        ("MorpT", tuned, 10_000, plain, 10_000),
        *(
            ("MorpT", better, 100.0, worse, 10_000.0)
            for better in (first, second)
            for worse in (plain, tuned)
        ),
    ]
    return timed_table(lab, {"MorpT": TABLE_4}, ahead)


def longer(at: Scale) -> list[Searches]:
    """Return whole searches of level 4 or 5, or their beginnings."""
    found = []
    for name, (level, _) in LONGER.items():
        whole = 100**level
        found.append(
            Searches(
                f"nrpa-2011-long-{name}",
                {name: PROBLEMS[name]},
                {f"NRPA {level}": NRPA(level)},
                at.runs(3, 10, 40 if name != "MorpT" else 28),
                playouts=at.playouts(1e5, min(2e8, whole), whole),
            )
        )
    return found


@item("table 5", "Longer runs", longer, [WORDS])
def table_5(lab: Lab) -> Finding:
    """Run level 4 or 5; the paper's runs took from an hour (MorpD) to a week (MorpT)."""
    paper = {
        "MorpT": ("171", "177 (2)"),
        "MorpD": ("82", "82 (25)"),
        "CrossC": ("35;249", "37;259 (1)"),
        "CrossP": ("27;234", "28;238 (3)"),
    }
    rows, scores, shares = [], {}, {}
    numbers: list[Judged] = []
    for name, (middle, best) in paper.items():
        level, _ = LONGER[name]
        runs = lab.runs(f"nrpa-2011-long-{name}")
        scores[name] = runs.scores
        share = shares[name] = runs[0]["budget"]["playouts"] / 100**level
        ordered = sorted(runs, key=lambda row: row["score"])
        times = Counter(row["score"] for row in runs)[ordered[-1]["score"]]
        ours = [ordered[len(ordered) // 2]["shown"], f"{ordered[-1]['shown']} ({times})"]
        rows.append([name, str(level), f"{share:.2g}", ours[0], middle, ours[1], best])
        if share == 1:
            numbers.append(judged(f"{name}, the median", name, runs.scores, middle))
    header = [
        "problem",
        "level",
        "share of the paper's playouts",
        "median",
        "paper",
        "best",
        "paper",
    ]
    above = {"MorpT": 170.0, "MorpD": 80.0}
    claims = [
        Claim(
            f"{name}: the median is above {before:g}, the record before",
            scores[name],
            [before] * len(scores[name]),
            paired=True,
        )
        for name, before in above.items()
        if shares[name] == 1
    ]
    facts: list[tuple[str, Verdict]] = [
        (f"{name}: the median is above {before:g}, the record before", "not shown")
        for name, before in above.items()
        if shares[name] < 1
    ]
    facts += [
        (
            f"{name}: the best is above {before}, which won the contest",
            "holds" if max(scores[name]) > points(before) else "not shown",
        )
        for name, before in (("CrossC", "36;256"), ("CrossP", "28;236"))
    ]
    note = "What the paper says of records is tested with all of its playouts alone."
    return Finding(header, rows, claims, facts, numbers, note=note)


LEVELS = ("level 0", "level 1", "level 2", "NRPA 3")


@item(
    "figure 5",
    "MorpT: median timelines of levels 0 to 3",
    partial(timed, name="MorpT", searches=LEVELS),
    TIMED_HERE,
)
def figure_5(lab: Lab) -> Finding:
    """Show that each level is better than the one below once there is time for it."""
    runs, names = runs_of(lab, "MorpT", LEVELS), LEVELS
    scores = {name: runs.of(algorithm=name).scores for name in names}
    points = [1, 10, 100]
    rows = [[name, *(median(runs, "MorpT", name, at) for at in points)] for name in names]
    claims = [
        Claim(f"{high} ends above {low}", scores[high], scores[low])
        for low, high in pairwise(names)
    ]
    header = ["search", *(f"{at} s" for at in points)]
    note = (
        f"The picture is over playouts, of which level 0 makes {FASTER['MorpT', 'level 0']:.1f} "
        "times as many in a second."
    )
    return Finding(header, rows, claims, note=note, picture=runs.plot)


@item("figure 7", "Two record solutions, verified and drawn")
def figure_7(lab: Lab) -> Finding:
    """Verify the crossword of 37 words and the game of 177 moves."""
    game = Morpion.read(data.find("morpion/records/5T/rosin177a.json"))
    puzzle = Crossword.crossc().read_grid(Path(__file__).with_name("crossc_37_259.txt"))
    game.verify()
    puzzle.verify()
    words = str(Crossword.crossc().show_score(puzzle.score))
    facts: list[tuple[str, Verdict]] = [
        (text, "holds" if holds else "fails")
        for text, holds in (
            ("the game has 177 moves", game.score == 177),
            ("the crossword has 37;259", words == "37;259"),
        )
    ]
    rows = [["MorpT", f"{game.score:.0f}", "177"], ["CrossC", words, "37;259"]]
    return Finding(["problem", "verified score", "paper"], rows, facts=facts, picture=game.plot)


def one_search(at: Scale) -> list[Effort]:
    """Return searches of each level, from level 0."""
    sizes = (
        at.number(20_000, 10**6, 10**8),
        at.number(2000, 10**5, 10**6),
        at.number(60, 2000, 10**4),
        at.pick(0, 4, 100, 1000),
        at.number(0, 1, 100),
        at.number(0, 0, 28),
    )

    def measure() -> list[list[float]]:
        problem = PROBLEMS["MorpT"]()
        policy = Policy(problem)
        zero = [each.natural for each in playouts(problem, policy, sizes[0], key=Key(0))]
        rest = [
            [
                run_level(problem, policy, level, key=Key(level).child(run)).natural
                for run in range(count)
            ]
            for level, count in enumerate(sizes[1:], 1)
            if count
        ]
        return [zero, *rest]

    made = {"MorpT": sum(count * 100**level for level, count in enumerate(sizes))}
    return [Measured("nrpa-2011-figure-8", measure, sum(sizes), made, PROBLEMS, NRPA(3))]


@item(
    "figure 8",
    "MorpT: the distribution of the scores of one search, by level",
    one_search,
    ["the paper does not say how many searches of levels 0 to 4 there were"],
)
def figure_8(lab: Lab) -> Finding:
    """Test that each level pays: its histogram is over two decades above that of the one below."""
    scores = lab.kept("nrpa-2011-figure-8")
    rows = [
        [
            str(level),
            str(len(each)),
            f"{min(each):.0f}",
            f"{sorted(each)[len(each) // 2]:.0f}",
            f"{max(each):.0f}",
        ]
        for level, each in enumerate(scores)
    ]
    claims = [
        Claim(f"level {level + 1} is better than level {level}", high, low)
        for level, (low, high) in enumerate(pairwise(scores))
        if len(high) >= 4
    ]
    facts = [
        (f"level {level + 1} is over two decades above level {level} where that ends", told)
        for level, (low, high) in enumerate(pairwise(scores))
        if (told := decades(low, high)) is not None
    ]
    return Finding(
        ["level", "searches", "worst", "median", "best"],
        rows,
        claims,
        facts,
        note="Where a level ends is the second best of its searches, and levels with 200 searches "
        "and more are looked at. It is over two decades if the 95 % intervals of both shares are "
        "so far apart. A search of level 4 takes an hour or so, and one of level 5 days: --scale "
        "paper has them.",
        picture=lambda path: draw_histograms(scores, path),
    )


def decades(low: Sequence[float], high: Sequence[float]) -> Verdict | None:
    """Tell whether a score that two of the lower searches have is 100 times as frequent above."""
    if len(low) <= 200:
        return None
    end = sorted(low)[-2]
    below, above = (proportion([score >= end for score in each]) for each in (low, high))
    if above[0] > 100 * below[1]:
        return "holds"
    return "fails" if above[1] < 100 * below[0] else "not shown"


def share(scores: Sequence[float], least: float) -> float:
    """Return the fraction of scores that are at least so high."""
    return sum(score >= least for score in scores) / len(scores)


def draw_histograms(scores: Sequence[Sequence[float]], path: Path) -> None:
    """Draw the fraction of runs with a score or better, on a logarithmic axis."""
    from matplotlib.figure import Figure

    axes = (figure := Figure(figsize=(6.4, 4.2), layout="constrained")).subplots()
    for level, each in enumerate(scores):
        values = sorted(set(each))
        axes.step(
            values, [share(each, value) for value in values], where="post", label=f"level {level}"
        )
    axes.set(
        yscale="log",
        xlabel="best score of a search in moves",
        ylabel="fraction of searches with it or more",
    )
    axes.legend(frameon=False)
    axes.grid(color="#DDDDDD", linewidth=0.6)
    figure.savefig(path)


def intermediate(at: Scale) -> list[Effort]:
    """Return searches of level 3 whose ties and improvements are kept."""
    runs, iterations = at.number(8, 40, 200), at.pick(5, 100, 100, 100)

    def measure() -> list[dict[str, list[int]]]:
        return [contents(seed, iterations) for seed in range(runs)]

    made = {"MorpT": runs * iterations * 100**2}
    return [Measured("nrpa-2011-table-6", measure, runs, made, PROBLEMS, NRPA(3))]


@item("table 6", "What intermediate solutions of MorpT are made of", intermediate)
def table_6(lab: Lab) -> Finding:
    """Sort the codes of ties and improvements at level 3: prefix, permutation, hybrid or new."""
    paper = {"ties": (0.1, 89.7, 8.3, 1.9), "improvements": (0.1, 65.0, 14.9, 20.0)}
    of_runs = lab.kept("nrpa-2011-table-6")
    shares = {name: [shared(run[name]) for run in of_runs if any(run[name])] for name in paper}
    rows = [
        [
            name,
            *(
                f"{fmean(ours):.1f} % ({theirs} %)"
                for ours, theirs in zip(zip(*shares[name], strict=True), paper[name], strict=True)
            ),
        ]
        for name in paper
    ]
    permuted = {name: [each[1] for each in shares[name]] for name in paper}
    hybrid = [tuple(shared(run[name])[2] for name in paper) for run in of_runs]
    claims = [
        *(
            Claim(f"most codes of {name} are permutations", each, [50.0] * len(each), paired=True)
            for name, each in permuted.items()
        ),
        Claim(
            "improvements have more hybrid codes than ties",
            [better for _, better in hybrid],
            [tie for tie, _ in hybrid],
            paired=True,
        ),
    ]
    numbers = [
        Mean(f"{kind} codes in {name}, %", [each[place] for each in shares[name]], theirs, 5.0)
        for name in paper
        for place, (kind, theirs) in enumerate(zip(KINDS, paper[name], strict=True))
    ]
    header = ["", *(f"{kind}, ours (paper)" for kind in KINDS)]
    return Finding(
        header,
        rows,
        claims,
        numbers=numbers,
        note="Ours are means of the shares of each search.",
    )


KINDS = ("prefix", "permutation", "hybrid", "new")


def shared(counts: Sequence[int]) -> list[float]:
    """Return counts in percent."""
    return [100 * count / max(sum(counts), 1) for count in counts]


def contents(seed: int, iterations: int) -> dict[str, list[int]]:
    """Count the codes of ties and of improvements in a search of level 3, by category."""
    problem = PROBLEMS["MorpT"]()
    policy, best, older = Policy(problem), None, set[Any]()
    found = {name: [0] * len(KINDS) for name in ("ties", "improvements")}
    for i in range(iterations):
        new = run_level(problem, policy, 2, key=Key(seed).child(i))
        if best is None or new.score >= best.score:
            if best is not None:
                name = "ties" if new.score == best.score else "improvements"
                counts = categories(chosen(new), chosen(best), older)
                found[name] = [total + n for total, n in zip(found[name], counts, strict=True)]
                older |= set(chosen(best))
            best = new
        adapt(policy, best)
    return found


def chosen(playout: Playout) -> list[Any]:
    """Return the codes of the moves played."""
    return [step.codes[step.chosen] for step in playout.steps]


def categories(new: list[Any], before: list[Any], older: set[Any]) -> list[int]:
    """Count the codes of the common beginning, of the last solution, of an older one, and new."""
    prefix = 0
    while prefix < min(len(new), len(before)) and new[prefix] == before[prefix]:
        prefix += 1
    rest = new[prefix:]
    permuted = sum(code in set(before) for code in rest)
    hybrid = sum(code in older and code not in set(before) for code in rest)
    return [prefix, permuted, hybrid, len(rest) - permuted - hybrid]
