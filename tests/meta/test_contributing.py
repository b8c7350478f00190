"""CONTRIBUTING names classes, functions and constants that exist."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CODE_NAME = re.compile(r"`(?:\w+\.)*([A-Za-z_]+)(?:\([^`]*\))?`")
# Parameters and keys that stand in no Python name.
NOT_NAMES = frozenset(
    {
        "py",
        "result_keys",
        "slow",
        "process",
        "source",
        "options",
        "postgres",
        "redis",
        "stdio",
        "benchmarks",
    }
)


def find_unknown_names(wanted: set[str]) -> set[str]:
    """Those that source and tests neither define, nor use as an argument, nor give to a file."""
    missing = set(wanted)
    for folder in ("src", "tests"):
        for path in (ROOT / folder).rglob("*.py"):
            if "node_modules" in path.parts:  # the conformance suite, once it was installed
                continue
            missing.discard(path.stem)
            text = path.read_text(encoding="utf-8")
            if any(name in text for name in missing):  # the others need not be parsed
                missing -= list_names(ast.parse(text))
    return missing


def list_names(tree: ast.AST) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(tree):
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

    assert find_unknown_names(named) == set()


def test_a_name_that_nobody_defined_is_found() -> None:
    unheard_of = "no_such_" + "name_anywhere"

    assert find_unknown_names({"SearchQuery", unheard_of}) == {unheard_of}
