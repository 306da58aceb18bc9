"""What is told of the settings of algorithms: in the names of a list, and below a table."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from nestor.algorithms import Algorithm, named
from nestor.algorithms.own import OWN, OwnAlgorithm
from nestor.settings import defaults_of, text_of

Data = Mapping[str, Any]
"""Name and settings of an algorithm, as in rows."""


def differences(algorithms: Mapping[Any, Data]) -> dict[Any, list[str]]:
    """Return for each algorithm its settings that others of its class differ in."""
    texts = {key: _texts(own) for key, own in algorithms.items()}
    return {
        key: [
            text
            for setting, text in texts[key].items()
            if any(
                text != texts[other].get(setting, text)
                for other, its in algorithms.items()
                if its["name"] == own["name"]
            )
        ]
        for key, own in algorithms.items()
    }


def untold(algorithms: Mapping[str, Data], shared: Sequence[str] = ()) -> list[str]:
    """Return a text for each algorithm on the settings that its name does not say.

    They are those that are not the default, or that another algorithm has with another value, but
    for bias and prior. What all share, and would be told of each, is said once.
    """
    texts = {name: _texts(own) for name, own in algorithms.items()}
    told = {}
    for name, own in texts.items():
        unusual, words = _unusual(algorithms[name]), re.sub("[-_]", " ", name)
        told[name] = [
            text
            for setting, text in own.items()
            if setting not in ("bias", "prior")
            and (setting in unusual or any(text != of.get(setting, text) for of in texts.values()))
            and not re.search(rf"\b{re.escape(text)}(?!\w|[.,]\d)", words)
        ]
    first, *others = told.values() or [[]]
    alike = [text for text in first if others and all(text in of for of in others)]
    lines = [("all", [*shared, *alike])]
    lines += [(name, [text for text in of if text not in alike]) for name, of in told.items()]
    return [f"{name}: {', '.join(of)}" for name, of in lines if of]


def _texts(own: Data) -> dict[str, str]:
    """Return what is told of each setting: its name in words and its value."""
    return {
        name: name.replace("_", " ") + f" {_text(name, value)}" * (value is not True)
        for name, value in own.items()
        if name not in ("name", "source")
    }


def _text(name: str, value: Any) -> str:
    if value is None:
        return "by default" if name == "bias" else "not set"
    values = value if isinstance(value, list | tuple) else [value]
    return text_of(tuple(_held(each) if isinstance(each, dict) else each for each in values))


def _held(data: Data) -> str:
    """Return the text of what a setting holds: a model, or an algorithm of a race."""
    if "name" not in data:
        return str(data.get("model"))
    return f"({', '.join([str(data['name']), *_unusual(data).values()])})"


def _unusual(own: Data) -> dict[str, str]:
    """Return what is told of each setting that is not the default.

    The defaults of an algorithm of one's own are not known without its code.
    """
    kinds: Mapping[str, type[Algorithm]] = {**named(), **OWN}
    kind = kinds.get(str(own.get("name")), OwnAlgorithm)
    if getattr(kind, "source", None) != own.get("source"):
        kind = OwnAlgorithm
    usual = _texts(defaults_of(kind))
    return {name: text for name, text in _texts(own).items() if text != usual.get(name)}
