"""Services are built once, and closed before those they were built from."""

from __future__ import annotations

import asyncio
from typing import Self

import pytest

from citewell.core.config import Settings
from citewell.core.errors import InternalError
from citewell.core.service_kit import ServiceKit
from citewell.server.app import App

CLOSED: list[str] = []


class Lower:
    @classmethod
    def build(cls, _kit: ServiceKit) -> Self:
        return cls()

    async def aclose(self) -> None:
        CLOSED.append("lower")


class Upper:
    def __init__(self, lower: Lower) -> None:
        self.lower = lower

    @classmethod
    def build(cls, kit: ServiceKit) -> Self:
        return cls(kit.require_service(Lower))

    async def aclose(self) -> None:
        CLOSED.append("upper")


def test_a_service_is_built_once_and_closed_before_what_it_uses() -> None:
    CLOSED.clear()
    app = App(Settings(cache_enabled=False, audit_enabled=False))

    upper = app.require_service(Upper)
    assert app.require_service(Upper) is upper
    assert app.require_service(Lower) is upper.lower

    asyncio.run(app.close_services())
    assert CLOSED == ["upper", "lower"]


def test_a_class_that_cannot_be_built_is_no_service() -> None:
    app = App(Settings(cache_enabled=False, audit_enabled=False))

    with pytest.raises(InternalError, match="is not a service"):
        app.require_service(dict)
