"""Reads raw settings from the environment and from one optional TOML file.

Imports the standard library only, so that `serve` over stdio starts fast.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

CONFIG_FILE_VARIABLE = "CITEWELL_CONFIG"


class UnusableSettingsFile(ValueError):
    """The settings file exists and cannot be used; the message names the file and the line."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"The settings file {path} cannot be used: {reason}.")


def find_config_path(environ: Mapping[str, str]) -> Path:
    """CITEWELL_CONFIG if it is set, else config.toml in the user's configuration directory."""
    if named := environ.get(CONFIG_FILE_VARIABLE):
        return Path(named).expanduser()
    return (
        _find_base_directory(environ, "XDG_CONFIG_HOME", ".config", "APPDATA")
        / "citewell"
        / "config.toml"
    )


def find_data_path(environ: Mapping[str, str]) -> Path:
    """The default data directory; CITEWELL_DATA_DIR overrides it elsewhere."""
    return (
        _find_base_directory(environ, "XDG_DATA_HOME", ".local/share", "LOCALAPPDATA") / "citewell"
    )


def load_raw_settings(environ: Mapping[str, str]) -> dict[str, str]:
    """Every raw setting by its environment name; the environment overrides the file.

    Raises UnusableSettingsFile if the file exists and cannot be read or parsed.
    """
    path = find_config_path(environ)
    try:
        from_file = _read_settings_file(path) if path.is_file() else {}
    except OSError as error:
        raise UnusableSettingsFile(path, error.strerror or "it cannot be read") from None
    return from_file | {name: value for name, value in environ.items() if value != ""}


def find_setting_place(environ: Mapping[str, str], name: str) -> str:
    """Where a setting has its value, for the person who has to change it; empty for a flag or a default."""
    if environ.get(name):
        return "the environment"
    path = find_config_path(environ)
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return ""
    for number, line in enumerate(lines, 1):
        key, equals, _ = line.partition("=")
        key = key.strip().strip("\"'")
        setting = _WEB_SEARCH_OPTIONS[key][0] if key in _WEB_SEARCH_OPTIONS else key.upper()
        if equals and setting == name:
            return f"{path}, line {number}"
    return ""


def split_name_list(text: str) -> tuple[str, ...]:
    """The names in a comma-separated list, without white space around them and without empty ones."""
    return tuple(name for name in (part.strip() for part in text.split(",")) if name)


def _find_base_directory(
    environ: Mapping[str, str], variable: str, fallback: str, windows: str
) -> Path:
    if os.name == "nt" and environ.get(windows):
        return Path(environ[windows])
    return Path(environ[variable]) if environ.get(variable) else Path.home() / fallback


def warn_of_unfollowed_options(raw: Mapping[str, str]) -> None:
    """Write to stderr a sentence for each option of spec 3's table that is set and has no effect."""
    path = find_config_path(raw)
    search = _parse_settings_file(path).get(_WEB_SEARCH_TABLE) if path.is_file() else None
    for name, reason in _UNFOLLOWED_OPTIONS.items():
        if isinstance(search, dict) and search.get(name):
            sys.stderr.write(
                f"citewell: {name} in [{_WEB_SEARCH_TABLE}] of {path} has no effect: {reason}.\n"
            )


def _read_settings_file(path: Path) -> dict[str, str]:
    import json

    table = _parse_settings_file(path)
    search = table.pop(_WEB_SEARCH_TABLE, {})
    from_table = _read_search_table(path, search) if isinstance(search, dict) else {}
    return from_table | {
        name.upper(): value if isinstance(value, str) else json.dumps(value, default=str)
        for name, value in table.items()
    }


def _parse_settings_file(path: Path) -> dict[str, Any]:
    import tomllib

    content = path.read_bytes()
    try:
        table = tomllib.loads(content.decode())
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise UnusableSettingsFile(path, f"line {line} is not UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        raise UnusableSettingsFile(path, f"it is not TOML: {error}") from None
    return table


def _read_search_table(path: Path, table: Mapping[str, object]) -> dict[str, str]:
    """The settings that spec 3's table means; raises UnusableSettingsFile, naming each refused option."""
    found: dict[str, str] = {}
    refused: list[str] = []
    for name, value in table.items():
        setting, convert = _WEB_SEARCH_OPTIONS.get(name, ("", _refuse_unknown_option))
        try:
            text = convert(value)
        except ValueError as error:
            refused.append(f"{name} in [{_WEB_SEARCH_TABLE}] {error}")
        else:
            found |= {setting: text} if setting and text is not None else {}
    if table.get("summarize_long_content") is False:
        found["CITEWELL_SEARCH_SUMMARY_CHARS"] = "0"
    if refused:
        raise UnusableSettingsFile(path, "; ".join(refused))
    return found


def _convert_count(value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ValueError("must be a whole number of 1 or more")
    return str(value)


def _convert_seconds(value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float) or value < 0:
        raise ValueError("must be a number of seconds")
    return str(value)


def _convert_switch(value: object) -> str:
    if value is True or value is False:
        return "true" if value else "false"
    raise ValueError("must be true or false")


def _convert_size(value: object) -> str:
    """The number of characters that a size such as "2MB" allows."""
    import re

    match = re.fullmatch(r"(\d+) ?([KMG]?)B?", str(value).strip().upper())
    if match is None or isinstance(value, bool) or int(match[1]) == 0:
        raise ValueError('must be a size such as "2MB"')
    return str(int(match[1]) * {"": 1, "K": 10**3, "M": 10**6, "G": 10**9}[match[2]])


def _convert_delay_range(value: object) -> str:
    ends = value if isinstance(value, list) else []
    if len(ends) != 2 or any(isinstance(end, bool) or not isinstance(end, int) for end in ends):
        raise ValueError("must be two numbers of milliseconds, such as [100, 500]")
    return f"{ends[0]}-{ends[1]}"


def _require_code_blocks(value: object) -> None:
    if value is not True:
        raise ValueError("can only be true: code blocks are part of a page and are never left out")


def _refuse_unknown_option(_value: object) -> None:
    raise ValueError(f"is not an option; the options are {', '.join(_WEB_SEARCH_OPTIONS)}")


# Options of spec 3 that we accept and do not follow, and why.
_UNFOLLOWED_OPTIONS = {
    "instance_health_check_interval": (
        "instances are checked when they are needed, because each check uses up one of the few calls"
        " that a public instance allows"
    ),
    "rotate_user_agents": "operators ask programs to send one honest name, and Citewell does",
}

# The options of spec 3's table [web_search]: the setting each stands for, and how its value is
# written there. Options without a setting are checked only.
_WEB_SEARCH_TABLE = "web_search"
_WEB_SEARCH_OPTIONS: dict[str, tuple[str, Callable[[object], str | None]]] = {
    "default_results_count": ("CITEWELL_SEARCH_RESULTS", _convert_count),
    "max_results_count": ("CITEWELL_SEARCH_MAX_RESULTS", _convert_count),
    "max_concurrent_fetches": ("MAX_SCRAPE_CONCURRENCY", _convert_count),
    "default_timeout": ("CITEWELL_SEARCH_TIMEOUT", _convert_seconds),
    "content_fetch_timeout": ("CITEWELL_SEARCH_PAGE_TIMEOUT", _convert_seconds),
    "max_content_size": ("CITEWELL_SEARCH_PAGE_CHARS", _convert_size),
    "instance_health_check_interval": ("", lambda value: _convert_seconds(value) and None),
    "max_consecutive_failures": ("CITEWELL_SEARXNG_MAX_FAILURES", _convert_count),
    "rate_limit_backoff_base": ("CITEWELL_SEARXNG_BACKOFF", _convert_seconds),
    "rotate_user_agents": ("", lambda value: _convert_switch(value) and None),
    "request_delay_range": ("CITEWELL_SEARXNG_PAUSE", _convert_delay_range),
    "use_random_instances": ("CITEWELL_SEARXNG_RANDOM", _convert_switch),
    "summarize_long_content": ("", lambda value: _convert_switch(value) and None),
    "max_summary_length": ("CITEWELL_SEARCH_SUMMARY_CHARS", _convert_count),
    "extract_code_blocks": ("", _require_code_blocks),
}
