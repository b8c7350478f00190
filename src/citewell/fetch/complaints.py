"""What is said when a page cannot be read; `detail` is the short form for the list of tiers."""

from __future__ import annotations

from citewell.errors import (
    AuthRequired,
    Blocked,
    BrowserUnavailable,
    CitewellError,
    ContentEmpty,
    InvalidInput,
    NetworkFailed,
    NotFound,
    RateLimited,
    Refused,
    RejectedRequest,
    TooLarge,
    Unavailable,
)
from citewell.text.secrets import masked

_ELSEWHERE = "Try an alternative source — its content can't be read directly."


def rejected(url: str, reason: str) -> Refused:
    said = (
        f"URL rejected for {masked(url)}: {reason.rstrip('.')}. Provide a valid public http(s) URL."
    )
    return Refused(said, detail=reason)


def disallowed(url: str, reason: str) -> Refused:
    said = f"URL rejected for {masked(url)}: {reason.rstrip('.')}. "
    return Refused(
        said + "Set CITEWELL_RESPECT_ROBOTS=false to read it all the same.", detail=reason
    )


def faulty(url: str) -> ContentEmpty:
    said = (
        f"No content extracted from {masked(url)}: our own reader failed on it; the log says how."
    )
    return ContentEmpty(said, detail="reader failed", action="report_bug")


def unreachable(url: str, reason: str) -> NetworkFailed:
    said = f"Network error on {masked(url)}: {reason.rstrip('.')}. Check connectivity."
    return NetworkFailed(said, detail=reason.rstrip("."))


def walled(url: str, by: str) -> Blocked:
    return Blocked(f"Blocked: {masked(url)} uses bot detection. {_ELSEWHERE}", detail=by)


def consent(url: str, by: str) -> Blocked:
    said = f"Blocked: {masked(url)} shows a consent page in place of its content. {_ELSEWHERE}"
    return Blocked(said, detail=by)


def missing(url: str, detail: str) -> NotFound:
    said = f"Not found: {masked(url)} returned 404/410 — the page does not exist. Check the URL."
    return NotFound(said, detail=detail)


def gone(url: str, detail: str) -> NotFound:
    said = f"Not found: {masked(url)} says itself that the page does not exist. Check the URL."
    return NotFound(said, detail=detail)


def login(url: str, detail: str) -> AuthRequired:
    said = f"Auth required: {masked(url)} is behind a login wall."
    return AuthRequired(said, detail=detail, action="inform_user")


def paywall(url: str, detail: str) -> AuthRequired:
    said = f"Auth required: {masked(url)} is behind a subscription wall."
    return AuthRequired(said, detail=detail, action="inform_user")


def limited(url: str, delay: float | None) -> RateLimited:
    seconds = round(delay or RateLimited.default_delay or 60)
    said = f"Rate limited on {masked(url)}. Retry in {seconds} seconds."
    return RateLimited(said, retry_after=seconds, detail="HTTP 429")


def empty(url: str, detail: str) -> ContentEmpty:
    said = f"No content extracted from {masked(url)}. May need browser rendering."
    return ContentEmpty(said, detail=detail)


def unreadable(url: str, kind: str) -> ContentEmpty:
    said = f"No content extracted from {masked(url)}. Documents of this kind ({kind}) cannot be read yet."
    return ContentEmpty(said, detail=kind)


def failed(url: str, status: int) -> Unavailable:
    said = f"The server of {masked(url)} answered with HTTP {status}. Try again later."
    return Unavailable(said, detail=f"HTTP {status}", action="inform_user")


def misled(url: str, reason: str) -> Unavailable:
    said = f"The server of {masked(url)} gave no usable answer: {reason}"
    return Unavailable(said, detail=reason.rstrip("."), action="inform_user")


def refused(url: str, status: int) -> RejectedRequest:
    said = f"The server of {masked(url)} refused the request with HTTP {status}."
    return RejectedRequest(said, detail=f"HTTP {status}")


def too_large(url: str, limit: int) -> TooLarge:
    said = f"No content extracted from {masked(url)}. It is larger than {limit} bytes (MAX_HTML_BYTES)."
    return TooLarge(said, detail=f"over {limit} bytes")


# When tiers disagree, the error that says most about the page itself is the one raised.
_SAYING_MOST: tuple[type[CitewellError], ...] = (
    InvalidInput,
    NotFound,
    AuthRequired,
    RateLimited,
    Blocked,
    Unavailable,
    RejectedRequest,
    TooLarge,
    BrowserUnavailable,
    ContentEmpty,
    NetworkFailed,
)


def composite(outcomes: list[tuple[str, CitewellError]]) -> CitewellError:
    """The most definitive of several tiers' errors, with every tier's outcome listed."""
    worst = min((error for _, error in reversed(outcomes)), key=_order)
    tiers = ", ".join(f"{name}: {error.detail or error.message}" for name, error in outcomes)
    return type(worst)(
        f"{worst.message} ({tiers})",
        retry_after=worst.retry_after,
        action=worst.suggested_action,
        detail=tiers,
    )


def _order(error: CitewellError) -> int:
    places = (place for place, kind in enumerate(_SAYING_MOST) if isinstance(error, kind))
    return next(places, len(_SAYING_MOST))
