"""Visits the pages and images of a company's site: guarded, bounded, and parsed in a worker."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable
from urllib.parse import urljoin, urlsplit

from citewell.core.errors import CitewellError, NetworkFailed, RefusedByPolicy
from citewell.core.values.brand import StatedLogo
from citewell.domains.brands.brand_merging import IMAGE_HEAD_BYTES, ImageFacts, read_image_facts
from citewell.domains.brands.brand_page_facts import GuidelineFacts, SiteFacts
from citewell.net.http.messages import HttpRequest, HttpResponse, RedirectPolicy, RequestSender
from citewell.net.robots_rules import RobotsPolicy
from citewell.net.url_grammar import parse_url
from citewell.reading import page_errors
from citewell.reading.fetch_tiers import PageFetcher
from citewell.reading.landing_pages import LandingVerdict
from citewell.reading.page_tasks import PageTasks
from citewell.text.addresses import is_web_address
from citewell.text.safety.text_cleaning import clean_markup
from citewell.workers.worker_tasks import TaskRunner, WorkerTask

MAX_VISITS_AT_ONCE = 8
_PAGE_SECONDS = 10.0
_HEAD_SECONDS = 5.0
_IMAGE_SECONDS = 5.0
_MAX_PAGE_BYTES = 5 * 2**20  # of a body that is compressed; others are cut
_PAGE_START_BYTES = 2 * 2**20
_MAX_MANIFEST_BYTES = 256 * 1024
_MAX_MANIFEST_ICONS = 20
_MAX_IMAGES = 16
_ACCEPT_HTML = "text/html, application/xhtml+xml;q=0.9"
_NO_HEAD_STATUSES = frozenset({403, 405, 501})

_FACTS_MODULE = "citewell.domains.brands.brand_page_facts"
_READ_SITE: WorkerTask[SiteFacts] = WorkerTask(f"{_FACTS_MODULE}:read_site_facts", SiteFacts)
_READ_GUIDELINES: WorkerTask[GuidelineFacts] = WorkerTask(
    f"{_FACTS_MODULE}:read_guideline_text", GuidelineFacts
)
_JUDGE_LANDING: WorkerTask[LandingVerdict] = WorkerTask(
    "citewell.reading.landing_pages:judge_landing_body", LandingVerdict
)


class SiteVisitor:
    def __init__(
        self, sender: RequestSender, workers: TaskRunner, *, robots: RobotsPolicy | None
    ) -> None:
        """`robots` is None if the operator turned the robots.txt check off."""
        self._sender = sender
        self._workers = workers
        self._robots = robots
        self._pages = PageFetcher(
            sender,
            PageTasks(workers),
            max_bytes=_MAX_PAGE_BYTES,
            max_prefix_bytes=_PAGE_START_BYTES,
        )

    async def fetch_page(self, url: str) -> HttpResponse:
        """The beginning of a page; raises the errors of the page reader."""
        await self._check_visit_allowed(url)
        return await self._pages.fetch_response(url, accept=_ACCEPT_HTML, timeout=_PAGE_SECONDS)

    async def read_facts(self, response: HttpResponse) -> SiteFacts:
        kind = response.headers.get("content-type", "")
        return await self._workers.run_task(
            _READ_SITE, body=response.body, content_type=kind, url=response.url
        )

    async def read_guidelines(self, text: str) -> GuidelineFacts:
        return await self._workers.run_task(_READ_GUIDELINES, text=text)

    async def is_real_page(self, response: HttpResponse, asked: str) -> bool:
        """False for a "not found" page that comes with status 200, a parked domain or a login."""
        head = HttpResponse(
            status=response.status, url=response.url, headers=response.headers, body=b""
        )
        verdict = await self._workers.run_task(
            _JUDGE_LANDING, body=response.body, head=head, asked=asked
        )
        return verdict.state in {"live", "suspicious"} and verdict.reason is None

    async def probe_address(self, url: str) -> str | None:
        """Where an address leads if a page is there; None if none is, or we may not look."""
        try:
            await self._check_visit_allowed(url)
            response = await self._send_page_probe(url, "HEAD")
            if response.status in _NO_HEAD_STATUSES:
                response = await self._send_page_probe(url, "GET")
        except CitewellError:
            return None
        kind = response.content_type
        is_page = not kind or "html" in kind
        return response.url if 200 <= response.status < 300 and is_page else None

    async def _send_page_probe(self, url: str, method: str) -> HttpResponse:
        return await self._sender.send_request(
            HttpRequest(
                url=url,
                method=method,
                headers={"accept": _ACCEPT_HTML, "accept-encoding": "identity"},
                timeout=_HEAD_SECONDS,
                max_bytes=_MAX_PAGE_BYTES,
                first_bytes=IMAGE_HEAD_BYTES,
                redirects=RedirectPolicy.FOLLOW,
                page=True,
            )
        )

    async def check_images(self, logos: Iterable[StatedLogo]) -> dict[str, ImageFacts]:
        """The images among these addresses, by the bytes they begin with; others are left out."""
        wanted = tuple(dict.fromkeys(logo.url for logo in logos))[:_MAX_IMAGES]
        gate = asyncio.Semaphore(MAX_VISITS_AT_ONCE)

        async def check_one(url: str) -> ImageFacts | None:
            async with gate:
                return await self._check_image(url)

        seen = await asyncio.gather(*map(check_one, wanted))
        return {url: facts for url, facts in zip(wanted, seen, strict=True) if facts}

    async def _check_image(self, url: str) -> ImageFacts | None:
        request = HttpRequest(
            url=url,
            headers={"accept": "image/*, */*;q=0.5", "accept-encoding": "identity"},
            timeout=_IMAGE_SECONDS,
            max_bytes=_MAX_PAGE_BYTES,
            first_bytes=IMAGE_HEAD_BYTES,
            page=True,
        )
        try:
            await self._check_visit_allowed(url)
            response = await self._sender.send_request(request)
        except CitewellError:
            return None
        return (
            read_image_facts(response.body[:IMAGE_HEAD_BYTES]) if response.status == 200 else None
        )

    async def read_manifest(self, url: str) -> tuple[str | None, tuple[StatedLogo, ...]]:
        """The name and the icons of a web app manifest; nothing if it cannot be read."""
        request = HttpRequest(
            url=url, timeout=_HEAD_SECONDS, max_bytes=_MAX_MANIFEST_BYTES, page=True
        )
        try:
            await self._check_visit_allowed(url)
            response = await self._sender.send_request(request)
            manifest = json.loads(response.body) if response.status == 200 else None
        except (CitewellError, ValueError, RecursionError):
            return None, ()
        if not isinstance(manifest, dict):
            return None, ()
        name = manifest.get("name") or manifest.get("short_name")
        listed = manifest.get("icons")
        icons = listed[:_MAX_MANIFEST_ICONS] if isinstance(listed, list) else []
        return (
            clean_markup(name) or None if isinstance(name, str) else None,
            tuple(filter(None, (_read_manifest_icon(url, icon) for icon in icons))),
        )

    async def _check_visit_allowed(self, url: str) -> None:
        try:
            parse_url(url)
            if self._robots is not None:
                await self._robots.check_robots(url)
        except RefusedByPolicy as error:
            raise page_errors.build_refusal(url, error) from None
        except NetworkFailed as error:
            raise page_errors.build_network_error(url, error.message, reason=error.reason) from None


def _read_manifest_icon(base: str, icon: object) -> StatedLogo | None:
    if not isinstance(icon, dict) or not isinstance(icon.get("src"), str):
        return None
    try:
        address = urljoin(base, icon["src"].strip())
    except ValueError:
        return None
    sizes = icon.get("sizes")
    first = sizes.split()[0].lower() if isinstance(sizes, str) and sizes.split() else ""
    side = first.partition("x")[0]
    width = int(side) if side.isdigit() and len(side) < 6 else None
    return (
        StatedLogo(url=address, role="icon", width=width, height=width)
        if is_web_address(address)
        else None
    )


def is_home_path(url: str) -> bool:
    """Whether an address is that of a homepage: no path, or a language alone."""
    path = urlsplit(url).path.strip("/").lower()
    return path in {"", "index.html", "index.php", "home"} or (
        len(path) in {2, 5} and path[:2].isalpha() and path[2:3] in {"", "-", "_"}
    )
