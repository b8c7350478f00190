"""Files generated from the code: reference pages, `.env.example`, `server.json`, golden schemas, the manifest."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from citewell.core.errors import Misconfigured
from citewell.routing.provider_catalogue import ProviderCatalogue
from citewell.search.lenses import LensCatalogue

MAX_DEFAULT_TOKENS = 4_000  # all tools of the default profile together
MAX_ALL_TOKENS = 12_000
GOLDEN_DIRECTORY = "tests/golden/tools"
PAGES_DIRECTORY = "docs/reference"


def estimate_tool_tokens(wire: Mapping[str, Any]) -> int:
    """How many tokens a tool takes of a client's context, at four bytes per token."""
    paid = {name: wire[name] for name in ("name", "description", "inputSchema")}
    return len(json.dumps(paid, ensure_ascii=False, separators=(",", ":")).encode()) // 4


def build_reference_files(
    catalogue: ProviderCatalogue,
    lenses: LensCatalogue,
    entries: Sequence[Mapping[str, Any]],
    *,
    version: str,
) -> dict[str, str]:
    """The text of each generated file by its path in the repository, except the manifest."""
    from citewell.server.reference import client_pages, provider_pages, setting_files

    specs = tuple(catalogue.find_spec(name) for name in catalogue.list_provider_names())
    pages = {
        f"{PAGES_DIRECTORY}/tools.md": client_pages.render_tools_page(entries),
        f"{PAGES_DIRECTORY}/providers.md": provider_pages.render_providers_page(specs),
        f"{PAGES_DIRECTORY}/filters.md": provider_pages.render_filters_page(specs),
        f"{PAGES_DIRECTORY}/settings.md": setting_files.render_settings_page(specs),
        f"{PAGES_DIRECTORY}/errors.md": client_pages.render_errors_page(),
        f"{PAGES_DIRECTORY}/lenses.md": provider_pages.render_lenses_page(lenses.list_lenses()),
        f"{PAGES_DIRECTORY}/prompts.md": client_pages.render_prompts_page(),
        ".env.example": setting_files.render_env_example(specs),
        "server.json": setting_files.render_registry_listing(specs, version=version),
    }
    golden = {
        f"{GOLDEN_DIRECTORY}/{entry['name']}.json": (
            json.dumps(entry["wire"], ensure_ascii=False, indent=2) + "\n"
        )
        for entry in entries
    }
    return pages | golden


def find_outdated_files(root: Path, wanted: Mapping[str, str]) -> tuple[str, ...]:
    """The paths of files that are missing, out of date, or belong to a removed tool."""
    changed = [
        path
        for path, text in wanted.items()
        if not (root / path).is_file() or (root / path).read_text(encoding="utf-8") != text
    ]
    left_over = [
        f"{GOLDEN_DIRECTORY}/{file.name}"
        for file in sorted((root / GOLDEN_DIRECTORY).glob("*.json"))
        if f"{GOLDEN_DIRECTORY}/{file.name}" not in wanted
    ]
    return (*changed, *left_over)


def write_outdated_files(root: Path, wanted: Mapping[str, str]) -> tuple[str, ...]:
    """Write missing and outdated files and return their paths. Files of removed tools are not deleted."""
    changed = tuple(path for path in find_outdated_files(root, wanted) if path in wanted)
    for path in changed:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(wanted[path], encoding="utf-8", newline="\n")
    return changed


def read_project_version(root: Path) -> str:
    """The project's version; raises Misconfigured if `root` is not this repository."""
    try:
        project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    except (OSError, KeyError, tomllib.TOMLDecodeError):
        project = {}
    if project.get("name") != "citewell":
        raise Misconfigured(
            f"{root} is not the Citewell repository. Run this command in the root of the repository.",
            action="inform_user",
        )
    return str(project["version"])
