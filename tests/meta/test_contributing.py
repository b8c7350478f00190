"""CONTRIBUTING names classes, functions and constants that exist."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CODE_NAME = re.compile(r"`(?:\w+\.)*([A-Za-z_]+)(?:\([^`]*\))?`")
# Parameters and keys that stand in no Python name.
NOT_NAMES = frozenset(
    {"slow", "process", "source", "options", "postgres", "redis", "stdio", "benchmarks"}
)


def list_known_names() -> set[str]:
    """Every name that source and tests define, use as an argument, or give to a file."""
    names: set[str] = set()
    for folder in ("src", "tests"):
        for path in (ROOT / folder).rglob("*.py"):
            if "node_modules" in path.parts:  # the conformance suite, once it was installed
                continue
            names.add(path.stem)
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                    names.add(node.name)
                elif isinstance(node, ast.Name):
                    names.add(node.id)
                elif isinstance(node, ast.arg):
                    names.add(node.arg)
    return names


def test_every_name_in_the_guide_for_contributors_exists() -> None:
    guide = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    named = set(CODE_NAME.findall(guide)) - NOT_NAMES

    assert named - list_known_names() == set()
