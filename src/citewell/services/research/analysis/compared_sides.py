"""For a question that compares two things: the best sentences on each of them alone."""

from __future__ import annotations

from dataclasses import dataclass

from citewell.services.research.analysis.page_analysis import PageAnalysis
from citewell.text.passages.answer_windows import AnswerWindow
from citewell.text.passages.page_units import PageUnit, list_passage_terms
from citewell.text.passages.sentence_openings import needs_previous_sentence
from citewell.text.questions import question_parts

_MAX_SIDE_WINDOWS = 30  # of the ranking, among which both sides must be
_MAX_SIDE_WORDS = 60  # quoted for one side


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedSide:
    """What is said of one of the two subjects."""

    subject: str
    page: int
    units: tuple[PageUnit, ...]
    rank: int  # of its window, from 0


def find_compared_sides(found: PageAnalysis) -> tuple[ComparedSide, ...]:
    """A side for each of the two subjects; nothing unless both are spoken of apart."""
    subjects = question_parts.find_compared_subjects(found.plan.query)
    if subjects is None or not found.windows:
        return ()
    language = found.plan.language
    first, second = (set(list_passage_terms(one, language=language)) for one in subjects)
    own, other = first - second, second - first
    if not own or not other:
        return ()
    sides = (
        _find_side(found, subjects[0], own, other),
        _find_side(found, subjects[1], other, own),
    )
    return tuple(side for side in sides if side is not None) if all(sides) else ()


def _find_side(
    found: PageAnalysis, subject: str, own: set[str], other: set[str]
) -> ComparedSide | None:
    for rank, window in enumerate(found.windows[0][:_MAX_SIDE_WINDOWS]):
        units = _keep_side_units(found, window, own, other)
        if units:
            return ComparedSide(subject=subject, page=window.page, units=units, rank=rank)
    return None


def _keep_side_units(
    found: PageAnalysis, window: AnswerWindow, own: set[str], other: set[str]
) -> tuple[PageUnit, ...]:
    """The first units of a window that are about the one subject and not about the other."""
    page = found.index.pages[window.page]
    kept: list[PageUnit] = []
    words = 0
    for unit in found.list_window_units(window):
        above = set(list_passage_terms(" ".join(unit.headings[-1:]), language=page.language))
        held = set(unit.stems)
        is_own = own <= held or own <= above
        fits = not other & held and words + unit.words <= _MAX_SIDE_WORDS
        if fits and (kept or (is_own and not needs_previous_sentence(unit.text))):
            kept.append(unit)
            words += unit.words
        elif kept:
            break
    return tuple(kept)
