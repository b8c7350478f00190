"""Papers in the form callers receive."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from citewell.model.counted_words import pluralize
from citewell.model.paper import IdentifierScheme, IntegrityNotice, Paper
from citewell.model.paper_results import PaperResult
from citewell.model.scrape_results import RetractionStatus
from citewell.services.scholar.paper_filters import has_free_text
from citewell.text.language.sentences import split_sentences
from citewell.text.safety.markup_cleaning import clean_markup

NoticeWeigher = Callable[[Iterable[IntegrityNotice]], RetractionStatus | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperStatuses:
    """The retraction status of several papers, in their order; None if there is no notice."""

    statuses: tuple[RetractionStatus | None, ...]
    notes: tuple[str, ...] = ()  # which of them could not be checked, or only offline


class StatusFinder(Protocol):
    """Finds the retraction status of the papers of one answer; never raises for a failed registry."""

    async def find_paper_statuses(self, papers: Sequence[Paper]) -> PaperStatuses: ...


MAX_ABSTRACT_CHARS = 500  # characters
_MAX_AUTHORS = 50
_SCHEME_URL_PREFIXES = {
    IdentifierScheme.DOI: "https://doi.org/",
    IdentifierScheme.ARXIV: "https://arxiv.org/abs/",
    IdentifierScheme.PMID: "https://pubmed.ncbi.nlm.nih.gov/",
    IdentifierScheme.PMCID: "https://pmc.ncbi.nlm.nih.gov/articles/",
    IdentifierScheme.OPENALEX: "https://openalex.org/",
    IdentifierScheme.S2: "https://www.semanticscholar.org/paper/",
    IdentifierScheme.RFC: "https://www.rfc-editor.org/rfc/rfc",
}
_FIELD_WIRE_NAMES = {
    "title": "title", "authors": "authors", "venue": "journal", "year": "year", "kind": "kind",
    "abstract": "abstract", "citation_count": "citationCount", "open_access": "openAccess",
    "pdf_url": "pdfUrl", "tldr": "tldr", "in_doaj": "isInDoaj", "published": "publishedAt",
}  # fmt: skip


def build_work_view(paper: Paper, *, retraction: RetractionStatus | None) -> PaperResult:
    """A merged or single record with the keys of the tools' answers."""
    return PaperResult(
        title=clean_markup(paper.title) or "Untitled",
        url=choose_work_address(paper),
        source=paper.source,
        doi=paper.doi,
        authors=list_author_names(paper),
        journal=clean_markup(paper.venue) or None,
        year=paper.year,
        abstract=trim_to_sentences(clean_markup(paper.abstract), MAX_ABSTRACT_CHARS) or None,
        citation_count=paper.citation_count,
        open_access=paper.open_access,
        pdf_url=paper.pdf_url,
        tldr=clean_markup(paper.tldr) or None,
        is_influential=paper.influential,
        citation_intents=paper.intents or None,
        is_in_doaj=paper.in_doaj,
        has_text=has_free_text(paper) or None,
        has_pdf=_has_pdf(paper) or None,
        kind=paper.kind,
        published_at=paper.published,
        ids=list_other_identifiers(paper),
        preprint_of=paper.preprint_of,
        provenance=describe_provenance(paper),
        retraction_status=retraction,
    )


def choose_work_address(paper: Paper) -> str:
    """The address in the record, else one made from an identifier; empty if there is neither."""
    if paper.url:
        return paper.url
    homes = (
        home + paper.ids[scheme]
        for scheme, home in _SCHEME_URL_PREFIXES.items()
        if scheme in paper.ids
    )
    return next(homes, paper.pdf_url or "")


def list_author_names(paper: Paper) -> tuple[str, ...] | None:
    """The authors' names; a longer list than 50 ends with how many more there are."""
    names = [name for person in paper.authors if (name := clean_markup(person.name))]
    if len(names) > _MAX_AUTHORS:
        names = [
            *names[:_MAX_AUTHORS],
            f"and {len(names) - _MAX_AUTHORS} {pluralize(len(names) - _MAX_AUTHORS, 'other')}",
        ]
    return tuple(names) or None


def list_other_identifiers(paper: Paper) -> dict[str, str] | None:
    rest = {
        scheme.value: value
        for scheme, value in paper.ids.items()
        if scheme is not IdentifierScheme.DOI
    }
    return rest or None


def describe_provenance(paper: Paper) -> dict[str, str] | None:
    """For each provider other than the main source, the fields that come from it."""
    held: dict[str, list[str]] = {}
    for name, provider in paper.provenance.items():
        if provider != paper.source and name in _FIELD_WIRE_NAMES:
            held.setdefault(provider, []).append(_FIELD_WIRE_NAMES[name])
    return {provider: ", ".join(sorted(names)) for provider, names in held.items()} or None


def trim_to_sentences(text: str, limit: int) -> str:
    """Whole sentences up to the limit; if they fill less than half, whole words and an ellipsis."""
    if len(text) <= limit:
        return text
    kept = ""
    for sentence in split_sentences(text):
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
