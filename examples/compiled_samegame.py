"""SameGame as a user writes it, compiled: the same games as the built-in problem, and its speed.

    python examples/compiled_samegame.py [problems.txt] --playouts 100000

Columns are words of bits, as in the built-in problem, and a move only looks again at the groups
that it may have changed (extra ``compiled``).
"""

# mypy: allow-untyped-defs, allow-untyped-calls

import argparse
import time
from typing import Any

import numpy as np

import nestor
from nestor.problems import SameGame


@nestor.compiled
class Game:
    """Remove groups of a colour. A move is the lowest cell of a group's leftmost column."""

    def __init__(self, board: tuple[str, ...]) -> None:
        rows = [[0 if cell == "." else int(cell) + 1 for cell in row] for row in board[::-1]]
        self.height, self.width = len(rows), len(rows[0])
        self.board = np.array(rows)
        shape = 16, self.width, self.height
        self.numbers = np.random.default_rng(1).integers(0, 1 << 63, shape, dtype=np.uint64)
        # The place of the only bit of a word, by its remainder.
        self.place = np.zeros(37, dtype=np.int64)
        for bit in range(36):
            self.place[(1 << bit) % 37] = bit
        masks = "above", "left", "groups", "group", "open"
        self.state = np.dtype(
            [("width", "i8"), ("points", "i8"), ("planes", "i8", (self.width + 1, 4))]
            + [(name, "i8", self.width + 1) for name in masks]
            + [("codes", "u8", self.width * self.height)]
        )

    def initial(self, s):
        """Let the cells fall, close empty columns, and find the groups."""
        for x in range(self.width):
            bit = 1
            for y in range(self.height):
                if self.board[y, x] > 0:
                    for plane in range(4):
                        s.planes[s.width, plane] |= bit * (self.board[y, x] >> plane & 1)
                    bit *= 2
            s.width += bit > 1
        self.link(s, 0, s.width)
        self.regroup(s, 0, s.width, -1)

    def occupied(self, s, x):
        """Return the cells of a column."""
        return s.planes[x, 0] | s.planes[x, 1] | s.planes[x, 2] | s.planes[x, 3]

    def link(self, s, start, end):
        """Compare columns with themselves, a row higher, and with their neighbours."""
        for x in range(start, end + 1):
            differ = beside = 0
            for plane in range(4):
                cells = s.planes[x, plane]
                differ |= cells ^ cells >> 1
                beside |= cells ^ s.planes[max(x - 1, 0), plane]
            cells = self.occupied(s, x)
            s.above[x] = cells >> 1 & ~differ
            s.left[x] = cells & ~beside if x > 0 else 0

    def reach(self, cells, above):
        """Return the cells of a column that are reached by steps up and down."""
        # Adding to a run of ones carries through it: everything upwards in one step.
        cells |= above ^ (above + (cells & above))
        below = cells >> 1 & above & ~cells
        while below != 0:
            cells |= below
            below = cells >> 1 & above & ~cells
        return cells

    def find(self, s, x, cell):
        """Leave the group of a cell in `group`; return its columns."""
        first, last, grown = x, x, True
        s.group[x] = self.reach(cell, s.above[x])
        while grown:
            grown = False
            x = first
            while x <= last:
                for side in range(2):
                    other = x + 1 - 2 * side
                    if other < 0 or other >= s.width:
                        continue
                    beside = s.group[x] & s.left[x + 1 - side]
                    if beside & ~s.group[other] != 0:
                        s.group[other] = self.reach(s.group[other] | beside, s.above[other])
                        first, last = min(first, other), max(last, other)
                        grown = grown or other < x
                x += 1
        return first, last

    def regroup(self, s, start, end, rows):
        """Find again all groups that have a cell in some columns and rows."""
        for x in range(start, end):
            linked = s.above[x] | s.above[x] << 1 | s.left[x] | s.left[x + 1]
            s.open[x] = linked & rows
            s.groups[x] &= ~rows
        for x in range(start, end):
            while s.open[x] != 0:
                first, last = self.find(s, x, s.open[x] & -s.open[x])
                name = s.group[first] & -s.group[first]
                colour = 0
                for plane in range(4):
                    colour |= ((s.planes[first, plane] & name) != 0) << plane
                code = np.uint64(0)
                for column in range(first, last + 1):
                    cells = s.group[column]
                    s.groups[column] &= ~cells
                    s.open[column] &= ~cells
                    s.group[column] = 0
                    while cells != 0:
                        code ^= self.numbers[colour, column, self.place[(cells & -cells) % 37]]
                        cells &= cells - 1
                s.groups[first] |= name
                s.codes[first * self.height + self.place[name % 37]] = code

    def moves(self, s, out):
        """Remove any group."""
        for x in range(s.width):
            names = s.groups[x]
            while names != 0:
                cell = x * self.height + self.place[(names & -names) % 37]
                out.add(cell, s.codes[cell])
                names &= names - 1

    def play(self, s, cell):
        """Remove the group of a cell; the cells above fall, and empty columns are closed."""
        x = cell // self.height
        first, last = self.find(s, x, 1 << cell - x * self.height)
        size, gone, emptied = 0, 0, False
        for x in range(first, last + 1):
            cells = s.group[x]
            gone |= cells
            s.group[x] = 0
            while cells != 0:
                below = (cells & -cells) - 1
                for plane in range(4):
                    column = s.planes[x, plane]
                    s.planes[x, plane] = column & below | column >> 1 & ~below
                cells = cells >> 1 & ~below
                size += 1
            emptied = emptied or self.occupied(s, x) == 0
        s.points += (size - 2) ** 2
        # Nothing below the lowest removed cell has moved.
        start, end, rows = max(first - 1, 0), last + 2, -(gone & -gone)
        if emptied:
            width = first
            for x in range(first, s.width):
                for plane in range(4):
                    s.planes[width, plane] = s.planes[x, plane]
                width += self.occupied(s, width) != 0
            for x in range(width, s.width):
                s.groups[x] = 0
                for plane in range(4):
                    s.planes[x, plane] = 0
            end, rows, s.width = self.width, -1, width
            if width == 0:
                s.points += 1000
        self.link(s, start, min(end, self.width))
        self.regroup(s, start, min(end, s.width), rows)

    def score(self, s):
        """Return the points."""
        return s.points


def main() -> None:
    """Search with both and compare."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("file", nargs="?")
    parser.add_argument("--playouts", type=int, default=100_000)
    parser.add_argument("--repeats", type=int, default=3)
    chosen = parser.parse_args()
    file = chosen.file or nestor.data.find("samegame/problems.txt")
    built_in = SameGame.read(file, board=1, tabu=False)
    own: Any = Game(built_in.board)
    nestor.testing.check_problem(own)  # compiles, too
    best: dict[str, float] = {}
    for _ in range(chosen.repeats):
        games = []
        for name, problem in {"compiled": own, "built in": built_in}.items():
            begun = time.process_time()
            algorithm = nestor.GNRPA(level=3, bias="none")
            result = nestor.solve(problem, algorithm, playouts=chosen.playouts, seed=1, threads=1)
            rate = chosen.playouts / (time.process_time() - begun)
            best[name] = max(best.get(name, 0.0), rate)
            games.append([m if name == "built in" else divmod(m, own.height) for m in result.moves])
        assert [tuple(move) for move in games[0]] == [tuple(move) for move in games[1]]
    for name, rate in best.items():
        print(f"{name:9} {rate:9,.0f} playouts per second of the processor")
    print(f"ratio     {best['compiled'] / best['built in']:9.2f}")


if __name__ == "__main__":
    main()
