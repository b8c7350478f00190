"""Provider errors as callers see them: one provider's with its name, or one for all that failed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from citewell.core.errors import (
    AuthRequired,
    Blocked,
    CitewellError,
    FailureReason,
    OutOfCredit,
    RateLimited,
    UpstreamUnavailable,
)
from citewell.core.values.counted_words import pluralize
from citewell.routing.ports import ProviderSpec

_SETUP_ERROR_KINDS = frozenset({"auth_required", "config"})


def name_provider_error(error: CitewellError, spec: ProviderSpec) -> CitewellError:
    """A copy of the error with its provider's name and, if that may help, the setting to check.

    A refusal by a provider that takes no key is Blocked: there is no key to check.
    """
    if error.reason is FailureReason.OFFLINE:
        return error  # no provider is to blame
    has_key = any(option.secret for option in spec.options) or bool(error.settings)
    if isinstance(error, AuthRequired) and error.http_status and not has_key:
        error = _describe_keyless_refusal(error)
    message = error.message.strip()
    if not re.search(rf"\b{re.escape(spec.title)}\b", message):
        message = f"{spec.title}: {message}"
    remedy = _suggest_setting(error, spec)
    named = error.copy_with_message(f"{_end_sentence(message)} {remedy}" if remedy else message)
    named.provider = error.provider or spec.name
    return named


def merge_failures(
    failures: Mapping[str, CitewellError], *, alternatives: Iterable[str] = ()
) -> CitewellError:
    """One error for several failures: a sentence for each provider, and the kind they have in common."""
    others = tuple(alternatives)
    offline = [error for error in failures.values() if error.reason is FailureReason.OFFLINE]
    if len(offline) == len(failures) > 0:
        return offline[0]
    if len(failures) == 1:
        [(name, error)] = failures.items()
        return complete_provider_error(error, provider=name, alternatives=others)
    kind = _choose_common_kind(failures.values())
    reasons = (_end_sentence(error.message) for error in failures.values())
    adviser, wait = _choose_adviser(failures, kind)
    reasons_given = {error.reason for error in failures.values()}
    merged = kind(
        " ".join(["No search provider could answer.", *reasons]),
        provider=failures[adviser].provider or adviser,
        retry_after=wait,
        alternatives=others,
        extra=_merge_error_extras(failures, wait),
        reason=reasons_given.pop() if len(reasons_given) == 1 else None,
    )
    return drop_provider_advice(merged)


def complete_provider_error(
    error: CitewellError, *, provider: str, alternatives: Iterable[str]
) -> CitewellError:
    """A provider's error with its name, how long to wait, and alternative providers."""
    name, message = error.provider or provider, error.message
    others = error.alternatives or tuple(alternatives)
    if isinstance(error, RateLimited) and error.shown_delay is not None:
        wait = f"Wait {max(1, round(error.shown_delay))} {pluralize(max(1, round(error.shown_delay)), 'second')} and retry"
        switch = ", or try a different provider" if others else ""
        message = f"Rate limited ({name}). {wait}{switch}. {message}"
    whole = error.copy_with_message(message)
    whole.provider = name
    whole.alternatives = others
    return drop_provider_advice(whole)


def _suggest_setting(error: CitewellError, spec: ProviderSpec) -> str:
    """The setting to check; empty if the message names it already or the provider takes no key."""
    keys = [option.env for option in spec.options if option.secret]
    if not keys or any(key in error.settings for key in keys):
        return ""
    if isinstance(error, AuthRequired):
        return f"Check {' and '.join(keys)} (see .env.example; {spec.homepage})."
    if isinstance(error, OutOfCredit):
        return f"See the account of {' and '.join(keys)} at {spec.homepage}."
    return ""


def _describe_keyless_refusal(error: CitewellError) -> CitewellError:
    return Blocked(
        "It refuses requests from this network, and takes no key. Try again later or from elsewhere.",
        provider=error.provider,
        detail=error.detail,
        http_status=error.http_status,
        reason=error.reason,
    )


def _choose_common_kind(errors: Iterable[CitewellError]) -> type[CitewellError]:
    given = list(errors)
    kinds = {error.kind for error in given}
    if kinds <= _SETUP_ERROR_KINDS:
        return type(given[0])
    if any(isinstance(error, RateLimited) for error in given):
        return RateLimited
    return (
        type(given[0])
        if len(kinds) == 1 and len(set(map(type, given))) == 1
        else UpstreamUnavailable
    )


def _choose_adviser(
    failures: Mapping[str, CitewellError], kind: type[CitewellError]
) -> tuple[str, float | None]:
    """The provider whose advice the merged error gives, and how long to wait for it.

    It is the one with the shortest known wait, else the first whose error is of the merged kind.
    Waits of network failures are guesses and do not count.
    """
    waits = {
        name: error.shown_delay
        for name, error in failures.items()
        if isinstance(error, (kind, UpstreamUnavailable)) and error.shown_delay is not None
    }
    if waits:
        soonest = min(waits, key=waits.__getitem__)
        return soonest, waits[soonest]
    alike = (name for name, error in failures.items() if isinstance(error, kind))
    return next(alike, next(iter(failures))), None


def drop_provider_advice(error: CitewellError) -> CitewellError:
    """The error, which does not suggest another provider if it names none."""
    if error.suggested_action == "try_different_provider" and not error.alternatives:
        wait = "retry" if error.retry_after is None else "retry_after_delay"
        error.suggested_action = wait if error.retryable else "inform_user"
    return error


def _end_sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else f"{text}."


def _merge_error_extras(
    failures: Mapping[str, CitewellError], wait: float | None
) -> dict[str, object]:
    extra: dict[str, object] = {}
    for error in failures.values():
        extra = error.extra | extra
    if wait is not None and "retry_after" in extra:
        extra["retry_after"] = max(1, round(wait))  # one provider's wait does not apply to all
    extra["failures"] = [{"provider": name, "kind": error.kind} for name, error in failures.items()]
    return extra
