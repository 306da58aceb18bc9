"""Nested Monte Carlo search."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

from nestor.algorithms.base import LEVEL
from nestor.algorithms.sampling import Unlearned
from nestor.settings import Integer, described, setting


@described
@dataclass(frozen=True)
class NMCS(Unlearned):
    """Nested Monte Carlo search (nrpa-2011, figure 1).

    At every step of a game a level runs the level below from each child of the node, keeps the best
    sequence seen, and makes its next move. Nothing is learned. With games of n moves and b moves
    per node, one search of level l has about (n b)^l / l! playouts. A child that is forbidden (a
    bias of -inf) is not searched unless all are.

    Notes
    -----
    With a beam of B a level goes on from B nodes at a time, each with the best sequence known
    through it. At every step it runs the level below from each child of each of these nodes. Each
    child has the best sequence found through it now or before. The B children with the best
    sequences are the next nodes; of equals, those found first. This is our reading of a beam for
    NMCS: a node is the way to it from the root (the same position reached by other moves is another
    node), and a node at the end of its game stays while it is among the B best.
    """

    name: ClassVar[str] = "nmcs"
    level: int = setting(
        2, LEVEL, "Levels of nesting. Level 0 is a playout (`Sampling`).", core=False, basic=True
    )
    samples: int | None = setting(
        None,
        Integer(1, 1_000_000),
        "How many children of a node to search, in place of all: Sample-k NMCS. They are drawn "
        "with replacement, as bias or prior say, otherwise uniformly.",
        optional=True,
        source="nrpa-2011, section 4.1",
    )
    _: KW_ONLY
    beam: int | tuple[int, ...] = setting(
        1,
        Integer(1, 10_000),
        "How many nodes or sequences a level keeps (B), at level 1 or at each level from level 1 "
        "upwards. A single number is for level 1; the levels above keep 1. A level has B times "
        "the playouts, or a little fewer.",
        of="level 1",
        one_per="level",
        off=1,
    )
