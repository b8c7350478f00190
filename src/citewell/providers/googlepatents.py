"""Google Patents, page by page: looks a publication up by its number; no key, and no search of its own."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pydantic import TypeAdapter, ValidationError

from citewell.core.errors import Blocked, FailureReason, InvalidInput, MalformedResponse
from citewell.domains.patents import patent_records
from citewell.domains.patents.patent_answers import is_granted_kind
from citewell.domains.patents.patent_numbers import parse_patent_number, require_patent_number
from citewell.net.upstream.json_responses import require_http_address
from citewell.providers.dialects.google_patent_results import (
    MAX_CLASS_CODES,
    MAX_PARTY_NAMES,
    build_google_page,
    clean_party_names,
    clean_patent_abstract,
    clean_patent_title,
    normalize_family_numbers,
    parse_patent_day,
)
from citewell.routing.ports import KitProvider, Offer, ProviderSpec
from citewell.text.safety.text_cleaning import clean_markup
from citewell.workers.worker_tasks import TaskFailure, WorkerTask

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

SPEC = ProviderSpec(
    name="googlepatents",
    title="Google Patents",
    homepage="https://patents.google.com",
    base_url="https://patents.google.com",
    offers=frozenset({Offer.PATENTS}),
    max_results=10,
    per_second=1.0,
    burst=3,
    rank=90,
    covers_whole_web=False,
    terms="Pages for people, read one at a time and kept for a month.",
    test_evidence="one recorded fragment of a page; whole pages in their documented shape",
)

PAGE_KEPT_SECONDS = 30 * 86400.0
_WALL_REST_SECONDS = 600.0
_MAX_FAMILY_ROWS = 60
_ABSENT_STATUSES = (404, 410)
_WALL_MARKS = ("unusual traffic", "/sorry/", "recaptcha")
_FAMILY_ID_PATTERN = re.compile(r"ID=(\d{1,15})")
_HTML_HEADERS = {"Accept": "text/html, application/xhtml+xml;q=0.9", "Accept-Language": "en"}

_PARSE_PAGE: WorkerTask[patent_records.PatentRecord | None] = WorkerTask(
    "citewell.providers.googlepatents:parse_google_patent", patent_records.PatentRecord | None
)
_RECORD_ADAPTER: TypeAdapter[patent_records.PatentRecord] = TypeAdapter(patent_records.PatentRecord)


class Provider(KitProvider):
    def _set_up(self) -> None:
        self._upstream.limit_concurrency(1)

    async def search_patents(self, query: patent_records.PatentQuery) -> patent_records.PatentHits:
        """The publications with these numbers that there are, in the order of the query."""
        if not query.numbers:
            raise InvalidInput("Google Patents is read by number; a web search finds the numbers.")
        found: list[patent_records.PatentRecord] = []
        for number in dict.fromkeys(query.numbers):
            if len(found) >= query.count:
                break
            if record := await self._recall_page(number) or await self._fetch_patent_page(number):
                found.append(record)
        return patent_records.PatentHits(patents=tuple(found))

    async def _recall_page(self, number: str) -> patent_records.PatentRecord | None:
        kept = await self._kit.memory.recall_fact(number)
        try:
            return _RECORD_ADAPTER.validate_json(kept) if kept else None
        except ValidationError:  # written by another version
            return None

    async def _fetch_patent_page(self, number: str) -> patent_records.PatentRecord | None:
        wanted = require_patent_number(number).normalized
        response = await self._upstream.send_get(
            f"/patent/{wanted}/en", headers=_HTML_HEADERS, accept=_ABSENT_STATUSES
        )
        if response.status in _ABSENT_STATUSES:
            return None
        try:
            record = await self._kit.require_workers().run_task(
                _PARSE_PAGE, body=response.body, number=wanted
            )
        except TaskFailure as failure:
            raise MalformedResponse(failure.message, provider=SPEC.name) from None
        except Blocked:
            self._upstream.pause_requests(_WALL_REST_SECONDS)
            raise
        if record is not None:
            await self._kit.memory.remember_fact(
                number, _RECORD_ADAPTER.dump_json(record), ttl=PAGE_KEPT_SECONDS
            )
        return record


def parse_google_patent(body: bytes, number: str) -> patent_records.PatentRecord | None:
    """The publication that a page shows; a worker does this. None if the page says there is none.

    Raises Blocked for a bot wall, MalformedResponse for any other page.
    """
    from selectolax.lexbor import LexborHTMLParser

    tree = LexborHTMLParser(body.decode("utf-8", "replace"))
    tree.strip_tags(["script", "style"])
    stated = _find_meta(tree, "citation_patent_publication_number").replace(":", "")
    shown = _find_patent_text(tree, 'dd[itemprop="publicationNumber"]') or stated
    title = _find_meta(tree, "DC.title") or _find_patent_text(tree, '[itemprop="title"], h1#title')
    if not title:
        _raise_for_other_page(tree)
        return None
    found = parse_patent_number(shown) if shown else None
    own = found if found and not found.is_filing else require_patent_number(number)
    family = _FAMILY_ID_PATTERN.search(_find_patent_text(tree, 'section[itemprop="family"] h2'))
    selector = 'section[itemprop="abstract"] .abstract, div.abstract, [itemprop="abstract"]'
    return patent_records.PatentRecord(
        number=own.normalized,
        title=clean_patent_title(title, own),
        url=build_google_page(own),
        source=SPEC.name,
        office=own.office,
        kind_code=own.kind,
        abstract=clean_patent_abstract(
            _find_meta(tree, "DC.description") or _find_patent_text(tree, selector)
        ),
        assignees=_collect_contributors(tree, "assignee", "assigneeOriginal", "assigneeCurrent"),
        inventors=_collect_contributors(tree, "inventor", "inventor"),
        filed=_find_day(tree, "filingDate", "dateSubmitted"),
        granted=parse_patent_day(_find_meta(tree, "DC.date", "issue"))
        or (
            _find_day(tree, "publicationDate", "issue")
            if is_granted_kind(own.office, own.kind)
            else None
        ),
        pdf=_find_pdf_address(tree),
        status=_find_patent_text(tree, '[itemprop="legalStatusIfi"] [itemprop="status"]')[:100]
        or None,
        family_id=family[1] if family else None,
        also_published_as=normalize_family_numbers(_list_family_rows(tree), own=own.normalized),
        cpc_codes=_collect_class_codes(tree),
    )


def _raise_for_other_page(tree: LexborHTMLParser) -> None:
    """Raise unless the page says that there is no such publication."""
    heading = clean_markup(_find_patent_text(tree, "title") + " " + _find_patent_text(tree, "h1"))
    text = (tree.body.text()[:5000] if tree.body is not None else "").lower()
    if "404" in heading or "error 404" in text:
        return
    if any(mark in text or mark in heading.lower() for mark in _WALL_MARKS):
        raise Blocked(
            "Google Patents asks for proof that a person is reading (bot wall).",
            provider=SPEC.name,
            detail="bot_wall",
            action="try_different_provider",
            reason=FailureReason.BOT_WALL,
        )
    raise MalformedResponse("The page shows no patent.", provider=SPEC.name)


def _find_meta(tree: LexborHTMLParser, name: str, scheme: str | None = None) -> str:
    extra = f'[scheme="{scheme}"]' if scheme else ""
    node = tree.css_first(f'meta[name="{name}"]{extra}')
    return clean_markup(node.attributes.get("content")) if node is not None else ""


def _find_patent_text(tree: LexborHTMLParser | LexborNode, selector: str) -> str:
    node = tree.css_first(selector)
    return clean_markup(node.text()) if node is not None else ""


def _collect_contributors(tree: LexborHTMLParser, scheme: str, *names: str) -> tuple[str, ...]:
    """Names from the page's head, else from its list of facts."""
    metas = tree.css(f'meta[name="DC.contributor"][scheme="{scheme}"]')
    if found := clean_party_names(node.attributes.get("content") for node in metas):
        return found
    nodes = (
        node for name in names for node in tree.css(f'dd[itemprop="{name}"]')[:MAX_PARTY_NAMES]
    )
    return clean_party_names(node.text() for node in nodes)


def _find_day(tree: LexborHTMLParser, itemprop: str, scheme: str) -> str | None:
    node = tree.css_first(f'time[itemprop="{itemprop}"]')
    stated = node.attributes.get("datetime") or node.text() if node is not None else None
    return parse_patent_day(stated) or parse_patent_day(_find_meta(tree, "DC.date", scheme))


def _find_pdf_address(tree: LexborHTMLParser) -> str | None:
    link = tree.css_first('a[itemprop="pdfLink"]')
    stated = _find_meta(tree, "citation_pdf_url") or (
        link.attributes.get("href") or "" if link is not None else ""
    )
    try:
        return require_http_address(stated)
    except ValueError:
        return None


def _list_family_rows(tree: LexborHTMLParser) -> list[str]:
    selector = (
        '[itemprop="docdbFamily"] [itemprop="publicationNumber"],'
        ' [itemprop="directAssociations"] [itemprop="publicationNumber"],'
        ' [itemprop="pubs"] [itemprop="publicationNumber"]'
    )
    return [clean_markup(node.text())[:40] for node in tree.css(selector)[:_MAX_FAMILY_ROWS]]


def _collect_class_codes(tree: LexborHTMLParser) -> tuple[str, ...]:
    selector = '[itemprop="classifications"] [itemprop="Code"], [itemprop="cpcs"] [itemprop="Code"]'
    texts = (clean_markup(node.text())[:30] for node in tree.css(selector)[:200])
    codes = (patent_records.normalize_class_code(text) for text in texts)
    return tuple(dict.fromkeys(code for code in codes if code and len(code) > 4))[:MAX_CLASS_CODES]
