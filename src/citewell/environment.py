"""Where raw settings come from: the environment first, then one optional TOML file.

Standard library only: the instant start reads from here before anything else is loaded.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

CONFIG_FILE = "CITEWELL_CONFIG"


class Unusable(ValueError):
    """The settings file is there and cannot be used; the sentence names it and the place."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"The settings file {path} cannot be used: {reason}.")


def config_path(environ: Mapping[str, str]) -> Path:
    """The settings file: named by CITEWELL_CONFIG, else in the user's configuration directory."""
    if named := environ.get(CONFIG_FILE):
        return Path(named).expanduser()
    return _home(environ, "XDG_CONFIG_HOME", ".config", "APPDATA") / "citewell" / "config.toml"


def data_path(environ: Mapping[str, str]) -> Path:
    """Where what is kept is kept, unless CITEWELL_DATA_DIR says otherwise."""
    return _home(environ, "XDG_DATA_HOME", ".local/share", "LOCALAPPDATA") / "citewell"


def load(environ: Mapping[str, str]) -> dict[str, str]:
    """Every raw setting by its environment name; the environment wins over the file."""
    path = config_path(environ)
    try:
        from_file = _read_file(path) if path.is_file() else {}
    except OSError as error:
        raise Unusable(path, error.strerror or "it cannot be read") from None
    return from_file | {name: value for name, value in environ.items() if value != ""}


def _home(environ: Mapping[str, str], variable: str, fallback: str, windows: str) -> Path:
    if os.name == "nt" and environ.get(windows):
        return Path(environ[windows])
    return Path(environ[variable]) if environ.get(variable) else Path.home() / fallback


def _read_file(path: Path) -> dict[str, str]:
    import json
    import tomllib

    content = path.read_bytes()
    try:
        table = tomllib.loads(content.decode())
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise Unusable(path, f"line {line} is not UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        raise Unusable(path, f"it is not TOML: {error}") from None
    return {
        name.upper(): value if isinstance(value, str) else json.dumps(value, default=str)
        for name, value in table.items()
    }
