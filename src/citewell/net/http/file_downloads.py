"""Downloads large files to disk: guarded like any request, never whole in memory."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass, replace
from importlib.metadata import PackageNotFoundError
from typing import IO, TYPE_CHECKING
from urllib.parse import quote, urljoin

import citewell
from citewell.core import errors
from citewell.core.config import Settings
from citewell.net.address_guard import Guard
from citewell.net.http.messages import ACCEPT_ENCODING, HttpRequest, HttpResponse, RedirectPolicy
from citewell.net.http.outbound_route import OutboundRoute
from citewell.net.http.rate_limit_headers import read_retry_delay
from citewell.net.settings import NetSettings
from citewell.net.url_grammar import RequestTarget, parse_url

if TYPE_CHECKING:
    from citewell.net.http.connection_pools import ConnectionPools, ResponseHead

MAX_REDIRECT_HOPS = 5

_REDIRECT_STATUSES = frozenset({301, 302, 303, 307, 308})
_SECRET_HEADER_NAMES = frozenset({"authorization", "cookie", "proxy-authorization"})


USER_AGENT_PRODUCT = "citewell"  # the user-agent token for rules in robots.txt


# Sites that refuse pages to clients whose User-Agent names nobody to write to.
_CONTACT_SITES = ("sec.gov",)
_CONTACT_SETTINGS = ("EDGAR_CONTACT_EMAIL", "OPENALEX_EMAIL")  # also given for such sites

ByteProgress = Callable[[int, int | None], None]  # bytes so far, and the total if it is known


@dataclass(frozen=True, slots=True, kw_only=True)
class _DownloadSink:
    """The output file, its maximum size, and the progress callback."""

    file: IO[bytes]
    max_bytes: int
    progress: ByteProgress

    async def write_chunks(self, head: ResponseHead, chunks: AsyncIterator[bytes]) -> None:
        length = head.headers.get("content-length", "")
        total = int(length) if length.isdigit() and len(length) < 16 else None
        done = 0
        async for chunk in chunks:
            done += len(chunk)
            if done > self.max_bytes:
                raise errors.TooLarge(f"The file has more than {self.max_bytes} bytes.")
            await asyncio.to_thread(self.file.write, chunk)
            self.progress(done, total)


class FileDownloader:
    def __init__(self, guard: Guard, settings: Settings) -> None:
        self._guard = guard
        self._outbound = OutboundRoute.from_settings(settings)
        # Decompressing a stream would need limits of its own, and large files are rarely compressed.
        self._headers = {
            **build_default_headers(settings[NetSettings].user_agent),
            "accept-encoding": "identity",
        }

    async def download_file(
        self,
        request: HttpRequest,
        file: IO[bytes],
        *,
        progress: ByteProgress = lambda _done, _total: None,
    ) -> None:
        """Write the whole body to `file`, within the request's timeout and size limit.

        Raises what `GuardedClient.send_request` raises, and what `check_status` raises for any
        status but success.
        """
        from citewell.net.http.connection_pools import ConnectionPools

        wire = ConnectionPools(self._guard, self._outbound)
        sink = _DownloadSink(file=file, max_bytes=request.max_bytes, progress=progress)
        try:
            async with asyncio.timeout(request.timeout):
                await self._follow_redirects(wire, request, sink)
        except TimeoutError:
            raise errors.NetworkFailed(
                f"The file did not arrive within {request.timeout:.3g} s.",
                reason=errors.FailureReason.TIMEOUT,
            ) from None
        finally:
            await wire.aclose()

    async def _follow_redirects(
        self, wire: ConnectionPools, request: HttpRequest, sink: _DownloadSink
    ) -> None:
        for _ in range(MAX_REDIRECT_HOPS + 1):
            onward = await self._download_hop(wire, request, sink)
            if onward is None:
                return
            request = onward
        raise build_redirect_limit_error()

    async def _download_hop(
        self, wire: ConnectionPools, request: HttpRequest, sink: _DownloadSink
    ) -> HttpRequest | None:
        target = self._guard.check_url(request.url, page=request.page)
        exchange = wire.open_exchange(target, method="GET", headers=self._headers, content=None)
        async with exchange as (head, chunks):
            location = head.headers.get("location")
            onward = build_redirect_request(request, target, status=head.status, location=location)
            if onward is None:
                answer = HttpResponse(
                    status=head.status, url=target.url, headers=head.headers, body=b""
                )
                check_status(answer, provider=target.host, accept=(), now=time.time)
                if head.headers.get("content-encoding", "identity") != "identity":
                    raise errors.MalformedResponse(
                        "The file uses an encoding that was not requested."
                    )
                await sink.write_chunks(head, chunks)
            return onward


# The headers of every request, with an honest User-Agent.


def find_operator_contact(contact: str | None, raw: Mapping[str, str]) -> str | None:
    """The operator's contact: CITEWELL_CONTACT, or a mail address given for one service."""
    given = (raw.get(name, "") for name in _CONTACT_SETTINGS)
    return contact or next((mail for mail in given if "@" in mail), None)


def build_contact_headers(host: str, contact: str | None) -> Mapping[str, str]:
    """The User-Agent with the contact, for a page of a site that wants one; else no header."""
    asks = any(host == site or host.endswith(f".{site}") for site in _CONTACT_SITES)
    return {"user-agent": build_user_agent(contact)} if asks and contact else {}


def build_default_headers(user_agent: str | None) -> Mapping[str, str]:
    """Headers for any request; `user_agent` replaces our own if it is given."""
    return {
        "user-agent": user_agent or build_user_agent(),
        "accept": "*/*",
        "accept-language": "en;q=0.9, *;q=0.5",
        "accept-encoding": ACCEPT_ENCODING,
    }


def build_user_agent(contact: str | None = None) -> str:
    """Our User-Agent; `contact` is the operator's mail address or page."""
    try:
        version = citewell.__version__
    except PackageNotFoundError:  # running from a source tree that is not installed
        version = "dev"
    about = f"+{contact.strip()}" if contact and contact.isprintable() else "research server"
    return f"{USER_AGENT_PRODUCT}/{version} ({about})"


# Turns a response's HTTP status into our errors, for every upstream.


class GatewayOverloaded(errors.UpstreamUnavailable):
    """A gateway error (502, 503, 504): the same request may succeed a moment later."""


def check_status(
    response: HttpResponse, *, provider: str, accept: Collection[int], now: Callable[[], float]
) -> None:
    """Raise the error that a status means; do nothing for 2xx and for statuses in `accept`."""
    status = response.status
    if 200 <= status < 300 or status in accept:
        return
    kind, message = _ERRORS_BY_STATUS.get(status) or _classify_status(status)
    delay = (
        read_retry_delay(response.headers, now=now)
        if issubclass(kind, errors.RateLimited | GatewayOverloaded)
        else None
    )
    raise kind(
        message,
        provider=provider,
        retry_after=delay,
        detail=f"HTTP {status}",
        http_status=status,
    )


def _classify_status(status: int) -> tuple[type[errors.UpstreamError | errors.NotFound], str]:
    if 400 <= status < 500:
        return errors.RejectedRequest, "The upstream refused this request."
    if 300 <= status < 400:
        return errors.UpstreamUnavailable, "The upstream answered with an unexpected redirect."
    return errors.UpstreamUnavailable, "The upstream failed."


_ERRORS_BY_STATUS: dict[int, tuple[type[errors.UpstreamError | errors.NotFound], str]] = {
    401: (errors.AuthRequired, "The upstream rejected the API key, or requires one."),
    402: (errors.OutOfCredit, "The account with the upstream has no credit left."),
    403: (errors.AuthRequired, "The upstream denied access."),
    404: (errors.NotFound, "The upstream has no such record."),
    410: (errors.NotFound, "The upstream no longer has this record."),
    429: (errors.RateLimited, "The upstream asks us to slow down."),
    502: (GatewayOverloaded, "The upstream's gateway failed."),
    503: (GatewayOverloaded, "The upstream is overloaded."),
    504: (GatewayOverloaded, "The upstream took too long."),
}

# Follows redirects, without sending secrets to another origin.


def build_redirect_request(
    request: HttpRequest, target: RequestTarget, *, status: int, location: str | None
) -> HttpRequest | None:
    """The request for the next hop, not yet checked by the guard; None if the response is final.

    Raises UpstreamUnavailable for a redirect that the request's policy does not allow.
    """
    if status not in _REDIRECT_STATUSES or not location or request.redirects is RedirectPolicy.NONE:
        return None
    onward = replace(
        request, url=_resolve_location(target, location), params={}, redirect_status=status
    )
    is_post = status in {301, 302} and request.method == "POST"
    if is_post or (status == 303 and request.method != "HEAD"):
        onward = replace(onward, method="GET", json=None, form=None, content=None)
    if parse_url(onward.url).origin == target.origin:
        return onward
    if request.redirects is RedirectPolicy.SAME_ORIGIN:
        raise errors.UpstreamUnavailable("The upstream redirected to another site.")
    if any(body is not None for body in (onward.json, onward.form, onward.content)):
        raise errors.UpstreamUnavailable(
            "The upstream redirected a request with a body to another site."
        )
    headers = {
        name: value
        for name, value in request.headers.items()
        if name.lower() not in _SECRET_HEADER_NAMES
    }
    return replace(onward, headers=headers, secret_headers={})


async def follow_redirects(
    request: HttpRequest,
    exchange: Callable[[HttpRequest], Awaitable[HttpResponse | HttpRequest]],
) -> HttpResponse:
    """The final response, with the addresses that redirected to it.

    `exchange` sends one request and returns the final response, or the request for the next hop.
    Raises UpstreamUnavailable if the redirects go in a circle or are too many.
    """
    hops: list[str] = []
    statuses: list[int] = []
    while True:
        answer = await exchange(request)
        if isinstance(answer, HttpResponse):
            return replace(answer, hops=tuple(hops), hop_statuses=tuple(statuses))
        hops.append(request.url)
        statuses.append(answer.redirect_status or 0)
        if answer.url in hops and answer.method == request.method:
            raise errors.UpstreamUnavailable(
                "The upstream sends us round in circles.",
                reason=errors.FailureReason.TOO_MANY_REDIRECTS,
            )
        if len(hops) > MAX_REDIRECT_HOPS:
            raise build_redirect_limit_error()
        request = answer


def build_redirect_limit_error() -> errors.UpstreamUnavailable:
    return errors.UpstreamUnavailable(
        f"The upstream sent us on more than {MAX_REDIRECT_HOPS} times.",
        reason=errors.FailureReason.TOO_MANY_REDIRECTS,
    )


def _resolve_location(target: RequestTarget, location: str) -> str:
    """The absolute URL of `location`. Spaces are escaped; other invalid characters are left to the guard."""
    spaced = re.sub(r" +", lambda run: quote(run[0]), location.strip())
    try:
        return urljoin(target.url, spaced)
    except ValueError:
        raise errors.UpstreamUnavailable("The upstream redirected to an invalid address.") from None
