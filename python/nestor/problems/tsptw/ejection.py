"""The twin of the core's ejection: makes room for the cities that a tour misses.

See `crates/problems/src/tsptw/ejection.rs`, which says how; this is the same, step by step.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

PAIRS = 8
STEPS = 10
LOOKS = 20_000
SHAKES = 20
SHAKEN = 15

Rows = list[list[float]]


@dataclass(frozen=True)
class Way:
    """A changed tour up to a place of the present one, and by how much it is longer."""

    place: int
    node: int
    time: float
    added: float
    inserted: int | None
    leave: tuple[int, ...]
    counts: int


def ejected(rows: Rows, windows: Rows, order: list[int], random: Iterator[float]) -> list[int]:
    """Return the tour that is found to miss the fewest windows."""
    best = Ejection(rows, windows, windows[0][1], random)
    best.search(order)
    out = len(best.out)
    best.put_in_late()
    # If a city has to come last, the depot has closed then.
    missed = out + bool(best.out)
    if missed > 1:
        other = Ejection(rows, windows, math.inf, random)
        other.search(order)
        if len(other.out) + 1 < missed:
            best = other
    return best.tour + best.out


@dataclass
class Ejection:
    """A tour without some cities, in which none is late, if the depot closes at `close`."""

    rows: Rows
    windows: Rows
    close: float
    random: Iterator[float]
    tour: list[int] = field(default_factory=list)
    out: list[int] = field(default_factory=list)
    late: set[int] = field(default_factory=set)
    looks: int = 0

    def search(self, order: list[int]) -> None:
        """Look for the tour with the fewest cities left out."""
        self.begin(order)
        tour, out = list(self.tour), list(self.out)
        idle = 0
        while self.out and self.goes_on() and idle < STEPS * len(self.rows):
            self.step()
            idle += 1
            if len(self.out) < len(out):
                tour, out = list(self.tour), list(self.out)
                idle = 0
            self.shake()
        self.tour, self.out = tour, out
        self.note_times()

    def begin(self, order: list[int]) -> None:
        """Leave out the cities that are late."""
        self.counts = [1] * len(self.rows)
        node, time = 0, self.windows[0][0]
        for city in order:
            then = self.leaves(node, time, city)
            if then is None or then + self.rows[city][0] > self.close:
                self.out.append(city)
            else:
                self.tour.append(city)
                node, time = city, then
        self.note_times()

    def goes_on(self) -> bool:
        """Return whether not too much has been looked at."""
        return self.looks < LOOKS * len(self.rows)

    def leaves(self, origin: int, time: float, node: int) -> float | None:
        """Return when the tour can leave a node that it goes to, None if it comes too late."""
        arrival = time + self.rows[origin][node]
        earliest, latest = self.windows[node]
        return max(arrival, earliest) if arrival <= latest else None

    def at(self, place: int) -> int:
        """Return the node at a place; the depot after the last."""
        return self.tour[place] if place < len(self.tour) else 0

    def before(self, place: int) -> tuple[int, float]:
        """Return the node before a place, and when the tour can leave it."""
        return (self.tour[place - 1], self.times[place - 1]) if place else (0, self.windows[0][0])

    def note_times(self) -> None:
        """Work out when the tour leaves each city, and when it may at the latest."""
        self.looks += len(self.tour)
        self.times: list[float] = []
        for place, city in enumerate(self.tour):
            node, time = self.before(place)
            self.times.append(max(time + self.rows[node][city], self.windows[city][0]))
        self.last = [self.close]
        for place, city in reversed(list(enumerate(self.tour))):
            leave = self.last[0] - self.rows[city][self.at(place + 1)]
            latest = math.inf if city in self.late else self.windows[city][1]
            self.last.insert(0, min(leave, latest))

    def step(self) -> None:
        """Put in one of the cities that are left out, if there is a way."""
        city = self.out.pop(self.below(len(self.out)))
        self.counts[city] += 1
        self.found: Way | None = None
        pairs = self.below(PAIRS) == 0
        for self.most in (1, 2) if pairs else (1,):
            for place in range(len(self.tour) + 1):
                node, time = self.before(place)
                self.follow(city, Way(place, node, time, 0.0, None, (), 0))
        if self.found is None:
            self.out.append(city)
            return
        places: list[int | None] = list(range(len(self.tour)))
        places.insert(self.found.inserted or 0, None)
        tour, leave = self.tour, self.found.leave
        self.tour = [city if k is None else tour[k] for k in places if k not in leave]
        self.out += [tour[k] for k in leave]
        self.note_times()

    def follow(self, city: int, way: Way) -> None:
        """Look at all tours that go on so, and put in the city."""
        while True:
            self.looks += 1
            if not self.goes_on():
                return
            following, gone = self.at(way.place), self.rows[self.before(way.place)[0]]
            there = self.rows[way.node][following]
            added = way.added + (there - gone[following])
            if way.inserted is not None:
                if max(way.time + there, self.windows[following][0]) <= self.last[way.place]:
                    self.offer(replace(way, added=added))
                    return
            elif way.time > self.windows[city][1]:
                return
            else:
                time = self.leaves(way.node, way.time, city)
                if time is not None:
                    longer = way.added + self.rows[way.node][city]
                    inserted = Way(way.place, city, time, longer, way.place, way.leave, way.counts)
                    self.follow(city, inserted)
            if way.place == len(self.tour):
                return
            counts = way.counts + self.counts[following]
            if len(way.leave) < self.most and (self.found is None or counts < self.found.counts):
                leave, shorter = (*way.leave, way.place), way.added - gone[following]
                without = Way(
                    way.place + 1, way.node, way.time, shorter, way.inserted, leave, counts
                )
                self.follow(city, without)
            time = self.leaves(way.node, way.time, following)
            # Cities that leave must make the tour faster up to the city for which they do.
            if time is None or (way.inserted is None and time >= self.times[way.place]):
                return
            way = replace(way, place=way.place + 1, node=following, time=time, added=added)

    def offer(self, way: Way) -> None:
        """Keep a way to put in the city if it is better."""
        found = self.found
        if found is None or (way.counts, way.added) < (found.counts, found.added):
            self.found = way

    def put_in_late(self) -> None:
        """Put the cities that are left out where they make no other late, if there are places."""
        cities, self.out = self.out, []
        for city in cities:
            best: tuple[float, int] | None = None
            for place in range(len(self.tour) + 1):
                (node, time), following = self.before(place), self.at(place)
                there, on = self.rows[node][city], self.rows[city][following]
                arrival = max(time + there, self.windows[city][0]) + on
                added = there + on - self.rows[node][following]
                fits = max(arrival, self.windows[following][0]) <= self.last[place]
                if fits and node != following and (best is None or added < best[0]):
                    best = added, place
            if best is None:
                self.out.append(city)
            else:
                self.late.add(city)
                self.tour.insert(best[1], city)
                self.note_times()

    def shake(self) -> None:
        """Change the tour at random, so that no city is late."""
        for _ in range(SHAKES):
            if len(self.tour) < 2:
                return
            start = self.below(len(self.tour) - 1)
            end = min(len(self.tour), start + 2 + self.below(SHAKEN))
            how, by = self.below(3), min(1 + self.below(3), end - start - 1)
            window = self.tour[start:end]
            if how == 0:
                window.reverse()
            else:
                turn = by if how == 1 else len(window) - by
                window = window[turn:] + window[:turn]
            if self.in_time(start, window):
                self.tour[start:end] = window
                self.note_times()

    def in_time(self, start: int, window: list[int]) -> bool:
        """Return whether no city is late if these come at some places."""
        node, time = self.before(start)
        for city in window:
            self.looks += 1
            then = self.leaves(node, time, city)
            if then is None:
                return False
            node, time = city, then
        end = start + len(window)
        following = self.at(end)
        arrival = time + self.rows[node][following]
        return max(arrival, self.windows[following][0]) <= self.last[end]

    def below(self, count: int) -> int:
        """Draw an index below `count`."""
        return int(next(self.random) * count)
