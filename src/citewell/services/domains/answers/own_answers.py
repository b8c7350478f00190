"""Answers from our own search: quotations of the pages found, or a model that writes from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from citewell.model.counted_words import pluralize
from citewell.model.domains.grounded_answer import AnswerCitation
from citewell.model.research import (
    RESEARCH_TIERS,
    ClaimRelation,
    GroundingPassage,
    ProviderReport,
    ResearchRequest,
    WritingRequest,
)
from citewell.services.domains.answers.citation_verdicts import CheckedAnswer
from citewell.services.research.analysis.answer_choice import ChosenWindow, choose_answer
from citewell.services.research.analysis.page_analysis import PageAnalysis, analyse_pages
from citewell.services.research.analysis.question_coverage import AnswerState, judge_coverage
from citewell.services.research.planning.research_plan import build_research_plan
from citewell.services.research.reporting.extractive_report import describe_refusal
from citewell.services.research.reporting.window_lines import (
    complete_window,
    render_window_lines,
)
from citewell.services.research.step_values import PageLead, PageReading, PageReadings, ResearchPlan
from citewell.text.passages.page_units import join_unit_texts
from citewell.text.questions import research_prompts
from citewell.text.web import addresses

ANSWER_TIER = RESEARCH_TIERS["XXS"]  # how much is searched and read for one answer
_ANSWER_WORDS = 120  # of quotations; the window that passes this number is the last
_LEAST_ANSWER_COVERAGE = 0.45  # of a part of the question, in the best passage for it
_LEAST_SCORE_SHARE = 0.75  # of the best passage's score, for the passages after it
_MAX_WRITTEN_TOKENS = 1200
NO_MODEL_NOTE = (
    "No model wrote this answer: it consists of passages quoted word for word from the pages cited."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class GatheredPages:
    """The plan for a question, and the pages that were found and read for it."""

    plan: ResearchPlan
    leads: tuple[PageLead, ...] = ()
    pages: tuple[PageReading, ...] = ()


def plan_answer(query: str) -> ResearchPlan:
    return build_research_plan(query, ANSWER_TIER)


def quote_answer(gathered: GatheredPages) -> CheckedAnswer:
    """The passages that answer the question, each with its citation; without any, why not."""
    found = analyse_pages(gathered.plan, PageReadings(pages=gathered.pages))
    coverage = judge_coverage(found)
    chosen = choose_answer(found)
    notes = _describe_unread(gathered.pages)
    windows = _take_words(found, _keep_answering(found, chosen.answer))
    if coverage.state is not AnswerState.ANSWERED or not windows:
        near = (
            AnswerState.NOTHING_FOUND if coverage.state is AnswerState.ANSWERED else coverage.state
        )
        refusal = describe_refusal(replace(coverage, state=near), pages=len(found.pages))
        return CheckedAnswer(text=refusal, citations=(), notes=notes)
    order = list(dict.fromkeys(one.window.page for one in windows))
    lines = [
        render_window_lines(
            complete_window(found, one.window),
            mark=f"[{order.index(one.window.page) + 1}]",
            remark="",
        )
        for one in windows
    ]
    citations = tuple(_cite_quoted_page(found, page, windows) for page in order)
    return CheckedAnswer(
        text="\n".join(lines).strip(), citations=citations, notes=(NO_MODEL_NOTE, *notes)
    )


def _keep_answering(found: PageAnalysis, windows: Sequence[ChosenWindow]) -> list[ChosenWindow]:
    """The windows that answer a part of the question about as well as the best one, if that does.

    A report may show what is only near; an answer that somebody takes at its word may not.
    """
    kept = []
    for one in windows:
        best = [found.windows[part][0] for part in one.parts if found.windows[part]]
        if any(
            one.window.score >= _LEAST_SCORE_SHARE * first.score
            and first.coverage >= _LEAST_ANSWER_COVERAGE
            for first in best
        ):
            kept.append(one)
    return kept


def _take_words(found: PageAnalysis, windows: Sequence[ChosenWindow]) -> list[ChosenWindow]:
    taken: list[ChosenWindow] = []
    words = 0
    for one in windows:
        if words >= _ANSWER_WORDS:
            break
        taken.append(one)
        words += sum(unit.words for unit in found.list_window_units(one.window))
    return taken


def _cite_quoted_page(
    found: PageAnalysis, page: int, windows: Sequence[ChosenWindow]
) -> AnswerCitation:
    reading = found.pages[page]
    quoted = [
        join_unit_texts(found.list_window_units(one.window))
        for one in windows
        if one.window.page == page
    ]
    return AnswerCitation(
        url=reading.url,
        title=reading.title or None,
        published_date=(reading.published or "")[:10] or None,
        checked=True,
        relation=ClaimRelation.SUPPORTS.value,
        snippet=quoted[0],
        score=1.0,
    )


def _describe_unread(pages: Sequence[PageReading]) -> tuple[str, ...]:
    lost = sum(1 for page in pages if not page.is_read)
    return (
        (f"{lost} of {len(pages)} {pluralize(len(pages), 'page')} could not be read.",)
        if lost
        else ()
    )


def build_writing_request(
    query: str, passages: tuple[GroundingPassage, ...], *, tag: str
) -> WritingRequest:
    ask = ResearchRequest(query=query, tier=ANSWER_TIER, tag=tag, passages=passages)
    return WritingRequest(
        instructions=f"{research_prompts.PASSAGE_INSTRUCTIONS} Answer in a few sentences.",
        material=research_prompts.build_passages_prompt(ask),
        tag=tag,
        max_tokens=_MAX_WRITTEN_TOKENS,
    )


def cite_passages(report: ProviderReport, passages: tuple[GroundingPassage, ...]) -> ProviderReport:
    """A model's text with the passages that it names by number as citations."""
    text = research_prompts.strip_thinking(report.text)
    cited = research_prompts.find_numbered_citations(text, passages)
    return report.model_copy(update={"text": text, "citations": cited})


def find_readings(
    leads: Sequence[PageLead], pages: Sequence[PageReading]
) -> tuple[PageReading, ...]:
    """For each lead the reading with its address; one without text if there is none."""
    known = {addresses.build_page_key(page.url): page for page in pages}
    return tuple(
        known.get(addresses.build_page_key(lead.url))
        or PageReading(url=lead.url, title=lead.title, state="unchecked", reason="It was not read.")
        for lead in leads
    )
