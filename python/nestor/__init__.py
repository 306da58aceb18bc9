"""Nested Monte Carlo search for combinatorial problems.

Give `solve` a problem (one of `nestor.problems`, or your own class), an algorithm and a budget. It
returns the best sequence of moves that it found, decoded and verified.
"""

# What is public is imported when it is first used, so that `import nestor` is quick. For type
# checkers and editors the same names stand in `__init__.pyi`.

_MODULES = ("algorithms", "data", "plot", "problems", "reference", "research", "testing")

_HOMES = {
    "Assignment": "problems.functions",
    "Batch": "batch_bias",
    "BatchBias": "batch_bias",
    "Cancel": "runs.stopping",
    "FetchError": "errors",
    "FirstSolved": "runs.stopping",
    "Improvement": "result",
    "InputError": "errors",
    "Many": "many",
    "MissingExtraError": "errors",
    "NestorError": "errors",
    "NoImprovement": "runs.stopping",
    "Front": "front",
    "Order": "problems.functions",
    "ParetoLocalSearch": "pareto",
    "ParetoNRPA": "pareto",
    "Prior": "prior",
    "Problem": "problem",
    "Progress": "runs.progress",
    "Racer": "runs.progress",
    "RayExecutor": "runs.elsewhere.executors",
    "Result": "result",
    "RulesError": "errors",
    "Runs": "comparison",
    "Search": "asking",
    "Subset": "problems.functions",
    "VerificationError": "errors",
    "algorithm": "algorithms.own",
    "compare": "comparison",
    "compiled": "foreign",
    "get_include": "foreign",
    "learn_prior": "learning",
    "load_library": "foreign",
    "resume": "solving",
    "solve": "solving",
    "solve_async": "awaiting",
    "solve_many": "many",
}
"""The modules of the public names; algorithms are those of `nestor.algorithms`."""


def __getattr__(name: str) -> object:
    """Import a public name when it is first used."""
    from importlib import import_module

    value: object
    if name == "__version__":
        value = import_module("nestor._core").__version__
    elif name == "__all__":
        value = [*import_module("nestor.algorithms").__all__, *_HOMES, *_MODULES[1:], "__version__"]
    elif name in _MODULES:
        value = import_module(f"nestor.{name}")
    elif name in _HOMES:
        value = getattr(import_module(f"nestor.{_HOMES[name]}"), name)
    elif name[0].isupper() and name in import_module("nestor.algorithms").__all__:
        value = getattr(import_module("nestor.algorithms"), name)
    else:
        raise AttributeError(f"module 'nestor' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Return all names, those not yet imported included."""
    return sorted({*globals(), *__getattr__("__all__")})
