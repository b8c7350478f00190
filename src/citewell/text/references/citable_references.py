"""Makes a work that can be cited in any style from a reference as it was read."""

from __future__ import annotations

from citewell.model.paper import IdentifierScheme, WorkAuthor
from citewell.model.reference import Reference
from citewell.text.citations.author_names import AuthorName
from citewell.text.citations.citable_works import CitableWork


def convert_reference(reference: Reference) -> CitableWork:
    """The work as the reference states it; nothing is looked up."""
    doi = reference.doi or ""
    return CitableWork(
        url=reference.url or _build_identifier_address(reference),
        title=reference.title or (reference.raw if not reference.authors else ""),
        authors=tuple(map(_convert_author_name, reference.authors)),
        site=reference.venue,
        published=reference.published or (str(reference.year) if reference.year else ""),
        doi=doi,
        kind=reference.kind or ("article-journal" if reference.venue and (doi or reference.volume) else ""),
        volume=reference.volume,
        issue=reference.issue,
        pages=reference.pages,
        publisher=reference.publisher,
    )  # fmt: skip


def _build_identifier_address(reference: Reference) -> str:
    addresses = {
        IdentifierScheme.DOI: "https://doi.org/{}",
        IdentifierScheme.ARXIV: "https://arxiv.org/abs/{}",
        IdentifierScheme.PMID: "https://pubmed.ncbi.nlm.nih.gov/{}/",
        IdentifierScheme.PMCID: "https://pmc.ncbi.nlm.nih.gov/articles/{}/",
    }
    found = (
        addresses[one.scheme].format(one.value) for one in reference.ids if one.scheme in addresses
    )
    return next(found, "")


def _convert_author_name(person: WorkAuthor) -> AuthorName:
    if person.organisation or not person.family:
        return AuthorName(name=person.name, organisation=person.organisation)
    return AuthorName.from_parts(family=person.family, given=person.given, suffix=person.suffix)
