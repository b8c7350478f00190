"""arXiv: preprints in physics, mathematics, computer science and related fields; no key."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from xml.etree.ElementTree import Element

from citewell.citations import record_fields
from citewell.core.errors import (
    InvalidInput,
    MalformedResponse,
    RejectedRequest,
    UpstreamUnavailable,
)
from citewell.core.values.paper import (
    BibliographicQuery,
    IdentifierScheme,
    IntegrityNotice,
    NoticeKind,
    OpenCopy,
    Paper,
    PaperHits,
    PaperId,
    PaperQuery,
)
from citewell.core.values.search_queries import shorten_query_text
from citewell.net.http.messages import HttpResponse
from citewell.net.upstream.xml_responses import extract_element_text, read_xml_tree
from citewell.providers.dialects import csl_works
from citewell.routing.ports import KitProvider, Offer, ProviderSpec
from citewell.text.calendar_dates import extract_year
from citewell.text.language import word_forms
from citewell.text.safety.text_cleaning import clean_markup

SPEC = ProviderSpec(
    name="arxiv",
    title="arXiv",
    homepage="https://info.arxiv.org/help/api/index.html",
    base_url="https://export.arxiv.org/api",
    offers=frozenset({Offer.PAPERS, Offer.LOOKUP, Offer.MATCH}),
    applied_arguments={
        Offer.PAPERS: frozenset({"open_access", "sort_by", "source", "year_from", "year_to"})
    },
    max_results=100,
    max_query_chars=300,
    per_second=1 / 3,
    rank=45,
    terms="One request every three seconds. Thank arXiv for use of its open access interoperability.",
    test_evidence="recorded answers",
)

_ATOM_NAMESPACE = "{http://www.w3.org/2005/Atom}"
_ARXIV_NAMESPACE = "{http://arxiv.org/schemas/atom}"
_TOTAL_RESULTS_TAG = "{http://a9.com/-/spec/opensearch/1.1/}totalResults"
_ERROR_ID_PART = "api/errors"
_BAD_ID_ERROR = b"api/errors#incorrect_id_format"
_WORD_PATTERN = re.compile(r"[^\W_]+")
_MAX_QUERY_WORDS = 12
_MAX_BATCH_IDS = 50  # ids in one request
_MAX_REASON_CHARS = 300  # characters of the reason given for a withdrawal
_THIS_PAPER_PATTERN = (
    r"(?:(?:this|the|our) )?(?:paper|article|manuscript|submission|preprint|work|note|draft)s?"
)
_WITHDRAWN_PATTERN = r"(?:has|have|had|is|was|were)(?: now| been| being| temporarily)* withdrawn\b"
# Only a withdrawal of this paper: not of another paper, an earlier version or a drug.
_WITHDRAWAL_COMMENT_PATTERN = re.compile(
    rf"(?:^|[.;,(])\s*(?:{_THIS_PAPER_PATTERN} )?withdrawn\b|\b{_THIS_PAPER_PATTERN} {_WITHDRAWN_PATTERN}"
    r"|\b(?:authors?|we|i) (?:have |has )?(?:withdraw|withdrew|withdrawn) (?:this|the|our|my)\b",
    re.IGNORECASE,
)
_WITHDRAWAL_SUMMARY_PATTERN = re.compile(
    rf"^\W*(?:{_THIS_PAPER_PATTERN} {_WITHDRAWN_PATTERN}|(?:{_THIS_PAPER_PATTERN} )?withdrawn\b)",
    re.IGNORECASE,
)


class Provider(KitProvider):
    schemes = frozenset({IdentifierScheme.ARXIV})
    max_batch = MappingProxyType({IdentifierScheme.ARXIV: _MAX_BATCH_IDS})

    async def search_papers(self, query: PaperQuery) -> PaperHits:
        """Papers that contain all the words; if there are none, papers that contain any of them."""
        words = _choose_arxiv_words(query.text)
        if not words:
            return PaperHits(papers=(), applied=_list_arxiv_filters(query))
        found = await self._search_arxiv(_require_all_words(words, "all"), query)
        if not found.papers and len(words) > 2:
            found = await self._search_arxiv(f"({_require_any_word(words, 'all')})", query)
        return found

    async def look_up_paper(self, paper_id: PaperId) -> Paper | None:
        if paper_id.scheme is not IdentifierScheme.ARXIV:
            raise InvalidInput("arXiv can look up papers by arXiv id only.", provider=SPEC.name)
        params = {"id_list": paper_id.value, "max_results": "1"}
        response = await self._upstream.send_get("/query", params=params, accept=(400,))
        if _BAD_ID_ERROR in response.body:  # no paper can have such an id
            return None
        if response.status == 400:
            raise RejectedRequest("The upstream refused this request.", provider=SPEC.name)
        papers, _total = _read_arxiv_feed(response)
        number = record_fields.normalize_arxiv_field(paper_id.value) or paper_id.value
        # The subject class of an old-style id (`math.GT/`) is ignored.
        wanted = re.sub(r"\.[A-Za-z]{2}/", "/", number).lower()
        return next(
            (paper for paper in papers if paper.ids[IdentifierScheme.ARXIV].lower() == wanted), None
        )

    async def look_up_papers(self, ids: Sequence[PaperId]) -> Mapping[PaperId, Paper | None]:
        """Leaves out malformed ids, because arXiv refuses the whole list if one is malformed."""
        asked = [
            paper_id
            for paper_id in ids
            if record_fields.normalize_arxiv_field(paper_id.value) == paper_id.value
        ]
        if not asked:
            return {}
        numbers = ",".join(paper_id.value for paper_id in asked)
        params = {"id_list": numbers, "max_results": str(len(asked))}
        papers, total = _read_arxiv_feed(await self._upstream.send_get("/query", params=params))
        return csl_works.assign_papers(asked, papers, is_complete=total == len(papers))

    async def match_reference(self, query: BibliographicQuery) -> tuple[Paper, ...]:
        """Papers with all words of the title; if there are none, those of the author with any of the words."""
        words = _choose_arxiv_words(query.title or query.text)
        if not words:
            return ()
        asked = PaperQuery(text=query.title, count=query.count)
        found = await self._search_arxiv(_require_all_words(words, "ti"), asked)
        family = " ".join(_WORD_PATTERN.findall(clean_markup(query.author)))
        if not found.papers and family:
            loose = f'au:"{family}" AND ({_require_any_word(words, "ti")})'
            found = await self._search_arxiv(loose, asked)
        return found.papers

    async def _search_arxiv(self, expression: str, query: PaperQuery) -> PaperHits:
        response = await self._upstream.send_get(
            "/query", params=_build_arxiv_params(expression, query)
        )
        papers, total = _read_arxiv_feed(response)
        return PaperHits(
            papers=papers[: query.count], total=total, applied=_list_arxiv_filters(query)
        )


def _build_arxiv_params(expression: str, query: PaperQuery) -> dict[str, str]:
    if query.year_from or query.year_to:
        since, until = query.year_from or 1991, query.year_to or 2999
        expression += f" AND submittedDate:[{since}01010000 TO {until}12312359]"
    return {
        "search_query": expression,
        "start": "0",
        "max_results": str(min(query.count, SPEC.max_results)),
        "sortBy": "submittedDate" if query.sort == "date" else "relevance",
        "sortOrder": "descending",
    }


def _list_arxiv_filters(query: PaperQuery) -> frozenset[str]:
    """The filters that are in effect; `open_access` and `source` hold for everything on arXiv."""
    return csl_works.name_filters(
        year=query.year_from or query.year_to,
        sort=True,
        open_access=query.open_access,
        source=query.source == "arxiv",
    )


def _choose_arxiv_words(text: str) -> list[str]:
    found = _WORD_PATTERN.findall(clean_markup(text)[: SPEC.max_query_chars])
    return word_forms.choose_telling_words(found, count=_MAX_QUERY_WORDS, min_chars=2)


def _require_all_words(words: list[str], field: str) -> str:
    return " AND ".join(f"{field}:{word}" for word in words)


def _require_any_word(words: list[str], field: str) -> str:
    return " OR ".join(f"{field}:{word}" for word in words)


def _read_arxiv_feed(response: HttpResponse) -> tuple[tuple[Paper, ...], int | None]:
    """The papers of an Atom feed and the total count. Raises if an entry is an error report."""
    feed = read_xml_tree(response)
    if feed.tag != f"{_ATOM_NAMESPACE}feed":
        raise MalformedResponse("Expected an Atom feed.", provider=response.provider)
    entries = feed.findall(f"{_ATOM_NAMESPACE}entry")
    if any(
        _ERROR_ID_PART in extract_element_text(entry, f"{_ATOM_NAMESPACE}id") for entry in entries
    ):
        message = "The upstream answered with an error in place of results."
        raise UpstreamUnavailable(message, provider=response.provider)
    papers = tuple(_parse_arxiv_entries(entries))
    if entries and not papers:
        raise MalformedResponse("No entry has an arXiv id and a title.", provider=response.provider)
    total = extract_element_text(feed, _TOTAL_RESULTS_TAG)
    return papers, int(total) if total.isascii() and total.isdigit() else None


def _parse_arxiv_entries(entries: list[Element]) -> Iterator[Paper]:
    for entry in entries:
        number = record_fields.normalize_arxiv_field(
            extract_element_text(entry, f"{_ATOM_NAMESPACE}id")
        )
        dated = extract_element_text(entry, f"{_ATOM_NAMESPACE}published")
        # The feed leaves out the title when it is "0".
        title = extract_element_text(entry, f"{_ATOM_NAMESPACE}title") or ("0" if dated else "")
        if number and title:
            yield _parse_arxiv_entry(entry, number, title)


def _parse_arxiv_entry(entry: Element, number: str, title: str) -> Paper:
    published = record_fields.parse_issued_date(
        extract_element_text(entry, f"{_ATOM_NAMESPACE}published")
    )
    pdf = _find_arxiv_pdf(entry, number)
    return Paper(
        title=title,
        source=SPEC.name,
        url=f"https://arxiv.org/abs/{number}",
        ids={IdentifierScheme.ARXIV: number},
        authors=csl_works.name_authors(
            extract_element_text(author, f"{_ATOM_NAMESPACE}name")
            for author in entry.findall(f"{_ATOM_NAMESPACE}author")
        ),
        kind="article",
        year=extract_year(published),
        published=published,
        venue=extract_element_text(entry, f"{_ARXIV_NAMESPACE}journal_ref") or "arXiv",
        publisher="arXiv",
        abstract=extract_element_text(entry, f"{_ATOM_NAMESPACE}summary") or None,
        open_access=True,
        pdf_url=pdf,
        copies=(
            OpenCopy(url=pdf, pdf=True, version="submittedVersion", host="repository", source=SPEC.name),
        ),
        events=_find_withdrawal(entry),
        preprint_of=record_fields.normalize_doi_field(extract_element_text(entry, f"{_ARXIV_NAMESPACE}doi")),
    )  # fmt: skip


def _find_arxiv_pdf(entry: Element, number: str) -> str:
    """The address of the PDF of the version that the entry describes."""
    links = (link for link in entry.findall(f"{_ATOM_NAMESPACE}link") if link.get("title") == "pdf")
    address = next((link.get("href", "") for link in links), "")
    return (
        address if address.startswith("https://arxiv.org/") else f"https://arxiv.org/pdf/{number}"
    )


def _find_withdrawal(entry: Element) -> tuple[IntegrityNotice, ...]:
    """The withdrawal notice, if the comment or the abstract says that the paper was withdrawn."""
    comment, summary = (
        extract_element_text(entry, f"{_ARXIV_NAMESPACE}comment"),
        extract_element_text(entry, f"{_ATOM_NAMESPACE}summary"),
    )
    if _WITHDRAWAL_COMMENT_PATTERN.search(comment):
        remark = comment
    elif _WITHDRAWAL_SUMMARY_PATTERN.search(summary):
        remark = summary
    else:
        return ()
    return (
        IntegrityNotice(
            kind=NoticeKind.RETRACTION,
            source=SPEC.name,
            label="withdrawal",
            date=record_fields.parse_issued_date(
                extract_element_text(entry, f"{_ATOM_NAMESPACE}updated")
            ),
            reasons=(shorten_query_text(remark, _MAX_REASON_CHARS),),
        ),
    )
