"""Other processes: whether they can be started here, and what they are sent."""

from __future__ import annotations

import ast
import os
import pickle
import platform
import signal
import sys
import threading
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from multiprocessing import current_process, parent_process, resource_tracker
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

from nestor import _core
from nestor.errors import InputError
from nestor.signals import signals_later

GUARD = 'if __name__ == "__main__"'


def obstacle(module: str) -> str | None:
    """Return why no processes can be started here; None if they can.

    Parameters
    ----------
    module : str
        The module that the processes need besides those of Nestor.
    """
    if current_process().daemon:
        return (
            "this process is a worker of another pool that may not start processes (daemonic, "
            "as those of multiprocessing.Pool are and those of concurrent.futures are not)"
        )
    main = sys.modules["__main__"]
    if not _is_imported(main):
        if module == "__main__" and find_spec("cloudpickle") is None:
            return "a class of this session needs cloudpickle (pip install cloudpickle)"
        return None
    if parent_process() is not None:
        return None  # We have been started in this way ourselves.
    line = _line_of(main)
    if line is not None and any(line in lines for lines in _guarded(Path(main.__file__ or ""))):
        return None
    return f"other processes import this script, so what it does must be under a line {GUARD!r}"


@contextmanager
def starting(*signals: str) -> Iterator[None]:
    """Make and start processes in this context; these signals do not reach them, if there are any.

    Nor do they look for a main module that has no file, as one that comes from standard input.
    Here, signals wait until the end: an exception would leave an object of `multiprocessing` half
    made.
    """
    main, mask = sys.modules["__main__"], getattr(signal, "pthread_sigmask", None)
    with _STARTING, signals_later():
        hidden = {} if _is_imported(main) else {"__file__": vars(main).pop("__file__", None)}
        if mask is not None:
            # The first process has it started, which would let these signals through again. It
            # ignores the others itself, and lives on until nobody needs it.
            held = mask(signal.SIG_BLOCK, [signal.SIGHUP])
            resource_tracker.ensure_running()
            mask(signal.SIG_SETMASK, held)
        before = mask and mask(signal.SIG_BLOCK, [getattr(signal, name) for name in signals])
        try:
            yield
        finally:
            if mask is not None:
                mask(signal.SIG_SETMASK, before)
            vars(main).update({name: value for name, value in hidden.items() if value is not None})


_STARTING = threading.RLock()


def _is_imported(main: ModuleType) -> bool:
    """Whether new processes import the main module, as `multiprocessing` does if it can."""
    spec = getattr(main, "__spec__", None)
    if spec is not None:
        return not spec.name.endswith("__main__")
    path = getattr(main, "__file__", None)
    return path is not None and Path(path).exists() and not hasattr(main, "__IPYTHON__")


def _line_of(main: ModuleType) -> int | None:
    """Return the line of the main module that is running, in the main thread."""
    frame: FrameType | None = sys._current_frames().get(threading.main_thread().ident or 0)
    line = None
    while frame is not None:
        if frame.f_globals is vars(main) and frame.f_code.co_name == "<module>":
            line = frame.f_lineno
        frame = frame.f_back
    return line


def _guarded(path: Path) -> list[range]:
    """Return the lines of a file that run only if it is the main module."""
    try:
        module = ast.parse(path.read_bytes())
    except (OSError, SyntaxError, ValueError):
        return []
    tests = [node for node in ast.walk(module) if isinstance(node, ast.If)]
    return [
        range(node.lineno, (node.end_lineno or node.lineno) + 1)
        for node in tests
        if ast.unparse(node.test) in ("__name__ == '__main__'", "'__main__' == __name__")
    ]


NO_NAME = (
    "; other processes import a function by its name: write it with def at the top of a file, not "
    f"under {GUARD!r}, or install cloudpickle"
)
"""Why a function cannot be sent."""


class RefusedError(InputError, ImportError):
    """A worker cannot do what others may: it has another version, or lacks a module.

    On a cluster `path` is the address of the worker.
    """


def worker() -> str:
    """Return the name of this process among all workers."""
    return f"{platform.node()}:{os.getpid()}"


class _Next:
    """It stands before a part of what is pickled, and names that part while it is loaded."""

    def __init__(self, part: str) -> None:
        self.part = part

    def __reduce__(self) -> Any:
        return _begin, (self.part,)


_loading = threading.local()


def _begin(part: str) -> None:
    _loading.part = part


def pack(value: Any, **parts: Any) -> bytes:
    """Return a value as `unpack` takes it (see `pickle_of`).

    Raises
    ------
    InputError
        If it cannot be pickled.
    """
    return zlib.compress(pickle.dumps((_core.__version__, pickle_of(value, **parts))))


def pickle_of(value: Any, **parts: Any) -> bytes:
    """Return a value as `load` takes it.

    Parameters
    ----------
    value : object
    **parts
        Parts of it, which the error names if a worker cannot load them.

    Raises
    ------
    InputError
        If it cannot be pickled.
    """
    try:
        # It also takes classes of the main module and of notebooks.
        from cloudpickle import dumps
    except ImportError:
        from pickle import dumps
    try:
        return dumps(([(_Next(name), part) for name, part in parts.items()], value))  # type: ignore[no-any-return]
    except Exception as error:
        why = NO_NAME if "<lambda>" in str(error) or "<locals>" in str(error) else ""
        raise InputError(
            "workers and isolated processes get a copy of the problem and the model, "
            f"threads of an executor too, so these must be picklable: {error}{why}"
        ) from None


def unpack(packed: bytes) -> Any:
    """Return the value that was packed.

    Raises
    ------
    RefusedError
        If this worker has another version of Nestor, or cannot load the value.
    """
    other, pickled = pickle.loads(zlib.decompress(packed))
    if other != _core.__version__:
        raise RefusedError(
            f"worker {worker()} has Nestor {_core.__version__}, and the search needs {other}: "
            "workers must have the same version"
        )
    return _loaded(pickled)


def load(pickled: bytes) -> None:
    """Try to load what was pickled.

    Raises
    ------
    RefusedError
        If it cannot be loaded here.
    """
    _loaded(pickled)


def _loaded(pickled: bytes) -> Any:
    try:
        _begin("problem")
        return pickle.loads(pickled)[1]
    except Exception as error:
        why = NO_NAME if "'__main__'" in str(error) or "'__mp_main__'" in str(error) else ""
        if isinstance(error, ModuleNotFoundError):
            why = "; it must be installed where the worker runs, or in a folder of its PYTHONPATH"
        raise RefusedError(
            f"worker {worker()} cannot load the {_loading.part}: {error}{why}"
        ) from None


def squeeze(state: bytes, base: bytes = b"") -> bytes:
    """Return a state in few bytes, as its difference to another one.

    Parameters
    ----------
    state, base : bytes
        What `_core.Search.save` returns for a job.
    """
    from zstandard import ZstdCompressor

    return ZstdCompressor(dict_data=_dictionary(base)).compress(state)


def expand(squeezed: bytes, base: bytes = b"") -> bytes:
    """Return the state that was squeezed with the same base."""
    from zstandard import ZstdDecompressor

    return ZstdDecompressor(dict_data=_dictionary(base)).decompress(squeezed)


def _dictionary(base: bytes) -> Any:
    from zstandard import DICT_TYPE_RAWCONTENT, ZstdCompressionDict

    return ZstdCompressionDict(base, dict_type=DICT_TYPE_RAWCONTENT) if base else None
