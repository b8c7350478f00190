"""Combines what the local engine and the paid providers found into one set of findings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from citewell.core.values.citation_checks import PAGE_DEAD
from citewell.core.values.research import (
    ClaimEvidence,
    ClaimRelation,
    ProviderReport,
    ResearchFindings,
    ResearchSource,
)
from citewell.core.values.search_queries import LIBRARY_ID_PREFIX
from citewell.evidence.signs import repeated_texts
from citewell.evidence.signs.claim_support import SourceText, assess_support
from citewell.jobs.step_values import LOCAL_PROVIDER, PageReading, PageReadings, ResearchPlan
from citewell.research.claims import citation_check, claim_building, source_kinds
from citewell.research.claims.claim_building import ClaimSet, SourcedStatement
from citewell.research.pages import page_analysis
from citewell.research.pages.answer_passages import (
    choose_answer,
    collect_passages,
    quote_best_windows,
)
from citewell.research.pages.question_coverage import AnswerState, compare_figures, judge_coverage
from citewell.research.planning.thread_context import describe_left_out
from citewell.research.reporting.extractive_report import ExtractiveReport
from citewell.research.reporting.follow_on_questions import FollowOnSuggestions
from citewell.text import addresses
from citewell.text.passages import markdown_blocks
from citewell.text.passages.page_units import PageUnit, list_passage_terms

_MAX_LEADING_STATEMENTS = 10
_MIN_STATEMENT_STEMS = 5  # fewer words are shared by chance
_MIN_SHARED_STEMS = 0.8  # of the statement, in one sentence of the other page
_MIN_SUPPORT = 0.7
_RANK_FACTOR = 0.999  # keeps the statement itself before those that support it

_HEADING_SEPARATOR = " › "
_MAX_PLACE_CHARS = 200

_MAX_COMBINED_CLAIMS = 120  # at most, of all providers together


@dataclass(frozen=True, slots=True, kw_only=True)
class GatheredMaterial:
    """All pages and reports of a job, before they are compared."""

    plan: ResearchPlan
    own_readings: PageReadings = field(
        default_factory=PageReadings
    )  # pages that the local engine read
    # Cited addresses with the pages read there
    cited_readings: tuple[tuple[str, PageReading], ...] = ()
    reports: tuple[ProviderReport, ...] = ()
    notes: tuple[str, ...] = ()
    meaning: page_analysis.MeaningScores = field(
        default_factory=page_analysis.MeaningScores
    )  # by an encoder, if there is one
    # Places that earlier jobs of the thread quoted (the page's sha256, start, end), with the job.
    quoted: Mapping[tuple[str, int, int], str] = field(default_factory=dict)
    is_private: bool = False  # text of the library is in it, or was given to one of the models
    judged: citation_check.JudgedCitations = field(
        default_factory=dict
    )  # by another judge than words


def combine_findings(
    gathered: GatheredMaterial, *, salt: str, archived: Mapping[str, str] | None = None
) -> ResearchFindings:
    """The findings; the same material gives the same result.

    `salt` makes ids unique to the job; `archived` maps addresses of lost pages to archived copies.
    """
    pages = _merge_gathered_pages(gathered)
    sources = _build_combined_registry(gathered, pages, archived or {})
    refs = {addresses.build_page_key(source.url): source.ref for source in sources}
    texts = {
        addresses.build_page_key(url): refs[addresses.build_page_key(page.url)]
        for url, page in gathered.cited_readings
    } | refs
    own_refs = _index_refs_by_url(gathered.own_readings, refs)
    found = page_analysis.analyse_pages(
        gathered.plan, gathered.own_readings, closeness=gathered.meaning.closeness
    )
    rows = list(quote_best_windows(found, refs=own_refs))
    by_key = {addresses.build_page_key(page.url): page for page in gathered.own_readings.pages}
    by_key |= {addresses.build_page_key(url): page for url, page in gathered.cited_readings}
    check = citation_check.CitationCheck(by_key, texts, gathered.judged)
    page_refs = [own_refs[page.url] for page in found.pages]
    quotes = tuple(rows)
    leading = sorted(quotes, key=lambda row: -row.relevance)[:_MAX_LEADING_STATEMENTS]
    rows += [row for lead in leading for row in _find_supporting_rows(found, lead, page_refs)]
    for report in gathered.reports:
        rows += citation_check.join_shared_quotes(
            quotes, check.judge_statements(gathered.plan, report)
        )
    built = claim_building.build_claims(
        rows, language=gathered.plan.language, salt=salt
    ).keep_first_claims(_MAX_COMBINED_CLAIMS)
    built = replace(
        built,
        evidence=add_evidence_places(
            built.evidence,
            {source.ref: page.text for source, page in zip(sources, pages, strict=True)},
        ),
    )
    return assemble_findings(
        found,
        built,
        sources,
        refs=page_refs,
        notes=(
            *gathered.notes,
            *citation_check.describe_uncited_reports(gathered.reports),
            *_describe_citation_faults(built),
        ),
        quoted=gathered.quoted,
        encoder=gathered.meaning.encoder,
    )


def refine_missing_pages(gathered: GatheredMaterial, states: Mapping[str, str]) -> GatheredMaterial:
    """The material with a closer state for the cited pages that are dead, by their address."""
    return replace(
        gathered,
        cited_readings=tuple(
            (url, page.model_copy(update={"state": states.get(page.url, page.state)}))
            if page.state == PAGE_DEAD
            else (url, page)
            for url, page in gathered.cited_readings
        ),
    )


def _merge_gathered_pages(gathered: GatheredMaterial) -> tuple[PageReading, ...]:
    """Every page once: those we found and read, then those that were cited."""
    first: dict[str, PageReading] = {}
    for page in (*gathered.own_readings.pages, *(page for _, page in gathered.cited_readings)):
        key = addresses.build_page_key(page.url)
        if key not in first or (page.is_read and not first[key].is_read):
            first[key] = page
    own = {
        addresses.build_page_key(page.url) for page in gathered.own_readings.pages if page.is_read
    }
    cited = {addresses.build_page_key(page.url) for _, page in gathered.cited_readings}
    return tuple(page for key, page in first.items() if key in own | cited)


def _index_refs_by_url(readings: PageReadings, refs: Mapping[str, str]) -> dict[str, str]:
    return {
        page.url: refs[addresses.build_page_key(page.url)]
        for page in readings.pages
        if page.is_read
    }


def _build_combined_registry(
    gathered: GatheredMaterial, pages: Sequence[PageReading], archived: Mapping[str, str]
) -> tuple[ResearchSource, ...]:
    read = [place for place, page in enumerate(pages) if page.is_read]
    copies = repeated_texts.find_copied_originals(
        [pages[place].text for place in read], [pages[place].published for place in read]
    )
    first = {read[at]: read[origin] for at, origin in enumerate(copies)}
    who = _collect_page_finders(gathered)
    return tuple(
        build_page_source(
            page,
            place,
            first.get(place, place),
            who[addresses.build_page_key(page.url)],
            archived_url=archived.get(page.url),
        )
        for place, page in enumerate(pages)
    )


def _collect_page_finders(gathered: GatheredMaterial) -> dict[str, tuple[str, ...]]:
    """For each page, the providers that found or cited it."""
    names: dict[str, dict[str, None]] = {}
    for page in gathered.own_readings.pages:
        names.setdefault(addresses.build_page_key(page.url), {})[LOCAL_PROVIDER] = None
    landed = {
        addresses.build_page_key(url): addresses.build_page_key(page.url)
        for url, page in gathered.cited_readings
    }
    for report in gathered.reports:
        for url in dict.fromkeys(cited.url for cited in report.citations):
            key = addresses.build_page_key(url)
            names.setdefault(landed.get(key, key), {})[report.provider] = None
    for _, page in gathered.cited_readings:
        names.setdefault(addresses.build_page_key(page.url), {})
    return {key: tuple(found) for key, found in names.items()}


def _describe_citation_faults(built: ClaimSet) -> tuple[str, ...]:
    """A note for each kind of citation fault, with the number of claims that have it."""
    words = {
        "unsupported": ("is not supported by what it cites", "are not supported by what they cite"),
        "number_not_found": (
            "gives a number that its source does not",
            "give numbers that their sources do not",
        ),
        "probably_never_existed": (
            "cites a page that probably never existed",
            "cite pages that probably never existed",
        ),
        "dead": ("cites an address that has no page", "cite addresses that have no page"),
        "gone": ("cites a page that is gone", "cite pages that are gone"),
        "unreachable": ("cites a page that could not be read", "cite pages that could not be read"),
    }
    counts = {flag: sum(1 for claim in built.claims if flag in claim.flags) for flag in words}
    return tuple(
        f"1 claim {words[flag][0]}." if count == 1 else f"{count} claims {words[flag][1]}."
        for flag, count in counts.items()
        if count
    )


# Says where in a document a quotation stands: under which headings.


def add_evidence_places(
    evidence: Iterable[ClaimEvidence], texts: Mapping[str, str]
) -> tuple[ClaimEvidence, ...]:
    """The evidence with its headings; `texts` maps src_N to the text that the offsets refer to."""
    headings = {ref: markdown_blocks.list_headings(text) for ref, text in texts.items()}
    return tuple(
        item.model_copy(
            update={"place": _describe_place(headings.get(item.source, ()), item.start)}
        )
        for item in evidence
    )


def _describe_place(headings: tuple[markdown_blocks.PlacedHeading, ...], start: int) -> str:
    path = markdown_blocks.find_heading_path(headings, start)
    return _HEADING_SEPARATOR.join(path)[:_MAX_PLACE_CHARS]


# Finds other pages that say what a leading statement says, in words of their own.


def _find_supporting_rows(
    found: page_analysis.PageAnalysis, statement: SourcedStatement, refs: Sequence[str]
) -> Iterator[SourcedStatement]:
    for place, page in enumerate(found.pages):
        owner = source_kinds.identify_source_owner(page.url)
        if refs[place] == statement.source or owner == statement.owner:
            continue
        unit = _find_nearest_unit(found, place, statement.text)
        if unit is None or " ".join(unit.text.split()) == " ".join(statement.text.split()):
            continue
        source = SourceText(text=unit.text, language=page.language)
        support = assess_support(statement.text, source)
        if support.relation is ClaimRelation.SUPPORTS and support.score >= _MIN_SUPPORT:
            kind = source_kinds.classify_source(page.url, page_kind=page.page_kind)
            yield replace(
                statement,
                source=refs[place],
                owner=owner,
                source_weight=source_kinds.weigh_source(kind, page.reputation),
                source_kind=kind,
                support=support.score,
                snippet=page_analysis.format_unit_text(unit),
                start=unit.start,
                end=unit.end,
                published=page.published,
                relevance=statement.relevance * _RANK_FACTOR,
                origin=refs[place],
            )


def _find_nearest_unit(found: page_analysis.PageAnalysis, place: int, text: str) -> PageUnit | None:
    """The sentence of a page with most words of the text; None if it has too few of them."""
    indexed = found.index.pages[place]
    wanted = set(list_passage_terms(text, language=indexed.language))
    if len(wanted) < _MIN_STATEMENT_STEMS:
        return None
    best = max(indexed.units, key=lambda unit: len(wanted.intersection(unit.stems)), default=None)
    if best is None or len(wanted.intersection(best.stems)) < _MIN_SHARED_STEMS * len(wanted):
        return None
    return best


# The local research engine: it needs no model and no key, and only quotes what it has read.


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


def assemble_findings(
    found: page_analysis.PageAnalysis,
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
        tables = compare_figures(found, refs=refs)
        units = {table.unit for table in tables}  # they replace tables of the same unit
        kept = tuple(table for table in built.tables if table.unit not in units)
        built = replace(built, tables=(*tables, *kept))
    chosen = choose_answer(found, quoted=quoted or {})
    if chosen.left_out:
        notes = (*notes, describe_left_out(chosen.left_out))
    report = ExtractiveReport(found, built, sources, refs=refs, encoder=encoder)
    not_found = tuple(found.parts[at].text for at in coverage.missing_parts)
    if coverage.state is not AnswerState.ANSWERED:  # its subject is on no page
        not_found = (found.plan.query,)
    return ResearchFindings(
        query=found.plan.asked or found.plan.query,
        synthesis=report.render_report(chosen, coverage),
        synthesis_by="extractive",
        sources=sources,
        claims=built.claims,
        evidence=built.evidence,
        value_tables=built.tables,
        follow_ons=FollowOnSuggestions(found, built, chosen, coverage).list_suggestions(),
        not_found=not_found,
        parts=tuple(part.text for part in found.parts),
        passages=collect_passages(found, refs=refs),
        notes=tuple(dict.fromkeys(notes)),
    )
