"""Prints text, tables, JSON and progress: with colour on a terminal, as plain lines in a pipe."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from citewell.text.safety.text_cleaning import extract_visible_text

TableRow = Sequence[str]
MARKDOWN_FORMAT = "markdown"
_MAX_LINE_COLUMNS = 100  # of formatted text; longer lines are hard to read
STATE_COLOURS = {"ok": "green", "warning": "yellow", "failed": "red", "idle": "dim"}


def is_terminal() -> bool:
    return sys.stdout.isatty()


def count_columns() -> int:
    """How many characters fit into a line of the terminal."""
    from rich.console import Console

    return Console().width


def print_text(text: str = "", *, style: str = "", unwrapped: bool = False) -> None:
    """Print one paragraph; wrapped lines keep its indent, and with `unwrapped` no line is wrapped.

    Control characters are removed, because text from outside could otherwise control the terminal.
    """
    if not is_terminal():
        sys.stdout.write(f"{extract_visible_text(text)}\n")
        return
    from rich.console import Console
    from rich.padding import Padding
    from rich.text import Text

    words = extract_visible_text(text)
    indent = 0 if unwrapped else len(words) - len(words.lstrip(" "))
    shown = Padding(Text(words[indent:], style=style), (0, 0, 0, indent), expand=False)
    Console(highlight=False).print(
        Text(words, style=style) if unwrapped else shown, soft_wrap=unwrapped
    )


def print_markdown(text: str) -> None:
    """Print markdown: formatted and wrapped between words on a terminal, as it is in a pipe."""
    if not is_terminal():
        print_text(text)
        return
    from rich.console import Console
    from rich.markdown import Markdown

    console = Console(highlight=False)
    # Addresses are shown, because a person wants to see where a source is.
    shown = Markdown(extract_visible_text(text), hyperlinks=False)
    console.print(shown, width=min(console.width, _MAX_LINE_COLUMNS))


def print_document(text: str, form: str) -> None:
    """Print a document: markdown as `print_markdown` does, every other format without wrapping."""
    if form == MARKDOWN_FORMAT:
        print_markdown(text)
    else:
        print_text(text, unwrapped=True)


def print_json(data: Any) -> None:
    sys.stdout.write(json.dumps(data, ensure_ascii=False, indent=2) + "\n")


def print_table(
    headings: TableRow,
    rows: Sequence[TableRow],
    *,
    styles: Sequence[str] = (),
    max_widths: Sequence[int | None] = (),
) -> None:
    """Print a table; `styles` holds the colour of each row and may be shorter than `rows`.

    On a terminal, cells of the columns that `max_widths` bounds are wrapped.
    """
    if is_terminal():
        _print_rich_table(headings, rows, styles, max_widths)
        return
    widths = [max(len(row[column]) for row in [headings, *rows]) for column in range(len(headings))]
    for row in [headings, *rows]:
        cells = [
            extract_visible_text(cell).ljust(width) for cell, width in zip(row, widths, strict=True)
        ]
        sys.stdout.write("  ".join(cells).rstrip() + "\n")


def _print_rich_table(
    headings: TableRow,
    rows: Sequence[TableRow],
    styles: Sequence[str],
    max_widths: Sequence[int | None],
) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    shown = Table(*headings, box=box.SIMPLE_HEAD, pad_edge=False)
    for column, width in zip(shown.columns, max_widths, strict=False):
        column.max_width = width
    for place, row in enumerate(rows):
        style = styles[place] if place < len(styles) else ""
        shown.add_row(
            *(Text(extract_visible_text(cell), overflow="fold") for cell in row), style=style
        )
    Console(highlight=False).print(shown)


class ProgressSpinner:
    """Shows the progress that `App.call_tool` reports."""

    def __init__(self, status: Any = None) -> None:
        self._status = status

    async def update_progress(
        self, progress: float, total: float | None, message: str | None
    ) -> None:
        if self._status is None or not message:
            return
        from rich.text import Text

        share = f" ({progress:.0f} of {total:.0f})" if total else ""
        self._status.update(Text(extract_visible_text(message) + share))


@contextmanager
def show_spinner(text: str) -> Iterator[ProgressSpinner]:
    """Show a spinner on stderr while the block runs; nothing if stderr is not a terminal."""
    if not sys.stderr.isatty():
        yield ProgressSpinner()
        return
    from rich.console import Console
    from rich.text import Text

    with Console(stderr=True).status(Text(extract_visible_text(text))) as status:
        yield ProgressSpinner(status)


# A progress bar on stderr, shown only if stderr is a terminal.


@contextmanager
def show_progress_bar(text: str, *, total: int) -> Iterator[Callable[[], None]]:
    """Yields a function to call after each of `total` items; no bar for fewer than two."""
    if total < 2 or not sys.stderr.isatty():
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(text, total=total)
        yield lambda: progress.advance(task)
