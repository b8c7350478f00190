"""Small source trees for the tests of the figures."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

from tests.meta.source_tree import SourceModule, load_source_tree


def write_tree(folder: Path, files: dict[str, str]) -> tuple[SourceModule, ...]:
    """Write these files, named by their path below the folder, and load the folder."""
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(dedent(text), encoding="utf-8")
    return load_source_tree(folder)
