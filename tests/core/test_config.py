"""How settings are declared and read; wrong ones are refused by name, and their values stay unsaid."""

from __future__ import annotations

from pathlib import Path

import pytest

from citewell.core import config
from citewell.core.config import Setting, Settings, SettingsSection, count_from, parse_text
from citewell.core.errors import Misconfigured
from citewell.server.settings import ServerSettings

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


class GardenSettings(SettingsSection):
    beds = Setting("GARDEN_BEDS", 4, "How many beds there are.", count_from(1))
    gate = Setting("GARDEN_GATE", None, "The gate to open.", parse_text)


def test_a_section_has_the_values_that_were_set_and_else_the_defaults() -> None:
    garden = GardenSettings({"beds": 7, "of_another_room": True}, {"GARDEN_BEDS": "7"})

    assert (garden.beds, garden.gate, garden.raw) == (7, None, {"GARDEN_BEDS": "7"})
    assert not hasattr(garden, "of_another_room")
    assert [setting.name for setting in GardenSettings.declared] == ["GARDEN_BEDS", "GARDEN_GATE"]
    with pytest.raises(AttributeError, match="never change"):
        garden.beds = 8


def test_replaced_settings_keep_the_others_and_the_raw_values() -> None:
    before = Settings(raw={"PORT": "9"}, port=9, host="localhost")

    after = before.replace(port=10, host=None)

    assert (before[ServerSettings].port, after[ServerSettings].port) == (9, 10)
    assert after[ServerSettings].host == "127.0.0.1"
    assert after.raw == {"PORT": "9"}
    assert after.is_set(ServerSettings.port)
    assert not after.is_set(ServerSettings.host)


def test_a_field_that_no_room_declares_is_a_mistake_of_the_caller() -> None:
    with pytest.raises(TypeError, match="gate"):
        Settings(gate="north")


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
    settings = load(tmp_path, **{name: value})

    [setting] = [setting for setting in config.list_settings() if setting.field == field]
    assert settings.get_value(setting) == expected


@pytest.mark.parametrize(
    ("name", "value", "wanted_text"),
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
    name: str, value: str, wanted_text: str, tmp_path: Path
) -> None:
    with pytest.raises(Misconfigured) as raised:
        load(tmp_path, **{name: value})

    assert wanted_text in raised.value.message
    assert "Input should" not in raised.value.message
    assert raised.value.message.endswith("in the environment or the settings file.")
