"""The errors and warnings that reach a user."""

from __future__ import annotations

import contextlib
import functools
import os
import pickle
import re
import signal
import sys
import sysconfig
import unicodedata
import warnings
from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path
from traceback import walk_tb
from types import CodeType, TracebackType
from typing import Any

from nestor.safe import visible

OURS = (f"{Path(__file__).parent}{os.sep}", contextlib.__file__, functools.__file__)
"""How the paths of our files begin, and the files that enter our contexts and get our values."""

OTHERS = tuple(f"{sysconfig.get_path(name)}{os.sep}" for name in ("stdlib", "purelib", "platlib"))
"""How the paths of files begin that are neither ours nor the user's."""

KEEPS = ("nestor_result", "nestor_many")
"""The attributes of an exception that have what was found before it."""


class NestorError(Exception):
    """Base class of all errors that this package raises on purpose."""

    def __str__(self) -> str:
        return visible(super().__str__())


class InputError(NestorError, ValueError):
    """An argument or a file has the wrong content.

    The message names the argument, or the file and line, and says what would be right.
    """


class RulesError(NestorError, RuntimeError):
    """The native code of a problem did something wrong: it failed, or broke the contract.

    Attributes
    ----------
    function : str
        The name of the function; empty if it is not known.
    moves : list of int
        The moves of the game before it.
    status : int
        The status that the function returned; 0 if that was not the fault.
    """

    def __init__(
        self, message: str, function: str = "", moves: Iterable[int] = (), status: int = 0
    ) -> None:
        super().__init__(message)
        self.function, self.moves, self.status = function, list(moves), status

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        return type(self), (str(self), self.function, self.moves, self.status)


class VerificationError(NestorError, ValueError):
    """A solution is not what it claims to be.

    Raised by the verifiers of the problems, which share no code with the search.
    """


class FetchError(NestorError, OSError):
    """A benchmark set cannot be downloaded; the message says why, and where its files belong."""


class MissingExtraError(NestorError, ImportError):
    """An optional dependency is needed; the message names the extra to install."""


def missing_extra(what: str, extra: str) -> MissingExtraError:
    """Return the error for a feature whose extra is not installed."""
    return MissingExtraError(f"{what} needs the extra '{extra}': {how_to_install(extra)}")


def extra_module(module: str, what: str, extra: str) -> Any:
    """Import a module of an extra; raise `MissingExtraError` if it is not installed."""
    try:
        return import_module(module)
    except ImportError:
        raise missing_extra(what, extra) from None


def how_to_install(extra: str) -> str:
    """Return the command that installs an extra, and one for where no index has Nestor."""
    missing = [name for name, version in packages().get(extra, {}).items() if version is None]
    command = f"pip install 'nestor[{extra}]'"
    return f"{command}, or pip install {' '.join(missing)}" if missing else command


def packages() -> dict[str | None, dict[str, str | None]]:
    """Return the packages that each extra needs, and their versions here; None has the others.

    Nothing is known of them if Nestor is not installed.
    """
    from importlib.metadata import PackageNotFoundError, requires, version

    needed: dict[str | None, dict[str, str | None]] = {None: {}}
    with contextlib.suppress(PackageNotFoundError):
        for requirement in requires("nestor") or []:
            name = re.split(r"[^\w.-]", requirement)[0]
            extra = re.search(r"extra *== *['\"]([^'\"]+)", requirement)
            found = needed.setdefault(extra[1] if extra else None, {})
            found[name] = None
            with contextlib.suppress(PackageNotFoundError):
                found[name] = version(name)
    return needed


def folded(word: str) -> str:
    """Return a word without capitals and accents."""
    return re.sub(r"[\u0300-\u036f]", "", unicodedata.normalize("NFKD", word.casefold()))


def nearest(value: object, known: Iterable[str]) -> str:
    """Return a question to put after an error: which known name was meant; empty if none is near.

    Capitals and accents matter only if names differ in nothing else.
    """
    from difflib import get_close_matches

    if isinstance(value, str):
        names = dict[str, list[str]]()
        for name in known:
            names.setdefault(folded(name), []).append(name)
        if found := get_close_matches(folded(value), names, 1):
            return f" (did you mean {get_close_matches(value, names[found[0]], 1, 0.0)[0]!r}?)"
    return ""


@contextlib.contextmanager
def errors_of(where: object, kind: type[ValueError] = InputError) -> Iterator[None]:
    """Say of which argument or file an error is; one of another kind becomes an `InputError`."""
    try:
        yield
    except kind as error:
        of = type(error) if isinstance(error, InputError) else InputError
        raise of(f"{where}: {error}") from None


def place_of(calls: Iterable[tuple[CodeType, int]]) -> str:
    """Return where a user's code is, or was: that of the last of these calls; empty without one.

    Parameters
    ----------
    calls : iterable of (code, int)
        Calls under way with their lines, the last one last.
    """
    place = ""
    for code, line in calls:
        name = code.co_filename
        if not name.startswith((*OURS, *OTHERS, "<frozen")):
            place = f"{Path(name).name}, line {line}, in {code.co_name}"
    return place


def attach(error: BaseException, found: Any, name: str = KEEPS[0]) -> None:
    """Store in an exception what was found before it; it reaches other processes in any case."""
    setattr(error, name, found)
    # Pickle asks the object itself for this, and only then its class.
    error.__reduce__ = functools.partial(_reduced, error)  # type: ignore[method-assign]


def _reduced(error: BaseException) -> tuple[Any, ...]:
    """Return what pickle writes of an exception: what was found if that can be pickled."""
    made: Any = type(error).__reduce__(error)
    if len(made) == 2 or not isinstance(made[2], dict):
        return tuple(made)
    state = {name: value for name, value in made[2].items() if name != "__reduce__"}
    for name in KEEPS:
        try:
            pickle.dumps(state.get(name))
        except Exception as why:
            notes = [*state.get("__notes__", ()), f"{name} was left behind: {why}"]
            state.update({name: None, "__notes__": notes})
    return *made[:2], state, *made[3:]


def is_ours(error: BaseException) -> bool:
    """Whether this package raised an exception itself, here or in another process."""
    if (there := getattr(error, "nestor_ours", None)) is not None:
        return bool(there)
    frames = [frame for frame, _ in walk_tb(error.__traceback__)]
    return not frames or frames[-1].f_globals.get("__name__", "").startswith("nestor.")


def of_a_signal(error: BaseException) -> bool:
    """Whether a handler of signals raised an exception, here."""
    handlers = map(signal.getsignal, signal.valid_signals())
    codes = {getattr(getattr(each, "__func__", each), "__code__", None) for each in handlers}
    return any(frame.f_code in codes for frame, _ in walk_tb(error.__traceback__))


def users_frames(frames: TracebackType | None, own: Iterable[str] = ()) -> TracebackType | None:
    """Skip the frames of this package, and of files that begin with `own`, before other code."""
    while frames is not None and frames.tb_frame.f_code.co_filename.startswith((*OURS, *own)):
        frames = frames.tb_next
    return frames


def warn(message: str) -> None:
    """Warn at the line outside this package that led here."""
    # Level 1 is this function.
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(OURS):
        level, frame = level + 1, frame.f_back
    with contextlib.suppress(ValueError):  # Standard error is closed; Python drops an OSError.
        warnings.warn(visible(message), RuntimeWarning, stacklevel=level)
