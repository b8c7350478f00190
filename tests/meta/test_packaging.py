"""What is installed and shipped: the two lock files, and what the wheel holds."""

from __future__ import annotations

import re
from pathlib import Path

from hatchling.builders.wheel import WheelBuilder

ROOT = Path(__file__).resolve().parents[2]
DEVELOPMENT = {"pytest", "mypy", "ruff", "hypothesis", "import-linter", "coverage", "psutil"}


def pinned(name: str) -> dict[str, str]:
    """Each package of a lock file with its version, markers and hashes."""
    blocks = re.split(r"\n(?=\S)", (ROOT / name).read_text(encoding="utf-8").strip())
    return {block.partition("==")[0]: block for block in blocks}


def test_running_installs_no_development_tool() -> None:
    assert not DEVELOPMENT & set(pinned("requirements-run.lock"))
    assert set(pinned("requirements.lock")) >= DEVELOPMENT


def test_running_installs_no_libraries_for_a_model_that_is_not_there() -> None:
    assert not {"onnxruntime", "numpy"} & set(pinned("requirements-run.lock"))
    assert set(pinned("requirements.lock")) >= {"onnxruntime", "tokenizers"}


def test_tests_run_with_the_packages_that_users_run_with() -> None:
    whole, run = pinned("requirements.lock"), pinned("requirements-run.lock")

    assert [name for name, block in run.items() if whole.get(name) != block] == []


def test_every_package_is_pinned_with_a_hash() -> None:
    for name in ("requirements.lock", "requirements-run.lock"):
        assert [one for one, block in pinned(name).items() if "--hash=sha256:" not in block] == []


def test_the_wheel_says_that_the_package_is_typed() -> None:
    shipped = {file.distribution_path for file in WheelBuilder(str(ROOT)).recurse_included_files()}

    assert "citewell/py.typed" in shipped
    assert "citewell/server/manifest.json" in shipped
