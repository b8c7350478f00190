"""The errors of this package, named for what the caller can do about them."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import ClassVar, Self


class FailureReason(StrEnum):
    """The cause of a failure. Code decides by it, never by the words of a message."""

    DNS = "dns"  # the host name has no address
    OFFLINE = "offline"  # the machine has no network
    CONNECT = "connect"  # no connection was made
    TLS = "tls"  # no secure connection, or a certificate that is not trusted
    PROXY = "proxy"  # the configured proxy did not connect
    TIMEOUT = "timeout"  # no whole response in time
    RESET = "reset"  # the connection ended before the response did
    BROWSER = "browser"  # the browser or its tab ended
    SCRIPT_LOST = "script_lost"  # the browser discarded the script that was reading the page
    NOBODY_ASKED = "nobody_asked"  # there was no upstream that could be asked
    TOO_MANY_REDIRECTS = "too_many_redirects"
    EMPTY_FILE = "empty_file"
    BOT_WALL = "bot_wall"
    CONSENT_PAGE = "consent_page"  # a page that asks for consent came instead
    RATE_LIMITED = "rate_limited"
    JSON_DISABLED = "json_disabled"  # the instance's owner has switched its JSON interface off
    NOT_CONFIGURED = "not_configured"


class CitewellError(Exception):
    """A failure with its kind, whether and when to retry, and what to do next.

    The first argument is one plain sentence for a reader; it must never contain a secret. For
    code there are, where known: `reason`; `http_status`, the status that the upstream sent;
    `settings`, the settings that the message names; and `remedy`, a configuration line or command
    that mends the failure. These four are not part of the answer to a client.
    """

    kind: ClassVar[str] = "internal"
    retryable: ClassVar[bool] = False
    action: ClassVar[str] = "report_bug"
    default_delay: ClassVar[float | None] = None
    code: ClassVar[str | None] = None  # the error code that spec 2 defines, if it defines one

    def __init__(
        self,
        message: str,
        *,
        provider: str | None = None,
        retry_after: float | None = None,
        alternatives: Iterable[str] = (),
        action: str | None = None,
        detail: str | None = None,
        extra: Mapping[str, object] | None = None,
        reason: FailureReason | None = None,
        http_status: int | None = None,
        settings: Iterable[str] = (),
        remedy: str = "",
    ) -> None:
        super().__init__(message)
        self.message = message
        self.provider = provider
        self.retry_after = self.default_delay if retry_after is None else retry_after
        self.has_stated_delay = retry_after is not None
        self.alternatives = tuple(alternatives)
        self.suggested_action = action or self.action
        self.detail = detail
        self.extra = dict(extra or {})
        self.reason = reason
        self.http_status = http_status
        self.settings = tuple(settings)
        self.remedy = remedy

    @property
    def shown_delay(self) -> float | None:
        """The seconds that a caller is asked to wait; we ourselves may try again sooner."""
        return self.retry_after if self.has_stated_delay else self.default_delay or self.retry_after

    def copy_with_message(self, message: str) -> Self:
        """A copy with another message; the original may be raised again elsewhere."""
        other = copy.copy(self)
        other.message, other.args, other.extra = message, (message,), dict(self.extra)
        return other

    def build_error_block(self) -> dict[str, object]:
        """The machine-readable part of the error answer; unknown fields are left out."""
        block: dict[str, object] = {"kind": self.kind, "retryable": self.retryable}
        if self.retryable and self.shown_delay is not None:
            block["retryAfterSeconds"] = max(1, round(self.shown_delay))
        block["suggestedAction"] = self.suggested_action
        optional = {
            "provider": self.provider,
            "alternatives": list(self.alternatives) or None,
            "detail": self.detail,
        }
        block.update({key: value for key, value in optional.items() if value is not None})
        block.update(self.extra)
        return block


class InternalError(CitewellError):
    """A bug in this server."""


class InvalidInput(CitewellError):
    """The arguments of the call are invalid; the message says what they must be."""

    kind = "validation"
    action = "fix_arguments"  # the caller can mend its own call


class RefusedByPolicy(InvalidInput):
    """Our own policy forbids the address; it is not retried and not passed to another provider."""

    action = "inform_user"


class MalformedAddress(RefusedByPolicy):
    """The address is not written as one that we read; the message says why."""

    action = "fix_arguments"


class RefusedByRobots(RefusedByPolicy):
    """The site's robots.txt asks programs not to read the page, and we comply."""


class NotFound(CitewellError):
    """The registry or store that would hold the thing says that it does not exist."""

    kind = "not_found"
    action = "inform_user"


class SessionNotFound(NotFound):
    """No research session has this id, or it has ended."""

    kind = "session_not_found"


class Misconfigured(CitewellError):
    """A setting is missing or wrong; the message names it."""

    kind = "config"
    action = "check_api_key"


class BrowserUnavailable(CitewellError):
    """The page needs a browser, and none is installed or allowed."""

    kind = "browser_unavailable"
    action = "inform_user"


class UpstreamError(CitewellError):
    """Base of the errors that somebody else's server caused."""


class RateLimited(UpstreamError):
    """The upstream's rate limit, or one of our own, asks for a pause."""

    kind = "rate_limited"
    retryable = True
    action = "retry_after_delay"
    default_delay = 60.0


class AuthRequired(UpstreamError):
    """The key was refused, or the page is behind a login."""

    kind = "auth_required"
    action = "check_api_key"


class OutOfCredit(UpstreamError):
    """The account behind the key has no credit left (HTTP 402)."""

    kind = "auth_required"
    action = "try_different_provider"


class Blocked(UpstreamError):
    """The site shows a bot wall, a consent page or a refusal instead of the content."""

    kind = "blocked"
    action = "inform_user"


class NetworkFailed(UpstreamError):
    """No whole response arrived: name lookup, connection, TLS or timeout failed."""

    kind = "network"
    retryable = True
    action = "retry"
    default_delay = 5.0


class NotConnected(NetworkFailed):
    """No connection was made, so the request was never sent."""


class ContentEmpty(UpstreamError):
    """The page was read and has no useful text."""

    kind = "content_empty"
    retryable = True
    action = "inform_user"


class UpstreamUnavailable(UpstreamError):
    """The upstream answered with an error of its own."""

    kind = "upstream_unavailable"
    retryable = True
    action = "try_different_provider"


class BreakerOpen(UpstreamUnavailable):
    """The upstream failed repeatedly, so no request was sent; it is asked again later."""


class MalformedResponse(UpstreamUnavailable):
    """The response does not have the form that the upstream documents."""


class RejectedRequest(UpstreamError):
    """The upstream rejected this request (HTTP 4xx); other requests may succeed."""

    kind = "upstream_unavailable"
    action = "inform_user"


class TooLarge(UpstreamError):
    """The body is larger than its byte limit, as sent or after decompression."""

    kind = "content_empty"
    action = "inform_user"


class JobNotFound(NotFound):
    """No research job of this caller has this id."""

    code = "JOB_NOT_FOUND"


class ThreadNotFound(NotFound):
    """No research thread of this caller has this id."""

    code = "THREAD_NOT_FOUND"


class ClaimNotFound(NotFound):
    """No claim of this caller has this id."""

    code = "CLAIM_NOT_FOUND"


class JobNotComplete(CitewellError):
    """The job is still running; its status says how far it is."""

    kind = "validation"
    code = "JOB_NOT_COMPLETE"
    retryable = True
    action = "retry_after_delay"
    default_delay: ClassVar[float | None] = 30.0


class JobEnded(JobNotComplete):
    """The job failed or was cancelled, so it will never have the results that were asked for."""

    retryable = False
    action = "inform_user"
    default_delay = None


class ThreadBusy(CitewellError):
    """The thread already has a research job in progress; it takes one at a time."""

    kind = "validation"
    code = "THREAD_BUSY"
    retryable = True
    action = "retry_after_delay"
    default_delay = 60.0


class InvalidTopic(InvalidInput):
    """No follow-on suggestion has this index."""

    code = "INVALID_TOPIC"


class MissingFilter(InvalidInput):
    """A search for claims needs a thread, a job or words."""

    code = "MISSING_FILTER"


class InsufficientBalance(CitewellError):
    """The remaining budget does not cover the price cap of the research tier."""

    kind = "config"
    code = "INSUFFICIENT_BALANCE"
    action = "inform_user"
