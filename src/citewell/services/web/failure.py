"""What callers are told of failures: one provider's in its name, or one error for all of them."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterable, Mapping

from citewell.errors import (
    AuthRequired,
    CitewellError,
    OutOfCredit,
    RateLimited,
    Unavailable,
)
from citewell.ports import Spec

_SETUP = frozenset({"auth_required", "config"})


def told(error: CitewellError, spec: Spec) -> CitewellError:
    """The error with its provider's name, and with the setting to look at where that may help."""
    message = error.message.strip()
    if not re.search(rf"\b{re.escape(spec.title)}\b", message):
        message = f"{spec.title}: {message}"
    remedy = _remedy(error, spec)
    named = _saying(error, f"{_ended(message)} {remedy}" if remedy else message)
    named.provider = error.provider or spec.name
    return named


def verdict(
    failures: Mapping[str, CitewellError], *, alternatives: Iterable[str] = ()
) -> CitewellError:
    """The most useful error for the lot: one sentence for each provider, one kind for all."""
    others = tuple(alternatives)
    if len(failures) == 1:
        [(name, error)] = failures.items()
        return completed(error, provider=name, alternatives=others)
    kind = _kind(failures.values())
    reasons = (_ended(error.message) for error in failures.values())
    wait = _soonest(failures.values(), kind)
    return kind(
        " ".join(["No search provider could answer.", *reasons]),
        provider=next(iter(failures)),
        retry_after=wait,
        alternatives=others,
        extra=_extra(failures, wait),
    )


def completed(error: CitewellError, *, provider: str, alternatives: Iterable[str]) -> CitewellError:
    """A provider's own error, with its name, its wait and what else could be used."""
    name, message = error.provider or provider, error.message
    if isinstance(error, RateLimited) and error.retry_after is not None:
        wait = f"Wait {max(1, round(error.retry_after))} seconds and retry"
        message = f"Rate limited ({name}). {wait}, or try a different provider. {message}"
    whole = _saying(error, message)
    whole.provider = name
    whole.alternatives = error.alternatives or tuple(alternatives)
    return whole


def _saying(error: CitewellError, message: str) -> CitewellError:
    """The same error in other words; a copy, for whoever raised it may raise it again."""
    other = copy.copy(error)
    other.message, other.args = message, (message,)
    return other


def _remedy(error: CitewellError, spec: Spec) -> str:
    """Which setting to look at; nothing where the provider said so itself, or takes no key."""
    keys = [option.env for option in spec.options if option.secret]
    if not keys or any(key in error.message for key in keys):
        return ""
    if isinstance(error, AuthRequired):
        return f"Check {' and '.join(keys)} (see .env.example; {spec.home})."
    if isinstance(error, OutOfCredit):
        return f"See the account of {' and '.join(keys)} at {spec.home}."
    return ""


def _kind(errors: Iterable[CitewellError]) -> type[CitewellError]:
    given = list(errors)
    kinds = {error.kind for error in given}
    if kinds <= _SETUP:
        return type(given[0])
    if any(isinstance(error, RateLimited) for error in given):
        return RateLimited
    return type(given[0]) if len(kinds) == 1 and len(set(map(type, given))) == 1 else Unavailable


def _soonest(errors: Iterable[CitewellError], kind: type[CitewellError]) -> float | None:
    """The shortest wait that is known; a network failure's is a guess beside a rest."""
    waits = [
        error.retry_after
        for error in errors
        if isinstance(error, (kind, Unavailable)) and error.retry_after is not None
    ]
    return min(waits, default=None)


def _ended(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else f"{text}."


def _extra(failures: Mapping[str, CitewellError], wait: float | None) -> dict[str, object]:
    extra: dict[str, object] = {}
    for error in failures.values():
        extra = error.extra | extra
    if wait is not None and "retry_after" in extra:
        extra["retry_after"] = max(1, round(wait))  # one provider's own wait is not that of all
    extra["failures"] = [{"provider": name, "kind": error.kind} for name, error in failures.items()]
    return extra
