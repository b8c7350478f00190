"""The sentences of all pages that may be quoted, with their offsets, headings and context."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from citewell.services.research.step_values import PageReading
from citewell.text.evidence import quotability
from citewell.text.evidence.sentence_features import SentenceFeatures, build_sentence_features
from citewell.text.language import sentences
from citewell.text.safety import injection_signals

MAX_SENTENCES_PER_PAGE = 150
_MAX_PAGE_CHARS = 200_000  # characters of a page
_HEADING_PATTERN = re.compile(r"#{1,6}\s+(.{2,200})")
_CODE_FENCE_PATTERN = re.compile(r"^(?:```|~~~)", re.MULTILINE)
_FOOTNOTE_MARKS_PATTERN = re.compile(
    r"(?<!\])(?:\[\^?(?:\d{1,3}|[a-z]|note \d{1,4}|citation needed)\])++\Z"
)
_OWN_CITATION_PATTERN = re.compile(
    r"\[\^?src_", re.IGNORECASE
)  # could be mistaken for our own citation


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotableSentence:
    page_index: int  # index of the page
    start: int  # in the page's text
    end: int
    bag: SentenceFeatures
    heading: str = ""
    sentence_index: int = 0  # its number among the page's sentences
    context_span: tuple[int, int] | None = (
        None  # the preceding sentence, if this one refers back to it
    )

    @property
    def text(self) -> str:
        return self.bag.text


def collect_quotable_sentences(
    pages: Sequence[PageReading], *, page_indexes: Sequence[int]
) -> tuple[QuotableSentence, ...]:
    """The quotable sentences of the pages whose indexes are given, in page and text order."""
    return tuple(one for page in page_indexes for one in _collect_page_sentences(page, pages[page]))


def _collect_page_sentences(number: int, page: PageReading) -> Iterator[QuotableSentence]:
    text = page.text[:_MAX_PAGE_CHARS]
    commands = {signal.sentence for signal in injection_signals.find_injection_signals(text)}
    heading, kept, seen = "", 0, set[str]()
    before: tuple[int, int] | None = None
    for place, (start, end) in enumerate(_list_prose_spans(text)):
        sentence = text[start:end]
        if match := _HEADING_PATTERN.match(sentence):
            heading, before = match[1], None
            continue
        begin, stop = (
            start + quotability.measure_lead(sentence),
            _find_end_before_notes(sentence, start),
        )
        said = text[begin:stop]
        fit = _is_quotable(said, page.language, commands)
        alone = before is None and quotability.has_pointing_opener(said)
        if kept < MAX_SENTENCES_PER_PAGE and said not in seen and fit and not alone:
            kept += 1
            seen.add(said)
            yield QuotableSentence(
                page_index=number,
                start=begin,
                end=stop,
                bag=build_sentence_features(said, language=page.language),
                heading=heading,
                sentence_index=place,
                context_span=before if quotability.needs_previous_sentence(said) else None,
            )
        before = (begin, stop) if fit else None


def _list_prose_spans(text: str) -> Iterator[tuple[int, int]]:
    """Spans of the sentences outside code blocks."""
    fences = [match.start() for match in _CODE_FENCE_PATTERN.finditer(text)]
    blocks = list(zip(fences[::2], fences[1::2], strict=False))
    at = 0
    for start, end in sentences.find_sentence_spans(text):
        while at < len(blocks) and blocks[at][1] < start:
            at += 1
        if at == len(blocks) or end <= blocks[at][0]:
            yield start, end


def _find_end_before_notes(sentence: str, start: int) -> int:
    """The end of the sentence without its footnote marks, as an offset in the page."""
    match = _FOOTNOTE_MARKS_PATTERN.search(sentence)
    return start + (match.start() if match else len(sentence))


def _is_quotable(said: str, language: str | None, commands: set[str]) -> bool:
    if (
        not said
        or quotability.find_quotation_fault(said, language=language) is not None
        or _OWN_CITATION_PATTERN.search(said)
    ):
        return False
    return not any(said in command or command in said for command in commands)
