"""One file or package per upstream. `NAMES` lists them all; `load` imports one by its name."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from citewell.routing.ports import ProviderKit, ProviderSpec

API = ("doi",)  # a type that scholar names
NAMES = tuple(module.name for module in iter_modules(__path__) if module.name != "dialects")


class ProviderModule(Protocol):
    """What every provider module defines."""

    SPEC: ProviderSpec

    def Provider(self, kit: ProviderKit) -> object: ...  # noqa: N802 - the class each file defines


def load(name: str) -> ProviderModule:
    module: ProviderModule = import_module(f"{__name__}.{name}")
    return module
