"""Settings that cannot be meant are refused by name, and their values stay unsaid."""

from __future__ import annotations

from pathlib import Path

import pytest

from citewell import config
from citewell.config import Settings
from citewell.errors import Misconfigured

WRONG = {
    "CACHE_ISOLATION": "tenants",
    "ADMIN_API_KEY": "only-15-letters",
    "LOG_LEVEL": "loud-and-clear",
    "PORT": "65536",
    "MAX_HTML_BYTES": "-70117",
    "MAX_DOCUMENT_BYTES": "0",
    "MAX_REQUEST_BODY_BYTES": "0",
    "MAX_SCRAPE_CONCURRENCY": "0",
    "MAX_SCRAPE_CONCURRENCY_BROWSER": "-70117",
    "CIRCUIT_FAILURE_THRESHOLD": "0",
    "SEARCH_THIN_THRESHOLD": "-70117",
    "CITEWELL_PARSE_MEMORY_MB": "0",
    "CITEWELL_LINK_THRESHOLD": "-70117",
    "CACHE_MAX_MEMORY_MB": "-70117",
    "CITEWELL_CACHE_MAX_DISK_MB": "-70117",
    "CITEWELL_SESSION_MAX": "0",
    "SESSION_MAX_STEPS": "0",
    "SESSION_TTL": "7.0.1.1.7s",
}


def load(tmp_path: Path, **settings: str) -> Settings:
    return config.load_settings({"CITEWELL_CONFIG": str(tmp_path / "none.toml"), **settings})


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_value_is_refused_by_the_settings_name_alone(name: str, tmp_path: Path) -> None:
    with pytest.raises(Misconfigured) as raised:
        load(tmp_path, **{name: WRONG[name]})

    assert name in raised.value.message
    assert len(WRONG[name]) == 1 or WRONG[name] not in raised.value.message.replace("65535", "")


@pytest.mark.parametrize(
    ("name", "value", "field", "expected"),
    [
        ("CACHE_ISOLATION", "tenant", "cache_isolation", "tenant"),
        ("ADMIN_API_KEY", "sixteen-letters!", "admin_key", "sixteen-letters!"),
        ("LOG_LEVEL", "DEBUG", "log_level", "debug"),
        ("PORT", "0", "port", 0),
        ("CACHE_MAX_MEMORY_MB", "0", "cache_max_memory_mb", 0),
        ("SESSION_TTL", "1h30m", "session_ttl", 5400.0),
        ("SESSION_TTL", "1.5s", "session_ttl", 1.5),
    ],
)
def test_a_value_at_its_bound_is_taken(
    name: str, value: str, field: str, expected: object, tmp_path: Path
) -> None:
    assert getattr(load(tmp_path, **{name: value}), field) == expected


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("PORT", "abc", "PORT must be a whole number"),
        ("PORT", "70000", "PORT must be 65535 or less"),
        ("MAX_HTML_BYTES", "0", "MAX_HTML_BYTES must be 1 or more"),
        ("CITEWELL_CACHE", "maybe", "CITEWELL_CACHE must be true or false"),
        ("CACHE_ISOLATION", "x", "CACHE_ISOLATION must be 'shared' or 'tenant'"),
        ("ADMIN_API_KEY", "short", "ADMIN_API_KEY must have at least 16 characters"),
        ("CITEWELL_TOOL_TIMEOUT", "soon", 'CITEWELL_TOOL_TIMEOUT: write a duration such as "90s"'),
        ("CITEWELL_TOOLS", "[1]", "CITEWELL_TOOLS must be text"),
    ],
)
def test_a_wrong_setting_is_told_in_plain_words(
    name: str, value: str, told: str, tmp_path: Path
) -> None:
    with pytest.raises(Misconfigured) as raised:
        load(tmp_path, **{name: value})

    assert told in raised.value.message
    assert "Input should" not in raised.value.message
    assert raised.value.message.endswith("in the environment or the settings file.")
