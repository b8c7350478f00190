"""The part of markdown that reports use, as HTML; everything from outside is escaped first."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from html import escape
from itertools import groupby

_FENCE = re.compile(r"^(`{3,}|~{3,}).*$")
_HEADING = re.compile(r"(#{1,6})\s+(.*?)\s*#*$")
_ITEM = re.compile(r"^(\s*)(?:([-*+])|(\d{1,9})[.)])\s+(.*)$")
_RULE = re.compile(r"^\s*(?:-{3,}|\*{3,}|_{3,})\s*$")
_CELLS = re.compile(r"(?<!\\)\|")
_DIVIDER = re.compile(r"^\s*\|?\s*:?-{1,}:?\s*(?:\|\s*:?-{1,}:?\s*)*\|?\s*$")
_CODE = re.compile(r"`([^`]+)`")
_LINK = re.compile(
    r"!?\[((?:\\.|[^\]\\]){0,500})\]\((?:&lt;(https?://.*?)&gt;|(https?://[^\s()]+(?:\([^\s()]*\)[^\s()]*)*))\)"
)
_STRONG = re.compile(r"\*\*(?=\S)(.+?)(?<=\S)\*\*|__(?=\S)(.+?)(?<=\S)__")
_EMPHASIS = re.compile(r"(?<![\w*])\*(?=[^\s*])([^*]+?)(?<=\S)\*(?![\w*])")
_PRIVATE = "\ue000{}\ue001"  # stands for what is finished and must not be touched again

Inline = Callable[[str], str]


def rendered(text: str, *, marks: Inline | None = None) -> str:
    """`marks` turns what is left of a finished line, such as citation numbers, into HTML."""
    return "".join(_block(kind, lines, marks or str) for kind, lines in _blocks(text))


def _blocks(text: str) -> Iterator[tuple[str, list[str]]]:
    """Runs of lines that belong together, with what they are."""
    lines = text.strip().split("\n")
    place = 0
    while place < len(lines):
        line = lines[place]
        if fence := _FENCE.match(line):
            end = _closing(lines, place + 1, fence[1])
            yield "code", lines[place + 1 : end]
            place = end + 1
        elif not line.strip():
            place += 1
        else:
            kind = _kind(line)
            end = place + 1
            while kind in _LONG and end < len(lines) and _goes_on(kind, lines[end]):
                end += 1
            yield kind, lines[place:end]
            place = end


_LONG = frozenset({"list", "table", "quote", "text"})


def _closing(lines: list[str], start: int, fence: str) -> int:
    return next(
        (n for n in range(start, len(lines)) if lines[n].strip().startswith(fence)), len(lines)
    )


def _kind(line: str) -> str:
    if _RULE.match(line):
        return "rule"
    if _HEADING.match(line):
        return "heading"
    if line.lstrip().startswith("|"):
        return "table"
    if line.startswith(">"):
        return "quote"
    return "list" if _ITEM.match(line) else "text"


def _goes_on(kind: str, line: str) -> bool:
    if not line.strip() or _FENCE.match(line):
        return False
    if kind == "list":
        return _kind(line) == "list" or line.startswith("  ")
    return _kind(line) == kind


def _block(kind: str, lines: list[str], marks: Inline) -> str:
    if kind == "rule":
        return "<hr>\n"
    if kind == "code":
        return f"<pre><code>{escape(chr(10).join(lines), quote=False)}</code></pre>\n"
    if kind == "heading":
        found = _HEADING.match(lines[0])
        level, title = (len(found[1]), found[2]) if found else (1, lines[0])
        return f"<h{level}>{inline(title, marks)}</h{level}>\n"
    if kind == "quote":
        inner = "\n".join(line.lstrip("> ") for line in lines)
        return f"<blockquote>{rendered(inner, marks=marks)}</blockquote>\n"
    if kind == "table":
        return _table(lines, marks)
    if kind == "list":
        return _list([_item(line) for line in lines], marks)
    return f"<p>{'<br>'.join(inline(line, marks) for line in lines)}</p>\n"


def _item(line: str) -> tuple[int, str, str]:
    """How deep it is, what kind of list it is in, and what it says; an indented line goes on."""
    found = _ITEM.match(line)
    if found is None:
        return -1, "", line.strip()
    return len(found[1].expandtabs(4)), "ul" if found[2] else "ol", found[4]


def _list(items: list[tuple[int, str, str]], marks: Inline) -> str:
    depth, tag = items[0][0], items[0][1] or "ul"
    html, place = f"<{tag}>\n", 0
    while place < len(items):
        html += f"<li>{inline(items[place][2], marks)}"
        end = place + 1
        while end < len(items) and (items[end][0] > depth or items[end][0] == -1):
            end += 1
        html += _below(items[place + 1 : end], marks) + "</li>\n"
        place = end
    return html + f"</{tag}>\n"


def _below(items: list[tuple[int, str, str]], marks: Inline) -> str:
    html = ""
    for loose, group in groupby(items, key=lambda item: item[0] == -1):
        part = list(group)
        html += (
            "".join(f"<br>{inline(text, marks)}" for *_, text in part)
            if loose
            else _list(part, marks)
        )
    return html


def _table(lines: list[str], marks: Inline) -> str:
    rows = [_row(line) for line in lines if not _DIVIDER.match(line)]
    head = rows[:1] if len(lines) > 1 and _DIVIDER.match(lines[1]) else []
    html = "<table>\n"
    for number, row in enumerate(rows):
        tag = "th" if head and number == 0 else "td"
        cells = "".join(f"<{tag}>{inline(cell, marks)}</{tag}>" for cell in row)
        html += f"<tr>{cells}</tr>\n"
    return html + "</table>\n"


def _row(line: str) -> list[str]:
    cells = _CELLS.split(line.strip())
    inner = cells[1 if not cells[0] else 0 : -1 if not cells[-1] else None]
    return [cell.strip().replace("\\|", "|") for cell in inner]


def inline(text: str, marks: Inline = str) -> str:
    """Escaped first, so that nothing from outside can become markup."""
    done: list[str] = []

    def keep(html: str) -> str:
        done.append(html)
        return _PRIVATE.format(len(done) - 1)

    text = escape(text.replace("\ue000", "").replace("\ue001", ""), quote=False)
    text = _CODE.sub(lambda code: keep(f"<code>{code[1]}</code>"), text)
    text = _LINK.sub(lambda link: keep(_anchor(link)), text)
    text = marks(text)
    text = _STRONG.sub(lambda strong: f"<strong>{strong[1] or strong[2]}</strong>", text)
    text = _EMPHASIS.sub(r"<em>\1</em>", text)
    text = text.replace("[x] ", "☑ ").replace("[ ] ", "☐ ")
    for number in reversed(range(len(done))):  # what was kept later may hold what was kept before
        text = text.replace(_PRIVATE.format(number), done[number])
    return text


def _anchor(link: re.Match[str]) -> str:
    label = link[1].replace("\\[", "[").replace("\\]", "]")
    address = (link[2] or link[3]).replace('"', "%22")
    return f'<a href="{address}" rel="noopener noreferrer nofollow">{label}</a>'
