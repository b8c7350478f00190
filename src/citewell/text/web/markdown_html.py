"""Renders the markdown that reports use as HTML; all text is escaped first."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from html import escape
from itertools import groupby

_FENCE_LINE_PATTERN = re.compile(r"^(`{3,}|~{3,}).*$")
_HEADING_LINE_PATTERN = re.compile(r"(#{1,6})\s++(.*)$")
_LIST_ITEM_PATTERN = re.compile(r"^(\s*)(?:([-*+])|(\d{1,9})[.)])\s+(.*)$")
_RULE_LINE_PATTERN = re.compile(r"^\s*(?:-{3,}|\*{3,}|_{3,})\s*$")
_CELL_SEPARATOR_PATTERN = re.compile(r"(?<!\\)\|")
_TABLE_DIVIDER_PATTERN = re.compile(r"^\s*+\|?\s*+:?-++:?\s*+(?:\|\s*+:?-++:?\s*+)*+\|?\s*+$")
_INLINE_CODE_PATTERN = re.compile(r"`([^`]+)`")
_ESCAPED_LINK_PATTERN = re.compile(
    r"!?\[((?:\\.|[^\]\\]){0,500}+)\]\((?:&lt;(https?://(?:(?!&[lg]t;).)*+)&gt;"
    r"|(https?://[^\s()]++(?:\([^\s()]*+\)[^\s()]*+)*+))\)"
)
# Only what our own reports escape: a page may hold formulas, whose backslashes stay.
_BACKSLASH_ESCAPE_PATTERN = re.compile(r"\\(&lt;|[#=`~\[\]-])")
_STRONG_PATTERN = re.compile(r"\*\*(?=\S)(.+?)(?<=\S)\*\*|__(?=\S)(.+?)(?<=\S)__")
_EMPHASIS_PATTERN = re.compile(r"(?<![\w*])\*(?=[^\s*])([^*]+?)(?<=\S)\*(?![\w*])")
# Stands for finished HTML that later steps must not change.
_PLACEHOLDER_TEMPLATE = "\ue000{}\ue001"
_PLACEHOLDER_PATTERN = re.compile(r"\ue000(\d{1,9})\ue001")

InlineRenderer = Callable[[str], str]


def render_markdown_html(text: str, *, render_marks: InlineRenderer | None = None) -> str:
    """The markdown as HTML; `render_marks` converts marks in a line, such as citation numbers."""
    return "".join(
        _render_html_block(kind, lines, render_marks or str)
        for kind, lines in _split_line_blocks(text)
    )


def _split_line_blocks(text: str) -> Iterator[tuple[str, list[str]]]:
    """Groups of lines that form one block, each with its kind."""
    lines = text.strip().split("\n")
    place = 0
    while place < len(lines):
        line = lines[place]
        if fence := _FENCE_LINE_PATTERN.match(line):
            end = _find_closing_fence(lines, place + 1, fence[1])
            yield "code", lines[place + 1 : end]
            place = end + 1
        elif not line.strip():
            place += 1
        else:
            kind = _classify_markdown_line(line)
            end = place + 1
            while (
                kind in _MULTILINE_KINDS
                and end < len(lines)
                and _is_block_continuation(kind, lines[end])
            ):
                end += 1
            yield kind, lines[place:end]
            place = end


_MULTILINE_KINDS = frozenset({"list", "table", "quote", "text"})


def _find_closing_fence(lines: list[str], start: int, fence: str) -> int:
    return next(
        (n for n in range(start, len(lines)) if lines[n].strip().startswith(fence)), len(lines)
    )


def _classify_markdown_line(line: str) -> str:
    if _RULE_LINE_PATTERN.match(line):
        return "rule"
    if _HEADING_LINE_PATTERN.match(line):
        return "heading"
    if line.lstrip().startswith("|"):
        return "table"
    if line.startswith(">"):
        return "quote"
    return "list" if _LIST_ITEM_PATTERN.match(line) else "text"


def _is_block_continuation(kind: str, line: str) -> bool:
    if not line.strip() or _FENCE_LINE_PATTERN.match(line):
        return False
    if kind == "list":
        return _classify_markdown_line(line) == "list" or line.startswith("  ")
    return _classify_markdown_line(line) == kind


def _drop_closing_marks(title: str) -> str:
    """The text of a heading without number signs after it."""
    return title.rstrip().rstrip("#").rstrip()


def _render_html_block(kind: str, lines: list[str], marks: InlineRenderer) -> str:
    if kind == "rule":
        return "<hr>\n"
    if kind == "code":
        return f"<pre><code>{escape(chr(10).join(lines), quote=False)}</code></pre>\n"
    if kind == "heading":
        found = _HEADING_LINE_PATTERN.match(lines[0])
        level, title = (len(found[1]), _drop_closing_marks(found[2])) if found else (1, lines[0])
        return f"<h{level}>{render_inline_html(title, marks)}</h{level}>\n"
    if kind == "quote":
        inner = "\n".join(line.lstrip("> ") for line in lines)
        return f"<blockquote>{render_markdown_html(inner, render_marks=marks)}</blockquote>\n"
    if kind == "table":
        return _render_html_table(lines, marks)
    if kind == "list":
        return _render_html_list([_parse_list_item(line) for line in lines], marks)
    return f"<p>{'<br>'.join(render_inline_html(line, marks) for line in lines)}</p>\n"


def _parse_list_item(line: str) -> tuple[int, str, str]:
    """Indent, list tag and text of an item; indent -1 for a line that continues the item."""
    found = _LIST_ITEM_PATTERN.match(line)
    if found is None:
        return -1, "", line.strip()
    return len(found[1].expandtabs(4)), "ul" if found[2] else "ol", found[4]


def _render_html_list(items: list[tuple[int, str, str]], marks: InlineRenderer) -> str:
    depth, tag = items[0][0], items[0][1] or "ul"
    html, place = f"<{tag}>\n", 0
    while place < len(items):
        html += f"<li>{render_inline_html(items[place][2], marks)}"
        end = place + 1
        while end < len(items) and (items[end][0] > depth or items[end][0] == -1):
            end += 1
        html += _render_nested_items(items[place + 1 : end], marks) + "</li>\n"
        place = end
    return html + f"</{tag}>\n"


def _render_nested_items(items: list[tuple[int, str, str]], marks: InlineRenderer) -> str:
    html = ""
    for loose, group in groupby(items, key=lambda item: item[0] == -1):
        part = list(group)
        html += (
            "".join(f"<br>{render_inline_html(text, marks)}" for *_, text in part)
            if loose
            else _render_html_list(part, marks)
        )
    return html


def _render_html_table(lines: list[str], marks: InlineRenderer) -> str:
    rows = [_split_table_cells(line) for line in lines if not _TABLE_DIVIDER_PATTERN.match(line)]
    head = rows[:1] if len(lines) > 1 and _TABLE_DIVIDER_PATTERN.match(lines[1]) else []
    html = "<table>\n"
    for number, row in enumerate(rows):
        tag = "th" if head and number == 0 else "td"
        cells = "".join(f"<{tag}>{render_inline_html(cell, marks)}</{tag}>" for cell in row)
        html += f"<tr>{cells}</tr>\n"
    return html + "</table>\n"


def _split_table_cells(line: str) -> list[str]:
    cells = _CELL_SEPARATOR_PATTERN.split(line.strip())
    inner = cells[1 if not cells[0] else 0 : -1 if not cells[-1] else None]
    return [cell.strip().replace("\\|", "|") for cell in inner]


def render_inline_html(text: str, render_marks: InlineRenderer = str) -> str:
    """One line of markdown as HTML; the text is escaped first so that none of it becomes markup."""
    done: list[str] = []

    def restore(html: str) -> str:
        return _PLACEHOLDER_PATTERN.sub(lambda place: done[int(place[1])], html)

    def keep(html: str) -> str:
        done.append(restore(html))  # a link may contain code
        return _PLACEHOLDER_TEMPLATE.format(len(done) - 1)

    text = escape(text.replace("\ue000", "").replace("\ue001", ""), quote=False)
    text = _INLINE_CODE_PATTERN.sub(lambda code: keep(f"<code>{code[1]}</code>"), text)
    text = _ESCAPED_LINK_PATTERN.sub(lambda link: keep(_render_link_anchor(link)), text)
    text = _BACKSLASH_ESCAPE_PATTERN.sub(lambda mark: keep(mark[1]), text)
    text = render_marks(text)
    text = _STRONG_PATTERN.sub(lambda strong: f"<strong>{strong[1] or strong[2]}</strong>", text)
    text = _EMPHASIS_PATTERN.sub(r"<em>\1</em>", text)
    return restore(text.replace("[x] ", "☑ ").replace("[ ] ", "☐ "))


def _render_link_anchor(link: re.Match[str]) -> str:
    label = _BACKSLASH_ESCAPE_PATTERN.sub(r"\1", link[1])
    address = (link[2] or link[3]).replace('"', "%22")
    return f'<a href="{address}" rel="noopener noreferrer nofollow">{label}</a>'
