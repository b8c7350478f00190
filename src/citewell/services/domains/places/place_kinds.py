"""Everyday words for kinds of places, and the OpenStreetMap tags that mean the same."""

from __future__ import annotations

import unicodedata
from functools import cache
from typing import Any

from citewell.text.data_tables import load_table

_EATING_PLACES = ("amenity=restaurant", "amenity=fast_food")


def fold_words(text: str) -> str:
    """The text in lower case without accents, for comparing: "Cafés" as "cafes"."""
    folded = unicodedata.normalize("NFKD", text.casefold())
    plain = "".join(char for char in folded if not unicodedata.combining(char))
    return " ".join(plain.replace("-", " ").replace("'", " ").replace("’", " ").split())


def find_place_kinds(words: str) -> tuple[str, ...]:
    """The tags of the kind of place that exactly these words name; empty if they name none."""
    folded = fold_words(words)
    for form in _list_singular_forms(folded):
        if kinds := _load_kinds().get(form):
            return kinds
    return _find_eating_kinds(folded)


def _find_eating_kinds(folded: str) -> tuple[str, ...]:
    """Tags for "italian restaurants", "sushi" and "vegan food"."""
    first, _, rest = folded.rpartition(" ")
    if first and find_place_kinds(rest)[:1] in (("amenity=restaurant",), ("amenity=fast_food",)):
        folded = first
    if diet := _load_table()["diets"].get(folded):
        return tuple(f"{place},{diet}" for place in _EATING_PLACES)
    for form in _list_singular_forms(folded):
        if cuisine := _load_table()["cuisines"].get(form):
            return tuple(f"{place},cuisine={cuisine}" for place in _EATING_PLACES)
    return ()


def _list_singular_forms(folded: str) -> tuple[str, ...]:
    """The words themselves, and what they may be the plural of."""
    forms = [folded]
    if folded.endswith("ies"):
        forms.append(folded[:-3] + "y")
    if folded.endswith(("es", "en")):
        forms.append(folded[:-2])
    if folded.endswith(("s", "n", "e", "x")):
        forms.append(folded[:-1])
    return tuple(forms)


@cache
def _load_kinds() -> dict[str, tuple[str, ...]]:
    kinds: dict[str, tuple[str, ...]] = {}
    for tags, words in _load_table()["kinds"].items():
        chosen = tuple(tags.split(" | "))
        kinds |= {fold_words(word): chosen for word in words}
    return kinds


def _load_table() -> dict[str, Any]:
    table: dict[str, Any] = load_table(__package__, "place_kinds")
    return table
