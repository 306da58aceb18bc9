"""Conjectures of Graffiti on eigenvalues of graphs that are false: find counterexamples.

    python examples/graph_conjectures.py 137 289

The statements are those that Roucairol and Cazenave refute (arXiv 2409.18626), as their program
has them. A graph grows vertex by vertex; the score says by how much it violates the conjecture.
The rules are compiled (extra ``compiled``). A counterexample is confirmed in exact fractions.
"""

# mypy: allow-untyped-defs, allow-untyped-calls

import argparse
from fractions import Fraction
from math import isqrt

import numpy as np

import nestor

CONJECTURES = {
    29: ("Randic index <= negative distance eigenvalues", 8, False),
    30: ("positive distance eigenvalues <= sum of temperatures", 16, False),
    137: ("second eigenvalue <= harmonic index", 36, True),
    139: ("minus the last eigenvalue but one <= harmonic index", 36, True),
    166: ("square root of the edges <= eigenvalues that are not positive", 8, False),
    289: ("second eigenvalue <= mean dual degree", 28, True),
    301: ("scope of the positive eigenvalues <= harmonic index", 18, True),
    302: ("scope of the positive eigenvalues <= mean dual degree", 18, True),
    715: ("scope of the eigenvalues <= 0, <= mean degree above the mean", 18, True),
}
"""What each says, how many vertices are tried, and whether trees are enough."""


@nestor.compiled
class Graph:
    """Grow a connected graph: move i adds a vertex beside i, i + size joins the last one to i."""

    def __init__(self, conjecture: int, size: int, tree: bool) -> None:
        self.conjecture, self.size, self.tree = conjecture, size, tree
        self.code_count = 2 * size * size + 1
        self.state = np.dtype(
            [("vertices", "i4"), ("next", "i4"), ("over", "?"), ("edge", "u1", (size, size))]
        )

    def initial(self, s):
        """Begin with one vertex."""
        s.vertices = 1

    def moves(self, s, out):
        """Add a vertex, or an edge from the last one; the edges come in order."""
        last = s.vertices - 1
        if s.vertices < self.size:
            for i in range(s.vertices):
                out.add(i, last * self.size + i)
        elif not self.tree and not s.over:
            out.add(2 * self.size, 2 * self.size * self.size)
        if not self.tree and not s.over:
            for i in range(s.next, last):
                if not s.edge[last, i]:
                    out.add(self.size + i, (self.size + last) * self.size + i)

    def play(self, s, move):
        """Add it."""
        if move == 2 * self.size:
            s.over = True
        elif move < self.size:
            s.edge[move, s.vertices] = s.edge[s.vertices, move] = True
            s.vertices += 1
            s.next = 0
        else:
            i, last = move - self.size, s.vertices - 1
            s.edge[i, last] = s.edge[last, i] = True
            s.next = i + 1

    def matrix(self, s):
        """Return the distances for conjectures 29 and 30, otherwise the edges."""
        n = self.size
        d = np.zeros((n, n))
        for i in range(n):
            for j in range(n):
                d[i, j] = s.edge[i, j]
        if self.conjecture <= 30:
            for i in range(n):
                for j in range(n):
                    if i != j and not s.edge[i, j]:
                        d[i, j] = n
            for k in range(n):
                for i in range(n):
                    for j in range(n):
                        d[i, j] = min(d[i, j], d[i, k] + d[k, j])
        return d

    def below(self, matrix, x):
        """Count the eigenvalues below x: the negative pivots of the matrix less x."""
        a = matrix.copy()
        count = 0
        # From the last vertex on: a tree has no fill-in.
        for k in range(self.size - 1, -1, -1):
            pivot = a[k, k] - x
            if pivot == 0.0:
                pivot = 1e-12
            count += pivot < 0.0
            for i in range(k):
                if a[i, k] != 0.0:
                    factor = a[i, k] / pivot
                    for j in range(k):
                        a[i, j] -= factor * a[k, j]
        return count

    def eigenvalue(self, matrix, rank):
        """Return an eigenvalue by its rank, from 0 for the smallest."""
        low, high = -float(self.size), float(self.size)
        for _ in range(30):
            middle = (low + high) / 2.0
            if self.below(matrix, middle) > rank:
                high = middle
            else:
                low = middle
        return low

    def left(self, matrix, count):
        """Return an eigenvalue, or the difference of two; `count` are not positive."""
        n, which = self.size, self.conjecture
        plus, minus = n - 1, count
        if which in (137, 289):
            plus, minus = n - 2, -1
        elif which == 139:
            plus, minus = -1, 1
        elif which == 715:
            plus, minus = count - 1, 0
        value = 0.0
        for k in range(2):
            rank = minus if k else plus
            if rank >= 0:
                found = self.eigenvalue(matrix, rank)
                value += -found if k else found
        return value

    def score(self, s):
        """Return by how much the left side is above the right side."""
        n, which = self.size, self.conjecture
        degree = np.zeros(n)
        for i in range(n):
            for j in range(n):
                degree[i] += s.edge[i, j]
        randic, harmonic, dual, temperature, high, above = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        total = degree.sum()
        for i in range(n):
            temperature += degree[i] / (n - degree[i])
            if degree[i] > total / n:
                high += degree[i]
                above += 1.0
            for j in range(n):
                if s.edge[i, j]:
                    randic += 0.5 / np.sqrt(degree[i] * degree[j])
                    harmonic += 1.0 / (degree[i] + degree[j])
                    dual += degree[j] / (degree[i] * n)
        matrix = self.matrix(s)
        count = self.below(matrix, -1e-7 if which == 29 else 1e-7)
        if which == 29:
            return randic - count
        if which == 30:
            return n - count - temperature
        if which == 166:
            return np.sqrt(total / 2.0) - count
        right = harmonic
        if which in (289, 302):
            right = dual
        elif which == 715:
            right = high / max(above, 1.0)
        return self.left(matrix, count) - right


def inertia(matrix: list[list[Fraction]], x: Fraction = Fraction(0)) -> tuple[int, int, int]:
    """Return how many eigenvalues are below x, x, and above x, by exact congruence."""
    n = len(matrix)
    a = [
        [value - (x if i == j else 0) for j, value in enumerate(row)]
        for i, row in enumerate(matrix)
    ]
    left, signs = list(range(n))[::-1], [0, 0, 0]
    while left:
        k = next((k for k in left if a[k][k]), None)
        if k is None:
            pair = next(((i, j) for i in left for j in left if a[i][j]), None)
            if pair is None:
                signs[1] += len(left)
                break
            # Adding a row and its column to another keeps the signs.
            k, j = pair
            for i in left:
                a[k][i] += a[j][i]
            for i in left:
                a[i][k] += a[i][j]
        left.remove(k)
        signs[2 if a[k][k] > 0 else 0] += 1
        beside = [i for i in left if a[i][k]]
        for i in beside:
            factor = a[i][k] / a[k][k]
            for j in beside:
                a[i][j] -= factor * a[k][j]
    return signs[0], signs[1], signs[2]


def refutes(conjecture: int, size: int, edges: list[tuple[int, int]]) -> bool:
    """Say, in whole numbers and fractions, whether a connected graph violates a conjecture."""
    near: list[set[int]] = [set() for _ in range(size)]
    for i, j in edges:
        near[i].add(j)
        near[j].add(i)
    distance = [_distances(near, i) for i in range(size)]
    assert len(set(edges)) == len(edges)
    assert all(len(row) == size for row in distance)
    degree = [len(beside) for beside in near]
    edge = [[Fraction(j in near[i]) for j in range(size)] for i in range(size)]
    far = [[Fraction(row[j]) for j in range(size)] for row in distance]
    harmonic = sum((Fraction(2, degree[i] + degree[j]) for i, j in edges), Fraction(0))
    dual = sum(
        (Fraction(degree[j], degree[i] * size) for i in range(size) for j in near[i]), Fraction(0)
    )
    below, zero, _ = inertia(edge)
    if conjecture == 29:
        # Each root is rounded down.
        randic = sum(Fraction(isqrt(10**24 // (degree[i] * degree[j])), 10**12) for i, j in edges)
        return randic > inertia(far)[0]
    if conjecture == 30:
        return inertia(far)[2] > sum(Fraction(d, size - d) for d in degree)
    if conjecture == 137:
        return inertia(edge, harmonic)[2] >= 2
    if conjecture == 139:
        return inertia(edge, -harmonic)[0] >= 2
    if conjecture == 166:
        return len(edges) > (below + zero) ** 2
    if conjecture == 289:
        return inertia(edge, dual)[2] >= 2
    # The eigenvalue nearest to zero is not further from it than this.
    steps = (Fraction(k, 1024) for k in range(1, 2048))
    if conjecture == 715:
        high = [d for d in degree if d * size > sum(degree)]
        nearest = 0 if zero else next(x for x in steps if inertia(edge, -x)[0] < below)
        return bool(high) and inertia(edge, -(nearest + Fraction(sum(high), len(high))))[0] >= 1
    nearest = next(x for x in steps if inertia(edge, x)[2] < size - below - zero)
    return inertia(edge, nearest + (harmonic if conjecture == 301 else dual))[2] >= 1


def _distances(near: list[set[int]], start: int) -> dict[int, int]:
    """Return how far the vertices that can be reached are."""
    found, ring = {start: 0}, [start]
    while ring:
        ring = [j for j in {j for i in ring for j in near[i]} if j not in found]
        found |= dict.fromkeys(ring, max(found.values()) + 1)
    return found


def edges_of(size: int, moves: list[int]) -> list[tuple[int, int]]:
    """Return the edges that moves add."""
    edges, vertices = [], 1
    for move in moves:
        if move < size:
            edges.append((move, vertices))
            vertices += 1
        elif move < 2 * size:
            edges.append((move - size, vertices - 1))
    return edges


def main() -> None:
    """Search for counterexamples and print a table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("conjectures", nargs="*", type=int, help=f"of {list(CONJECTURES)}")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    if wrong := set(chosen.conjectures) - set(CONJECTURES):
        parser.error(f"no such conjecture: {min(wrong)}")
    print("| conjecture | vertices | edges | seconds | playouts |")
    print("|---|---|---|---|---|")
    for conjecture in chosen.conjectures or CONJECTURES:
        says, size, tree = CONJECTURES[conjecture]
        result = nestor.solve(
            Graph(conjecture, size, tree),  # type: ignore[arg-type]
            nestor.NRPA(level=3, iterations=50),
            seconds=chosen.seconds,
            target=1e-4,
            seed=chosen.seed,
            threads=1,
            jobs=1,
        )
        edges = edges_of(size, result.moves)
        found = result.score >= 1e-4
        assert not found or refutes(conjecture, size, edges)
        shape = f"{size} | {len(edges)}" if found else "none found |"
        spent = f"{result.seconds:.1f} | {result.playouts:,}"
        print(f"| {conjecture}: {says} | {shape} | {spent} |", flush=True)


if __name__ == "__main__":
    main()
