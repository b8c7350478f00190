"""Who may use the operator's routes, and how fast keys can be guessed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request

from citewell.core.config import Settings, load_settings
from citewell.core.errors import Misconfigured
from citewell.server.http.admin_requests import (
    ADMIN_SCOPE,
    MAX_WRONG_KEYS,
    SECONDS_PER_WRONG_KEY,
    AdminAttempts,
    AdminVerdict,
    build_admin_refusal,
    judge_admin_request,
)
from citewell.server.http.auth.caller import CallerProof, VerifiedCaller, attach_caller
from tests.requirements import requires

KEY, FORMER = "the key of today!", "the key of yesterday"
ROTATING = {"ADMIN_API_KEY": KEY, "ADMIN_API_KEY_PREV": FORMER}


def load(tmp_path: Path, **environ: str) -> Settings:
    return load_settings({"CITEWELL_CONFIG": str(tmp_path / "none.toml"), **environ})


def request(
    *keys: str,
    caller: VerifiedCaller | None = None,
    app: Starlette | None = None,
    address: str = "192.0.2.1",
) -> Request:
    headers = [(b"x-admin-key", key.encode()) for key in keys]
    scope: dict[str, Any] = {"type": "http", "headers": headers, "client": (address, 4711)}
    if app is not None:
        scope["app"] = app
    if caller is not None:
        attach_caller(scope, caller)
    return Request(scope)


def verified(*scopes: str) -> VerifiedCaller:
    return VerifiedCaller(proof=CallerProof.OAUTH, scopes=frozenset(scopes))


@requires("admin.key")
@pytest.mark.parametrize(
    ("environ", "keys", "verdict"),
    [
        ({}, (), AdminVerdict.NOT_CONFIGURED),
        ({}, (KEY,), AdminVerdict.NOT_CONFIGURED),
        (ROTATING, (), AdminVerdict.KEY_MISSING),
        (ROTATING, (KEY,), AdminVerdict.ADMITTED),
        (ROTATING, (FORMER,), AdminVerdict.ADMITTED),
        (ROTATING, (KEY[:-1],), AdminVerdict.KEY_WRONG),
        (ROTATING, ("",), AdminVerdict.KEY_WRONG),
        (ROTATING, (KEY, KEY), AdminVerdict.KEY_WRONG),
        (ROTATING, ("x" * 100_000,), AdminVerdict.KEY_WRONG),
        ({"CACHE_ADMIN_KEY": KEY}, (KEY,), AdminVerdict.ADMITTED),
        ({"CACHE_ADMIN_KEY": FORMER, "ADMIN_API_KEY": KEY}, (FORMER,), AdminVerdict.KEY_WRONG),
        ({"ADMIN_API_KEY": "schlüssel mit ümlaut"}, ("schlüssel mit ümlaut",), AdminVerdict.ADMITTED),
    ],
)  # fmt: skip
def test_one_right_key_is_needed(
    environ: dict[str, str], keys: tuple[str, ...], verdict: AdminVerdict, tmp_path: Path
) -> None:
    asked = request(*keys)

    assert judge_admin_request(asked, load(tmp_path, **environ)) is verdict


@pytest.mark.parametrize(
    ("caller", "verdict"),
    [
        (verified(ADMIN_SCOPE), AdminVerdict.ADMITTED),
        (verified("research:read"), AdminVerdict.SCOPE_MISSING),
        (VerifiedCaller(proof=CallerProof.PROXY), AdminVerdict.SCOPE_MISSING),
        (VerifiedCaller(scopes=frozenset({ADMIN_SCOPE})), AdminVerdict.NOT_CONFIGURED),
    ],
)
def test_a_verified_caller_needs_the_admin_scope_by_name(
    caller: VerifiedCaller, verdict: AdminVerdict, tmp_path: Path
) -> None:
    assert judge_admin_request(request(caller=caller), load(tmp_path)) is verdict


@requires("admin.key")
def test_after_a_burst_of_wrong_keys_even_the_right_one_waits(tmp_path: Path) -> None:
    now, app, settings = [0.0], Starlette(), load(tmp_path, **ROTATING)
    app.state.admin_attempts = AdminAttempts(clock=lambda: now[0])
    for number in range(MAX_WRONG_KEYS):
        assert (
            judge_admin_request(request(f"guess {number}", app=app), settings)
            is not AdminVerdict.ADMITTED
        )

    late = request(KEY, app=app)
    refusal = build_admin_refusal(late, judge_admin_request(late, settings))

    assert refusal.status_code == 429
    assert refusal.headers["retry-after"] == str(int(SECONDS_PER_WRONG_KEY))
    assert (
        judge_admin_request(request(KEY, app=app, address="192.0.2.2"), settings)
        is AdminVerdict.ADMITTED
    )
    now[0] += SECONDS_PER_WRONG_KEY
    assert judge_admin_request(late, settings) is AdminVerdict.ADMITTED
    assert app.state.admin_attempts.wrong_keys == MAX_WRONG_KEYS


@requires("admin.key")
@pytest.mark.parametrize("name", ["ADMIN_API_KEY", "ADMIN_API_KEY_PREV", "CACHE_ADMIN_KEY"])
def test_a_short_key_is_a_configuration_error_that_does_not_show_it(
    name: str, tmp_path: Path
) -> None:
    with pytest.raises(Misconfigured) as raised:
        load(tmp_path, **{name: "fifteen letters"})

    assert "ADMIN_API_KEY" in raised.value.message
    assert "at least 16" in raised.value.message
    assert "fifteen" not in raised.value.message


def test_addresses_are_forgotten_before_they_fill_the_memory() -> None:
    attempts = AdminAttempts(clock=lambda: 0.0)

    for number in range(10_100):
        attempts.record_wrong_key(str(number))

    assert len(attempts._due) == 10_000
