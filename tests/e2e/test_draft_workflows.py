"""The pre-commit hook and the steps of the action, run as their hosts run them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.drafts.test_check import DRAFT, SOUND

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(sys.executable).parent
PRE_COMMIT = (sys.executable, "-m", "pre_commit")
SECONDS = 120


@pytest.fixture
def project(tmp_path: Path, environ: dict[str, str]) -> tuple[Path, dict[str, str]]:
    """A folder with a faulty and a sound draft, and the variables that commands run with there."""
    folder = tmp_path / "project"
    (folder / "docs").mkdir(parents=True)
    (folder / "docs" / "faulty.md").write_text(DRAFT, "utf-8")
    (folder / "docs" / "sound.md").write_text(SOUND, "utf-8")
    path = f"{BIN}{os.pathsep}{os.environ['PATH']}"
    home = {"PATH": path, "HOME": str(tmp_path), "GIT_CONFIG_NOSYSTEM": "1"}
    return folder, environ | home


def run(folder: Path, environ: dict[str, str], *command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        check=False,
        cwd=folder,
        env=environ,
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )


def make_repository(folder: Path, environ: dict[str, str]) -> None:
    identity = ("-c", "user.name=test", "-c", "user.email=test@example.org")
    for words in (("init", "-q"), ("add", "-A"), (*identity, "commit", "-qm", "start")):
        done = run(folder, environ, "git", *words)
        assert done.returncode == 0, done.stderr


def test_the_hook_lets_a_sound_draft_pass_and_stops_a_faulty_one(
    project: tuple[Path, dict[str, str]], tmp_path: Path
) -> None:
    folder, environ = project
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    shutil.copy(ROOT / ".pre-commit-hooks.yaml", hooks)
    make_repository(hooks, environ)
    make_repository(folder, environ)
    started = (*PRE_COMMIT, "try-repo", str(hooks), "citewell-check-installed", "--verbose")

    sound = run(folder, environ, *started, "--files", "docs/sound.md")
    faulty = run(folder, environ, *started, "--files", "docs/faulty.md")
    other = run(folder, environ, *started, "--files", "docs/data.csv")

    assert sound.returncode == 0, sound.stdout + sound.stderr
    assert faulty.returncode == 1
    assert "retracted" in faulty.stdout
    assert "Skipped" in other.stdout


def test_the_hooks_are_what_pre_commit_accepts(project: tuple[Path, dict[str, str]]) -> None:
    folder, environ = project

    done = run(
        folder, environ, *PRE_COMMIT, "validate-manifest", str(ROOT / ".pre-commit-hooks.yaml")
    )

    assert done.returncode == 0, done.stdout


def fill_inputs(text: Any, action: dict[str, Any], given: dict[str, str]) -> str:
    """A value of the action with its inputs put in, as the host does."""
    filled = str(text)
    for name, declared in action["inputs"].items():
        value = given.get(name, declared.get("default", ""))
        filled = filled.replace(f"${{{{ inputs.{name} }}}}", value)
    assert "${{" not in filled
    return filled


@pytest.mark.parametrize(
    ("files", "code"),
    [("docs/sound.md\n", 0), ("docs/*.md\n", 1), ("docs/**/missing*.md", 2), ("$(touch x)", 2)],
)
def test_the_steps_of_the_action_check_the_drafts_and_write_what_code_hosts_show(
    project: tuple[Path, dict[str, str]], files: str, code: int
) -> None:
    folder, environ = project
    action = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
    given = {"files": files, "focus": "existence"}
    codes = []
    for step in action["runs"]["steps"]:
        if "run" not in step:
            continue  # another action, which keeps the data directory between runs
        variables = {
            name: fill_inputs(value, action, given) for name, value in step.get("env", {}).items()
        }
        done = run(
            folder,
            environ | {"GITHUB_ACTION_PATH": str(ROOT)} | variables,
            "bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"],
        )  # fmt: skip
        codes.append(done.returncode)

    assert codes == [0, code], done.stderr
    assert not (folder / "x").exists()
    if code < 2:
        log = json.loads((folder / "citewell.sarif").read_text("utf-8"))
        assert bool(log["runs"][0]["results"]) is (code == 1)
        assert list((folder / "citewell-pages").iterdir())
        assert (folder / ".citewell").is_dir()
