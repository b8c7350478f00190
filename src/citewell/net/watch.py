"""Follows what a page in the browser does while it loads: requests, redirects, bytes, pop-ups."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from typing import Any
from urllib.parse import urlsplit

from playwright.async_api import Dialog, Error, Page, Request, Response

from citewell.errors import CitewellError, TooLarge, Unavailable
from citewell.net import refusal

# Those that bring text; a counter or a chat line left open must not hold a page up.
_TELLING = frozenset({"document", "script", "stylesheet", "xhr", "fetch"})
_PATIENCE = 5.0  # seconds that one request may hold a page up


class Watch:
    """What happened on one page. `check` raises for what ends the visit."""

    def __init__(self, page: Page, *, most_bytes: int, clock: Callable[[], float]) -> None:
        self.document: Response | None = None  # the last answer the main frame was given
        self.asked: str | None = None  # the last address the main frame was sent to
        self._page = page
        self._clock = clock
        self._left = most_bytes
        self._most = most_bytes
        self._pending: dict[Request, float] = {}
        self._trouble: CitewellError | None = None
        self._chores: set[asyncio.Task[None]] = set()

    async def begin(self) -> None:
        page = self._page
        page.on("request", self._on_request)
        page.on("requestfinished", self._on_done)
        page.on("requestfailed", self._on_done)
        page.on("response", self._on_response)
        page.on("dialog", lambda dialog: self._do(_dismiss(dialog)))
        page.on("popup", lambda popup: self._do(_close(popup)))
        page.on("crash", lambda _: self._on_crash())
        session = await page.context.new_cdp_session(page)
        session.on("Network.dataReceived", self._on_data)
        await session.send("Network.enable")

    def check(self) -> None:
        if self._trouble is not None:
            raise self._trouble

    @property
    def busy(self) -> bool:
        """True while a request that may bring text is on its way, and not for too long."""
        oldest = self._clock() - _PATIENCE
        return any(started > oldest for started in self._pending.values())

    @property
    def hops(self) -> tuple[str, ...]:
        """Addresses that the last navigation left behind by redirects, first one first."""
        left: list[str] = []
        request = self.document.request.redirected_from if self.document else None
        while request is not None:
            left.append(request.url)
            request = request.redirected_from
        return tuple(reversed(left))

    def _on_request(self, request: Request) -> None:
        if request.resource_type in _TELLING:
            self._pending[request] = self._clock()
        if self._leads(request):
            self.asked = request.url

    def _on_done(self, request: Request) -> None:
        self._pending.pop(request, None)

    def _on_response(self, response: Response) -> None:
        if not self._leads(response.request):
            return
        self.document = response
        try:
            refusal.check(urlsplit(response.url).hostname or "the host", response.headers)
        except CitewellError as error:
            self._trouble = error

    def _on_data(self, event: Mapping[str, Any]) -> None:
        self._left -= int(event.get("dataLength", 0))
        if self._left < 0 and self._trouble is None:
            self._trouble = TooLarge(f"The page loads more than {self._most} bytes.")

    def _on_crash(self) -> None:
        self._trouble = Unavailable("The page took more memory than it may, or crashed its tab.")

    def _leads(self, request: Request) -> bool:
        """True for a navigation of the main frame."""
        return request.is_navigation_request() and request.frame == self._page.main_frame

    def _do(self, chore: Coroutine[Any, Any, None]) -> None:
        task = asyncio.ensure_future(chore)
        self._chores.add(task)
        task.add_done_callback(self._chores.discard)


async def _dismiss(dialog: Dialog) -> None:
    try:
        await dialog.dismiss()
    except Error:
        return  # the page went away, and its dialog with it


async def _close(popup: Page) -> None:
    try:
        await popup.close()
    except Error:
        return
