"""The local research engine: it needs no model and no key, and only quotes what it has read.

`build_source_registry`, `collect_statements` and `analyse_readings` are pure: the same plan and the
same readings give the same result.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from citewell.model.counted_words import pluralize
from citewell.model.page import LIBRARY_ID_PREFIX
from citewell.model.research import ResearchFindings, ResearchSource, ResearchTier
from citewell.services.research.analysis import search_gaps
from citewell.services.research.analysis.answer_choice import choose_answer
from citewell.services.research.analysis.compared_figures import compare_figures
from citewell.services.research.analysis.model_passages import collect_passages
from citewell.services.research.analysis.page_analysis import PageAnalysis, analyse_pages
from citewell.services.research.analysis.page_corroboration import find_corroboration
from citewell.services.research.analysis.question_coverage import (
    AnswerState,
    QuestionCoverage,
    judge_coverage,
)
from citewell.services.research.analysis.quoted_statements import quote_best_windows
from citewell.services.research.claims import claim_building
from citewell.services.research.claims.claim_building import ClaimSet
from citewell.services.research.collecting import research_rounds, source_kinds
from citewell.services.research.collecting.research_rounds import ResearchPorts
from citewell.services.research.planning.research_plan import build_research_plan as planned
from citewell.services.research.planning.thread_context import describe_left_out
from citewell.services.research.reporting import follow_on_questions
from citewell.services.research.reporting.extractive_report import ExtractiveReport
from citewell.services.research.step_values import (
    LOCAL_PROVIDER,
    PageLeads,
    PageReading,
    PageReadings,
    ResearchPlan,
)
from citewell.text.web import addresses

_MAX_LOCAL_CLAIMS = 60  # of a report at most


def _build_page_sources(
    pages: Sequence[PageReading], copies: Sequence[int], provider: str
) -> tuple[ResearchSource, ...]:
    return tuple(
        build_page_source(page, place, copies[place], (provider,))
        for place, page in enumerate(pages)
    )


def build_page_source(
    page: PageReading,
    place: int,
    first: int,
    providers: tuple[str, ...],
    *,
    archived_url: str | None = None,
) -> ResearchSource:
    """The source of the page at `place`; `first` is the place of the page whose text it repeats."""
    own = page.url.startswith(LIBRARY_ID_PREFIX)
    return ResearchSource(
        ref=f"src_{place + 1}",
        url=page.url,
        title=page.title,
        domain="library" if own else addresses.format_host_name(page.url),
        type=page.source_type or source_kinds.name_source_type(page.url),
        published=page.published,
        retrieved_at=page.retrieved_at,
        sha256=page.sha256,
        state=page.state,
        reputation=page.reputation,
        archived_url=archived_url,
        copy_of=None if first == place else f"src_{first + 1}",
        providers=providers,
        is_private=page.is_private or own,
        address=page.address or None,
    )


def analyse_readings(
    plan: ResearchPlan, readings: PageReadings, *, notes: Iterable[str] = (), salt: str = ""
) -> ResearchFindings:
    """Findings from the pages alone: claims, evidence, disagreements and the report."""
    found = analyse_pages(plan, readings)
    sources = _build_page_sources(found.pages, found.copy_origins, LOCAL_PROVIDER)
    refs = [source.ref for source in sources]
    said = quote_best_windows(found)
    built = claim_building.build_claims(
        (*said, *find_corroboration(found, said, refs=refs)), language=plan.language, salt=salt
    ).keep_first_claims(_MAX_LOCAL_CLAIMS)
    told = (*notes, *_describe_unread_pages(readings))
    return assemble_findings(found, built, sources, refs=refs, notes=told)


def assemble_findings(
    found: PageAnalysis,
    built: ClaimSet,
    sources: tuple[ResearchSource, ...],
    *,
    refs: Sequence[str],
    notes: Iterable[str],
    quoted: Mapping[tuple[str, int, int], str] | None = None,
    encoder: str = "",
) -> ResearchFindings:
    """The findings with their report; `refs` gives src_N for each page of the analysis.

    `quoted` has the places that the thread quoted before, each with the job that did.
    """
    coverage = judge_coverage(found)
    if coverage.state is AnswerState.ANSWERED:
        built = built.add_tables(compare_figures(found, refs=refs))
    chosen = choose_answer(found, quoted=quoted or {})
    if chosen.left_out:
        notes = (*notes, describe_left_out(chosen.left_out))
    report = ExtractiveReport(found, built, sources, refs=refs, encoder=encoder)
    not_found = list_missing_questions(coverage, found)
    return ResearchFindings(
        query=found.plan.asked or found.plan.query,
        synthesis=report.render_report(chosen, coverage),
        synthesis_by="extractive",
        sources=sources,
        claims=built.claims,
        evidence=built.evidence,
        value_tables=built.tables,
        follow_ons=follow_on_questions.suggest_follow_ons(found, built, chosen, coverage),
        not_found=not_found,
        parts=tuple(part.text for part in found.parts),
        passages=collect_passages(found, refs=refs),
        notes=tuple(dict.fromkeys(notes)),
    )


def list_missing_questions(coverage: QuestionCoverage, found: PageAnalysis) -> tuple[str, ...]:
    """The parts of the question that stay open: all of it if its subject is on no page."""
    if coverage.state is not AnswerState.ANSWERED:
        return (found.plan.query,)
    return tuple(found.parts[at].text for at in coverage.missing_parts)


def _describe_unread_pages(readings: PageReadings) -> tuple[str, ...]:
    lost = [page for page in readings.pages if not page.is_read]
    if not lost:
        return ()
    return (
        f"{len(lost)} of {len(readings.pages)} {pluralize(len(readings.pages), 'page')} could not be read.",
    )


async def run_local_research(
    query: str, tier: ResearchTier, ports: ResearchPorts, *, year: int | None = None, salt: str = ""
) -> ResearchFindings:
    """Run all rounds at once, without a durable job."""
    plan = planned(query, tier, year=year)
    readings, searched, notes = PageReadings(), list[str](), list[str]()
    wanted: Sequence[str] = plan.queries
    for number in range(1, plan.rounds + 1):
        leads = await research_rounds.search_round(
            plan, ports, queries=wanted, known=[page.url for page in readings.pages]
        )
        searched += wanted
        notes += leads.notes
        fresh = await _fetch_chosen_pages(leads, readings, plan, ports, number)
        if not fresh.pages:
            break
        readings = readings.join_readings(fresh)
        wanted = search_gaps.find_gap_queries(plan, readings, searched=searched)
        if not wanted:
            break
    return analyse_readings(plan, readings, notes=notes, salt=salt)


async def _fetch_chosen_pages(
    leads: PageLeads,
    readings: PageReadings,
    plan: ResearchPlan,
    ports: ResearchPorts,
    number: int,
) -> PageReadings:
    known = [page.url for page in readings.pages]
    chosen = research_rounds.choose_leads(
        leads, max_pages=plan.count_pages_left(number, len(known)), already_read=known
    )
    return await research_rounds.fetch_round(chosen, ports)
