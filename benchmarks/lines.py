"""Lines of code of the core and the package, without comments, docstrings, blank lines and tests.

    python benchmarks/lines.py [COMMIT ...]

It counts the files that git knows as they are now, or those of commits ("now" is one of them), side
by side. A line counts if something of it is code.
"""

from __future__ import annotations

import argparse
import ast
import io
import re
import subprocess
import tarfile
import tokenize
from collections import Counter
from pathlib import Path

from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).parents[1]
TESTS = re.compile(r"tests?(\.rs$|/)|/examples\.rs$|/interleavings\.rs$")
MODULE_OF_TESTS = re.compile(
    r"^( *)#\[cfg\(.*\btest\b.*\)\]\n *mod \w+( \{\n.*?^\1\}|;)$", re.M | re.S
)
NO_CODE = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}


def of_python(text: str) -> int:
    """Return the lines of code of a file in Python."""
    lines = {
        line
        for token in tokenize.generate_tokens(io.StringIO(text).readline)
        if token.type not in NO_CODE
        for line in range(token.start[0], token.end[0] + 1)
    }
    for node in ast.walk(ast.parse(text)):
        # Docstrings, and the texts below attributes.
        if isinstance(node, ast.Expr) and isinstance(getattr(node.value, "value", None), str):
            lines -= set(range(node.lineno, (node.end_lineno or 0) + 1))
    return len(lines)


def of_rust(text: str) -> int:
    """Return the lines of code of a file in Rust."""
    kept = MODULE_OF_TESTS.sub("", text).splitlines()
    return sum(bool(line.strip()) and not line.lstrip().startswith("//") for line in kept)


def git(*command: str) -> bytes:
    """Return what git prints."""
    return subprocess.run(["git", *command], cwd=ROOT, check=True, capture_output=True).stdout


def counted(commit: str) -> Counter[str]:
    """Return the lines of code of a commit by crate and package."""
    found: Counter[str] = Counter()
    packed = git("archive", commit, "crates", "python/nestor")
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        for member in archive:
            count = {".py": of_python, ".pyi": of_python, ".rs": of_rust}.get(
                Path(member.name).suffix
            )
            if count is None or TESTS.search(member.name):
                continue
            file = archive.extractfile(member)
            assert file is not None
            part = re.sub(
                r"(crates/\w+|python/nestor/\w+(?=/)|python/nestor).*", r"\1", member.name
            )
            found[part] += count(file.read().decode())
    return found


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("commits", nargs="*", metavar="COMMIT")
    commits = parser.parse_args().commits or ["now"]
    now = git("stash", "create").decode().strip() or "HEAD"
    found = [counted(now if commit == "now" else commit) for commit in commits]
    table = Table("lines of code of", *commits)
    for part in sorted(set().union(*found)):
        table.add_row(part, *(f"{each[part]:,}" for each in found))
    table.add_section()
    table.add_row("all", *(f"{each.total():,}" for each in found))
    Console().print(table)


if __name__ == "__main__":
    main()
