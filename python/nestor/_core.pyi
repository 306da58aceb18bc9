"""Types of the compiled core."""

from typing import Any, Literal

class Tsptw:
    def __new__(
        cls,
        n: int,
        matrix: list[float],
        windows: list[tuple[float, float]],
        selective: bool,
        objective: str,
        biased: bool,
    ) -> Tsptw: ...

class SameGame:
    def __new__(cls, width: int, height: int, cells: bytes, tabu: bool, bias: str) -> SameGame: ...

class Morpion:
    def __new__(cls, variant: str, dominated: bool) -> Morpion: ...

class Crossword:
    def __new__(cls, size: int, words: list[str]) -> Crossword: ...

class LatinSquare:
    def __new__(cls, order: int, cells: bytes, hidden_singles: bool) -> LatinSquare: ...
    @staticmethod
    def random(order: int, holes: int, seed: int) -> tuple[bytes, bytes]: ...
    def sequence(self, completion: bytes) -> list[tuple[int, int, int]] | None: ...

class Kakuro:
    def __new__(
        cls,
        cells: list[tuple[int, int]],
        largest: int,
        across: list[tuple[list[int], int]],
        down: list[tuple[list[int], int]],
        pruning: bool,
    ) -> Kakuro: ...
    def filling(self, seed: int, playouts: int) -> bytes | None: ...
    def sequence(self, values: bytes) -> list[tuple[int, int, int]] | None: ...

class EnergyModel:
    def __new__(
        cls, tables: dict[str, list[int]], special: dict[str, int], longer: float
    ) -> EnergyModel: ...
    def fold(self, sequence: str) -> tuple[int, str | None]: ...

class Rna:
    def __new__(
        cls,
        target: str,
        allowed: bytes,
        order: list[int],
        folding: object,
        betas: list[float] | None = None,
        rules: list[tuple[list[tuple[int, int, str, int]], tuple[int, int] | None, int]]
        | None = None,
    ) -> Rna: ...
    @property
    def native(self) -> bool: ...

class HashTree:
    def __new__(
        cls, root: int, depth: int, branching: int, codes: int, spread: float
    ) -> HashTree: ...

class PythonProblem:
    def __new__(cls, problem: object, biased: bool, codes: list[Any] = ...) -> PythonProblem: ...
    @property
    def codes(self) -> list[Any]: ...

class Search:
    def __new__(
        cls,
        problem: object,
        algorithm: tuple[object, ...],
        seed: int,
        jobs: int,
        prior: dict[int, float] | None = None,
    ) -> Search: ...
    def advance(
        self,
        seconds: float,
        threads: int,
        playouts: int | None = None,
        target: float | None = None,
        restart: bool = True,
    ) -> Literal["target", "finished", "playouts", "seconds"]: ...
    def save(self) -> list[bytes]: ...
    def restore(self, jobs: list[bytes]) -> None: ...
    @property
    def playouts(self) -> int: ...
    @property
    def score(self) -> float | None: ...
    @property
    def moves(self) -> list[Any]: ...
    @property
    def improvements(self) -> list[list[tuple[int, float, float, int]]]: ...
    @property
    def progress(self) -> list[tuple[int, int]]: ...
    @property
    def restarts(self) -> int: ...

def playthrough(
    problem: object, seed: int
) -> tuple[list[tuple[list[Any], list[int], list[int], list[float], int]], float]: ...
def replay(problem: object, moves: list[Any]) -> list[tuple[int, int, int]]: ...
def exp(x: float) -> float: ...
def timing(
    problem: object, iterations: int, rate: float, playouts: int
) -> tuple[float, float, float, int, int]: ...
