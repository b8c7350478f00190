"""Chooses from the pages: the windows of an answer, and the passages for a model or assistant to write from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from citewell.core.values.research import ClaimRelation, EvidencePassage, GroundingPassage
from citewell.jobs.step_values import LOCAL_PROVIDER, PageReadings, ResearchPlan
from citewell.research.claims import source_kinds
from citewell.research.claims.claim_building import SourcedStatement
from citewell.research.pages.page_analysis import PageAnalysis, analyse_pages, format_unit_text
from citewell.research.pages.question_coverage import AnswerState, judge_coverage
from citewell.text.passages import answer_windows
from citewell.text.passages.answer_windows import AnswerWindow
from citewell.text.passages.markdown_blocks import BlockKind
from citewell.text.passages.page_units import PageUnit, join_unit_texts

_ANSWER_WORDS = 250
_FURTHER_WORDS = 200
_MAX_SHARED_STEMS = 0.75  # of the shorter of two windows; more is a repetition
_MAX_COPIED_SHARE = 0.35  # of a window's words in sentences that were taken already
_SURE_WINDOWS = 3  # of a part, shown even if they are far behind the best
# Windows with less than this share of the best one's words are of another subject, unless they score
# nearly as well, as an encoder may see to.
_OFF_TOPIC_SHARE, _NEAR_BEST_SHARE = 0.45, 0.85
_LEAST_SCORE_SHARE = 0.6  # of the best score, for the windows after these

_MAX_COMPARED_STATEMENTS = 240  # compared with one another
_MAX_PART_WINDOWS = 40
_MIN_STATEMENT_WORDS = 4
_LEAST_CLAIM_SHARE = 0.4  # of the best score: what is further off is no claim on the question

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
    longest = max(map(len, found.windows), default=0)
    in_turn = (row[at] for at in range(longest) for row in found.windows if at < len(row))
    for window in in_turn:
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
    headings = [heading for heading in units[0].headings if " ".join(heading.split()) != title]
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
        words = format_unit_text(unit)
        if unit.kind is not BlockKind.PARAGRAPH:
            text += f"\n- {words}"
        else:
            text += f" {words}" if before is BlockKind.PARAGRAPH else f"\n{words}"
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


# The sentences, items and rows of the best windows as statements, each quoted from its page.


def quote_best_windows(
    found: PageAnalysis, *, refs: Mapping[str, str] | None = None
) -> tuple[SourcedStatement, ...]:
    """The statements of the best windows; `refs` gives src_N by address, else pages count from 1."""
    names = [
        (refs or {}).get(page.url) or f"src_{place + 1}" for place, page in enumerate(found.pages)
    ]
    if judge_coverage(found).state is not AnswerState.ANSWERED:
        return ()  # what is near to another subject is no claim on this one
    seen: dict[tuple[int, int], SourcedStatement] = {}
    for part, window in _iterate_in_turn(found):
        for place in range(window.first, window.last + 1):
            key = (window.page, place)
            quoted = _take_quoted_units(found.index.pages[window.page].units, place)
            if key not in seen and quoted:
                seen[key] = _quote_units(found, part, window, quoted, names)
        if len(seen) >= _MAX_COMPARED_STATEMENTS:
            break
    return tuple(seen.values())


def _iterate_in_turn(found: PageAnalysis) -> Iterator[tuple[int, AnswerWindow]]:
    """The best window of every part, then the second of every part, and so on."""
    for place in range(_MAX_PART_WINDOWS):
        for part, windows in enumerate(found.windows):
            if place >= len(windows):
                continue
            if windows[place].score >= _LEAST_CLAIM_SHARE * windows[0].score:
                yield part, windows[place]


def _can_be_claim(unit: PageUnit) -> bool:
    """Whether a unit states something by itself: no question, no lead-in, no word on the site."""
    return (
        unit.words >= _MIN_STATEMENT_WORDS
        and not unit.text.endswith(("?", "？", "؟", ":", "："))
        and not answer_windows.has_navigation_words(unit.text)
    )


def _take_quoted_units(units: Sequence[PageUnit], place: int) -> tuple[PageUnit, ...]:
    """A unit that can be a claim, after the sentence that it points back to; empty if it cannot."""
    unit = units[place]
    if not _can_be_claim(unit):
        return ()
    if not answer_windows.needs_previous_sentence(unit.text):
        return (unit,)
    before = units[place - 1] if place else None
    if before is None or before.block != unit.block or before.kind is not BlockKind.PARAGRAPH:
        return ()  # nobody could tell what it is about
    return (before, unit)


def _quote_units(
    found: PageAnalysis,
    part: int,
    window: AnswerWindow,
    units: Sequence[PageUnit],
    names: Sequence[str],
) -> SourcedStatement:
    """The last of the units as a statement, with all of them as its snippet."""
    page = found.pages[window.page]
    kind = source_kinds.classify_source(page.url, page_kind=page.page_kind)
    return SourcedStatement(
        text=format_unit_text(units[-1]),
        provider=LOCAL_PROVIDER,
        source=names[window.page],
        owner=source_kinds.identify_source_owner(page.url),
        source_weight=source_kinds.weigh_source(kind, page.reputation),
        source_kind=kind,
        support=1.0,
        relation=ClaimRelation.SUPPORTS,
        snippet=format_unit_text(units[0]) if len(units) == 1 else join_unit_texts(units),
        start=units[0].start,
        end=units[-1].end,
        facet=found.parts[part].text if len(found.parts) > 1 else None,
        published=page.published,
        relevance=max(0.0, min(1.0, window.score)),
        origin=names[window.page],
    )


# Chooses the windows of the answer: the best of every part in turn, none that repeats another.


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenWindow:
    window: AnswerWindow
    parts: tuple[int, ...]  # of the question that it answers


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenAnswer:
    answer: tuple[ChosenWindow, ...]
    further: tuple[ChosenWindow, ...]  # what else the pages say, for the next section
    left_out: tuple[str, ...] = ()  # for each window quoted before in the thread, the job that did


class _WindowPicker:
    """Takes windows that neither overlap nor repeat what was taken before."""

    def __init__(self, found: PageAnalysis, quoted: Mapping[tuple[str, int, int], str]) -> None:
        self._found = found
        self._quoted = quoted
        self._taken: list[tuple[AnswerWindow, frozenset[str]]] = []
        self._chosen_texts: set[str] = set()  # sentences, items and rows of the windows taken
        self.left_out: dict[tuple[int, int], str] = {}  # the job that quoted a window before
        self.queues = [self._iterate_fresh(part) for part in range(len(found.windows))]

    def count_words(self, chosen: ChosenWindow) -> int:
        return sum(unit.words for unit in self._found.list_window_units(chosen.window))

    def _iterate_fresh(self, part: int) -> Iterator[AnswerWindow]:
        windows = self._found.windows[part]
        least = _LEAST_SCORE_SHARE * windows[0].score if windows else 0.0
        off_topic = _OFF_TOPIC_SHARE * max((item.coverage for item in windows), default=0.0)
        given = left_out = 0
        for window in windows:
            # Where the best was quoted before, worse passages are no substitute.
            is_sure = given < _SURE_WINDOWS and not left_out
            if window.score < (0.5 * least if is_sure else least):
                return
            if window.coverage < off_topic and window.score < _NEAR_BEST_SHARE * windows[0].score:
                continue
            if job := self._find_quoting_job(window):
                left_out += 1
                self.left_out[(window.page, window.first)] = job
                continue
            units = self._found.list_window_units(window)
            stems = frozenset(stem for unit in units for stem in unit.stems)
            if self._repeats(window, stems):
                continue
            self._taken.append((window, stems))
            self._chosen_texts |= {unit.text for unit in self._found.list_window_units(window)}
            given += 1
            yield window

    def _repeats(self, window: AnswerWindow, stems: frozenset[str]) -> bool:
        units = self._found.list_window_units(window)
        words = sum(unit.words for unit in units)
        twice = sum(unit.words for unit in units if unit.text in self._chosen_texts)
        if twice > _MAX_COPIED_SHARE * words:
            return True
        for other, held in self._taken:
            if other.page == window.page and not (
                window.last < other.first or window.first > other.last
            ):
                return True
            if len(stems & held) > _MAX_SHARED_STEMS * max(1, min(len(stems), len(held))):
                return True
        return False

    def _find_quoting_job(self, window: AnswerWindow) -> str | None:
        """The earlier job of the thread that quoted some of this window."""
        units = self._found.list_window_units(window)
        sha256 = self._found.pages[window.page].sha256 or ""
        return next(
            (
                job
                for (page, start, end), job in self._quoted.items()
                if sha256 == page and start < units[-1].end and units[0].start < end
            ),
            None,
        )


def choose_answer(
    found: PageAnalysis, *, quoted: Mapping[tuple[str, int, int], str] | None = None
) -> ChosenAnswer:
    """The windows of the answer and of the section after it.

    `quoted` are places that earlier jobs of the thread quoted (the page's sha256, start and end),
    each with its job.
    """
    picker = _WindowPicker(found, quoted or {})
    answer = _join_shared_parts(found, _fill_words(picker, len(found.windows), _ANSWER_WORDS))
    further = _fill_words(picker, len(found.windows), _FURTHER_WORDS)
    return ChosenAnswer(
        answer=tuple(answer), further=tuple(further), left_out=tuple(picker.left_out.values())
    )


def _join_shared_parts(found: PageAnalysis, chosen: list[ChosenWindow]) -> list[ChosenWindow]:
    """A window that is the best for a second part too answers both, and is printed once."""
    joined = list(chosen)
    for part, windows in enumerate(found.windows):
        if not windows:
            continue
        best = windows[0]
        for at, item in enumerate(joined):
            if part not in item.parts and item.window.page == best.page:
                overlap = best.first <= item.window.last and item.window.first <= best.last
                if overlap:
                    joined[at] = ChosenWindow(window=item.window, parts=(*item.parts, part))
                    break
    return joined


def _fill_words(picker: _WindowPicker, parts: int, words: int) -> list[ChosenWindow]:
    """One window of each part in turn until there are enough words; ordered by part in the end."""
    chosen: list[ChosenWindow] = []
    used, open_parts = 0, list(range(parts))
    while open_parts and used < words:
        for part in tuple(open_parts):
            window = next(picker.queues[part], None)
            if window is None:
                open_parts.remove(part)
                continue
            taken = ChosenWindow(window=window, parts=(part,))
            chosen.append(taken)
            used += picker.count_words(taken)
    return chosen
