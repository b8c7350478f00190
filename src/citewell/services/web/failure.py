"""The one error a caller gets when every provider failed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from citewell.errors import CitewellError, RateLimited, Unavailable

_SETUP = frozenset({"auth_required", "config"})


def verdict(
    failures: Mapping[str, CitewellError], *, alternatives: Iterable[str] = ()
) -> CitewellError:
    """The most useful error for the lot: one sentence for each provider, one kind for all."""
    others = tuple(alternatives)
    if len(failures) == 1:
        [(name, error)] = failures.items()
        return completed(error, provider=name, alternatives=others)
    kind = _kind(failures.values())
    message = " ".join(
        ["No search provider could answer.", *(_line(*item) for item in failures.items())]
    )
    return kind(
        message,
        provider=next(iter(failures)),
        retry_after=_soonest(failures.values(), kind),
        alternatives=others,
        extra=_extra(failures),
    )


def completed(error: CitewellError, *, provider: str, alternatives: Iterable[str]) -> CitewellError:
    """A provider's own error, with its name and what else could be used."""
    error.provider = error.provider or provider
    error.alternatives = error.alternatives or tuple(alternatives)
    return error


def _kind(errors: Iterable[CitewellError]) -> type[CitewellError]:
    given = list(errors)
    kinds = {error.kind for error in given}
    if kinds <= _SETUP:
        return type(given[0])
    if any(isinstance(error, RateLimited) for error in given):
        return RateLimited
    return type(given[0]) if len(kinds) == 1 and len(set(map(type, given))) == 1 else Unavailable


def _soonest(errors: Iterable[CitewellError], kind: type[CitewellError]) -> float | None:
    waits = [
        error.retry_after
        for error in errors
        if isinstance(error, kind) and error.retry_after is not None
    ]
    return min(waits, default=None)


def _line(name: str, error: CitewellError) -> str:
    reason = error.message.strip()
    return f"{name}: {reason}" if reason.endswith((".", "!", "?")) else f"{name}: {reason}."


def _extra(failures: Mapping[str, CitewellError]) -> dict[str, object]:
    extra: dict[str, object] = {}
    for error in failures.values():
        extra = error.extra | extra
    extra["failures"] = [{"provider": name, "kind": error.kind} for name, error in failures.items()]
    return extra
