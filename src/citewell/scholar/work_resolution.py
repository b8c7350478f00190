"""Resolves a DOI, another identifier, an address or a title to the work it means."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from citewell.citations import identifiers
from citewell.core.errors import FailureReason, InvalidInput, NetworkFailed, NotFound
from citewell.core.values.counted_words import pluralize
from citewell.core.values.paper import (
    BibliographicQuery,
    IdentifierScheme,
    IntegrityNotice,
    Paper,
    PaperId,
)
from citewell.core.values.paper_results import PaperResult
from citewell.core.values.scrape_results import RetractionStatus
from citewell.scholar import record_merging
from citewell.scholar.paper_search_ladder import has_free_text
from citewell.scholar.registry_records import NOT_REGISTERED, UNCHECKED, WorkRecords
from citewell.text.language.sentences import split_sentences
from citewell.text.safety.text_cleaning import clean_markup, extract_visible_text

NoticeWeigher = Callable[[Iterable[IntegrityNotice]], RetractionStatus | None]

_MIN_TITLE_SIMILARITY = 0.8  # similarity from which a title means this work


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolvedWork:
    """The identifiers, record and address that a text was resolved to."""

    ids: tuple[PaperId, ...] = ()
    paper: Paper | None = None
    address: str = ""
    notes: tuple[str, ...] = ()


class WorkResolver:
    def __init__(self, records: WorkRecords) -> None:
        self._records = records

    async def resolve_work(self, identifier: str, *, tenant: str | None = None) -> ResolvedWork:
        """The work that the identifier, address or title means; an address is not checked.

        Raises InvalidInput if empty, NotFound if there is no such work, NetworkFailed if unknown.
        """
        plain = " ".join(extract_visible_text(identifier).split())
        if not plain:
            raise InvalidInput(
                "identifier is empty. Give a DOI, arXiv id, PMID, PMCID, address or title."
            )
        found = identifiers.identify_citation(plain)
        address = found.value if found.kind is identifiers.CitationKind.URL else ""
        if found.ids:
            return await self._resolve_identifier(_prefer_arxiv_id(found.ids), address, tenant)
        if address:
            return ResolvedWork(address=address)
        return await self._resolve_title(plain, tenant)

    async def _resolve_identifier(
        self, ids: tuple[PaperId, ...], address: str, tenant: str | None
    ) -> ResolvedWork:
        record = await self._records.find_record(ids[0], tenant=tenant)
        if record.state == NOT_REGISTERED and not address:
            raise NotFound(f"{ids[0]} is not registered: no such work exists.")
        notes: tuple[str, ...] = ()
        if record.state == UNCHECKED:
            notes = (f"No registry could be asked about {ids[0]}.",)
        return ResolvedWork(ids=ids, paper=record.paper, address=address, notes=notes)

    async def _resolve_title(self, title: str, tenant: str | None) -> ResolvedWork:
        query = BibliographicQuery(text=title, title=title)
        matches = await self._records.match_records(query, tenant=tenant)
        best = matches.papers[0] if matches.papers else None
        if (
            best is not None
            and record_merging.compare_titles(title, best.title) >= _MIN_TITLE_SIMILARITY
        ):
            ids = tuple(PaperId(scheme=scheme, value=value) for scheme, value in best.ids.items())
            note = f"The title was matched to {choose_work_address(best) or best.title}."
            return ResolvedWork(ids=_prefer_arxiv_id(ids), paper=best, notes=(note,))
        if not matches.is_answered:
            raise NetworkFailed(
                "No registry could be asked for this title.", reason=FailureReason.NOBODY_ASKED
            )
        nearest = f" The nearest is {best.title!r}." if best else ""
        raise NotFound(f"No work with the title {title[:200]!r} was found.{nearest}")

    async def look_up_registered(
        self, paper_id: PaperId, *, tenant: str | None = None
    ) -> Paper | None:
        return (await self._records.find_record(paper_id, tenant=tenant)).paper


def _prefer_arxiv_id(ids: tuple[PaperId, ...]) -> tuple[PaperId, ...]:
    """The identifiers, with an arXiv id before the DOI that is made from it."""
    made = [
        paper_id
        for paper_id in ids
        if paper_id.scheme is IdentifierScheme.DOI and "/arxiv." in paper_id.value
    ]
    arxiv = [paper_id for paper_id in ids if paper_id.scheme is IdentifierScheme.ARXIV]
    if not made or not arxiv:
        return ids
    return (*arxiv, *(paper_id for paper_id in ids if paper_id not in arxiv))


# Papers in the form callers receive.


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperStatuses:
    """The retraction status of several papers, in their order; None if there is no notice."""

    statuses: tuple[RetractionStatus | None, ...]
    notes: tuple[str, ...] = ()  # which of them could not be checked, or only offline


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
        has_pdf=(paper.pdf_url is not None or any(copy.pdf for copy in paper.copies)) or None,
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
    more = len(names) - _MAX_AUTHORS
    if more > 0:
        names = [*names[:_MAX_AUTHORS], f"and {more} {pluralize(more, 'other')}"]
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
