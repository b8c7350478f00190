"""Markdown as its author wrote it, made safe to read elsewhere: no comments, whole links, no tags."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape
from urllib.parse import urljoin

LONGEST = 1_000_000
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
# Everything here is linear: the text is anybody's, and may be eight megabytes of brackets.
_TICKS = re.compile(r"`+")
_BRACKET = re.compile(r"!?\[|\]")
# Definitions that lead nowhere are a known way of leaving notes that no reader sees.
_HIDDEN_NOTE = re.compile(r"^ {0,3}\[[^\]\n]*\]:\s*(?:#|<>|<#>)\s*(?:[\"'(].*)?$", re.MULTILINE)
_GOAL = re.compile(r"\]\((<[^<>\n]{0,2000}>|[^()\s<]{1,2000})")
_DEFINITION = re.compile(r"^( {0,3}\[[^\]\n^]+\]:\s*)(\S+)", re.MULTILINE)
_IMAGE = re.compile(r"<img\b([^<>]*)/?>", re.IGNORECASE)
_ANCHOR = re.compile(r"(<a\b[^<>]*>|</a\s{0,9}>)", re.IGNORECASE)
_HEADING = re.compile(r"<(/?)h([1-6])\b[^<>]*>", re.IGNORECASE)
_BREAK = re.compile(r"<(?:br|hr)\b[^<>]*>", re.IGNORECASE)
_TAG = re.compile(
    r"</?(?:a|abbr|b|blockquote|big|caption|center|code|dd|del|details|div|dl|dt|em|figcaption|figure"
    r"|font|i|img|ins|kbd|li|ol|p|picture|pre|s|section|small|source|span|strong|sub|summary|sup"
    r"|table|tbody|td|th|thead|tr|tt|u|ul|video)\b[^<>]*>",
    re.IGNORECASE,
)
_ATTRIBUTE = re.compile(
    r"\b(src|href|alt)\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))", re.IGNORECASE
)
_ABSOLUTE = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:|//")
_WEB = ("http://", "https://", "mailto:")


@dataclass(frozen=True, slots=True, kw_only=True)
class Home:
    """Where relative addresses of a text lead: its pages and its pictures."""

    pages: str
    pictures: str

    def page(self, address: str) -> str:
        return _joined(self.pages, address)

    def picture(self, address: str) -> str:
        return _joined(self.pictures, address)


def tidy(markdown: str, home: Home) -> str:
    """The same markdown as a reader of the rendered page sees it; code is left as it is.

    Only the first `LONGEST` characters are looked at.
    """
    pieces = (
        text if code else _tidy_text(text, home)
        for code, text in _segments(markdown[:LONGEST].replace("\r\n", "\n"))
    )
    return re.sub(r"\n{3,}", "\n\n", "".join(pieces)).strip()


def _segments(markdown: str) -> Iterator[tuple[bool, str]]:
    """Runs of code and of text in turn, without comments, which may span both."""
    run: list[str] = []
    fence, comment = "", False
    for line in markdown.split("\n"):
        if fence:
            yield True, line + "\n"
            fence = "" if _closes(line, fence) else fence
            continue
        opened = None if comment else _FENCE.match(line)
        if opened is not None:
            yield False, "".join(run)
            run, fence = [], opened[1]
            yield True, line + "\n"
            continue
        kept, comment = _uncommented(line, inside=comment)
        run.append(kept + "\n")
    yield False, "".join(run)


def _closes(line: str, fence: str) -> bool:
    found = _FENCE.match(line)
    same = found is not None and found[1][0] == fence[0] and len(found[1]) >= len(fence)
    return same and not line.strip().strip(fence[0])


def _uncommented(line: str, *, inside: bool) -> tuple[str, bool]:
    """The line less its comments, and whether one goes on; code spans keep theirs."""
    if not inside and "<!--" not in line:
        return line, False
    pieces: list[str] = []
    place = 0
    spans = deque(_code_spans(line))
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


def _code_spans(text: str) -> Iterator[tuple[int, int]]:
    """From a run of backticks to the next of the same length, within one paragraph."""
    runs = [match.span() for match in _TICKS.finditer(text)]
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


def _tidy_text(text: str, home: Home) -> str:
    pieces: list[str] = []
    place = 0
    for start, end in _code_spans(text):
        pieces += [_tidy_prose(text[place:start], home), text[start:end]]
        place = end
    return "".join([*pieces, _tidy_prose(text[place:], home)])


def _tidy_prose(text: str, home: Home) -> str:
    text = _HIDDEN_NOTE.sub("", text)
    text = _IMAGE.sub(lambda match: _image(match[1], home), text)
    pictures = _picture_ends(text)
    text = _GOAL.sub(lambda match: f"]({_goal(match, pictures, home)}", text)
    text = _DEFINITION.sub(lambda match: match[1] + home.page(match[2]), text)
    text = _HEADING.sub(lambda match: "\n" if match[1] else f"\n{'#' * int(match[2])} ", text)
    return _TAG.sub("", _BREAK.sub("\n", _anchors(text, home)))


def _goal(match: re.Match[str], pictures: frozenset[int], home: Home) -> str:
    bare = match[1].strip("<>").replace(" ", "%20")
    return home.picture(bare) if match.start() in pictures else home.page(bare)


def _picture_ends(text: str) -> frozenset[int]:
    """The closing brackets of those opened behind an exclamation mark."""
    opened: list[bool] = []
    ends: set[int] = set()
    for match in _BRACKET.finditer(text):
        if match[0] != "]":
            opened.append(match[0] == "![")
        elif opened and opened.pop():
            ends.add(match.start())
    return frozenset(ends)


def _anchors(text: str, home: Home) -> str:
    """Links written as HTML; one that never ends is only its words."""
    pieces: list[str] = []
    goal, words = "", 0  # where the open link leads, and where its words begin
    for piece in _ANCHOR.split(text):
        low = piece[:3].lower()
        if low.startswith("<a") and _ANCHOR.fullmatch(piece):
            goal, words = home.page(_attributes(piece).get("href", "")), len(pieces)
        elif low == "</a" and goal:
            label = " ".join(_TAG.sub("", "".join(pieces[words:])).split())
            del pieces[words:]
            pieces.append(f"[{label}]({goal})" if label and goal.startswith(_WEB) else label)
            goal = ""
        elif low != "</a":
            pieces.append(piece)
    return "".join(pieces)


def _image(attributes: str, home: Home) -> str:
    known = _attributes(attributes)
    goal = home.picture(known.get("src", ""))
    alt = " ".join(known.get("alt", "").split())
    return f"![{alt}]({goal})" if alt and goal.startswith(_WEB) else ""


def _attributes(text: str) -> dict[str, str]:
    return {
        name.lower(): unescape(double or single or bare).strip()
        for name, double, single, bare in _ATTRIBUTE.findall(text)
    }


def _joined(base: str, address: str) -> str:
    """Absolute; a lone mark for what leads nowhere a reader could go."""
    if _ABSOLUTE.match(address):
        whole = f"https:{address}" if address.startswith("//") else address
        return whole if whole.lower().startswith(_WEB) else "#"
    try:
        return urljoin(base, address.removeprefix("/"))
    except ValueError:
        return "#"
