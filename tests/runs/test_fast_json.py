"""JSON of millions of numbers is what json would write and read."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nestor import InputError, fast_json
from nestor.fast_json import array_json
from nestor.files import parse_json


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1))
def test_numbers_are_written_as_python_writes_them(numbers: list[float]) -> None:
    assert array_json(np.array(numbers)) == json.dumps(numbers, separators=(",", ":")).encode()
    assert (
        array_json(np.abs([numbers]))
        == json.dumps([list(map(abs, numbers))], separators=(",", ":")).encode()
    )


def test_arrays_may_be_in_any_order_in_memory() -> None:
    rows = np.arange(12.0).reshape(3, 4)
    for array in (rows.T, rows[:, ::2], rows[::-1], np.asfortranarray(rows)):
        assert json.loads(array_json(array)) == array.tolist()


@pytest.mark.parametrize(
    "odd", ['"\\ud800"', "NaN", "1" * 20, "-" + "1" * 25, "[" * 3000, "1e999", "\ufeff", '"é']
)
def test_large_files_are_read_as_small_ones(odd: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = f'{{"numbers": [1.5, 1e-7, {2**64 - 1}], "odd": [{odd}]}}'.encode()

    def read() -> str:
        try:
            return repr(parse_json(text, "a.json", "a file"))
        except InputError as error:
            return str(error)

    small = read()
    monkeypatch.setattr(fast_json, "LARGE", 0)
    assert read() == small
