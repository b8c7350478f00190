"""Citations by address, identifier or legal citation: links, DOIs, arXiv numbers, 497 U.S. 1 (1990)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from citewell.citations.official_citations import find_legal_spans
from citewell.domains.law.case_names import read_case_name
from citewell.drafts.draft import (
    CitationForm,
    CitationMark,
    CitationTarget,
    TargetKind,
    TextSpan,
    build_mark,
    list_targets,
)
from citewell.drafts.marks.name_marks import read_named_piece, take_names_and_year
from citewell.text.addresses import is_web_address

_TAIL_PATTERN = re.compile(
    r"(?:,\s{1,2}\d{1,5}(?:[-–]\d{1,5})?(?:\s?n\.\s?\d{1,3})?){0,3}(?:\s{1,2}\([^()\n]{0,60}\d{4}\))?"
)
_SIGNAL_PATTERN = re.compile(r"\b(?:see|see also|accord|cf|contra|citing|quoting|compare|e\.g)[.,]{0,2}\Z", re.IGNORECASE)  # fmt: skip
_PREDICATE_PATTERN = re.compile(r",?\s{1,3}[a-z]")
_FULL_STOPS = frozenset(".!?")
_CONTEXT_CHARS = 24
_MAX_NAME_CHARS = 320

_ADDRESS_REGEX = r"https?://[^\s()<>\[\]\"]+(?:\([^\s()]{0,200}\)[^\s()<>\[\]\"]*)*"
_LINK_PATTERN = re.compile(
    rf"\[(\[?[^\[\]\n]{{0,300}}\]?)\]\(\s?<?({_ADDRESS_REGEX})>?(?:\s{{1,3}}[\"'(][^\n\"]{{0,300}}[\"')])?\s?\)"
)
_NAMED_LINK_PATTERN = re.compile(r"(?<!\])\[([^\[\]\n]{1,300})\]\s?\[([^\[\]\n]{0,200})\]")
_SHORT_LINK_PATTERN = re.compile(r"(?<![\]!])\[([^\[\]\n]{1,200})\](?![\[(:])")
_BARE_ADDRESS_PATTERN = re.compile(
    r"<?(?:https?://|(?<![\w./@])www\.)[^\s<>\"“”，。；（）【】]{3,2000}>?", re.IGNORECASE
)
_IDENTIFIER_PATTERN = re.compile(
    r"(?<![\w/.])(?:(?:doi|DOI)\s{0,2}[:：]?\s{0,2})?10\.\d{4,9}/[^\s\"<>，。；（）]{1,300}"
    r"|\barXiv\s{0,2}[:：]\s{0,2}(?:\d{4}\.\d{4,5}(?:v\d{1,2})?|[a-z-]{2,12}(?:\.[A-Z]{2})?/\d{7})"
    r"|\bPMID\s{0,2}[:：]?\s{0,2}\d{4,8}\b|\bPMC\d{5,9}\b|\bISBN(?:-1[03])?\s{0,2}[:：]?\s{0,2}[\dX][\dX -]{8,16}[\dX]",
    re.IGNORECASE,
)
_BRACKET_PATTERN = re.compile(
    r"(?:\(((?:[^()\[\]]|\([^()\s]{1,20}\)){8,600})\)|\[((?:[^()\[\]]|\([^()\s]{1,20}\)){8,600})\])(?!\()"
)
_INTRODUCTION_PATTERN = re.compile(
    r"[\s,:.(]{1,4}(?:(?:doi|url|link|online|available|retrieved|accessed|at|from|verfügbar unter|disponible (?:en|sur))[\s:]{1,3}){0,3}\Z",
    re.IGNORECASE,
)
_YEAR_PATTERN = re.compile(r"(?:1[5-9]|20)\d\d[a-z]?")
_ADDRESS_BREAK_PATTERN = re.compile(r"\s?;\s{0,3}(?=https?://|doi\b|10\.\d)", re.IGNORECASE)
_MAX_NAMES_CHARS = 200  # before an address that are searched for the names of its authors
_TRAILING_CHARS = ".,;:!?'\"”’»*_"
_ENDING_CHARS = frozenset((".", "!", "?", ")", "]", "\n", "", "。", "！", "？", "”", '"', "："))
_ADDRESS_KINDS = (
    (_BARE_ADDRESS_PATTERN, CitationForm.ADDRESS, TargetKind.ADDRESS),
    (_IDENTIFIER_PATTERN, CitationForm.IDENTIFIER, TargetKind.IDENTIFIER),
)
# Labels that name the act of citing and no words of the sentence.
_SILENT_LABEL_PATTERN = re.compile(
    r"[\[(]?\s?(?:\^?\d{1,4}|(?:source|src|link|ref(?:erence)?|cit(?:ation|e)|here|via|pdf|doi|archive[d]?|quelle|lien|fuente|来源|出典)s?\s?\d{0,3}|(?:[\w-]{1,40}\.){1,3}[a-z]{2,10}(?:/\S{0,80})?|https?://\S{1,300})\s?[\])]?",
    re.IGNORECASE,
)


def find_address_marks(text: str, definitions: Mapping[str, str]) -> Iterator[CitationMark]:
    """All links, addresses and identifiers; the label of a link within a sentence stays words."""
    links = list(_find_link_marks(text, definitions))
    yield from links
    yield from find_bare_marks(text, [(mark.start, mark.end) for mark in links])


def find_bare_marks(text: str, taken: list[TextSpan]) -> Iterator[CitationMark]:
    """Addresses and identifiers that stand for themselves, outside of what is taken already."""
    named = list(_find_named_brackets(text))
    yield from named
    spans = sorted([*taken, *((mark.start, mark.end) for mark in named)])
    for pattern, form, kind in _ADDRESS_KINDS:
        own: list[TextSpan] = []
        at = 0
        for match in pattern.finditer(text):
            while at < len(spans) and spans[at][1] <= match.start():
                at += 1
            if at < len(spans) and spans[at][0] < match.end():
                continue
            end = match.start() + len(_trim_address(match[0]))
            own.append((match.start(), end))
            value = text[match.start() : end].strip("<>")
            outer = _include_parentheses(text, match.start(), end)
            target = _build_named_target(kind, value, text[: match.start()])
            yield build_mark((match.start(), end), form, [target], hidden=outer)
        spans = sorted([*spans, *own])


def _find_named_brackets(text: str) -> Iterator[CitationMark]:
    """Brackets that give works by names, year and address: "(Smith et al., 2019, https://…; Doe 2020)"."""
    for match in _BRACKET_PATTERN.finditer(text):
        targets: list[CitationTarget] = []
        before = text[max(0, match.start() - _MAX_NAMES_CHARS) : match.start()]
        for piece in _ADDRESS_BREAK_PATTERN.sub(", ", match[1] or match[2]).split(";"):
            found = _read_addressed_piece(piece, before) or read_named_piece(piece, targets[-1:])
            if not found:
                break
            targets += found
        else:
            forms = {TargetKind.ADDRESS: CitationForm.ADDRESS}
            kinds = [target.kind for target in targets if target.kind is not TargetKind.NAMES]
            if kinds:
                form = forms.get(kinds[0], CitationForm.IDENTIFIER)
                yield build_mark(match.span(), form, dict.fromkeys(targets))


def _read_addressed_piece(piece: str, before: str) -> list[CitationTarget]:
    """The work of a part of a bracket that ends in its address; empty if it is anything else.

    If the part has only a year, its authors are named before the bracket.
    """
    for pattern, _, kind in _ADDRESS_KINDS:
        match = pattern.search(piece)
        if match is None:
            continue
        address = _trim_address(match[0])
        if piece[match.start() + len(address) :].strip(" .,>"):
            return []
        head = _INTRODUCTION_PATTERN.sub("", piece[: match.start()])
        is_dated = _YEAR_PATTERN.fullmatch(head.strip()) is not None
        if not is_dated and not read_named_piece(head):
            return []
        words = f"{before if is_dated else ''}({head}, "
        return [_build_named_target(kind, address.strip("<>"), words)]
    return []


def _find_link_marks(text: str, definitions: Mapping[str, str]) -> Iterator[CitationMark]:
    for match in _LINK_PATTERN.finditer(text):
        if is_web_address(match[2]) and text[match.start() - 1 : match.start()] != "!":
            yield build_link_mark(text, match.span(), match.span(1), match[2])
    if not definitions:
        return
    for match in _NAMED_LINK_PATTERN.finditer(text):
        label = (match[2] or match[1]).casefold()
        is_image = text[match.start() - 1 : match.start()] == "!"
        if label in definitions and not is_image and match[1].casefold() not in definitions:
            yield build_link_mark(text, match.span(), match.span(1), definitions[label])
    for match in _SHORT_LINK_PATTERN.finditer(text):
        label = match[1].casefold()
        if label in definitions and not label.isdigit():
            yield build_link_mark(text, match.span(), match.span(1), definitions[label])


def build_link_mark(text: str, span: TextSpan, label: TextSpan, address: str) -> CitationMark:
    """A link; its label is no part of the sentence if it stands after it or only says "source"."""
    start, end = span
    words = text[label[0] : label[1]].strip()
    outer = _include_parentheses(text, start, end)
    before = text[max(0, start - 40) : start].rstrip(" ")[-1:]
    following = text[end : end + 40].lstrip(" *_")[:1]
    continues = following.islower() or following in {":", "–", "—", ",", "’", "'"}
    silent = (
        not words
        or _SILENT_LABEL_PATTERN.fullmatch(words) is not None
        or (outer != span)
        or (before in _ENDING_CHARS and not continues)
    )
    hidden = (outer,) if silent else ((start, label[0]), (label[1], end))
    return CitationMark(
        start=start,
        end=end,
        form=CitationForm.LINK,
        targets=(_build_named_target(TargetKind.ADDRESS, address, f"({words}"),),
        hidden=hidden,
        is_textual=not silent,
    )


def _build_named_target(kind: TargetKind, value: str, words: str) -> CitationTarget:
    """The address, with the authors and the year that the words before it, or its label, name."""
    named = take_names_and_year(words[-_MAX_NAMES_CHARS:])
    if named is None:
        return CitationTarget(kind=kind, value=value)
    return replace(named, kind=kind, value=value, is_optional=False)


def _include_parentheses(text: str, start: int, end: int) -> TextSpan:
    """The span with parentheses that hold nothing else."""
    if text[start - 1 : start] in {"(", "（"} and text[end : end + 1] in {")", "）"}:
        return start - 1, end + 1
    return start, end


def _trim_address(written: str) -> str:
    """An address without the punctuation of the sentence behind it."""
    shown = written
    while shown:
        last = shown[-1]
        if last in _TRAILING_CHARS or (
            last in ")]}" and shown.count(last) > shown.count({")": "(", "]": "[", "}": "{"}[last])
        ):
            shown = shown[:-1]
        else:
            break
    return shown


# Citations of cases and statutes in running text: 497 U.S.


def find_legal_marks(spoken: str) -> Iterator[CitationMark]:
    """Each citation with the name of the case before it, and the court and year after it."""
    done = 0
    for start, end in find_legal_spans(spoken):
        if start < done:
            continue
        nearest = max(done, start - _MAX_NAME_CHARS, 0)
        window = max(nearest, spoken.rfind("\n\n", nearest, start) + 1)
        name = read_case_name(spoken[window:start].replace("\n", " "))
        begin = window + name.start if name is not None and name.is_full else start
        tail = _TAIL_PATTERN.match(spoken, end)
        done = tail.end() if tail else end
        done = begin + len(spoken[begin:done].rstrip(" .,"))
        value = " ".join(spoken[begin:done].split())
        is_textual = begin < start and _is_sentence_part(spoken, begin, done)
        yield build_mark(
            (begin, done),
            CitationForm.LEGAL,
            list_targets(TargetKind.LEGAL, [value]),
            hidden=_choose_hidden(spoken, begin, start if is_textual else begin, done),
            is_textual=is_textual,
        )


def _is_sentence_part(spoken: str, begin: int, end: int) -> bool:
    """Whether the name of a case is the subject or an object of its sentence: "In Roe v. Wade, …"."""
    before = spoken[max(0, begin - _CONTEXT_CHARS) : begin].rstrip()
    if _SIGNAL_PATTERN.search(before):
        return False
    if before[-1:].isalpha():
        return True
    return before[-1:] in {"", *_FULL_STOPS} and _PREDICATE_PATTERN.match(spoken, end) is not None


def _choose_hidden(spoken: str, begin: int, cite: int, end: int) -> TextSpan:
    """What the statement leaves out: the whole citation, or what follows the name of the case.

    A citation that is a sentence of its own takes its full stop with it.
    """
    is_opening = spoken[max(0, begin - 2) : begin].rstrip()[-1:] in {"", *_FULL_STOPS}
    following = spoken[end : end + 1]
    if cite == begin:
        return begin, end + (is_opening and following == ".")
    return begin + len(spoken[begin:cite].rstrip(" ,")), end + (is_opening and following == ",")
