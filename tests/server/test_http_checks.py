from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import pytest

from tests.command_runs import Ran, Run
from tests.requirements import requires

KEY = "0123456789abcdef"


def list_checks(ran: Ran) -> dict[str, dict[str, Any]]:
    return {row["name"]: row for row in ran.json()["checks"]}


def diagnose(run: Run, **settings: str) -> tuple[int, dict[str, dict[str, Any]]]:
    ran = run("doctor", "--offline", "--json", **settings)
    return ran.code, list_checks(ran)


@requires("doctor.http")
def test_without_http_nothing_is_said_of_it(run: Run) -> None:
    code, checks = diagnose(run)

    assert code == 0
    assert not {"http exposure", "audit", "clock"} & checks.keys()


@requires("doctor.http")
def test_loopback_with_an_admin_key_is_sound(run: Run) -> None:
    code, checks = diagnose(run, PORT="8123", ADMIN_API_KEY=KEY, AUDIT_OUTPUT_PATH="/tmp/a.jsonl")

    assert code == 0
    assert checks["http exposure"]["detail"] == "listens on 127.0.0.1:8123: this machine only"
    assert "all callers are one user" in checks["http authentication"]["detail"]
    assert "connections" in checks["http limits"]["detail"]
    assert "admin key" in checks["http operators"]["detail"]
    assert "/tmp/a.jsonl" in checks["audit"]["detail"]
    assert {checks[name]["state"] for name in checks if name.startswith("http")} == {"ok"}
    assert checks["clock"]["state"] == "ok"


@requires("doctor.http")
def test_a_public_interface_without_authentication_fails(run: Run) -> None:
    code, checks = diagnose(run, CITEWELL_HOST="0.0.0.0")

    assert code == 1
    assert checks["http exposure"]["state"] == "failed"
    assert "OAUTH_ISSUER_URL" in checks["http exposure"]["change"]


@requires("doctor.http")
@pytest.mark.parametrize(
    ("settings", "wanted_text"),
    [
        (
            {
                "OAUTH_ISSUER_URL": "https://login.example.org",
                "OAUTH_AUDIENCE": "https://a.example.org/mcp",
            },
            "OAuth tokens of https://login.example.org for https://a.example.org/mcp",
        ),
        ({"CITEWELL_API_TOKENS": "true"}, "API tokens"),
        (
            {
                "CITEWELL_PROXY_USER_HEADER": "X-User",
                "CITEWELL_TRUSTED_PROXIES": "10.0.0.1",
            },
            "the header X-User of 10.0.0.1",
        ),
    ],
)
def test_each_way_to_authenticate_is_named(
    run: Run, settings: dict[str, str], wanted_text: str
) -> None:
    code, checks = diagnose(run, CITEWELL_HOST="0.0.0.0", **settings)

    assert code == 0
    assert wanted_text in checks["http authentication"]["detail"]
    assert checks["http exposure"]["state"] == "ok"


@requires("doctor.http")
@pytest.mark.parametrize(
    "settings",
    [
        {"OAUTH_ISSUER_URL": "https://login.example.org"},
        {"CITEWELL_PROXY_USER_HEADER": "X-User"},
        {"ENFORCE_SCOPES": "true", "PORT": "8123"},
    ],
)
def test_settings_that_contradict_each_other_fail_doctor_and_start(
    run: Run, settings: dict[str, str]
) -> None:
    code, checks = diagnose(run, **settings)
    started = run("serve", "--http", "--check", **settings)

    assert code == 1
    assert checks["http authentication"]["state"] == "failed"
    assert started.code == 2
    assert checks["http authentication"]["detail"] in started.err


@requires("doctor.http")
def test_a_clock_behind_our_own_files_fails(run: Run, environ: dict[str, str]) -> None:
    data = Path(environ["CITEWELL_DATA_DIR"])
    data.mkdir(parents=True, exist_ok=True)
    file = data / "note"
    file.touch()
    os.utime(file, (time.time() + 86_400, time.time() + 86_400))

    code, checks = diagnose(run, PORT="8123")

    assert code == 1
    assert checks["clock"]["state"] == "failed"
