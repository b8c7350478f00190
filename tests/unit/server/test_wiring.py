"""The builders of services: everything a tool or a command asks for can be built, once, and is closed."""

from __future__ import annotations

import ast
import asyncio
import importlib
import inspect
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, cast, get_type_hints

import pytest

import citewell
from citewell.config import Settings
from citewell.errors import InternalError
from citewell.server.app import App
from citewell.server.wiring import service_registry
from citewell.server.wiring.service_kit import ServiceKit
from citewell.server.wiring.service_registry import (
    AREA_NAMES,
    ServiceRegistry,
    load_area_wiring,
)
from citewell.services.links.link_checks import LinkChecker
from citewell.services.reading.cached_pages import CachedPageReader
from citewell.services.reading.page_reader import PageReader
from citewell.services.research.research_service import ResearchService
from citewell.services.trust.retraction_checks import RetractionChecker

SOURCE = Path(citewell.__file__).parent


def iterate_required_services() -> Iterator[tuple[str, str]]:
    """Every `require_service(Class)` of the tree, as the file's name and the class's path."""
    for path in sorted(SOURCE.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if "require_service" not in text:
            continue
        tree = ast.parse(text)
        origins = {
            alias.asname or alias.name: f"{node.module}:{alias.name}"
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
        }
        for node in ast.walk(tree):
            match node:
                case ast.Call(
                    func=ast.Attribute(attr="require_service"), args=[ast.Name(id=name)]
                ) if name in origins:
                    yield path.relative_to(SOURCE).as_posix(), origins[name]


REQUIRED = sorted({path for _, path in iterate_required_services()})
BUILT = sorted(path for area in AREA_NAMES for path in load_area_wiring(area).BUILDERS)


def load_class(path: str) -> type[object]:
    module, _, name = path.partition(":")
    return cast("type[object]", getattr(importlib.import_module(module), name))


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(data_dir=tmp_path, cache_enabled=False, audit_enabled=False)


def with_app(settings: Settings, act: Callable[[App], Any]) -> Any:
    """What `act` gives for an app, which is closed afterwards."""

    async def scenario() -> Any:
        app = App(settings)
        try:
            return act(app)
        finally:
            await app.aclose()

    return asyncio.run(scenario())


def test_every_tool_that_uses_a_service_is_seen() -> None:
    tools = {name for name, _ in iterate_required_services() if name.startswith("tools/")}
    using = {
        f"tools/{path.name}"
        for path in (SOURCE / "tools").glob("*.py")
        if "require_service" in path.read_text(encoding="utf-8")
    }

    assert tools == using
    assert len(tools) > 20


@pytest.mark.parametrize("path", REQUIRED)
def test_every_service_that_is_asked_for_is_built_once(path: str, settings: Settings) -> None:
    kind = load_class(path)

    first, second = with_app(
        settings, lambda app: (app.require_service(kind), app.require_service(kind))
    )

    assert type(first) is kind
    assert first is second


def test_every_builder_is_asked_for_and_stands_in_the_wiring_of_its_folder() -> None:
    strays = [
        path
        for area in AREA_NAMES
        for path in load_area_wiring(area).BUILDERS
        if not path.startswith(f"citewell.services.{area}.")
    ]

    assert strays == []
    assert set(BUILT) == set(REQUIRED)


@pytest.mark.parametrize("area", AREA_NAMES)
def test_a_builder_promises_the_class_it_is_listed_for(area: str) -> None:
    for path, build in load_area_wiring(area).BUILDERS.items():
        kind = load_class(path)

        promised = get_type_hints(build, localns={kind.__name__: kind})["return"]

        assert promised is kind


def test_every_wiring_module_of_an_area_is_listed() -> None:
    folder = Path(inspect.getfile(service_registry)).parent
    defining = {
        ".".join(path.relative_to(folder).with_suffix("").parts).removesuffix("_wiring")
        for path in folder.rglob("*_wiring.py")
        if "BUILDERS: ServiceBuilders" in path.read_text(encoding="utf-8")
    }

    assert defining == set(AREA_NAMES)


def test_a_class_without_a_builder_is_refused_by_its_full_name(settings: Settings) -> None:
    impostor = type("LinkChecker", (), {"__module__": "somewhere.else"})
    heir = type("LinkChecker", (LinkChecker,), {"__module__": "citewell.services.links.other"})

    kinds: tuple[tuple[type[Any], str], ...] = (
        (PageReader, "citewell.services.reading.page_reader:PageReader"),
        (impostor, "somewhere.else:LinkChecker"),
        (heir, "citewell.services.links.other:LinkChecker"),
    )
    for kind, name in kinds:
        with pytest.raises(InternalError, match=f"No builder for the service {name} in"):
            with_app(settings, partial(App.require_service, kind=kind))


class _Closing:
    closed: list[type[object]]

    async def aclose(self) -> None:
        self.closed.append(type(self))


class First(_Closing):
    pass


class Second(_Closing):
    pass


class Unclosable:
    pass


def build_registry(monkeypatch: pytest.MonkeyPatch, **builders: Callable[[Any], object]) -> Any:
    """A registry in which the classes of this file have these builders."""
    monkeypatch.setattr(service_registry, "_find_builder", lambda kind: builders[kind.__name__])
    return ServiceRegistry(cast("ServiceKit", None))


def test_a_service_is_closed_before_those_it_was_built_from(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _Closing.closed = []

    def build_second(_: object) -> Second:
        registry.require_service(First)
        registry.require_service(Unclosable)
        return Second()

    registry = build_registry(
        monkeypatch,
        First=lambda _: First(),
        Second=build_second,
        Unclosable=lambda _: Unclosable(),
    )
    registry.require_service(Second)

    asyncio.run(registry.aclose())
    asyncio.run(registry.aclose())

    assert _Closing.closed == [Second, First]


def test_a_builder_that_makes_something_else_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    registry = build_registry(monkeypatch, First=lambda _: Second())

    with pytest.raises(InternalError, match="First made a Second"):
        registry.require_service(First)


def test_research_is_stopped_before_the_page_reader_that_it_uses(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed: list[str] = []
    for kind in (ResearchService, CachedPageReader):
        original = kind.aclose

        async def aclose(self: Any, original: Any = original) -> None:
            closed.append(type(self).__name__)
            await original(self)

        monkeypatch.setattr(kind, "aclose", aclose)

    with_app(settings, lambda app: app.require_service(ResearchService))

    assert closed == ["ResearchService", "CachedPageReader"]


def test_all_services_together_are_built_and_closed(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed: list[str] = []
    closable = {path for path in BUILT if hasattr(load_class(path), "aclose")}
    for path in closable:
        kind: Any = load_class(path)

        async def aclose(self: Any, path: str = path, original: Any = kind.aclose) -> None:
            closed.append(path)
            await original(self)

        monkeypatch.setattr(kind, "aclose", aclose)

    with_app(settings, lambda app: [app.require_service(load_class(path)) for path in BUILT])

    assert sorted(closed) == sorted(closable)


def test_asking_for_one_service_does_not_build_unrelated_ones(settings: Settings) -> None:
    built = with_app(
        settings,
        lambda app: (app.require_service(RetractionChecker), [*app._services._services])[1],
    )

    assert built == [RetractionChecker]
