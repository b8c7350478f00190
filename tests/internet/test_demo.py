"""`make run` asks the very question it is given, and nothing reads it on the way."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.internet import demo

ROOT = Path(__file__).parents[2]
AWKWARD = 'what\'s new; id $5 $(id) "quoted" `id` --help'


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """What the demonstration writes goes here and not into the repository."""
    monkeypatch.setattr(demo, "FOLDER", tmp_path / "demo")
    return tmp_path / "demo"


def asked(monkeypatch: pytest.MonkeyPatch, question: str | None) -> str:
    seen: list[str] = []

    def research(asked: str, environ: dict[str, str]) -> int:
        seen.append(asked)
        return 0

    monkeypatch.setattr(demo, "online", lambda: True)
    monkeypatch.setattr(demo, "research", research)
    monkeypatch.delenv("QUESTION", raising=False)
    if question is not None:
        monkeypatch.setenv("QUESTION", question)
    demo.main()
    return seen[0]


@pytest.mark.parametrize(
    ("given", "expected"), [(AWKWARD, AWKWARD), (None, demo.QUESTION), (" ", demo.QUESTION)]
)
def test_the_question_comes_from_the_environment(
    given: str | None, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert asked(monkeypatch, given) == expected


@pytest.mark.process
def test_a_question_that_looks_like_an_option_is_still_a_question(
    environ: dict[str, str], capfd: pytest.CaptureFixture[str]
) -> None:
    assert demo.research("--help", environ) in {0, 3}
    assert "Usage" not in capfd.readouterr().out


@pytest.mark.process
def test_the_demonstration_names_its_report_and_three_commands(
    environ: dict[str, str], folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    code = demo.research(demo.QUESTION, environ)

    shown = capfd.readouterr().out
    assert code == 0
    assert "## Answer" in shown
    assert str(folder / "report.html") in shown
    assert "dishwasher" in (folder / "report.html").read_text("utf-8")
    commands = shown.partition("Try next:\n")[2].splitlines()
    assert len(commands) == 3
    assert commands[0].startswith("  make run QUESTION=")


def test_the_commands_to_try_next_name_the_job_and_where_it_is() -> None:
    first, second, third = demo.list_next_commands("job1", str(ROOT / ".run" / "demo" / "data"))

    assert first == f'make run QUESTION="{demo.NEXT_QUESTION}"'
    assert second.startswith("CITEWELL_DATA_DIR=.run/demo/data ")
    assert second.endswith(" report job1 --format bibtex")
    assert third.endswith("citewell doctor")


@pytest.mark.process
@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make here")
@pytest.mark.parametrize("given", ["argument", "environment"])
def test_make_hands_the_question_on_as_it_is(given: str, tmp_path: Path) -> None:
    python = tmp_path / "bin" / "python"
    python.parent.mkdir()
    python.write_text('#!/bin/sh\nprintf "%s" "$QUESTION"\n', encoding="utf-8")
    python.chmod(0o755)
    (tmp_path / ".runnable").touch()
    environ = {"PATH": os.environ["PATH"]}
    command = ["make", "--silent", "run", f"VENV={tmp_path}"]
    if given == "argument":
        command.append(f"QUESTION={AWKWARD}")
    else:
        environ["QUESTION"] = AWKWARD

    done = subprocess.run(command, cwd=ROOT, env=environ, capture_output=True, check=True)

    assert done.stdout.decode() == AWKWARD


@pytest.mark.parametrize("is_online", [True, False])
def test_the_demonstration_writes_nothing_outside_its_folder(
    is_online: bool, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[dict[str, str]] = []

    def research(_question: str, environ: dict[str, str]) -> int:
        seen.append(environ)
        return 0

    monkeypatch.setenv("XDG_DATA_HOME", "/somewhere/else")
    monkeypatch.setattr(demo, "online", lambda: is_online)
    monkeypatch.setattr(demo, "research", research)

    demo.main()

    [environ] = seen
    assert environ["CITEWELL_DATA_DIR"] == str(folder / "data")
    assert environ["HOME"] == str(folder / "home")
    assert "XDG_DATA_HOME" not in environ
