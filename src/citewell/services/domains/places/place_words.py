"""Splits the words of a search for places: what is looked for, and where."""

from __future__ import annotations

from dataclasses import dataclass

from citewell.services.domains.places.place_kinds import find_place_kinds, fold_words

# Words that stand between what and where, the longest first.
_PLACE_PREPOSITIONS = (
    "in the vicinity of", "in der nahe von", "in der nahe", "not far from", "close to", "next to",
    "cerca de", "pres de", "vicino a", "within", "around", "nearby", "near", "beside", "autour de",
    "bei", "in", "at", "a", "en", "um", "au", "by",
)  # fmt: skip
_CAUTIOUS_PREPOSITIONS = frozenset({"a", "at", "by", "en", "um", "au", "bei"})
_HERE_WORDS = frozenset({"me", "here", "my location", "us", "moi", "mir", "by", "my area"})
# Words that praise or count, and say nothing that a map knows.
_FILLER_WORDS = frozenset(
    [
        "a",
        "an",
        "the",
        "some",
        "any",
        "all",
        "of",
        "best",
        "good",
        "great",
        "nice",
        "top",
        "rated",
        "popular",
        "famous",
        "favourite",
        "favorite",
        "cool",
        "cheap",
        "affordable",
        "find",
        "show",
        "list",
        "where",
        "is",
        "are",
        "there",
        "closest",
        "nearest",
        "nearby",
        "local",
        "please",
        "me",
        "i",
        "want",
        "need",
        "looking",
        "for",
        "to",
        "get",
        "die",
        "das",
        "der",
        "den",
        "le",
        "la",
        "les",
        "un",
        "une",
        "el",
        "los",
        "las",
        "meilleur",
        "meilleurs",
        "beste",
        "besten",
        "bester",
        "mejor",
        "mejores",
        "recommended",
        "quality",
        "cosy",
        "cozy",
        "lovely",
        "10",
        "5",
    ]
)
_MAX_WORDS = 40
_MAX_KIND_WORDS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceWords:
    """What a search for places means by its words."""

    subject: str  # what is looked for, without the words that say where
    kinds: tuple[str, ...] = ()  # OSM tags of the kind that it names
    name: str | None = None  # words of a place's own name, if not all words name the kind
    where: str | None = None  # the named place, if the words hold one


def read_place_words(query: str, *, has_anchor: bool) -> PlaceWords:
    """Understand "coffee near downtown Seattle", "Lyon museums", "Hilton hotel" and "Starbucks".

    Without an anchor, words beside the kind of place are taken for where it is, else for a name.
    """
    what, where = _split_at_preposition(query)
    words = [word for word in what.split() if fold_words(word.strip(",.?!")) not in _FILLER_WORDS]
    subject = " ".join(words).strip(" ,.?!") or what
    if kinds := find_place_kinds(subject):
        return PlaceWords(subject=subject, kinds=kinds, where=where)
    kinds, rest = _find_kind_within(words)
    if not kinds or "of" in fold_words(what).split():  # "Museum of Modern Art" is a name
        name = what.strip(" ,.?!")
        return PlaceWords(subject=name, name=name, where=where)
    if where is None and not has_anchor:
        return PlaceWords(subject=_drop_words(subject, rest), kinds=kinds, where=rest)
    return PlaceWords(subject=subject, kinds=kinds, name=rest, where=where)


def _drop_words(subject: str, rest: str | None) -> str:
    dropped = set((rest or "").split())
    return " ".join(word for word in subject.split() if word not in dropped) or subject


def _split_at_preposition(query: str) -> tuple[str, str | None]:
    """The words before the preposition and those after it; "near me" names no place."""
    words = query.split()[:_MAX_WORDS]
    folded = [fold_words(word) for word in words]
    for size in (4, 3, 2, 1):
        for start in range(1, len(words) - size):
            phrase = " ".join(folded[start : start + size])
            after = " ".join(folded[start + size :])
            if phrase not in _PLACE_PREPOSITIONS:
                continue
            what = " ".join(words[:start])
            if after.strip(" .?!") in _HERE_WORDS:
                return what, None
            if phrase in _CAUTIOUS_PREPOSITIONS and not _names_kind(what):
                continue
            return what, " ".join(words[start + size :]).strip(" ,.?!") or None
    if len(words) > 1 and folded[-1] in {"nearby", "near"}:
        return " ".join(words[:-1]), None
    return query, None


def _names_kind(what: str) -> bool:
    words = [word for word in what.split() if fold_words(word) not in _FILLER_WORDS]
    return bool(find_place_kinds(" ".join(words)) or _find_kind_within(words)[0])


def _find_kind_within(words: list[str]) -> tuple[tuple[str, ...], str | None]:
    """The kind that the longest phrase among these words names, and the other words."""
    for size in range(min(len(words), _MAX_KIND_WORDS), 0, -1):
        for start in range(len(words) - size, -1, -1):
            if kinds := find_place_kinds(" ".join(words[start : start + size])):
                rest = " ".join([*words[:start], *words[start + size :]]).strip(" ,.?!")
                return kinds, rest if fold_words(rest) not in _PLACE_PREPOSITIONS else None
    return (), None
