"""Renders the reference page of lenses: each with its hosts."""

from __future__ import annotations

from collections.abc import Sequence

from citewell.server.reference.page_markdown import (
    format_code,
    format_code_list,
    join_page_parts,
    render_reference_table,
)
from citewell.services.web.lenses import SearchLens

_LENSES_INTRO = (
    "A lens narrows a search to authoritative hosts of one field: `lens` of web_search, `--lens` on the command line. "
    "Own lenses are JSON files in the directory that `CUSTOM_LENSES_PATH` names; see [the guide](../lenses.md)."
)


def render_lenses_page(lenses: Sequence[SearchLens]) -> str:
    overview = render_reference_table(
        ("Lens", "Hosts", "Provider", "What it is for"),
        [
            (
                format_code(lens.name),
                str(len(lens.domains)),
                lens.required_provider or "any",
                lens.description,
            )
            for lens in lenses
        ],
    )
    return join_page_parts("Lenses", _LENSES_INTRO, overview, *map(_render_lens_section, lenses))


def _render_lens_section(lens: SearchLens) -> str:
    parts = [
        f"## {lens.name}",
        format_code_list(lens.domains),
        f"Goggle: {format_code(lens.goggle)}" if lens.goggle else "",
    ]
    return "\n\n".join(part for part in parts if part)
