"""What CONTRIBUTING says is all that a new domain, tool or room takes, done in a copy of the source."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "citewell"
# What differs between the pattern, trials, and the domain that is added.
RENAMED = {
    "clinical_search": "alert_search",
    "clinicaltrials": "alertregister",
    "TRIALS": "ALERTS",
    "Trial": "Alert",
    "trial": "alert",
}
LIST_TOOLS = """
from citewell.core import tooling
print(*tooling.load_all_tools())
"""
DESCRIBE_DOMAIN = """
import json
from citewell.core import tooling
from citewell.providers import load
served = tooling.load_tool_providers()["alert_search"]
print(json.dumps([served.filters, sorted(load("alertregister").SPEC.offers)]))
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A copy of the package, which may be changed."""
    ignored = shutil.ignore_patterns("__pycache__", "*.pyc")
    return Path(shutil.copytree(PACKAGE, tmp_path / "src" / "citewell", ignore=ignored))


def rename_domain(text: str) -> str:
    for old, new in RENAMED.items():
        text = text.replace(old, new)
    return text


def run_python(package: Path, *arguments: str) -> str:
    run = subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(package.parent)},
        check=False,
    )
    assert run.returncode == 0, run.stderr[-2000:]
    return run.stdout


@pytest.mark.process
def test_a_domain_is_found_with_two_files_and_a_line_in_a_third(package: Path) -> None:
    guide = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    for folder, old, new in (
        ("domains", "trials.py", "alerts.py"),
        ("providers", "clinicaltrials.py", "alertregister.py"),
    ):
        text = (package / folder / old).read_text(encoding="utf-8")
        (package / folder / new).write_text(rename_domain(text), encoding="utf-8")
    ports = package / "routing/ports.py"
    text = ports.read_text(encoding="utf-8")
    start = text.index("    TRIALS = ")
    ports.write_text(f'{text[:start]}    ALERTS = "alerts"\n{text[start:]}', encoding="utf-8")

    filters, offers = json.loads(run_python(package, "-c", DESCRIBE_DOMAIN))
    commands = run_python(package, "-m", "citewell", "--help")

    assert "intervention" in filters
    assert offers == ["alerts"]
    assert re.search(r"\balerts\b", commands)
    assert "src/citewell/routing/ports.py" in guide


@pytest.mark.process
def test_a_tool_is_one_file(package: Path) -> None:
    shutil.copy(ROOT / "docs" / "examples" / "tool.py", package / "search/tools/count_results.py")

    assert "count_results" in run_python(package, "-c", LIST_TOOLS)


@pytest.mark.process
def test_a_room_brings_its_tools_and_commands(package: Path) -> None:
    room = package / "counting"
    for folder in (room, room / "tools", room / "commands"):
        folder.mkdir()
        (folder / "__init__.py").write_text('"""Counts results."""\n', encoding="utf-8")
    shutil.copy(ROOT / "docs" / "examples" / "tool.py", room / "tools" / "count_results.py")
    shutil.copy(package / "search" / "commands" / "search.py", room / "commands" / "counts.py")

    assert "count_results" in run_python(package, "-c", LIST_TOOLS)
    assert re.search(r"\bcounts\b", run_python(package, "-m", "citewell", "--help"))
