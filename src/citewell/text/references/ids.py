"""The identifiers a reference carries, in their bare forms and in the order of their worth."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from citewell.model.paper import PaperId, Scheme
from citewell.text import identifiers

_ORDER = (Scheme.DOI, Scheme.ARXIV, Scheme.PMID, Scheme.PMCID, Scheme.ISBN)
_LONGEST = 2000  # characters in which one identifier is looked for


def doi(text: str) -> PaperId | None:
    return _read(Scheme.DOI, identifiers.doi, text) if "10" in text else None


def arxiv(text: str) -> PaperId | None:
    return _read(Scheme.ARXIV, identifiers.arxiv, text)


def pmid(text: str) -> PaperId | None:
    """From a field for it, or from running text that calls it by its name."""
    number = text.strip()
    alone = number.isascii() and number.isdigit()
    return _read(Scheme.PMID, identifiers.pmid, f"PMID: {number}" if alone else text)


def pmcid(text: str) -> PaperId | None:
    return _read(Scheme.PMCID, identifiers.pmcid, text)


def isbn(text: str) -> PaperId | None:
    """From a field for it: what else stands there, such as the binding, is no part of it."""
    return _read(Scheme.ISBN, identifiers.isbn, f"ISBN {text}" if text else "")


def _read(scheme: Scheme, reader: Callable[[str], str | None], text: str) -> PaperId | None:
    found = reader(text[:_LONGEST]) if text else None
    return PaperId(scheme=scheme, value=found) if found else None


def ordered(*found: PaperId | None) -> tuple[PaperId, ...]:
    """One of each kind, the DOI first."""
    first: dict[Scheme, PaperId] = {}
    for each in found:
        if each is not None:
            first.setdefault(each.scheme, each)
    return tuple(first[scheme] for scheme in _ORDER if scheme in first)


def of_addresses(addresses: Iterable[str]) -> tuple[PaperId, ...]:
    """What links stand for: a resolver's DOI, an arXiv page, a PubMed record."""
    return tuple(
        found for address in addresses if address for found in identifiers.ids(address[:_LONGEST])
    )


def within(text: str) -> tuple[PaperId, ...]:
    """Every identifier that running text names as one."""
    return ordered(*identifiers.ids(text[:_LONGEST])) if text else ()
