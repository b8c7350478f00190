"""Check one citation before relying on it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Self

from pydantic import Field

from citewell.citations import identifiers, references
from citewell.citations.identifiers import CitationKind, IdentifiedCitation
from citewell.core.errors import CitewellError, InvalidInput
from citewell.core.service_kit import ServiceKit
from citewell.core.tooling import Tool, ToolArguments, ToolCall
from citewell.core.values.argument_types import ClaimText
from citewell.core.values.citation_checks import PAGE_NEVER_EXISTED, CitationVerification
from citewell.core.values.page import Page
from citewell.evidence.judging.claim_judging import (
    ClaimJudging,
    JudgeContext,
    build_lexical_judging,
)
from citewell.links.link_checks import LinkChecker, LinkState
from citewell.reading import page_works, source_classification
from citewell.reading.pages.cached_pages import CachedPageReader
from citewell.scholar import work_resolution
from citewell.scholar.registry_records import NOT_REGISTERED, UNCHECKED
from citewell.text.safety.text_cleaning import clean_markup
from citewell.trust import finding_advice, record_comparison, reference_lookup
from citewell.trust.claim_sources import CitedClaim, ClaimSources, SourcePlaces, list_source_places
from citewell.trust.notice_weighing import weigh_notices
from citewell.trust.registry_judgement import HIGH
from citewell.trust.work_identity import CitedWork, FieldAgreement, build_cited_work
from citewell.trust.work_lookup import NOT_IN_REGISTRIES, WORK_FOUND, WorkFinding, WorkLookup

if TYPE_CHECKING:
    from citewell.domains.law.citation_service import LegalCitationChecker


CONFIRMED, UNCERTAIN, NOT_FOUND = "confirmed", "uncertain", "not_found"
UNREAD = "unread"  # it exists, and its content was not seen
MAX_CITATION_CHARS = 4000  # characters of a citation
_PAGE_READ_SECONDS = 20.0  # for reading a page to see whether it belongs to a paper
_NO_HTTP_STATUS = 0
# A reachable page exists, even if registries of papers do not have it.
_REACHABLE_PAGE_FIELDS: Mapping[str, Any] = {
    "exists": True,
    "existence": WORK_FOUND,
    "verification_status": UNCERTAIN,
    "authenticity_caveat": finding_advice.REACHABLE_PAGE_CAVEAT,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _VisitedAddress:
    """The link state of an address, and its page if that could be read."""

    link: LinkState
    page: Page | None = None
    complaint: str = ""


class CitationVerifier:
    def __init__(
        self,
        *,
        lookup: WorkLookup,
        links: LinkChecker,
        pages: CachedPageReader,
        legal: LegalCitationChecker | None = None,
        judging: ClaimJudging | None = None,
    ) -> None:
        """`judging` reads what the source says to the claim; without it words alone decide."""
        self._lookup = lookup
        self._legal = legal
        self._links = links
        self._pages = pages
        self._sources = ClaimSources(pages, judging or build_lexical_judging())

    @classmethod
    def build(cls, kit: ServiceKit) -> Self:
        return cls(
            lookup=kit.require_service(WorkLookup),
            links=kit.require_service(LinkChecker),
            pages=kit.require_service(CachedPageReader),
            legal=kit.require_legal_checker(),
            judging=kit.require_service(ClaimJudging),
        )

    async def verify_citation(
        self,
        citation: str,
        *,
        claim: str | None = None,
        tenant: str | None = None,
        context: JudgeContext | None = None,
    ) -> CitationVerification:
        """The verification; checks that could not be made are listed in its provenance.

        Raises InvalidInput for an empty citation.
        """
        text = citation.strip()
        if not text:
            raise InvalidInput("citation is empty: give a DOI, an address or a reference.")
        what = identifiers.identify_citation(text)
        if what.kind is CitationKind.LEGAL:
            answer, source = await self._verify_law(what)
        elif what.kind is CitationKind.URL:
            answer, source = await self._verify_address(what, tenant)
        else:
            answer, source = await self._verify_work(what, tenant)
        answer["input"] = citation
        if claim:
            [checked] = await self._sources.check_claims(
                [CitedClaim(claim=claim, places=source)], tenant=tenant, context=context
            )
            answer |= dict(checked)
        return CitationVerification(**answer)

    async def _verify_law(self, what: IdentifiedCitation) -> tuple[dict[str, Any], SourcePlaces]:
        answer, urls = _build_legal_fields(what), [what.url]
        if self._legal is not None:
            checked = (
                await self._legal.check_case_name(what.value)
                if what.legal_form == "case_name"
                else await self._legal.check_citation_text(what.surrounding_text)
            )
            if checked is not None:
                answer |= reference_lookup.build_legal_verification(checked)
                urls.insert(0, checked.case.url if checked.case else "")
        return answer, SourcePlaces(urls=tuple(url for url in urls if url))

    async def _verify_work(
        self, what: IdentifiedCitation, tenant: str | None
    ) -> tuple[dict[str, Any], SourcePlaces]:
        cited, venue = _parse_cited_work(what.surrounding_text)
        link = self._check_link(what.url, tenant)
        finding, seen = await asyncio.gather(
            self._lookup.look_up_work(
                (*what.ids[:1], *what.alternative_dois, *what.ids[1:]),
                cited,
                venue=venue,
                has_address=what.kind is CitationKind.STANDARD,  # need not be registered
                tenant=tenant,
            ),
            link,
        )
        answer = _build_verification_fields(
            what.kind, finding, by_id=bool(what.ids), worded=bool(what.surrounding_text)
        )
        if seen is not None:
            page = record_comparison.compare_page_title("" if finding.paper else cited.title, seen)
            if shown := record_comparison.show_page_agreement(page):
                answer["title_match"] = shown
            unmatched = finding.existence in {UNCHECKED, NOT_IN_REGISTRIES}
            answer |= _build_link_result(seen) | (_judge_by_page(seen) if unmatched else {})
            access = finding_advice.describe_page_access(seen) if unmatched else None
            titled = record_comparison.describe_page_title(page)
            notes = (*(answer.get("notes") or ()), *filter(None, (titled, access)))
            answer["notes"] = notes or None
            answer["provenance"] = (*answer["provenance"], _describe_link(what.url, seen))
        if note := what.fault or (what.note if finding.paper is None else ""):
            notes = (answer.get("notes") or ()) if finding.has_asked else ()
            answer["notes"] = (*notes, note)
        first = (what.url,) if seen is None or seen.state != "dead" else (seen.archived or "",)
        return answer, list_source_places(finding.paper, first=first)

    async def _check_link(self, url: str, tenant: str | None) -> LinkState | None:
        if not url:
            return None
        states = await self._links.check_links([url], tenant=tenant)
        return (await self._links.trace_dead_links(states))[url]

    async def _verify_address(
        self, what: IdentifiedCitation, tenant: str | None
    ) -> tuple[dict[str, Any], SourcePlaces]:
        seen = await self._visit_address(what.url, tenant)
        claimed = source_classification.list_claimed_dois(seen.page) if seen.page else ()
        likely = page_works.find_likely_doi(seen.page) if seen.page and not claimed else None
        doi = claimed[0] if claimed else likely
        ids = identifiers.find_identifiers(doi) if doi else what.ids
        reached = (seen.page.final_url if seen.page else "", seen.link.archived or "", what.url)
        if not ids:
            answer = _build_bare_address_fields(what, seen)
            return answer, list_source_places(None, first=_choose_readable_addresses(seen, reached))
        cited = CitedWork()
        if seen.page:
            marks = seen.page.structured.citation if seen.page.structured else None
            title = (marks or {}).get("citation_title") or seen.page.title
            cited = CitedWork(title=title, structured=True)
        finding = await self._lookup.look_up_work(ids, cited, tenant=tenant)
        if seen.page and not page_works.is_page_work(
            seen.page, finding.paper, is_claimed=likely is None
        ):
            answer = _build_bare_address_fields(what, seen)
            if likely is None and finding.paper:
                title = clean_markup(finding.paper.title)
                answer["notes"] = (f"The page names {doi}, the DOI of another work: “{title}”.",)
            return answer, list_source_places(None, first=_choose_readable_addresses(seen, reached))
        answer = _build_verification_fields(
            CitationKind.URL, finding, by_id=True, worded=bool(cited.title)
        ) | _build_link_result(seen.link)
        answer["detected_doi"] = doi or next((i.value for i in ids if i.scheme == "doi"), None)
        if seen.link.reachable:
            answer |= {"exists": True, "existence": WORK_FOUND}
            if finding.paper is None:  # the page itself is all that was found
                answer["verification_status"] = UNCERTAIN if seen.page else UNREAD
        answer["provenance"] = (
            _describe_link(what.url, seen.link, seen.complaint),
            *answer["provenance"],
        )
        return answer, list_source_places(
            finding.paper, first=_choose_readable_addresses(seen, reached)
        )

    async def _visit_address(self, url: str, tenant: str | None) -> _VisitedAddress:
        """Check the link and read the page concurrently; later steps use the same page."""
        link, (page, complaint) = await asyncio.gather(
            self._check_link(url, tenant), self._read_cited_page(url, tenant)
        )
        return _VisitedAddress(
            link=link or LinkState(state=UNCHECKED), page=page, complaint=complaint
        )

    async def _read_cited_page(self, url: str, tenant: str | None) -> tuple[Page | None, str]:
        try:
            async with asyncio.timeout(_PAGE_READ_SECONDS):
                return await self._pages.read_page(url, tenant=tenant), ""
        except CitewellError as error:
            return None, f"the page could not be read ({error.kind})"
        except TimeoutError:
            return None, "the page could not be read in time"


def _build_verification_fields(
    kind: CitationKind, finding: WorkFinding, *, by_id: bool, worded: bool
) -> dict[str, Any]:
    identity = finding.identity
    unsaid = FieldAgreement.NOT_CHECKED.value if by_id or worded else None
    return {
        "input_type": kind.value,
        "exists": {WORK_FOUND: True, NOT_REGISTERED: False}.get(finding.existence),
        "existence": finding.existence,
        "verification_status": _choose_verification_status(finding),
        # The record's own notices are part of `retraction_status` already.
        "matched_record": work_resolution.build_work_view(finding.paper, retraction=None)
        if finding.paper
        else None,
        "match_confidence": finding.confidence,
        "title_match": identity.title.state.value if identity else unsaid,
        "author_match": identity.author.state.value if identity else None,
        "year_match": identity.year.state.value if identity else None,
        "mismatches": (identity.reasons if identity else ()) or None,
        "fields": finding.fields or None,
        "suggested_doi": finding.suggested_doi,
        "possible_match": work_resolution.build_work_view(
            finding.other_paper, retraction=weigh_notices(finding.other_paper.events)
        )
        if finding.other_paper
        else None,
        **finding_advice.build_guidance_fields(finding),
        "retraction_status": finding.retraction,
        "authenticity_caveat": finding_advice.choose_caveat(finding),
        "notes": tuple(finding_advice.collect_finding_notes(finding)) or None,
        "provenance": finding.provenance or ("no configured registry could be asked",),
    }


def _judge_by_page(link: LinkState) -> dict[str, Any]:
    """What the cited page adds for a work that no registry has."""
    if link.reachable:
        unread = {"verification_status": UNREAD} if link.state == "blocked" else {}
        return {**_REACHABLE_PAGE_FIELDS, **unread}
    never_existed = link.is_missing and link.has_existed is False
    return {"verification_status": NOT_FOUND} if never_existed else {}


def _choose_verification_status(finding: WorkFinding) -> str:
    if finding.existence == NOT_REGISTERED:
        return NOT_FOUND
    if finding.existence == WORK_FOUND:
        doubted = finding.is_contradicted or finding.is_partly_confirmed
        sure = not doubted and finding.confidence in {HIGH, None}
        return CONFIRMED if sure else UNCERTAIN
    return NOT_FOUND if finding.is_absent else UNCERTAIN


def _build_legal_fields(what: IdentifiedCitation) -> dict[str, Any]:
    return {
        "input_type": CitationKind.LEGAL.value,
        "exists": None,
        "existence": UNCHECKED,
        "verification_status": UNCERTAIN,
        "notes": (finding_advice.describe_legal_citation(what.legal_form, what.value),),
        "provenance": ("recognised as a legal citation by its form; no registry was asked",),
    }


def _build_bare_address_fields(what: IdentifiedCitation, seen: _VisitedAddress) -> dict[str, Any]:
    """The fields for an address that belongs to no paper: only the link could be checked."""
    link = seen.link
    existence = WORK_FOUND if link.reachable else UNCHECKED
    if link.is_missing:
        existence = link.missing_state
    found = CONFIRMED if seen.page is not None else UNREAD
    note = finding_advice.describe_page_access(link, is_read=seen.page is not None)
    return {
        "input_type": CitationKind.URL.value,
        "exists": True if link.reachable else False if link.is_missing else None,
        "existence": existence,
        "verification_status": {WORK_FOUND: found, PAGE_NEVER_EXISTED: NOT_FOUND}.get(
            existence, UNCERTAIN
        ),
        "authenticity_caveat": finding_advice.REACHABLE_PAGE_CAVEAT
        if existence == WORK_FOUND
        else None,
        "notes": (note,) if note else None,
        "provenance": (_describe_link(what.url, link, seen.complaint),),
    } | _build_link_result(link)


def _build_link_result(link: LinkState) -> dict[str, Any]:
    return {
        "http_status": link.status if link.state != "dead" else link.status or _NO_HTTP_STATUS,
        "link_state": link.state,
        "link_reason": link.reason,
        "archived_url": link.archived,
    }


def _describe_link(url: str, link: LinkState, complaint: str = "") -> str:
    details = [f"HTTP {link.status}" if link.status else "", link.reason or ""]
    reasons = ", ".join(detail for detail in details if detail)
    more = f"; {complaint}" if complaint else ""
    return f"{url}: link {link.state}{f' ({reasons})' if reasons else ''}{more}"


def _choose_readable_addresses(seen: _VisitedAddress, urls: tuple[str, ...]) -> tuple[str, ...]:
    final, archived, asked = urls
    return (archived,) if seen.link.state == "dead" and archived else (final, asked)


def _parse_cited_work(text: str) -> tuple[CitedWork, str]:
    """The work that a free-text reference cites, and its venue.

    Only the text itself, if it is not exactly one reference.
    """
    if not text:
        return CitedWork(), ""
    found = references.parse_bibliography(text, format="prose").references
    if len(found) != 1:
        return CitedWork(text=text), ""
    reference = found[0]
    return build_cited_work(reference, structured=False, text=text), reference.venue


class Args(ToolArguments):
    """Check one citation: does it exist, is it the work it claims to be, was it retracted, is its link live, and does the source address your claim? Evidence, no verdict. For a whole reference list use audit_bibliography."""

    citation: Annotated[
        str,
        Field(
            min_length=1,
            max_length=MAX_CITATION_CHARS,
            description="DOI, URL or reference text (best with title, author, year); also arXiv id, PMID, ISBN, RFC, legal citation.",
        ),
    ]
    claim: Annotated[
        ClaimText,
        Field(
            description="What it is cited for: the source is read and its nearest sentences quoted."
        ),
    ] = None


async def run(args: Args, call: ToolCall) -> CitationVerification:
    return await call.require_service(CitationVerifier).verify_citation(
        args.citation,
        claim=args.claim,
        tenant=call.owner.tenant,
        context=JudgeContext(owner=str(call.owner), progress=call.report_progress),
    )


TOOL = Tool(
    args=Args,
    result=CitationVerification,
    run=run,
    toolset="trust",
    in_default_profile=True,
    has_long_timeout=True,
)
