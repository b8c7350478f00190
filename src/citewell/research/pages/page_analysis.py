"""Ranks the passages of all pages for every part of the question, by words and meaning, with a window of each."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pydantic import Field

from citewell.core.values.wire_values import WireValue
from citewell.evidence.signs import repeated_texts
from citewell.jobs.step_values import AskedPart, PageReading, PageReadings, ResearchPlan
from citewell.research.planning.research_plan import QuestionKind
from citewell.text import questions
from citewell.text.language import word_forms
from citewell.text.passages.answer_windows import AnswerWindow, WindowCutter, WindowWishes
from citewell.text.passages.markdown_blocks import BlockKind
from citewell.text.passages.page_units import (
    MAX_UNIT_PAGE_CHARS,
    PageUnit,
    list_passage_terms,
    split_page_units,
)
from citewell.text.passages.passage_index import IndexedPage, PassageIndex, TermMatcher
from citewell.text.safety import injection_signals
from citewell.text.safety import injection_signals as answer_orders

if TYPE_CHECKING:
    from citewell.evidence.encoding.passage_similarity import PassageSimilarity

_NUMBER_WORD_REGEX = r"one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty|ninety|hundred|thousand|million|billion|half|dozen|couple|several|few|twice|percent"
_NUMBER_REGEX = rf"\d|\b(?:{_NUMBER_WORD_REGEX})\b"
_AMOUNT_REGEX = rf"(?:\d[\d,.]{{0,20}}+|\b(?:{_NUMBER_WORD_REGEX}))"
_MONTH_NAME_REGEX = (
    r"January|February|March|April|May|June|July|August|September|October|November|December"
)
_DURATION_REGEX = rf"{_AMOUNT_REGEX}[\s+-]?(?:seconds?|minutes?|mins?|hours?|hrs?|days?|weeks?|months?|years?|decades?|nights?|Stunden?|Tagen?|Wochen?|Monaten?|Jahren?|heures?|jours?|semaines?|mois|ans|horas?|días?|semanas?|meses|años?)\b|[年月日週時分]"
_MONEY_REGEX = r"[$€£¥]\s?\d|\d\s?(?:dollars|euros?|pounds|cents|USD|EUR|GBP|CHF|€|£|円|元)"
_SIZE_REGEX = r"\d\s?(?:[\"”'′″²]|inch|in\b|cm|mm|m\b|m²|m2|km|miles?|feet|foot|ft|sq|square|[gtmk]b\b|l\b|lit|ml|oz|gallon|cups?|watt|w\b|volt|mph|[gmk]?hz)"
# Pairs of a question pattern and the pattern of its answers; the first match counts.
_QUESTION_ANSWER_REGEXES = (
    (r"\b(?:costs?|prices?|pay|paid|expensive|cheap(?:er|est)?|fees?|salary|earn|worth|money|charged?)\b|\bhow much (?:is|does|do|are|would|should) |\bwas kostet|\bteuer\b|\bcoûte|\bcuesta", _MONEY_REGEX),
    (r"\bhow (?:long|old)\b|\bhow (?:many|much) (?:time|hours|days|weeks|months|years|minutes)\b|\bwhat age\b|\bwie lange\b|\bwie alt\b", _DURATION_REGEX),
    (r"\bhow (?:often|frequently)\b|\bwie oft\b", rf"\b(?:every|once|twice|daily|weekly|monthly|yearly|annually|{_AMOUNT_REGEX} times|(?:per|an?) (?:day|week|month|year))\b|\d (?:miles|months|days|weeks|years|km)\b|\bjede"),
    (r"\bhow heavy\b|\bweigh|\bwie schwer\b", r"\d\s?(?:k?g|lbs?|pounds|ounces|oz|kilo\w*|grams?|tons?|tonnes?)\b"),
    (r"\bhow (?:hot|cold|warm)\b|\btemperature|\bdegrees\b|\bTemperatur", r"\d\s?°|\bdegrees?\b|\bGrad\b"),
    (r"\b(?:percentage|share|proportion|fraction|percent)\b|\bhow much (?:more|less|cheaper|faster|higher|lower)\b|\bhow likely\b|\b(?:interest|unemployment|inflation|mortgage) rate", r"\d\s?%|\bper ?cent\b|\bone in \w|\b(?:half|third|quarter)s?\b|\bProzent\b"),
    (r"\bhow (?:big|large|tall|high|deep|wide|far|fast|small|thick)\b|\bwhat size\b|\bhow much (?:memory|storage|water|space)\b", _SIZE_REGEX),
    (r"\bhow (?:many|much|common)\b|\bwhat (?:number|is the (?:population|rate|average|number|size))\b|\bwhich (?:version|number)\b|\bwie ?viel|\bcombien\b|\bcu[áa]nt[oa]s?\b|сколько|多少|いくつ", _NUMBER_REGEX),
    (r"^\W*when\b|\b(?:what|which|in what|in which) (?:year|day|date|month|century)\b|^\W*(?:wann|quand|cu[áa]ndo|quando|когда)\b|什么时候|いつ", rf"\b1\d{{3}}\b|\b20\d\d\b|\b(?:{_MONTH_NAME_REGEX})\b|\d{{1,2}}[./]\d{{1,2}}|\b\d+ (?:years?|days?|months?|weeks?)\b|年"),
    (r"^\W*(?:who|whom|whose)\b|\bwhat is the name of\b|^\W*(?:wer|qui|qui[ée]n|chi|quem|кто)\b", r"(?:[^.!?\W]|,) [A-Z][\w’'-]+ (?:[A-Z]\.? )*(?:de |van |von |la )?[A-Z][\w’'-]+|^[A-Z][\w’'-]+ (?:[A-Z]\.? )*[A-Z][\w’'-]+"),
    (r"^\W*where\b|\bwhat (?:country|city|state|place)\b|\bwhich (?:country|city|state)\b|^\W*(?:wo|où|d[óo]nde|dove|onde|где)\b", r"\b(?:in|at|near|from|of|to) (?:the )?[A-Z]|\b(?:north|south|east|west|located|situated)\b"),
    (r"^\W*why\b|\bwhat causes?\b|\breason\b|^\W*(?:warum|pourquoi|por qu[ée]|perch[ée]|почему)\b|为什么|なぜ", r"\b(?:because|due to|reasons?|since|so that|caused?|causes|result|in order to|owing|weil|car|porque|perché)\b|потому|因为|ため"),
    (r"^\W*what(?:'s| is| are| was| were| does)\b|\bdefin|^\W*(?:was ist|was sind|qu['’]est-ce|qu[ée] es|cos['’]è|что такое)\b", r"\b(?:is|are|was|were|refers|means|describes|consists|known|called|ist|sind|est|es|è)\b"),
    (r"^\W*(?:can|is|are|do|does|did|will|would|should|could|has|have)\b", r"\b(?:yes|no|not|never|n['’]t|cannot|myth|actually|in fact|true|false|always|depends)\b"),
    (r"^\W*how (?:to|do|can|should|does)\b", r"\b(?:by \w+ing|first|then|you can|using|through|to \w+,|start)\b"),
)  # fmt: skip


_NAME_PATTERN = re.compile(
    r"\b[A-ZÀ-ÖØ-Þ][\w’'-]{1,60}+(?:\s(?:of|the|de|van|von|la|del|da|di)(?=\s[A-ZÀ-ÖØ-Þ])|\s[A-ZÀ-ÖØ-Þ][\w’'.-]*+){1,4}"
)
_TITLE_BORDER_PATTERN = re.compile(r"\s[-–—|·:]\s")
_MIN_TITLE_SHARE = 0.6  # of a title's words in a name, for the page to be about it

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
        words = " ".join(unit.text for unit in units)
        return f"{above}. {words}" if above else words


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
    copies = repeated_texts.find_copied_originals(
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
        definition=questions.build_definition_pattern(part.text),
        wants_list=questions.wants_list(plan.query) or questions.wants_steps(plan.query),
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
            window,
            score=round(
                window.score
                + _RECENCY_BONUS * share.get((pages[window.page].published or "")[:10], 0.0),
                9,
            ),
        )
        for window in windows
    ]
    return sorted(raised, key=lambda item: (-item.score, item.page, item.first))


def _raise_bridged_pages(
    plan: ResearchPlan, index: PassageIndex, windows: list[AnswerWindow]
) -> list[AnswerWindow]:
    """Where the best passages leave something open: pages about the names they bring rank higher."""
    if not windows or windows[0].coverage >= FULL_COVERAGE:
        return windows
    leading = windows[:_LEADING_WINDOWS]
    names = [
        name
        for item in leading
        for name in list_new_names(
            index.pages[item.page].units[item.first : item.last + 1],
            plan.query,
            language=plan.language,
        )
    ]
    origins = {item.page for item in leading[:1]}
    bridged = {
        number
        for number, page in enumerate(index.pages)
        if number not in origins and is_page_about(page.title, names, language=page.language)
    }
    raised = [
        replace(
            window,
            score=round(window.score + _BRIDGE_BONUS, 9),
            coverage=max(window.coverage, windows[0].coverage / 2),
        )
        if window.page in bridged
        else window
        for window in windows
    ]
    return sorted(raised, key=lambda item: (-item.score, item.page, item.first))


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
        ranked.append(tuple(sorted(blended, key=lambda item: (-item.score, item.page, item.first))))
    return replace(found, windows=tuple(ranked))


# Names that the best passages bring up and the question does not: where a two-step question leads on.


def list_new_names(units: Iterable[PageUnit], query: str, *, language: str | None) -> Iterator[str]:
    """Names of two words or more in these units that share no word with the question."""
    asked = set(list_passage_terms(query, language=language))
    plain = word_forms.list_stopwords(language)
    for unit in units:
        for match in _NAME_PATTERN.finditer(unit.text):
            words = match[0].split()
            if words[0].lower() in plain:
                words = words[1:]
            name = " ".join(words)
            if len(words) > 1 and not asked & set(list_passage_terms(name, language=language)):
                yield name


def is_page_about(title: str, names: Sequence[str], *, language: str | None) -> bool:
    """Whether the title of a page consists mainly of one of these names."""
    own = set(list_passage_terms(_TITLE_BORDER_PATTERN.split(title)[0], language=language))
    if not own:
        return False
    return any(
        len(own & set(list_passage_terms(name, language=language))) >= _MIN_TITLE_SHARE * len(own)
        for name in names
    )


# How near the best passages are to the question in meaning, as an encoder sees it.


class MeaningScores(WireValue):
    """The closeness of passages by name, 0 to 1; stored as a step of the job."""

    closeness: dict[str, float] = Field(default_factory=dict)
    encoder: str = ""  # its name; empty if none was used
    note: str = ""  # why a chosen encoder was not used


async def score_meaning(
    analyse: Callable[[], Awaitable[PageAnalysis]], scorer: PassageSimilarity
) -> MeaningScores:
    """Scores for the best passages of every part; nothing if there is no usable encoder.

    One private passage makes the whole question private: scores of some passages alone would put
    the others behind.
    """
    if not await scorer.has_encoder():
        return MeaningScores()
    found = await analyse()
    passages = list_encodable_passages(found)
    private = any(passage.is_private for passage in passages)
    closeness: dict[str, float] = {}
    encoder = note = ""
    for place, part in enumerate(found.parts):
        own = [passage for passage in passages if passage.part == place]
        if not own:
            continue
        scores = await scorer.score_passages(
            part.text, [item.text for item in own], is_private=private
        )
        if not scores.closeness:
            return MeaningScores(note=scores.note)
        encoder, note = scores.encoder, scores.note
        closeness |= {
            item.name: round(near, 4) for item, near in zip(own, scores.closeness, strict=True)
        }
    return MeaningScores(closeness=closeness, encoder=encoder, note=note)


# Patterns for the answer a question expects: a number, date, name, place, reason, yes or no.


_NUMBER_KINDS = 8  # the first of these pairs ask for a number
# Names begin with a capital, so a pattern of names is the only one that minds the case.
_ANSWER_PATTERNS = tuple(
    (
        re.compile(asked, re.IGNORECASE),
        re.compile(answer, 0 if "[A-Z]" in answer else re.IGNORECASE),
    )
    for asked, answer in _QUESTION_ANSWER_REGEXES
)


def find_answer_pattern(question: str) -> re.Pattern[str] | None:
    """A pattern that sentences answering the question match; None if the question is too open."""
    return next((answer for asked, answer in _ANSWER_PATTERNS if asked.search(question)), None)


def wants_number(question: str) -> bool:
    """Whether the question asks for an amount, a price, a duration, a size or a share."""
    return any(asked.search(question) for asked, _ in _ANSWER_PATTERNS[:_NUMBER_KINDS])


def format_unit_text(unit: PageUnit) -> str:
    """The unit as it is quoted: cells of a table under the names of their columns."""
    if unit.kind is not BlockKind.ROW or len(unit.table_header) != len(unit.cells):
        return unit.text
    pairs = zip(unit.table_header, unit.cells, strict=True)
    return "; ".join(f"{name}: {cell}" if name else cell for name, cell in pairs if cell)
