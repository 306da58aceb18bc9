"""Beam search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from nestor.algorithms.base import Algorithm
from nestor.biases import BiasSettings
from nestor.settings import described


@described
@dataclass(frozen=True)
class BeamSearch(BiasSettings, Algorithm):
    """Beam search: all games grow by one move at a time, and only the best beginnings go on.

    How good a beginning is, the biases of its moves say, added up. So this is for problems whose
    bias tells much: what a move costs or brings, or by how much it changes an estimate, such as the
    room that is left. There are no playouts to the end, and nothing is learned. A playout is a game
    that has come to its end in the beam.

    Notes
    -----
    There is no width to choose. The first beam keeps one beginning, the next one 2, then 4, and so
    on up to 262,144. So about half the time goes to the last beam that ends. Of beginnings whose
    moves have the same codes in any order one is kept, the best. Of equal ones chance decides. A
    move that is forbidden (a bias of -inf) is not played unless all are. A checkpoint does not have
    the beam: a run that is resumed grows it again. There is one job unless more are asked for:
    threads look at the moves of its beginnings together, and change nothing.
    """

    name: ClassVar[str] = "beam-search"
    core_name: ClassVar[str] = "beam_search"
    alone: ClassVar[bool] = True
    no_exchange: ClassVar[str] = "a beam search has no level that could take over a sequence"
    no_strength: ClassVar[str] = "it has no policy"
