"""The page of the names of a class has those that the code looks for."""

from __future__ import annotations

import re

from nestor.problems.misspelt import ATTRIBUTES, METHODS
from support.pages import ROOT

PAGE = ROOT / "docs" / "concepts" / "names.md"
NEEDED = {"initial", "moves", "play", "score"}
OTHERS = {"biases", "code_count", "digest", "ranges", "shaped"}
"""Names of which not all are known by their misspelt forms."""

ASKS = re.compile(r'(?:getattr|hasattr)\((?:self\._|self\.)?problem, "([a-z]\w*)"')


def test_the_table_has_all_names_and_no_others() -> None:
    rows = re.findall(r"^\| (`.*?) \|", PAGE.read_text(), re.MULTILINE)
    named = [name for row in rows for name in re.findall(r"`(\w+)", row)]
    assert len(named) == len(set(named))
    assert set(named) == NEEDED | OTHERS | {*METHODS, *ATTRIBUTES}


def test_no_name_that_the_code_asks_for_is_missing() -> None:
    folder = ROOT / "python" / "nestor"
    modules = ("problem.py", "objectives.py", "problems/own.py", "problems/remembered.py")
    asked = {name for path in modules for name in ASKS.findall((folder / path).read_text())}
    assert asked >= {"bias_batch", "cost_of", "key", "ranges", "shaped"}
    assert asked <= NEEDED | OTHERS | {*METHODS, *ATTRIBUTES}
