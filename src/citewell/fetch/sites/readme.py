"""Markdown as its author wrote it, made safe to read elsewhere: no comments, whole links, no tags."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape
from urllib.parse import urljoin

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_CODE = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)", re.DOTALL)
# Definitions that lead nowhere are a known way of leaving notes that no reader sees.
_HIDDEN_NOTE = re.compile(r"^ {0,3}\[[^\]\n]*\]:\s*(?:#|<>|<#>)\s*(?:[\"'(].*)?$", re.MULTILINE)
_LINK = re.compile(r"(!?\[[^\]\n]*\]\()(<[^<>\n]*>|[^()\s]+)")
_DEFINITION = re.compile(r"^( {0,3}\[[^\]\n^]+\]:\s*)(\S+)", re.MULTILINE)
_IMAGE = re.compile(r"<img\b([^<>]*)/?>", re.IGNORECASE)
_ANCHOR = re.compile(r"<a\b([^<>]*)>(.*?)</a\s*>", re.IGNORECASE | re.DOTALL)
_HEADING = re.compile(r"<h([1-6])\b[^<>]*>(.*?)</h\1\s*>", re.IGNORECASE | re.DOTALL)
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
    """The same markdown as a reader of the rendered page sees it; code is left as it is."""
    pieces = (
        text if code else _tidy_text(text, home)
        for code, text in _segments(markdown.replace("\r\n", "\n"))
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
    while place < len(line):
        if inside:
            end = line.find("-->", place)
            if end < 0:
                return "".join(pieces), True
            place, inside = end + 3, False
            continue
        start = _comment_start(line, place)
        if start < 0:
            pieces.append(line[place:])
            break
        pieces.append(line[place:start])
        place, inside = start + 4, True
    return "".join(pieces), inside


def _comment_start(line: str, place: int) -> int:
    spans = [match.span() for match in _CODE.finditer(line)]
    start = line.find("<!--", place)
    while start >= 0 and any(first < start < last for first, last in spans):
        start = line.find("<!--", start + 4)
    return start


def _tidy_text(text: str, home: Home) -> str:
    pieces: list[str] = []
    end = 0
    for match in _CODE.finditer(text):
        pieces += [_tidy_prose(text[end : match.start()], home), match[0]]
        end = match.end()
    return "".join([*pieces, _tidy_prose(text[end:], home)])


def _tidy_prose(text: str, home: Home) -> str:
    text = _HIDDEN_NOTE.sub("", text)
    text = _IMAGE.sub(lambda match: _image(match[1], home), text)
    text = _LINK.sub(lambda match: match[1] + _goal(match[1], match[2], home), text)
    text = _DEFINITION.sub(lambda match: match[1] + home.page(match[2]), text)
    text = _HEADING.sub(
        lambda match: f"\n{'#' * int(match[1])} {' '.join(match[2].split())}\n", text
    )
    text = _ANCHOR.sub(lambda match: _anchor(match[1], match[2], home), text)
    return _TAG.sub("", _BREAK.sub("\n", text))


def _goal(opening: str, address: str, home: Home) -> str:
    bare = address.strip("<>").replace(" ", "%20")
    return home.picture(bare) if opening.startswith("!") else home.page(bare)


def _image(attributes: str, home: Home) -> str:
    known = _attributes(attributes)
    goal = home.picture(known.get("src", ""))
    alt = " ".join(known.get("alt", "").split())
    return f"![{alt}]({goal})" if alt and goal.startswith(_WEB) else ""


def _anchor(attributes: str, inner: str, home: Home) -> str:
    goal = home.page(_attributes(attributes).get("href", ""))
    words = " ".join(_TAG.sub("", inner).split())
    return f"[{words}]({goal})" if words and goal.startswith(_WEB) else words


def _attributes(text: str) -> dict[str, str]:
    return {
        name.lower(): unescape(double or single or bare).strip()
        for name, double, single, bare in _ATTRIBUTE.findall(text)
    }


def _joined(base: str, address: str) -> str:
    if not address or _ABSOLUTE.match(address):
        return address if address.startswith((*_WEB, "#", "")) else ""
    try:
        return urljoin(base, address.removeprefix("/"))
    except ValueError:
        return ""
