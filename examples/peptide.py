"""A peptide for a pocket, by an oracle that takes 20 ms: few scores, remembered, side by side.

The pocket is a toy: charges, hydrophobic spots and a fold that pairs of residues make. The docking
that it stands for is what takes the time.

    python examples/peptide.py [SCORES] [MILLISECONDS]
"""

from __future__ import annotations

import random
import sys
import time
from dataclasses import dataclass

import nestor

RESIDUES = "ADEFGIKLNPRSTVWY"
CHARGE = {"D": -1, "E": -1, "K": 1, "R": 1}
OILY = set("AFILVWY")


@dataclass(frozen=True)
class Pocket:
    """Peptides of a length; the score is the energy of binding, lower is better."""

    length: int = 9
    seed: int = 0
    milliseconds: float = 20.0

    sense = "min"

    def initial(self) -> str:
        """Return the empty peptide."""
        return ""

    def moves(self, peptide: str) -> list[str]:
        """Return the residues that may come next; proline not after proline."""
        if len(peptide) == self.length:
            return []
        return [each for each in RESIDUES if peptide[-1:] + each != "PP"]

    def play(self, peptide: str, residue: str) -> str:
        """Return the peptide with one more residue."""
        return peptide + residue

    def code(self, peptide: str, residue: str) -> tuple[int, str]:
        """Return place and residue: what is good here need not be good elsewhere."""
        return len(peptide), residue

    def score(self, peptide: str) -> float:
        """Return the energy, in kcal/mol as it were, after the time that a docking takes."""
        time.sleep(self.milliseconds / 1000)
        draw = random.Random(self.seed)
        energy = 0.0
        for residue in peptide:
            field, oily = draw.choice((-1, 0, 1)), draw.random() < 0.5
            energy += 1.5 * field * CHARGE.get(residue, 0)
            energy -= 0.8 if oily == (residue in OILY) else -0.3
        for place in range(self.length - 3):
            strength = draw.random()
            pair = peptide[place], peptide[place + 3]
            if CHARGE.get(pair[0], 0) * CHARGE.get(pair[1], 0) < 0:
                energy -= 2 * strength
            elif pair[0] in OILY and pair[1] in OILY:
                energy -= strength
        return energy


def main(scores: int = 400, milliseconds: float = 20.0) -> None:
    """Search, eight scores at a time."""
    # No game twice in turn, and steps of one playout for the eight that share a policy.
    algorithm = nestor.GNRPA(
        level=1, iterations=scores, width=8, width_rate="once", force_explore=True
    )
    result = nestor.solve(
        Pocket(milliseconds=milliseconds),
        algorithm,
        playouts=scores,
        seed=1,
        cache="memory",
        threads=8,
        jobs=1,
    )
    print(f"{''.join(result.moves)}  {result.score:.2f}")
    asked = result.playouts - (result.remembered or 0)
    print(f"{asked} dockings of {milliseconds:g} ms for {result.playouts} playouts")
    print(f"{result.seconds:.1f} s in place of {result.playouts * milliseconds / 1000:.1f} s")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
