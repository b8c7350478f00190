"""The doctor says how callers authenticate, and whether the issuer can be used."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from citewell.core import config
from citewell.server.app import App
from citewell.server.commands.diagnosis.installation_checks import InstallationCheck
from citewell.server.commands.doctor import check_authentication
from tests.issuers import run_issuer
from tests.requirements import requires


def check_settings(
    folder: Path, settings: dict[str, str], *, offline: bool = False
) -> dict[str, InstallationCheck]:
    async def run() -> dict[str, InstallationCheck]:
        app = App(config.load_settings({"CITEWELL_DATA_DIR": str(folder)} | settings))
        try:
            return {check.name: check for check in await check_authentication(app, offline=offline)}
        finally:
            await app.aclose()

    return asyncio.run(run())


@requires("http.auth_checks")
@pytest.mark.parametrize(
    ("settings", "wanted_text"),
    [
        ({}, "none: over HTTP this machine alone is served"),
        ({"CITEWELL_API_TOKENS": "true"}, "API tokens"),
        (
            {"CITEWELL_PROXY_USER_HEADER": "X-User", "CITEWELL_TRUSTED_PROXIES": "10.0.0.1"},
            "the header X-User from 10.0.0.1",
        ),
    ],
)
def test_the_configured_ways_are_told(
    settings: dict[str, str], wanted_text: str, tmp_path: Path
) -> None:
    checks = check_settings(tmp_path, settings)

    assert checks["authentication"].state == "ok"
    assert checks["authentication"].detail == wanted_text
    assert "oauth issuer" not in checks


@requires("http.auth_checks")
def test_an_issuer_is_asked_for_its_metadata_and_keys(tmp_path: Path) -> None:
    with run_issuer() as issuer:
        oauth = {"OAUTH_ISSUER_URL": issuer.issuer, "OAUTH_AUDIENCE": "https://r.example.org/mcp"}
        good = check_settings(tmp_path, oauth)
        unasked = check_settings(tmp_path, oauth, offline=True)
        issuer.publish("/jwks", b"<html>")
        bad = check_settings(tmp_path, oauth)

    assert good["oauth issuer"].state == "ok"
    assert "3 keys" in good["oauth issuer"].detail
    assert issuer.issuer in good["authentication"].detail
    assert unasked["oauth issuer"].detail == "not asked with --offline"
    assert bad["oauth issuer"].state == "failed"
    assert "not JSON" in bad["oauth issuer"].detail


@requires("http.auth_checks")
def test_settings_that_do_not_fit_together_fail(tmp_path: Path) -> None:
    checks = check_settings(tmp_path, {"OAUTH_ISSUER_URL": "https://login.example.org"})

    assert checks["authentication"].state == "failed"
    assert "OAUTH_AUDIENCE" in checks["authentication"].detail
