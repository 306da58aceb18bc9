"""Tours with time windows, made at random in the style of published ones.

Each instance is built around a tour, so that some tour misses no window. All numbers are integers.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

from nestor.problems import TSPTW

Point = tuple[int, int]
Window = tuple[int, int]

OPEN = 10**6
"""When a window closes that stays open."""


def rows(stops: int, width: int, number: int) -> TSPTW:
    """Return stops at random, with windows around the times of a tour that goes in rows."""
    rng = random.Random(stops + width + 7919 * number)
    points = _points(rng, stops, 10 * int(stops**0.5))
    matrix = _distances(points)
    tour = sorted(range(1, stops + 1), key=lambda k: (points[k][0] // 20, points[k][1]))
    windows = [(0, OPEN)] * (stops + 1)
    for stop, clock in _times(matrix, tour):
        first = max(0, clock - rng.randrange(width))
        windows[stop] = (first, first + width)
    return TSPTW(matrix, windows, label=f"{stops} stops, width {width}, number {number}")


def near(stops: int, width: int, number: int) -> TSPTW:
    """Return stops on 50 x 50, with windows around the times of a tour to the second nearest.

    So are those of Dumas et al. (1995), which Gendreau et al. (1998) and Ohlmann and Thomas (2007)
    made wider: the sides of a window are drawn from 0 to half its width.
    """
    rng = random.Random(f"near {stops} {width} {number}")
    points = _points(rng, stops, 51)
    matrix = _distances(points)
    left, tour = set(range(1, stops + 1)), [0]
    while left:
        nearest = sorted(left, key=lambda k: (matrix[tour[-1]][k], k))
        tour.append(nearest[min(1, len(nearest) - 1)])
        left.remove(tour[-1])
    windows = [(0, OPEN)] * (stops + 1)
    for stop, clock in _times(matrix, tour[1:]):
        early, late = rng.randint(0, width // 2), rng.randint(0, width // 2)
        windows[stop] = (max(0, clock - early), clock + late)
    return TSPTW(matrix, windows, label=f"{stops} near stops, width {width}, number {number}")


def narrow(stops: int, width: int, number: int) -> TSPTW:
    """Return stops far apart with narrow windows and long waits, as Langevin et al. (1993) made."""
    rng = random.Random(f"narrow {stops} {width} {number}")
    points = _points(rng, stops, 1000)
    matrix = _distances(points)
    tour = rng.sample(range(1, stops + 1), stops)
    windows, wait = [(0, 10 * OPEN)] * (stops + 1), 0
    for stop, clock in _times(matrix, tour):
        wait += rng.randrange(200)
        first = max(0, clock + wait - rng.randrange(10 * width))
        windows[stop] = (first, first + 10 * width)
    return TSPTW(matrix, windows, label=f"{stops} far stops, width {width}, number {number}")


def crane(stops: int, width: int, number: int) -> TSPTW:
    """Return the jobs of a stacker crane: from here to there, in windows of very different widths.

    So are those of Ascheuer et al. (2001). The time of a move contains the job that it comes from,
    so the matrix is asymmetric. A crane that goes to a near job of those that are there has a time
    for each job. The window begins and ends at a time before and after that, drawn from 1 to
    `width` on a scale of logarithms; a tenth is open from the beginning or to the end.
    """
    rng = random.Random(f"crane {stops} {width} {number}")
    door = (0, 0)
    jobs: list[tuple[Point, Point]] = [(door, door)]
    for _ in range(stops):
        a, b = ((rng.randrange(60), rng.randrange(20)) for _ in range(2))
        jobs.append(rng.choice([(door, b), (a, door), (a, b)]))
    work = [0] + [8 + _longer(*job) for job in jobs[1:]]
    matrix = [[work[i] + _longer(end, jobs[j][0]) for j in range(stops + 1)]
              for i, (_, end) in enumerate(jobs)]  # fmt: skip
    there = sorted(range(1, stops + 1), key=lambda _: rng.random())
    tour, last = [], 0
    while there:
        last = min(there[:8], key=lambda k: (matrix[last][k], k))
        tour.append(last)
        there.remove(last)
    windows = [(0, OPEN)] * (stops + 1)
    for stop, clock in _times(matrix, tour):
        early, late = (round(width ** rng.random()) for _ in range(2))
        opened, closed = rng.random() < 0.1, rng.random() < 0.1
        windows[stop] = (
            0 if opened else max(0, clock - early),
            OPEN if closed else clock + late,
        )
    return TSPTW(matrix, windows, label=f"{stops} jobs, width {width}, number {number}")


MAKERS: dict[str, tuple[Callable[[int, int, int], TSPTW], tuple[int, ...]]] = {
    "random": (rows, (100, 300, 1000)),
    "near": (near, (120, 140, 160)),
    "narrow": (narrow, (20, 40, 60)),
    "crane": (crane, (300, 1000, 3000)),
}
"""What makes instances of a style, and the widths of their windows."""


def made(style: str, stops: int, numbers: int) -> Iterator[TSPTW]:
    """Yield instances of a style: so many of each width."""
    maker, widths = MAKERS[style]
    for width in widths:
        for number in range(numbers):
            yield maker(stops, width, number)


def _points(rng: random.Random, stops: int, side: int) -> list[Point]:
    return [(rng.randrange(side), rng.randrange(side)) for _ in range(stops + 1)]


def _distances(points: list[Point]) -> list[list[int]]:
    return [[round(((a - c) ** 2 + (b - d) ** 2) ** 0.5) for c, d in points] for a, b in points]


def _longer(a: Point, b: Point) -> int:
    """Return the time of a crane that moves along and up at once."""
    return max(abs(a[0] - b[0]), abs(a[1] - b[1]))


def _times(matrix: list[list[int]], tour: list[int]) -> Iterator[tuple[int, int]]:
    """Yield the stops of a tour that never waits, with its times."""
    clock, last = 0, 0
    for stop in tour:
        clock, last = clock + matrix[last][stop], stop
        yield stop, clock
