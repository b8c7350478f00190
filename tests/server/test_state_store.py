"""`citewell users`, `consent` and `workspaces`: the admin API on the command line."""

from __future__ import annotations

import asyncio
import json
import stat
import zipfile
from pathlib import Path
from typing import Any

import pytest

from citewell.cli import main
from citewell.core.config import Settings
from citewell.server.state.state_store import StateStore
from tests.requirements import requires

pytestmark = pytest.mark.usefixtures("logs_restored")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CITEWELL_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("CITEWELL_CONFIG", str(tmp_path / "none.toml"))

    async def fill() -> None:
        state = StateStore(Settings(data_dir=tmp_path / "data"))
        for user in ("ann", "ben"):
            await state.sessions.create_session(f"acme/{user}", user, b'"head"', [b'"step"'])
        await state.aclose()

    asyncio.run(fill())
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main(list(words))
    shown = capsys.readouterr()
    return code, shown.out, shown.err


@requires("admin.commands")
def test_a_user_is_listed_shown_exported_and_erased(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    listed = run(capsys, "users", "list", "--json")
    shown = run(capsys, "users", "show", "acme", "ann", "--json")
    exported = run(capsys, "users", "export", "acme", "ann", "--out", str(home / "ann.json"))
    packed = run(
        capsys, "users", "export", "acme", "ann", "--format", "zip", "--out", str(home / "ann.zip")
    )
    refused = run(capsys, "users", "erase", "acme", "ann")
    erased = run(capsys, "users", "erase", "acme", "ann", "--yes")
    after = run(capsys, "users", "show", "acme", "ann")
    left = run(capsys, "users", "list", "acme", "--json")

    assert [user["userId"] for user in json.loads(listed[1])] == ["ann", "ben"]
    assert json.loads(shown[1])["sessions"] == 1
    assert (exported[0], packed[0]) == (0, 0)
    archive = json.loads((home / "ann.json").read_text())
    assert [session["id"] for session in archive["data"]["sessions"]] == ["ann"]
    assert stat.S_IMODE((home / "ann.json").stat().st_mode) == 0o600
    with zipfile.ZipFile(home / "ann.zip") as opened:
        assert opened.testzip() is None
    assert refused[0] == 2
    assert "--yes" in refused[2]
    assert json.loads(erased[1])["deleted"]["sessions"] == 1
    assert after[0] == 1
    assert [user["userId"] for user in json.loads(left[1])] == ["ben"]


@requires("admin.commands")
def test_consents_and_members_are_managed(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    steps: list[Any] = [
        run(capsys, "consent", "list", "acme", "ann"),
        run(capsys, "consent", "grant", "acme", "ann", "memory", "--terms", "2026-01"),
        run(capsys, "consent", "withdraw", "acme", "ann", "analytics"),
        run(capsys, "consent", "list", "acme", "ann", "--json"),
        run(capsys, "consent", "grant", "acme", "ann", "spying"),
        run(capsys, "workspaces", "add", "lab", "acme", "ann"),
        run(capsys, "workspaces", "members", "lab", "--json"),
        run(capsys, "workspaces", "remove", "lab", "acme", "ann"),
        run(capsys, "workspaces", "members", "lab"),
    ]

    assert [code for code, *_ in steps] == [1, 0, 0, 0, 2, 0, 0, 0, 1]
    decided = {consent["purpose"]: consent["granted"] for consent in json.loads(steps[3][1])}
    assert decided == {"memory": True, "analytics": False}
    assert [user["userId"] for user in json.loads(steps[6][1])] == ["ann"]


@requires("admin.erasure_backups")
def test_a_restore_elsewhere_takes_the_list_of_erasures(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CITEWELL_MASTER_KEY_FILE", str(home / "data" / "state.key"))
    run(capsys, "backup", str(home / "backup.db"))
    run(capsys, "users", "erase", "acme", "ann", "--yes")
    listed = run(capsys, "users", "erasures", "--for-restore")
    receipts = run(capsys, "users", "erasures")
    (home / "erased.json").write_text(listed[1])
    monkeypatch.setenv("CITEWELL_DATA_DIR", str(home / "elsewhere"))

    wrong = run(capsys, "restore", str(home / "backup.db"), "--erased", str(home / "backup.db"))
    restored = run(
        capsys, "restore", str(home / "backup.db"), "--erased", str(home / "erased.json")
    )
    users = run(capsys, "users", "list", "--json")

    assert "ann" not in listed[1]
    assert json.loads(receipts[1])[0]["status"] == "erased"
    assert wrong[0] == 2
    assert restored[0] == 0
    assert "1 erased again" in restored[1]
    assert [user["userId"] for user in json.loads(users[1])] == ["ben"]


@requires("audit.events")
def test_what_an_operator_does_on_the_command_line_is_audited(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(capsys, "consent", "grant", "acme", "ben", "memory")
    run(capsys, "workspaces", "add", "team", "acme", "ben")
    run(capsys, "workspaces", "remove", "team", "acme", "nobody")
    run(capsys, "users", "export", "acme", "ben", "--out", str(home / "ben.json"))
    run(capsys, "users", "erase", "acme", "ann", "--yes")

    _, exported, _ = run(capsys, "audit-log", "export")

    events = [json.loads(line) for line in exported.splitlines()]
    recorded = [(event["metadata"]["action"], event.get("user_id")) for event in events]
    assert recorded == [
        ("consent", "ben"),
        ("add member", "ben"),
        ("export user", "ben"),
        ("erase user", None),
    ]
