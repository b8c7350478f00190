"""The front reads the choice of tools as the settings do, or leaves it to them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from citewell.core import config
from citewell.core.errors import Misconfigured
from citewell.server.settings import ServerSettings
from citewell.server.stdio import stdio_server

NOWHERE = {"CITEWELL_CONFIG": str(Path(__file__).with_name("no-such-config.toml"))}
LISTS = [
    "",
    "core",
    " core , connector,",
    '["core"]',
    '[" core"]',
    "[1]",
    "[null]",
    '["core"',
    "[]",
    "+core",
    '["+core"]',
]
SWITCHES = ["1", "true", "t", "yes", "y", "on", "ON", "T", "0", "false", "f", "no", "n", "off"]
NEITHER = ["maybe", " true ", "2"]


def in_settings(name: str, value: str, field: str) -> Any:
    try:
        return getattr(config.load_settings({name: value, **NOWHERE})[ServerSettings], field)
    except Misconfigured:
        return ValueError


def at_the_front(name: str, value: str, field: str) -> Any:
    raw = {name: value} if value else {}
    try:
        return stdio_server._parse_tool_choice(raw, {})[field]
    except ValueError:
        return ValueError


@pytest.mark.parametrize("value", LISTS)
def test_a_list_of_names_is_read_as_the_settings_read_it(value: str) -> None:
    read = at_the_front("CITEWELL_TOOLS", value, "tools")

    assert read == in_settings("CITEWELL_TOOLS", value, "tools")


@pytest.mark.parametrize("value", SWITCHES + NEITHER)
def test_a_switch_is_read_as_the_settings_read_it(value: str) -> None:
    read = at_the_front("CITEWELL_READ_ONLY", value, "read_only")

    assert read == in_settings("CITEWELL_READ_ONLY", value, "read_only")


def test_a_flag_wins_over_the_environment() -> None:
    assert stdio_server._parse_tool_choice({"CITEWELL_TOOLS": "search"}, {"tools": ("fetch",)})[
        "tools"
    ] == ("fetch",)


def test_a_broken_settings_file_ends_the_server_with_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "config.toml"
    path.write_bytes(b"PORT =")

    assert stdio_server.serve_stdio({}, environ={"CITEWELL_CONFIG": str(path)}) == 2
    assert f"{path} cannot be used" in capsys.readouterr().err


@pytest.mark.parametrize("front", ["0", "1"])
@pytest.mark.parametrize(
    "flags", [{"profile": "nope"}, {"toolsets": ("+nope",)}, {"tools": ("nope",)}]
)
def test_an_unknown_name_on_the_command_line_ends_the_server_with_one_line(
    flags: dict[str, Any], front: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code = stdio_server.serve_stdio(flags, environ={"CITEWELL_FRONT": front, **NOWHERE})

    printed = capsys.readouterr().err
    assert code == 2
    assert printed.startswith("citewell: ")
    assert "nope" in printed
    assert printed.count("\n") == 1
