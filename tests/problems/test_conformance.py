"""The conformance test that users also have, on every problem with each of its options."""

from __future__ import annotations

from typing import Any

import pytest

from nestor.testing import check_problem
from support.instances import TREES, name_of, real_problems


@pytest.mark.parametrize("problem", [*real_problems(), *TREES[:2]], ids=name_of)
def test_conformance(problem: Any) -> None:
    check_problem(problem)
