"""Lenses: named sets of authoritative hosts, from the package and from the user's own directory."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from citewell.errors import InvalidInput
from citewell.text import urls

_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
_MOST_BYTES = 256 * 1024
_SETTING = "CUSTOM_LENSES_PATH"


@dataclass(frozen=True, slots=True, kw_only=True)
class Lens:
    name: str
    description: str = ""
    domains: tuple[str, ...] = ()
    cx: str | None = None  # a Google engine of its own
    goggle: str | None = None  # a Brave goggle
    category: str = "general"

    @property
    def bound_to(self) -> str | None:
        """The one provider that can serve this lens; None when any can."""
        if self.cx:
            return "google"
        return "brave" if self.goggle and not self.domains else None


class Lenses:
    """Every lens by name, read on first use; what could not be read is in `warnings`."""

    def __init__(self, custom: Path | None = None) -> None:
        self._custom = custom
        self._read: dict[str, Lens] | None = None
        self._warnings: list[str] = []

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is wrong with the user's own files, naming each."""
        self._all()
        return tuple(self._warnings)

    def names(self) -> tuple[str, ...]:
        return tuple(sorted(self._all()))

    def all(self) -> tuple[Lens, ...]:
        return tuple(self._all()[name] for name in self.names())

    def get(self, name: str) -> Lens:
        """The lens asked for; the error lists those there are, and any file that failed."""
        found = self._all().get(name.strip().lower())
        if found is None:
            broken = f" {' '.join(self._warnings)}" if self._warnings else ""
            raise InvalidInput(
                f"There is no lens {name!r}. Available: {', '.join(self.names())}.{broken}"
            )
        return found

    def _all(self) -> dict[str, Lens]:
        if self._read is None:
            bundled = resources.files("citewell.services.web") / "lenses"
            lenses = {lens.name: lens for lens in map(_parsed, _files(bundled))}
            lenses |= {lens.name: lens for lens in self._own()}
            self._read = lenses
        return self._read

    def _own(self) -> Iterator[Lens]:
        if self._custom is None:
            return
        if not self._custom.is_dir():
            self._warnings.append(f"{_SETTING} names {self._custom}, which is not a directory.")
            return
        for file in _files(self._custom):
            try:
                yield _parsed(file)
            except (OSError, ValueError) as error:
                self._warnings.append(f"{_SETTING}: {file.name} was left out: {error}.")


def _files(directory: Traversable) -> list[Traversable]:
    found = [file for file in directory.iterdir() if file.name.endswith(".json")]
    return sorted(found, key=lambda file: file.name)


def _parsed(file: Traversable) -> Lens:
    """One lens file; ValueError says what is wrong with it."""
    data = file.read_bytes()
    if len(data) > _MOST_BYTES:
        raise ValueError(f"it is larger than {_MOST_BYTES} bytes")
    try:
        body = json.loads(data)
    except ValueError as error:  # bad JSON and bad UTF-8 alike
        raise ValueError(f"it is not JSON ({error})") from None
    if not isinstance(body, dict):
        raise ValueError("it is not a JSON object")  # noqa: TRY004 - one error for one bad file
    return _lens(body, fallback_name=file.name.removesuffix(".json"))


def _lens(body: dict[str, Any], *, fallback_name: str) -> Lens:
    name = _text(body, "name") or fallback_name
    if not _NAME.fullmatch(name):
        raise ValueError(f"name {name!r} must be lower-case letters, digits, - and _")
    lens = Lens(
        name=name,
        description=_text(body, "description") or "",
        domains=_domains(body.get("domains") or []),
        cx=_text(body, "cx"),
        goggle=_text(body, "goggle"),
        category=_text(body, "category") or "general",
    )
    if not (lens.domains or lens.cx or lens.goggle):
        raise ValueError("it has neither domains, cx nor goggle")
    return lens


def _text(body: dict[str, Any], field: str) -> str | None:
    value = body.get(field)
    if value is not None and not isinstance(value, str):
        raise ValueError(f"{field} is not text")
    return value or None


def _domains(given: object) -> tuple[str, ...]:
    if not isinstance(given, list):
        raise ValueError("domains is not a list")  # noqa: TRY004 - one error for one bad file
    found: dict[str, None] = {}
    for item in given:
        name = urls.domain(item) if isinstance(item, str) else None
        if name is None:
            raise ValueError(f"{item!r} in domains is not a domain")
        found[name] = None
    return tuple(found)
