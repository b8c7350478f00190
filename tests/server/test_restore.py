"""`citewell backup` and `citewell restore`."""

from __future__ import annotations

from pathlib import Path

import pytest

from citewell.cli import main
from tests.server.stored_sessions import begin, sessions


def test_backup_and_restore_bring_a_session_back(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    begin(home, "early")
    assert main(["backup", str(home / "copy.db")]) == 0
    begin(home, "late")

    assert main(["restore", str(home / "copy.db")]) == 2
    assert main(["restore", str(home / "copy.db"), "--force"]) == 0

    assert sessions(home) == ["early"]
    printed = capsys.readouterr()
    assert "1 sessions, 1 steps, 0 documents" in printed.out
    assert "--force" in printed.err


def test_a_wrong_key_ends_with_the_code_for_configuration(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    begin(home)
    monkeypatch.setenv("CITEWELL_MASTER_KEY", "0a" * 32)

    assert main(["keys"]) == 2

    assert "nothing was changed" in capsys.readouterr().err
