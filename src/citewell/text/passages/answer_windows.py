"""Cuts the best window out of a passage: one to four sentences, a list with its lead-in, rows of a table."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from citewell.text.passages.markdown_blocks import BlockKind
from citewell.text.passages.page_units import PageUnit
from citewell.text.passages.passage_index import TermMatcher

_NAVIGATION_PATTERN = re.compile(
    r"\bcookies?\b.{0,80}\b(?:accept|consent|use|experience|settings|prefer)|\b(?:accept|we use|uses)\b.{0,30}\bcookies"
    r"|\bnewsletter\b|\bsubscrib\w+|\bsign(?:ed)? up\b|\blog(?:ged)? in\b|\ball rights reserved\b|©"
    r"|\bprivacy policy\b|\bterms (?:of (?:use|service)|and conditions)\b|\bread more\b|\bclick here\b"
    r"|\bshare (?:this|on)\b|\bfollow us\b|\bskip to\b|\bjavascript\b.{0,40}\b(?:enable|disabled|required)\b"
    r"|\benable javascript\b|\badvertis(?:e|ing) (?:with|on) (?:us|this)\b|\baffiliate\b.{0,40}\b(?:links?|commission)\b"
    r"|\bin this (?:article|post|guide|section|chapter|paper|video|episode|tutorial)\b"
    r"|\bthis (?:article|post|guide|page|website|site) (?:was|is|has been|explains|covers|discusses|will|contains)\b"
    r"|\bfor (?:more|further) (?:information|details)\b|\bsee also\b|\bread next\b|\brelated (?:articles|posts|reading|links)\b"
    r"|\bback to top\b|\btable of contents\b|\bcopyright\b|\bretrieved (?:on )?\d|\bpage last (?:updated|modified|reviewed)\b"
    r"|\blast (?:updated|modified|reviewed)\b|\bleave a (?:comment|reply)\b|\bnext article\b|\bprevious article\b"
    r"|\bmin(?:ute)?s? read\b|\bfree trial\b|\badd to cart\b|\bcustomer reviews?\b|\bcitation needed\b"
    r"|\bDatenschutz|\bAlle Rechte vorbehalten|\bNewsletter\b|\bCookies?\b.{0,60}\b(?:verwenden|akzept|utilis|usamos|utiliz|nutzen)"
    r"|\bTous droits réservés|\bTodos los derechos reservados|\bpolitique de confidentialité|利用規約|プライバシー|版权所有|隐私政策",
    re.IGNORECASE,
)
_POINTING_OPENER_PATTERN = re.compile(
    r"\A\W*(?:this|that|these|those|it|its|they|their|he|she|his|her|such|both|the former|the latter"
    r"|dies\w*|es|er|sie|il|elle|ils|elles|cela|ceci|esto|esta|este|ello|esso|questo|questa|isso|isto"
    r"|dit|deze|hij|zij|это|он|она|они)\b|\A\W*(?:これ|それ|その|この|这|該|该|此)",
    re.IGNORECASE,
)
_CONNECTIVE_OPENER_PATTERN = re.compile(
    r"\A\W*(?:however|but|and|so|therefore|thus|moreover|furthermore|also|instead|similarly|conversely"
    r"|nevertheless|consequently|additionally|in addition|as a result|for example|for instance|by contrast"
    r"|in contrast|on the other hand|otherwise|then|yet|still)\b",
    re.IGNORECASE,
)

_MAX_RANKED_PASSAGES = 40  # passages out of which windows are cut
_MAX_WINDOW_UNITS = 14
_TINY_WORDS = 4
_LED_LIST_BONUS = 0.05
_LEAD_IN_ENDS = (":", "：")
_QUESTION_ENDS = ("?", "？", "؟")


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowWishes:
    """What a question wants of a window besides its words."""

    answer: re.Pattern[str] | None = None  # such as a number or a date
    definition: re.Pattern[str] | None = None
    wants_list: bool = False  # a list or steps


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerWindow:
    page: int
    first: int  # index of the first unit in its page
    last: int
    passage: int
    score: float
    coverage: float  # share of the question's words, by weight, with title and headings in part


@dataclass(frozen=True, slots=True, kw_only=True)
class _UnitMarks:
    """What of a unit counts in every window it is part of."""

    hits: dict[int, float]
    has_answer: bool
    is_definition: bool
    is_navigation: bool


class WindowCutter:
    def __init__(self, matcher: TermMatcher, wishes: WindowWishes) -> None:
        self._matcher = matcher
        self._wishes = wishes
        self._weights = matcher.index.weights
        self._marks: dict[tuple[int, int], _UnitMarks] = {}

    def rank_windows(self) -> list[AnswerWindow]:
        """The best window of each of the best passages, the best first."""
        found = []
        for ranked in self._matcher.score_passages()[:_MAX_RANKED_PASSAGES]:
            best = self._cut_best_window(ranked.passage, ranked.score)
            if best is not None:
                found.append(best)
        return sorted(found, key=lambda each: (-each.score, each.page, each.first))

    def _cut_best_window(self, place: int, passage_score: float) -> AnswerWindow | None:
        passage = self._matcher.index.passages[place]
        units = self._matcher.index.pages[passage.page].units
        best: tuple[float, float, int, int] | None = None
        start = max(0, passage.first - 1)
        for first in range(start, passage.last + 1):
            if units[first].headings != units[passage.first].headings:
                continue
            for last, score, coverage in self._grow_window(passage.page, units, first):
                key = (round(score, 9), coverage, first, last)
                if best is None or key[0] > best[0]:
                    best = key
        if best is None:
            return None
        share = self._weights.passage_share
        return AnswerWindow(
            page=passage.page,
            first=best[2],
            last=best[3],
            passage=place,
            score=round(share * passage_score + (1 - share) * best[0], 9),
            coverage=round(best[1], 6),
        )

    def _grow_window(
        self, page: int, units: tuple[PageUnit, ...], first: int
    ) -> Iterator[tuple[int, float, float]]:
        """Every window that begins at `first`, with its score and its coverage."""
        held: dict[int, float] = {}
        words, answered, defined, navigating = 0, False, False, False
        context = self._collect_context(page, units[first])
        opening = first == 0 or units[first - 1].headings != units[first].headings
        for last in range(first, min(first + _MAX_WINDOW_UNITS, len(units))):
            words += units[last].words
            if not self._can_extend(units, first, last, words):
                return
            marks = self._mark_unit(page, last, units[last])
            for at, factor in marks.hits.items():
                held[at] = max(held.get(at, 0.0), factor)
            answered |= marks.has_answer
            defined |= marks.is_definition
            navigating |= marks.is_navigation
            coverage = self._measure_coverage(held, context)
            score = coverage + self._score_form(units, first, last, words)
            score += self._weights.answer_bonus if answered else 0.0
            score += self._weights.definition_bonus if defined else 0.0
            score += self._weights.opening_bonus if opening else 0.0
            score -= 0.1 if navigating else 0.0
            yield last, score, coverage

    def _can_extend(self, units: tuple[PageUnit, ...], first: int, last: int, words: int) -> bool:
        unit, start = units[last], units[first]
        if unit.kind is BlockKind.CODE or unit.headings != start.headings:
            return False
        if last == first:
            return True
        if unit.kind is BlockKind.PARAGRAPH:
            return (
                start.kind is BlockKind.PARAGRAPH
                and last - first < self._weights.max_sentences
                and words <= self._weights.max_words
            )
        follows = unit.kind is units[last - 1].kind
        led = units[last - 1].text.endswith(_LEAD_IN_ENDS) and not has_navigation_words(
            units[last - 1].text
        )
        return (follows or led) and words <= self._weights.max_list_words

    def _score_form(self, units: tuple[PageUnit, ...], first: int, last: int, words: int) -> float:
        """What length, beginning and end of a window add to its score."""
        weights, text = self._weights, units[last].text
        is_list = units[last].kind in {BlockKind.ITEM, BlockKind.ROW}
        if is_list and self._wishes.wants_list:
            whole = 1 - 1 / (last - first + 1)  # a longer part of the list is a better answer
            led = units[first].kind is BlockKind.PARAGRAPH  # by a sentence that says what is listed
            score = (
                weights.list_bonus * whole
                + (_LED_LIST_BONUS if led else 0.0)
                - weights.long_penalty * max(0, words - 100) / 100
            )
        elif words > weights.ideal_words:
            score = -weights.long_penalty * (words - weights.ideal_words) / 100
        else:
            score = -weights.short_penalty * (weights.ideal_words - words) / 100
        if words < _TINY_WORDS:
            score -= 0.2
        if text.endswith(_QUESTION_ENDS) or text.endswith(_LEAD_IN_ENDS):
            score -= 0.15
        if needs_previous_sentence(units[first].text):
            score -= weights.pointing_penalty
        return score

    def _measure_coverage(self, held: dict[int, float], context: dict[int, float]) -> float:
        got = 0.0
        for at, term in enumerate(self._matcher.terms):
            own = held.get(at, 0.0)
            got += term.weight * max(own, self._weights.context * context.get(at, 0.0))
        return got / self._matcher.total

    def _collect_context(self, page: int, unit: PageUnit) -> dict[int, float]:
        language = self._matcher.index.pages[page].language
        above = dict(self._matcher.match_headings(unit.headings, language))
        header = self._matcher.match_headings(unit.table_header, language)
        for other in (self._matcher.title_hits[page], header):
            for at, factor in other.items():
                above[at] = max(above.get(at, 0.0), factor)
        return above

    def _mark_unit(self, page: int, place: int, unit: PageUnit) -> _UnitMarks:
        key = (page, place)
        if key not in self._marks:
            hits: dict[int, float] = {}
            for at, factor in self._matcher.unit_hits[page][place]:
                hits[at] = max(hits.get(at, 0.0), factor)
            answer, definition = self._wishes.answer, self._wishes.definition
            self._marks[key] = _UnitMarks(
                hits=hits,
                has_answer=answer is not None and answer.search(unit.text) is not None,
                is_definition=definition is not None and definition.search(unit.text) is not None,
                is_navigation=has_navigation_words(unit.text),
            )
        return self._marks[key]


# Marks of a sentence that cannot stand alone: it refers back, or it speaks of the site itself.


def has_navigation_words(sentence: str) -> bool:
    """Whether it speaks of the site itself: cookies, newsletters, terms, related articles."""
    return _NAVIGATION_PATTERN.search(sentence) is not None


def needs_previous_sentence(sentence: str) -> bool:
    """Whether the sentence opens with a pronoun or connective that refers to the one before."""
    return (
        _POINTING_OPENER_PATTERN.match(sentence) is not None
        or _CONNECTIVE_OPENER_PATTERN.match(sentence) is not None
    )
