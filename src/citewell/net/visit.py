"""One visit of the browser to one page: go there, wait until it stands still, take what it shows."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

from playwright.async_api import Browser, BrowserContext, Error, Frame, Page

from citewell.errors import ContentEmpty, NetworkFailed, TooLarge
from citewell.net.guard import Guard
from citewell.net.message import Request, Response
from citewell.net.watch import Watch

_STEP = 0.1  # seconds between looks
_LAST_LOOK = 0.8  # of the time; what is there by then is taken as it is
_CLOSING = 5.0
_FEW = 30  # words; a page with fewer may keep its text in a frame
_FRAMES = 2
_FILMS = re.compile(
    r"\.(?:aac|avi|flac|m3u8|m4[av]|mkv|mov|mp[34]|mpd|og[agv]|ts|wav|webm)(?:\?|$)"
)
_MARKUP = frozenset({"text/html", "application/xhtml+xml", ""})

# Cheap, and different whenever the page has changed in a way that could matter to a reader.
_SIGNATURE = """() => [document.readyState, location.href,
    document.getElementsByTagName('*').length,
    document.body ? document.body.textContent.length : -1].join(' ')"""
# Open shadow trees are put where their hosts stand: they are on the screen, and not in the markup.
_SNAPSHOT = """(limit) => {
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
# "No" in the words of the common consent platforms; nothing is ever accepted.
_DECLINE = """() => {
    const no = document.querySelector(`#onetrust-reject-all-handler, .didomi-continue-without-agreeing,
        #didomi-notice-disagree-button, #CybotCookiebotDialogBodyButtonDecline, .qc-cmp2-summary-buttons
        button[mode="secondary"], #truste-consent-required, button[data-testid="uc-deny-all-button"],
        .fc-cta-do-not-consent, .cky-btn-reject, #cookiescript_reject, .cmpboxbtnno, .iubenda-cs-reject-btn,
        form[action*="consent.google"] button[aria-label="Reject all"]`);
    if (no) no.click();
    return Boolean(no);
}"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Manner:
    """How a visit behaves."""

    quiet: Callable[[str], float]  # seconds without a change after which an address is done
    clock: Callable[[], float]
    user_agent: str
    pictures: bool = False
    most_bytes: int = 64 * 2**20  # all that the page loads


async def visit(browser: Browser, request: Request, *, guard: Guard, manner: Manner) -> Response:
    """The page as it stands when it has settled, or when most of the time is gone.

    Raises Refused, NetworkFailed, TooLarge, ContentEmpty, Unavailable; the driver's own Error when
    the tab or the browser is gone.
    """
    async with _tab(browser, manner) as page:
        watch = Watch(page, most_bytes=manner.most_bytes, clock=manner.clock)
        await watch.begin()
        last_look = manner.clock() + request.timeout * _LAST_LOOK
        await _go(page, watch, request, guard)
        quiet = manner.quiet(request.url)
        await _settle(page, watch, quiet=quiet, last_look=last_look, clock=manner.clock)
        if await page.evaluate(_DECLINE):
            await _settle(page, watch, quiet=quiet, last_look=last_look, clock=manner.clock)
        return await _taken(page, watch, request.max_bytes)


@asynccontextmanager
async def _tab(browser: Browser, manner: Manner) -> AsyncIterator[Page]:
    """A tab with a profile of its own, gone with everything in it afterwards."""
    context = await browser.new_context(
        accept_downloads=False,
        service_workers="block",
        user_agent=manner.user_agent,
        locale="en-US",
        reduced_motion="reduce",
    )
    try:
        await context.grant_permissions([])  # none, and all others refused without asking
        if not manner.pictures:
            await context.route(_FILMS, lambda route: route.abort())
        yield await context.new_page()
    finally:
        await _closed(context)


async def _closed(context: BrowserContext) -> None:
    """Close for sure, cancelled or not; a tab that does not go in time makes the driver's Error."""
    closing = asyncio.ensure_future(_close(context))
    done, _ = await asyncio.wait({closing}, timeout=_CLOSING)
    if not done:
        raise Error("the tab does not close")


async def _close(context: BrowserContext) -> None:
    try:
        await context.close()
    except Error:
        return  # gone already is as good as closed


async def _go(page: Page, watch: Watch, request: Request, guard: Guard) -> None:
    try:
        await page.goto(request.url, wait_until="commit", timeout=request.timeout * 1000)
    except Error as error:
        watch.check()
        raise await _meaning(error, watch.asked or request.url, guard) from None
    watch.check()


async def _meaning(error: Error, url: str, guard: Guard) -> Exception:
    """What a failed navigation means; a refusal by our guard looks like a dead host to the browser."""
    if "Download is starting" in error.message:
        return ContentEmpty("The address is a file to download, not a page.", detail="download")
    target = guard.target(url, page=True)
    await guard.addresses(target.host, target.port)
    if "ERR_CERT" in error.message:
        return NetworkFailed(f"The certificate of {target.host} is not one the browser trusts.")
    if "net::" in error.message or "Timeout" in error.message:
        return NetworkFailed(f"The browser's connection to {target.host} failed.")
    return error


async def _settle(
    page: Page, watch: Watch, *, quiet: float, last_look: float, clock: Callable[[], float]
) -> None:
    """Return when nothing has changed for `quiet` seconds, or at the last look."""
    before, since = "", clock()
    while clock() < last_look:
        watch.check()
        now = await _signature(page)
        if now != before or watch.busy or now.startswith("loading"):
            before, since = now, clock()
        elif clock() - since >= quiet:
            return
        await asyncio.sleep(_STEP)


async def _signature(page: Page) -> str:
    try:
        return str(await page.evaluate(_SIGNATURE))
    except Error as error:
        if "navigation" in error.message or "context was destroyed" in error.message:
            return ""  # on its way to another address
        raise


async def _taken(page: Page, watch: Watch, limit: int) -> Response:
    document = watch.document
    status = document.status if document else 200
    headers = dict(document.headers) if document else {}
    for name in ("content-encoding", "content-length", "transfer-encoding"):
        headers.pop(name, None)
    media_type = headers.get("content-type", "").partition(";")[0].strip().lower()
    if document is not None and media_type not in _MARKUP:
        body = await document.body()
    else:
        body = await _markup(page, limit)
        headers["content-type"] = "text/html; charset=utf-8"
    watch.check()
    if len(body) > limit:
        raise TooLarge(f"The page has more than {limit} bytes.")
    return Response(status=status, url=page.url, headers=headers, body=body, hops=watch.hops)


async def _markup(page: Page, limit: int) -> bytes:
    shown = await page.evaluate(_SNAPSHOT, limit)
    if shown is None:
        raise TooLarge(f"The page has more than {limit} bytes.")
    html, words = str(shown[0]), int(shown[1])
    if words < _FEW:
        for frame in page.frames[1 : 1 + _FRAMES]:
            html += await _inner(frame, limit)
    return html.encode("utf-8", "replace")


async def _inner(frame: Frame, limit: int) -> str:
    """A frame's markup for a page that has little but its frames; nothing when it went away."""
    try:
        shown = await frame.evaluate(_SNAPSHOT, limit)
    except Error:
        return ""
    return f"<section>{shown[0]}</section>" if shown else ""
