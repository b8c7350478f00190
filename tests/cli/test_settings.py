"""Every command says what is wrong with the settings, and ends with 2."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command_runs import Run

COMMANDS = [("search", "x"), ("doctor", "--offline"), ("serve",), ("serve", "--http")]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_a_broken_settings_file_is_named_with_its_line(
    command: tuple[str, ...], run: Run, tmp_path: Path
) -> None:
    path = tmp_path / "config.toml"
    path.write_bytes(b"PORT = 0\nLOG_LEVEL =\n")

    ran = run(*command, CITEWELL_CONFIG=str(path))

    assert ran.code == 2
    assert f"{path} cannot be used" in ran.err
    assert "line 2" in ran.err


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_a_wrong_setting_is_named_without_its_value(command: tuple[str, ...], run: Run) -> None:
    ran = run(*command, ADMIN_API_KEY="too-short")

    assert ran.code == 2
    assert "ADMIN_API_KEY" in ran.err
    assert "too-short" not in ran.err + ran.out
