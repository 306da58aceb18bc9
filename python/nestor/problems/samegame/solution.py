"""A finished game, and a check of it that shares nothing with the rules of the search."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, TypeAlias

from nestor.arrays import np, npt
from nestor.errors import VerificationError
from nestor.problems.base import Solution
from nestor.problems.samegame import rules
from nestor.problems.samegame.rules import Cell, Position
from nestor.text import WIDTH, counted

Grid: TypeAlias = "npt.NDArray[np.int8]"


@dataclass(frozen=True, repr=False)
class Game(Solution):
    """A game of SameGame, from the first move to the last.

    Attributes
    ----------
    board : tuple of str
        The initial board, rows from the top: digits are colours, "." is no cell.
    moves : tuple of (int, int)
        For each move a cell of the group removed: column from the left and row from the bottom,
        both from 0, in the position at that moment.
    points : tuple of int
        The points of each move, without the bonus for an empty board.
    total : int
        All points, including the bonus.
    cleared : bool
        Whether no cell is left.
    title : str
        Name of the instance.
    """

    board: tuple[str, ...]
    moves: tuple[Cell, ...]
    points: tuple[int, ...]
    total: int
    cleared: bool
    title: str = field(default="", compare=False)

    @property
    def score(self) -> float:
        """All points."""
        return float(self.total)

    @property
    def solved(self) -> bool:
        """Whether the board was cleared."""
        return self.cleared

    def positions(self) -> list[Position]:
        """Return the position before the first move and after each one."""
        positions = [rules.start(self.board)]
        for move in self.moves:
            group = rules.group_of(positions[-1], move)
            positions.append(rules.without(positions[-1], group))
        return positions

    def removed(self) -> Iterator[list[Cell]]:
        """Yield for each move the cells of its group, where they lay at the start."""
        cells: Any = tuple(
            tuple((column, row) for row in range(len(colours)))
            for column, colours in enumerate(rules.start(self.board))
        )
        for position, move in zip(self.positions(), self.moves, strict=False):
            group = rules.group_of(position, move)
            yield [cells[column][row] for column, row in group]
            cells = rules.without(cells, group)

    @property
    def parts(self) -> frozenset[Any]:
        """The groups removed, each as the cells where they lay at the start."""
        return frozenset(map(frozenset, self.removed()))

    def verify(self) -> None:
        """Replay the game on a grid, starting from the board.

        Raises
        ------
        VerificationError
            If a move removes no group, if the game is not over, or if the points of a move, the
            total or `cleared` are wrong.
        """
        if len(self.points) != len(self.moves):
            raise VerificationError(
                f"points are given for {len(self.points)} moves, but there are {len(self.moves)}"
            )
        cells = [[-1 if cell == "." else int(cell) for cell in row] for row in self.board]
        grid = _settle(np.array(cells, np.int8))
        total = 0
        for number, (move, claimed) in enumerate(zip(self.moves, self.points, strict=True), 1):
            mask = _flood(grid, move, number)
            earned = (int(mask.sum()) - 2) ** 2
            if claimed != earned:
                raise VerificationError(
                    f"move {number} {move} earns {earned} points, not {claimed}"
                )
            total += earned
            grid = _settle(np.where(mask, np.int8(-1), grid))
        if _pairs(grid):
            raise VerificationError(f"the game is not over after move {len(self.moves)}")
        cleared = bool((grid < 0).all())
        if self.cleared != cleared:
            raise VerificationError(f"cells are {'not ' if cleared else ''}left at the end")
        total += 1000 if cleared else 0
        if self.total != total:
            raise VerificationError(f"the game earns {total} points, not {self.total}")

    def to_dict(self) -> dict[str, Any]:
        """Return moves and points as JSON-able data."""
        return {
            "moves": [list(move) for move in self.moves],
            "points": list(self.points),
            "total": self.total,
            "cleared": self.cleared,
        }

    def text(self) -> str:
        """Return a text picture."""
        positions = self.positions()
        sizes = [_cells(a) - _cells(b) for a, b in pairwise(positions)]
        pictures = [("start", _rows_of(positions[0], len(self.board), len(self.board[0])))]
        if not self.cleared:
            rows = _rows_of(positions[-1], len(self.board), len(self.board[0]))
            pictures.append(("end", rows))
        steps = (
            f"{move[0]},{move[1]}x{size}" for move, size in zip(self.moves, sizes, strict=True)
        )
        lines = [self.headline(), "", *_beside(pictures), ""]
        lines += ["Moves (column,row from the bottom left, from 0; x cells removed):"]
        lines += textwrap.wrap(" ".join(steps), WIDTH, initial_indent="  ", subsequent_indent="  ")
        return "\n".join(lines)

    def headline(self) -> str:
        """Return the result in one line."""
        left = _cells(self.positions()[-1])
        end = "board cleared" if self.cleared else f"{counted(left, 'cell')} left"
        name = f"{self.title}: " if self.title else ""
        return f"{name}{self.total} points in {counted(len(self.moves), 'move')}, {end}"


def _cells(position: Position) -> int:
    return sum(map(len, position))


def _rows_of(position: Position, height: int, width: int) -> list[str]:
    """Return a position as rows from the top, without spaces if two would not fit a terminal."""
    gap = " " if 4 * width + 2 <= WIDTH else ""
    columns = ["".join(map(str, column)).ljust(height, ".") for column in position]
    columns += ["." * height] * (width - len(columns))
    return [gap.join(row) for row in zip(*columns, strict=True)][::-1]


def _beside(pictures: list[tuple[str, list[str]]]) -> list[str]:
    """Put titled pictures of equal size side by side."""
    width = max(len(pictures[0][1][0]), len("start"))
    lines = zip(*([title, *rows] for title, rows in pictures), strict=True)
    return ["    ".join(cell.ljust(width) for cell in line).rstrip() for line in lines]


def _settle(grid: Grid) -> Grid:
    """Let cells fall, then close empty columns."""
    fallen = np.full_like(grid, -1)
    target = 0
    for column in grid.T:
        cells = column[column >= 0]
        if cells.size:
            fallen[fallen.shape[0] - cells.size :, target] = cells
            target += 1
    return fallen


def _flood(grid: Grid, move: Cell, number: int) -> npt.NDArray[np.bool_]:
    """Return the cells of a group: grow from its cell until nothing is added."""
    height, width = grid.shape
    column, row = move
    if not (0 <= column < width and 0 <= row < height) or grid[height - 1 - row, column] < 0:
        raise VerificationError(f"move {number} {move}: no cell is there")
    mask = np.zeros(grid.shape, dtype=bool)
    mask[height - 1 - row, column] = True
    same = grid == grid[height - 1 - row, column]
    size = 0
    while size != (size := int(mask.sum())):
        grown = mask.copy()
        grown[1:] |= mask[:-1]
        grown[:-1] |= mask[1:]
        grown[:, 1:] |= mask[:, :-1]
        grown[:, :-1] |= mask[:, 1:]
        mask = grown & same
    if size < 2:
        raise VerificationError(f"move {number} {move}: the cell has no neighbour of its colour")
    return mask


def _pairs(grid: Grid) -> bool:
    """Whether two neighbours have the same colour."""
    across = (grid[:, 1:] == grid[:, :-1]) & (grid[:, 1:] >= 0)
    along = (grid[1:] == grid[:-1]) & (grid[1:] >= 0)
    return bool(across.any() or along.any())
