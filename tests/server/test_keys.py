"""`citewell keys`: shows where the master key comes from, and replaces it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from citewell.cli import main
from tests.server.stored_sessions import begin, sessions


def test_keys_are_shown_without_the_key(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    begin(home)

    assert main(["keys"]) == 0

    shown = capsys.readouterr().out
    assert "state.key" in shown
    assert "1 owner, newest generation 1" in shown
    assert (home / "data" / "state.key").read_text().strip() not in shown


@pytest.mark.parametrize(("flags", "left"), [([], 2), (["--forget"], 1)])
def test_keys_rotate_keeps_everything_readable(
    home: Path, capsys: pytest.CaptureFixture[str], flags: Any, left: int
) -> None:
    begin(home)
    before = (home / "data" / "state.key").read_text().split()

    assert main(["keys", "rotate", *flags]) == 0

    after = (home / "data" / "state.key").read_text().split()
    assert len(after) == left
    assert after[0] != before[0]
    assert sessions(home) == ["id"]
    assert "Rewrapped 3 keys" in capsys.readouterr().out


def test_a_key_that_is_the_operators_is_not_changed_by_us(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CITEWELL_MASTER_KEY", "0a" * 32)

    assert main(["keys", "rotate"]) == 0

    assert "CITEWELL_MASTER_KEY_PREVIOUS" in capsys.readouterr().out
