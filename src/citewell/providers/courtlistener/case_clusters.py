"""Clusters of opinions, as CourtListener calls a decision, in the two forms of its API."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

from pydantic import AliasChoices, Field

from citewell.dialects.json_responses import (
    JsonResponse,
    OptionalField,
    ResponsePart,
    TolerantItems,
    drop_negative_count,
)
from citewell.model.domains.court_case import CourtCase
from citewell.text.dates.partial_dates import parse_partial_date
from citewell.text.safety.markup_cleaning import clean_markup

PROVIDER_NAME = "courtlistener"
_SITE = "https://www.courtlistener.com"
_PATH_PATTERN = r"^/[\w.~%-][\w.~%/-]*$"  # on the site, and never //host


class _OpinionPart(ResponsePart):
    snippet: OptionalField[str] = None


class FoundCluster(ResponsePart):
    """A cluster of opinions as the search returns it."""

    case_name: Annotated[str, Field(validation_alias="caseName")]
    # Dockets, which another kind of search returns, have their own address.
    absolute_url: Annotated[
        str,
        Field(
            pattern=_PATH_PATTERN,
            validation_alias=AliasChoices("absolute_url", "docket_absolute_url"),
        ),
    ]
    case_name_full: OptionalField[str] = Field(default=None, validation_alias="caseNameFull")
    cluster_id: OptionalField[int] = None
    citation: OptionalField[TolerantItems[str]] = None
    court: OptionalField[str] = None
    court_id: OptionalField[str] = None
    court_citation_string: OptionalField[str] = None
    date_filed: OptionalField[str] = Field(default=None, validation_alias="dateFiled")
    docket_number: OptionalField[str] = Field(default=None, validation_alias="docketNumber")
    cite_count: OptionalField[int] = Field(default=None, validation_alias="citeCount")
    status: OptionalField[str] = None
    judge: OptionalField[str] = None
    syllabus: OptionalField[str] = None
    opinions: OptionalField[TolerantItems[_OpinionPart]] = None
    recap_documents: OptionalField[TolerantItems[_OpinionPart]] = None


class SearchPage(JsonResponse):
    results: TolerantItems[FoundCluster]
    count: OptionalField[int] = None
    next: OptionalField[str] = None


class _ReporterPlace(ResponsePart):
    volume: str | int
    reporter: str
    page: str | int


class StoredCluster(ResponsePart):
    """A cluster of opinions as citation-lookup returns it; it does not name the court."""

    case_name: str
    absolute_url: Annotated[str, Field(pattern=_PATH_PATTERN)]
    case_name_full: OptionalField[str] = None
    id: OptionalField[int] = None
    docket_id: OptionalField[int] = None
    citations: OptionalField[TolerantItems[_ReporterPlace]] = None
    date_filed: OptionalField[str] = None
    citation_count: OptionalField[int] = None
    precedential_status: OptionalField[str] = None
    judges: OptionalField[str] = None


def parse_found_cluster(cluster: FoundCluster) -> CourtCase:
    texts = cluster.opinions or cluster.recap_documents or ()
    snippets = (clean_markup(text.snippet) for text in texts)
    url = _SITE + cluster.absolute_url
    return CourtCase(
        name=clean_markup(cluster.case_name) or url,
        url=url,
        source=PROVIDER_NAME,
        citations=_clean_citations(cluster.citation or ()),
        court=clean_markup(cluster.court) or None,
        court_id=clean_markup(cluster.court_id) or None,
        court_label=clean_markup(cluster.court_citation_string) or None,
        date_filed=parse_partial_date(cluster.date_filed or "") or None,
        docket_number=clean_markup(cluster.docket_number) or None,
        citation_count=drop_negative_count(cluster.cite_count),
        status=clean_markup(cluster.status) or None,
        judge=clean_markup(cluster.judge) or None,
        snippet=next(filter(None, snippets), "") or clean_markup(cluster.syllabus),
        full_name=clean_markup(cluster.case_name_full) or None,
        ids={} if cluster.cluster_id is None else {"cluster": str(cluster.cluster_id)},
    )


def parse_stored_cluster(cluster: StoredCluster) -> CourtCase:
    url = _SITE + cluster.absolute_url
    ids = {"cluster": cluster.id, "docket": cluster.docket_id}
    return CourtCase(
        name=clean_markup(cluster.case_name) or url,
        url=url,
        source=PROVIDER_NAME,
        citations=_clean_citations(
            f"{place.volume} {place.reporter} {place.page}" for place in cluster.citations or ()
        ),
        date_filed=parse_partial_date(cluster.date_filed or "") or None,
        citation_count=drop_negative_count(cluster.citation_count),
        status=clean_markup(cluster.precedential_status) or None,
        judge=clean_markup(cluster.judges) or None,
        full_name=clean_markup(cluster.case_name_full) or None,
        ids={name: str(number) for name, number in ids.items() if number is not None},
    )


def _clean_citations(citations: Iterable[str]) -> tuple[str, ...]:
    cleaned = (clean_markup(citation) for citation in citations)
    return tuple(dict.fromkeys(citation for citation in cleaned if citation))
