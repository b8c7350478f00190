"""One file or package per upstream. `NAMES` lists them all; `load` imports one by its name."""

from __future__ import annotations

import json
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping

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


def load_spec(name: str) -> ProviderSpec:
    """The provider's SPEC, without importing the provider if `specs.json` has it."""
    from citewell.routing.ports import decode_spec

    data = _read_specs().get(name)
    return decode_spec(data) if data else load(name).SPEC


@cache
def _read_specs() -> Mapping[str, Mapping[str, object]]:
    """The specs that `citewell reference` wrote, by the provider's name."""
    specs: dict[str, dict[str, object]] = json.loads(
        (Path(__file__).parent / "specs.json").read_bytes()
    )
    return specs
