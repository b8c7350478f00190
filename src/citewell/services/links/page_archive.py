"""Asks the Internet Archive (Save Page Now) to capture a page, and reports the outcome."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from urllib.parse import quote, urljoin

from citewell.errors import CitewellError, FailureReason, RateLimited
from citewell.model.citation_checks import ArchiveOutcome
from citewell.net.http.messages import HttpRequest, HttpResponse, RedirectPolicy
from citewell.net.network import Network
from citewell.services.links.wayback_machine import (
    PUBLIC_ARCHIVE_URL,
    ArchiveSnapshot,
    WaybackMachine,
)
from citewell.text.safety.markup_cleaning import clean_markup
from citewell.tooling import ProgressCallback

CAPTURE_SECONDS = 25.0  # seconds for the capture, waits included
RETRY_WAIT_SECONDS = (3.0, 7.0)  # before the second and the third attempt
ARCHIVE_SOURCE = "web.archive.org Save Page Now"
_MAX_RESPONSE_BYTES = 64 * 1024
_CLOCK_SKEW = timedelta(minutes=2)  # how far our clock may run ahead of the archive's
_UNQUOTED_CHARS = "%/:?&=+,;@!$'()*~[]"
_EARLIER_COPY_REASON = "the archive offered an earlier copy instead of making a new one"
_UNFINISHED_REASON = "the capture was begun and not finished in time"
_JOB_ID_PATTERN = re.compile(r"spn2-[0-9a-f]{8,64}")
_ACCEPTED_STATUSES = range(300, 600)  # error statuses are judged here and must not trip the breaker


@dataclass(slots=True, kw_only=True)
class _CaptureAttempt:
    """The state of one capture across its requests."""

    url: str
    deadline: float
    started_at: datetime
    status: int | None = None
    job_id: str | None = None
    reason: str = "the archive did not answer in time"
    request_received: bool = False  # the archive received the request and may still act on it
    is_final: bool = False  # the archive refused, and a retry would be refused too
    steps: list[str] = field(default_factory=list)


class PageArchive:
    def __init__(
        self,
        network: Network,
        *,
        availability: str,
        archive: str = PUBLIC_ARCHIVE_URL,
        keys: tuple[str, str] | None = None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """`keys` are the access key and secret key of an archive.org account, which has higher limits."""
        self._disclosure = network.disclosure
        self._root = archive.rstrip("/")
        self._copies = WaybackMachine(network, availability=availability, archive=archive)
        secret: Mapping[str, str] = {"authorization": f"LOW {':'.join(keys)}"} if keys else {}
        self._upstream = network.open_upstream(
            "savepagenow", base_url=self._root, secret_headers=secret, timeout=CAPTURE_SECONDS
        )
        self._now, self._clock, self._sleep = now, clock, sleep

    async def capture_page(self, url: str, *, progress: ProgressCallback) -> ArchiveOutcome:
        """The new copy, an older copy, or where to look later; raises Refused for a private address.

        A slow, throttled or failing archive is reported in the result and never raised.
        """
        address = await self._check_public_address(url)
        attempt = _CaptureAttempt(
            url=address, deadline=self._clock() + CAPTURE_SECONDS, started_at=self._now()
        )
        snapshot = await self._capture_with_retries(attempt, progress)
        if snapshot is None:
            await progress(
                len(RETRY_WAIT_SECONDS) + 1,
                len(RETRY_WAIT_SECONDS) + 2,
                "looking for an older copy",
            )
            snapshot = await self._find_older_snapshot(attempt)
        return self._build_archive_result(url, attempt, snapshot)

    async def _check_public_address(self, url: str) -> str:
        """The normalized address; raises Refused so that no private address is sent to the archive."""
        # The archive may resolve a name that we cannot.
        target = await self._disclosure.check_disclosable(url.strip(), is_public_lookup=True)
        return target.url

    async def _capture_with_retries(
        self, attempt: _CaptureAttempt, progress: ProgressCallback
    ) -> ArchiveSnapshot | None:
        for number, wait in enumerate((0.0, *RETRY_WAIT_SECONDS), start=1):
            if self._clock() + wait >= attempt.deadline or attempt.is_final:
                return None
            await self._sleep(wait)
            await progress(
                number - 1, len(RETRY_WAIT_SECONDS) + 2, f"attempt {number} to capture the page"
            )
            snapshot = await self._attempt_capture(attempt)
            if snapshot is not None:
                attempt.reason = _EARLIER_COPY_REASON  # counts only if the copy is not a new one
                return snapshot
        return None

    async def _attempt_capture(self, attempt: _CaptureAttempt) -> ArchiveSnapshot | None:
        """One request: for the capture itself, or for the status of the job an earlier request started."""
        try:
            if attempt.job_id is not None:
                return await self._poll_capture_job(attempt)
            response = await self._send_capture_request(
                f"/save/{quote(attempt.url, safe=_UNQUOTED_CHARS)}", attempt
            )
        except RateLimited:
            attempt.reason = "the archive asks for a pause"
            return None
        except CitewellError as error:
            slow = error.reason is FailureReason.TIMEOUT
            attempt.request_received = attempt.request_received or slow
            if attempt.job_id is None:
                attempt.reason = "the archive did not answer in time" if slow else "the archive is out of reach"  # fmt: skip
            attempt.steps.append(f"Save Page Now: {error.kind}")
            return None
        attempt.request_received, attempt.status = True, response.status
        attempt.steps.append(f"Save Page Now: HTTP {response.status}")
        return self._read_capture_response(response, attempt)

    def _read_capture_response(
        self, response: HttpResponse, attempt: _CaptureAttempt
    ) -> ArchiveSnapshot | None:
        shown = response.headers.get("content-location", "")
        for address in (response.url, urljoin(f"{self._root}/", shown) if shown else ""):
            if snapshot := self._copies.parse_snapshot_address(address):
                return snapshot
        job = _JOB_ID_PATTERN.search(response.decode_text()) if response.status < 300 else None
        attempt.job_id = job[0] if job else None
        attempt.is_final = 400 <= response.status < 500 and response.status not in {408, 425, 429}
        attempt.reason = _UNFINISHED_REASON if job else _describe_capture_status(response.status)
        return None

    async def _poll_capture_job(self, attempt: _CaptureAttempt) -> ArchiveSnapshot | None:
        response = await self._send_capture_request(f"/save/status/{attempt.job_id}", attempt)
        told = response.parse_json() if response.status < 300 else {}
        told = told if isinstance(told, dict) else {}
        attempt.steps.append(
            f"capture job: {clean_markup(str(told.get('status') or response.status))}"
        )
        if told.get("status") == "success" and re.fullmatch(r"\d{14}", str(told.get("timestamp"))):
            return self._copies.build_snapshot(str(told["timestamp"]), attempt.url)
        if told.get("status") == "error":
            attempt.is_final = True
            message = clean_markup(str(told.get("message") or "no reason given"))[:200]
            attempt.reason = f"the archive could not capture the page: {message}"
        return None

    async def _send_capture_request(self, path: str, attempt: _CaptureAttempt) -> HttpResponse:
        request = HttpRequest(
            url=self._root + path,
            timeout=max(0.5, attempt.deadline - self._clock()),
            first_bytes=_MAX_RESPONSE_BYTES,
            redirects=RedirectPolicy.SAME_ORIGIN,
        )
        return await self._upstream.send_request(request, accept=_ACCEPTED_STATUSES, retry=False)

    async def _find_older_snapshot(self, attempt: _CaptureAttempt) -> ArchiveSnapshot | None:
        """The newest copy in the capture index; if that fails or has none, the availability API's copy."""
        looks: dict[str, Callable[[str], Awaitable[ArchiveSnapshot | None]]] = {
            "capture index": self._copies.find_newest_snapshot,
            "availability": self._copies.find_nearest_snapshot,
        }
        for name, look in looks.items():
            try:
                found = await look(attempt.url)
            except CitewellError as error:
                attempt.steps.append(f"{name}: {error.kind}")
                continue
            attempt.steps.append(f"{name}: {'a copy' if found else 'no copy'}")
            if found is not None:
                return found
        return None

    def _build_archive_result(
        self, url: str, attempt: _CaptureAttempt, snapshot: ArchiveSnapshot | None
    ) -> ArchiveOutcome:
        """The result of the call; a copy taken before the call began has the status `existing`."""
        asked = {"requested_url": url, "http_status": attempt.status, "source": ARCHIVE_SOURCE}
        told = {**asked, "provenance": tuple(attempt.steps), "reason": attempt.reason}
        if snapshot is None:
            pending = attempt.request_received and not attempt.is_final
            return ArchiveOutcome(
                **told,
                captured=False,
                status="pending" if pending else "unavailable",
                poll_url=f"{self._root}/web/*/{attempt.url}" if pending else None,
            )
        taken = snapshot.taken_at
        if taken is None or taken < attempt.started_at - _CLOCK_SKEW:
            return ArchiveOutcome(
                **told, captured=False, status="existing", snapshot_url=snapshot.url
            )
        return ArchiveOutcome(
            **{**told, "reason": None},
            captured=True,
            status="archived",
            snapshot_url=snapshot.url,
            archived_at=taken.strftime("%Y-%m-%dT%H:%M:%SZ"),
        )


def _describe_capture_status(status: int) -> str:
    if status == 429:
        return "the archive asks for a pause"
    if status >= 500:
        return f"the archive is failing (HTTP {status})"
    if status >= 400:
        return f"the archive refuses to capture this page (HTTP {status})"
    return f"the archive answered without naming a copy (HTTP {status})"
