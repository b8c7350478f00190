"""Requests to the three hosts of the SEC, with the contact it requires and its own refusals."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

import citewell
from citewell.errors import (
    Blocked,
    FailureReason,
    Misconfigured,
    NotFound,
    RateLimited,
    UpstreamUnavailable,
)
from citewell.net.http.messages import HttpResponse
from citewell.ports import ProviderKit
from citewell.providers.edgar.filing_rows import PROVIDER_NAME

CONTACT_SETTINGS = ("EDGAR_CONTACT_EMAIL", "OPENALEX_EMAIL", "CITEWELL_CONTACT")
_NO_PARAMS: Mapping[str, str] = MappingProxyType({})
_MAIL_PATTERN = re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}", re.ASCII)
_WWW_HOST = "//www.sec.gov"
_REFUSED = 403
_LIMIT_MARKS = (b"Undeclared Automated Tool", b"Request Rate Threshold Exceeded")
_MISSING_FILE_MARK = (
    b"<Code>AccessDenied</Code>"  # what the storage says of a file it does not have
)
_LIMIT_REST_SECONDS = 600.0
_MARK_BYTES = 20_000  # of a refusal, in which the marks are looked for


class SecClient:
    """Sends GET requests; without a contact address none goes out."""

    def __init__(self, kit: ProviderKit) -> None:
        self._upstream = kit.upstream
        self._contact = _find_contact(kit)

    async def fetch_www(self, path: str, params: Mapping[str, str] = _NO_PARAMS) -> HttpResponse:
        """A file or list that is always there; it is a failure if it is not."""
        return await self._fetch_present("www", path, params)

    async def fetch_data(self, path: str, *, max_bytes: int | None = None) -> HttpResponse:
        return await self._fetch_sec_answer("data", path, max_bytes=max_bytes)

    async def search_full_text(self, params: Mapping[str, str]) -> HttpResponse:
        return await self._fetch_present("efts", "/LATEST/search-index", params)

    async def _fetch_present(self, host: str, path: str, params: Mapping[str, str]) -> HttpResponse:
        try:
            return await self._fetch_sec_answer(host, path, params=params)
        except NotFound:
            message = "A service of the SEC is not where it used to be."
            raise UpstreamUnavailable(message, provider=PROVIDER_NAME) from None

    async def _fetch_sec_answer(
        self,
        host: str,
        path: str,
        *,
        params: Mapping[str, str] = _NO_PARAMS,
        max_bytes: int | None = None,
    ) -> HttpResponse:
        response = await self._upstream.send_get(
            path,
            params=params,
            headers={"user-agent": f"Citewell/{_find_version()} {self._require_contact()}"},
            base_url=_build_host_address(self._upstream.base_url, host),
            max_bytes=max_bytes,
            accept=(_REFUSED,),
        )
        if response.status == _REFUSED:
            raise self._build_refusal(response)
        return response

    def _require_contact(self) -> str:
        if self._contact is None:
            raise Misconfigured(
                "The SEC refuses programs that do not say whom it can reach: set"
                f" {CONTACT_SETTINGS[0]} to your mail address (or {CONTACT_SETTINGS[1]} or"
                f" {CONTACT_SETTINGS[2]}, with one in it).",
                provider=PROVIDER_NAME,
                settings=CONTACT_SETTINGS,
                remedy=f"{CONTACT_SETTINGS[0]}=you@example.org",
                reason=FailureReason.NOT_CONFIGURED,
            )
        return self._contact

    def _build_refusal(self, response: HttpResponse) -> RateLimited | NotFound | Blocked:
        body = response.body[:_MARK_BYTES]
        if _MISSING_FILE_MARK in body:
            return NotFound("The SEC has no such file.", provider=PROVIDER_NAME)
        if any(mark in body for mark in _LIMIT_MARKS):
            self._upstream.pause_requests(_LIMIT_REST_SECONDS)
            return RateLimited(
                "The SEC refuses requests from this address for ten minutes: too many were sent,"
                f" or the contact in {CONTACT_SETTINGS[0]} is not a real one.",
                provider=PROVIDER_NAME,
                retry_after=_LIMIT_REST_SECONDS,
                detail="HTTP 403",
                http_status=_REFUSED,
            )
        return Blocked(
            "The SEC refused the request.",
            provider=PROVIDER_NAME,
            detail="HTTP 403",
            http_status=_REFUSED,
        )


def _find_contact(kit: ProviderKit) -> str | None:
    """The first mail address in the settings; a setting without one does not count."""
    found = (_MAIL_PATTERN.search(kit.find_option(name) or "") for name in CONTACT_SETTINGS)
    return next((match[0] for match in found if match), None)


def _find_version() -> str:
    try:
        return citewell.__version__
    except ImportError:  # running from a source tree that is not installed
        return "dev"


def _build_host_address(base_url: str, host: str) -> str:
    """The address of one of the hosts; a configured address elsewhere serves all paths."""
    return base_url.replace(_WWW_HOST, f"//{host}.sec.gov", 1)
