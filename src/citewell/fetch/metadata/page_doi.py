"""Finds the DOIs that a page may have as its own, and those that it only mentions.

A page that links a paper is not that paper. Only citation metadata and the address claim a DOI for
the page itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from urllib.parse import parse_qs, urlsplit

from citewell.fetch.metadata.json_ld import JsonLd, JsonLdThing, list_thing_types, wrap_in_list
from citewell.fetch.metadata.meta_elements import MetaElements
from citewell.text.citations import dois

MAX_MENTIONED_DOIS = 200  # different DOIs that are counted on one page
_DOI_META_NAMES = (
    "citation_doi", "bepress_citation_doi", "prism.doi", "doi", "dc.identifier.doi", "dc.identifier",
    "dcterms.identifier", "wkhealth_doi", "eprints.doi",
)  # fmt: skip
_WORK_META_NAMES = (
    "citation_title", "citation_author", "citation_authors", "bepress_citation_title",
    "bepress_citation_author", "dc.title", "dc.creator", "dcterms.title", "dcterms.creator",
    "eprints.title", "eprints.creators_name", "wkhealth_title",
)  # fmt: skip
_WORK_TYPES = frozenset({
    "ScholarlyArticle", "MedicalScholarlyArticle", "Dataset", "Chapter", "Book", "Thesis", "Report",
    "SoftwareSourceCode", "SoftwareApplication",
})  # fmt: skip
_DOI_PROPERTIES = ("identifier", "doi", "@id", "sameAs", "url")


def find_declared_doi(meta: MetaElements, linked: JsonLd) -> str | None:
    """The DOI that the page's citation metadata state as its own; None if they name several or none."""
    stated = (_find_only_doi(meta.collect_values((name,))) for name in _DOI_META_NAMES)
    return next(filter(None, stated), None) or _find_json_ld_doi(linked)


def is_doi_described(meta: MetaElements, linked: JsonLd) -> bool:
    """Whether the metadata also give the title or the authors of the work whose DOI they state."""
    return bool(meta.collect_values(_WORK_META_NAMES)) or any(
        thing.get("name") or thing.get("headline")
        for thing in linked.things
        if _WORK_TYPES.intersection(list_thing_types(thing))
    )


def list_own_dois(url: str, final_url: str, declared: str | None) -> tuple[str, ...]:
    """The DOIs that metadata or address claim for the page, the strongest claim first."""
    resolved = dois.find_doi(url) if dois.is_doi_resolver(url) else None
    claimed = (declared, resolved, _find_address_doi(final_url))
    return tuple(dict.fromkeys(doi for doi in claimed if doi))


def list_mentioned_dois(text: str, own: Iterable[str]) -> tuple[str, ...]:
    """The other DOIs in the page's text; those of figures and supplements belong to the own one."""
    claimed = tuple(own)
    inner = tuple(doi + mark for doi in claimed for mark in "./#")
    found = dois.list_dois(text, max_count=MAX_MENTIONED_DOIS)
    return tuple(doi for doi in found if doi not in claimed and not doi.startswith(inner))


def _find_address_doi(url: str) -> str | None:
    """The DOI in the path or as `id`; one in another parameter is what somebody searched for."""
    try:
        query = urlsplit(url).query
    except ValueError:  # square brackets without an IPv6 address
        return None
    bare = url.partition("?")[0].partition("#")[0]
    return dois.find_doi_in_address(bare) or dois.find_doi(" ".join(parse_qs(query).get("id", ())))


def _find_only_doi(values: Iterable[str]) -> str | None:
    found = {doi for value in values if (doi := dois.find_doi(value))}
    return found.pop() if len(found) == 1 else None


def _find_json_ld_doi(linked: JsonLd) -> str | None:
    """The DOI of the only work that the JSON-LD describes; beside a news item it is another's."""
    works = [thing for thing in linked.things if _WORK_TYPES.intersection(list_thing_types(thing))]
    if any(_is_about_others(thing) for thing in linked.things):
        return None
    return _find_only_doi(
        value for thing in works for value in list(_generate_thing_dois(thing))[:1]
    )


def _is_about_others(thing: JsonLdThing) -> bool:
    kinds = list_thing_types(thing)
    return _WORK_TYPES.isdisjoint(kinds) and any(
        kind == "Article" or kind.endswith(("NewsArticle", "Posting", "Review", "QAPage"))
        for kind in kinds
    )


def _generate_thing_dois(thing: JsonLdThing) -> Iterator[str]:
    for name in _DOI_PROPERTIES:
        for value in wrap_in_list(thing.get(name)):
            text = value.get("value") or value.get("@id") if isinstance(value, dict) else value
            if isinstance(text, str) and (doi := dois.find_doi(text)):
                yield doi
