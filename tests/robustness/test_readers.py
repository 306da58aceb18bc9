"""Every reader, given files with faults: a valid object or an InputError that names the file."""

from __future__ import annotations

import copy
import gzip
import hashlib
import json
import lzma
import os
import random
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import nestor
from cli.test_comparing import SPEC
from nestor import GNRPA, InputError, Prior, Result, Sampling, research
from nestor.problems import RNA, TSPTW, Crossword, Kakuro, LatinSquare, Morpion, SameGame
from nestor.problems.rna.learn import read_table
from problems.test_tsptw_tables import CLOCK, EXPLICIT, SOLOMON, TABLE, VRPLIB
from robustness.sandbox import FILES, WRONG, command, faults, mutated, outcomes
from support.instances import small_tsptw
from support.own import Subset

STOPS = {
    "stops.csv": TABLE,
    "times.csv": CLOCK,
    "solomon.txt": SOLOMON,
    "plane.vrp": VRPLIB,
    "explicit.vrp": EXPLICIT,
    "osrm.json": '{"code": "Ok", "durations": [[0, 60, null], [60, 0, 30.5], [90, 30, 0]]}',
}
SQUARES = LatinSquare([[1, 0, 0], [0, 0, 0], [0, 0, 0]])


def search(problem: Any) -> None:
    """Use an instance."""
    nestor.solve(problem, Sampling(), playouts=2, threads=1).to_dict()


def tell(result: Result) -> None:
    """Use a result."""
    assert all((str(result), repr(result), json.dumps(result.to_dict())))
    result.verify()


def bias(prior: Prior) -> None:
    """Use a prior."""
    assert all((str(prior), prior.histogram(), prior.digest))
    nestor.solve(SQUARES, GNRPA(1, 2, prior=prior, prior_temperature=4.0, smoothing=0.5))


def play(policy: research.Policy) -> None:
    """Use a policy."""
    research.playout(SQUARES, policy, 3, key=research.Key(1))


def resume(path: Path, **outputs: Any) -> Result:
    """Go on with a run, as far as a checkpoint that asks for hours lets us."""
    return nestor.resume(path, playouts=70, seconds=0.2, threads=1, **outputs)


def begin(path: Path) -> Result:
    """Begin a run with moves."""
    problem = SQUARES if path.suffix == ".json" else small_tsptw()
    return nestor.solve(problem, GNRPA(1, 2), initial=path, playouts=4, threads=1)


def compare(path: Path) -> Any:
    """Make the runs of a comparison that a file does not have."""
    algorithms: list[Any] = [Sampling(), GNRPA(1, 2)]
    return nestor.compare({"s": SQUARES}, algorithms, seeds=2, playouts=4, save=path)


class Reader(NamedTuple):
    """What reads a kind of file, and what is then done with what it has read."""

    file: str
    read: Callable[[Path], Any]
    use: Callable[[Any], object] = bool
    words: str = ""


READERS = {
    "TSPTW.read": Reader("tour.txt", TSPTW.read, search),
    **{f"TSPTW.read, {file}": Reader(file, TSPTW.read, search) for file in STOPS},
    "SameGame.read": Reader("boards.txt", lambda path: SameGame.read(path, 2), search),
    "SameGame.read_all": Reader("boards.txt", SameGame.read_all, lambda all: search(all[0])),
    "Crossword.read": Reader("words.txt", lambda path: Crossword.read(path, 9), search),
    "LatinSquare.read": Reader("square.txt", LatinSquare.read, search),
    "Kakuro.read": Reader("puzzle.txt", Kakuro.read, search),
    "Kakuro.read, square": Reader("sums.txt", Kakuro.read, search),
    "RNA.read": Reader("targets.fasta", lambda path: RNA.read(path, 2), RNA.initial),
    "RNA.read_all": Reader("targets.fasta", RNA.read_all),
    **{
        f"Morpion.read, {file}": Reader(file, Morpion.read, lambda game: game.verify())
        for file in ("game.json", "game.msr", "game.psol")
    },
    "initial": Reader("moves.json", begin, tell),
    "initial, numbers": Reader("moves.txt", begin, tell),
    "compare": Reader("runs.jsonl", compare, len),
    "Result.load": Reader("run.json", Result.load, tell),
    "resume": Reader("run.ckpt", resume, tell),
    "resume, signed again": Reader("signed.ckpt", resume, tell),
    "log": Reader("run.jsonl", lambda path: resume(path.with_suffix(".ckpt"), log=path)),
    "Prior.load": Reader("prior.json", Prior.load, bias),
    "Prior.load, packed": Reader("packed.json.gz", Prior.load, bias),
    "Policy.load": Reader("policy.json", lambda path: research.Policy.load(path, SQUARES), play),
    "read_table": Reader("pairs.tsv", lambda path: list(read_table(path))),
    "read_table, packed": Reader("packed.tsv.xz", lambda path: list(read_table(path))),
}


def commanded(file: str, words: str) -> Reader:
    """Return what a command reads, which is named FILE; other files stand beside it."""

    def read(path: Path) -> int:
        beside = (path.with_name(word) if word in beside_it else word for word in words.split())
        return command(*(str(path if word == "FILE" else word) for word in beside))

    return Reader(file, read, words=words)


beside_it = ("tour.txt", "square.txt", "run.ckpt", "drawn.svg", "page.html")
"""Files that commands read or write besides the one that has faults."""

TWO = "--playouts 2 --quiet"
COMMANDS = {
    f"nestor {words}, {file}": commanded(file, words)
    for words, files in {
        f"solve tsptw FILE {TWO}": ("tour.txt", *STOPS),
        f"solve samegame FILE --board 2 {TWO}": ("boards.txt",),
        f"solve crossword FILE --size 9 {TWO}": ("words.txt",),
        f"solve latin FILE {TWO}": ("square.txt",),
        f"solve kakuro FILE {TWO}": ("puzzle.txt", "sums.txt"),
        f"solve rna FILE --target-number 2 {TWO}": ("targets.fasta",),
        f"solve rna ((....)) --initial FILE {TWO}": ("design.fasta",),
        f"solve morpion 5D --initial FILE {TWO}": ("game.json", "game.msr", "game.psol"),
        f"solve latin square.txt --initial FILE {TWO}": ("moves.json",),
        f"solve tsptw tour.txt --initial FILE {TWO}": ("cities.txt", "run.json"),
        f"solve latin square.txt --level 1 --prior FILE {TWO}": ("prior.json", "packed.json.gz"),
        "compare FILE --quiet": ("spec.toml",),
        "compare latin square.txt --algorithms sampling --playouts 4 --quiet --save FILE": (
            "runs.jsonl",
        ),
        "verify FILE": ("run.json",),
        "replay FILE": ("run.json",),
        "replay FILE --html page.html": ("run.json",),
        "plot FILE drawn.svg": ("run.json",),
        "verify FILE --problem support.own:Subset": ("own.json",),
        "resume FILE --problem support.own:Subset --quiet --playouts 70": ("own.ckpt",),
        "resume FILE --quiet --playouts 70 --seconds 0.2": ("run.ckpt", "signed.ckpt"),
        "resume run.ckpt --quiet --playouts 70 --log FILE": ("run.jsonl",),
        "watch FILE --once": ("run.jsonl",),
        "watch FILE --json": ("run.jsonl",),
    }.items()
    for file in files
}
"""The same files, and others that only commands read, through the command line."""


@pytest.fixture(scope="module")
def valid(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """A valid file of each kind."""
    folder = tmp_path_factory.mktemp("valid")
    for name, text in {**FILES, **STOPS, "sums.txt": "2 9\n3 7\n4 6\n"}.items():
        (folder / name).write_text(text)
    problem, files = TSPTW.read(folder / "tour.txt"), (folder / "run.ckpt", folder / "run.jsonl")
    result = nestor.solve(problem, GNRPA(2, 5), playouts=60, checkpoint=files[0], log=files[1])
    result.save(folder / "run.json")
    (folder / "signed.ckpt").write_bytes((folder / "run.ckpt").read_bytes())
    game: Any = nestor.solve(Morpion("5D"), GNRPA(1, 1)).solution
    for suffix in ("json", "msr", "psol"):
        game.save(folder / f"game.{suffix}")
    (folder / "moves.json").write_text(json.dumps(nestor.solve(SQUARES, playouts=1).moves))
    (folder / "moves.txt").write_text(
        " ".join(map(str, nestor.solve(small_tsptw(), playouts=1).moves))
    )
    compare(folder / "runs.jsonl")
    (folder / "cities.txt").write_text("1 2 3 4")
    (folder / "design.fasta").write_text(">one\nGCAAAAGC\n")
    (folder / "pairs.tsv").write_text("sequence\tmfe_structure\nGCAAAAGC\t((....))\n")
    (folder / "packed.tsv.xz").write_bytes(lzma.compress((folder / "pairs.tsv").read_bytes()))
    (folder / "spec.toml").write_text(
        SPEC.replace("own:", "support.own:").replace('save = "runs.jsonl"', "")
    )
    own = nestor.solve(Subset(), GNRPA(2, 5), playouts=60, checkpoint=folder / "own.ckpt")
    own.save(folder / "own.json")
    prior = nestor.learn_prior([nestor.solve(SQUARES)])
    prior.save(folder / "prior.json")
    prior.save(folder / "packed.json.gz")
    policy = research.Policy(SQUARES)
    research.adapt(policy, research.playout(SQUARES, policy, key=research.Key(0)))
    policy.save(folder / "policy.json")
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def signed(head: bytes, line: bytes, parts: bytes) -> bytes:
    """Return a checkpoint with its digest."""
    return head + hashlib.sha256(line + b"\n" + parts).digest() + line + b"\n" + parts


def torn(checkpoint: bytes) -> tuple[bytes, bytes, bytes]:
    """Return the first line of a checkpoint, its line of JSON, and the states."""
    head, rest = checkpoint[:20], checkpoint[52:]
    line, _, parts = rest.partition(b"\n")
    return head, line, parts


PACKED = {"packed.json.gz": gzip, "packed.tsv.xz": lzma}


def with_faults(name: str, content: bytes, rng: random.Random) -> bytes:
    """Return a file with faults: packed or signed after that, if what it is would hide them."""
    if name == "signed.ckpt":
        head, line, parts = torn(content)
        if rng.random() < 0.5:
            return signed(head, mutated(line, rng), parts)
        asked = json.loads(line)
        state = mutated(zlib.decompress(parts[: asked["parts"][0]]), rng)
        parts = (packed := zlib.compress(state, 1)) + parts[asked["parts"][0] :]
        asked["parts"][0], asked["sizes"][0] = len(packed), len(state)
        return signed(head, json.dumps(asked).encode(), parts)
    if name in PACKED and rng.random() < 0.5:
        kind: Any = PACKED[name]
        return bytes(kind.compress(mutated(kind.decompress(content), rng)))
    return mutated(content, rng)


def attempt(reader: Reader, path: Path, write: Callable[[Path], object]) -> Callable[[], str]:
    """Return the call that writes a file and reads it."""

    def call() -> str:
        write(path)
        try:
            found = reader.read(path)
        except InputError as error:
            # A prior may be a good one, and not for this problem.
            named = path.name in str(error) or ("--prior" in reader.words and "prior" in str(error))
            return f"InputError {'' if named else f'without the file: {error}'}"
        except nestor.VerificationError:
            return "VerificationError"
        try:
            reader.use(found)
        except (InputError, nestor.VerificationError, nestor.MissingExtraError):
            return "refused when used"
        return "valid"

    return call


def fine(told: str) -> bool:
    return told.startswith("returned") and "without the file" not in told


LONG = [
    pytest.param(range(first, first + 300), id=f"300 from {first}", marks=pytest.mark.long)
    for first in (0, 300, 600)
]
"""All of them are more than 50,000 files, 900 of each reader."""


@pytest.mark.parametrize("seeds", [pytest.param(range(10), id="10 each"), *LONG])
@pytest.mark.parametrize("name", READERS)
def test_mutations(name: str, seeds: range, valid: dict[str, bytes], tmp_path: Path) -> None:
    check_mutations(READERS[name], name, seeds, valid, tmp_path)


@pytest.mark.parametrize("seeds", [pytest.param(range(2), id="2 each"), *LONG])
@pytest.mark.parametrize("name", COMMANDS)
def test_commands(name: str, seeds: range, valid: dict[str, bytes], tmp_path: Path) -> None:
    check_mutations(COMMANDS[name], name, seeds, valid, tmp_path)


@pytest.mark.parametrize("name", [*READERS, *COMMANDS])
def test_a_valid_file_is_read(name: str, valid: dict[str, bytes], tmp_path: Path) -> None:
    reader = {**READERS, **COMMANDS}[name]

    def write(path: Path) -> None:
        for other, content in valid.items():
            path.with_name(other).write_bytes(content)

    (told,) = outcomes([attempt(reader, tmp_path / reader.file, write)])
    assert told == "returned 'valid'"


def check_mutations(
    reader: Reader, name: str, seeds: range, valid: dict[str, bytes], folder: Path
) -> None:
    """Check that each file with faults is read, or refused in one clear error."""

    def write(seed: int) -> Callable[[Path], None]:
        def write(path: Path) -> None:
            rng = random.Random(f"{name}/{seed}")
            for other in {"run.ckpt", "tour.txt", "square.txt"} - {path.name}:
                path.with_name(other).write_bytes(valid[other])
            path.write_bytes(with_faults(path.name, valid[path.name], rng))

        return write

    path = folder / reader.file
    found = faults({seed: attempt(reader, path, write(seed)) for seed in seeds}, fine)
    assert not found, found


BOMB = gzip.compress(bytes(64 << 20)) * 32
"""2 MB that unpack to 2 GB."""


def replaced(text: str) -> Callable[[Path], object]:
    """Return what writes a text in the place of a file's."""
    return lambda path: path.write_bytes(text.encode("utf-8", "surrogatepass"))


def link(target: str) -> Callable[[Path], object]:
    """Return what makes a link."""
    return lambda path: path.symlink_to(target)


WORLD: dict[str, Callable[[Path], object]] = {
    "missing": lambda path: path.unlink(missing_ok=True),
    "UTF-16": lambda path: path.write_bytes(path.read_bytes().decode("latin1").encode("utf-16")),
    "BOM": lambda path: path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes()),
    "CRLF": lambda path: path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n")),
    "NUL": lambda path: path.write_bytes(bytes(1000)),
    "empty": replaced(""),
    "deep": replaced("[" * 200_000),
    "one cell": replaced("name,lat,lon,window\n[,1,2,8-12" + " " * 100_000 + "x\n"),
    "deep objects": replaced('{"a":' * 200_000),
    "huge number": replaced("1" + "0" * 400),
    "100,000 digits": replaced("9" * 100_000),
    "text with 10^400": replaced('{"schema": 1e400, "x": 1' + "0" * 400 + "}"),
    "no text": replaced("\udcff\ud800"),
    "one line of 20 MB": replaced("( " * 10_000_000),
    "bomb": lambda path: path.write_bytes(BOMB),
    "/dev/zero": link("/dev/zero"),
    "/dev/null": link("/dev/null"),
    "loop": link("loop"),
    "folder": Path.mkdir,
    "FIFO": os.mkfifo,
}


@pytest.mark.parametrize(
    "every", [pytest.param(5, id="a fifth"), pytest.param(1, id="all", marks=pytest.mark.long)]
)
@pytest.mark.parametrize("name", READERS)
def test_world(name: str, every: int, valid: dict[str, bytes], tmp_path: Path) -> None:
    reader = READERS[name]

    def within(thing: str) -> Callable[[], str]:
        folder = tmp_path / str(len(thing)) / thing.replace("/", "_")
        folder.mkdir(parents=True)
        (folder / "loop").symlink_to("loop")

        def write(path: Path) -> None:
            path.with_suffix(".ckpt").write_bytes(valid["run.ckpt"])
            path.write_bytes(valid[path.name])
            if thing in ("/dev/zero", "/dev/null", "loop", "folder", "FIFO"):
                path.unlink()
            WORLD[thing](path)

        return attempt(reader, folder / reader.file, write)

    # Each thing meets another fifth of the readers.
    things = [*WORLD][len(name) % every :: every]
    found = faults({thing: within(thing) for thing in things}, fine)
    assert not found, found


def places(data: Any, *, depth: int = 3) -> Iterator[tuple[Any, ...]]:
    """Yield the way to each part of JSON data, of lists the first entry alone."""
    parts = data.items() if isinstance(data, dict) else enumerate(data[:1])
    for key, part in parts:
        yield (key,)
        if depth > 1 and isinstance(part, dict | list):
            yield from ((key, *more) for more in places(part, depth=depth - 1))


def with_fields(data: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the JSON of an object with a wrong or missing part, and what that is."""
    for place in places(data):
        for wrong in [*WRONG, KeyError]:
            changed = copy.deepcopy(data)
            part: Any = changed
            for key in place[:-1]:
                part = part[key]
            if wrong is KeyError:
                del part[place[-1]]
            else:
                part[place[-1]] = wrong
            yield f"{place} = {wrong!r:.20}", json.dumps(changed)


@pytest.mark.parametrize(
    "every", [pytest.param(7, id="a seventh"), pytest.param(1, id="all", marks=pytest.mark.long)]
)
@pytest.mark.parametrize(
    "name", ["Result.load", "nestor verify FILE, run.json", "resume", "Prior.load", "Policy.load"]
)
def test_fields(name: str, every: int, valid: dict[str, bytes], tmp_path: Path) -> None:
    """Each field of a file of JSON, or of the header of a checkpoint, with every wrong type."""
    reader = {**READERS, **COMMANDS}[name]
    path = tmp_path / reader.file
    content = valid[reader.file]
    head, line, parts = torn(content) if name == "resume" else (b"", content, b"")

    def write(text: str) -> Callable[[Path], object]:
        whole = signed(head, text.encode(), parts) if name == "resume" else text.encode()
        return lambda path: path.write_bytes(whole)

    changes = sorted(with_fields(json.loads(line)))[len(name) % every :: every]
    calls = {what: attempt(reader, path, write(text)) for what, text in changes}
    found = faults(calls, fine)
    assert not found, found
