"""Understands the words of a search for places: the kind in OpenStreetMap's tags, a name, and where."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import cache
from typing import Any

from citewell.text.data_tables import load_table

_EATING_PLACES = ("amenity=restaurant", "amenity=fast_food")
_CAUTIOUS_PREPOSITIONS = frozenset({"a", "at", "by", "en", "um", "au", "bei"})
_HERE_WORDS = frozenset({"me", "here", "my location", "us", "moi", "mir", "by", "my area"})
_WITH_WORDS = frozenset({"with", "mit", "avec", "con", "that", "which", "serving", "offering"})
_MAX_WORDS = 40
_MAX_KIND_WORDS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceWords:
    """What a search for places means by its words."""

    subject: str  # what is looked for, without the words that say where
    kinds: tuple[str, ...] = ()  # OSM tags of the kind that it names
    name: str | None = None  # words of a place's own name, if not all words name the kind
    where: str | None = None  # the named place, if the words hold one
    ignored: str | None = None  # wishes that no map can fulfil, such as "open now"


def read_place_words(query: str, *, has_anchor: bool) -> PlaceWords:
    """Understand "coffee near downtown Seattle", "Lyon museums", "Hilton hotel" and "Starbucks".

    Without an anchor, words beside the kind of place are taken for where it is, else for a name.
    """
    what, where = _split_at_preposition(query)
    what, preference = _split_off_wish(what)
    words = [word for word in what.split() if _fold_word(word) not in _load_words("filler")]
    subject = " ".join(words).strip(" ,.?!") or what
    if kinds := find_place_kinds(subject):
        return PlaceWords(subject=subject, kinds=kinds, where=where, ignored=preference)
    kinds, rest = _find_kind_within(words)
    if not kinds or "of" in fold_words(what).split():  # "Museum of Modern Art" is a name
        name = what.strip(" ,.?!")
        return PlaceWords(subject=name, name=name, where=where, ignored=preference)
    wishes = [word for word in (rest or "").split() if _fold_word(word) in _load_words("wish")]
    rest = _drop_words(rest, wishes)
    ignored = " ".join([*wishes, *([preference] if preference else [])]) or None
    if rest and where is None and not has_anchor:
        kind_words = _drop_words(subject, [*rest.split(), *wishes]) or subject
        return PlaceWords(subject=kind_words, kinds=kinds, where=rest, ignored=ignored)
    subject = _drop_words(subject, wishes) or subject
    return PlaceWords(subject=subject, kinds=kinds, name=rest, where=where, ignored=ignored)


def _split_off_wish(what: str) -> tuple[str, str | None]:
    """Split "hotel with parking" into the hotel and the wish; words that begin with no kind stay whole."""
    words = what.split()
    for place, word in enumerate(words):
        if _fold_word(word) in _WITH_WORDS and _names_kind(" ".join(words[:place])):
            return " ".join(words[:place]), " ".join(words[place:])
    return what, None


def _fold_word(word: str) -> str:
    return fold_words(word.strip(",.?!"))


def _drop_words(text: str | None, dropped: list[str]) -> str | None:
    return " ".join(word for word in (text or "").split() if word not in dropped) or None


def _split_at_preposition(query: str) -> tuple[str, str | None]:
    """The words before the preposition and those after it; "near me" names no place."""
    words = query.split()[:_MAX_WORDS]
    folded = [fold_words(word) for word in words]
    for size in (4, 3, 2, 1):
        for start in range(1, len(words) - size):
            phrase = " ".join(folded[start : start + size])
            after = " ".join(folded[start + size :])
            if phrase not in _load_words("preposition"):
                continue
            what = " ".join(words[:start])
            if after.strip(" .?!") in _HERE_WORDS:
                return what, None
            if phrase in _CAUTIOUS_PREPOSITIONS and not _names_kind(what):
                continue
            skipped = 1 if folded[start + size] == "the" else 0
            return what, " ".join(words[start + size + skipped :]).strip(" ,.?!") or None
    if len(words) > 1 and folded[-1] in {"nearby", "near"}:
        return " ".join(words[:-1]), None
    return query, None


def _names_kind(what: str) -> bool:
    words = [word for word in what.split() if fold_words(word) not in _load_words("filler")]
    return bool(find_place_kinds(" ".join(words)) or _find_kind_within(words)[0])


def _find_kind_within(words: list[str]) -> tuple[tuple[str, ...], str | None]:
    """The kind that the longest phrase among these words names, and the other words."""
    for size in range(min(len(words), _MAX_KIND_WORDS), 0, -1):
        for start in range(len(words) - size, -1, -1):
            if kinds := find_place_kinds(" ".join(words[start : start + size])):
                rest = " ".join([*words[:start], *words[start + size :]]).strip(" ,.?!")
                return kinds, rest if fold_words(rest) not in _load_words("preposition") else None
    return (), None


@cache
def _load_words(role: str) -> frozenset[str]:
    """Words that praise or count (filler), that no map can fulfil (wish), or come before where."""
    return frozenset(load_table(__package__, "place_words")[role])


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
