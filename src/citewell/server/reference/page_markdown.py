"""Markdown parts for the generated pages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

GENERATED_NOTICE = (
    "<!-- Written by `make reference` from the code; edit the code, not this file. -->"
)


def join_page_parts(title: str, *parts: str) -> str:
    """A page: notice, title and parts, separated by blank lines; empty parts are left out."""
    return "\n\n".join([GENERATED_NOTICE, f"# {title}", *(part for part in parts if part)]) + "\n"


def render_reference_table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A markdown table; empty if there are no rows."""
    lines = [_render_table_line(row) for row in rows]
    if not lines:
        return ""
    return "\n".join(
        [_render_table_line(headings), _render_table_line(["---"] * len(headings)), *lines]
    )


def format_code(text: object) -> str:
    return f"`{text}`" if text != "" else ""


def format_code_list(items: Iterable[object]) -> str:
    return ", ".join(f"`{item}`" for item in items)


def format_default(default: object) -> str:
    """A default as it is written in an environment variable; empty if there is none."""
    if default is None or default == ():
        return ""
    if isinstance(default, bool):
        return str(default).lower()
    if isinstance(default, tuple):
        return ",".join(map(str, default))
    if isinstance(default, float):
        return f"{default:g}"
    return str(default)


def _render_table_line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"
