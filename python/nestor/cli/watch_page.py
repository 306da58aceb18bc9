"""The page of `nestor watch --html`: the score over time of runs that are under way."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from nestor.files import write_file
from nestor.runs.improvements import drawn, pace, score_of
from nestor.safe import markup
from nestor.text import format_score, format_seconds

WIDTH, HEIGHT = 640, 260
LEFT, RIGHT, ABOVE, BELOW = 90, 12, 20, 32
"""The chart and its margins, in the units of its view box."""

COLOURS = ("#0b62a8", "#c2410c", "#15803d", "#a21caf", "#b45309", "#0e7490", "#be123c", "#4d7c0f")
"""Of jobs, in turn; all are readable on white and on black."""

MOST = 64
"""The most jobs that a chart and its table show: those with the best scores."""

STYLE = """
:root { --ground: #ffffff; --ink: #1f2933; --faint: #5b6672; --rule: #d5dae1; }
@media (prefers-color-scheme: dark) {
  :root { --ground: #15181c; --ink: #e8ebef; --faint: #a3adb8; --rule: #3a424c; }
  polyline { filter: brightness(1.6); }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 1400px; padding: 1rem; background: var(--ground);
  color: var(--ink); font: 16px/1.45 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.25rem; } h2 { font-size: 1.05rem; margin: 0; }
p, caption { color: var(--faint); margin: .2rem 0; text-align: left; }
main { display: grid; gap: 1rem;
  grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr)); }
section { border: 1px solid var(--rule); border-radius: 6px; padding: .8rem; min-width: 0; }
figure { margin: .6rem 0 0; background: #ffffff; } figcaption { background: var(--ground); }
figure img { display: block; margin: auto; max-width: 100%; max-height: 60vh; }
a { color: inherit; }
svg { width: 100%; height: auto; max-height: 45vh; display: block; }
svg text { fill: var(--faint); font-size: 13px; }
svg line { stroke: var(--rule); } polyline { fill: none; stroke-width: 2; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
th, td { text-align: right; padding: .1rem .3rem; overflow-wrap: normal;
  border-top: 1px solid var(--rule); }
th { font-weight: 600; }
@media (max-width: 520px) {
  svg text { font-size: 26px; }
  th:last-child, td:last-child { display: none; }
}
"""


def write(path: str | os.PathLike[str], runs: Sequence[Run], every: float) -> None:
    """Write the page whole: it loads nothing, and reads itself again.

    Parameters
    ----------
    path : path
    runs : sequence of Run
        They stand side by side; those of one problem have the same axes.
    every : float
        Seconds after which the page reads itself again; 0 for never.

    Raises
    ------
    InputError
        If the file cannot be written.
    """
    again = f'<meta http-equiv="refresh" content="{max(1, round(every))}">' if every else ""
    policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
    sections = "\n".join(_section(run, _beside(run, runs)) for run in runs)
    page = (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n{again}\n'
        '<meta name="color-scheme" content="light dark">\n<link rel="icon" href="data:,">\n'
        f"<title>{markup(_title(runs))}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n"
        f"<h1>{markup(_title(runs))}</h1>\n<main>\n{sections}\n</main>\n</body>\n</html>\n"
    )
    write_file(path, page)


@dataclass(eq=False)
class Run:
    """A run as its log tells it.

    Attributes
    ----------
    name : str
        What stands above it.
    lines : sequence of dict
        Its improvements, with ``job``, ``playouts``, ``seconds``, ``score`` and, if the log knows
        them, ``problem`` and ``algorithm``, oldest first.
    best : sequence of dict
        Those that improved on all before them.
    figure : str
        Its best solution as HTML, if that is known.
    """

    name: str
    lines: Sequence[dict[str, Any]]
    best: Sequence[dict[str, Any]]
    figure: str = ""

    @property
    def jobs(self) -> dict[int, list[dict[str, Any]]]:
        """The improvements of each job, the job of the best score first."""
        found: dict[int, list[dict[str, Any]]] = {}
        for line in self.lines:
            found.setdefault(line["job"], []).append(line)
        down = len(self.best) > 1 and self.best[-1]["score"] < self.best[0]["score"]
        sign = 1 if down else -1
        ranked = sorted(found, key=lambda job: (sign * found[job][-1]["score"], job))
        return {job: found[job] for job in ranked[:MOST]}

    @property
    def problem(self) -> object:
        """The name of the problem; of logs that do not have it another object for each run."""
        return self.lines[0].get("problem", self) if self.lines else self


def _title(runs: Sequence[Run]) -> str:
    scores = ", ".join(score_of(run.best[-1]) for run in runs if run.best)
    return f"{scores or 'no result yet'}: {', '.join(run.name for run in runs)}"


def _beside(run: Run, runs: Sequence[Run]) -> list[dict[str, Any]]:
    """Return the improvements of all runs of the same problem."""
    alike = [other for other in runs if other.problem == run.problem]
    return [line for other in alike for found in other.jobs.values() for line in found]


def _section(run: Run, beside: Sequence[dict[str, Any]]) -> str:
    """Return the section of a run, whose axes hold all these improvements."""
    if not run.lines:
        return f"<section>\n<h2>{markup(run.name)}</h2>\n<p>no improvement yet</p>\n</section>"
    best = run.best[-1]
    told = f"best {score_of(best)} after {format_seconds(best['seconds'])}, {pace(run.lines)}"
    of = ", ".join(best[what] for what in ("problem", "algorithm") if what in best)
    rows = "\n".join(
        f'<tr><td><span style="color: {_colour(job)}">&#9632;</span> {job}</td>'
        f"<td>{markup(score_of(found[-1]))}</td>"
        f"<td>{markup(format_seconds(found[-1]['seconds']))}</td>"
        f"<td>{found[-1]['playouts']:,}</td><td>{len(found)}</td></tr>"
        for job, found in run.jobs.items()
    )
    return (
        f"<section>\n<h2>{markup(run.name)}</h2>\n<p>{markup(of)}</p>\n<p>{markup(told)}</p>\n"
        f"{_chart(run, beside)}\n"
        "<table>\n<tr><th>job</th><th>score</th><th>found after</th><th>playouts</th>"
        f"<th>improvements</th></tr>\n{rows}\n</table>\n{run.figure}</section>"
    )


def _colour(job: int) -> str:
    return COLOURS[job % len(COLOURS)]


def _chart(run: Run, beside: Sequence[dict[str, Any]]) -> str:
    """Return the score of each job over time, which is on a logarithmic axis."""
    jobs = run.jobs
    times = [max(line["seconds"], 1e-3) for line in beside]
    first, last = math.log(min(times)), math.log(max(times))
    low, high = (pick(drawn(line) for line in beside) for pick in (min, max))
    wide, tall = WIDTH - LEFT - RIGHT, HEIGHT - ABOVE - BELOW

    def x(seconds: float) -> float:
        share = (math.log(max(seconds, 1e-3)) - first) / ((last - first) or 1.0)
        return round(LEFT + wide * share, 1)

    def y(score: float) -> float:
        # Halves: the difference of two scores may be more than a float holds.
        share: float = (score / 2 - low / 2) / ((high / 2 - low / 2) or 1.0)
        return round(ABOVE + tall * (1 - share), 1)

    curves = []
    for job, found in reversed(jobs.items()):
        points, before = [], None
        for line in found:
            across = x(line["seconds"])
            if before is not None:
                points.append(f"{across},{before}")
            before = y(drawn(line))
            points.append(f"{across},{before}")
        points.append(f"{WIDTH - RIGHT},{before}")
        curves.append(f'<polyline stroke="{_colour(job)}" points="{" ".join(points)}"/>')
    floor = HEIGHT - BELOW
    texts = [
        f'<text x="{LEFT - 6}" y="{y(score) + 4}" text-anchor="end">'
        f"{markup(format_score(score))}</text>"
        for score in dict.fromkeys((low, high))
    ]
    for end, anchor, place in ((first, "start", LEFT), (last, "end", WIDTH - RIGHT)):
        texts.append(
            f'<text x="{place}" y="{HEIGHT - 8}" text-anchor="{anchor}">'
            f"{markup(format_seconds(math.exp(end)))}</text>"
        )
    texts.append(
        f'<text x="{LEFT + wide // 2}" y="{HEIGHT - 8}" text-anchor="middle">'
        "time, logarithmic</text>"
    )
    best = score_of(run.best[-1])
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{markup(best)}, the best '
        f'score, over time">\n<line x1="{LEFT}" y1="{floor}" x2="{WIDTH - RIGHT}" y2="{floor}"/>'
        f'<line x1="{LEFT}" y1="{ABOVE}" x2="{LEFT}" y2="{floor}"/>\n'
        + "\n".join((*curves, *texts))
        + "\n</svg>"
    )
