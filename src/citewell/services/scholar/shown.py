"""Papers as callers see them."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from citewell.model.literature import Work
from citewell.model.paper import Event, Paper, Scheme
from citewell.model.scrape import RetractionStatus
from citewell.services.scholar.sieve import has_text
from citewell.text.markup import clean
from citewell.text.sentences import split

Weigh = Callable[[Iterable[Event]], RetractionStatus | None]

ABSTRACT = 500  # characters
_MOST_AUTHORS = 50
_HOMES = {
    Scheme.DOI: "https://doi.org/",
    Scheme.ARXIV: "https://arxiv.org/abs/",
    Scheme.PMID: "https://pubmed.ncbi.nlm.nih.gov/",
    Scheme.PMCID: "https://pmc.ncbi.nlm.nih.gov/articles/",
    Scheme.OPENALEX: "https://openalex.org/",
    Scheme.S2: "https://www.semanticscholar.org/paper/",
}
_SHOWN = {
    "title": "title", "authors": "authors", "venue": "journal", "year": "year", "kind": "kind",
    "abstract": "abstract", "citation_count": "citationCount", "open_access": "openAccess",
    "pdf_url": "pdfUrl", "tldr": "tldr", "in_doaj": "isInDoaj", "published": "publishedAt",
}  # fmt: skip


def works(papers: Iterable[Paper], *, weigh: Weigh) -> tuple[Work, ...]:
    return tuple(work(paper, weigh=weigh) for paper in papers)


def work(paper: Paper, *, weigh: Weigh) -> Work:
    """A merged or single record in the words of the spec."""
    return Work(
        title=clean(paper.title) or "Untitled",
        url=address(paper),
        source=paper.source,
        doi=paper.doi,
        authors=authors(paper),
        journal=clean(paper.venue) or None,
        year=paper.year,
        abstract=shortened(clean(paper.abstract), ABSTRACT) or None,
        citation_count=paper.citation_count,
        open_access=paper.open_access,
        pdf_url=paper.pdf_url,
        tldr=clean(paper.tldr) or None,
        is_influential=paper.influential,
        citation_intents=paper.intents or None,
        is_in_doaj=paper.in_doaj,
        has_text=has_text(paper) or None,
        has_pdf=_has_pdf(paper) or None,
        kind=paper.kind,
        published_at=paper.published,
        ids=identifiers(paper),
        preprint_of=paper.preprint_of,
        provenance=provenance(paper),
        retraction_status=weigh(paper.events),
    )


def address(paper: Paper) -> str:
    """Where the work is found: as the registry says, else by one of its identifiers."""
    if paper.url:
        return paper.url
    homes = (home + paper.ids[scheme] for scheme, home in _HOMES.items() if scheme in paper.ids)
    return next(homes, paper.pdf_url or "")


def authors(paper: Paper) -> tuple[str, ...] | None:
    """Their names; a collaboration of hundreds is cut and says so."""
    names = [name for person in paper.authors if (name := clean(person.name))]
    if len(names) > _MOST_AUTHORS:
        names = [*names[:_MOST_AUTHORS], f"and {len(names) - _MOST_AUTHORS} others"]
    return tuple(names) or None


def identifiers(paper: Paper) -> dict[str, str] | None:
    rest = {scheme.value: value for scheme, value in paper.ids.items() if scheme is not Scheme.DOI}
    return rest or None


def provenance(paper: Paper) -> dict[str, str] | None:
    """Whose the shown values are, where not the first provider's: provider → its fields."""
    held: dict[str, list[str]] = {}
    for name, provider in paper.provenance.items():
        if provider != paper.source and name in _SHOWN:
            held.setdefault(provider, []).append(_SHOWN[name])
    return {provider: ", ".join(sorted(names)) for provider, names in held.items()} or None


def shortened(text: str, limit: int) -> str:
    """Whole sentences up to the limit; without one that fits, whole words and an ellipsis."""
    if len(text) <= limit:
        return text
    kept = ""
    for sentence in split(text):
        longer = f"{kept} {sentence}" if kept else sentence
        if len(longer) > limit:
            break
        kept = longer
    if len(kept) * 2 >= limit:
        return kept
    words = text[: limit - 1]
    spaced = words.rpartition(" ")[0]
    return f"{spaced if len(spaced) * 2 >= limit else words}…"


def _has_pdf(paper: Paper) -> bool:
    return paper.pdf_url is not None or any(copy.pdf for copy in paper.copies)
