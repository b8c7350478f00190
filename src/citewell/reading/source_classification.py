"""Classifies pages as sources (kind, subject, authority of the host) and formats their citations.

The host comes first (see `host_standing`). The page's own metadata may say more where the host
leaves it open: what a preprint server, a newspaper or a platform for everybody holds is known, and
no metadata make it peer-reviewed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from citewell.citations import citable_works
from citewell.citations.author_names import AuthorName
from citewell.citations.bibliographies import format_bibtex_entry, format_style_entry
from citewell.citations.dois import find_doi
from citewell.citations.official_records import recognize_official_record
from citewell.core.values import scrape_results
from citewell.core.values.page import Page
from citewell.core.values.research_session import SessionSource
from citewell.reading.metadata import host_standing
from citewell.reading.metadata.host_standing import HostStanding
from citewell.reading.metadata.meta_elements import list_thing_types, wrap_in_list
from citewell.reading.metadata.page_metadata import list_own_dois
from citewell.text import addresses
from citewell.text.data_tables import load_table

_TABLES_PACKAGE = f"{__package__}.metadata"
_PERIODICAL_TYPES = frozenset({"Periodical", "PublicationVolume", "PublicationIssue"})
_NEVER_SCHOLARLY_KINDS = frozenset({"news", "fact_checker", "journal_news"})
_SCHOLARLY_CLAIMS = frozenset({"journal", "scholarly_work"})
_JOURNAL_MARKS = (
    "citation_journal_title",
    "citation_conference_title",
    "citation_issn",
    "citation_pmid",
)
_WORK_MARKS = ("citation_title", "citation_doi")
_MARKS_BY_OTHER_KIND = {
    "citation_dissertation_institution": "thesis",
    "citation_technical_report_institution": "report",
    "citation_technical_report_number": "report",
}
_PREPRINT_NAME_PATTERN = re.compile(
    r"\b(?:arxiv|\w+rxiv|ssrn|research square|preprints?(?:\.org)?|osf preprints)\b", re.IGNORECASE
)
_PREPRINT_DOI_PATTERN = re.compile(
    r"^10\.(?:48550|1101/(?:\d{4}\.|\d{6})|2139|26434|21203|31219|31234|31235|20944|36227|22541)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceStanding:
    source_type: str  # peer_reviewed, official_docs, government, news_publication, blog, forum, wiki, social_media, unknown
    kind: (
        str  # finer than the type, such as preprint, journal, university, press_release, reference
    )
    basis: str  # why, in one sentence
    domain_category: str  # academic, legal, medical, financial, technical, general
    authority: float  # 0 to 1, from the address alone, whatever the page claims


def classify_source(
    url: str, data: scrape_results.StructuredData | None = None, *, lens: str | None = None
) -> SourceStanding:
    host = addresses.extract_host(url)
    standing = host_standing.find_page_standing(url)
    claimed = None
    if data is not None:  # the page's own citation elements, then its JSON-LD
        claimed = _find_marked_kind(data.citation or {}) or _find_described_kind(data)
    kind, basis = _settle_kind(standing, claimed)
    table = load_table(_TABLES_PACKAGE, "source_kinds")
    category = host_standing.find_subject(host) or table["category_by_kind"].get(kind, "general")
    return SourceStanding(
        source_type=host_standing.get_source_type(kind),
        kind=kind,
        basis=basis,
        domain_category=table["category_by_lens"].get(lens or "", category),
        authority=standing.authority,
    )


def _settle_kind(standing: HostStanding, claimed: str | None) -> tuple[str, str]:
    """The kind of the page and why, from its host and from what its metadata claim."""
    known = standing.kind
    # Open kinds of hosts leave open what a page is, so that its own metadata decide. On some of
    # them a page needs a journal's name to count as a journal's article.
    table = load_table(_TABLES_PACKAGE, "source_kinds")
    if claimed is None or known not in table["open_kinds"]:
        return known, standing.basis
    if claimed in _SCHOLARLY_CLAIMS:
        if known == "journal" or known in _NEVER_SCHOLARLY_KINDS:
            return known, standing.basis
        if claimed != "journal" and known in table["journal_needed_kinds"]:
            return known, standing.basis
    if claimed == "news" and known == "journal":
        return "journal_news", "News or comment on a publisher's site: edited, not peer-reviewed."
    return claimed, table["claim_bases"].get(claimed, "Its metadata say so.")


def _find_marked_kind(marks: dict[str, str]) -> str | None:
    venue = marks.get("citation_journal_title", "")
    doi = find_doi(marks.get("citation_doi", "")) or ""
    if _PREPRINT_NAME_PATTERN.search(venue) or (not venue and _PREPRINT_DOI_PATTERN.search(doi)):
        return "preprint"
    if any(name in marks for name in _JOURNAL_MARKS):
        return "journal"
    if "citation_arxiv_id" in marks:
        return "preprint"
    other = (kind for name, kind in _MARKS_BY_OTHER_KIND.items() if name in marks)
    return next(other, "scholarly_work" if any(name in marks for name in _WORK_MARKS) else None)


def _find_described_kind(data: scrape_results.StructuredData) -> str | None:
    things = [thing for block in data.json_ld or () for thing in _list_described_things(block)]
    known: Mapping[str, str] = load_table(_TABLES_PACKAGE, "schema_kinds")
    kinds = (
        (known[name], thing)
        for thing in things
        for name in list_thing_types(thing)
        if name in known
    )
    kind, thing = next(kinds, (None, {}))
    parents = (parent for parent in wrap_in_list(thing.get("isPartOf")) if isinstance(parent, dict))
    is_in_periodical = any(
        _PERIODICAL_TYPES.intersection(list_thing_types(parent)) for parent in parents
    )
    return "journal" if kind == "scholarly_work" and is_in_periodical else kind


def _list_described_things(block: Any) -> Iterator[dict[str, Any]]:
    for thing in wrap_in_list(block):
        if isinstance(thing, dict):
            yield thing
            yield from (
                each for each in wrap_in_list(thing.get("@graph")) if isinstance(each, dict)
            )


def classify_page(page: Page) -> SourceStanding:
    """The source type and authority, from the page's structured data, then from its host."""
    return classify_source(page.final_url, page.structured)


def list_claimed_dois(page: Page) -> tuple[str, ...]:
    """The DOIs that the page's metadata or address claim for it, the strongest claim first."""
    return list_own_dois(page.url, page.final_url, page.declared_doi)


def cite_page(page: Page, *, doi: str | None = None) -> scrape_results.PageCitation:
    work = citable_works.CitableWork(
        url=page.final_url,
        title=page.title,
        authors=list_page_authors(page),
        site=page.site or addresses.format_host_name(page.final_url),
        published=page.published or "",
        doi=doi or "",
    )
    return _format_page_citation(work, author=page.author or "", accessed=page.fetched_at)


def describe_page_source(url: str, page: Page, *, doi: str | None = None) -> SessionSource:
    """The page as a source that was read, with what the page itself states."""
    named = "; ".join(by.name for by in page.authors) or page.author or ""
    literals = citable_works.find_literal_names(list_page_authors(page))
    return SessionSource(
        url=url,
        title=page.title,
        author=citable_works.mark_literal_names(named, literals) or None,
        site=page.site,
        date=page.published,
        doi=doi,
        stage="read",
        basis="page",
    )


def list_page_authors(page: Page) -> tuple[AuthorName, ...]:
    named = tuple(AuthorName(name=by.name, organisation=by.organisation) for by in page.authors)
    return named or citable_works.parse_author_line(page.author)


def cite_address(url: str, *, accessed: datetime) -> scrape_results.PageCitation:
    """The citation of a page that was not parsed: only its address and site are known."""
    work = citable_works.CitableWork(url=url, site=addresses.format_host_name(url))
    return _format_page_citation(work, author="", accessed=accessed)


def _format_page_citation(
    work: citable_works.CitableWork, *, author: str, accessed: datetime | None
) -> scrape_results.PageCitation:
    day = (accessed or datetime.now(UTC)).date()
    known = recognize_official_record(work)
    return scrape_results.PageCitation(
        url=work.url,
        accessed_date=day.isoformat(),
        metadata=scrape_results.CitationMetadata(
            title=work.title,
            author=author,
            literal_authors=citable_works.find_literal_names(work.authors) or None,
            site=work.site,
            date=work.published,
        ),
        formatted=scrape_results.CitationFormats(
            apa=format_style_entry(known, style="apa", accessed=day),
            mla=format_style_entry(known, style="mla", accessed=day),
            bibtex=format_bibtex_entry(known, accessed=day),
        ),
    )
