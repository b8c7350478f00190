"""Whether settings and commands that a deployment names exist."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from citewell.cli.running.command_group import load_command
from citewell.cli.running.command_help import COMMAND_HELP
from citewell.config import Settings, list_other_names

ROOT = Path(__file__).resolve().parents[2]
# Names that Python, its libraries or the system read.
SYSTEM_NAMES = {"HOME", "LANG", "PATH", "PYTHONDONTWRITEBYTECODE", "SSL_CERT_FILE"}


def list_setting_names() -> set[str]:
    """Every name that the program reads from the environment, those of providers included."""
    own = {field.alias for field in Settings.model_fields.values() if field.alias}
    example = (ROOT / ".env.example").read_text("utf-8")
    return (
        own | set(list_other_names().values()) | set(re.findall(r"(?m)^#? ?([A-Z0-9_]+)=", example))
    )


def find_unknown_settings(names: Iterable[str]) -> list[str]:
    return sorted(set(names) - list_setting_names() - SYSTEM_NAMES)


def check_command(arguments: Sequence[str]) -> None:
    """Raises click's usage error if `citewell` would not take these arguments."""
    name, *rest = arguments
    assert name in COMMAND_HELP, f"there is no command {name}"
    load_command(name).make_context(name, list(rest))
