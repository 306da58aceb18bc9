"""Priors learned from solved problems (learned-prior-2024)."""

from __future__ import annotations

import gzip
import hashlib
import json
import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any

from nestor.errors import InputError
from nestor.files import whole
from nestor.problem import Problem, Rebiased, code_of
from nestor.problems.base import NativeProblem, Solution

SCHEMA = 1
"""Version of the file format."""

Solved = tuple[Problem[Any, Any], Sequence[Any]]
"""An instance and the complete sequence of moves that solves it."""


@dataclass(frozen=True, eq=False)
class Prior:
    """How often moves of a code were the solution's when they were legal.

    Attributes
    ----------
    problem : str
        Name of the problem family ("latin square") or "module:Class" of the user's own.
    counts : mapping of code to (int, int)
        For each prior code: times it was the solution's move (``count``), times it was legal
        (``nb``). Codes are numbers for the problems that come with Nestor.
    provenance : dict
        How it was made: instances, source, command.
    name : str
        What results call it.
    """

    problem: str
    counts: Mapping[Hashable, tuple[int, int]]
    provenance: dict[str, Any] = field(default_factory=dict)
    name: str = "prior"

    def __post_init__(self) -> None:
        for code, (count, nb) in self.counts.items():
            if not 0 <= count <= nb:
                raise InputError(
                    f"counts must have 0 <= count <= nb; code {code!r} has {count} of {nb}"
                )

    def probability(self, code: Hashable) -> float | None:
        """Return count / nb of a code; None if the code was never legal."""
        count, nb = self.counts.get(code, (0, 0))
        return count / nb if nb else None

    def betas(self, temperature: float = 1.0, smoothing: float = 0.0) -> dict[Hashable, float]:
        """Return the bias of each code: beta = temperature * ln(count / nb).

        A code that never was the solution's move gets minus infinity: such moves are forbidden,
        unless a state has no others. A code the prior has not met has beta 0.

        Parameters
        ----------
        temperature : float, default 1.0
            tau of learned-prior-2024 (4 for Latin squares and Kakuro, 6 for RNA).
        smoothing : float, default 0.0
            Laplace smoothing: the ratio is (count + smoothing) / (nb + 2 * smoothing).

        Notes
        -----
        Rounded to 12 decimals, so that the platform's logarithm cannot change a result.
        """
        betas: dict[Hashable, float] = {}
        for code, (count, nb) in self.counts.items():
            if nb:
                ratio = (count + smoothing) / (nb + 2.0 * smoothing)
                log = math.log(ratio) if ratio > 0.0 else -math.inf
                betas[code] = round(temperature * log, 12)
        return betas

    def histogram(self, bins: int = 20) -> list[tuple[float, float, int]]:
        """Return (from, to, codes) for equal parts of [0, 1]: how many codes have which ratio.

        Codes at 1 are counted in the last part.
        """
        if bins < 1:
            raise InputError(f"bins must be at least 1, not {bins}")
        codes = [0] * bins
        for count, nb in self.counts.values():
            if nb:
                codes[min(count * bins // nb, bins - 1)] += 1
        return [(k / bins, (k + 1) / bins, number) for k, number in enumerate(codes)]

    def __str__(self) -> str:
        lines = [f"prior {self.name} of {self.problem}: {len(self.counts):,} codes"]
        rows = self.histogram()
        most = max((number for _, _, number in rows), default=0) or 1
        for low, high, number in rows:
            bar = "#" * round(50 * number / most)
            lines.append(f"{low:4.2f}-{high:4.2f} {number:8,} {bar}")
        return "\n".join(lines)

    @property
    def digest(self) -> str:
        """SHA-256 of problem and counts, as 64 hexadecimal digits."""
        return hashlib.sha256(json.dumps([self.problem, *self._rows()]).encode()).hexdigest()

    def _rows(self) -> list[list[Any]]:
        """Return [codes, counts, nbs], in the order of the codes."""
        rows = sorted(self.counts.items(), key=lambda row: (str(type(row[0])), repr(row[0])))
        if all(isinstance(code, int) for code in self.counts):
            rows = sorted(self.counts.items())
        return [
            [code for code, _ in rows],
            [count for _, (count, _) in rows],
            [nb for _, (_, nb) in rows],
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return the prior as JSON-able data, if its codes are."""
        codes, counts, nbs = self._rows()
        return {
            "schema": SCHEMA,
            "name": self.name,
            "problem": self.problem,
            "provenance": self.provenance,
            "codes": codes,
            "count": counts,
            "nb": nbs,
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Prior:
        """Rebuild a prior from `to_dict`, or from its JSON."""
        counts = zip(data["count"], data["nb"], strict=True)
        return cls(
            problem=data["problem"],
            counts=dict(zip(map(hashable, data["codes"]), counts, strict=True)),
            provenance=data["provenance"],
            name=data["name"],
        )

    def save(self, path: str | Path) -> None:
        """Write the prior as JSON, compressed if the name ends in ``.gz``.

        Raises
        ------
        InputError
            If the file cannot be written or a code of the user's own has no JSON form.
        """
        try:
            text = json.dumps(self.to_dict(), separators=(",", ":")) + "\n"
        except (TypeError, ValueError) as error:
            raise InputError(f"the codes of this prior have no JSON form: {error}") from None
        content = text.encode()
        if str(path).endswith(".gz"):
            content = gzip.compress(content, mtime=0)
        with whole(Path(path)) as temporary:
            temporary.write_bytes(content)

    @classmethod
    def load(cls, source: str | Path) -> Prior:
        """Read a prior: one that comes with Nestor by its name, or a file that `save` wrote.

        Raises
        ------
        InputError
            If there is no such prior or file, or it is not a prior.
        """
        try:
            content = _find(source)
            if content[:2] == b"\x1f\x8b":
                content = gzip.decompress(content)
            data = json.loads(content)
            if data["schema"] != SCHEMA:
                raise InputError(f"{source}: a prior of another version ({data['schema']!r})")
            return cls.from_dict(data)
        except OSError as error:
            raise InputError(f"cannot read {source}: {error.strerror or error}") from None
        except InputError:
            raise
        except (ValueError, KeyError, TypeError, EOFError, RecursionError) as error:
            raise InputError(f"{source}: not a prior: {error}") from None


def hashable(code: Any) -> Hashable:
    """Return a code that has been through JSON: lists were tuples."""
    return tuple(map(hashable, code)) if isinstance(code, list) else code


def shipped() -> list[str]:
    """Return the names of the priors that come with Nestor."""
    folder = resources.files("nestor").joinpath("priors")
    if not folder.is_dir():
        return []
    return sorted(f.name.removesuffix(".json.gz") for f in folder.iterdir() if f.name[0] != "_")


def _find(source: str | Path) -> bytes:
    if str(source) in shipped():
        return resources.files("nestor").joinpath("priors", f"{source}.json.gz").read_bytes()
    if not Path(source).exists():
        known = ", ".join(shipped()) or "none"
        raise InputError(f"no prior file {str(source)!r}; priors that come with Nestor: {known}")
    return Path(source).read_bytes()


def learn_prior(
    solved: Iterable[Any],
    *,
    name: str = "prior",
    provenance: Mapping[str, Any] | None = None,
    threads: int | None = None,
) -> Prior:
    """Learn a prior by replaying solutions (learned-prior-2024, section 3, algorithm 4).

    At each state of a solution the code of every legal move counts as legal (``nb``), and that of
    the solution's move as chosen (``count``). Problems that come with Nestor are replayed by the
    core, in parallel over the instances.

    Parameters
    ----------
    solved : iterable of (problem, moves) or of Result
        Solved instances of one problem family: an instance and the moves that solve it, complete
        and in order.
    name : str
    provenance : mapping, optional
        JSON-able facts to keep with the prior: source, command.
    threads : int, optional
        By default one for each core.

    Returns
    -------
    Prior

    Raises
    ------
    InputError
        If there is nothing to learn from, problems of several families are mixed, or a move is not
        legal.
    """
    pairs = [_pair(item, number) for number, item in enumerate(solved)]
    if not pairs:
        raise InputError("solved must hold at least one solved instance")
    families = {family_of(problem) for problem, _ in pairs}
    if len(families) > 1:
        raise InputError(f"solved must be of one problem family, not {', '.join(sorted(families))}")
    totals: dict[Hashable, tuple[int, int]] = {}
    with ThreadPoolExecutor(threads) as pool:
        for rows in pool.map(_replay, range(len(pairs)), pairs):
            for code, count, nb in rows:
                old_count, old_nb = totals.get(code, (0, 0))
                totals[code] = old_count + count, old_nb + nb
    facts = {"instances": len(pairs), **(provenance or {})}
    return Prior(families.pop(), totals, facts, name)


def family_of(problem: Problem[Any, Any]) -> str:
    """Return the name of a problem's family."""
    if isinstance(problem, NativeProblem):
        return problem.name
    return f"{type(problem).__module__}:{type(problem).__qualname__}"


def _pair(item: Any, number: int) -> Solved:
    if isinstance(getattr(item, "solution", None), Solution):
        return item.problem, item.moves
    try:
        problem, moves = item
        return problem, list(moves)
    except (TypeError, ValueError):
        raise InputError(
            f"solved must hold (problem, moves) pairs or results; number {number} is {item!r:.80}"
        ) from None


def _replay(number: int, pair: Solved) -> list[tuple[Hashable, int, int]]:
    problem, moves = pair
    if isinstance(problem, NativeProblem):
        from nestor import _core

        # Moves that have been through JSON are lists where they were tuples.
        moves = [hashable(move) for move in moves]
        try:
            return list(_core.replay(problem.core(), moves))
        except IndexError as error:
            raise _not_legal(number, int(str(error)), moves) from None
        except (TypeError, ValueError, OverflowError) as error:
            raise InputError(f"solution {number}: not moves of {problem.name}: {error}") from None
    return _replay_in_python(number, problem, moves)


def _replay_in_python(
    number: int, problem: Problem[Any, Any], moves: Sequence[Any]
) -> list[tuple[Hashable, int, int]]:
    counts: dict[Hashable, list[int]] = {}
    state = problem.initial()
    for index, solving in enumerate(moves):
        legal = list(problem.moves(state))
        if solving not in legal:
            raise _not_legal(number, index, moves)
        for move in legal:
            entry = counts.setdefault(prior_code_of(problem, state, move), [0, 0])
            entry[0] += move == solving
            entry[1] += 1
        state = problem.play(state, solving)
    return [(code, count, nb) for code, (count, nb) in counts.items()]


def _not_legal(number: int, index: int, moves: Sequence[Any]) -> InputError:
    return InputError(f"solution {number}: move {index + 1}, {moves[index]!r}, is not legal")


def prior_code_of(problem: Problem[Any, Any], state: Any, move: Any) -> Hashable:
    """Return the code under which a prior counts a move: the policy's unless there is another."""
    prior_code = getattr(problem, "prior_code", None)
    return code_of(problem, state, move) if prior_code is None else prior_code(state, move)


@dataclass(frozen=True, eq=False)
class WithPrior(Rebiased):
    """A problem whose moves are biased by a prior: any problem, in Python.

    The twin of what the core does for its own problems, and the way the user's own get a prior.

    Attributes
    ----------
    problem : Problem
    betas : mapping of prior code to float
        See `Prior.betas`; 0 for a code it does not have.
    """

    betas: Mapping[Hashable, float]

    def bias(self, state: Any, move: Any) -> float:
        """Return the prior's beta of a move."""
        return self.betas.get(prior_code_of(self.problem, state, move), 0.0)
