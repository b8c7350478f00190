"""Measures pages against a query and chooses the passages that answer it; worker processes do this."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from citewell.core.values.scrape_results import SourcePassage
from citewell.evidence.signs import nearest_sentences, source_quality
from citewell.evidence.signs.repeated_texts import DeduplicatedText, drop_repeated_paragraphs
from citewell.text.passages.markdown_blocks import BlockKind
from citewell.text.passages.page_units import (
    MAX_UNIT_PAGE_CHARS,
    PageUnit,
    list_passage_terms,
    split_page_units,
)
from citewell.text.passages.passage_index import IndexedPage, PassageIndex, TermMatcher, TextPassage
from citewell.text.truncation import count_utf8_bytes, cut_body

PASSAGE_SEPARATOR = "\n\n[…]\n\n"
_SEPARATOR_BYTES = count_utf8_bytes(PASSAGE_SEPARATOR)
_MIN_SCORE_SHARE = 0.6  # of the best passage; a weaker one is shown only as the best of its page
_MAX_GAP_CHARS = 120  # between two passages that are shown as one
_MAX_UNSPLIT_CHARS, _PIECE_CHARS = 1000, 400  # of text without sentences
_LIST_MARKS = " \t-*+•>|0123456789.)"
_HEADING_SEPARATOR = " › "

Span = tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class PageText:
    text: str
    title: str
    language: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageLimits:
    max_bytes: int  # of all passages
    max_page_bytes: int  # of the passages of one page
    deduplicate: bool
    near_duplicates: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenText:
    passages: tuple[SourcePassage, ...]
    dropped_paragraphs: int = 0
    copy_of: int | None = None  # the page that has all paragraphs of this one
    is_whole: bool = False  # nothing but repeated paragraphs is left out


def choose_passages(
    pages: tuple[PageText, ...], query: str, limits: PassageLimits
) -> tuple[ChosenText, ...]:
    """For each page, best first, the passages to show: the whole page if all pages fit."""
    texts = [page.text for page in pages]
    if limits.deduplicate:
        parts = drop_repeated_paragraphs(texts, drop_similar=limits.near_duplicates)
    else:
        parts = tuple(DeduplicatedText(text=text, kept_spans=((0, len(text)),)) for text in texts)
    kept = [[span for span in part.kept_spans if span[0] < span[1]] for part in parts]
    choice = _PassageChoice(pages, kept, limits)
    choice.take_whole_pages()
    if any(not spans for spans in choice.taken):
        choice.take_best_passages(query)
    return tuple(
        ChosenText(
            passages=passages,
            dropped_paragraphs=part.dropped_paragraphs,
            copy_of=None if part.text else part.main_owner,
            is_whole=[(passage.start, passage.end) for passage in passages] == spans,
        )
        for passages, part, spans in zip(choice.list_passages(), parts, kept, strict=True)
    )


class _PassageChoice:
    """Fills the room with passages, the best first."""

    def __init__(
        self, pages: Sequence[PageText], kept: Sequence[Sequence[Span]], limits: PassageLimits
    ) -> None:
        self._pages = pages
        self._kept = kept
        self._left = limits.max_bytes
        self._page_left = [limits.max_page_bytes] * len(pages)
        self._headings: dict[tuple[int, int], str | None] = {}
        self.taken: list[list[Span]] = [[] for _ in pages]

    def take_whole_pages(self) -> None:
        """Take every page that may be whole, if there is room for all pages."""
        sizes = [self._measure_spans(place, spans) for place, spans in enumerate(self._kept)]
        if sum(map(min, sizes, self._page_left)) > self._left:
            return
        for place, spans in enumerate(self._kept):
            if sizes[place] <= self._page_left[place]:
                for span in spans:
                    self._take_span(place, span)

    def take_best_passages(self, query: str) -> None:
        """Take the best passage of each page that is not whole, then the best of all of them."""
        owners, index = self._index_pages()
        languages = [page.language for page in self._pages]
        usual = max(languages, key=languages.count)
        matcher = TermMatcher(index, index.weigh_words(query, language=usual))
        scored = matcher.score_passages()
        least = _MIN_SCORE_SHARE * scored[0].score if scored else 0.0
        first_of_page: dict[int, int] = {}
        for row in scored:
            first_of_page.setdefault(owners[index.passages[row.passage].page][0], row.passage)
        strong = [row.passage for row in scored if row.score >= least > 0]
        for number in dict.fromkeys([*first_of_page.values(), *strong]):
            passage = index.passages[number]
            place, base = owners[passage.page]
            self._take_passage(place, base, _list_options(matcher, passage))

    def _index_pages(self) -> tuple[list[tuple[int, int]], PassageIndex]:
        """An index of the pages that are not whole, and for each of its pages whose it is and where it begins."""
        owners, indexed = [], []
        for place, page in enumerate(self._pages):
            if self.taken[place]:
                continue
            for base in range(0, len(page.text), MAX_UNIT_PAGE_CHARS):
                units = _split_all_units(
                    page.text[base : base + MAX_UNIT_PAGE_CHARS], page.language
                )
                kept = tuple(
                    unit
                    for unit in units
                    if self._is_one_span(place, base + unit.start, base + unit.end)
                )
                indexed.append(IndexedPage(title=page.title, language=page.language, units=kept))
                owners.append((place, base))
        return owners, PassageIndex(indexed)

    def _is_one_span(self, place: int, start: int, end: int) -> bool:
        return any(span[0] <= start and end <= span[1] for span in self._kept[place])

    def _take_passage(
        self, place: int, base: int, options: Iterator[tuple[PageUnit, PageUnit]]
    ) -> None:
        """Take the first option that fits: the passage, or its best sentence."""
        for first, last in options:
            text, start = self._pages[place].text, base + first.start
            line = text.rfind("\n", 0, start) + 1
            if not text[line:start].strip(_LIST_MARKS):  # only the mark of a list or quotation
                start = line
            span = (start, base + last.end)
            # A repeated paragraph may stand between units that are neighbours without it.
            if self._is_one_span(place, *span) and self._take_span(place, span):
                above = filter(None, (*first.headings[-2:], " | ".join(first.table_header)))
                self._headings[place, start] = _HEADING_SEPARATOR.join(above) or None
                return

    def _take_span(self, place: int, span: Span) -> bool:
        size = self._measure_spans(place, [span]) + (_SEPARATOR_BYTES if self.taken[place] else 0)
        if size > min(self._left, self._page_left[place]):
            return False
        self._left -= size
        self._page_left[place] -= size
        self.taken[place].append(span)
        return True

    def _measure_spans(self, place: int, spans: Sequence[Span]) -> int:
        text = self._pages[place].text
        shown = sum(count_utf8_bytes(text[start:end]) for start, end in spans)
        return shown + _SEPARATOR_BYTES * max(0, len(spans) - 1)

    def list_passages(self) -> Iterator[tuple[SourcePassage, ...]]:
        """For each page its passages in text order; those with little between them are one."""
        for place, spans in enumerate(self.taken):
            joined: list[Span] = []
            for start, end in sorted(spans):
                if joined and self._can_join(place, joined[-1][1], start):
                    joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
                else:
                    joined.append((start, end))
            yield tuple(
                SourcePassage(start=start, end=end, heading=self._headings.get((place, start)))
                for start, end in joined
            )

    def _can_join(self, place: int, end: int, start: int) -> bool:
        """Whether the gap is short, is not a repeated paragraph, and fits; it is then counted."""
        if start <= end:
            return True
        gap = count_utf8_bytes(self._pages[place].text[end:start]) - _SEPARATOR_BYTES
        if start - end > _MAX_GAP_CHARS or not self._is_one_span(place, end, start):
            return False
        if gap > min(self._left, self._page_left[place]):
            return False
        self._left -= gap
        self._page_left[place] -= gap
        return True


def _split_all_units(text: str, language: str | None) -> list[PageUnit]:
    """The units of a text, and pieces of what has no sentences, such as a bare transcript or code."""
    units: list[PageUnit] = []
    headings: tuple[str, ...] = ()
    end = 0
    for unit in (*split_page_units(text, language=language), None):
        start = len(text) if unit is None else unit.start
        is_unsplit = start - end > _MAX_UNSPLIT_CHARS
        while is_unsplit and end < start:
            piece = cut_body(text[end : min(start, end + _PIECE_CHARS + 1)], _PIECE_CHARS).text
            stems = tuple(list_passage_terms(piece, language=language))
            units.append(
                PageUnit(
                    kind=BlockKind.PARAGRAPH,
                    start=end,
                    end=end + len(piece.rstrip()),
                    block=0,
                    headings=headings,
                    text=piece,
                    stems=stems,
                    words=len(stems),
                )
            )
            end += len(piece)
        if unit is not None:
            units.append(unit)
            end, headings = unit.end, unit.headings
    return units


def _list_options(
    matcher: TermMatcher, passage: TextPassage
) -> Iterator[tuple[PageUnit, PageUnit]]:
    """The first and the last unit of a passage, then of its best sentence."""
    units = matcher.index.pages[passage.page].units
    yield units[passage.first], units[passage.last]
    best = max(
        range(passage.first, passage.last + 1),
        key=lambda place: matcher.measure_unit(passage.page, place),
    )
    yield units[best], units[best]


# Measures the text of a page against a query and a claim; worker processes do this.


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFigures:
    """What the text of a page is worth for one search."""

    relevance: float
    content_quality: float
    claim_signal: str = ""
    key_sentences: tuple[str, ...] = ()


def measure_source_text(
    text: str, query: str, title: str, claim: str | None, language: str | None
) -> SourceFigures:
    """The figures of a text in this language; without a claim there are no sentences for it."""
    signal = ""
    evidence: tuple[str, ...] = ()
    if claim:
        asked = nearest_sentences.build_claim_terms(claim, language=language)
        running = nearest_sentences.extract_running_text(text)
        signal, evidence = nearest_sentences.find_nearest_sentences(asked, running)
    return SourceFigures(
        relevance=source_quality.score_relevance(
            query, title=title, content=text, language=language
        ),
        content_quality=source_quality.score_content(text),
        claim_signal=signal,
        key_sentences=evidence,
    )
