"""Renders the markdown that reports use as HTML, all text escaped first; and their style sheets."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from html import escape
from importlib import resources
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

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
    tokens = _open_block_parser().parse(text)
    return "".join(_render_block_token(token, render_marks or str) for token in tokens)


@cache
def _open_block_parser() -> MarkdownIt:
    """Finds the blocks only: lines are rendered by `render_inline_html`, which escapes them."""
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark").enable("table")
    return parser.disable(["code", "html_block", "inline", "lheading", "reference"])


def _render_block_token(token: Token, marks: InlineRenderer) -> str:
    if token.type == "inline":
        return "<br>".join(render_inline_html(line, marks) for line in token.content.split("\n"))
    if token.type == "fence":
        code = escape(token.content.removesuffix("\n"), quote=False)
        return f"<pre><code>{code}</code></pre>\n"
    if token.hidden or token.tag in {"thead", "tbody"}:
        return ""
    if token.nesting == 1:
        return f"<{token.tag}>" + ("\n" if token.tag in {"ul", "ol", "table"} else "")
    end = "" if token.tag in {"th", "td"} else "\n"
    return f"<{token.tag}>{end}" if token.nesting == 0 else f"</{token.tag}>{end}"


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


def load_report_stylesheet() -> str:
    """All that a report needs: the palette and its own rules."""
    return load_palette() + _load_stylesheet("report.css")


def load_palette() -> str:
    """Colours for light and dark, and the font of the text."""
    return _load_stylesheet("palette.css")


@cache
def _load_stylesheet(name: str) -> str:
    return (resources.files(__package__) / name).read_text(encoding="utf-8")
