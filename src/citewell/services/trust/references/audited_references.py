"""What an audit takes from a reference to look it up: identifiers, words, address, legal citation."""

from __future__ import annotations

import re
from dataclasses import replace

from citewell.model.paper import IdentifierScheme, PaperId
from citewell.model.reference import Reference
from citewell.services.trust.work_identity import CitedWork, build_cited_work
from citewell.services.trust.work_lookup import WorkFinding
from citewell.text.citations import dois, identifiers, isbns, legal_citations, standards

_MAX_IDENTIFIED_CHARS = 4000  # characters of an entry searched for an identifier
# Pages that show the record of an identifier, which stands in the address itself.
_RECORD_PAGE_PATTERN = re.compile(
    r"https?://(?:(?:www\.|export\.)?arxiv\.org/(?:abs|pdf)/|pubmed\.ncbi\.nlm\.nih\.gov/\d)",
    re.IGNORECASE,
)
_MAX_CASE_CHARS = 160  # characters searched for a legal citation


def build_lookup_key(reference: Reference, *, structured: bool) -> Reference:
    """The reference without what does not change its lookup: equal ones are looked up once."""
    worded = "" if structured and reference.title else " ".join(reference.raw.split())
    return replace(reference, key="", line=None, claim="", raw=worded)


def add_address_identifiers(reference: Reference) -> Reference:
    """The reference with the identifiers in its address, if it has none of its own."""
    known = reference.ids or (identifiers.find_identifiers(reference.url) if reference.url else ())
    known = known or _find_rfc_ids(reference)
    if reference.doi and reference.doi == dois.find_doi(reference.raw):
        meant = [
            PaperId(scheme=IdentifierScheme.DOI, value=one)
            for one in dois.list_doi_readings(reference.raw)
        ]
        known = (*meant, *(one for one in known if one.scheme is not IdentifierScheme.DOI))
    return replace(reference, ids=tuple(filter(_has_valid_checksum, map(_normalize_isbn, known))))


def _find_rfc_ids(reference: Reference) -> tuple[PaperId, ...]:
    number = standards.find_rfc_field(reference.raw)
    return (PaperId(scheme=IdentifierScheme.RFC, value=number),) if number else ()


def parse_prose_citation(reference: Reference) -> CitedWork:
    """The cited work from the reference's text without its identifiers, which could be taken for a title."""
    said = identifiers.identify_citation(reference.raw).surrounding_text
    return build_cited_work(reference, structured=False, text=said) if said else CitedWork()


def _normalize_isbn(paper_id: PaperId) -> PaperId:
    if paper_id.scheme is not IdentifierScheme.ISBN:
        return paper_id
    return PaperId(scheme=IdentifierScheme.ISBN, value=isbns.parse_isbn(paper_id.value).value)


def _has_valid_checksum(paper_id: PaperId) -> bool:
    """False for an ISBN with a wrong check digit, which is not looked up."""
    return paper_id.scheme is not IdentifierScheme.ISBN or isbns.parse_isbn(paper_id.value).is_valid


def find_identifier_fault(reference: Reference, finding: WorkFinding) -> str:
    """Why the entry's ISBN is invalid, or why its standard's number could not be looked up."""
    if "isbn" in reference.raw.lower():
        return identifiers.identify_citation(reference.raw[:_MAX_IDENTIFIED_CHARS]).fault
    if reference.ids or finding.paper is not None:
        return ""
    numbers = (standards.find_standard(text) for text in (reference.title, reference.raw) if text)
    found = next(filter(None, numbers), None)
    return standards.describe_standard(found) if found else ""


def find_checked_address(reference: Reference) -> str:
    """The address to check; empty for that of an identifier, which the registry answers for."""
    url = reference.url
    is_answered = bool(reference.ids) and (
        dois.is_doi_resolver(url) or _RECORD_PAGE_PATTERN.match(url) is not None
    )
    return "" if not url.startswith("http") or is_answered else url


def find_legal_form(reference: Reference) -> str:
    """The form of legal citation; empty if the reference is not a case or statute."""
    if reference.ids:
        return ""
    if reference.kind in {"legal_case", "legislation", "bill", "regulation", "treaty"}:
        return "case_name"
    found = legal_citations.find_legal_citation(
        reference.title
    ) or legal_citations.find_legal_citation(reference.raw[:_MAX_CASE_CHARS])
    return found.form if found else ""


def compose_legal_citation(reference: Reference) -> str:
    """The citation as one text: from the fields if the format has them, else as written."""
    if reference.volume and reference.venue and reference.pages:
        page = reference.pages.replace("–", "-").partition("-")[0]
        year = f" ({reference.year})" if reference.year else ""
        return f"{reference.title}, {reference.volume} {reference.venue} {page}{year}"
    return reference.raw
