"""Lenses: named lists of authoritative hosts, from the package and from the user's own directory."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from citewell.core.errors import InvalidInput
from citewell.text import addresses

_LENS_NAME_PATTERN = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
_MAX_LENS_BYTES = 256 * 1024
_LENSES_SETTING = "CUSTOM_LENSES_PATH"


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchLens:
    name: str
    description: str = ""
    domains: tuple[str, ...] = ()
    google_engine_id: str | None = None  # the id of a Google Programmable Search engine
    goggle: str | None = None  # a Brave goggle
    category: str = "general"

    @property
    def required_provider(self) -> str | None:
        """The only provider that can apply this lens; None if any can."""
        if self.google_engine_id:
            return "google"
        return "brave" if self.goggle and not self.domains else None


class LensCatalogue:
    """All lenses by name, loaded on first use; unreadable files are listed in `warnings`."""

    def __init__(self, custom: Path | None = None) -> None:
        self._custom = custom
        self._read: dict[str, SearchLens] | None = None
        self._warnings: list[str] = []

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is wrong with the user's own lens files, one sentence for each."""
        self._load_lenses()
        return tuple(self._warnings)

    def list_lens_names(self) -> tuple[str, ...]:
        return tuple(sorted(self._load_lenses()))

    def list_lenses(self) -> tuple[SearchLens, ...]:
        return tuple(self._load_lenses()[name] for name in self.list_lens_names())

    def resolve_lens(self, name: str) -> SearchLens:
        """The lens of this name; raises InvalidInput with the available names and unreadable files."""
        found = self._load_lenses().get(name.strip().lower())
        if found is None:
            broken = f" {' '.join(self._warnings)}" if self._warnings else ""
            raise InvalidInput(
                f"There is no lens {name!r}. Available: {', '.join(self.list_lens_names())}.{broken}"
            )
        return found

    def _load_lenses(self) -> dict[str, SearchLens]:
        if self._read is None:
            bundled = resources.files("citewell.search") / "lenses"
            lenses = {lens.name: lens for lens in map(_read_lens_file, _list_lens_files(bundled))}
            lenses |= {lens.name: lens for lens in self._load_custom_lenses()}
            self._read = lenses
        return self._read

    def _load_custom_lenses(self) -> Iterator[SearchLens]:
        if self._custom is None:
            return
        if not self._custom.is_dir():
            self._warnings.append(
                f"{_LENSES_SETTING} names {self._custom}, which is not a directory."
            )
            return
        for file in _list_lens_files(self._custom):
            try:
                yield _read_lens_file(file)
            except (OSError, ValueError) as error:
                self._warnings.append(f"{_LENSES_SETTING}: {file.name} was left out: {error}.")


def _list_lens_files(directory: Traversable) -> list[Traversable]:
    found = [file for file in directory.iterdir() if file.name.endswith(".json")]
    return sorted(found, key=lambda file: file.name)


def _read_lens_file(file: Traversable) -> SearchLens:
    """The lens in one file; raises ValueError with what is wrong with it."""
    data = file.read_bytes()
    if len(data) > _MAX_LENS_BYTES:
        raise ValueError(f"it is larger than {_MAX_LENS_BYTES} bytes")
    try:
        body = json.loads(data)
    except ValueError as error:  # bad JSON and bad UTF-8 alike
        raise ValueError(f"it is not JSON ({error})") from None
    if not isinstance(body, dict):
        raise ValueError("it is not a JSON object")  # noqa: TRY004 - one error for one bad file
    return _parse_lens(body, fallback_name=file.name.removesuffix(".json"))


def _parse_lens(body: dict[str, Any], *, fallback_name: str) -> SearchLens:
    name = _read_lens_text(body, "name") or fallback_name
    if not _LENS_NAME_PATTERN.fullmatch(name):
        raise ValueError(f"name {name!r} must be lower-case letters, digits, - and _")
    lens = SearchLens(
        name=name,
        description=_read_lens_text(body, "description") or "",
        domains=_parse_lens_domains(body.get("domains") or []),
        google_engine_id=_read_lens_text(body, "cx"),
        goggle=_read_lens_text(body, "goggle"),
        category=_read_lens_text(body, "category") or "general",
    )
    if not (lens.domains or lens.google_engine_id or lens.goggle):
        raise ValueError("it has neither domains, cx nor goggle")
    return lens


def _read_lens_text(body: dict[str, Any], field: str) -> str | None:
    value = body.get(field)
    if value is not None and not isinstance(value, str):
        raise ValueError(f"{field} is not text")
    return value or None


def _parse_lens_domains(given: object) -> tuple[str, ...]:
    if not isinstance(given, list):
        raise ValueError("domains is not a list")  # noqa: TRY004 - one error for one bad file
    found: dict[str, None] = {}
    for item in given:
        name = addresses.parse_domain(item) if isinstance(item, str) else None
        if name is None:
            raise ValueError(f"{item!r} in domains is not a domain")
        found[name] = None
    return tuple(found)
