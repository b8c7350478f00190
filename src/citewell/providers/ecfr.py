"""eCFR: the Code of Federal Regulations of the United States as it is in force; no key."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, ClassVar
from urllib.parse import quote

from pydantic import Field

from citewell.core.errors import UpstreamUnavailable
from citewell.core.values.court_case import (
    CaseHits,
    CaseQuery,
    CitationMatch,
    CourtCase,
    LegalCitation,
)
from citewell.domains.law.bluebook import CfrPlace, find_cfr_place
from citewell.net.upstream import json_responses as wire
from citewell.providers.dialects.remembered_matches import LawRegistry
from citewell.routing.ports import Offer, ProviderSpec
from citewell.routing.upstream_refusals import read_stated_json
from citewell.text.safety.text_cleaning import clean_markup

SPEC = ProviderSpec(
    name="ecfr",
    title="eCFR",
    homepage="https://www.ecfr.gov/developers/documentation/api/v1",
    base_url="https://www.ecfr.gov/api",
    offers=frozenset({Offer.CASES, Offer.CITATIONS}),
    applied_arguments={Offer.CASES: frozenset({"date_to"})},
    max_results=50,
    per_second=1.0,
    burst=5,
    rank=40,
    covers_whole_web=False,
    terms="Works of the US government; the eCFR is not an official legal edition.",
    test_evidence="one recorded search and one recorded list of versions",
)

_SITE = "https://www.ecfr.gov"
_LAST_TITLE = 50
_PAGE_SIZE = 100  # the search returns every version of a section, most of which have ended
_NOT_FOUND = 404
_DAY_PATTERN = r"^[12]\d{3}-\d\d-\d\d$"

_IsoDay = Annotated[str, Field(pattern=_DAY_PATTERN)]


class _SectionPlace(wire.ResponsePart):
    title: Annotated[str, Field(pattern=r"^\d{1,2}$")]
    part: wire.OptionalField[str] = None
    section: wire.OptionalField[str] = None
    appendix: wire.OptionalField[str] = None


class _SectionHeadings(wire.ResponsePart):
    title: wire.OptionalField[str] = None
    chapter: wire.OptionalField[str] = None
    part: wire.OptionalField[str] = None
    section: wire.OptionalField[str] = None
    appendix: wire.OptionalField[str] = None


class _FoundVersion(wire.ResponsePart):
    hierarchy: _SectionPlace
    headings: wire.OptionalField[_SectionHeadings] = None
    full_text_excerpt: wire.OptionalField[str] = None
    starts_on: wire.OptionalField[_IsoDay] = None
    ends_on: wire.OptionalField[_IsoDay] = None
    removed: wire.OptionalField[bool] = None


class _SearchMeta(wire.ResponsePart):
    total_count: wire.OptionalField[int] = None


class _SearchPage(wire.JsonResponse):
    results: wire.TolerantItems[_FoundVersion]
    meta: wire.OptionalField[_SearchMeta] = None


class _StoredVersion(wire.ResponsePart):
    identifier: str
    name: wire.OptionalField[str] = None
    date: wire.OptionalField[_IsoDay] = None
    part: wire.OptionalField[str] = None
    removed: wire.OptionalField[bool] = None


class _VersionList(wire.JsonResponse):
    content_versions: wire.TolerantItems[_StoredVersion]


class Provider(LawRegistry):
    citation_kinds: ClassVar[frozenset[str]] = frozenset({"us_cfr"})

    async def search_cases(self, query: CaseQuery) -> CaseHits:
        """Sections by relevance: those in force, or those that were in force on `date_to`.

        Versions that have ended are returned only if there is no other.
        """
        place = find_cfr_place(query.text)
        if place is not None:
            places = await self._list_cited_sections(place)
            return CaseHits(cases=tuple(case for case in places if _is_recent(case, query)))
        params = {
            "query": query.text,
            "per_page": str(_PAGE_SIZE),
            "order": "relevance",
            "date": query.date_to,
        }
        response = await self._upstream.send_get(
            "/search/v1/results",
            params={name: value for name, value in params.items() if value},
            accept=(400,),
        )
        page = read_stated_json(_SearchPage, response)
        versions = [version for version in page.results if _is_in_force(version, query.date_to)]
        ended = len(page.results) - len(versions)
        cases = map(_parse_found_version, versions or page.results)
        kept: dict[str, CourtCase] = {}  # for each citation the most relevant
        for case in cases:
            if _is_recent(case, query):
                kept.setdefault(next(iter(case.citations), case.url), case)
        return CaseHits(
            cases=tuple(kept.values())[: query.count],
            total=wire.drop_negative_count(page.meta.total_count)
            if page.meta and not ended
            else None,
            notes=_describe_versions(in_force=len(versions), ended=ended),
        )

    async def _find_citation(self, citation: LegalCitation) -> CitationMatch:
        place = find_cfr_place(citation.normalized)
        if place is None:
            return CitationMatch(provider=SPEC.name, is_reporter_known=False)
        return CitationMatch(provider=SPEC.name, cases=await self._list_cited_sections(place))

    async def _list_cited_sections(self, place: CfrPlace) -> tuple[CourtCase, ...]:
        """The section, or its part, if the Code has or had it since 2017."""
        if not 1 <= place.title <= _LAST_TITLE:
            return ()
        named = {"section": place.section} if place.section else {"part": place.part}
        response = await self._upstream.send_get(
            f"/versioner/v1/versions/title-{place.title}.json",
            params=named,
            accept=(400, _NOT_FOUND),
        )
        if response.status == _NOT_FOUND:
            # A missing section is an empty list; this says that the whole title is missing.
            message = "eCFR has no list of versions for this title."
            raise UpstreamUnavailable(message, provider=SPEC.name, detail="HTTP 404")
        versions = read_stated_json(_VersionList, response).content_versions
        wanted = place.section or place.part
        found = [
            version
            for version in versions
            if wanted.lower() in {version.identifier.lower(), version.part or ""}
        ]
        return (_parse_stored_versions(place, found),) if found else ()


def _describe_versions(*, in_force: int, ended: int) -> tuple[str, ...]:
    if not ended:
        return ()
    if not in_force:
        return ("No version is in force; these have ended.",)
    return (f"Versions that are not in force were left out: {ended}.",)


def _is_in_force(version: _FoundVersion, day: str | None) -> bool:
    """Whether the version has not ended, or had begun and not ended on `day`."""
    if version.removed:
        return False
    if day is None:
        return not version.ends_on
    return (version.starts_on or "") <= day <= (version.ends_on or "9999")


def _is_recent(case: CourtCase, query: CaseQuery) -> bool:
    return not query.date_from or (case.date_filed or "") >= query.date_from


def _parse_found_version(version: _FoundVersion) -> CourtCase:
    place, headings = version.hierarchy, version.headings or _SectionHeadings()
    number = clean_markup(place.section or place.appendix or place.part)
    heading = clean_markup(headings.section or headings.appendix or headings.part)
    ended = version.ends_on
    citation = f"{place.title} CFR {number}" if number else f"{place.title} CFR"
    return CourtCase(
        name=(heading or citation).replace("<", ""),
        url=_build_page_address(place.title, place.section, place.part, day=ended),
        source=SPEC.name,
        kind="regulation",
        citations=(citation,),
        court=clean_markup(headings.chapter) or None,
        date_filed=version.starts_on,
        status=f"In force until {ended}" if ended else None,
        snippet=clean_markup(version.full_text_excerpt),
    )


def _parse_stored_versions(place: CfrPlace, versions: Sequence[_StoredVersion]) -> CourtCase:
    last = max(versions, key=lambda version: version.date or "")
    heading = clean_markup(last.name).removeprefix(f"§ {place.section}").strip()
    gone = all(version.removed for version in versions) if not place.section else last.removed
    return CourtCase(
        name=heading.replace("<", "") if heading and place.section else place.citation,
        url=_build_page_address(str(place.title), place.section, place.part),
        source=SPEC.name,
        kind="regulation",
        citations=(place.citation,),
        date_filed=last.date,
        status="Removed" if gone else None,
    )


def _build_page_address(
    title: str, section: str | None, part: str | None, *, day: str | None = None
) -> str:
    """The page of a section, or else of its part, as it is today or was on `day`."""
    when = f"on/{day}" if day else "current"
    below = f"/section-{_quote_part(section)}" if section else ""
    if not below and part:
        below = f"/part-{_quote_part(part)}"
    return f"{_SITE}/{when}/title-{title}{below}"


def _quote_part(text: str) -> str:
    return quote(text.encode("utf-8", "replace"), safe=".-")
