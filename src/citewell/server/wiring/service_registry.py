"""Finds, builds, keeps and closes the services of one server."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Protocol, TypeVar

from citewell.errors import InternalError
from citewell.server.wiring.service_kit import ServiceBuilders, ServiceKit

S = TypeVar("S")

# The folders of `services` that hold services: `links` is built by `links_wiring`, and so on;
# `domains.patents` by `domains.patents_wiring`.
AREA_NAMES = (
    "audit_log",
    "citing",
    "connector",
    "domains.answers",
    "domains.brands",
    "domains.filings",
    "domains.images",
    "domains.law",
    "domains.news",
    "domains.patents",
    "domains.places",
    "domains.routing",
    "domains.series",
    "domains.structured",
    "domains.trials",
    "drafts",
    "encoding",
    "judging",
    "library",
    "links",
    "people",
    "reading",
    "recommendation",
    "research",
    "routing",
    "scholar",
    "sessions",
    "subjects",
    "trust",
    "watching",
    "web",
)
_SERVICES_PACKAGE = "citewell.services."


class AreaWiring(Protocol):
    """What every wiring module of an area defines."""

    BUILDERS: ServiceBuilders


def load_area_wiring(area: str) -> AreaWiring:
    """The wiring module of one of AREA_NAMES; imported only when one of its services is needed."""
    module: AreaWiring = import_module(f"citewell.server.wiring.{area}_wiring")
    return module


class ServiceRegistry:
    """The single instance of each service class, built on first use and closed last built first."""

    def __init__(self, kit: ServiceKit) -> None:
        self._kit = kit
        self._services: dict[type[object], object] = {}

    def require_service(self, kind: type[S]) -> S:
        """The service of exactly this class; raises InternalError if nothing builds it."""
        if kind not in self._services:
            # Built before it is listed, so that the services it uses stand before it.
            self._services[kind] = _find_builder(kind)(self._kit)
        service = self._services[kind]
        if not isinstance(service, kind):
            raise InternalError(
                f"The builder of {_build_class_path(kind)} made a {type(service).__name__}."
            )
        return service

    async def aclose(self) -> None:
        """Close the services, each before the ones it was built from."""
        while self._services:
            _, service = self._services.popitem()
            if close := getattr(service, "aclose", None):
                await close()


def _build_class_path(kind: type[object]) -> str:
    return f"{kind.__module__}:{kind.__qualname__}"


def _find_builder(kind: type[object]) -> Callable[[ServiceKit], object]:
    path = _build_class_path(kind)
    area = _find_service_area(kind)
    builders = load_area_wiring(area).BUILDERS if area else {}
    if path not in builders:
        raise InternalError(f"No builder for the service {path} in citewell.server.wiring.")
    return builders[path]


def _find_service_area(kind: type[object]) -> str | None:
    """The folder of `services` that holds the class, if it is one of AREA_NAMES."""
    place = kind.__module__.removeprefix(_SERVICES_PACKAGE)
    return next((area for area in AREA_NAMES if place.startswith(f"{area}.")), None)
