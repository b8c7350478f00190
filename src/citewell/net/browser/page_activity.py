"""Tracks what a page does while it loads in the browser: requests, redirects, bytes, pop-ups."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from typing import Any
from urllib.parse import urlsplit

from playwright.async_api import Dialog, Error, Page, Request, Response

from citewell.errors import CitewellError, TooLarge, UpstreamUnavailable
from citewell.net.browser import proxy_refusals

# Resource types that may contain text; trackers and open chat connections must not delay a page.
_TEXT_RESOURCE_TYPES = frozenset({"document", "script", "stylesheet", "xhr", "fetch"})
_MAX_PENDING_SECONDS = 5.0  # seconds that one request may delay a page


class PageActivity:
    """The activity of one page; `check_trouble` raises the error that ends the visit, if there is one."""

    def __init__(self, page: Page, *, max_page_bytes: int, clock: Callable[[], float]) -> None:
        self.document: Response | None = None  # the last response of the main frame
        self.asked: str | None = None  # the last address the main frame requested
        self._page = page
        self._clock = clock
        self._left = max_page_bytes
        self._most = max_page_bytes
        self._pending: dict[Request, float] = {}
        self._trouble: CitewellError | None = None
        self._chores: set[asyncio.Task[None]] = set()

    async def start_listening(self) -> None:
        page = self._page
        page.on("request", self._record_request)
        page.on("requestfinished", self._record_request_end)
        page.on("requestfailed", self._record_request_end)
        page.on("response", self._record_response)
        page.on("dialog", lambda dialog: self._run_in_background(_dismiss_dialog(dialog)))
        page.on("popup", lambda popup: self._run_in_background(_close_popup(popup)))
        page.on("crash", lambda _: self._record_crash())
        session = await page.context.new_cdp_session(page)
        session.on("Network.dataReceived", self._count_received_bytes)
        await session.send("Network.enable")

    def check_trouble(self) -> None:
        if self._trouble is not None:
            raise self._trouble

    @property
    def is_loading(self) -> bool:
        """True while a request that may contain text is pending and not too old."""
        oldest = self._clock() - _MAX_PENDING_SECONDS
        return any(started > oldest for started in self._pending.values())

    @property
    def redirect_hops(self) -> tuple[str, ...]:
        """The addresses that redirected in the last navigation, in order."""
        left: list[str] = []
        request = self.document.request.redirected_from if self.document else None
        while request is not None:
            left.append(request.url)
            request = request.redirected_from
        return tuple(reversed(left))

    def _record_request(self, request: Request) -> None:
        if request.resource_type in _TEXT_RESOURCE_TYPES:
            self._pending[request] = self._clock()
        if self._is_main_navigation(request):
            self.asked = request.url

    def _record_request_end(self, request: Request) -> None:
        self._pending.pop(request, None)

    def _record_response(self, response: Response) -> None:
        if not self._is_main_navigation(response.request):
            return
        self.document = response
        try:
            proxy_refusals.check_proxy_status(
                urlsplit(response.url).hostname or "the host", response.headers
            )
        except CitewellError as error:
            self._trouble = error

    def _count_received_bytes(self, event: Mapping[str, Any]) -> None:
        self._left -= int(event.get("dataLength", 0))
        if self._left < 0 and self._trouble is None:
            self._trouble = TooLarge(f"The page loads more than {self._most} bytes.")

    def _record_crash(self) -> None:
        self._trouble = UpstreamUnavailable("The page used too much memory, or its tab crashed.")

    def _is_main_navigation(self, request: Request) -> bool:
        """True if the request is a navigation of the main frame."""
        return request.is_navigation_request() and request.frame == self._page.main_frame

    def _run_in_background(self, chore: Coroutine[Any, Any, None]) -> None:
        task = asyncio.ensure_future(chore)
        self._chores.add(task)
        task.add_done_callback(self._chores.discard)


async def _dismiss_dialog(dialog: Dialog) -> None:
    try:
        await dialog.dismiss()
    except Error:
        return  # the page was closed, and its dialog with it


async def _close_popup(popup: Page) -> None:
    try:
        await popup.close()
    except Error:
        return
