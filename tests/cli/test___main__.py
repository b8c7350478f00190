"""The short way in takes a plain `serve` over stdio and leaves every other line to the parser."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import citewell.server.stdio.stdio_server
from citewell import __main__ as program


@pytest.fixture
def config_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "config.toml"
    monkeypatch.setenv("CITEWELL_CONFIG", str(path))
    monkeypatch.delenv("PORT", raising=False)
    return path


@pytest.mark.parametrize(
    ("argv", "overrides"),
    [
        ([], {}),
        (["--read-only"], {"read_only": True}),
        (["--toolsets", "core, connector"], {"toolsets": ("core", "connector")}),
        (["--toolsets", "+sessions"], {"toolsets": ("+sessions",)}),
        (["--tools=web_search,"], {"tools": ("web_search",)}),
        (["--profile", "all"], {"profile": "all"}),
    ],
)
def test_a_plain_serve_takes_the_short_way(
    argv: list[str], overrides: dict[str, object], config_file: Path
) -> None:
    assert program.parse_stdio_overrides(["serve", *argv]) == overrides


@pytest.mark.parametrize(
    "argv",
    [
        ["--toolsets"],
        ["--toolsets="],
        ["--toolsets", " , "],
        ["--toolsets", "--read-only"],
        ["--profile", ""],
        ["--read-only=yes"],
        ["--nonsense"],
        ["--http"],
        ["core"],
    ],
)
def test_an_odd_line_is_left_to_the_parser(argv: list[str], config_file: Path) -> None:
    assert program.parse_stdio_overrides(["serve", *argv]) is None


def test_a_port_in_the_settings_file_means_http(config_file: Path) -> None:
    config_file.write_text("PORT = 8126\n", encoding="utf-8")

    assert program.parse_stdio_overrides(["serve"]) is None


def test_a_broken_settings_file_is_left_to_the_parser(config_file: Path) -> None:
    config_file.write_text("PORT =\n", encoding="utf-8")

    assert program.parse_stdio_overrides(["serve"]) is None


@pytest.mark.parametrize(
    ("error", "code", "wanted_text"),
    [(KeyboardInterrupt(), 130, ""), (KeyError("x"), 70, "KeyError")],
)
def test_what_ends_the_server_sets_the_exit_code_without_a_traceback(
    error: BaseException,
    code: int,
    wanted_text: str,
    config_file: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def fail(_: object) -> int:
        raise error

    monkeypatch.setattr(citewell.server.stdio.stdio_server, "serve_stdio", fail)
    monkeypatch.setattr(sys, "argv", ["citewell", "serve"])

    assert program.main() == code
    shown = capsys.readouterr().err
    assert wanted_text in shown
    assert "Traceback" not in shown
