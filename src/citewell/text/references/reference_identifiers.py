"""The identifiers of a reference, normalized and in order of preference."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from citewell.model.paper import IdentifierScheme, PaperId
from citewell.text.citations import dois, identifiers

_SCHEME_ORDER = (
    IdentifierScheme.DOI,
    IdentifierScheme.ARXIV,
    IdentifierScheme.PMID,
    IdentifierScheme.PMCID,
    IdentifierScheme.ISBN,
    IdentifierScheme.RFC,
)
_MAX_IDENTIFIER_SEARCH_CHARS = 2000  # characters searched for one identifier


def parse_doi_id(text: str) -> PaperId | None:
    return _parse_paper_id(IdentifierScheme.DOI, dois.find_doi, text) if "10" in text else None


def parse_arxiv_id(text: str) -> PaperId | None:
    return _parse_paper_id(IdentifierScheme.ARXIV, identifiers.find_arxiv_id, text)


def parse_pmid_id(text: str) -> PaperId | None:
    """A PMID from a field with only the number, or from text that labels it."""
    number = text.strip()
    alone = number.isascii() and number.isdigit()
    return _parse_paper_id(
        IdentifierScheme.PMID, identifiers.find_pmid, f"PMID: {number}" if alone else text
    )


def parse_pmcid_id(text: str) -> PaperId | None:
    return _parse_paper_id(IdentifierScheme.PMCID, identifiers.find_pmcid, text)


def parse_isbn_id(text: str) -> PaperId | None:
    """An ISBN from its field; other text in the field, such as the binding, is ignored."""
    return _parse_paper_id(
        IdentifierScheme.ISBN, identifiers.find_valid_isbn, f"ISBN {text}" if text else ""
    )


def _parse_paper_id(
    scheme: IdentifierScheme, reader: Callable[[str], str | None], text: str
) -> PaperId | None:
    found = reader(text[:_MAX_IDENTIFIER_SEARCH_CHARS]) if text else None
    return PaperId(scheme=scheme, value=found) if found else None


def order_paper_ids(*found: PaperId | None) -> tuple[PaperId, ...]:
    """The first identifier of each scheme, the DOI first."""
    first: dict[IdentifierScheme, PaperId] = {}
    for each in found:
        if each is not None:
            first.setdefault(each.scheme, each)
    return tuple(first[scheme] for scheme in _SCHEME_ORDER if scheme in first)


def find_ids_in_addresses(addresses: Iterable[str]) -> tuple[PaperId, ...]:
    """Identifiers in addresses: a DOI resolver, an arXiv page, a PubMed record."""
    return tuple(
        found
        for address in addresses
        if address
        for found in identifiers.find_identifiers(address[:_MAX_IDENTIFIER_SEARCH_CHARS])
    )


def find_ids_in_text(text: str) -> tuple[PaperId, ...]:
    """The first identifier of each scheme in running text, the DOI first."""
    return (
        order_paper_ids(*identifiers.find_identifiers(text[:_MAX_IDENTIFIER_SEARCH_CHARS]))
        if text
        else ()
    )
