"""Visits one page in the browser: opens it, waits until it stops changing, and reads its HTML."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlsplit

from playwright.async_api import (
    Browser,
    Error,
    Frame,
    Page,
    Request,
    Response,
)

from citewell.core import errors
from citewell.net.address_guard import Guard
from citewell.net.browser import guarded_proxy
from citewell.net.http.messages import HttpRequest, HttpResponse

# Resource types that may contain text; trackers and open chat connections must not delay a page.
_TEXT_RESOURCE_TYPES = frozenset({"document", "script", "stylesheet", "xhr", "fetch"})
_MAX_PENDING_SECONDS = 5.0  # seconds that one request may delay a page

_SETTLE_POLL_SECONDS = 0.1  # seconds between checks for changes
_SETTLE_TIME_SHARE = 0.8  # share of the timeout after which the page is read as it is
_TAB_CLOSE_SECONDS = 5.0
_MIN_PAGE_WORDS = 30  # a page with fewer words may have its text in a frame
_MAX_FRAMES_READ = 2
_MEDIA_FILE_PATTERN = re.compile(
    r"\.(?:aac|avi|flac|m3u8|m4[av]|mkv|mov|mp[34]|mpd|og[agv]|ts|wav|webm)(?:\?|$)"
)
_LOST_SCRIPT_MESSAGE = "promise was garbage collected"  # from Chromium, on a busy machine
_HTML_MEDIA_TYPES = frozenset({"text/html", "application/xhtml+xml", ""})
# Parts of the error codes of Chromium and of its driver; the first that fits counts.
_REASONS_BY_CHROMIUM_CODE = (
    ("ERR_NAME_", errors.FailureReason.DNS),
    ("ERR_SSL_", errors.FailureReason.TLS),
    ("ERR_TOO_MANY_REDIRECTS", errors.FailureReason.TOO_MANY_REDIRECTS),
    ("TIMED_OUT", errors.FailureReason.TIMEOUT),
    ("ERR_CONNECTION_RESET", errors.FailureReason.RESET),
    ("ERR_CONNECTION_CLOSED", errors.FailureReason.RESET),
    ("ERR_EMPTY_RESPONSE", errors.FailureReason.RESET),
    ("net::", errors.FailureReason.CONNECT),
    ("Timeout", errors.FailureReason.TIMEOUT),
)

# Cheap to compute, and different whenever the visible page may have changed.
_PAGE_SIGNATURE_SCRIPT = """() => [document.readyState, location.href,
    document.getElementsByTagName('*').length,
    document.body ? document.body.textContent.length : -1].join(' ')"""
# Open shadow trees are copied into their hosts: they are visible, but not part of the HTML.
_PAGE_SNAPSHOT_SCRIPT = """(limit) => {
    const flatten = (root) => {
        for (const host of root.querySelectorAll('*')) {
            if (!host.shadowRoot) continue;
            flatten(host.shadowRoot);
            const shown = document.createElement('div');
            for (const node of host.shadowRoot.childNodes)
                if (!/^(STYLE|SCRIPT|LINK)$/.test(node.nodeName)) shown.append(node.cloneNode(true));
            host.prepend(shown);
        }
    };
    flatten(document);
    const html = '<!DOCTYPE html>' + document.documentElement.outerHTML;
    const words = document.body ? document.body.innerText.split(/\\s+/).length : 0;
    return html.length > limit ? null : [html, words];
}"""
# Clicks the "reject" button of common consent platforms; consent is never given.
_DECLINE_CONSENT_SCRIPT = """() => {
    const no = document.querySelector(`#onetrust-reject-all-handler, .didomi-continue-without-agreeing,
        #didomi-notice-disagree-button, #CybotCookiebotDialogBodyButtonDecline, .qc-cmp2-summary-buttons
        button[mode="secondary"], #truste-consent-required, button[data-testid="uc-deny-all-button"],
        .fc-cta-do-not-consent, .cky-btn-reject, #cookiescript_reject, .cmpboxbtnno, .iubenda-cs-reject-btn,
        form[action*="consent.google"] button[aria-label="Reject all"]`);
    if (no) no.click();
    return Boolean(no);
}"""


@dataclass(frozen=True, slots=True, kw_only=True)
class VisitSettings:
    """Limits and options of a visit."""

    settle_seconds: Callable[[str], float]  # seconds without changes before a page is read
    clock: Callable[[], float]
    user_agent: str
    loads_images: bool
    max_page_bytes: int  # everything the page loads
    report_stuck_tab: Callable[[], None]  # called if the tab does not close in time


async def visit_page(
    browser: Browser, request: HttpRequest, *, guard: Guard, settings: VisitSettings
) -> HttpResponse:
    """The page once it has stopped changing, or when most of the timeout has passed.

    Raises RefusedByPolicy, NetworkFailed, TooLarge, ContentEmpty or UpstreamUnavailable, and the
    driver's own Error if the tab or the browser is gone. NetworkFailed with SCRIPT_LOST is worth
    another try: the browser discarded the script that was reading the page.
    """
    async with _open_tab(browser, settings) as page:
        watch = PageActivity(page, max_page_bytes=settings.max_page_bytes, clock=settings.clock)
        try:
            await watch.start_listening()
            last_look = settings.clock() + request.timeout * _SETTLE_TIME_SHARE
            await _navigate_to_page(page, watch, request, guard)
            if _needs_password(watch):
                return _build_page_response(watch, url=request.url, body=b"")
            await _wait_until_settled(page, watch, settings, settle_deadline=last_look)
            if await page.evaluate(_DECLINE_CONSENT_SCRIPT):
                await _wait_until_settled(page, watch, settings, settle_deadline=last_look)
            return await _read_rendered_page(page, watch, request.max_bytes)
        except Error as error:
            watch.check_trouble()  # raises a more specific error, if there is one
            if _LOST_SCRIPT_MESSAGE in error.message:
                raise errors.NetworkFailed(
                    "The browser discarded the script that was reading the page.",
                    reason=errors.FailureReason.SCRIPT_LOST,
                ) from None
            raise


@asynccontextmanager
async def _open_tab(browser: Browser, manner: VisitSettings) -> AsyncIterator[Page]:
    """A tab with a profile of its own, gone with everything in it afterwards."""
    context = await browser.new_context(
        accept_downloads=False,
        service_workers="block",
        user_agent=manner.user_agent,
        locale="en-US",
        reduced_motion="reduce",
    )
    try:
        await context.grant_permissions([])  # grants none; all requests are denied
        if not manner.loads_images:
            await context.route(_MEDIA_FILE_PATTERN, lambda route: route.abort())
        yield await context.new_page()
    finally:
        # Neither a page that was read nor the reason of a failure is lost to a tab that is slow to close.
        # It is closed even during cancellation.
        closing = asyncio.ensure_future(_ignore_closed(context.close()))
        done, _ = await asyncio.wait({closing}, timeout=_TAB_CLOSE_SECONDS)
        if not done:
            manner.report_stuck_tab()


async def _navigate_to_page(
    page: Page, watch: PageActivity, request: HttpRequest, guard: Guard
) -> None:
    try:
        await page.goto(request.url, wait_until="commit", timeout=request.timeout * 1000)
    except Error as error:
        watch.check_trouble()
        if not _needs_password(watch):
            raise await _explain_navigation_error(
                error, watch.asked or request.url, guard
            ) from None
    watch.check_trouble()


def _needs_password(watch: PageActivity) -> bool:
    """True for a password prompt (401 or 407), for which the browser has no page."""
    return watch.document is not None and watch.document.status in {401, 407}


async def _explain_navigation_error(error: Error, url: str, guard: Guard) -> Exception:
    """The error that a failed navigation means. To the browser, a refusal by our guard looks like a dead host."""
    if "Download is starting" in error.message:
        return errors.ContentEmpty(
            "The address is a file to download, not a page.", detail="download"
        )
    target = guard.check_url(url, page=True)
    await guard.resolve_checked(target.host, target.port)
    if "ERR_CERT" in error.message:
        return errors.NetworkFailed(
            f"The certificate of {target.host} is not trusted by the browser.",
            reason=errors.FailureReason.TLS,
        )
    if "net::" in error.message or "Timeout" in error.message:
        reasons = (reason for code, reason in _REASONS_BY_CHROMIUM_CODE if code in error.message)
        return errors.NetworkFailed(
            f"The browser's connection to {target.host} failed.",
            reason=next(reasons, errors.FailureReason.CONNECT),
        )
    return error


async def _wait_until_settled(
    page: Page, watch: PageActivity, manner: VisitSettings, *, settle_deadline: float
) -> None:
    """Return when the page has not changed for `settle_seconds`, or at `settle_deadline`."""
    clock, quiet = manner.clock, manner.settle_seconds(page.url)
    before, since = "", clock()
    while clock() < settle_deadline:
        watch.check_trouble()
        now = await _read_page_signature(page)
        if now != before or watch.is_loading or now.startswith("loading"):
            before, since = now, clock()
        elif clock() - since >= quiet:
            return
        await asyncio.sleep(_SETTLE_POLL_SECONDS)


async def _read_page_signature(page: Page) -> str:
    try:
        return str(await page.evaluate(_PAGE_SIGNATURE_SCRIPT))
    except Error as error:
        if "navigation" in error.message or "context was destroyed" in error.message:
            return ""  # navigating to another address
        raise


async def _read_rendered_page(page: Page, watch: PageActivity, limit: int) -> HttpResponse:
    document = watch.document
    stated = document.headers.get("content-type", "") if document is not None else ""
    media_type = stated.partition(";")[0].strip().lower()
    if document is not None and media_type not in _HTML_MEDIA_TYPES:
        body, markup = await document.body(), False
    else:
        body, markup = await _read_page_markup(page, limit), True
    watch.check_trouble()
    if len(body) > limit:
        raise errors.TooLarge(f"The page has more than {limit} bytes.")
    answer = _build_page_response(watch, url=page.url, body=body)
    kind = {"content-type": "text/html; charset=utf-8"} if markup else {}
    return replace(answer, headers={**answer.headers, **kind})


def _build_page_response(watch: PageActivity, *, url: str, body: bytes) -> HttpResponse:
    """The main frame's last response, with `body` in place of its own."""
    document = watch.document
    headers = dict(document.headers) if document else {}
    for name in ("content-encoding", "content-length", "transfer-encoding"):
        headers.pop(name, None)
    status = document.status if document else 200
    return HttpResponse(
        status=status, url=url, headers=headers, body=body, hops=watch.redirect_hops
    )


async def _read_page_markup(page: Page, limit: int) -> bytes:
    shown = await page.evaluate(_PAGE_SNAPSHOT_SCRIPT, limit)
    if shown is None:
        raise errors.TooLarge(f"The page has more than {limit} bytes.")
    html, words = str(shown[0]), int(shown[1])
    if words < _MIN_PAGE_WORDS:
        for frame in page.frames[1 : 1 + _MAX_FRAMES_READ]:
            html += await _read_frame_markup(frame, limit)
    return html.encode("utf-8", "replace")


async def _read_frame_markup(frame: Frame, limit: int) -> str:
    """The markup of a frame as a section; empty if the frame is gone or too large."""
    try:
        shown = await frame.evaluate(_PAGE_SNAPSHOT_SCRIPT, limit)
    except Error:
        return ""
    return f"<section>{shown[0]}</section>" if shown else ""


# Tracks what a page does while it loads in the browser: requests, redirects, bytes, pop-ups.


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
        self._trouble: errors.CitewellError | None = None
        self._chores: set[asyncio.Task[None]] = set()

    async def start_listening(self) -> None:
        page = self._page
        page.on("request", self._record_request)
        page.on("requestfinished", self._record_request_end)
        page.on("requestfailed", self._record_request_end)
        page.on("response", self._record_response)
        page.on("dialog", lambda dialog: self._run_in_background(_ignore_closed(dialog.dismiss())))
        page.on("popup", lambda popup: self._run_in_background(_ignore_closed(popup.close())))
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
            guarded_proxy.check_proxy_status(
                urlsplit(response.url).hostname or "the host", response.headers
            )
        except errors.CitewellError as error:
            self._trouble = error

    def _count_received_bytes(self, event: Mapping[str, Any]) -> None:
        self._left -= int(event.get("dataLength", 0))
        if self._left < 0 and self._trouble is None:
            self._trouble = errors.TooLarge(f"The page loads more than {self._most} bytes.")

    def _record_crash(self) -> None:
        self._trouble = errors.UpstreamUnavailable(
            "The page used too much memory, or its tab crashed."
        )

    def _is_main_navigation(self, request: Request) -> bool:
        """True if the request is a navigation of the main frame."""
        return request.is_navigation_request() and request.frame == self._page.main_frame

    def _run_in_background(self, chore: Coroutine[Any, Any, None]) -> None:
        task = asyncio.ensure_future(chore)
        self._chores.add(task)
        task.add_done_callback(self._chores.discard)


async def _ignore_closed(step: Coroutine[Any, Any, None]) -> None:
    """Take a step on a page that may be closed by now."""
    with suppress(Error):
        await step
