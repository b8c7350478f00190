"""Classifies a page: kind of source, subject category, and the authority of its host.

The host comes first (see `host_standing`). The page's own metadata may say more where the host
leaves it open: what a preprint server, a newspaper or a platform for everybody holds is known, and
no metadata make it peer-reviewed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from citewell.fetch.metadata import host_standing
from citewell.fetch.metadata.host_standing import HostStanding
from citewell.fetch.metadata.json_ld import list_thing_types, wrap_in_list
from citewell.model.scrape_results import StructuredData
from citewell.text.citations.dois import find_doi
from citewell.text.data_tables import load_table
from citewell.text.web import addresses

_PERIODICAL_TYPES = frozenset({"Periodical", "PublicationVolume", "PublicationIssue"})
# Kinds of hosts that leave open what a page is, so that its own metadata decide.
_OPEN_KINDS = frozenset({
    "unknown", "unnamed_host", "journal", "journal_news", "bibliographic_database", "repository", "university",
    "government", "legal_reference", "reference", "research_institute", "hospital", "documentation", "standards_body",
    "news", "fact_checker", "archive",
})  # fmt: skip
# Of these, the ones on which a page needs a journal's name to count as a journal's article.
_JOURNAL_NEEDED_KINDS = frozenset({
    "university", "government", "legal_reference", "reference", "research_institute", "hospital", "documentation",
    "standards_body", "repository",
})  # fmt: skip
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
_CLAIM_BASES = {
    "journal": "Its metadata name the journal or proceedings it appeared in.",
    "scholarly_work": "Its metadata call it a scholarly article; peer review was not confirmed.",
    "preprint": "Its metadata call it a preprint: screened, not peer-reviewed.",
}
_CATEGORY_BY_LENS = {
    "academic": "academic", "science": "academic", "academic-extended": "academic", "biomed": "academic",
    "legal": "legal", "medical": "medical", "clinical": "medical", "finance": "financial",
    "programming": "technical", "tech": "technical", "security": "technical", "devops": "technical", "docs": "technical",
}  # fmt: skip
_CATEGORY_BY_KIND = {
    "documentation": "technical", "standards_body": "technical", "journal": "academic", "scholarly_work": "academic",
    "preprint": "academic", "thesis": "academic", "bibliographic_database": "academic", "repository": "academic",
    "university": "academic",
}  # fmt: skip


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
    url: str, data: StructuredData | None = None, *, lens: str | None = None
) -> SourceStanding:
    host = addresses.extract_host(url)
    standing = host_standing.find_page_standing(url)
    kind, basis = _settle_kind(standing, _find_claimed_kind(data))
    return SourceStanding(
        source_type=host_standing.get_source_type(kind),
        kind=kind,
        basis=basis,
        domain_category=_choose_domain_category(host, kind, lens),
        authority=standing.authority,
    )


def _settle_kind(standing: HostStanding, claimed: str | None) -> tuple[str, str]:
    """The kind of the page and why, from its host and from what its metadata claim."""
    known = standing.kind
    if claimed is None or known not in _OPEN_KINDS:
        return known, standing.basis
    if claimed in _SCHOLARLY_CLAIMS:
        if known == "journal" or known in _NEVER_SCHOLARLY_KINDS:
            return known, standing.basis
        if claimed != "journal" and known in _JOURNAL_NEEDED_KINDS:
            return known, standing.basis
    if claimed == "news" and known == "journal":
        return "journal_news", "News or comment on a publisher's site: edited, not peer-reviewed."
    return claimed, _CLAIM_BASES.get(claimed, "Its metadata say so.")


def _find_claimed_kind(data: StructuredData | None) -> str | None:
    """The kind of source according to the page's own citation elements, then its JSON-LD."""
    if data is None:
        return None
    return _find_marked_kind(data.citation or {}) or _find_described_kind(data)


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


def _find_described_kind(data: StructuredData) -> str | None:
    things = [thing for block in data.json_ld or () for thing in _list_described_things(block)]
    known: Mapping[str, str] = load_table(__package__, "schema_kinds")
    kinds = (
        (known[name], thing)
        for thing in things
        for name in list_thing_types(thing)
        if name in known
    )
    kind, thing = next(kinds, (None, {}))
    return "journal" if kind == "scholarly_work" and _is_part_of_periodical(thing) else kind


def _is_part_of_periodical(thing: dict[str, Any]) -> bool:
    parents = (parent for parent in wrap_in_list(thing.get("isPartOf")) if isinstance(parent, dict))
    return any(_PERIODICAL_TYPES.intersection(list_thing_types(parent)) for parent in parents)


def _list_described_things(block: Any) -> Iterator[dict[str, Any]]:
    for thing in wrap_in_list(block):
        if isinstance(thing, dict):
            yield thing
            yield from (
                each for each in wrap_in_list(thing.get("@graph")) if isinstance(each, dict)
            )


def _choose_domain_category(host: str, kind: str, lens: str | None) -> str:
    if lens in _CATEGORY_BY_LENS:
        return _CATEGORY_BY_LENS[lens]
    return host_standing.find_subject(host) or _CATEGORY_BY_KIND.get(kind, "general")
