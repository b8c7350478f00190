"""Combines what the local engine and the paid providers found into one set of findings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from citewell.model.citation_checks import PAGE_DEAD
from citewell.model.research import ProviderReport, ResearchFindings, ResearchSource
from citewell.services.research import local_engine
from citewell.services.research.analysis.meaning_scores import MeaningScores
from citewell.services.research.analysis.page_analysis import analyse_pages
from citewell.services.research.analysis.page_corroboration import find_corroboration
from citewell.services.research.analysis.quoted_statements import quote_best_windows
from citewell.services.research.claims import claim_building
from citewell.services.research.claims.citation_check import (
    CitationCheck,
    JudgedCitations,
    describe_uncited_reports,
    join_shared_quotes,
)
from citewell.services.research.claims.claim_building import ClaimSet
from citewell.services.research.collecting.evidence_places import add_evidence_places
from citewell.services.research.step_values import (
    LOCAL_PROVIDER,
    PageReading,
    PageReadings,
    ResearchPlan,
)
from citewell.text.evidence import copied_texts
from citewell.text.web import addresses

_MAX_COMBINED_CLAIMS = 120  # at most, of all providers together


@dataclass(frozen=True, slots=True, kw_only=True)
class GatheredMaterial:
    """All pages and reports of a job, before they are compared."""

    plan: ResearchPlan
    own_readings: PageReadings = field(
        default_factory=PageReadings
    )  # pages that the local engine read
    cited_readings: tuple[
        tuple[str, PageReading], ...
    ] = ()  # cited addresses with the pages read there
    reports: tuple[ProviderReport, ...] = ()
    notes: tuple[str, ...] = ()
    meaning: MeaningScores = field(default_factory=MeaningScores)  # by an encoder, if there is one
    # Places that earlier jobs of the thread quoted (the page's sha256, start, end), with the job.
    quoted: Mapping[tuple[str, int, int], str] = field(default_factory=dict)
    is_private: bool = False  # text of the library is in it, or was given to one of the models
    judged: JudgedCitations = field(default_factory=dict)  # by another judge than words


def combine_findings(
    gathered: GatheredMaterial, *, salt: str, archived: Mapping[str, str] | None = None
) -> ResearchFindings:
    """The findings; the same material gives the same result.

    `salt` makes ids unique to the job; `archived` maps addresses of lost pages to archived copies.
    """
    pages = _merge_gathered_pages(gathered)
    sources = _build_combined_registry(gathered, pages, archived or {})
    refs = {addresses.build_page_key(source.url): source.ref for source in sources}
    told = {
        addresses.build_page_key(url): refs[addresses.build_page_key(page.url)]
        for url, page in gathered.cited_readings
    } | refs
    own_refs = _index_refs_by_url(gathered.own_readings, refs)
    found = analyse_pages(
        gathered.plan, gathered.own_readings, closeness=gathered.meaning.closeness
    )
    said = list(quote_best_windows(found, refs=own_refs))
    check = CitationCheck(_index_pages_by_key(gathered), told, gathered.judged)
    page_refs = [own_refs[page.url] for page in found.pages]
    quotes = tuple(said)
    said += find_corroboration(found, quotes, refs=page_refs)
    for one in gathered.reports:
        said += join_shared_quotes(quotes, check.judge_statements(gathered.plan, one))
    built = claim_building.build_claims(
        said, language=gathered.plan.language, salt=salt
    ).keep_first_claims(_MAX_COMBINED_CLAIMS)
    built = replace(
        built,
        evidence=add_evidence_places(
            built.evidence,
            {source.ref: page.text for source, page in zip(sources, pages, strict=True)},
        ),
    )
    return local_engine.assemble_findings(
        found,
        built,
        sources,
        refs=page_refs,
        notes=(
            *gathered.notes,
            *describe_uncited_reports(gathered.reports),
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


def _index_pages_by_key(gathered: GatheredMaterial) -> dict[str, PageReading]:
    found = {addresses.build_page_key(page.url): page for page in gathered.own_readings.pages}
    return found | {addresses.build_page_key(url): page for url, page in gathered.cited_readings}


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
    copies = copied_texts.find_copied_originals(
        [pages[place].text for place in read], [pages[place].published for place in read]
    )
    first = {read[at]: read[origin] for at, origin in enumerate(copies)}
    who = _collect_page_finders(gathered)
    return tuple(
        local_engine.build_page_source(
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
    for one in gathered.reports:
        for url in _list_citation_urls(one):
            key = addresses.build_page_key(url)
            names.setdefault(landed.get(key, key), {})[one.provider] = None
    for _, page in gathered.cited_readings:
        names.setdefault(addresses.build_page_key(page.url), {})
    return {key: tuple(found) for key, found in names.items()}


def _list_citation_urls(one: ProviderReport) -> Iterable[str]:
    return dict.fromkeys(cited.url for cited in one.citations)


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
        "unreachable": (
            "cites a page that could not be read",
            "cite pages that could not be read",
        ),
    }
    counts = {flag: sum(1 for claim in built.claims if flag in claim.flags) for flag in words}
    return tuple(
        f"1 claim {words[flag][0]}." if count == 1 else f"{count} claims {words[flag][1]}."
        for flag, count in counts.items()
        if count
    )
