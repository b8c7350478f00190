"""Answers are reused only under the policy and configuration that found them."""

from __future__ import annotations

from pathlib import Path

import pytest

from citewell.core import config
from citewell.store.cache_store import build_settings_fingerprint

NOWHERE = {"CITEWELL_CONFIG": "/nonexistent.toml"}


def name(**environ: str) -> str:
    return build_settings_fingerprint(config.load_settings(NOWHERE | environ))


@pytest.mark.parametrize(
    "change",
    [
        {"ALLOW_PRIVATE_IPS": "true"},
        {"CITEWELL_ALLOW_PRIVATE_HOSTS": "127.0.0.1:8000"},
        {"ALLOWED_DOMAINS": "example.org"},
        {"SEARCH_ROUTING": "wikipedia"},
        {"SEARCH_PROVIDER": "brave"},
        {"SEARXNG_URL": "https://search.example.org"},
        {"BRAVE_API_KEY": "x"},
        {"CITEWELL_BRAVE_BASE_URL": "http://127.0.0.1:1"},
        {"CITEWELL_RESPECT_ROBOTS": "false"},
    ],
)
def test_what_decides_an_answer_keeps_answers_apart(change: dict[str, str]) -> None:
    assert name(**change) != name()


@pytest.mark.parametrize(
    "change",
    [
        {"PATH": "/bin"},
        {"CITEWELL_DATA_DIR": "/tmp/x"},
        {"CITEWELL_TOOLSETS": "all"},
        {"CITEWELL_FRONT": "0"},
    ],
)
def test_what_decides_nothing_does_not(change: dict[str, str]) -> None:
    assert name(**change) == name()


def test_a_changed_lens_of_the_users_own_counts(tmp_path: Path) -> None:
    before = name(CUSTOM_LENSES_PATH=str(tmp_path))
    (tmp_path / "mine.json").write_text("{}")

    assert name(CUSTOM_LENSES_PATH=str(tmp_path)) != before


def test_nothing_can_be_read_out_of_it() -> None:
    assert "hunter2" not in name(BRAVE_API_KEY="hunter2")
