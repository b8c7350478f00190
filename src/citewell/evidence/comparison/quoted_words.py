"""Looks for the quotations of a statement in its source: as written, altered, or not there.

Letters and figures count; quotation marks, dashes, spaces and capitals do not. An ellipsis stands for
words left out, and words in brackets were put in by who quotes.
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum
from functools import lru_cache
from heapq import nlargest

from citewell.evidence.signs.claim_support import SourceText
from citewell.evidence.signs.sentence_features import build_sentence_features
from citewell.text.language import word_forms

_MIN_QUOTED_WORDS = 4  # fewer are a term or a title
_MIN_QUOTED_LETTERS = 16
_MIN_PART_LETTERS = 6  # of a part between ellipses
_MIN_TITLE_LETTERS, _MIN_TITLE_SHARE = 4, 0.75
_MAX_GAP_CHARS = 3000  # of the source, between the parts of one quotation
_MIN_ALTERED_RATIO = 0.62  # of the words of a quotation, in the nearest sentences
_MAX_NEAREST_SENTENCES = 2
_MAX_CANDIDATES = 4  # sentences that are looked at for an altered quotation
_MAX_QUOTED_CHARS = 2000
_MAX_SHOWN_WORDS, _SPARE_WORDS = 12, 2
_WORD_PATTERN = re.compile(r"\w+(?:[’'.,-]\w+)*")
_PLAIN_WORD_PATTERN = re.compile(r"[^\W\d_]+(?:[’']\w+)?")
_QUOTATION_PATTERN = re.compile(
    r"“([^“”]{2,2000})”|\"([^\"]{2,2000})\"|«\s?([^«»]{2,2000})\s?»|„([^„“”]{2,2000})[“”]"
    r"|(?<!\w)‘([^‘’]{16,2000})’(?!\w)|「([^「」]{6,2000})」|``([^`']{2,2000})''"
)
# A single word is a quotation only beside who says it; two or more are one unless they explain a term.
_SPEAKER_BEFORE_PATTERN = re.compile(
    r"\b(?:(?:said|says|wrote|writes|stated|states|replied|admitted|insisted|remarked|commented|felt|was|were)(?: \w+){0,3}|(?:called|calls|described|describes|labelled|labeled)(?: [\w’'-]+){1,5}|in (?:his|her|their|its) words|sagte|schrieb|nannte(?: \w+){1,4}|a dit|a écrit|dijo|escribió)[,:]? \Z",
    re.IGNORECASE,
)
_SPEAKER_AFTER_PATTERN = re.compile(
    r",? (?:\w+ ){0,3}(?:said|says|wrote|writes|admitted|replied|remarked|sagte|schrieb)\b"
)
_TERM_BEFORE_PATTERN = re.compile(
    r"\b(?:so[- ]called|known as|(?:the|a) (?:\w+ )?(?:term|word|phrase|expression|saying|slogan|concept|notion|label|name|category|idea) (?:of )?|termed|dubbed|titled|entitled|sogenannte\w?|genannt|Begriff|dit|dite|appelée?|llamad[oa]s?|término) ?\Z",
    re.IGNORECASE,
)
_MIN_PHRASE_WORDS = 2
# Letters that scanned texts confuse.
_SCAN_CONFUSIONS = (("rn", "m"), ("vv", "w"), ("cl", "d"), ("1", "l"), ("i", "l"), ("0", "o"))
_GAP_PATTERN = re.compile(r"\[[^\[\]]{0,80}\]|\(\s?(?:\.{3}|…)\s?\)|\.\s?\.\s?\.|…")
_LINK_TARGET_PATTERN = re.compile(r"\]\([^()\s]{0,2000}\)")


class QuotationState(StrEnum):
    VERBATIM = "verbatim"
    ALTERED = "altered"
    ABSENT = "absent"


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotationMatch:
    """One quotation, and the place of the source that it is, or is nearest to."""

    quotation: str
    state: QuotationState
    start: int = 0
    end: int = 0
    source: str = ""  # the words there; empty if absent


def list_quotations(statement: str) -> tuple[str, ...]:
    """The quotations without their marks: those of several words, and single words with who says them."""
    text = statement[:20_000]
    return tuple(
        next(filter(None, match.groups())).strip()
        for match in _QUOTATION_PATTERN.finditer(text)
        if _is_quotation(match, text)
    )


def _is_quotation(match: re.Match[str], text: str) -> bool:
    words = next(filter(None, match.groups()))
    # Whether the words are the name of a work: nearly all of the longer ones have a capital.
    longer = [word for word in words.split() if len(word.strip(".,:;!?'’")) >= _MIN_TITLE_LETTERS]
    capitals = sum(word[:1].isupper() for word in longer)
    is_title = len(longer) >= 2 and capitals >= _MIN_TITLE_SHARE * len(longer)
    if is_title:
        return False
    if is_long_quotation(words):
        return True
    before, after = text[max(0, match.start() - 80) : match.start()], text[match.end() :]
    if not words[:1].islower() or _TERM_BEFORE_PATTERN.search(before):
        return False
    if len(_PLAIN_WORD_PATTERN.findall(words)) >= _MIN_PHRASE_WORDS:
        return True
    return bool(_SPEAKER_BEFORE_PATTERN.search(before) or _SPEAKER_AFTER_PATTERN.match(after))


def match_quotations(statement: str, source: SourceText) -> tuple[QuotationMatch, ...]:
    return tuple(match_quotation(quotation, source) for quotation in list_quotations(statement))


def match_quotation(quotation: str, source: SourceText) -> QuotationMatch:
    folded, places = _fold_source(source.text)
    span = _find_parts(quotation, folded)
    if span is not None:
        start, end = places[span[0]], places[span[1] - 1] + 1
        around = source.text[max(0, start - 1) : start] + source.text[end : end + 1]
        if not is_long_quotation(quotation) and any(map(str.isalnum, around)):
            return QuotationMatch(quotation=quotation, state=QuotationState.ABSENT)
        return _build_quotation_match(quotation, QuotationState.VERBATIM, (start, end), source)
    return _find_altered_word(quotation, source) or _find_nearest_words(quotation, source)


def is_long_quotation(words: str) -> bool:
    """Whether words in quotation marks are too many for a term."""
    letters = sum(map(str.isalnum, words))
    if not words.isascii() and letters >= _MIN_QUOTED_LETTERS and " " not in words.strip():
        return True
    return len(words.split()) >= _MIN_QUOTED_WORDS and letters >= _MIN_QUOTED_LETTERS


def _find_parts(quotation: str, folded: str) -> tuple[int, int] | None:
    """Where all parts stand, one after the other; None if one of them does not."""
    parts = [
        fold for part in _GAP_PATTERN.split(quotation) if len(fold := _fold_quoted_text(part)) >= 2
    ]
    telling = [part for part in parts if len(part) >= _MIN_PART_LETTERS] or parts
    if not telling:
        return None
    first = folded.find(telling[0])
    while first >= 0:
        end = _follow_parts(telling, folded, first)
        if end is not None:
            return first, end
        first = folded.find(telling[0], first + 1)
    return None


def _follow_parts(parts: list[str], folded: str, first: int) -> int | None:
    at = first + len(parts[0])
    for part in parts[1:]:
        found = folded.find(part, at, at + _MAX_GAP_CHARS + len(part))
        if found < 0:
            return None
        at = found + len(part)
    return at


def _find_nearest_words(quotation: str, source: SourceText) -> QuotationMatch:
    """The sentences with most of the quotation's words; altered if nearly all are there in order."""
    wanted = _list_scanned_words(_GAP_PATTERN.sub(" ", quotation))
    asked = build_sentence_features(quotation, language=source.language).terms
    best, place = 0.0, (0, 0)
    for start, end in _list_candidate_spans(asked, source):
        words = _list_scanned_words(source.text[start:end])
        blocks = SequenceMatcher(a=wanted, b=words, autojunk=False).get_matching_blocks()
        ratio = sum(block.size for block in blocks) / max(1, len(wanted))
        if ratio > best:
            best, place = ratio, (start, end)
    if best < _MIN_ALTERED_RATIO:
        return QuotationMatch(quotation=quotation, state=QuotationState.ABSENT)
    is_scanned = all(
        fold_scan_letters(part) in fold_scan_letters(source.text[slice(*place)])
        for part in _GAP_PATTERN.split(quotation)
    )
    state = QuotationState.VERBATIM if is_scanned else QuotationState.ALTERED
    return _build_quotation_match(quotation, state, place, source)


def _list_scanned_words(text: str) -> list[str]:
    """The words, alike where only letters differ that scanned texts confuse."""
    return list(map(fold_scan_letters, word_forms.split_words(text)))


def _find_altered_word(quotation: str, source: SourceText) -> QuotationMatch | None:
    """A quotation that the source has with another word: "dawn of an era" for "end of an era"."""
    words = [word.lower() for word in _PLAIN_WORD_PATTERN.findall(quotation)]
    lost = build_sentence_features(quotation, language=source.language).terms - source.all_terms
    changed = [word for word in words if _list_stems(word, source) & lost]
    kept = [word for word in words if word not in changed and _list_stems(word, source)]
    if len(changed) != 1 or not kept or _GAP_PATTERN.search(quotation):
        return None
    pattern = r"[\W_]{1,3}".join(r"(\w+)" if word in changed else re.escape(word) for word in words)
    for match in re.finditer(rf"\b{pattern}\b", source.text, re.IGNORECASE):
        if _list_stems(match[1], source):
            return _build_quotation_match(quotation, QuotationState.ALTERED, match.span(), source)
    return None


def _list_stems(word: str, source: SourceText) -> frozenset[str]:
    return word_forms.extract_terms(word, language=source.language)


def _build_quotation_match(
    quotation: str, state: QuotationState, place: tuple[int, int], source: SourceText
) -> QuotationMatch:
    start, end = place
    words = source.text[start:end][:_MAX_QUOTED_CHARS]
    return QuotationMatch(quotation=quotation, state=state, start=start, end=end, source=words)


def describe_alteration(match: QuotationMatch) -> str:
    """Where an altered quotation differs first from the words of its source."""
    quoted = _WORD_PATTERN.findall(_GAP_PATTERN.sub(" ", match.quotation))
    has_gap = _GAP_PATTERN.search(match.quotation) is not None
    words = _WORD_PATTERN.findall(match.source)
    if not has_gap:  # the words around the longest run that both have, and few more
        same = SequenceMatcher(a=words, b=quoted, autojunk=False).find_longest_match()
        first_word = max(0, same.a - same.b - _SPARE_WORDS)
        words = words[first_word : same.a + len(quoted) - same.b + _SPARE_WORDS]
    compared = SequenceMatcher(
        a=list(map(fold_scan_letters, words)),
        b=list(map(fold_scan_letters, quoted)),
        autojunk=False,
    )
    for kind, start, end, first, last in compared.get_opcodes():
        is_outside = kind == "delete" and first in {0, len(quoted)}
        if kind == "equal" or is_outside or (kind == "delete" and has_gap):
            continue
        there, here = " ".join(words[start:end][:_MAX_SHOWN_WORDS]), " ".join(quoted[first:last])
        if kind == "delete":
            return f"The quotation leaves out “{there}”, which the source has."
        if kind == "insert":
            return f"The quotation has “{here}”, which the source does not have there."
        return f"The source has “{there}” where the quotation has “{here}”."
    return "The quotation differs from the words of the source."


def is_quotation_missing(match: QuotationMatch, source: SourceText, *, known: str = "") -> bool:
    """Whether the source does not have it; of a few words, whether it has one of them in no form.

    `known` are the title and other names that belong to the source.
    """
    if match.state is not QuotationState.ABSENT or "?" in match.quotation:
        return False  # a question in quotation marks is often an example of one
    if _fold_quoted_text(match.quotation) in _fold_quoted_text(known):
        return False
    asked = build_sentence_features(match.quotation, language=source.language).terms
    return is_long_quotation(match.quotation) or bool(asked - source.all_terms)


def _list_candidate_spans(asked: frozenset[str], source: SourceText) -> Iterator[tuple[int, int]]:
    shares = source.count_shared_terms(asked)
    spans = source.sentence_spans
    for at in nlargest(_MAX_CANDIDATES, shares, key=shares.__getitem__):
        for width in range(_MAX_NEAREST_SENTENCES):
            if at + width < len(spans):
                yield spans[at][0], spans[at + width][1]


def _fold_quoted_text(text: str) -> str:
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", text).lower()))


def fold_scan_letters(text: str) -> str:
    """Letters and figures, with those alike that scanned texts confuse."""
    folded = _fold_quoted_text(text)
    for misread, other in _SCAN_CONFUSIONS:
        folded = folded.replace(misread, other)
    return folded


@lru_cache(maxsize=4)  # one source is compared with many statements
def _fold_source(text: str) -> tuple[str, array[int]]:
    """The letters and figures of a source, and the place of each of them."""
    plain = _LINK_TARGET_PATTERN.sub(lambda match: " " * len(match[0]), text)
    kept: list[str] = []
    places = array("I")
    folded = {
        letter: "".join(filter(str.isalnum, unicodedata.normalize("NFKC", letter).lower()))
        for letter in set(plain)
    }
    for place, letter in enumerate(plain):
        for each in folded[letter]:
            kept.append(each)
            places.append(place)
    return "".join(kept), places
