"""Small pieces of markdown for the derived pages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

NOTICE = "<!-- Written by `make reference` from the code; edit the code, not this file. -->"


def document(title: str, *parts: str) -> str:
    """A page: notice, title and its paragraphs, a blank line between them."""
    return "\n\n".join([NOTICE, f"# {title}", *(part for part in parts if part)]) + "\n"


def table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; empty when there is no row."""
    lines = [_line(row) for row in rows]
    if not lines:
        return ""
    return "\n".join([_line(headings), _line(["---"] * len(headings)), *lines])


def code(text: object) -> str:
    return f"`{text}`" if text != "" else ""


def codes(items: Iterable[object]) -> str:
    return ", ".join(f"`{item}`" for item in items)


def shown(default: object) -> str:
    """A default as a person would write it in the environment; empty when there is none."""
    if default is None or default == ():
        return ""
    if isinstance(default, bool):
        return str(default).lower()
    if isinstance(default, tuple):
        return ",".join(map(str, default))
    if isinstance(default, float):
        return f"{default:g}"
    return str(default)


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"
