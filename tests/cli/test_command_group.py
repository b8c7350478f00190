"""The list of commands: one place holds every name and help text, and a module loads on first use."""

from __future__ import annotations

from importlib import import_module

import pytest

from citewell.cli import HIDDEN_COMMANDS, main
from citewell.core.room_modules import list_commands, list_room_modules

LISTED_CHARS = 63  # what a help line on a terminal of 80 columns has room for


def test_every_module_of_a_command_is_a_command_with_help() -> None:
    modules = {
        name.replace("_", "-")
        for name, path in list_room_modules("commands").items()
        if {"command", "SUBCOMMANDS"} & set(dir(import_module(path)))
    }

    assert {name for name, file in list_commands().items() if not file.tool} == modules
    assert all(file.help for file in list_commands().values())


@pytest.mark.parametrize("name", list_commands())
def test_the_first_sentence_of_a_help_text_is_listed_whole(name: str) -> None:
    summary, _, rest = list_commands()[name].help.partition("\n\n")

    assert summary.endswith(".")
    assert len(summary) <= LISTED_CHARS
    assert rest == rest.strip()


def test_help_lists_every_command_but_those_for_developers(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code = main(["--help"])

    shown = capsys.readouterr().out
    listed = {line.split()[0] for line in shown.splitlines() if line.startswith("  ")}
    assert code == 0
    assert "reference" in HIDDEN_COMMANDS
    assert listed >= set(list_commands()) - HIDDEN_COMMANDS
    assert not listed & HIDDEN_COMMANDS
    assert "..." not in shown.partition("Commands:")[2]


@pytest.mark.parametrize("name", list_commands())
def test_a_command_shows_the_help_of_the_list(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code = main([name, "--help"])

    shown = " ".join(capsys.readouterr().out.split())
    assert code == 0
    assert " ".join(list_commands()[name].help.split()) in shown
    assert "Exit codes: 0 success" in shown


def test_a_misspelt_command_is_answered_with_the_nearest(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["serach"]) == 2
    assert "search" in capsys.readouterr().err
