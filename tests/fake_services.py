"""Services for a tool call under test."""

from __future__ import annotations

from typing import Any, TypeVar

from citewell.core.tooling import RequireService

S = TypeVar("S")


def refuse_services(kind: type[S], /) -> S:
    """For calls that must not use any service."""
    raise AssertionError(f"{kind.__name__} was asked for")


def offer_service(offered: type[object], service: object) -> RequireService:
    """Gives `service` to whoever asks for the class `offered`, and fails for every other class."""

    def require_service(kind: type[S], /) -> S:
        if kind is not offered:
            raise AssertionError(f"{kind.__name__} was asked for, not {offered.__name__}")
        return service  # type: ignore[return-value]  # a double need not be a subclass

    return require_service


def use_fake(fake: object) -> Any:
    """The fake for a parameter that names the class of a service: a double need not be a subclass."""
    return fake
