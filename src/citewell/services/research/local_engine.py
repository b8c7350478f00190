"""The local research engine: it needs no model and no key, and only quotes what it has read.

`build_source_registry`, `collect_statements` and `analyse_readings` are pure: the same plan and the
same readings give the same result.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from citewell.model.page import LIBRARY_ID_PREFIX
from citewell.model.research import ClaimRelation, ResearchFindings, ResearchSource, ResearchTier
from citewell.services.research.analysis import search_gaps
from citewell.services.research.analysis.sentence_scoring import ScoredSentences, score_sentences
from citewell.services.research.claims import claim_building
from citewell.services.research.claims.claim_building import (
    SourcedStatement,
)
from citewell.services.research.collecting import research_rounds, source_kinds
from citewell.services.research.collecting.research_rounds import ResearchPorts
from citewell.services.research.planning.research_plan import build_research_plan as planned
from citewell.services.research.reporting import extractive_report, follow_on_questions
from citewell.services.research.step_values import (
    LOCAL_PROVIDER,
    PageLeads,
    PageReading,
    PageReadings,
    ResearchPlan,
)
from citewell.text.web import addresses

_MAX_COMPARED_SENTENCES = 400  # sentences that are compared with one another
_MAX_LOCAL_CLAIMS = 60  # of a report at most
_SEED_SENTENCES_PER_SIDE = (
    25  # best sentences of one side that are taken first, before the best of all
)


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


def quote_scored_sentences(
    done: ScoredSentences, *, refs: Mapping[str, str] | None = None
) -> tuple[SourcedStatement, ...]:
    """The same for sentences that are scored already."""
    names = [
        (refs or {}).get(page.url) or f"src_{place + 1}" for place, page in enumerate(done.pages)
    ]
    return tuple(
        _build_quotation(done, place, side, names) for place, side in _choose_sentences(done)
    )


def _choose_sentences(done: ScoredSentences) -> list[tuple[int, int]]:
    """Indexes of the sentences to compare, each with the side that it scores best for."""
    sides = range(len(done.plan.sides))
    best: dict[int, int] = {}
    for place in range(len(done.sentences)):
        # The question itself is the first side and gets the sentences that fit no other.
        fitting = [side for side in sides if done.is_about_side(side, place)]
        if fitting:
            best[place] = max(fitting, key=lambda side: (done.scores[side][place], -side))

    def order(place: int) -> tuple[float, str, int]:
        return -done.scores[best[place]][place], done.sentences[place].text, place

    ranked = sorted(best, key=order)
    seeds = [
        place
        for side in sides
        for place in [at for at in ranked if best[at] == side][:_SEED_SENTENCES_PER_SIDE]
    ]
    kept = list(dict.fromkeys((*seeds, *ranked)))[:_MAX_COMPARED_SENTENCES]
    return [(place, best[place]) for place in kept]


def _build_quotation(
    done: ScoredSentences, place: int, side: int, names: Sequence[str]
) -> SourcedStatement:
    found = done.sentences[place]
    page = done.pages[found.page_index]
    start = found.context_span[0] if found.context_span else found.start
    return SourcedStatement(
        text=found.text,
        provider=LOCAL_PROVIDER,
        source=names[found.page_index],
        owner=source_kinds.identify_source_owner(page.url),
        source_weight=source_kinds.weigh_source(
            source_kinds.classify_source(page.url, page_kind=page.page_kind), page.reputation
        ),
        support=1.0,
        relation=ClaimRelation.SUPPORTS,
        snippet=page.text[start : found.end],
        start=start,
        end=found.end,
        facet=done.plan.sides[side].title,
        published=page.published,
        relevance=done.scores[side][place],
        origin=names[found.page_index],
    )


def analyse_readings(
    plan: ResearchPlan, readings: PageReadings, *, notes: Iterable[str] = (), salt: str = ""
) -> ResearchFindings:
    """Findings from the pages alone: claims, evidence, disagreements and the report."""
    done = score_sentences(plan, readings)
    sources = _build_page_sources(done.pages, done.copy_origins, LOCAL_PROVIDER)
    built = claim_building.build_claims(
        quote_scored_sentences(done), language=plan.language, salt=salt
    ).keep_first_claims(_MAX_LOCAL_CLAIMS)
    not_found = tuple(
        plan.sides[side].title
        for side in search_gaps.list_missing_sides(done)
        if side or not done.sentences
    )
    told = (*notes, *_describe_unread_pages(readings))
    return ResearchFindings(
        query=plan.query,
        synthesis=extractive_report.render_extractive_report(
            plan,
            built,
            sources,
            not_found=not_found,
            pages=len(done.pages),
            sentences=len(done.sentences),
        ),
        synthesis_by="extractive",
        sources=sources,
        claims=built.claims,
        evidence=built.evidence,
        value_tables=built.tables,
        follow_ons=follow_on_questions.suggest_follow_ons(plan, built, not_found=not_found),
        not_found=not_found,
        notes=tuple(dict.fromkeys(told)),
    )


def _describe_unread_pages(readings: PageReadings) -> tuple[str, ...]:
    lost = [page for page in readings.pages if not page.is_read]
    if not lost:
        return ()
    return (f"{len(lost)} of {len(readings.pages)} pages could not be read.",)


async def run_local_research(
    query: str, tier: ResearchTier, ports: ResearchPorts, *, year: int | None = None, salt: str = ""
) -> ResearchFindings:
    """Run all rounds at once, without a durable job."""
    plan = planned(query, tier, year=year)
    readings, searched, notes = PageReadings(), list[str](), list[str]()
    wanted: Sequence[str] = plan.queries
    for _ in range(plan.rounds):
        leads = await research_rounds.search_round(
            plan, ports, queries=wanted, known=[page.url for page in readings.pages]
        )
        searched += wanted
        notes += leads.notes
        fresh = await _fetch_chosen_pages(leads, readings, plan, ports)
        if not fresh.pages:
            break
        readings = readings.join_readings(fresh)
        wanted = search_gaps.find_gap_queries(plan, readings, searched=searched)
        if not wanted:
            break
    return analyse_readings(plan, readings, notes=notes, salt=salt)


async def _fetch_chosen_pages(
    leads: PageLeads, readings: PageReadings, plan: ResearchPlan, ports: ResearchPorts
) -> PageReadings:
    known = [page.url for page in readings.pages]
    chosen = research_rounds.choose_leads(
        leads, max_pages=plan.pages - len(known), already_read=known
    )
    return await research_rounds.fetch_round(chosen, ports)
