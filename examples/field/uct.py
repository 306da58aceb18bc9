"""UCT and GRAVE for one player, on the primitives.

    python examples/field/uct.py --playouts 5000

UCT (Kocsis and Szepesvari, 2006): go down the tree by the move of the greatest mean plus an
exploration term, add the first node that is new, play on at random, and add the score to every node
on the way. GRAVE (Cazenave, 2015) mixes the mean of a move with its AMAF mean, that of all playouts
in which the move was played from here on, in the last node above with at least `ref` playouts.

Scores of one player are no wins: they count by where they lie between the worst and the best so
far. GRAVE has no exploration term, and may miss the best of even a small tree.
"""

# mypy: ignore-errors
import argparse
import math
import random
from collections import defaultdict

import nestor
from nestor.research import playout


class Node:
    """Playouts and sum of their scores: of the node, and by code of the moves played from here."""

    def __init__(self):
        self.number, self.total, self.children = 0, 0.0, {}
        self.amaf = defaultdict(lambda: [0, 0.0])


@nestor.algorithm
def uct(search, problem, policy, level, key, *, playouts=10_000, c=0.3, ref=0, equal=1e-3):
    """Search a tree; with `ref` above 0 by GRAVE. `level` has no meaning."""
    root, low, high, best = Node(), math.inf, -math.inf, None
    code = getattr(problem, "code", lambda state, move: move)
    for i in range(playouts):
        node, above, state, path, way = root, root, problem.initial(), [], [root]
        while moves := list(problem.moves(state)):
            above = node if node.number >= ref else above
            span, children = (low, high), [node.children.get(move) for move in moves]
            if ref:
                means = [above.amaf[code(state, move)] for move in moves]
                worths = [
                    grave(child, *amaf, span, equal)
                    for child, amaf in zip(children, means, strict=True)
                ]
            else:
                worths = [ucb(node, child, span, c) for child in children]
            move = moves[worths.index(max(worths))]
            path.append(move)
            state, new = problem.play(state, move), move not in node.children
            node = node.children.setdefault(move, Node())
            way.append(node)
            if new:
                break
        found = playout(problem, policy, key=key, first=i, after=path)
        low, high = min(low, found.score), max(high, found.score)
        best = found if best is None or found.score > best.score else best
        learn(problem, code, way, found, ref)
    return best


def mean(number, total, span):
    """Return a mean from 0 (the worst score so far) to 1."""
    return (total / number - span[0]) / ((span[1] - span[0]) or 1.0)


def ucb(node, child, span, c):
    """Return mean and exploration term; a child without a playout comes first."""
    if child is None:
        return math.inf
    return mean(child.number, child.total, span) + c * math.sqrt(
        math.log(node.number) / child.number
    )


def grave(child, m, amaf, span, equal):
    """Return mean and AMAF mean, mixed; a move that no playout has played comes first."""
    if m == 0:
        return math.inf
    n = child.number if child else 0
    beta = m / (m + n + equal * m * n)
    own = mean(n, child.total, span) if n else 0.0
    return (1 - beta) * own + beta * mean(m, amaf, span)


def learn(problem, code, way, found, ref):
    """Add a playout to the nodes on its way."""
    codes, state = [], problem.initial()
    for move in found.moves if ref else ():
        codes.append(code(state, move))
        state = problem.play(state, move)
    for depth, node in enumerate(way):
        node.number += 1
        node.total += found.score
        for each in codes[depth:]:
            node.amaf[each][0] += 1
            node.amaf[each][1] += found.score


def main() -> None:
    """Compare it with a search of Nestor."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--playouts", type=int, default=5_000)
    given = parser.parse_args()
    cells = random.Random(1).choices("01234", k=100)
    board = nestor.problems.SameGame(["".join(cells[k : k + 10]) for k in range(0, 100, 10)])
    algorithms = {"UCT": uct(), "GRAVE": uct(ref=20), "NMCS": nestor.NMCS(2)}
    print(nestor.compare({"board": board}, algorithms, seeds=6, playouts=given.playouts))


if __name__ == "__main__":
    main()
