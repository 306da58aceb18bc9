"""What the page on services shows works as shown."""

from __future__ import annotations

import asyncio
import os
import signal
from typing import Any

import pytest

from nestor import Result
from support.pages import ROOT, blocks

PAGE = ROOT / "docs" / "service.md"


def test_the_page(capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, Any] = {}
    for code in blocks("python", PAGE):
        exec(code, names)
    told = capsys.readouterr().out.splitlines()
    assert told == ["['seconds', 'seconds', 'seconds']", "['cancelled', 'cancelled']", "True"]
    for code in blocks("py", PAGE):
        compile(code, str(PAGE), "exec")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_search_of_the_page(number: int) -> None:
    names: dict[str, Any] = {}
    for code in blocks("python", PAGE):
        exec(code.partition("\n\nprint(")[0].replace("seconds=0.5", "seconds=3600"), names)

    async def pressed() -> Result:
        search = asyncio.create_task(names["serve"]("5D"))
        await asyncio.sleep(0)
        os.kill(os.getpid(), number)
        return await search  # type: ignore[no-any-return]

    result = asyncio.run(pressed())
    assert (result.stop_reason, result.verified) == ("cancelled", True)
