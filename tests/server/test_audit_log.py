"""`citewell audit-log`: verify, export, head."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from citewell.audit.audit_segments import AuditEvent
from citewell.cli import main
from citewell.core.config import Settings
from citewell.server.state.state_store import StateStore
from citewell.store.sql.database import SqlStatement
from tests.requirements import requires

DAY = 86400.0


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CITEWELL_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("CITEWELL_CONFIG", str(tmp_path / "none.toml"))
    return tmp_path


def fill(home: Path, *users: str, sql: str | None = None) -> None:
    async def run() -> None:
        state = StateStore(Settings(data_dir=home / "data"))
        for day, user in enumerate(users):
            event = AuditEvent(
                happened_at=day * DAY, tenant_id="acme", user_id=user, tool_name="web_search"
            )
            await state.audit.append_event(f"acme/{user}", event)
        await state.audit.seal_waiting_rows()
        if sql:
            await state.database.execute_batch([SqlStatement(sql=sql)])
        await state.aclose()

    asyncio.run(run())


def test_an_intact_log_exits_with_0_and_tells_its_head(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fill(home, "ada", "bob")

    assert main(["audit-log", "verify"]) == 0
    verified = capsys.readouterr().out
    assert main(["audit-log", "head"]) == 0
    head = capsys.readouterr().out.strip()

    assert "Rows 1 to 2 are intact." in verified
    assert f"Head: {head}" in verified
    assert main(["audit-log", "verify", "--anchor", head]) == 0


def test_a_tampered_log_exits_with_1_and_names_the_row(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fill(home, "ada", "bob", sql="DELETE FROM audit_segment")

    assert main(["audit-log", "verify", "--json"]) == 1

    found = json.loads(capsys.readouterr().out)
    assert (found["intact"], found["fault"], found["row"]) == (False, "rows_missing", 1)


def test_a_log_that_does_not_continue_the_anchor_exits_with_1(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fill(home, "ada")

    assert main(["audit-log", "verify", "--anchor", f"1:{'0' * 64}"]) == 1
    assert "anchor" in capsys.readouterr().out
    assert main(["audit-log", "verify", "--anchor", f"9:{'0' * 64}"]) == 1


@pytest.mark.parametrize(
    "arguments",
    [("verify", "--anchor", "head"), ("export", "--since", "soon"), ("export", "--until", "2026-13-01")],
)  # fmt: skip
def test_a_value_that_cannot_be_read_is_a_usage_error(
    home: Path, arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    fill(home, "ada")

    assert main(["audit-log", *arguments]) == 2
    assert "must be" in capsys.readouterr().err


def test_a_wrong_master_key_is_an_error_of_its_own(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    fill(home, "ada")
    monkeypatch.setenv("CITEWELL_MASTER_KEY", "0a" * 32)

    assert main(["audit-log", "verify"]) == 2

    printed = capsys.readouterr()
    assert "master key" in printed.err
    assert "altered" not in printed.err + printed.out


def test_rows_are_exported_as_json_lines_and_filtered(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fill(home, "ada", "bob", "ada")

    assert main(["audit-log", "export", "--user", "ada", "--since", "1970-01-02"]) == 0

    (line,) = map(json.loads, capsys.readouterr().out.splitlines())
    assert (line["row"], line["timestamp"]) == (3, "1970-01-03T00:00:00.000+00:00")
    assert (line["tenant_id"], line["user_id"], line["success"]) == ("acme", "ada", True)


def test_rows_are_exported_into_a_file_that_others_cannot_read(home: Path) -> None:
    fill(home, "ada", "bob")
    out = home / "rows.jsonl"

    assert main(["audit-log", "export", "--out", str(out)]) == 0

    assert len(out.read_text().splitlines()) == 2
    assert out.stat().st_mode & 0o077 == 0


def test_nothing_to_export_or_verify_exits_with_1(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["audit-log", "verify"]) == 1
    assert not (home / "data").exists()
    fill(home, "ada")
    assert main(["audit-log", "export", "--tool", "answer"]) == 1
    assert "no audit log" in capsys.readouterr().err


@requires("audit.events")
def test_what_an_operator_does_on_the_command_line_is_audited(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["users", "token", "create", "--user", "ada", "--json"]) == 0
    made = json.loads(capsys.readouterr().out)
    assert main(["users", "token", "revoke", made["id"]]) == 0
    assert main(["keys", "rotate"]) == 0
    capsys.readouterr()

    assert main(["audit-log", "export"]) == 0

    shown = capsys.readouterr().out
    rows = [json.loads(line) for line in shown.splitlines()]
    assert [row["event_type"] for row in rows] == ["token_created", "token_revoked", "admin_action"]
    assert rows[0]["user_id"] == "ada"
    assert [row["metadata"].get("credential_id") for row in rows] == [made["id"], made["id"], None]
    assert made["token"] not in shown
    assert main(["audit-log", "verify"]) == 0
