"""The verbs that look after the state: migrate, keys, backup, restore."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import Any

import pytest

from citewell.cli import main
from citewell.config import Settings
from citewell.store.state_store import open_state_store


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CITEWELL_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("CITEWELL_CONFIG", str(tmp_path / "none.toml"))
    return tmp_path


def begin(home: Path, session_id: str = "id") -> None:
    async def run() -> None:
        state = open_state_store(Settings(data_dir=home / "data"))
        await state.sessions.create_session("someone", session_id, b"head", [b"one"])
        await state.aclose()

    asyncio.run(run())


def sessions(home: Path) -> list[str]:
    async def run() -> list[Any]:
        state = open_state_store(Settings(data_dir=home / "data"))
        heads = await state.sessions.list_heads("someone")
        await state.aclose()
        return [head.id for head in heads]

    return asyncio.run(run())


def test_migrate_tells_the_schema_of_each_database(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["migrate"]) == 0

    assert re.fullmatch(r"state: schema \d+\ncache: schema \d+\n", capsys.readouterr().out)


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


def test_backup_and_restore_bring_a_session_back(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    begin(home, "early")
    assert main(["backup", str(home / "copy.db")]) == 0
    begin(home, "late")

    assert main(["restore", str(home / "copy.db")]) == 2
    assert main(["restore", str(home / "copy.db"), "--force"]) == 0

    assert sessions(home) == ["early"]
    told = capsys.readouterr()
    assert "1 sessions, 1 steps, 0 documents" in told.out
    assert "--force" in told.err


def test_a_wrong_key_ends_with_the_code_for_configuration(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    begin(home)
    monkeypatch.setenv("CITEWELL_MASTER_KEY", "0a" * 32)

    assert main(["keys"]) == 2

    assert "nothing was changed" in capsys.readouterr().err
