"""The page of lenses: each field and its hosts."""

from __future__ import annotations

from collections.abc import Sequence

from citewell.server.reference.markdown import code, codes, document, table
from citewell.services.web.lenses import Lens

_INTRO = (
    "A lens narrows a search to authoritative hosts of one field: `lens` of web_search, `--lens` on the command line. "
    "Own lenses are JSON files in the directory that `CUSTOM_LENSES_PATH` names; see [the guide](../lenses.md)."
)


def page(lenses: Sequence[Lens]) -> str:
    overview = table(
        ("Lens", "Hosts", "Provider", "What it is for"),
        [
            (code(lens.name), str(len(lens.domains)), lens.bound_to or "any", lens.description)
            for lens in lenses
        ],
    )
    return document("Lenses", _INTRO, overview, *map(_section, lenses))


def _section(lens: Lens) -> str:
    parts = [
        f"## {lens.name}",
        codes(lens.domains),
        f"Goggle: {code(lens.goggle)}" if lens.goggle else "",
    ]
    return "\n\n".join(part for part in parts if part)
