"""The list of commands: one place holds every name and help text, and a module loads on first use."""

from __future__ import annotations

import pkgutil
from importlib import import_module

import pytest

from citewell import cli
from citewell.cli import main
from citewell.cli.running.command_help import COMMAND_HELP, HIDDEN_COMMANDS

LISTED_CHARS = 63  # what a help line on a terminal of 80 columns has room for


def test_every_command_module_has_its_help_in_the_one_list() -> None:
    modules = {
        module.name.replace("_", "-")
        for module in pkgutil.iter_modules(cli.__path__)
        if {"command", "SUBCOMMANDS"} & set(dir(import_module(f"citewell.cli.{module.name}")))
    }

    assert set(COMMAND_HELP) == modules


@pytest.mark.parametrize("name", COMMAND_HELP)
def test_the_first_sentence_of_a_help_text_is_listed_whole(name: str) -> None:
    summary, _, rest = COMMAND_HELP[name].partition("\n\n")

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
    assert listed >= set(COMMAND_HELP) - HIDDEN_COMMANDS
    assert not listed & HIDDEN_COMMANDS
    assert "..." not in shown.partition("Commands:")[2]


@pytest.mark.parametrize("name", COMMAND_HELP)
def test_a_command_shows_the_help_of_the_list(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code = main([name, "--help"])

    shown = " ".join(capsys.readouterr().out.split())
    assert code == 0
    assert " ".join(COMMAND_HELP[name].split()) in shown
    assert "Exit codes: 0 success" in shown


def test_a_misspelt_command_is_answered_with_the_nearest(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["serach"]) == 2
    assert "search" in capsys.readouterr().err
