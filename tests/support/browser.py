"""A page in a headless browser, if one is installed, and its script in an engine without one."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from support.commands import HOUR

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")


def browser() -> str:
    """Return the path of a browser; skip the test without one."""
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        pytest.skip(f"needs a browser: one of {', '.join(BROWSERS)}")
    return found


def in_browser(page: Path, script: str, *, width: int = 1200, dark: bool = False) -> Any:
    """Open a copy of a page, run a script at its end, and return what the script returns.

    Parameters
    ----------
    page : Path
    script : str
        The body of a JavaScript function; what it returns must have a JSON form.
    width : int
        Of the page, in pixels.
    dark : bool
        Whether the browser asks for dark pages.
    """
    harness = (
        f"<script>addEventListener('load', () => {{ const found = (() => {{ {script} }})();"
        "parent.postMessage(JSON.stringify(found), '*'); });</script>"
    )
    copy = page.with_name(f"harnessed-{page.name}")
    text = page.read_text(encoding="utf-8").replace("</body>", f"{harness}</body>")
    copy.write_text(text, encoding="utf-8")
    # A frame can be narrower than a window.
    outer = page.with_name(f"outer-{page.name}")
    outer.write_text(
        '<!DOCTYPE html><meta name="color-scheme" content="light dark"><pre id="found"></pre>'
        "<script>addEventListener('message', (event) => {"
        "document.getElementById('found').textContent = event.data; });</script>"
        f'<iframe style="border: 0" width="{width}" height="900" src="{copy.name}"></iframe>',
        encoding="utf-8",
    )
    done = subprocess.run(
        [
            browser(),
            *("--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run"),
            *("--disable-background-networking", "--disable-component-update"),
            f"--user-data-dir={page.parent / 'profile'}",
            "--window-size=1300,1000",
            f"--blink-settings=preferredColorScheme={0 if dark else 1}",
            "--virtual-time-budget=2000",
            "--dump-dom",
            outer.as_uri(),
        ],
        capture_output=True,
        text=True,
        timeout=HOUR,
    )
    found = re.search(r'<pre id="found">(.*?)</pre>', done.stdout, re.DOTALL)
    assert found is not None, done.stdout[-500:] + done.stderr[-500:]
    return json.loads(html.unescape(found[1]))


class Parts(HTMLParser):
    """The elements of a page, each with the text that follows its tag, and the scripts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, str, list[str], str]] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.scripts: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Add an element."""
        named = dict(attrs)
        self.attributes += attrs
        self.elements.append((tag, named.get("id") or "", (named.get("class") or "").split(), ""))

    def handle_data(self, data: str) -> None:
        """Add the text to the last element."""
        if data.strip():
            self.elements[-1] = (*self.elements[-1][:3], data)
            if self.elements[-1][0] == "script":
                self.scripts.append(data)


def in_engine(page: Path, script: str) -> Any:
    """Run the script of a page, then one of ours, in V8 with a small DOM; return what ours returns.

    Parameters
    ----------
    page : Path
    script : str
        The body of a JavaScript function; what it returns must have a JSON form.
    """
    engine = pytest.importorskip("py_mini_racer", reason="needs mini-racer").MiniRacer()
    parts = Parts(page.read_text(encoding="utf-8"))
    engine.eval(Path(__file__).with_name("dom.js").read_text(encoding="utf-8"))
    engine.eval(f"build({json.dumps(parts.elements)})")
    engine.eval(parts.scripts[-1])
    return json.loads(engine.eval(f"JSON.stringify((() => {{ {script} }})())"))
