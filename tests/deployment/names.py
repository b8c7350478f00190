"""Whether settings and commands that a deployment names exist."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from citewell.cli import load_command
from citewell.core.config import list_settings
from citewell.core.room_modules import list_commands

ROOT = Path(__file__).resolve().parents[2]
# Names that Python, its libraries or the system read.
SYSTEM_NAMES = {"HOME", "LANG", "PATH", "PYTHONDONTWRITEBYTECODE", "SSL_CERT_FILE"}


def list_setting_names() -> set[str]:
    """Every name that the program reads from the environment, those of providers included."""
    example = (ROOT / ".env.example").read_text("utf-8")
    others = {setting.other_name for setting in list_settings() if setting.other_name}
    return others | set(re.findall(r"(?m)^#? ?([A-Z0-9_]+)=", example))


def find_unknown_settings(names: Iterable[str]) -> list[str]:
    return sorted(set(names) - list_setting_names() - SYSTEM_NAMES)


def check_command(arguments: Sequence[str]) -> None:
    """Raises click's usage error if `citewell` would not take these arguments."""
    name, *rest = arguments
    assert name in list_commands(), f"there is no command {name}"
    load_command(name).make_context(name, list(rest))
