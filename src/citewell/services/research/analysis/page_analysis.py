"""Ranks the passages of all pages for every part of the question, and cuts a window out of each."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from citewell.services.research.analysis.bridge_names import is_page_about, list_new_names
from citewell.services.research.step_values import (
    AskedPart,
    PageReading,
    PageReadings,
    ResearchPlan,
)
from citewell.text.evidence import copied_texts
from citewell.text.passages.answer_windows import AnswerWindow, WindowCutter, WindowWishes
from citewell.text.passages.markdown_blocks import BlockKind
from citewell.text.passages.page_units import (
    MAX_UNIT_PAGE_CHARS,
    PageUnit,
    split_page_units,
)
from citewell.text.passages.passage_index import (
    IndexedPage,
    PassageIndex,
    TermMatcher,
)
from citewell.text.questions import question_parts
from citewell.text.questions.answer_patterns import find_answer_pattern
from citewell.text.questions.question_facets import QuestionKind
from citewell.text.safety import answer_orders, injection_signals

FULL_COVERAGE = 0.85  # of a part: more leaves nothing to follow
_LEADING_WINDOWS = 3  # whose names may lead on
_BRIDGE_BONUS = 0.12
_RECENCY_BONUS = 0.1  # of the newest page, where the latest state is asked for
MEANING_SHARE = 0.5  # of the closeness in meaning, in the score of a window
_MAX_ENCODED_PASSAGES = 80  # for all parts of the question together
_MAX_PART_PASSAGES = 40
_OWN_CITATION_PATTERN = re.compile(r"\[\^?src_", re.IGNORECASE)  # looks like one of ours

Closeness = Mapping[str, float]  # in meaning, 0 to 1, by PageAnalysis.name_passage


@dataclass(frozen=True, slots=True, kw_only=True)
class PageAnalysis:
    """The pages that were read, and for each part of the question its windows, best first."""

    plan: ResearchPlan
    parts: tuple[AskedPart, ...]
    pages: tuple[PageReading, ...]
    copy_origins: tuple[int, ...]  # for each page, the index of the page it repeats, or its own
    index: PassageIndex
    windows: tuple[tuple[AnswerWindow, ...], ...]

    def list_window_units(self, window: AnswerWindow) -> tuple[PageUnit, ...]:
        return self.index.pages[window.page].units[window.first : window.last + 1]

    def count_units(self) -> int:
        return sum(len(page.units) for page in self.index.pages)

    def name_passage(self, part: int, passage: int) -> str:
        """A name for a passage that stays the same when the job is run again."""
        found = self.index.passages[passage]
        units = self.index.pages[found.page].units
        return f"{part}:{self.pages[found.page].sha256}:{units[found.first].start}"

    def format_passage(self, passage: int) -> str:
        """The text of a passage under its two nearest headings."""
        found = self.index.passages[passage]
        units = self.index.pages[found.page].units[found.first : found.last + 1]
        above = " > ".join(units[0].headings[-2:])
        said = " ".join(unit.text for unit in units)
        return f"{above}. {said}" if above else said


@dataclass(frozen=True, slots=True, kw_only=True)
class EncodablePassage:
    """A passage to compare with a part of the question by its meaning."""

    name: str
    part: int
    text: str
    is_private: bool


def analyse_pages(
    plan: ResearchPlan, readings: PageReadings, *, closeness: Closeness | None = None
) -> PageAnalysis:
    """The analysis; the same plan, pages and scores give the same result."""
    pages = tuple(page for page in readings.pages if page.is_read)
    copies = copied_texts.find_copied_originals(
        [page.text for page in pages], [page.published for page in pages]
    )
    index = PassageIndex(
        [_index_page(page, is_copy=copies[at] != at) for at, page in enumerate(pages)]
    )
    parts = plan.parts or (AskedPart(text=plan.query),)
    found = PageAnalysis(
        plan=plan,
        parts=parts,
        pages=pages,
        copy_origins=copies,
        index=index,
        windows=tuple(
            tuple(_prefer_recent(plan, pages, _rank_part(plan, part, index))) for part in parts
        ),
    )
    return rank_by_meaning(found, closeness) if closeness else found


def _index_page(page: PageReading, *, is_copy: bool) -> IndexedPage:
    units = () if is_copy else split_page_units(page.text, language=page.language)
    found = injection_signals.find_injection_signals(page.text[:MAX_UNIT_PAGE_CHARS])
    commands = [signal.sentence for signal in found]
    kept = tuple(unit for unit in units if _is_quotable_unit(unit, page.text, commands))
    return IndexedPage(title=page.title, language=page.language, units=kept)


def _is_quotable_unit(unit: PageUnit, text: str, commands: Sequence[str]) -> bool:
    """Whether a unit may be quoted: it commands no reader, and looks like no citation of ours."""
    if unit.kind is BlockKind.CODE or _OWN_CITATION_PATTERN.search(unit.text):
        return False
    if commands:  # of a page, only the first few are listed
        raw = " ".join(text[unit.start : unit.end].split())
        if any(raw in command or command in raw for command in commands):
            return False
        if injection_signals.has_injection_signal(unit.text):
            return False
    return not answer_orders.has_answer_order(unit.text)


def _rank_part(plan: ResearchPlan, part: AskedPart, index: PassageIndex) -> list[AnswerWindow]:
    terms = index.weigh_words(part.text, language=plan.language, context=part.context)
    if not terms:
        terms = index.weigh_words(plan.query, language=plan.language)
    wishes = WindowWishes(
        answer=find_answer_pattern(part.text),
        definition=question_parts.build_definition_pattern(part.text),
        wants_list=question_parts.wants_list(plan.query) or question_parts.wants_steps(plan.query),
    )
    windows = WindowCutter(TermMatcher(index, terms), wishes).rank_windows()
    return _raise_bridged_pages(plan, index, windows)


def _prefer_recent(
    plan: ResearchPlan, pages: Sequence[PageReading], windows: list[AnswerWindow]
) -> list[AnswerWindow]:
    """For a question on the latest state: newer pages rank higher, and undated ones lowest."""
    days = sorted({page.published[:10] for page in pages if page.published})
    if plan.kind != QuestionKind.LATEST or not days:
        return windows
    share = {day: (place + 1) / len(days) for place, day in enumerate(days)}
    raised = [
        replace(
            one,
            score=round(
                one.score + _RECENCY_BONUS * share.get((pages[one.page].published or "")[:10], 0.0),
                9,
            ),
        )
        for one in windows
    ]
    return sorted(raised, key=lambda one: (-one.score, one.page, one.first))


def _raise_bridged_pages(
    plan: ResearchPlan, index: PassageIndex, windows: list[AnswerWindow]
) -> list[AnswerWindow]:
    """Where the best passages leave something open: pages about the names they bring rank higher."""
    if not windows or windows[0].coverage >= FULL_COVERAGE:
        return windows
    leading = windows[:_LEADING_WINDOWS]
    names = [
        name
        for one in leading
        for name in list_new_names(
            index.pages[one.page].units[one.first : one.last + 1],
            plan.query,
            language=plan.language,
        )
    ]
    origins = {one.page for one in leading[:1]}
    bridged = {
        number
        for number, page in enumerate(index.pages)
        if number not in origins and is_page_about(page.title, names, language=page.language)
    }
    raised = [
        replace(
            one,
            score=round(one.score + _BRIDGE_BONUS, 9),
            coverage=max(one.coverage, windows[0].coverage / 2),
        )
        if one.page in bridged
        else one
        for one in windows
    ]
    return sorted(raised, key=lambda one: (-one.score, one.page, one.first))


def list_encodable_passages(found: PageAnalysis) -> tuple[EncodablePassage, ...]:
    """The best passages by words, which an encoder may put into a better order."""
    most = min(_MAX_PART_PASSAGES, _MAX_ENCODED_PASSAGES // len(found.parts))
    return tuple(
        EncodablePassage(
            name=found.name_passage(part, window.passage),
            part=part,
            text=found.format_passage(window.passage),
            is_private=found.pages[window.page].is_private,
        )
        for part, windows in enumerate(found.windows)
        for window in windows[:most]
    )


def rank_by_meaning(found: PageAnalysis, closeness: Closeness) -> PageAnalysis:
    """The windows in the order of words and meaning together; one that was not compared stays behind."""
    ranked = []
    for part, windows in enumerate(found.windows):
        blended = [
            replace(
                window,
                score=round(
                    (1 - MEANING_SHARE) * window.score
                    + MEANING_SHARE * closeness.get(found.name_passage(part, window.passage), 0.0),
                    9,
                ),
            )
            for window in windows
        ]
        ranked.append(tuple(sorted(blended, key=lambda one: (-one.score, one.page, one.first))))
    return replace(found, windows=tuple(ranked))
