"""Cleans markdown from GitHub: no comments, no HTML tags, and relative links made absolute."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape
from urllib.parse import urljoin

MAX_MARKDOWN_CHARS = 1_000_000
_CODE_FENCE_PATTERN = re.compile(r" {0,3}(`{3,}|~{3,})")
# All of this runs in linear time: the text is untrusted, and may be megabytes of brackets.
_BACKTICKS_PATTERN = re.compile(r"`+")
_LINK_BRACKET_PATTERN = re.compile(r"!?\[|\]")
# Link definitions without a target are a known way to hide notes from readers.
_HIDDEN_NOTE_PATTERN = re.compile(
    r"^ {0,3}\[[^\]\n]*\]:\s*(?:#|<>|<#>)\s*(?:[\"'(].*)?$", re.MULTILINE
)
_LINK_TARGET_PATTERN = re.compile(r"\]\((<[^<>\n]{0,2000}>|[^()\s<]{1,2000})")
_LINK_DEFINITION_PATTERN = re.compile(r"^( {0,3}\[[^\]\n^]+\]:\s*)(\S+)", re.MULTILINE)
_IMAGE_TAG_PATTERN = re.compile(r"<img\b([^<>]*)/?>", re.IGNORECASE)
_ANCHOR_TAG_PATTERN = re.compile(r"(<a\b[^<>]*>|</a\s{0,9}>)", re.IGNORECASE)
_HEADING_TAG_PATTERN = re.compile(r"<(/?)h([1-6])\b[^<>]*>", re.IGNORECASE)
_BREAK_TAG_PATTERN = re.compile(r"<(?:br|hr)\b[^<>]*>", re.IGNORECASE)
_HTML_TAG_PATTERN = re.compile(
    r"</?(?:a|abbr|b|blockquote|big|caption|center|code|dd|del|details|div|dl|dt|em|figcaption|figure"
    r"|font|i|img|ins|kbd|li|ol|p|picture|pre|s|section|small|source|span|strong|sub|summary|sup"
    r"|table|tbody|td|th|thead|tr|tt|u|ul|video)\b[^<>]*>",
    re.IGNORECASE,
)
_ATTRIBUTE_PATTERN = re.compile(
    r"\b(src|href|alt)\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))", re.IGNORECASE
)
_ABSOLUTE_ADDRESS_PATTERN = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:|//")
_LINKABLE_SCHEMES = ("http://", "https://", "mailto:")


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkBase:
    """The base addresses of a text's relative links and pictures."""

    page_base: str
    picture_base: str

    def resolve_page(self, address: str) -> str:
        return _resolve_relative_address(self.page_base, address)

    def resolve_picture(self, address: str) -> str:
        return _resolve_relative_address(self.picture_base, address)


def clean_repository_markdown(markdown: str, home: LinkBase) -> str:
    """The markdown as a reader of the rendered page sees it; code is left unchanged.

    Text after the first `MAX_MARKDOWN_CHARS` characters is dropped.
    """
    pieces = (
        text if code else _clean_text_segment(text, home)
        for code, text in _split_code_segments(markdown[:MAX_MARKDOWN_CHARS].replace("\r\n", "\n"))
    )
    return re.sub(r"\n{3,}", "\n\n", "".join(pieces)).strip()


def _split_code_segments(markdown: str) -> Iterator[tuple[bool, str]]:
    """(is code, text) segments in order, without comments, which may span several lines."""
    run: list[str] = []
    fence, comment = "", False
    for line in markdown.split("\n"):
        if fence:
            yield True, line + "\n"
            closing = _CODE_FENCE_PATTERN.match(line)
            is_same = closing and closing[1][0] == fence[0] and len(closing[1]) >= len(fence)
            if is_same and not line.strip().strip(fence[0]):
                fence = ""
            continue
        opened = None if comment else _CODE_FENCE_PATTERN.match(line)
        if opened is not None:
            yield False, "".join(run)
            run, fence = [], opened[1]
            yield True, line + "\n"
            continue
        kept, comment = _strip_line_comments(line, inside=comment)
        run.append(kept + "\n")
    yield False, "".join(run)


def _strip_line_comments(line: str, *, inside: bool) -> tuple[str, bool]:
    """The line without comments outside code spans, and whether a comment continues after it."""
    if not inside and "<!--" not in line:
        return line, False
    pieces: list[str] = []
    place = 0
    spans = deque(_find_code_spans(line))
    while True:
        if inside:
            end = line.find("-->", place)
            if end < 0:
                return "".join(pieces), True
            place, inside = end + 3, False
        start = line.find("<!--", place)
        if start < 0:
            return "".join([*pieces, line[place:]]), False
        while spans and spans[0][1] <= start:
            spans.popleft()
        inside = not (spans and spans[0][0] < start)
        stop = start if inside else spans[0][1]
        pieces.append(line[place:stop])
        place = stop + 4 if inside else stop


def _find_code_spans(text: str) -> Iterator[tuple[int, int]]:
    """(start, end) of each code span: from backticks to the next run of the same length."""
    runs = [match.span() for match in _BACKTICKS_PATTERN.finditer(text)]
    waiting: dict[int, deque[int]] = {}
    for place, (start, end) in enumerate(runs):
        waiting.setdefault(end - start, deque()).append(place)
    at = 0
    while at < len(runs):
        start, end = runs[at]
        same = waiting[end - start]
        while same and same[0] <= at:
            same.popleft()
        at += 1
        if same and "\n\n" not in text[end : runs[same[0]][0]]:
            yield start, runs[same[0]][1]
            at = same[0] + 1


def _clean_text_segment(text: str, home: LinkBase) -> str:
    pieces: list[str] = []
    place = 0
    for start, end in _find_code_spans(text):
        pieces += [_clean_prose(text[place:start], home), text[start:end]]
        place = end
    return "".join([*pieces, _clean_prose(text[place:], home)])


def _clean_prose(text: str, home: LinkBase) -> str:
    text = _HIDDEN_NOTE_PATTERN.sub("", text)
    text = _IMAGE_TAG_PATTERN.sub(lambda match: _convert_html_image(match[1], home), text)
    pictures = _find_picture_brackets(text)
    text = _LINK_TARGET_PATTERN.sub(
        lambda match: f"]({_resolve_link_target(match, pictures, home)}", text
    )
    text = _LINK_DEFINITION_PATTERN.sub(lambda match: match[1] + home.resolve_page(match[2]), text)
    text = _HEADING_TAG_PATTERN.sub(
        lambda match: "\n" if match[1] else f"\n{'#' * int(match[2])} ", text
    )
    return _HTML_TAG_PATTERN.sub(
        "", _BREAK_TAG_PATTERN.sub("\n", _convert_html_anchors(text, home))
    )


def _resolve_link_target(match: re.Match[str], pictures: frozenset[int], home: LinkBase) -> str:
    bare = match[1].strip("<>").replace(" ", "%20")
    return home.resolve_picture(bare) if match.start() in pictures else home.resolve_page(bare)


def _find_picture_brackets(text: str) -> frozenset[int]:
    """The positions of the closing brackets of pictures, which open with `![`."""
    opened: list[bool] = []
    ends: set[int] = set()
    for match in _LINK_BRACKET_PATTERN.finditer(text):
        if match[0] != "]":
            opened.append(match[0] == "![")
        elif opened and opened.pop():
            ends.add(match.start())
    return frozenset(ends)


def _convert_html_anchors(text: str, home: LinkBase) -> str:
    """HTML links as markdown; an unclosed link keeps only its text."""
    pieces: list[str] = []
    goal, words = "", 0  # where the open link leads, and where its words begin
    for piece in _ANCHOR_TAG_PATTERN.split(text):
        low = piece[:3].lower()
        if low.startswith("<a") and _ANCHOR_TAG_PATTERN.fullmatch(piece):
            goal, words = (
                home.resolve_page(_parse_tag_attributes(piece).get("href", "")),
                len(pieces),
            )
        elif low == "</a" and goal:
            label = " ".join(_HTML_TAG_PATTERN.sub("", "".join(pieces[words:])).split())
            del pieces[words:]
            pieces.append(
                f"[{label}]({goal})" if label and goal.startswith(_LINKABLE_SCHEMES) else label
            )
            goal = ""
        elif low != "</a":
            pieces.append(piece)
    return "".join(pieces)


def _convert_html_image(attributes: str, home: LinkBase) -> str:
    known = _parse_tag_attributes(attributes)
    goal = home.resolve_picture(known.get("src", ""))
    alt = " ".join(known.get("alt", "").split())
    return f"![{alt}]({goal})" if alt and goal.startswith(_LINKABLE_SCHEMES) else ""


def _parse_tag_attributes(text: str) -> dict[str, str]:
    return {
        name.lower(): unescape(double or single or bare).strip()
        for name, double, single, bare in _ATTRIBUTE_PATTERN.findall(text)
    }


def _resolve_relative_address(base: str, address: str) -> str:
    """The absolute address; "#" if it cannot be resolved or has no linkable scheme."""
    if _ABSOLUTE_ADDRESS_PATTERN.match(address):
        whole = f"https:{address}" if address.startswith("//") else address
        return whole if whole.lower().startswith(_LINKABLE_SCHEMES) else "#"
    try:
        return urljoin(base, address.removeprefix("/"))
    except ValueError:
        return "#"
