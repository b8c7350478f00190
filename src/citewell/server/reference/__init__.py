"""Everything that is derived from code: reference pages, `.env.example`, `server.json`, golden schemas, the manifest."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from citewell.errors import Misconfigured
from citewell.services.catalogue import Catalogue
from citewell.services.web.lenses import Lenses

BUDGET_DEFAULT = 4_000  # tokens of the default profile's tools
BUDGET_ALL = 12_000
GOLDEN = "tests/golden/tools"
PAGES = "docs/reference"


def tokens(wire: Mapping[str, Any]) -> int:
    """What a tool costs a client's context, four bytes to a token."""
    paid = {name: wire[name] for name in ("name", "description", "inputSchema")}
    return len(json.dumps(paid, ensure_ascii=False, separators=(",", ":")).encode()) // 4


def documents(
    catalogue: Catalogue, lenses: Lenses, entries: Sequence[Mapping[str, Any]], *, version: str
) -> dict[str, str]:
    """Each derived text by its path in the repository; the manifest is the baker's and not among them."""
    from citewell.server.reference import (
        environ,
        errors,
        listing,
        prompts,
        providers,
        settings,
        tools,
    )
    from citewell.server.reference import lenses as lens_page

    specs = tuple(catalogue.spec(name) for name in catalogue.names())
    pages = {
        f"{PAGES}/tools.md": tools.page(entries),
        f"{PAGES}/providers.md": providers.page(specs),
        f"{PAGES}/settings.md": settings.page(specs),
        f"{PAGES}/errors.md": errors.page(),
        f"{PAGES}/lenses.md": lens_page.page(lenses.all()),
        f"{PAGES}/prompts.md": prompts.page(),
        ".env.example": environ.text(specs),
        "server.json": listing.text(specs, version=version),
    }
    golden = {f"{GOLDEN}/{entry['name']}.json": _pretty(entry["wire"]) for entry in entries}
    return pages | golden


def differing(root: Path, wanted: Mapping[str, str]) -> tuple[str, ...]:
    """The paths whose files are missing, out of date, or left over from a tool that is gone."""
    changed = [path for path, text in wanted.items() if _read(root / path) != text]
    left_over = [
        f"{GOLDEN}/{file.name}"
        for file in sorted((root / GOLDEN).glob("*.json"))
        if f"{GOLDEN}/{file.name}" not in wanted
    ]
    return (*changed, *left_over)


def write(root: Path, wanted: Mapping[str, str]) -> tuple[str, ...]:
    """Write what differs; the paths written. A left-over golden file is the author's to remove."""
    changed = tuple(path for path in differing(root, wanted) if path in wanted)
    for path in changed:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(wanted[path], encoding="utf-8", newline="\n")
    return changed


def version_of(root: Path) -> str:
    """The project's version; Misconfigured where `root` is not this repository."""
    try:
        project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    except (OSError, KeyError, tomllib.TOMLDecodeError):
        project = {}
    if project.get("name") != "citewell":
        raise Misconfigured(
            f"{root} is not Citewell's repository; run this at its root.", action="inform_user"
        )
    return str(project["version"])


def _read(path: Path) -> str | None:
    return path.read_text(encoding="utf-8") if path.is_file() else None


def _pretty(data: Any) -> str:
    return json.dumps(data, ensure_ascii=False, indent=2) + "\n"
