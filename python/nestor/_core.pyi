"""Types of the compiled core."""

from collections.abc import Callable, Sequence
from typing import Any, Literal, Protocol, TypedDict, final, type_check_only

__all__ = [
    "CutOffError",
    "EnergyModel",
    "Playout",
    "Policy",
    "Problem",
    "Search",
    "__version__",
    "exp",
    "interface",
    "kakuro_filling",
    "latin_square",
    "race",
]

__version__: str

class CutOffError(Exception):
    args: tuple[int, bool]

@type_check_only
class Improvement(TypedDict):
    playouts: int
    seconds: float
    score: float
    level: int

@type_check_only
class Choice(TypedDict):
    codes: list[int]
    biases: list[float]
    chosen: int

@type_check_only
class Step(TypedDict):
    moves: list[Any]
    codes: list[int]
    prior_codes: list[int]
    biases: list[float]
    chosen: int

@type_check_only
class Counted(TypedDict):
    code: int
    count: int
    nb: int

@type_check_only
class Timing(TypedDict):
    playouts: float
    rules: float
    adapt: float
    steps: int
    legal: int

@type_check_only
class Meter(Protocol):
    def allow(self) -> tuple[int, float, float | None]: ...
    def count(
        self,
        playouts: int,
        evaluated: int,
        improvements: list[tuple[int, float, int]],
        moves: list[Any],
    ) -> None: ...

@type_check_only
class Said(TypedDict):
    minimise: bool
    biased: bool
    change: Literal["none", "order", "set", "decisions"]
    code_count: int
    state_size: int
    optimum: float
    front: bool
    parts: list[tuple[float, float, float, float, bool]]
    guided: bool
    undoes: bool
    tasks: bool

@final
class Problem:
    def __new__(cls, name: str, instance: dict[str, Any]) -> Problem: ...
    @staticmethod
    def own(
        problem: object, bias: str | None, minimise: bool = ..., scores: object = ...
    ) -> Problem: ...
    @staticmethod
    def foreign(
        address: int,
        report: Callable[[str, str, list[int], int], BaseException],
        layout: int | None = None,
        biased: bool = True,
        checked: bool = True,
    ) -> Problem: ...
    def guided(
        self,
        model: Callable[[bytes, bytes, list[tuple[str, bool, str, tuple[int, ...], bytes]]], bytes],
    ) -> Problem: ...
    @property
    def said(self) -> Said: ...
    def initial(self) -> bytes: ...
    def moves(self, state: bytes) -> tuple[list[int], list[int], list[float]]: ...
    def play(self, state: bytes, mv: int) -> bytes: ...
    def undo(self, state: bytes, mv: int) -> bytes: ...
    def task(self, mv: int) -> int: ...
    def judge(self, state: bytes, guide: bool) -> float: ...
    def last_parts(self) -> list[float]: ...
    def replayed(self, moves: list[int]) -> tuple[float, list[float], list[float]]: ...
    def numbers(self, codes: list[Any]) -> list[int]: ...
    @property
    def codes(self) -> list[Any]: ...
    def cut(self, seconds: float | None = None, longest: int | None = None) -> None: ...
    @property
    def slow_scores(self) -> tuple[int, int]: ...
    def search(
        self,
        algorithm: dict[str, Any],
        seed: int,
        jobs: int,
        prior: dict[int, float] | None = None,
        others: list[Problem] = ...,
        first: int = 0,
    ) -> Search: ...
    def policy(self, prior: dict[int, float] | None = None) -> Policy: ...
    def playthrough(self, key: int) -> tuple[list[Step], float]: ...
    def replay(self, moves: list[Any], count: bool = True) -> list[Counted]: ...
    def follow(self, moves: list[Any]) -> list[Any]: ...
    def timing(self, iterations: int, rate: float, playouts: int) -> Timing: ...

@final
class Search:
    def advance(
        self,
        seconds: float,
        threads: int,
        playouts: int | None = None,
        target: float | None = None,
        restart: bool = True,
        cut: float | None = None,
        longest: int | None = None,
        each: int | None = None,
        first: float | None = None,
    ) -> Literal["target", "finished", "playouts", "seconds"]: ...
    def tell(self, told: Callable[[int, list[Improvement], list[Any]], object]) -> None: ...
    def rest(self, enough: Callable[[], bool], most: float | None) -> None: ...
    def settle(self) -> None: ...
    @property
    def elsewhere(self) -> bool: ...
    @property
    def width(self) -> int: ...
    @property
    def done_by(self) -> dict[str, int]: ...
    def save(self) -> list[bytes]: ...
    def restore(self, jobs: list[bytes], codes: Sequence[list[Any]] = ...) -> None: ...
    def adopt(self, job: int, moves: list[Any], strength: int) -> float: ...
    def job_moves(self, job: int) -> list[Any]: ...
    @property
    def job_playouts(self) -> list[int]: ...
    @property
    def job_scores(self) -> list[float | None]: ...
    @property
    def codes(self) -> list[list[Any]]: ...
    @property
    def slow_scores(self) -> tuple[int, int]: ...
    @property
    def playouts(self) -> int: ...
    @property
    def evaluated(self) -> int: ...
    @property
    def score(self) -> float | None: ...
    @property
    def moves(self) -> list[Any]: ...
    @property
    def played(self) -> list[Any] | None: ...
    @property
    def improvements(self) -> list[list[Improvement]]: ...
    @property
    def trail(self) -> list[list[tuple[int, list[Any]]]]: ...
    @property
    def progress(self) -> list[tuple[int, int]]: ...
    @property
    def restarts(self) -> int: ...
    @property
    def standings(self) -> list[list[tuple[int, float, bool]]]: ...

def race(
    entrants: list[tuple[Problem, dict[str, Any], dict[int, float] | None, list[Problem]]],
    round: int,
    finalists: int,
    seed: int,
    jobs: int,
    first: int = 0,
    every: int | None = None,
) -> Search: ...

@final
class Policy:
    def copy(self) -> Policy: ...
    def weights(self) -> list[tuple[int, float]]: ...
    def set_weights(self, weights: list[tuple[int, float]]) -> None: ...
    def playouts(
        self,
        key: int,
        first: int,
        n: int,
        all: bool,
        after: list[Any],
        epsilon: list[float],
        temperature: list[float],
        meter: Meter | None = None,
    ) -> list[Playout]: ...
    def playout(self, key: int, meter: Meter | None = None) -> Playout: ...
    def follow(self, moves: list[Any]) -> Playout: ...
    def run_levels(
        self, algorithm: dict[str, Any], key: int, threads: int, meter: Meter | None = None
    ) -> Playout: ...
    def run_search(
        self, algorithm: dict[str, Any], key: int, meter: Meter | None = None
    ) -> Playout: ...
    def adapt(self, playout: Playout, rates: Sequence[float]) -> None: ...

@final
class Playout:
    @property
    def score(self) -> float: ...
    @property
    def reported(self) -> float: ...
    @property
    def moves(self) -> list[Any]: ...
    @property
    def steps(self) -> list[Choice]: ...

@final
class EnergyModel:
    def __new__(
        cls, tables: dict[str, list[int]], special: dict[str, int], longer: float, single: bool
    ) -> EnergyModel: ...
    def fold(self, sequence: str) -> tuple[str, int]: ...
    def evaluate(self, sequence: str, structure: str) -> int: ...

def latin_square(order: int, holes: int, seed: int) -> tuple[bytes, bytes]: ...
def kakuro_filling(size: int, largest: int, seed: int, playouts: int) -> bytes | None: ...
def exp(x: float) -> float: ...
def interface() -> tuple[int, int]: ...
