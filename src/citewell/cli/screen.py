"""What a command shows: colour and tables on a terminal, plain lines in a pipe, JSON on request."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from citewell.text.markup import visible

Row = Sequence[str]
STYLES = {"ok": "green", "warning": "yellow", "failed": "red", "idle": "dim"}


def is_terminal() -> bool:
    return sys.stdout.isatty()


def say(text: str = "", *, style: str = "", whole: bool = False) -> None:
    """One paragraph, wrapped under its own indent unless it must stay `whole`, as an address must.

    Control characters are dropped: outside text must not drive the terminal.
    """
    if not is_terminal():
        sys.stdout.write(f"{visible(text)}\n")
        return
    from rich.console import Console
    from rich.padding import Padding
    from rich.text import Text

    words = visible(text)
    indent = 0 if whole else len(words) - len(words.lstrip(" "))
    shown = Padding(Text(words[indent:], style=style), (0, 0, 0, indent), expand=False)
    Console(highlight=False).print(Text(words, style=style) if whole else shown, soft_wrap=whole)


def say_json(data: Any) -> None:
    sys.stdout.write(json.dumps(data, ensure_ascii=False, indent=2) + "\n")


def table(headings: Row, rows: Sequence[Row], *, styles: Sequence[str] = ()) -> None:
    """A table; `styles` colours whole rows and may be left out."""
    if is_terminal():
        _rich_table(headings, rows, styles)
        return
    widths = [max(len(row[column]) for row in [headings, *rows]) for column in range(len(headings))]
    for row in [headings, *rows]:
        cells = [visible(cell).ljust(width) for cell, width in zip(row, widths, strict=True)]
        sys.stdout.write("  ".join(cells).rstrip() + "\n")


def _rich_table(headings: Row, rows: Sequence[Row], styles: Sequence[str]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    shown = Table(*headings, box=box.SIMPLE_HEAD, pad_edge=False)
    for place, row in enumerate(rows):
        style = styles[place] if place < len(styles) else ""
        shown.add_row(*(Text(visible(cell), overflow="fold") for cell in row), style=style)
    Console(highlight=False).print(shown)


class Spinner:
    """Shows progress as `App.call` reports it."""

    def __init__(self, status: Any = None) -> None:
        self._status = status

    async def report(self, progress: float, total: float | None, message: str | None) -> None:
        if self._status is None or not message:
            return
        from rich.text import Text

        share = f" ({progress:.0f} of {total:.0f})" if total else ""
        self._status.update(Text(visible(message) + share))


@contextmanager
def spinner(text: str) -> Iterator[Spinner]:
    """A sign of life on stderr while something runs; silent where stderr is no terminal."""
    if not sys.stderr.isatty():
        yield Spinner()
        return
    from rich.console import Console
    from rich.text import Text

    with Console(stderr=True).status(Text(visible(text))) as status:
        yield Spinner(status)
