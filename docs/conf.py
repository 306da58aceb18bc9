"""How the documentation is built: `sphinx-build -nW docs site`, with the group `docs` installed."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

from docutils import nodes
from pygments.lexers.special import TextLexer
from sphinx.application import Sphinx
from sphinx.domains.python import PyXRefRole
from sphinx.util import logging

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

import reference_pages  # noqa: E402

import nestor  # noqa: E402

project = "Nestor"
author = "the authors of Nestor"
version = release = nestor.__version__
extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.autosummary", "numpydoc"]
nitpicky = True

html_theme = "furo"
html_title = f"Nestor {release}"
html_static_path = ["_static"]
html_css_files = ["nestor.css"]
html_show_copyright = False
html_show_sphinx = False

# Notebooks run at every build. One that fails is a warning, with its traceback.
nb_execution_mode = "force"
nb_execution_show_tb = True
nb_execution_in_temp = True
nb_execution_timeout = 120

myst_heading_anchors = 3

# Types stand in the docstrings, not in the signatures.
autodoc_typehints = "none"
autodoc_member_order = "bysource"
autosummary_generate = False
numpydoc_show_class_members = False
default_role = "name"

REPOSITORY = "https://github.com/nestor-search/nestor/blob/main/"
LINK = re.compile(r"(?<=\]\()\.\./[\w./-]+")


class Name(PyXRefRole):
    """What stands between single backticks in docstrings: a link if the reference has the name."""

    def process_link(self, env: Any, node: Any, *args: Any) -> tuple[str, str]:
        """Look the name up among those of Python; it need not be there."""
        node.attributes.update(refdomain="py", reftype="obj", optional=True)
        return super().process_link(env, node, *args)


def plain_name(app: Sphinx, env: Any, node: Any, content: nodes.TextElement) -> Any:
    """Return the text without a link for a name that the reference does not have."""
    return content if node.get("optional") else None


def link_to_files(app: Sphinx, page: str, source: list[str]) -> None:
    """Make links to files outside of these pages links to the repository."""

    def link(found: re.Match[str]) -> str:
        target = ((HERE / page).parent / found[0]).resolve()
        if target.is_relative_to(HERE):
            return found[0]
        if not target.exists():
            logging.getLogger(__name__).warning("no file %s", found[0], location=page)
        return f"{REPOSITORY}{target.relative_to(HERE.parent)}"

    source[0] = LINK.sub(link, source[0])


def write_llms(app: Sphinx, failed: Exception | None) -> None:
    """Write llms.txt: the page for programs that write programs, and where the others are."""
    if failed is not None or app.builder.name != "html":
        return
    page = (HERE.parent / "python" / "nestor" / "agents.md").read_text("utf-8").rstrip()
    titles = {name: app.env.titles[name].astext() for name in sorted(app.env.titles)}
    listed = [
        f"- [{title}]({name}.html)"
        for name, title in titles.items()
        if not name.startswith(("reference/", "project/")) and name not in ("index", "agents")
    ]
    text = "\n".join([page, "", "## More pages", "", *listed, ""])
    (Path(app.outdir) / "llms.txt").write_text(text, "utf-8")


def setup(app: Sphinx) -> None:
    """Write the pages of the reference before the others are read."""
    reference_pages.write(HERE / "reference")
    app.add_role("name", Name())
    app.add_lexer("csv", TextLexer)
    app.connect("missing-reference", plain_name)
    app.connect("source-read", link_to_files)
    app.connect("build-finished", write_llms)
