"""One module a provider API: `PREFIX` (a path) and `routes(world)`, its routes below that path."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pkgutil import iter_modules
from typing import Protocol

from starlette.routing import BaseRoute

from tests.internet.world import World


class Api(Protocol):
    PREFIX: str

    def routes(self, world: World) -> Sequence[BaseRoute]: ...


def discover() -> dict[str, Api]:
    """Every API by its module's name, which is the provider's."""
    names = sorted(module.name for module in iter_modules(__path__))
    return {name: import_module(f"{__name__}.{name}") for name in names}
