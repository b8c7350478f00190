from __future__ import annotations

import asyncio
import re
import sys

import pytest

from citewell.cli import screen


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


REPORT = """# How do batteries age?

- They lose **capacity** with every cycle, more so in the heat and when they are kept full. [src_1]

Text from outside: \x1b[31mnot red, and [bold]not bold[/bold].
"""


def test_a_terminal_gets_markdown_rendered_and_no_word_broken(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pretend_terminal(monkeypatch)
    monkeypatch.setenv("COLUMNS", "40")

    screen.print_markdown(REPORT)

    shown = re.sub(r"\x1b\[[\d;]*m", "", capsys.readouterr().out)
    assert "How do batteries age?" in shown
    assert "#" not in shown
    assert "**" not in shown
    assert set(re.findall(r"\w+", REPORT.replace("\x1b", ""))) == set(re.findall(r"\w+", shown))
    assert max(map(len, shown.splitlines())) <= 40
    assert "[src_1]" in shown
    assert "[bold]not bold[/bold]" in shown


def test_text_from_outside_cannot_control_the_terminal_through_markdown(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pretend_terminal(monkeypatch)

    screen.print_markdown("\x1b[31mred\x1b]0;title\x07 `\x1b[2J`")

    assert not re.search(r"\x1b\[31m|\x1b\]|\x07|\x1b\[2J", capsys.readouterr().out)


def test_an_address_in_markdown_is_shown_and_not_hidden_in_a_link(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pretend_terminal(monkeypatch)

    screen.print_markdown("See [the page](https://example.org/a).")

    assert "https://example.org/a" in re.sub(r"\x1b\][^\x1b]*\x1b.", "", capsys.readouterr().out)


def test_a_pipe_gets_markdown_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    screen.print_markdown("# Title\n\n- a **b** " + "word " * 40)

    assert capsys.readouterr().out == "# Title\n\n- a **b** " + "word " * 40 + "\n"
