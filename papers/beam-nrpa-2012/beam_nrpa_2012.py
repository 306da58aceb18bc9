"""The tables and figures of beam-nrpa-2012."""

from __future__ import annotations

import csv
from typing import Any

from kit import Claim, Finding, Lab, item
from kit.tables import draw_means, mean

from nestor import NRPA, BeamNRPA, data
from nestor.problems import TSPTW, Morpion

SET = "tsptw/SolomonPotvinBengio"
BEAMS = {20: (2, 4, 8, 16, 32, 64), 50: (2, 4, 8, 16), 100: (2, 4, 8)}
"""The sizes of the beam, by N."""

ROUNDING = 0.006
"""Best known costs have two decimals."""


def tour(name: str) -> TSPTW:
    """Return an instance; as in the paper, all moves are legal."""
    return TSPTW.read(data.find(f"{SET}/{name}.txt"), selective=False)


def against_nrpa(lab: Lab, name: str, problem: Any, why: str) -> Finding:
    """Compare the beam with the best of B runs of NRPA, at B N^2 playouts, level 2."""
    sizes = (
        {20: BEAMS[20], 50: BEAMS[50], 100: BEAMS[100]} if lab.scale != "smoke" else {20: (2, 4)}
    )
    curves: dict[str, dict[float, list[float]]] = {}
    rows, claims = [], []
    for iterations, beams in sizes.items():
        most = beams[-1] * iterations**2
        searches = {f"beam {beam}": BeamNRPA(2, iterations, beam=beam) for beam in beams}
        runs = lab.compare(
            f"beam-nrpa-2012-{name}-{iterations}",
            {name: problem},
            {"NRPA": NRPA(2, iterations), **searches},
            seeds=lab.runs(20, 30, 30),
            playouts=most,
        )
        for beam in beams:
            cost = beam * iterations**2
            ours = runs.of(algorithm=f"beam {beam}").at(playouts=cost).scores
            best = runs.of(algorithm="NRPA").at(playouts=cost).scores
            curves.setdefault(f"beam, N = {iterations}", {})[cost] = ours
            curves.setdefault(f"NRPA, N = {iterations}", {})[cost] = best
            rows.append([str(iterations), str(beam), f"{cost:,}", mean(ours), mean(best)])
        text = f"a beam of {beam} is better than the best of {beam} runs, N = {iterations}"
        claims.append(Claim(text, ours, best, runs[0]["sense"], why=why))
    score = "mean number of moves" if runs[0]["sense"] == "max" else "mean cost"
    return Finding(
        ["N", "B", "playouts", "beam", "best of B runs of NRPA"],
        rows,
        claims,
        note="The paper's figures have no numbers. The beam adapts all its entries and keeps them "
        "different, which is the default; the rule as printed is no better than NRPA.",
        picture=lambda path: draw_means(curves, "playouts", score, path),
    )


@item("figure 3", "rc_203.1: beams and the best of as many runs of NRPA")
def figure_3(lab: Lab) -> Finding:
    """Compare on the easier tour, with 19 cities."""
    why = "On 19 cities a few tours that miss a window decide; it takes 300 runs to tell them apart"
    return against_nrpa(lab, "rc_203.1", tour("rc_203.1"), why)


@item("figure 4", "rc_202.3: beams and the best of as many runs of NRPA")
def figure_4(lab: Lab) -> Finding:
    """Compare on the harder tour, with 29 cities."""
    return against_nrpa(lab, "rc_202.3", tour("rc_202.3"), "")


@item("figure 5", "Morpion 5D: beams and the best of as many runs of NRPA")
def figure_5(lab: Lab) -> Finding:
    """Compare on Morpion Solitaire, the disjoint version."""
    return against_nrpa(lab, "5D", Morpion("5D"), "")


@item("table 1", "The 30 instances of SolomonPotvinBengio")
def table_1(lab: Lab) -> Finding:
    """Search all instances with NRPA and with a beam, and count the best known costs."""
    with data.find(f"{SET}_best_known.csv").open(newline="") as file:
        known = list(csv.DictReader(line for line in file if not line.startswith("#")))
    if lab.scale == "smoke":
        known = known[:3]
    names = [row["instance"].removesuffix(".txt") for row in known]
    searches = {"NRPA": NRPA(3), "beam": BeamNRPA(3, beam=4)}
    seeds = lab.runs(1, 5, 10)
    runs = lab.compare(
        "beam-nrpa-2012-table-1",
        {name: tour(name) for name in names},
        searches,
        seeds=seeds,
        playouts=lab.playouts(150_000, 10**7, 10**8),
    )
    rows, found = [], dict.fromkeys(searches, 0)
    for row, name in zip(known, names, strict=True):
        best = float(row["best_known_cost"])
        ours = {search: min(runs.of(name, search).scores) for search in searches}
        for search, score in ours.items():
            found[search] += score <= best + ROUNDING
        shown = [f"{ours[search]:,.2f}" for search in searches]
        rows.append([name, f"{best:.2f}", *shown, row["seed000_beam_NRPA"]])
    count = len(names)
    facts = [
        (
            f"the beam finds {found['beam']} of {count} best known costs (paper 19 of 30), NRPA "
            f"{found['NRPA']} (paper 13 of 30)",
            found["beam"] >= found["NRPA"],
        )
    ]
    return Finding(
        ["instance", "best known", "NRPA", "beam", "paper's beam"],
        rows,
        facts=facts,
    )
