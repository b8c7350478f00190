"""The doctor says how callers authenticate, and whether the issuer can be used."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from citewell.core import config
from citewell.server.app import App
from citewell.server.commands.diagnosis import installation_checks as judge_checks
from citewell.server.commands.diagnosis.installation_checks import (
    InstallationCheck,
    check_encoder,
    check_judge,
)
from citewell.server.commands.doctor import check_authentication
from tests.command_runs import Run
from tests.encoders import build_tiny_encoder, build_tiny_judge
from tests.internet.judgements import JUDGEMENT
from tests.internet.serve import Internet
from tests.internet.world import World
from tests.issuers import run_issuer
from tests.requirements import requires

Environ = dict[str, str]


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


def examine(
    environ: Environ, *, offline: bool = False, paid: bool = False, **settings: Any
) -> InstallationCheck:
    async def run() -> InstallationCheck:
        app = App(config.load_settings(environ | settings))
        try:
            return await check_judge(app, offline=offline, paid=paid)
        finally:
            await app.aclose()

    return asyncio.run(run())


def test_words_judge_where_nothing_is_set(environ: Environ) -> None:
    found = examine(environ)

    assert (found.state, found.detail, found.change) == ("ok", "lexical: words are compared", "")


def test_a_model_that_is_named_but_not_chosen_is_told(environ: Environ) -> None:
    found = examine(environ, CITEWELL_JUDGE_MODEL="/somewhere")

    assert (found.state, found.change) == ("warning", "CITEWELL_JUDGE=nli")


@pytest.mark.process
def test_an_entailment_model_is_tried(environ: Environ, tmp_path: Path) -> None:
    folder = str(build_tiny_judge(tmp_path / "model"))

    found = examine(environ, CITEWELL_JUDGE="nli", CITEWELL_JUDGE_MODEL=folder, offline=True)

    assert (found.state, found.detail) == ("ok", "nli works: it says mentions")


@pytest.mark.process
@requires("judge.nli_broken")
@pytest.mark.parametrize("fault", ["no setting", "no folder", "no labels", "an encoder", "no ONNX"])
def test_an_entailment_model_that_does_not_work_is_told_with_what_to_do(
    environ: Environ, tmp_path: Path, fault: str
) -> None:
    folder = build_tiny_judge(tmp_path / "model")
    if fault == "no labels":
        (folder / "config.json").write_text("{}")
    elif fault == "an encoder":
        build_tiny_encoder(folder)
    elif fault == "no ONNX":
        (folder / "model.onnx").write_bytes(b"PK\x03\x04 a zip")
    place = {"no setting": "", "no folder": str(tmp_path / "nowhere")}.get(fault, str(folder))

    found = examine(environ, CITEWELL_JUDGE="nli", CITEWELL_JUDGE_MODEL=place)

    assert found.state == "warning"
    assert found.detail.endswith("Words decide instead.")
    assert "CITEWELL_JUDGE" in found.change


def test_the_extra_is_named_where_it_is_missing(
    environ: Environ, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(judge_checks, "SEMANTIC_LIBRARIES", ("no_such_library",))

    found = examine(environ, CITEWELL_JUDGE="nli", CITEWELL_JUDGE_MODEL="/somewhere")

    assert (found.state, found.change) == ("warning", 'pip install "citewell[semantic]"')


def test_a_model_server_on_this_machine_is_tried_unless_offline(
    environ: Environ, world: World
) -> None:
    server: dict[str, Any] = {
        "CITEWELL_JUDGE": "model",
        "CITEWELL_MODEL_SERVER": environ["CITEWELL_COMPATIBLE_BASE_URL"],
    }

    quiet = examine(environ, offline=True, **server)
    assert not world.calls["compatible"]
    tried = examine(environ, **server)
    world.state[JUDGEMENT] = "It does."
    useless = examine(environ, **server)

    assert quiet.detail == "model:compatible, not tried"
    assert tried.detail == "model:compatible works: it says supports"
    assert (useless.state, "something else" in useless.detail) == ("warning", True)


def test_a_model_that_costs_something_is_tried_only_if_asked_to(
    environ: Environ, world: World
) -> None:
    keyed: dict[str, Any] = {"CITEWELL_JUDGE": "openai", "OPENAI_API_KEY": "sk-test"}

    plain, paid = examine(environ, **keyed), examine(environ, paid=True, **keyed)

    assert plain.detail == "model:openai, not tried"
    assert paid.detail == "model:openai works: it says supports"
    assert world.calls["openai"] == 1


def test_a_judge_that_does_not_exist_is_told(environ: Environ) -> None:
    found = examine(environ, CITEWELL_JUDGE="oracle")

    assert (found.state, found.change) == ("warning", "CITEWELL_JUDGE=lexical")
    assert "no model provider 'oracle'" in found.detail


def test_verify_prints_relation_quote_and_judge(run: Run, internet: Internet) -> None:
    url = internet.page("sleep.example.org", "sleep-and-memory")

    shown = run("verify", url, "--claim", "Sleep after learning helps memory").out

    assert "says the judge lexical:" in shown
    assert "“" in shown


# What the doctor says about the encoder.


def examine_encoder(
    environ: dict[str, str], *, offline: bool = True, **settings: str
) -> InstallationCheck:
    async def run() -> InstallationCheck:
        app = App(config.load_settings(environ | settings))
        try:
            return await check_encoder(app, offline=offline)
        finally:
            await app.aclose()

    return asyncio.run(run())


def test_without_an_encoder_it_says_how_to_get_one(environ: dict[str, str]) -> None:
    found = examine_encoder(environ)

    assert (found.state, found.change) == ("ok", "citewell data encoder (optional)")


def test_the_extra_for_an_encoder_is_named_where_it_is_missing(
    environ: dict[str, str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(judge_checks, "SEMANTIC_LIBRARIES", ("no_such_library",))

    absent = examine_encoder(environ)
    chosen = examine_encoder(environ, CITEWELL_ENCODER=str(build_tiny_encoder(tmp_path / "model")))

    assert absent.change.startswith('pip install "citewell[semantic]" && citewell data encoder')
    assert (chosen.state, chosen.change) == ("warning", 'pip install "citewell[semantic]"')


def test_an_encoder_that_is_switched_off_needs_no_change(environ: dict[str, str]) -> None:
    found = examine_encoder(environ, CITEWELL_ENCODER="off")

    assert (found.state, found.change) == ("ok", "")
    assert found.detail.startswith("off")


@pytest.mark.process
def test_a_model_is_tried(environ: dict[str, str], tmp_path: Path) -> None:
    found = examine_encoder(environ, CITEWELL_ENCODER=str(build_tiny_encoder(tmp_path / "model")))

    assert found.state == "ok"
    assert found.detail.endswith("works: 8 dimensions")


def test_a_broken_folder_is_a_warning_and_says_what_is_wrong(
    environ: dict[str, str], tmp_path: Path
) -> None:
    found = examine_encoder(environ, CITEWELL_ENCODER=str(tmp_path))

    assert found.state == "warning"
    assert "has no model.onnx" in found.detail
    assert found.change.startswith("CITEWELL_ENCODER=")


def test_a_server_that_is_down_is_a_warning_but_offline_it_is_not_asked(
    environ: dict[str, str],
) -> None:
    address = "http://127.0.0.1:9/v1"

    offline = examine_encoder(environ, CITEWELL_ENCODER=address)
    asked = examine_encoder(environ, offline=False, CITEWELL_ENCODER=address)

    assert (offline.state, offline.detail) == ("ok", f"{address}, not tried")
    assert (asked.state, bool(asked.change)) == ("warning", True)


def test_the_doctor_lists_the_check(run: Run) -> None:
    report = run("doctor", "--offline", "--json").json()

    assert [check["state"] for check in report["checks"] if check["name"] == "encoder"] == ["ok"]
