"""A command that is derived from its tool."""

from __future__ import annotations

import pytest

from citewell.cli import load_command
from citewell.core.room_modules import list_commands


@pytest.mark.parametrize("name", [name for name, file in list_commands().items() if file.tool])
def test_a_derived_command_explains_every_option(name: str) -> None:
    options = [option for option in load_command(name).params if option.name != "help"]

    assert len(options) > 5
    assert [option.name for option in options if not option.help] == []
