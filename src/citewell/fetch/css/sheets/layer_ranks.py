"""Ranks cascade layers by their order on the page."""

from __future__ import annotations

from collections.abc import Iterable

from citewell.fetch.css.sheets.style_sheets import StyleSheet

LayerRank = tuple[float, ...]
_TOP_LAYER = float("inf")
UNLAYERED: LayerRank = (_TOP_LAYER,)


def rank_layers(sheets: Iterable[StyleSheet]) -> dict[tuple[str, ...], LayerRank]:
    """The rank of each layer: later ones are stronger, and rules outside any layer strongest."""
    places: dict[tuple[str, ...], int] = {}
    counts: dict[tuple[str, ...], int] = {}
    for sheet in sheets:
        for path in sheet.layers:
            if path not in places:
                places[path] = counts.get(path[:-1], 0)
                counts[path[:-1]] = places[path] + 1
    return {
        path: (*(float(places[path[: size + 1]]) for size in range(len(path))), _TOP_LAYER)
        for path in places
    }
