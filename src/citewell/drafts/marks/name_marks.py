"""Citations by names and year: "Smith et al. (2019)", "(Smith & Jones, 2020; Doe 2021a, 2021b)"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from citewell.core.lazy_patterns import compile_on_use
from citewell.drafts.draft import (
    ANY_YEAR,
    CitationForm,
    CitationMark,
    CitationTarget,
    TargetKind,
    build_mark,
)
from citewell.text.calendar_dates import WHOLE_MONTH_NAMES
from citewell.text.data_tables import load_words
from citewell.text.language.scripts import HAN_KANA_RANGES
from citewell.text.language.sentences import is_sentence_opener

_YEAR_REGEX = r"(?:1[5-9]|20)\d\d[a-z]?(?!\w|-\d)|n\.\s?d\.|o\.\s?J\.|s\.\s?[fd]\.|(?:in press|forthcoming|im Druck|sous presse|en prensa)\b"
_YEARS_REGEX = (
    rf"(?:{_YEAR_REGEX})(?:\s{{0,2}}[,，、/]\s{{0,2}}(?:{_YEAR_REGEX}|[a-z](?![\w.]))){{0,8}}"
)
_YEAR_PATTERN = compile_on_use(rf"{_YEAR_REGEX}|(?<=[,，、/\s])[a-z](?![\w.])")
_BRACKET_PATTERN = compile_on_use(r"[(（\[［]([^()（）\[\]［］]{3,600})[)）\]］]")
_HAS_YEAR_PATTERN = compile_on_use(
    r"(?:1[5-9]|20)\d\d|n\.\s?d\.|o\.\s?J\.|s\.\s?[fd]\.|press|forthcoming|Druck|presse|prensa"
)
_PIECE_SPLIT_PATTERN = compile_on_use(r"[;；]")
_LED_PATTERN = compile_on_use(
    r"\s{0,3}(?:(?:see(?: also)?|e\.\s?g\.,?|i\.\s?e\.,?|cf\.|compare|but see|after|following|from|as in|reviewed (?:in|by)|adapted from|according to|(?:qtd\.|quoted|cited) in|zit(?:iert|\.)? nach|cité (?:par|dans)|citado (?:en|por)|by|and|in|(?:vgl|siehe)\.?(?: auch| etwa| dazu)?|s\.|z\.\s?B\.|nach|so|etwa|voir(?: aussi)?|d['’]après|selon|p\.\s?ex\.|véase(?: también)?|según|ver|p\.\s?ej\.|参见|见|参照)\s{1,2}){0,3}",
    re.IGNORECASE,
)
_PIECE_PATTERN = compile_on_use(
    rf"(?P<names>[^\d;；:]{{1,200}}?)\s{{0,3}}[,，:]?\s{{0,3}}(?P<years>{_YEARS_REGEX})(?P<rest>(?:[\s,，:.–-][^\n]{{0,200}})?)"
)
_LEADING_YEARS_PATTERN = compile_on_use(
    rf"\s{{0,2}}(?P<years>{_YEARS_REGEX})(?P<rest>(?:[\s,，:.;–-][^\n]{{0,200}})?)"
)
_OTHERS_PATTERN = compile_on_use(
    r"[,，]?\s{0,3}(?:\bet\.?\s{1,3}al\b\.?|\band (?:others|colleagues|co-?workers)|\bu\.\s?a\.|\bund (?:andere|Kolleg(?:en|innen))|\bet coll\.|\bet (?:autres|collègues)|\by (?:cols?\.|otros|colaboradores)|\be outros|\be colaboradores|\be altri|\bm\.\s?fl\.|\bи др\.|等(?:人)?|ら|ほか|他)\s{0,3}\Z",
    re.IGNORECASE,
)
_NAME_SPLIT_PATTERN = compile_on_use(
    r"\s{0,3}[,，、・;]\s{0,3}(?:(?:and|&|und|et|y|e|och|og|i|и)\s)?|\s{1,3}(?:and|&|und|et|y|e|och|og|i|и|mit|with)\s{1,3}|\s?&\s?|和|与|及"
)
_TOKEN_PATTERN = compile_on_use(r"[^\W\d_][\w'’‐‑-]*\.?|[&,]")
_HAN_NAME_PATTERN = compile_on_use(
    rf"(?:[{HAN_KANA_RANGES}]{{1,8}}[・、與与和]){{0,4}}[{HAN_KANA_RANGES}]{{1,8}}\Z"
)
_HAN_SPLIT_PATTERN = compile_on_use(r"[・、與与和]")
_HOST_NAME_PATTERN = compile_on_use(
    r"(?:[\w-]{1,60}\.){1,4}[a-z]{2,12}"
)  # a site as its own author
_INITIALS_PATTERN = compile_on_use(
    r"(?<![\w.])(?:[^\W\d_]\.[\s-]?){1,4}\s{0,2}|\s(?:[^\W\d_]\.[\s-]?){1,4}\Z"
)
_BARE_PATTERN = compile_on_use(
    r"(?<![\w(])(?P<years>(?:1[5-9]|20)\d\d[a-z]?)(?![\w)-])(?P<rest>,\s?(?:pp?\.|S\.|p\.)\s?\d{1,5}(?:[-–]\d{1,5})?)?"
)
_FINAL_YEAR_PATTERN = compile_on_use(
    r"[\s,，(（]{1,3}(?P<year>(?:1[5-9]|20)\d\d)[a-z]?[)）]?[\s,，;:.]{0,3}(?:doi|available at|at)?[\s:]{0,2}[<(]?$",
    re.IGNORECASE,
)
_JOINED_PARTICLE_PATTERN = compile_on_use(r"(?:van|von|der|den|de|di|du|la|le|d['’]|al-|el-)[A-Z]")
_PAGE_PIECE_SPLIT_PATTERN = compile_on_use(r"[;；]|(?<=\d)\s(?:and|&|und|et|y)\s")
_PAGE_PIECE_PATTERN = compile_on_use(
    r"(?P<names>[^\d;；:]{2,120}?)[\s,]{1,3}(?:(?:pp?|S|págs?)\.\s?)?(?P<pages>\d{1,4}(?:\s?[,–-]\s?\d{1,4}){0,6})"
)
_TITLE_PIECE_PATTERN = compile_on_use(
    r"[\"“„«‘]\s?(?P<title>[^\"“”„«»]{3,120}?)[,.]?\s?[\"”“»’](?:[\s,]{1,3}(?:(?:pp?|S|págs?)\.\s?)?\d{1,4}(?:\s?[,–-]\s?\d{1,4}){0,6})?"
)
_MAX_WINDOW_CHARS = 120
_MAX_NAMES = 8
_JOINING_TOKENS = frozenset({"&", ",", "and", "und", "et", "y", "e"})
_MAX_NAME_WORDS = 12


def find_name_marks(spoken: str) -> Iterator[CitationMark]:
    """Marks in brackets and in sentences; whether a doubtful one is a citation, the list decides."""
    for match in _BRACKET_PATTERN.finditer(spoken):
        if not _HAS_YEAR_PATTERN.search(match[1]):
            continue
        led = _LEADING_YEARS_PATTERN.match(match[1])
        if led is not None:
            yield from _read_textual_mark(spoken, match, led)
        else:
            yield from _read_bracket_mark(match)


def take_names_and_year(words: str) -> CitationTarget | None:
    """The authors and the year that a text ends with, as "Smith et al., 2019," does; None if unsure."""
    dated = _FINAL_YEAR_PATTERN.search(words[-_MAX_WINDOW_CHARS:])
    if dated is None:
        return None
    before = dated.string[: dated.start()].rstrip()
    bracket = max(before.rfind(mark) for mark in "([;（［")
    piece = before[bracket + 1 :]
    lead = _LED_PATTERN.match(piece)
    whole = split_names(piece[lead.end() if lead else 0 :]) if bracket >= 0 else []
    taken = None if whole else _take_names(before)
    names = whole or (taken[1] if taken is not None and taken[2] else [])
    target = _build_target(names, dated["year"], is_optional=True)
    has_others = bool(_OTHERS_PATTERN.search(before))
    # One name alone may be that of a journal or of an organisation.
    is_person = bool(names) and not names[0].isupper() and " " not in names[0]
    return (
        replace(target, has_others=has_others)
        if len(names) > 1 or has_others or is_person
        else None
    )


def find_bare_name_marks(spoken: str) -> Iterator[CitationMark]:
    """Names with a year and no brackets, as in "Smith and Jones 2020, p. 12"; always doubtful."""
    for match in _BARE_PATTERN.finditer(spoken):
        window_start = max(0, match.start() - _MAX_WINDOW_CHARS)
        taken = _take_names(spoken[window_start : match.start()].rstrip(" ,"))
        if taken is None or len(spoken[window_start : match.start()].rstrip()) == 0:
            continue
        begin, names, _ = taken
        target = _build_target(names, match["years"], is_optional=True)
        start = window_start + begin
        yield build_mark(
            (start, match.end()),
            CitationForm.AUTHOR_YEAR,
            [target],
            hidden=match.span(),
            is_textual=True,
        )


def find_page_marks(spoken: str) -> Iterator[CitationMark]:
    """Names with a page and no year, as in "(Booth 158; Said, Orientalism 12)"; always doubtful."""
    for match in _BRACKET_PATTERN.finditer(spoken):
        pieces = _PAGE_PIECE_SPLIT_PATTERN.split(match[1])
        targets = [target for piece in pieces if (target := _read_page_piece(piece)) is not None]
        if targets:
            yield build_mark(match.span(), CitationForm.AUTHOR_YEAR, dict.fromkeys(targets))


def _read_page_piece(piece: str) -> CitationTarget | None:
    """The author of a piece, then words of the title that tell several works of one author apart."""
    lead = _LED_PATTERN.match(piece)
    shown = (piece[lead.end() :] if lead else piece).strip()
    if titled := _TITLE_PIECE_PATTERN.fullmatch(shown):
        return _build_page_target([titled["title"]], shown)
    found = _PAGE_PIECE_PATTERN.fullmatch(shown)
    if found is None or _HAS_YEAR_PATTERN.match(found["pages"]):
        return None
    author, _, title = found["names"].partition(",")
    names = split_names(found["names"]) or [*split_names(author), *_TOKEN_PATTERN.findall(title)]
    return _build_page_target(names, shown) if names else None


def _build_page_target(names: list[str], shown: str) -> CitationTarget:
    return replace(_build_target(names, ANY_YEAR, is_optional=True), value=shown)


def _read_bracket_mark(match: re.Match[str]) -> Iterator[CitationMark]:
    """A bracket that holds names and years; one that holds other words too is none."""
    targets: list[CitationTarget] = []
    for piece in _PIECE_SPLIT_PATTERN.split(match[1]):
        targets += read_named_piece(piece, targets[-1:])
    if targets:
        yield build_mark(match.span(), CitationForm.AUTHOR_YEAR, dict.fromkeys(targets))


def read_named_piece(piece: str, before: Sequence[CitationTarget] = ()) -> list[CitationTarget]:
    """What a part of a bracket cites by names and years; empty if it holds other words.

    A year alone belongs to the names of the target `before`.
    """
    lead = _LED_PATTERN.match(piece)
    found = _PIECE_PATTERN.fullmatch((piece[lead.end() :] if lead else piece).strip())
    if found is None:
        return []
    names, is_optional = split_names(found["names"]), True
    if names:
        # Only a citation has several names, "et al.", or a name and a year alone.
        written = found["names"]
        is_optional = not (
            _OTHERS_PATTERN.search(written) or "&" in written or len(written.split()) <= 3
        )
    elif _may_be_organisation(found):
        names = [found["names"].strip(" ,，*_")]
    elif before and not found["names"].strip():
        names = list(before[-1].names)
    return list(_list_year_targets(names, found["years"], is_optional=is_optional)) if names else []


def _may_be_organisation(found: re.Match[str]) -> bool:
    """Whether words before a comma and a year may name an organisation, as "Conseil d'État" does.

    In many languages only the first word of such a name has a capital.
    """
    words = found["names"].split()
    before = found.string[: found.start("years")].rstrip()
    return (
        before.endswith((",", "，"))
        and 2 <= len(words) <= _MAX_NAME_WORDS
        and words[0][:1].isupper()
        and (words[0].lower() == "the" or not _is_no_name(words[0].lower()))
    )


def _read_textual_mark(
    spoken: str, match: re.Match[str], led: re.Match[str]
) -> Iterator[CitationMark]:
    window_start = max(0, match.start() - _MAX_WINDOW_CHARS)
    taken = _take_names(spoken[window_start : match.start()].rstrip())
    if taken is None:
        return
    begin, names, is_sure = taken
    start = window_start + begin
    yield build_mark(
        (start, match.end()),
        CitationForm.AUTHOR_YEAR,
        _list_year_targets(names, led["years"], is_optional=not is_sure),
        hidden=match.span(),
        is_textual=True,
    )


def _take_names(window: str) -> tuple[int, list[str], bool] | None:
    """The names at the end of a text, where they begin, and whether they can only be authors."""
    others = _OTHERS_PATTERN.search(window)
    head = window[: others.start()] if others else window
    head = head.removesuffix("’s").removesuffix("'s").rstrip(" ,")
    han = _HAN_NAME_PATTERN.search(head)
    if han is not None:
        return han.start(), _HAN_SPLIT_PATTERN.split(han[0]), False
    tokens = list(_TOKEN_PATTERN.finditer(head))
    if not tokens or tokens[-1].end() != len(head):
        return None
    at = len(tokens)
    follows = len(head)
    while at > 0 and (
        (token := tokens[at - 1][0])[:1].isupper()
        or token in _JOINING_TOKENS
        or token.lower() in load_words(__package__, "name_words", "particles")
    ):
        if head[tokens[at - 1].end() : follows].strip():
            break
        at -= 1
        follows = tokens[at].start()
    while at < len(tokens) and not _begins_names(tokens[at][0]):
        at += 1
    if at == len(tokens) and others and tokens[-1][0][:1].isupper():
        at -= 1  # "He et al." is a name although "He" may open a sentence
    if at == len(tokens):
        return None
    begin = tokens[at].start()
    names = split_names(head[begin:])
    joined = len(names) > 1 and (" and " in head[begin:] or "&" in head[begin:])
    return (begin, names, bool(others) or joined) if names else None


def _is_no_name(word: str) -> bool:
    return word in WHOLE_MONTH_NAMES or word in load_words(__package__, "name_words", "no_names")


def _begins_names(token: str) -> bool:
    """Whether names may begin with this word, and no sentence does."""
    if token[:1].isupper():
        word = token.lower().rstrip(".")
        is_opener = word.isalpha() and is_sentence_opener(token)
        return not is_opener and not _is_no_name(word)
    return token in {"van", "von", "de", "der", "den", "del", "di", "da", "du", "la", "ten", "ter"}


def split_names(written: str) -> list[str]:
    """The family names of "Smith, Jones & van der Berg et al."; empty if it holds other words."""
    others = _OTHERS_PATTERN.search(written)
    shown = (written[: others.start()] if others else written).strip(" ,，.*_\n")
    if not shown or len(shown.split()) > _MAX_NAME_WORDS * 2:
        return []
    names: list[str] = []
    for part in _NAME_SPLIT_PATTERN.split(shown):
        name = _INITIALS_PATTERN.sub("", part).strip(" .,")
        if not name:
            continue
        if not _is_name(name):
            return []
        names.append(name)
    return names[:_MAX_NAMES]


def _is_name(name: str) -> bool:
    words = name.split()
    if _HOST_NAME_PATTERN.fullmatch(name):
        return True
    if len(words) > _MAX_NAME_WORDS or _is_no_name(words[0].lower()):
        return False
    return all(
        word[:1].isupper()
        or not word[:1].isascii()
        or word.lower() in load_words(__package__, "name_words", "particles")
        or _JOINED_PARTICLE_PATTERN.match(word)
        for word in words
    ) and any(not word.islower() for word in words)


def _list_year_targets(
    names: list[str], written: str, *, is_optional: bool
) -> Iterator[CitationTarget]:
    """One target for each year; in "2021a, b" the letter goes with the year before it."""
    year = ""
    for match in _YEAR_PATTERN.finditer(written):
        shown = match[0]
        if len(shown) == 1:
            shown = year.rstrip("abcdefghijklmnopqrstuvwxyz") + shown
        year = shown
        yield _build_target(names, year, is_optional=is_optional)


def _build_target(names: list[str], year: str, *, is_optional: bool) -> CitationTarget:
    return CitationTarget(
        kind=TargetKind.NAMES,
        value=f"{', '.join(names)} {year}",
        names=tuple(names),
        year=year,
        is_optional=is_optional,
    )
