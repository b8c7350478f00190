from __future__ import annotations

import asyncio
import sys

import pytest

from citewell.cli.terminal import screen


def pretend_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Called from the test itself: pytest changes the streams between a fixture and its test."""
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    for stream in (sys.stdout, sys.stderr):
        monkeypatch.setattr(stream, "isatty", lambda: True)


def test_a_pipe_gets_plain_aligned_columns(capsys: pytest.CaptureFixture[str]) -> None:
    screen.print_table(("A", "LONGER"), [("value", "x"), ("v", "yy")])

    assert capsys.readouterr().out == "A      LONGER\nvalue  x\nv      yy\n"


def test_a_terminal_gets_colour(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pretend_terminal(monkeypatch)

    screen.print_text("hello", style="bold")

    out = capsys.readouterr().out
    assert "hello" in out
    assert "\x1b[1m" in out


def test_outside_text_is_not_read_as_markup(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pretend_terminal(monkeypatch)

    screen.print_table(("TITLE",), [("[red]not red[/red] \x1b[31m",)])

    assert "[red]not red[/red]" in capsys.readouterr().out


def test_progress_is_shown_on_stderr_only(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pretend_terminal(monkeypatch)

    with screen.show_spinner("Searching") as progress:
        asyncio.run(progress.update_progress(1, 4, "asking"))

    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err


def test_a_pipe_sees_no_spinner(capsys: pytest.CaptureFixture[str]) -> None:
    with screen.show_spinner("Searching") as progress:
        asyncio.run(progress.update_progress(1, 4, "asking"))

    assert capsys.readouterr().err == ""


def test_a_long_paragraph_keeps_its_indent_and_an_address_its_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pretend_terminal(monkeypatch)
    monkeypatch.setenv("COLUMNS", "40")
    address = "https://example.org/" + "x" * 60

    screen.print_text("   " + "word " * 20)
    screen.print_text(f"   {address}", unwrapped=True)

    *paragraph, last = capsys.readouterr().out.rstrip("\n").splitlines()
    assert len(paragraph) > 1
    assert all(line.startswith("   word") for line in paragraph)
    assert address in last
