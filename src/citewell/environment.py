"""Where raw settings come from: the environment first, then one optional TOML file.

Standard library only: the instant start reads from here before anything else is loaded.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

CONFIG_FILE = "CITEWELL_CONFIG"


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
    from_file = _read_file(path) if path.is_file() else {}
    return from_file | {name: value for name, value in environ.items() if value != ""}


def _home(environ: Mapping[str, str], variable: str, fallback: str, windows: str) -> Path:
    if os.name == "nt" and environ.get(windows):
        return Path(environ[windows])
    return Path(environ[variable]) if environ.get(variable) else Path.home() / fallback


def _read_file(path: Path) -> dict[str, str]:
    import json
    import tomllib

    with path.open("rb") as file:
        table = tomllib.load(file)
    return {
        name.upper(): value if isinstance(value, str) else json.dumps(value)
        for name, value in table.items()
    }
