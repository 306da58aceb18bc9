"""Nested Monte Carlo search for combinatorial problems.

Give `solve` a problem (one of `nestor.problems`, or your own class), an algorithm and a budget. It
returns the best sequence of moves that it found, decoded and verified.
"""

# What is public is imported when it is first used, so that `import nestor` is quick. Where it comes
# from stands in `__init__.pyi`, where type checkers and editors look, too.

_MODULES = ("algorithms", "data", "plot", "problems", "reference", "research", "testing")


def _homes() -> dict[str, str]:
    """Return the modules of the public names; algorithms are those of `nestor.algorithms`."""
    from pathlib import Path

    lines = map(str.split, Path(__file__).with_suffix(".pyi").read_text("utf-8").splitlines())
    named = {words[-1]: words[1] for words in lines if words[-2:-1] == ["as"]}
    return {name: module for name, module in named.items() if name not in _MODULES}


def __getattr__(name: str) -> object:
    """Import a public name when it is first used."""
    from importlib import import_module

    value: object
    if name == "__version__":
        value = import_module("nestor._core").__version__
    elif name == "__all__":
        value = [
            *import_module("nestor.algorithms").__all__,
            *_homes(),
            *_MODULES[1:],
            "__version__",
        ]
    elif name in _MODULES:
        value = import_module(f"nestor.{name}")
    elif name[0] != "_" and name in (homes := _homes()):
        value = getattr(import_module(homes[name]), name)
    elif name[0].isupper() and name in import_module("nestor.algorithms").__all__:
        value = getattr(import_module("nestor.algorithms"), name)
    else:
        raise AttributeError(f"module 'nestor' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Return all names, those not yet imported included."""
    return sorted({*globals(), *__getattr__("__all__")})
