"""Priors learned from solved problems (learned-prior-2024)."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import resources
from numbers import Integral
from pathlib import Path
from typing import Any

from nestor import files
from nestor.checks import as_integer, as_mapping, as_number, as_positive, shown
from nestor.errors import InputError, nearest
from nestor.problem import SameRules, hashable, prior_code_of
from nestor.safe import visible

SCHEMA = 1
"""The version of the file format."""

LIMIT = 16 * files.MIB
"""The largest size of a file, packed or not, in bytes."""

GZIP = 31
"""What zlib calls the form of a packed file."""


@dataclass(frozen=True, eq=False)
class Prior:
    """How often a move with each code was the solution's move when it was legal.

    Attributes
    ----------
    problem : str
        Name of the problem family ("latin square") or "module:Class" for a user's own problem.
    counts : mapping of code to (int, int)
        For each prior code, how often it was the solution's move (``count``) and how often it was
        legal (``nb``). For the problems that come with Nestor, codes are numbers.
    provenance : dict
        How it was made: the instances, the source, the command.
    name : str
        How results name it.
    """

    problem: str
    counts: Mapping[Hashable, tuple[int, int]]
    provenance: dict[str, Any] = field(default_factory=dict)
    name: str = "prior"

    def __post_init__(self) -> None:
        if not (isinstance(self.problem, str) and isinstance(self.name, str)):
            raise InputError("the problem and the name of a prior must be strings")
        if not (isinstance(self.counts, Mapping) and isinstance(self.provenance, Mapping)):
            raise InputError("counts and provenance of a prior must be mappings")
        for code, pair in self.counts.items():
            if not (
                isinstance(pair, Sequence)
                and len(pair) == 2
                and all(isinstance(number, Integral) for number in pair)
                and 0 <= pair[0] <= pair[1] < 2**63
            ):
                raise InputError(
                    "counts must be integers (count, nb) with 0 <= count <= nb < 2^63; "
                    f"code {shown(code)} has {shown(pair)}"
                )
        # JSON has no numbers of NumPy.
        plain = {code: (int(count), int(nb)) for code, (count, nb) in self.counts.items()}
        object.__setattr__(self, "counts", plain)

    def probability(self, code: Hashable) -> float | None:
        """Return count / nb of a code; None if the code was never legal."""
        count, nb = self.counts.get(code, (0, 0))
        return count / nb if nb else None

    def betas(self, temperature: float = 1.0, smoothing: float = 0.0) -> dict[Hashable, float]:
        """Return the bias of each code: beta = temperature * ln(count / nb).

        A code that was never the solution's move has minus infinity: such moves are forbidden,
        unless a state has no others. A code that the prior does not know has 0.

        Parameters
        ----------
        temperature : float, default 1.0
            tau of learned-prior-2024, positive (4 for Latin squares and Kakuro, 6 for RNA).
        smoothing : float, default 0.0
            Laplace smoothing: the ratio is (count + smoothing) / (nb + 2 * smoothing).

        Notes
        -----
        Betas are rounded to 12 decimals, so that the platform's logarithm cannot change a result.
        """
        temperature = float(as_positive("temperature", temperature))
        smoothing = float(as_number("smoothing", smoothing, 0, 1e6))
        betas: dict[Hashable, float] = {}
        for code, (count, nb) in self.counts.items():
            if nb:
                ratio = (count + smoothing) / (nb + 2.0 * smoothing)
                log = math.log(ratio) if ratio > 0.0 else -math.inf
                betas[code] = round(temperature * log, 12)
        return betas

    def histogram(self, bins: int = 20) -> list[tuple[float, float, int]]:
        """Return (from, to, codes) for equal parts of [0, 1]: how many codes have such a ratio.

        Codes at 1 are counted in the last part.
        """
        bins = as_integer("bins", bins, 1, 10**6)
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
        return visible("\n".join(lines))

    @property
    def digest(self) -> str:
        """SHA-256 of the problem and the counts, as 64 hexadecimal digits.

        Raises
        ------
        InputError
            If a user's own code has no JSON form.
        """
        return hashlib.sha256(_json([self.problem, *self._rows()]).encode()).hexdigest()

    def _rows(self) -> list[list[Any]]:
        """Return [codes, counts, nbs], in the order of the codes."""
        codes: list[Any] = [*self.counts]
        numbers = all(isinstance(code, int) for code in codes)
        codes.sort(key=None if numbers else lambda code: (str(type(code)), repr(code)))
        pairs = [self.counts[code] for code in codes]
        return [codes, [count for count, _ in pairs], [nb for _, nb in pairs]]

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
        """Rebuild a prior from `to_dict`, or from its JSON.

        Raises
        ------
        InputError
            If something is missing or malformed.
        """
        data = as_mapping("data", data)
        try:
            pairs = zip(data["count"], data["nb"], strict=True)
            rows = list(zip(map(hashable, data["codes"]), pairs, strict=True))
            counts = dict(rows)
            if len(counts) < len(rows):
                raise ValueError("a code is there twice")
            return cls(data["problem"], counts, data["provenance"], data["name"])
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(f"not the data of a prior: {error!r:.80}") from None

    def save(self, path: str | Path) -> None:
        """Write the prior as JSON, compressed if the name ends in ``.gz``.

        Raises
        ------
        InputError
            If the file cannot be written, a user's own code has no JSON form, or there are too many
            codes for `load`: more than 16 MiB of JSON.
        """
        content = (_json(self.to_dict(), (",", ":")) + "\n").encode()
        if len(content) > LIMIT:
            raise InputError(
                f"{path}: the JSON of this prior has more than {LIMIT // files.MIB} MiB"
            )
        if str(path).endswith(".gz"):
            import gzip

            content = gzip.compress(content, mtime=0)
        files.write_file(path, content)

    @classmethod
    def load(cls, source: str | Path) -> Prior:
        """Read a prior: one that comes with Nestor, by its name, or a file that `save` wrote.

        Raises
        ------
        InputError
            If there is no such prior or file, or it is not a prior.
        """
        what = "a prior"
        content = _find(source, what)
        with files.parsing(source, what):
            if content[:2] == b"\x1f\x8b":
                content = files.inflated(content, LIMIT, GZIP)
            try:
                data = files.parse_json(content, source, what)
                if "schema" not in data:
                    raise InputError(f"not {what}, which Prior.save writes")
                if data["schema"] != SCHEMA:
                    raise InputError(f"a prior of another version ({shown(data['schema'])})")
                return cls.from_dict(data)
            except (InputError, LookupError):
                files.check_what(content, source, what)
                raise


def _json(data: Any, separators: tuple[str, str] | None = None) -> str:
    try:
        return json.dumps(data, separators=separators)
    except (TypeError, ValueError) as error:
        raise InputError(f"the codes of this prior have no JSON form: {error}") from None


def shipped() -> list[str]:
    """Return the names of the priors that come with Nestor."""
    folder = resources.files("nestor").joinpath("priors")
    if not folder.is_dir():
        return []
    return sorted(f.name.removesuffix(".json.gz") for f in folder.iterdir() if f.name[0] != "_")


def _find(source: str | Path, what: str) -> bytes:
    files.as_path("source", source)
    if str(source) in shipped():
        return resources.files("nestor").joinpath("priors", f"{source}.json.gz").read_bytes()
    if not files.exists(str(source)):
        known = ", ".join(shipped()) or "none"
        raise InputError(
            f"no prior file {str(source)!r}; priors that come with Nestor: {known}"
            f"{nearest(str(source), shipped())}"
        )
    return files.read_bytes(source, what, LIMIT)


@dataclass(frozen=True, eq=False)
class WithPrior(SameRules):
    """A problem whose moves have the bias of a prior, in Python.

    It is the twin of what the core does for its own problems, and gives users' own problems a
    prior.

    Attributes
    ----------
    problem : Problem
    betas : mapping of prior code to float
        See `Prior.betas`; 0 for a code it does not have.
    """

    betas: Mapping[Hashable, float]

    def __post_init__(self) -> None:
        object.__setattr__(self, "betas", as_mapping("betas", self.betas))

    def bias(self, state: Any, move: Any) -> float:
        """Return the prior's beta of a move."""
        return self.betas.get(prior_code_of(self.problem, state, move), 0.0)
