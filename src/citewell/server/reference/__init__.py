"""Files generated from the code: reference pages, `.env.example`, `server.json`, golden schemas, the manifest.

Besides, the markdown parts that the pages are made of.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Mapping, Sequence
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
    from citewell.server.reference import reference_pages, setting_files

    specs = tuple(catalogue.find_spec(name) for name in catalogue.list_provider_names())
    pages = {
        f"{PAGES_DIRECTORY}/tools.md": reference_pages.render_tools_page(entries),
        f"{PAGES_DIRECTORY}/providers.md": reference_pages.render_providers_page(specs),
        f"{PAGES_DIRECTORY}/filters.md": reference_pages.render_filters_page(specs),
        f"{PAGES_DIRECTORY}/settings.md": setting_files.render_settings_page(specs),
        f"{PAGES_DIRECTORY}/errors.md": reference_pages.render_errors_page(),
        f"{PAGES_DIRECTORY}/lenses.md": reference_pages.render_lenses_page(lenses.list_lenses()),
        f"{PAGES_DIRECTORY}/prompts.md": reference_pages.render_prompts_page(),
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


GENERATED_NOTICE = (
    "<!-- Written by `make reference` from the code; edit the code, not this file. -->"
)


def join_page_parts(title: str, *parts: str) -> str:
    """A page: notice, title and parts, separated by blank lines; empty parts are left out."""
    return "\n\n".join([GENERATED_NOTICE, f"# {title}", *(part for part in parts if part)]) + "\n"


def render_reference_table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A markdown table; empty if there are no rows."""
    lines = [_render_table_line(row) for row in rows]
    if not lines:
        return ""
    return "\n".join(
        [_render_table_line(headings), _render_table_line(["---"] * len(headings)), *lines]
    )


def format_code(text: object) -> str:
    return f"`{text}`" if text != "" else ""


def format_code_list(items: Iterable[object]) -> str:
    return ", ".join(f"`{item}`" for item in items)


def format_default(default: object) -> str:
    """A default as it is written in an environment variable; empty if there is none."""
    if default is None or default == ():
        return ""
    if isinstance(default, bool):
        return str(default).lower()
    if isinstance(default, tuple):
        return ",".join(map(str, default))
    if isinstance(default, float):
        return f"{default:g}"
    return str(default)


def _render_table_line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"
