"""Finds the tools and commands that the rooms bring, by file name, without importing any."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

PACKAGE_FOLDER = Path(__file__).parents[1]
# Where the files of domains are, each with a tool and its command.
_DOMAIN_FILES = ("domains/*.py", "domains/*/*.py", "search/*.py")
_DOMAIN_PATTERN = re.compile(
    r'^COMMAND = SearchCommand\(\s*name="([\w-]+)",\s*tool="(\w+)",\s*help="""(.*?)"""',
    re.MULTILINE | re.DOTALL,
)
_COMMAND_PATTERN = re.compile(
    r"^def command\(|^SUBCOMMANDS\b|^from .* import command$", re.MULTILINE
)
_DOCSTRING_PATTERN = re.compile(r'"""(.*?)"""', re.DOTALL)


@cache
def list_room_modules(kind: str) -> dict[str, str]:
    """The modules in the folders of this name, such as `tools`, of all rooms: file name to module path."""
    return {
        path.stem: f"citewell.{path.parents[1].name}.{kind}.{path.stem}"
        for path in sorted(PACKAGE_FOLDER.glob(f"*/{kind}/*.py"))
        if path.stem != "__init__"
    }


class CommandFile(NamedTuple):
    """A command, its help, the path of its module, and the tool of a domain that it is derived from."""

    name: str
    help: str
    module: str
    tool: str | None = None


@cache
def list_domains() -> tuple[CommandFile, ...]:
    """The domains, as their files declare them in COMMAND."""
    paths = (path for pattern in _DOMAIN_FILES for path in sorted(PACKAGE_FOLDER.glob(pattern)))
    return tuple(
        CommandFile(
            name=declared[1], help=declared[3], module=_build_module_path(path), tool=declared[2]
        )
        for path in paths
        if (declared := _DOMAIN_PATTERN.search(path.read_text("utf-8")))
    )


@cache
def list_commands() -> dict[str, CommandFile]:
    """The commands of all rooms by name: the files in their `commands`, whose docstring is the help, and the domains."""
    commands = {domain.name: domain for domain in list_domains()}
    for path in sorted(PACKAGE_FOLDER.glob("*/commands/*.py")):
        text = path.read_text("utf-8")
        docstring = _DOCSTRING_PATTERN.match(text)
        if docstring and _COMMAND_PATTERN.search(text):
            name = path.stem.replace("_", "-")
            commands[name] = CommandFile(
                name=name, help=docstring[1].rstrip(), module=_build_module_path(path)
            )
    return commands


def _build_module_path(path: Path) -> str:
    return ".".join(path.relative_to(PACKAGE_FOLDER.parent).with_suffix("").parts)
