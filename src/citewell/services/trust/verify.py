"""One citation checked: that it exists, is the work it says, still stands, and speaks of what is claimed."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from citewell.errors import CitewellError, InvalidInput
from citewell.model.page import Page
from citewell.model.trust import Verification
from citewell.services import standing
from citewell.services.links import LinkState
from citewell.services.scholar import shown
from citewell.services.scholar.records import NOT_REGISTERED, UNCHECKED
from citewell.services.trust import advice
from citewell.services.trust.identity import Agreement, Cited
from citewell.services.trust.lookup import FOUND, HIGH, Finding, Lookup
from citewell.services.trust.reading import cited_in
from citewell.services.trust.sources import Pages, Places, Sources, places
from citewell.services.trust.weighing import weigh
from citewell.text import identifiers
from citewell.text.identifiers import Identified, Kind

GONE = "gone"
CONFIRMED, UNCERTAIN, NOT_FOUND = "confirmed", "uncertain", "not_found"
LONGEST = 4000  # characters of a citation
_GLANCE = 20.0  # seconds for reading a page to learn whether it is a paper's
_OFFLINE = 0
# A page that answers is no missing work, whether or not registries of papers know of it.
_THERE: Mapping[str, Any] = {
    "exists": True,
    "existence": FOUND,
    "verification_status": UNCERTAIN,
    "authenticity_caveat": advice.PAGE,
}
_SAID_GONE = frozenset({404, 410})  # the server's own word; anything else is a guess of ours


class Checks(Protocol):
    """Knows whether addresses still lead anywhere."""

    async def check(
        self, urls: Iterable[str], *, tenant: str | None = None
    ) -> Mapping[str, LinkState]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class _Seen:
    """What became of an address: its link, and its page where that could be read."""

    link: LinkState
    page: Page | None = None
    complaint: str = ""


class Verify:
    def __init__(self, *, lookup: Lookup, links: Checks, pages: Pages) -> None:
        self._lookup = lookup
        self._links = links
        self._pages = pages
        self._sources = Sources(pages)

    async def verify(
        self, citation: str, *, claim: str | None = None, tenant: str | None = None
    ) -> Verification:
        """Everything that could be learnt; what could not is said in the provenance."""
        text = citation.strip()
        if not text:
            raise InvalidInput("citation is empty: give a DOI, an address or a reference.")
        what = identifiers.identify(text)
        if what.kind is Kind.LEGAL:
            answer, source = _legal(what), Places(urls=(what.url,) if what.url else ())
        elif what.kind is Kind.URL:
            answer, source = await self._address(what, tenant)
        else:
            answer, source = await self._work(what, tenant)
        answer["input"] = citation
        if claim:
            checked = await self._sources.check(claim, source, tenant=tenant)
            answer |= dict(checked)
        return Verification(**answer)

    async def _work(self, what: Identified, tenant: str | None) -> tuple[dict[str, Any], Places]:
        cited, venue = cited_in(what.rest)
        link = self._link(what.url, tenant)
        finding, seen = await asyncio.gather(
            self._lookup.of(
                (*what.ids[:1], *what.readings, *what.ids[1:]), cited, venue=venue, tenant=tenant
            ),
            link,
        )
        answer = _answer(what.kind, finding, by_id=bool(what.ids), worded=bool(what.rest))
        if seen is not None:
            answer |= _linked(seen)
            answer["provenance"] = (*answer["provenance"], _told(what.url, seen))
            if seen.reachable and finding.existence == UNCHECKED:
                answer |= _THERE
        if what.fault:
            answer["notes"] = (*(answer.get("notes") or ()), what.fault)
        first = (what.url,) if seen is None or seen.state != "dead" else (seen.archived or "",)
        return answer, places(finding.paper, first=first)

    async def _link(self, url: str, tenant: str | None) -> LinkState | None:
        return (await self._links.check([url], tenant=tenant))[url] if url else None

    async def _address(self, what: Identified, tenant: str | None) -> tuple[dict[str, Any], Places]:
        seen = await self._seen(what.url, tenant)
        doi = standing.doi(seen.page) if seen.page is not None else None
        ids = identifiers.ids(doi) if doi else what.ids
        reached = (seen.page.final_url if seen.page else "", seen.link.archived or "", what.url)
        if not ids:
            answer = _bare(what, seen)
            return answer, places(None, first=_readable(seen, reached))
        cited = Cited(title=_own_title(seen.page), parted=True) if seen.page else Cited()
        finding = await self._lookup.of(ids, cited, tenant=tenant)
        answer = _answer(Kind.URL, finding, by_id=True, worded=bool(cited.title)) | _linked(
            seen.link
        )
        answer["detected_doi"] = doi or next((i.value for i in ids if i.scheme == "doi"), None)
        if seen.link.reachable:
            answer |= {"exists": True, "existence": FOUND}
        answer["provenance"] = (_told(what.url, seen.link, seen.complaint), *answer["provenance"])
        return answer, places(finding.paper, first=_readable(seen, reached))

    async def _seen(self, url: str, tenant: str | None) -> _Seen:
        """The link and the page at once: the page is read a single time, for everything."""
        states, page = await asyncio.gather(
            self._links.check([url], tenant=tenant), self._page(url, tenant)
        )
        found, complaint = page
        return _Seen(link=states[url], page=found, complaint=complaint)

    async def _page(self, url: str, tenant: str | None) -> tuple[Page | None, str]:
        try:
            async with asyncio.timeout(_GLANCE):
                return await self._pages.read(url, tenant=tenant), ""
        except CitewellError as error:
            return None, f"the page could not be read ({error.kind})"
        except TimeoutError:
            return None, "the page could not be read in time"


def _answer(kind: Kind, finding: Finding, *, by_id: bool, worded: bool) -> dict[str, Any]:
    identity = finding.identity
    unsaid = Agreement.NOT_CHECKED.value if by_id or worded else None
    return {
        "input_type": kind.value,
        "exists": {FOUND: True, NOT_REGISTERED: False}.get(finding.existence),
        "existence": finding.existence,
        "verification_status": _status(finding),
        "matched_record": shown.work(finding.paper, weigh=_elsewhere) if finding.paper else None,
        "match_confidence": finding.confidence,
        "title_match": identity.title.state.value if identity else unsaid,
        "author_match": identity.author.state.value if identity else None,
        "year_match": identity.year.state.value if identity else None,
        "mismatches": (identity.reasons if identity else ()) or None,
        "suggested_doi": finding.suggested,
        "possible_match": shown.work(finding.other, weigh=weigh) if finding.other else None,
        "retraction_status": finding.retraction,
        "authenticity_caveat": advice.caveat(finding),
        "notes": advice.notes(finding) or None,
        "provenance": finding.provenance or ("no registry is configured that could be asked",),
    }


def _elsewhere(_events: object) -> None:
    """The record's own notices are told once, weighed with everybody else's."""


def _status(finding: Finding) -> str:
    if finding.existence == NOT_REGISTERED:
        return NOT_FOUND
    if finding.existence == FOUND:
        sure = not finding.contradicted and finding.confidence in {HIGH, None}
        return CONFIRMED if sure else UNCERTAIN
    return NOT_FOUND if finding.searched else UNCERTAIN


def _legal(what: Identified) -> dict[str, Any]:
    return {
        "input_type": Kind.LEGAL.value,
        "existence": UNCHECKED,
        "verification_status": UNCERTAIN,
        "notes": (advice.legal(what.legal_form, what.value),),
        "provenance": ("recognised as a legal citation by its form; no registry was asked",),
    }


def _bare(what: Identified, seen: _Seen) -> dict[str, Any]:
    """An address that is no paper's: whether it leads anywhere is all there is to say."""
    link = seen.link
    gone = link.state == "dead" and link.status in _SAID_GONE
    existence = FOUND if link.reachable else GONE if gone else UNCHECKED
    status = {FOUND: CONFIRMED, GONE: UNCERTAIN if link.archived else NOT_FOUND}
    return {
        "input_type": Kind.URL.value,
        "exists": {FOUND: True, GONE: False}.get(existence),
        "existence": existence,
        "verification_status": status.get(existence, UNCERTAIN),
        "authenticity_caveat": advice.PAGE if existence == FOUND else None,
        "provenance": (_told(what.url, link, seen.complaint),),
    } | _linked(link)


def _linked(link: LinkState) -> dict[str, Any]:
    return {
        "http_status": link.status if link.state != "dead" else link.status or _OFFLINE,
        "link_state": link.state,
        "link_reason": link.reason,
        "archived_url": link.archived,
    }


def _told(url: str, link: LinkState, complaint: str = "") -> str:
    details = [f"HTTP {link.status}" if link.status else "", link.reason or ""]
    said = ", ".join(detail for detail in details if detail)
    more = f"; {complaint}" if complaint else ""
    return f"{url}: link {link.state}{f' ({said})' if said else ''}{more}"


def _own_title(page: Page | None) -> str:
    if page is None:
        return ""
    marks = page.structured.citation if page.structured else None
    return (marks or {}).get("citation_title") or page.title


def _readable(seen: _Seen, urls: tuple[str, ...]) -> tuple[str, ...]:
    final, archived, asked = urls
    return (archived,) if seen.link.state == "dead" and archived else (final, asked)
