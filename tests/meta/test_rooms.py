"""Rooms: other rooms import only what a room's `API` names, and a room can be removed."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "citewell"
# What everybody builds on: any of their modules may be imported.
FOUNDATIONS = frozenset({"core", "text", "net", "workers", "store", "cli"})
REMOVABLE_ROOMS = ("connector", "drafts", "watching")


def list_rooms() -> list[str]:
    return sorted(path.parent.name for path in PACKAGE.glob("*/__init__.py"))


@cache
def list_modules() -> dict[str, Path]:
    """Every module below a room, as `reading.html.block_text`, with its file."""
    found = {}
    for path in PACKAGE.rglob("*.py"):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def read_public_modules(room: str) -> tuple[str, ...] | None:
    """The modules that the room's `API` names; None if it has none."""
    for node in ast.parse((PACKAGE / room / "__init__.py").read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "API":
            return tuple(ast.literal_eval(node.value))
    return None


def iterate_imports(path: Path) -> Iterator[str]:
    """The modules of the package that a file imports, also in functions and for types."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.ImportFrom) or not (node.module or "").startswith("citewell."):
            continue
        base = str(node.module).removeprefix("citewell.")
        for alias in node.names:
            whole = f"{base}.{alias.name}"
            yield whole if whole in list_modules() else base


@cache
def collect_crossings() -> dict[str, dict[str, set[str]]]:
    """For each room its modules that others import, each with the rooms that do."""
    crossings: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for module, path in list_modules().items():
        for target in iterate_imports(path):
            user, owner = module.partition(".")[0], target.partition(".")[0]
            if owner not in (user, target):
                crossings[owner][target].add(user or "the program")
    return crossings


@pytest.mark.parametrize("room", sorted(set(list_rooms()) - FOUNDATIONS))
def test_other_rooms_import_only_what_a_room_names(room: str) -> None:
    named = {f"{room}.{module}" for module in read_public_modules(room) or ()}
    used = collect_crossings()[room]

    hidden = {module: sorted(users) for module, users in used.items() if module not in named}
    assert hidden == {}, f"add them to API in {room}/__init__.py, or do not import them"
    assert named - used.keys() == set(), "nobody imports these; take them out of API"


@pytest.mark.parametrize("room", REMOVABLE_ROOMS)
def test_a_room_can_be_removed(room: str, tmp_path: Path) -> None:
    """Without it every other module is imported, and the program lists its tools and commands."""
    source = tmp_path / "src"
    shutil.copytree(
        PACKAGE, source / "citewell", ignore=shutil.ignore_patterns("__pycache__", "*.pyc")
    )
    shutil.rmtree(source / "citewell" / room)
    others = [
        f"citewell.{module}"
        for module in list_modules()
        if module and module.partition(".")[0] not in (room, "__main__")
    ]
    program = "\n".join(
        [
            "import importlib, sys",
            f"for name in {others!r}: importlib.import_module(name)",
            "from citewell.core import config, tooling",
            "config.load_settings({'CITEWELL_CONFIG': '/nonexistent'})",
            "print(*tooling.load_all_tools())",
        ]
    )
    environment = {**os.environ, "PYTHONPATH": str(source)}

    imported = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )
    commands = subprocess.run(
        [sys.executable, "-m", "citewell", "--help"],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )

    assert imported.returncode == 0, imported.stderr[-2000:]
    assert "web_search" in imported.stdout
    assert commands.returncode == 0, commands.stderr
