"""The errors for pages that cannot be read; `detail` is the short form in the list of tiers."""

from __future__ import annotations

from collections.abc import Callable

from citewell.core import errors
from citewell.core.values.counted_words import pluralize
from citewell.reading.bot_walls import PageWall, WallKind
from citewell.text.addresses import extract_host, is_within_domain
from citewell.text.safety.secret_masking import mask_secrets

_ALTERNATIVE_SOURCE_ADVICE = "Try an alternative source — its content can't be read directly."
# What lets a site be read that turns readers without it away.
_ADVICE_BY_DOMAIN = {
    "reddit.com": " With REDDIT_CLIENT_ID and REDDIT_CLIENT_SECRET set, Reddit is read through its API.",
}


def _find_site_advice(url: str) -> str:
    host = extract_host(url)
    found = (advice for name, advice in _ADVICE_BY_DOMAIN.items() if is_within_domain(host, name))
    return next(found, "")


def build_reader_error(url: str) -> errors.ContentEmpty:
    message = f"No content extracted from {mask_secrets(url)}: the reader failed on it; details are in the log."
    return errors.ContentEmpty(message, detail="reader failed", action="report_bug")


def build_failure_error(url: str, sentence: str) -> errors.TooLarge:
    """The error for a page that its reader could not get to the end of; `sentence` says why."""
    message = f"No content extracted from {mask_secrets(url)}. {sentence}"
    return errors.TooLarge(message, detail=sentence.rstrip("."))


def build_refusal(url: str, error: errors.RefusedByPolicy) -> errors.RefusedByPolicy:
    """The error for a refused page; for one refused by robots.txt it says how to read it anyway."""
    reason = error.message
    message = f"URL rejected for {mask_secrets(url)}: {reason.rstrip('.')}. "
    if isinstance(error, errors.RefusedByRobots):
        advice = "Set CITEWELL_RESPECT_ROBOTS=false to read it nevertheless."
        return errors.RefusedByRobots(message + advice + _find_site_advice(url), detail=reason)
    message += "Provide a valid public http(s) URL."
    return errors.RefusedByPolicy(message, detail=reason, action=error.suggested_action)


def build_network_error(
    url: str, cause: str, *, reason: errors.FailureReason | None
) -> errors.NetworkFailed:
    if reason is errors.FailureReason.OFFLINE:
        return errors.NetworkFailed(cause, detail=reason, reason=reason, action="inform_user")
    message = f"Network error on {mask_secrets(url)}: {cause.rstrip('.')}. Check connectivity."
    return errors.NetworkFailed(message, detail=cause.rstrip("."), reason=reason)


def build_wall_error(url: str, by: str) -> errors.Blocked:
    message = f"Blocked: {mask_secrets(url)} uses bot detection. {_ALTERNATIVE_SOURCE_ADVICE}"
    return errors.Blocked(message + _find_site_advice(url), detail=by)


def build_not_found_error(url: str, detail: str) -> errors.NotFound:
    message = (
        f"Not found: {mask_secrets(url)} returned 404/410 — the page does not exist. Check the URL."
    )
    return errors.NotFound(message, detail=detail)


def build_soft_404_error(url: str, detail: str) -> errors.NotFound:
    message = f"Not found: {mask_secrets(url)} says that the page does not exist. Check the URL."
    return errors.NotFound(message, detail=detail)


def build_login_error(url: str, detail: str) -> errors.AuthRequired:
    message = f"Auth required: {mask_secrets(url)} is behind a login wall."
    return errors.AuthRequired(message, detail=detail, action="inform_user")


def copy_with_delay(error: errors.CitewellError, delay: float) -> errors.CitewellError:
    """A copy of the error with another delay, also in the sentence that names it."""
    message = error.message.replace(_describe_delay(error.retry_after or 0), _describe_delay(delay))
    again = error.copy_with_message(message)
    again.retry_after = delay
    return again


def _describe_delay(delay: float) -> str:
    seconds = max(1, round(delay))
    return f"Retry in {seconds} {pluralize(seconds, 'second')}."


def build_empty_error(url: str, detail: str) -> errors.ContentEmpty:
    message = f"No content extracted from {mask_secrets(url)}. May need browser rendering."
    return errors.ContentEmpty(message, detail=detail)


def build_unreadable_kind_error(url: str, kind: str) -> errors.ContentEmpty:
    message = f"No content extracted from {mask_secrets(url)}. Documents of this kind ({kind}) cannot be read yet."
    return errors.ContentEmpty(message, detail=kind)


def build_bad_response_error(
    url: str, cause: str, *, reason: errors.FailureReason | None
) -> errors.UpstreamUnavailable:
    message = f"The server of {mask_secrets(url)} sent no usable response: {cause}"
    return errors.UpstreamUnavailable(
        message, detail=cause.rstrip("."), action="inform_user", reason=reason
    )


def build_page_wall_error(url: str, wall: PageWall) -> errors.CitewellError:
    """The error for a page that is shown instead of the content."""
    by = wall.detected_by
    if wall.kind is WallKind.CONSENT:
        message = f"Blocked: {mask_secrets(url)} shows a consent page instead of its content. {_ALTERNATIVE_SOURCE_ADVICE}"
        return errors.Blocked(message, detail=by)
    if wall.kind is WallKind.PAYWALL:
        message = f"Auth required: {mask_secrets(url)} is behind a subscription wall."
        return errors.AuthRequired(message, detail=by, action="inform_user")
    builders: dict[WallKind, Callable[[str, str], errors.CitewellError]] = {
        WallKind.BOT: build_wall_error,
        WallKind.LOGIN: build_login_error,
        WallKind.MISSING: build_soft_404_error,
        WallKind.SHELL: build_empty_error,
    }
    return builders[wall.kind](url, by)


def build_status_error(
    url: str, status: int, *, delay: float | None = None
) -> errors.CitewellError:
    """The error for an HTTP status; `delay` is how long a server that limits the rate asks to wait."""
    page, detail = mask_secrets(url), f"HTTP {status}"
    if status in {401, 402, 407}:
        return build_login_error(url, detail)
    if status == 403:
        return build_wall_error(url, detail)
    if status == 451:
        message = (
            f"Unavailable for legal reasons: {page} returned HTTP 451. {_ALTERNATIVE_SOURCE_ADVICE}"
        )
        return errors.Blocked(message, detail=detail, http_status=status)
    if status == 429:
        seconds = round(delay or errors.RateLimited.default_delay or 60)
        message = f"Rate limited on {page}. {_describe_delay(seconds)}"
        return errors.RateLimited(message, retry_after=seconds, detail=detail, http_status=status)
    if 400 <= status < 500:
        message = f"The server of {page} refused the request with HTTP {status}."
        return errors.RejectedRequest(message, detail=detail, http_status=status)
    message = f"The server of {page} responded with HTTP {status}. Try again later."
    return errors.UpstreamUnavailable(
        message, detail=detail, action="inform_user", http_status=status
    )


def build_size_error(url: str, limit: int) -> errors.TooLarge:
    message = f"No content extracted from {mask_secrets(url)}. It is larger than {limit} bytes (MAX_HTML_BYTES)."
    return errors.TooLarge(message, detail=f"over {limit} bytes")


# When tiers fail in different ways, the error that says most about the page is raised.
_ERRORS_BY_PRECEDENCE: tuple[type[errors.CitewellError], ...] = (
    errors.InvalidInput,
    errors.NotFound,
    errors.AuthRequired,
    errors.RateLimited,
    errors.Blocked,
    errors.UpstreamUnavailable,
    errors.RejectedRequest,
    errors.TooLarge,
    errors.BrowserUnavailable,
    errors.ContentEmpty,
    errors.NetworkFailed,
)


def merge_tier_errors(outcomes: list[tuple[str, errors.CitewellError]]) -> errors.CitewellError:
    """The most specific of several tiers' errors, with the outcome of every tier in its message."""
    worst = min(
        (error for _, error in reversed(outcomes)),
        key=lambda error: next(
            (place for place, kind in enumerate(_ERRORS_BY_PRECEDENCE) if isinstance(error, kind)),
            len(_ERRORS_BY_PRECEDENCE),
        ),
    )
    tiers = ", ".join(f"{name}: {error.detail or error.message}" for name, error in outcomes)
    return type(worst)(
        f"{worst.message} ({tiers})",
        retry_after=worst.retry_after,
        action=worst.suggested_action,
        detail=tiers,
        reason=worst.reason,
        http_status=worst.http_status,
    )
