"""`citewell users token`: made, listed and revoked on the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from citewell.cli import main
from citewell.core.tooling import Owner
from tests.requirements import requires


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CITEWELL_DATA_DIR", str(tmp_path / "data"))


def run_json(capsys: pytest.CaptureFixture[str], *words: str) -> Any:
    main(["users", "token", *words, "--json"])
    return json.loads(capsys.readouterr().out)


@requires("http.api_tokens")
def test_a_token_is_made_listed_and_revoked(capsys: pytest.CaptureFixture[str]) -> None:
    made = run_json(
        capsys, "create", "--user", "alice", "--tenant", "acme", "--scope", "toolset:core"
    )
    listed = run_json(capsys, "list")
    code = main(["users", "token", "revoke", made["id"]])
    capsys.readouterr()
    after = run_json(capsys, "list", "--user", "alice", "--tenant", "acme")

    assert made["token"].startswith("cwt_")
    assert made["owner"] == str(Owner(tenant="acme", user="alice"))
    assert made["scopes"] == ["toolset:core"]
    assert made["expiresAt"] is not None
    assert [row["id"] for row in listed["tokens"]] == [made["id"]]
    assert "token" not in listed["tokens"][0]
    assert code == 0
    assert after["tokens"][0]["revokedAt"] is not None


def test_a_new_token_is_told_with_what_is_missing(capsys: pytest.CaptureFixture[str]) -> None:
    code = main(["users", "token", "create", "--user", "a/b", "--days", "0"])

    printed = capsys.readouterr().out
    assert code == 0
    assert "cwt_" in printed
    assert "default/a%2Fb" in printed
    assert "CITEWELL_API_TOKENS" in printed
    assert "no end" in printed


@pytest.mark.parametrize(
    ("words", "wanted_text"),
    [
        (("create",), "--user"),
        (("create", "--user", "anonymous"), "--user"),
        (("create", "--user", "a\nb"), "can be seen"),
        (("create", "--user", "a" * 300), "can be seen"),
        (("create", "--user", "a", "--scope", "toolset:nope"), "toolset:nope"),
        (("create", "--user", "a", "--scope", "*"), "tool:*"),
        (("create", "--user", "a", "--days", "-1"), "--days"),
        (("create", "--user", "a", "--days", "nan"), "--days"),
        (("revoke",), "list"),
        (("revoke", "nope"), "No token"),
    ],
)
def test_a_wrong_command_says_what_to_write(
    words: tuple[str, ...], wanted_text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code = main(["users", "token", *words])

    assert code != 0
    assert wanted_text in " ".join(capsys.readouterr().err.split())


def test_without_tokens_the_list_says_how_to_make_one(capsys: pytest.CaptureFixture[str]) -> None:
    code = main(["users", "token", "list"])

    assert code == 1
    assert "create" in capsys.readouterr().out
