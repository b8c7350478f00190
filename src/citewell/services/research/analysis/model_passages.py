"""The best passages of the pages we read, for a model or an assistant that writes from them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from citewell.model.research import EvidencePassage, GroundingPassage
from citewell.services.research.analysis.page_analysis import PageAnalysis, analyse_pages
from citewell.services.research.analysis.quoted_statements import format_unit_text
from citewell.services.research.step_values import PageReadings, ResearchPlan
from citewell.text.passages.answer_windows import AnswerWindow
from citewell.text.passages.markdown_blocks import BlockKind
from citewell.text.passages.page_units import PageUnit

MAX_GIVEN_PASSAGES = 24
MAX_GIVEN_CHARS = 12_000  # of all passages together
_MAX_HEADINGS = 2  # the nearest above a passage
_MAX_HEADING_CHARS = 160


def collect_passages(
    found: PageAnalysis, *, refs: Sequence[str], max_chars: int = MAX_GIVEN_CHARS
) -> tuple[EvidencePassage, ...]:
    """The best passage of every part of the question in turn, then the second of every part, and so on.

    `refs` gives src_N for each page. No sentence is in two passages.
    """
    taken: dict[int, set[int]] = {}
    chosen: list[EvidencePassage] = []
    used = 0
    for window in _iterate_windows(found):
        places = _choose_fresh_places(found, window, taken.setdefault(window.page, set()))
        if not places:
            continue
        passage = _build_passage(found, window.page, places, refs[window.page])
        if used + len(passage.text) > max_chars:
            continue
        taken[window.page].update(places)
        chosen.append(passage)
        used += len(passage.text)
        if len(chosen) == MAX_GIVEN_PASSAGES:
            break
    return tuple(chosen)


def _iterate_windows(found: PageAnalysis) -> Iterator[AnswerWindow]:
    for place in range(max(map(len, found.windows), default=0)):
        for windows in found.windows:
            if place < len(windows):
                yield windows[place]


def _choose_fresh_places(found: PageAnalysis, window: AnswerWindow, taken: set[int]) -> list[int]:
    """The units of a window and of the passage around it; none if the window was taken before."""
    if taken.issuperset(range(window.first, window.last + 1)):
        return []
    passage = found.index.passages[window.passage]
    first, last = min(window.first, passage.first), max(window.last, passage.last)
    return [place for place in range(first, last + 1) if place not in taken]


def _build_passage(
    found: PageAnalysis, page: int, places: Sequence[int], ref: str
) -> EvidencePassage:
    units = [found.index.pages[page].units[place] for place in places]
    title = " ".join(found.pages[page].title.split())
    headings = [one for one in units[0].headings if " ".join(one.split()) != title]
    above = " › ".join(headings[-_MAX_HEADINGS:])
    return EvidencePassage(
        ref=ref,
        heading=above[:_MAX_HEADING_CHARS],
        text=_join_units(units),
        start=units[0].start,
        end=units[-1].end,
    )


def _join_units(units: Sequence[PageUnit]) -> str:
    """Sentences in a line, list items and rows of a table each on a line of its own."""
    text = ""
    before = BlockKind.PARAGRAPH
    for unit in units:
        said = format_unit_text(unit)
        if unit.kind is not BlockKind.PARAGRAPH:
            text += f"\n- {said}"
        else:
            text += f" {said}" if before is BlockKind.PARAGRAPH else f"\n{said}"
        before = unit.kind
    return text.strip()


def choose_passages(plan: ResearchPlan, readings: PageReadings) -> tuple[GroundingPassage, ...]:
    """The best passages of these pages, numbered from 1, for a model that cannot search."""
    found = analyse_pages(plan, readings)
    names = [str(place) for place in range(len(found.pages))]
    chosen = collect_passages(found, refs=names)
    return tuple(
        GroundingPassage(
            number=number,
            url=page.url,
            title=page.title,
            text=passage.text,
            heading=passage.heading,
            published=page.published or "",
        )
        for number, passage in enumerate(chosen, start=1)
        for page in [found.pages[int(passage.ref)]]
    )
