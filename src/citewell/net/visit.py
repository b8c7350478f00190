"""One visit of the browser to one page: go there, wait until it stands still, take what it shows."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

from playwright.async_api import Browser, BrowserContext, Error, Frame, Page
from playwright.async_api import Response as Answer

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
    pictures: bool
    most_bytes: int  # all that the page loads


async def visit(browser: Browser, request: Request, *, guard: Guard, manner: Manner) -> Response:
    """The page as it stands when it has settled, or when most of the time is gone.

    Raises Refused, NetworkFailed, TooLarge, ContentEmpty, Unavailable; the driver's own Error when
    the tab or the browser is gone.
    """
    async with _tab(browser, manner) as page:
        watch = Watch(page, most_bytes=manner.most_bytes, clock=manner.clock)
        try:
            await watch.begin()
            last_look = manner.clock() + request.timeout * _LAST_LOOK
            await _go(page, watch, request, guard)
            if _turned_away(watch):
                return _answer(watch, url=request.url, body=b"")
            await _settle(page, watch, manner, last_look=last_look)
            if await page.evaluate(_DECLINE):
                await _settle(page, watch, manner, last_look=last_look)
            return await _taken(page, watch, request.max_bytes)
        except Error:
            watch.check()  # it may know better than the driver
            raise


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
        if not _turned_away(watch):
            raise await _meaning(error, watch.asked or request.url, guard) from None
    watch.check()


def _turned_away(watch: Watch) -> bool:
    """True for a demand for a password, which the browser shows no page of."""
    return watch.document is not None and watch.document.status in {401, 407}


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


async def _settle(page: Page, watch: Watch, manner: Manner, *, last_look: float) -> None:
    """Return when nothing has changed for as long as the manner asks, or at the last look."""
    clock, quiet = manner.clock, manner.quiet(page.url)
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
    if document is not None and _media_type(document) not in _MARKUP:
        body, markup = await document.body(), False
    else:
        body, markup = await _markup(page, limit), True
    watch.check()
    if len(body) > limit:
        raise TooLarge(f"The page has more than {limit} bytes.")
    answer = _answer(watch, url=page.url, body=body)
    kind = {"content-type": "text/html; charset=utf-8"} if markup else {}
    return replace(answer, headers={**answer.headers, **kind})


def _media_type(document: Answer) -> str:
    return document.headers.get("content-type", "").partition(";")[0].strip().lower()


def _answer(watch: Watch, *, url: str, body: bytes) -> Response:
    """The main frame's last answer with another body than it came with."""
    document = watch.document
    headers = dict(document.headers) if document else {}
    for name in ("content-encoding", "content-length", "transfer-encoding"):
        headers.pop(name, None)
    status = document.status if document else 200
    return Response(status=status, url=url, headers=headers, body=body, hops=watch.hops)


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
