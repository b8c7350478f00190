"""Services build themselves: everything a tool or a command asks for can be built, once, and is closed."""

from __future__ import annotations

import ast
import asyncio
import importlib
from collections.abc import Callable, Iterator
from operator import methodcaller
from pathlib import Path
from typing import Any, Self, cast

import pytest

import citewell
from citewell.core.config import Settings
from citewell.core.errors import InternalError
from citewell.core.service_kit import ServiceKit
from citewell.reading.pages.cached_pages import CachedPageReader
from citewell.reading.pages.page_reader import PageReader
from citewell.research.research_service import ResearchService
from citewell.server.app import App
from citewell.trust.retraction_checks import RetractionChecker

SOURCE = Path(citewell.__file__).parent


def iterate_required_services() -> Iterator[tuple[str, str]]:
    """Every `require_service(Class)` of the tree, as the file's name and the class's path."""
    for path in sorted(SOURCE.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if "require_service" not in text:
            continue
        tree = ast.parse(text)
        module = ".".join(("citewell", *path.relative_to(SOURCE).with_suffix("").parts))
        own = [node.name for node in tree.body if isinstance(node, ast.ClassDef)]
        origins = {name: f"{module}:{name}" for name in own} | {
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


def iterate_service_classes() -> Iterator[str]:
    """The path of every class with a method `build(cls, kit)`."""
    for path in sorted(SOURCE.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if "def build(cls, kit: ServiceKit)" not in text:
            continue
        module = ".".join(("citewell", *path.relative_to(SOURCE).with_suffix("").parts))
        for node in ast.parse(text).body:
            if isinstance(node, ast.ClassDef) and any(
                isinstance(method, ast.FunctionDef) and method.name == "build"
                for method in node.body
            ):
                yield f"{module}:{node.name}"


REQUIRED = sorted({path for _, path in iterate_required_services()})


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
    tools = {name for name, _ in iterate_required_services() if "/tools/" in name}
    using = {
        path.relative_to(SOURCE).as_posix()
        for path in SOURCE.glob("*/tools/*.py")
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


def test_every_service_is_asked_for() -> None:
    assert set(iterate_service_classes()) == set(REQUIRED)


def test_a_class_that_is_no_service_is_refused_by_its_full_name(settings: Settings) -> None:
    impostor = type("LinkChecker", (), {"__module__": "somewhere.else"})

    kinds: tuple[tuple[type[Any], str], ...] = (
        (PageReader, "citewell.reading.pages.page_reader:PageReader"),
        (impostor, "somewhere.else:LinkChecker"),
    )
    for kind, name in kinds:
        with pytest.raises(InternalError, match=f"The class {name} is not a service"):
            with_app(settings, methodcaller("require_service", kind))


class _Closing:
    closed: list[type[object]]

    @classmethod
    def build(cls, _kit: ServiceKit) -> Self:
        return cls()

    async def aclose(self) -> None:
        self.closed.append(type(self))


class First(_Closing):
    pass


class Unclosable:
    @classmethod
    def build(cls, _kit: ServiceKit) -> Self:
        return cls()


class Second(_Closing):
    @classmethod
    def build(cls, kit: ServiceKit) -> Self:
        kit.require_service(First)
        kit.require_service(Unclosable)
        return cls()


class Mistaken:
    @classmethod
    def build(cls, _kit: ServiceKit) -> Unclosable:
        return Unclosable()


def test_a_service_is_closed_before_those_it_was_built_from(settings: Settings) -> None:
    _Closing.closed = []

    with_app(settings, lambda app: app.require_service(Second))

    assert _Closing.closed == [Second, First]


def test_a_class_that_builds_something_else_is_refused(settings: Settings) -> None:
    with pytest.raises(InternalError, match=r"Mistaken\.build made a Unclosable"):
        with_app(settings, lambda app: app.require_service(Mistaken))


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

    def build_in_order_of_use(app: App) -> None:
        app.require_service(ResearchService)
        app.require_page_reader()  # the first page is read long after

    with_app(settings, build_in_order_of_use)

    assert closed == ["ResearchService", "CachedPageReader"]


def test_all_services_together_are_built_and_closed(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed: list[str] = []
    closable = {path for path in REQUIRED if hasattr(load_class(path), "aclose")}
    for path in closable:
        kind: Any = load_class(path)

        async def aclose(self: Any, path: str = path, original: Any = kind.aclose) -> None:
            closed.append(path)
            await original(self)

        monkeypatch.setattr(kind, "aclose", aclose)

    with_app(settings, lambda app: [app.require_service(load_class(path)) for path in REQUIRED])

    assert sorted(closed) == sorted(closable)


def test_asking_for_one_service_does_not_build_unrelated_ones(settings: Settings) -> None:
    built = with_app(
        settings,
        lambda app: (app.require_service(RetractionChecker), [*app._services])[1],
    )

    assert built == [RetractionChecker]
