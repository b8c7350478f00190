"""Reads raw settings from the environment and from one optional TOML file.

Imports the standard library only, so that `serve` over stdio starts fast.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

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


def split_name_list(text: str) -> tuple[str, ...]:
    """The names in a comma-separated list, without white space around them and without empty ones."""
    return tuple(name for name in (part.strip() for part in text.split(",")) if name)


def _find_base_directory(
    environ: Mapping[str, str], variable: str, fallback: str, windows: str
) -> Path:
    if os.name == "nt" and environ.get(windows):
        return Path(environ[windows])
    return Path(environ[variable]) if environ.get(variable) else Path.home() / fallback


def _read_settings_file(path: Path) -> dict[str, str]:
    import json
    import tomllib

    content = path.read_bytes()
    try:
        table = tomllib.loads(content.decode())
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise UnusableSettingsFile(path, f"line {line} is not UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        raise UnusableSettingsFile(path, f"it is not TOML: {error}") from None
    return {
        name.upper(): value if isinstance(value, str) else json.dumps(value, default=str)
        for name, value in table.items()
    }
