"""Research without a durable job, for tests and benchmarks: all rounds at once, on our own pages alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from citewell.core.values.research import ResearchFindings, ResearchTier
from citewell.jobs.step_values import PageReadings, ResearchPlan
from citewell.research.combined_findings import GatheredMaterial, combine_findings
from citewell.research.pages import question_coverage, research_rounds
from citewell.research.pages.research_rounds import ResearchPorts
from citewell.research.planning.research_plan import build_research_plan


def analyse_readings(
    plan: ResearchPlan, readings: PageReadings, *, notes: Iterable[str] = (), salt: str = ""
) -> ResearchFindings:
    """The findings of a job that asked no paid provider."""
    gathered = GatheredMaterial(plan=plan, own_readings=readings, notes=tuple(notes))
    return combine_findings(gathered, salt=salt)


async def run_local_research(
    query: str, tier: ResearchTier, ports: ResearchPorts, *, year: int | None = None, salt: str = ""
) -> ResearchFindings:
    plan = build_research_plan(query, tier, year=year)
    readings, searched, notes = PageReadings(), list[str](), list[str]()
    wanted: Sequence[str] = plan.queries
    for number in range(1, plan.rounds + 1):
        known = [page.url for page in readings.pages]
        leads = await research_rounds.search_round(plan, ports, queries=wanted, known=known)
        searched += wanted
        notes += leads.notes
        chosen = research_rounds.choose_leads(
            leads, max_pages=plan.count_pages_left(number, len(known)), already_read=known
        )
        fresh = await research_rounds.fetch_round(chosen, ports)
        if not fresh.pages:
            break
        readings = PageReadings(pages=(*readings.pages, *fresh.pages))
        wanted = question_coverage.find_gap_queries(plan, readings, searched=searched)
        if not wanted:
            break
    return analyse_readings(plan, readings, notes=notes, salt=salt)
