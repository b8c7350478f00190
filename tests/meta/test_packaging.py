"""What is installed and shipped: the lock files, and what the wheel holds."""

from __future__ import annotations

import re
from importlib import metadata
from pathlib import Path

import pytest
from hatchling.builders.wheel import WheelBuilder
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
LOCK_FILES = ("requirements.lock", "requirements-run.lock", "requirements-image.lock")
DEVELOPMENT = {"pytest", "mypy", "ruff", "hypothesis", "import-linter", "coverage", "psutil"}


def pinned(name: str) -> dict[str, str]:
    """Each package of a lock file with its extras, version, markers and hashes."""
    blocks = re.split(r"\n(?=\S)", (ROOT / name).read_text(encoding="utf-8").strip())
    return {re.split(r"\[|==", block, maxsplit=1)[0]: block for block in blocks}


def pinned_extras(block: str) -> set[str]:
    return Requirement(block.partition(" \\\n")[0]).extras


def needed_extras(package: str, own_extras: set[str]) -> dict[str, set[str]]:
    """What an installed package asks of others by extras, such as dbos of psycopg[binary]."""
    needed: dict[str, set[str]] = {}
    for line in metadata.requires(package) or ():
        requirement = Requirement(line)
        marker = requirement.marker
        if marker is None or any(marker.evaluate({"extra": one}) for one in own_extras | {""}):
            needed.setdefault(canonicalize_name(requirement.name), set()).update(requirement.extras)
    return needed


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
    for name in LOCK_FILES:
        assert [one for one, block in pinned(name).items() if "--hash=sha256:" not in block] == []


@pytest.mark.parametrize("name", LOCK_FILES)
def test_a_package_needed_with_an_extra_is_pinned_with_it(name: str) -> None:
    """Or pip takes the newest release of it, and refuses that as not pinned."""
    packages = pinned(name)
    installed = {canonicalize_name(one.name) for one in metadata.distributions()}

    missing = [
        f"{package} needs {other}{sorted(extras)}"
        for package in packages.keys() & installed
        for other, extras in needed_extras(package, pinned_extras(packages[package])).items()
        if other in packages and not extras <= pinned_extras(packages[other])
    ]

    assert missing == []


def test_the_wheel_says_that_the_package_is_typed() -> None:
    shipped = {file.distribution_path for file in WheelBuilder(str(ROOT)).recurse_included_files()}

    assert "citewell/py.typed" in shipped
    assert "citewell/server/manifest.json" in shipped
