"""The last tier: Exa's copy of a page. It costs money, needs a key, and is tried when all others failed."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

from citewell.dialects.json_responses import (
    JsonResponse,
    OptionalField,
    ResponsePart,
    TolerantItems,
    read_json_response,
)
from citewell.errors import CitewellError
from citewell.fetch import page_errors
from citewell.fetch.extracted_page import ExtractedPage
from citewell.fetch.metadata.page_metadata import ExtractedMetadata
from citewell.fetch.page_tasks import PageTasks
from citewell.fetch.tiers.tier_ladder import FetchAttempt
from citewell.net.guard.disclosure_rule import DisclosureRule
from citewell.net.upstream.upstream_client import Upstream
from citewell.text.dates.calendar_dates import parse_provider_date

EXA_TIMEOUT_SECONDS = 30.0


class _ExaPage(ResponsePart):
    title: OptionalField[str] = None
    author: OptionalField[str] = None
    publishedDate: OptionalField[str] = None  # noqa: N815 - the upstream's spelling
    text: OptionalField[str] = None


class _ExaFault(ResponsePart):
    tag: OptionalField[str] = None


class _ExaStatus(ResponsePart):
    source: OptionalField[str] = None  # cached or crawled
    error: OptionalField[_ExaFault] = None


class _ExaContents(JsonResponse):
    results: TolerantItems[_ExaPage] = ()
    statuses: TolerantItems[_ExaStatus] = ()


class ExaTier:
    """Sends the address to Exa, if its host is public and our own policy has not refused it."""

    name = "exa"

    def __init__(
        self,
        upstream: Upstream,
        tasks: PageTasks,
        *,
        key: str,
        disclosure: DisclosureRule,
        timeout: float = EXA_TIMEOUT_SECONDS,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._upstream = upstream
        self._tasks = tasks
        self._key = {"x-api-key": key}
        self._disclosure = disclosure
        self._timeout = timeout
        self._now = now

    async def fetch_page(self, climb: FetchAttempt) -> ExtractedPage:
        await self._check_public_host(climb.url)
        contents = await self._request_contents(climb.url)
        status = next(iter(contents.statuses), _ExaStatus())
        page = next((page for page in contents.results if (page.text or "").strip()), None)
        if page is None:
            raise _build_exa_error(climb.url, status)
        extracted = self._build_exa_page(climb.url, page, source=status.source)
        return await self._tasks.read_copy(climb.url, extracted)

    async def _check_public_host(self, url: str) -> None:
        try:
            await self._disclosure.check_disclosable(url)
        except CitewellError:
            raise page_errors.build_empty_error(
                url, "not sent, because its host is not public"
            ) from None

    async def _request_contents(self, url: str) -> _ExaContents:
        """Send one paid request without retry. Every failure, also of the account, becomes ContentEmpty."""
        try:
            response = await self._upstream.send_post(
                "/contents",
                json={"urls": [url], "text": True},
                idempotent=False,
                secret_headers=self._key,
                timeout=self._timeout,
            )
            return read_json_response(_ExaContents, response)
        except CitewellError as error:
            raise page_errors.build_empty_error(
                url, error.detail or error.message.rstrip(".")
            ) from None

    def _build_exa_page(self, url: str, page: _ExaPage, *, source: str | None) -> ExtractedPage:
        """What Exa sent, not cleaned yet."""
        published = parse_provider_date(page.publishedDate, now=self._now())
        about = ExtractedMetadata(
            title=page.title or "",
            author=page.author,
            published=published.isoformat() if published else None,
            published_basis=self.name if published else None,
        )
        return ExtractedPage(
            final_url=url,
            content=(page.text or "").strip(),
            content_type="text",
            metadata=about,
            extracted_by="exa:crawled" if source == "crawled" else "exa:cached",
        )


def _build_exa_error(url: str, status: _ExaStatus) -> CitewellError:
    tag = (status.error.tag if status.error else None) or "no text"
    if tag == "CRAWL_NOT_FOUND":
        return page_errors.build_not_found_error(url, tag)
    return page_errors.build_empty_error(url, tag)
