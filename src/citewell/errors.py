"""Everything that can go wrong, named for what the caller can do about it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import ClassVar


class CitewellError(Exception):
    """A failure with advice: its kind, whether to retry and when, and what to do next.

    The first argument is one plain sentence for a reader; it never holds a secret.
    """

    kind: ClassVar[str] = "internal"
    retryable: ClassVar[bool] = False
    action: ClassVar[str] = "report_bug"
    default_delay: ClassVar[float | None] = None
    code: ClassVar[str | None] = None  # the word spec 2 gives it, where it gives one

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
    ) -> None:
        super().__init__(message)
        self.message = message
        self.provider = provider
        self.retry_after = self.default_delay if retry_after is None else retry_after
        self.alternatives = tuple(alternatives)
        self.suggested_action = action or self.action
        self.detail = detail
        self.extra = dict(extra or {})

    def block(self) -> dict[str, object]:
        """The machine-readable half of the answer."""
        block: dict[str, object] = {"kind": self.kind, "retryable": self.retryable}
        if self.retryable and self.retry_after is not None:
            block["retryAfterSeconds"] = max(1, round(self.retry_after))
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
    """A fault of ours."""


class InvalidInput(CitewellError):
    """The caller's arguments cannot be used as they are."""

    kind = "validation"
    action = "inform_user"


class Refused(InvalidInput):
    """Our own policy forbids the address; never retried, never handed to anybody else."""


class NotFound(CitewellError):
    """The thing asked for does not exist, and whoever keeps it said so."""

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
    """Somebody else's server failed us."""


class RateLimited(UpstreamError):
    """The upstream asks for a pause, or our own limit does."""

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
    """A bot wall, a consent page or an outright refusal stands before the content."""

    kind = "blocked"
    action = "inform_user"


class NetworkFailed(UpstreamError):
    """No answer arrived: name, connection, TLS or time."""

    kind = "network"
    retryable = True
    action = "retry"
    default_delay = 5.0


class Unconnected(NetworkFailed):
    """No connection was made, so the request was never sent."""


class ContentEmpty(UpstreamError):
    """The page was read and holds no text worth returning."""

    kind = "content_empty"
    retryable = True
    action = "inform_user"


class Unavailable(UpstreamError):
    """The upstream answered with a failure of its own."""

    kind = "upstream_unavailable"
    retryable = True
    action = "try_different_provider"


class LeftAlone(Unavailable):
    """The upstream failed so often that it is not asked for a while; nothing was sent."""


class BadShape(Unavailable):
    """The upstream answered with something that is not what it documents."""


class RejectedRequest(UpstreamError):
    """The upstream refused this one request (a 4xx of ours), and is otherwise well."""

    kind = "upstream_unavailable"
    action = "inform_user"


class TooLarge(UpstreamError):
    """The body passed its byte cap, or inflates beyond all measure."""

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
    """The job is still at work; its status says how far it is."""

    kind = "validation"
    code = "JOB_NOT_COMPLETE"
    retryable = True
    action = "retry_after_delay"
    default_delay = 30.0


class ThreadBusy(CitewellError):
    """The thread has research in progress; one job at a time."""

    kind = "validation"
    code = "THREAD_BUSY"
    retryable = True
    action = "retry_after_delay"
    default_delay = 60.0


class InvalidTopic(InvalidInput):
    """No suggestion has this index."""

    code = "INVALID_TOPIC"


class MissingFilter(InvalidInput):
    """Claims are searched by thread, by job or by words; one of them is needed."""

    code = "MISSING_FILTER"


class InsufficientBalance(CitewellError):
    """The budget does not cover the tier's cap."""

    kind = "config"
    code = "INSUFFICIENT_BALANCE"
    action = "inform_user"
