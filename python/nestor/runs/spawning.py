"""Whether processes can be started here.

A worker of `multiprocessing.Pool` may have none, and they import the main module, which must have
a guard.
"""

from __future__ import annotations

import ast
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from multiprocessing import current_process, parent_process, resource_tracker
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

GUARD = 'if __name__ == "__main__":'


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
            return "a class of this session needs cloudpickle (pip install 'nestor[cluster]')"
        return None
    if parent_process() is not None:
        return None  # We have been started in this way ourselves.
    line = _line_of(main)
    if line is not None and any(line in lines for lines in _guarded(Path(main.__file__ or ""))):
        return None
    return f"the processes import the main module, so what it does must be under {GUARD}"


@contextmanager
def starting(*signals: str) -> Iterator[None]:
    """Start processes in this context: these signals do not reach them, as far as there are any.

    Nor do they look for a main module that has no file, as one that comes from standard input.
    """
    main, mask = sys.modules["__main__"], getattr(signal, "pthread_sigmask", None)
    with _STARTING:
        hidden = {} if _is_imported(main) else {"__file__": vars(main).pop("__file__", None)}
        if mask is not None:
            # The first process has it started, which would let these signals through again.
            resource_tracker.ensure_running()
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
    tests: list[Any] = [node for node in module.body if isinstance(node, ast.If)]
    return [
        range(node.lineno, (node.end_lineno or node.lineno) + 1)
        for node in tests
        if ast.unparse(node.test) in ("__name__ == '__main__'", "'__main__' == __name__")
    ]
