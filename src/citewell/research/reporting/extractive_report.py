"""Writes a report without a model: quotations with their sources, the answer first."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from citewell.core.values.research import ResearchSource, ValueTable
from citewell.jobs.step_values import trim_title
from citewell.research.claims.claim_building import ClaimSet
from citewell.research.claims.source_kinds import format_source_address, format_source_facts
from citewell.research.pages.answer_passages import ChosenAnswer, ChosenWindow
from citewell.research.pages.page_analysis import PageAnalysis
from citewell.research.pages.question_coverage import AnswerState, QuestionCoverage
from citewell.research.planning.thread_context import (
    describe_completion,
    describe_left_out,
    format_job_names,
)
from citewell.research.reporting.model_synthesis import SOURCES_HEADING
from citewell.research.reporting.quotations import ClaimMarks, complete_window, render_window_lines
from citewell.text import questions
from citewell.text.passages.answer_windows import AnswerWindow, needs_previous_sentence
from citewell.text.passages.page_units import PageUnit, join_unit_texts, list_passage_terms

_MAX_SIDE_WINDOWS = 30  # of the ranking, among which both sides must be
_MAX_SIDE_WORDS = 60  # quoted for one side

_MAX_DISPUTES, _MAX_TABLES = 6, 5
_MAX_CITATIONS = 4  # citations after one sentence
_MAX_PROVIDER_CLAIMS = 8
_LEADING_RANKS = 2
_MOST_OF_WINDOW = 0.6  # of its words in another place, for not printing it again
_REF_PATTERN = re.compile(r"\[(src_\d+)\]")
_METHOD_TEXT = (
    "This report was made without a language model. The passages of {pages} ({units} sentences, list"
    " items and table rows) were ranked by the words and headings they share with the question{encoder}."
    " Every quotation is word for word in its source, at the offsets given in the claim's evidence,"
    " without links and emphasis; words in square brackets are the heading or title above it."
    " A number of sources counts sites that say the same independently; it does not mean that a"
    " statement is true."
)


class ExtractiveReport:
    """The parts of one report, in the order in which they are printed."""

    def __init__(
        self,
        found: PageAnalysis,
        built: ClaimSet,
        sources: Sequence[ResearchSource],
        *,
        refs: Sequence[str],
        encoder: str = "",
    ) -> None:
        """`refs` gives src_N for each page of the analysis; `encoder` names the one that was used."""
        self._found = found
        self._built = built
        self._sources = sources
        self._refs = refs
        self._encoder = encoder
        self._marks = ClaimMarks(built, sources)

    def render_report(self, chosen: ChosenAnswer, coverage: QuestionCoverage) -> str:
        """The report as markdown: answer, more findings, disagreements, gaps, sources, method."""
        plan = self._found.plan
        body = [f"# {trim_title(_collapse_whitespace(plan.asked or plan.query))}"]
        # How a follow-up was understood, and what its thread has quoted before.
        remarks = [describe_completion(plan.query, plan.added)] if plan.asked else []
        remarks += [describe_left_out(chosen.left_out)] if chosen.left_out else []
        if remarks:
            body.append(f"*{' '.join(remarks)}*")
        body.append("## Answer")
        provider_claims = self._render_provider_claims()
        if provider_claims and not self._found.pages:
            body += provider_claims[1:]
            provider_claims = []
        elif coverage.state is AnswerState.ANSWERED and chosen.answer:
            body += self._render_answer(chosen.answer)
            body += self._render_section("More from the sources", chosen.further)
        else:
            pages = len(self._found.pages)
            body += [describe_refusal(coverage, pages=pages, quoted_by=chosen.left_out)]
            body += self._render_section("Nearest passages", chosen.answer[:4])
        body += provider_claims
        body += self._render_disagreements()
        body += _render_missing(coverage, self._found)
        text = "\n\n".join(body)
        units = sum(len(page.units) for page in self._found.index.pages)
        method = _METHOD_TEXT.format(
            pages=_format_page_count(len(self._found.pages)),
            units=units,
            encoder=f" and by their meaning ({self._encoder})" if self._encoder else "",
        )
        parts = [text, *self._render_sources(text), "## Method", method]
        return "\n\n".join(parts) + "\n"

    def _render_answer(self, answer: Sequence[ChosenWindow]) -> list[str]:
        parts = self._found.parts
        if len(parts) == 1:
            return self._render_single_answer(answer)
        made, first = [], []
        for at, part in enumerate(parts):
            window = next((item for item in answer if at in item.parts), None)
            if window is not None and window in first:
                continue
            asked = [parts[other] for other in window.parts] if window else [part]
            label = " / ".join(_collapse_whitespace(each.text) for each in asked)
            text = self._render_windows([window]) if window else "No answer was found to this part."
            made.append(f"**{label}**\n\n{text}")
            first += [window] if window else []
        rest = [item for item in answer if item not in first]
        return [*made, *(["More on this:", self._render_windows(rest)] if rest else [])]

    def _render_single_answer(self, answer: Sequence[ChosenWindow]) -> list[str]:
        sides = find_compared_sides(self._found)
        rest = [item for item in answer if not self._is_printed_in(sides, item)]
        if not sides:
            return [self._render_windows(rest)]
        # Sides out of lesser passages come after the best ones.
        before = 0 if all(side.rank < _LEADING_RANKS for side in sides) else _LEADING_RANKS
        head, tail = self._render_windows(rest[:before]), self._render_windows(rest[before:])
        return [text for text in (head, self._render_sides(sides), tail) if text]

    def _render_sides(self, sides: Iterable[ComparedSide]) -> str:
        """The two subjects of a comparison in a table."""
        rows = [
            f"| {_escape_table_cell(side.subject)} |"
            f" {_escape_table_cell(join_unit_texts(side.units))} [{self._refs[side.page]}] |"
            for side in sides
        ]
        return "\n".join(["| compared | as stated |", "|---|---|", *rows])

    def _is_printed_in(self, sides: Iterable[ComparedSide], window: ChosenWindow) -> bool:
        """Whether the table of the two sides holds most of a window."""
        printed = {(side.page, unit.start) for side in sides for unit in side.units}
        units = self._found.list_window_units(window.window)
        words = sum(unit.words for unit in units)
        held = sum(unit.words for unit in units if (window.window.page, unit.start) in printed)
        return held > _MOST_OF_WINDOW * words

    def _render_section(self, title: str, windows: Sequence[ChosenWindow]) -> list[str]:
        return [f"## {title}", self._render_windows(windows)] if windows else []

    def _render_windows(self, windows: Iterable[ChosenWindow]) -> str:
        made = []
        for window in windows:
            shown = complete_window(self._found, window.window)
            ref = self._refs[window.window.page]
            others, remark = self._marks.describe_units(ref, shown.units)
            marks = format_citation_marks([ref, *others])
            made.append(render_window_lines(shown, mark=marks, remark=remark))
        return "\n".join(made)

    def _render_provider_claims(self) -> list[str]:
        """What the asked providers say, in the words of the sources that bear it out."""
        claims = [
            claim
            for claim in self._built.claims
            if set(claim.supporting_providers) - {"local"} and self._marks.list_backing(claim)
        ]
        lines = [self._marks.format_claim_line(claim) for claim in claims[:_MAX_PROVIDER_CLAIMS]]
        return ["## From the providers", "\n".join(lines)] if lines else []

    def _render_disagreements(self) -> list[str]:
        by_id = {claim.id: claim for claim in self._built.claims}
        pairs = [
            f"{self._marks.format_claim_line(by_id[conflict])}\n  against:\n{self._marks.format_claim_line(by_id[other])}"
            for conflict, other in self._built.conflicts[:_MAX_DISPUTES]
        ]
        tables = [_render_value_table(table) for table in self._built.tables[:_MAX_TABLES]]
        if not pairs and not tables:
            return []
        return ["## Where sources disagree", *(["\n".join(pairs)] if pairs else []), *tables]

    def _render_sources(self, text: str) -> list[str]:
        """The sources that the text cites, and how many others were read."""
        cited = set(_REF_PATTERN.findall(text))
        quoted = [source for source in self._sources if source.ref in cited]
        others = len(self._sources) - len(quoted)
        parts = [SOURCES_HEADING, "\n".join(_format_source_lines(quoted)) or "None."]
        were = "was" if others == 1 else "were"
        note = f"{_format_page_count(others, 'further ')} {were} read and not quoted."
        return [*parts, note] if others else parts


def describe_refusal(
    coverage: QuestionCoverage, *, pages: int, quoted_by: Sequence[str] = ()
) -> str:
    """Why there is no answer: nothing was found, or the pages do not name the subject."""
    refusal = "No page was found that answers this question"
    if coverage.missing_names:
        names = " or ".join(f"“{name}”" for name in coverage.missing_names)
        none = (
            "the page that was read does not mention"
            if pages == 1
            else (f"none of the {pages} pages that were read mentions")
        )
        return f"{refusal}: {none} {names}."
    if coverage.state is AnswerState.ANSWERED:
        see = f": see {format_job_names(quoted_by)}" if quoted_by else ""
        return f"{refusal} besides what this thread has quoted already{see}."
    return f"{refusal}."


def _render_missing(coverage: QuestionCoverage, found: PageAnalysis) -> list[str]:
    """What of the question no page holds."""
    lines = []
    if coverage.state is AnswerState.ANSWERED:
        if coverage.missing_words:
            words = ", ".join(coverage.missing_words)
            lines.append(f"- No page holds these words of the question: {words}")
        lines += [
            f"- Little was found on: {_collapse_whitespace(found.parts[at].text)}"
            for at in coverage.missing_parts
            if len(found.parts) > 1
        ]
    return ["## Not found", "\n".join(lines)] if lines else []


def _render_value_table(table: ValueTable) -> str:
    rows = "\n".join(
        f"| {_escape_table_cell(row.value)} | {(row.date or '')[:10] or '–'} |"
        f" {_escape_table_cell(row.snippet)} {format_citation_marks([row.source])} |"
        for row in table.rows
    )
    subject = _collapse_whitespace(table.subject)
    return f"**{subject}**\n\n| value | date | as stated |\n|---|---|---|\n{rows}"


def _format_source_lines(sources: Iterable[ResearchSource]) -> Iterator[str]:
    for source in sources:
        parts = [format_source_facts(source)]
        parts += [f"repeats {source.copy_of}" if source.copy_of else ""]
        parts += [f"archived: {source.archived_url}" if source.archived_url else ""]
        title = _collapse_whitespace(source.title) or source.url
        facts = ", ".join(filter(None, parts))
        yield f"- [{source.ref}] {title} ({facts}): {format_source_address(source)}"


def format_citation_marks(refs: Sequence[str]) -> str:
    return " ".join(f"[{ref}]" for ref in list(dict.fromkeys(refs))[:_MAX_CITATIONS])


def _format_page_count(count: int, kind: str = "") -> str:
    return f"{count} {kind}page{'' if count == 1 else 's'}"


def _collapse_whitespace(text: str) -> str:
    return " ".join(text.split())


def _escape_table_cell(text: str) -> str:
    return _collapse_whitespace(text).replace("|", "\\|") or "–"


# For a question that compares two things: the best sentences on each of them alone.


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedSide:
    """What is said of one of the two subjects."""

    subject: str
    page: int
    units: tuple[PageUnit, ...]
    rank: int  # of its window, from 0


def find_compared_sides(found: PageAnalysis) -> tuple[ComparedSide, ...]:
    """A side for each of the two subjects; nothing unless both are spoken of apart."""
    subjects = questions.find_compared_subjects(found.plan.query)
    if subjects is None or not found.windows:
        return ()
    language = found.plan.language
    first, second = (set(list_passage_terms(subject, language=language)) for subject in subjects)
    own, other = first - second, second - first
    if not own or not other:
        return ()
    sides = (_find_side(found, subjects[0], own, other), _find_side(found, subjects[1], other, own))
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
