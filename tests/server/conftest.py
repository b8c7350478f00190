"""Fixtures that several test files of the server share."""

from __future__ import annotations

from pathlib import Path

import pytest
from starlette.testclient import TestClient

from citewell.core import config
from citewell.server.app import App
from citewell.server.http.hosting import build_asgi_app


@pytest.fixture
def client(environ: dict[str, str]) -> TestClient:
    app = App(config.load_settings(environ))
    return TestClient(build_asgi_app(app), base_url="http://127.0.0.1:8000")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for everything that commands store."""
    monkeypatch.setenv("CITEWELL_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("CITEWELL_CONFIG", str(tmp_path / "none.toml"))
    return tmp_path
