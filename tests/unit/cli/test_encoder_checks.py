"""What the doctor says about the encoder."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from citewell import config
from citewell.cli.diagnosis import encoder_checks
from citewell.cli.diagnosis.encoder_checks import check_encoder
from citewell.cli.diagnosis.installation_checks import InstallationCheck
from citewell.server.app import App
from tests.encoders import build_tiny_encoder
from tests.unit.cli.conftest import Run


def examine(environ: dict[str, str], *, offline: bool = True, **settings: str) -> InstallationCheck:
    async def run() -> InstallationCheck:
        app = App(config.load_settings(environ | settings))
        try:
            return await check_encoder(app, offline=offline)
        finally:
            await app.aclose()

    return asyncio.run(run())


def test_without_an_encoder_it_says_how_to_get_one(environ: dict[str, str]) -> None:
    found = examine(environ)

    assert (found.state, found.change) == ("ok", "citewell data encoder (optional)")


def test_the_extra_is_named_where_it_is_missing(
    environ: dict[str, str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(encoder_checks, "SEMANTIC_LIBRARIES", ("no_such_library",))

    absent = examine(environ)
    chosen = examine(environ, CITEWELL_ENCODER=str(build_tiny_encoder(tmp_path / "model")))

    assert absent.change.startswith('pip install "citewell[semantic]" && citewell data encoder')
    assert (chosen.state, chosen.change) == ("warning", 'pip install "citewell[semantic]"')


def test_an_encoder_that_is_switched_off_needs_no_change(environ: dict[str, str]) -> None:
    found = examine(environ, CITEWELL_ENCODER="off")

    assert (found.state, found.change) == ("ok", "")
    assert found.detail.startswith("off")


@pytest.mark.process
def test_a_model_is_tried(environ: dict[str, str], tmp_path: Path) -> None:
    found = examine(environ, CITEWELL_ENCODER=str(build_tiny_encoder(tmp_path / "model")))

    assert found.state == "ok"
    assert found.detail.endswith("works: 8 dimensions")


def test_a_broken_folder_is_a_warning_and_says_what_is_wrong(
    environ: dict[str, str], tmp_path: Path
) -> None:
    found = examine(environ, CITEWELL_ENCODER=str(tmp_path))

    assert found.state == "warning"
    assert "has no model.onnx" in found.detail
    assert found.change.startswith("CITEWELL_ENCODER=")


def test_a_server_that_is_down_is_a_warning_but_offline_it_is_not_asked(
    environ: dict[str, str],
) -> None:
    address = "http://127.0.0.1:9/v1"

    offline = examine(environ, CITEWELL_ENCODER=address)
    asked = examine(environ, offline=False, CITEWELL_ENCODER=address)

    assert (offline.state, offline.detail) == ("ok", f"{address}, not tried")
    assert (asked.state, bool(asked.change)) == ("warning", True)


def test_the_doctor_lists_the_check(run: Run) -> None:
    report = run("doctor", "--offline", "--json").json()

    assert [check["state"] for check in report["checks"] if check["name"] == "encoder"] == ["ok"]
