"""The map of folders in docs/folders.md says what the folders say of themselves."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "citewell"
PAGE = ROOT / "docs" / "folders.md"
BEGIN, END = "<!-- folders -->\n", "<!-- end of folders -->\n"


def describe_folder(folder: Path) -> str:
    """The first line of the docstring of a package."""
    tree = ast.parse((folder / "__init__.py").read_text(encoding="utf-8"))
    return (ast.get_docstring(tree) or "").partition("\n")[0].strip()


def render_folder_map() -> str:
    folders = sorted(path.parent for path in PACKAGE.rglob("__init__.py") if path.parent != PACKAGE)
    rows = [f"| `{path.relative_to(PACKAGE)}` | {describe_folder(path)} |" for path in folders]
    return "\n".join(["| folder | what is in it |", "| --- | --- |", *rows]) + "\n"


def test_the_folder_map_is_the_one_of_the_tree() -> None:
    page = PAGE.read_text(encoding="utf-8")

    assert page.partition(BEGIN)[2].partition(END)[0] == render_folder_map(), (
        "run `python -m tests.meta.test_folder_map`"
    )


def test_every_folder_says_what_is_in_it() -> None:
    empty = [
        str(path.parent.relative_to(PACKAGE))
        for path in PACKAGE.rglob("__init__.py")
        if not describe_folder(path.parent)
    ]

    assert empty == []


if __name__ == "__main__":
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    PAGE.write_text(before + BEGIN + render_folder_map() + END + rest.partition(END)[2], "utf-8")
    sys.stdout.write(f"wrote the folder map into {PAGE.name}\n")
