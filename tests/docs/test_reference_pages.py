"""The reference has every public name."""

from __future__ import annotations

import importlib
import re
import sys

import pytest

import nestor
from support.pages import ROOT


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return the text of each page, by its name."""
    sys.path.insert(0, str(ROOT / "docs"))
    try:
        writer = importlib.import_module("reference_pages")
    finally:
        sys.path.pop(0)
    folder = tmp_path_factory.mktemp("site") / "reference"
    writer.write(folder)
    return {path.stem: path.read_text() for path in folder.iterdir()}


def documented(pages: dict[str, str]) -> list[str]:
    """Return the names that have a page."""
    found = (re.search(r"\.\. auto(?:class|function):: (\S+)", text) for text in pages.values())
    return [match[1] for match in found if match]


def objects(names: list[str]) -> list[object]:
    """Return what the names stand for."""
    split = (name.rpartition(".") for name in names)
    return [getattr(importlib.import_module(module), last) for module, _, last in split]


def test_every_public_name_is_there_once(pages: dict[str, str]) -> None:
    found = [id(value) for value in objects(documented(pages))]
    assert len(found) == len(set(found))
    modules = [name for name in nestor.__all__ if isinstance(getattr(nestor, name), type(re))]
    for name in set(nestor.__all__) - {*modules, "__version__"}:
        assert id(getattr(nestor, name)) in found, name
    for name in modules:
        module = getattr(nestor, name)
        assert f"nestor.{name}" in pages
        for each in getattr(module, "__all__", ()):
            assert id(getattr(module, each)) in found, f"nestor.{name}.{each}"


def test_every_page_is_in_the_contents(pages: dict[str, str]) -> None:
    linked = re.findall(r"^   \S+ <(\S+)>$", "".join(pages.values()), re.MULTILINE)
    assert sorted(linked) == sorted(set(pages) - {"index"})
    assert len({name.lower() for name in pages}) == len(pages)


def test_every_name_says_what_it_is(pages: dict[str, str]) -> None:
    silent = [
        name
        for name, value in zip(documented(pages), objects(documented(pages)), strict=True)
        if not (value.__doc__ or "").strip().split("\n")[0].endswith((".", ":", "`"))
    ]
    assert silent == []
