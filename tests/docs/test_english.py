"""Sentences that a native engineer would not write, and that were mended, do not come back."""

from __future__ import annotations

import re

import pytest

from support.pages import ROOT

FOREIGN = (
    "everything is given, so nothing was searched",
    "So they are once at most",
    "So much may a share be off",
    "Stop when nothing better was found for this time",
    "Stop when nothing better was found in so many playouts",
    "A problem of your own has no other code than its class",
    "They find the same as threads",
    "Run jobs in so many processes",
    "which is far better in searches of",
    "that we look at this one sequence alone is our reading",
    "local policies go without",
    "share and inherit go with",
    "the moves that may well follow a move",
    "are a good beginning",
    "an algorithm of your own does as it likes with it",
    "a single cell is a block, too",
    "it has {} jobs",
    "it has {len(jobs)} jobs",
    "Twice, and nothing has changed",
    "What cannot be read is not locked",
    "whose death is an error",
    "} are raced",
    "games that would repeat are changed",
)


@pytest.mark.parametrize("sentence", FOREIGN)
def test_a_sentence_that_was_mended_stays_so(sentence: str) -> None:
    words = r"\s+(?:\"\s*\"|#\s*|///?\s*)?".join(map(re.escape, sentence.split()))
    folders = ("python", "docs", "crates")
    paths = [path for folder in folders for path in (ROOT / folder).rglob("*")]
    kinds = {".py", ".pyi", ".md", ".rs", ".ipynb", ".html", ".txt"}
    for path in (ROOT / "README.md", *paths):
        if path.suffix in kinds and path.is_file():
            assert not re.search(words, path.read_text("utf-8")), path
