"""A text as its sentences, in any script, each with its place in the text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from citewell.text import abbreviations, stopwords

_CLOSING = "\"'”’»›)\\]*_"
_WIDE_CLOSING = "」』”’）》】〕"
# A stop that needs a blank after it, one glued to the next word, one that needs no blank, a separator
# of items, the end of a line. Each starts with a set of characters, so that `re` skips all others.
_CANDIDATE = re.compile(
    rf"(?P<stop>[.!?…;]+)[{_CLOSING}]*(?:\[\d{{1,3}}\])*(?=\s|$|(?<=[!?])[\u3040-\u30ff\u4e00-\u9fff])"
    r"|(?P<glued>[.])(?=[A-Z])"
    rf"|(?P<wide>[。！？｡．]+|…+(?=[\u3040-\u30ff\u4e00-\u9fff]))[{_WIDE_CLOSING}]*"
    r"|(?P<mark>[।॥؟۔։።။។᠃\u037e]+)[\"'”’»)]*"
    r"|(?P<item>[·•|](?=\s))"
    r"|(?P<line>\n)"
)
_NEXT = re.compile(r"\s*[\"'“‘„«‹(\[¿¡*_#>–—-]*\s?")
_AHEAD = re.compile(r"[^\W\d_][^\W_]*(?:['’][^\W\d_]+)?")
_SAID = re.compile(
    r"(?:[^\W\d_]+\.? ){1,3}(?:said|asked|replied|added|says|asks|wrote|told|cried|answered)\b"
)
_MARKER = re.compile(r"\s*(?:[-*+>#]+\s+)*[(\[]?(?:\d{1,3}|[ivxlcIVXLC]{1,5}|[a-zA-Z])\Z")
_ITEM = re.compile(r"\s+[(\[](?:[a-z]|[ivx]{1,5})[)\]]\s")
_STRUCTURE = re.compile(r"\s*(?:[-*+•·▪◦]\s|\d{1,3}[.)]\s|#{1,6}\s|>|\||```|~~~|\[\^?\w+\]:)")
_ELLIPSIS = re.compile(r"[(\[]\s?(?:\.{3,}|…)[)\]]\Z")
_SMALL = stopwords.listed("en") | stopwords.listed("de") | stopwords.listed("fr")
_LONG_LINE, _WIDEST = 45, 160  # characters of the lines of a wrapped text
_LOOK_BACK = 48  # characters; no abbreviation is longer
_PLAIN_WORD = re.compile(r"(?:\A|[\s(])[^\W\d_]{4,}\Z")
_SPEECH = frozenset("とっ")  # a quotation goes on with these in Japanese


def split(text: str) -> list[str]:
    """Sentences in order; a full stop after an initial or an abbreviation ends none."""
    return [text[start:end] for start, end in spans(text)]


def spans(text: str) -> tuple[tuple[int, int], ...]:
    """Where each sentence starts and ends: `text[start:end]` is it, without blanks around."""
    return tuple(_trimmed(text, _cuts(text)))


def _trimmed(text: str, cuts: Iterator[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    start = 0
    for end, following in cuts:
        piece = text[start:end]
        bare = piece.lstrip()
        if kept := bare.rstrip():
            begin = start + len(piece) - len(bare)
            yield begin, begin + len(kept)
        start = following


def _cuts(text: str) -> Iterator[tuple[int, int]]:
    """Where a sentence ends, and where the next may start."""
    start = 0
    for match in _CANDIDATE.finditer(text):
        kind, end = match.lastgroup, match.end()
        if kind == "item":
            if not text[match.start() - 1 : match.start()].isspace():
                continue
            cut = (match.start(), end)
        elif kind == "line":
            if _wrapped(text, match.start()):
                continue
            cut = (match.start(), end)
        elif _ends(text, match, kind or "", start):
            cut = (end, end)
        else:
            continue
        yield cut
        start = cut[1]
    yield len(text), len(text)


def _ends(text: str, match: re.Match[str], kind: str, start: int) -> bool:
    if kind == "mark":
        return True
    if kind == "glued":  # a lost blank: only where the next word is one that opens sentences
        return _glued(text, match)
    if kind == "wide":
        closed = match.end() > match.end("wide")
        return not (closed and text[match.end() : match.end() + 1] in _SPEECH)
    return _stops(text, match, start)


def _glued(text: str, match: re.Match[str]) -> bool:
    before = text[max(0, match.start() - 3) : match.start()]
    ahead = _AHEAD.match(text, match.end())
    opens = ahead is not None and ahead[0] != "I" and abbreviations.opens(ahead[0])
    return opens and len(before) == 3 and before.isalpha() and before.islower()


def _stops(text: str, match: re.Match[str], start: int) -> bool:
    """Whether a stop before a blank ends a sentence: by what stands before it, and after."""
    lead = _NEXT.match(text, match.end())
    after = lead.end() if lead else match.end()
    first = text[after : after + 1]
    if not first:
        return True
    if first == ".":  # an ellipsis with blanks
        return False
    if first.islower() and not _aside(text, match, after):
        return _ITEM.match(text, match.end()) is not None
    stop = match["stop"]
    if stop == ";":  # the question mark of Greek
        return "\u0370" <= text[match.start() - 1] <= "\u1fff"
    quoted = match.end() - match.end("stop")
    if stop == ".":
        before = text[max(start, match.start() - _LOOK_BACK) : match.start()]
        return not _continues(text, before, after, bare=not quoted)
    if quoted and _ELLIPSIS.search(text, max(start, match.start() - 2), match.end()):
        return False
    return not (quoted and _SAID.match(text, after)) and not _named(text, match, after)


def _aside(text: str, match: re.Match[str], after: int) -> bool:
    """Whether a quotation or a bracket opens, after a plain word, though in lower case."""
    plain = _PLAIN_WORD.search(text, max(0, match.start() - _LOOK_BACK), match.start())
    opened = text[after - 1 : after] in '"“„«(*_' and text[after - 2 : after - 1].isspace()
    return (
        opened and plain is not None and match["stop"] == "." and match.end() == match.end("stop")
    )


def _continues(text: str, before: str, after: int, *, bare: bool) -> bool:
    """Whether a single full stop belongs to the word before it."""
    if bare and _MARKER.match(before) and len(before) < _LOOK_BACK:
        return True
    digit = text[after].isdigit() or text[after] == "§"
    return abbreviations.goes_on(before, _ahead(text, after), digit=digit, bare=bare)


def _ahead(text: str, after: int) -> str:
    """The next word; a letter alone with the stop behind it, for it is an initial."""
    found = _AHEAD.match(text, after)
    word = found[0] if found else ""
    return f"{word}." if len(word) == 1 and text.startswith(".", after + 1) else word


def _named(text: str, match: re.Match[str], after: int) -> bool:
    """Names that are spelt with a mark: Yahoo! Finance."""
    ahead = _AHEAD.match(text, after)
    word = text[max(0, match.start() - 8) : match.start()].rpartition(" ")[2].lower()
    return word in {"yahoo", "jeopardy"} and not abbreviations.opens(ahead[0] if ahead else "")


def _wrapped(text: str, place: int) -> bool:
    """Whether the line goes on below: it is long, ends no sentence, and no list or heading starts."""
    begin = max(text.rfind("\n", 0, place) + 1, place - _WIDEST - 1)
    length = place - begin
    follow = text[place + 1 : place + 1 + _WIDEST]
    if not _LONG_LINE <= length <= _WIDEST or not follow.strip() or _STRUCTURE.match(follow):
        return False
    if follow[0].isspace() or (_STRUCTURE.match(text, begin) and not text[begin].isalnum()):
        return False
    if text[place - 1] in ".!?:;。！？|*_":
        return False
    return follow[0].islower() or (_unfinished(text[begin:place]) and _even(text, begin, length))


def _unfinished(line: str) -> bool:
    """Whether a line breaks off where no heading would: at a comma or a small word."""
    return line.endswith(",") or line.rpartition(" ")[2] in _SMALL


def _even(text: str, begin: int, length: int) -> bool:
    """Whether the line above is as long as this one, as in text broken at a fixed width."""
    above = text[max(0, begin - 1 - _WIDEST) : max(0, begin - 1)].rpartition("\n")[2]
    return begin > 0 and abs(len(above) - length) <= 12 and len(above) >= _LONG_LINE
