"""Splits the words of a search for places: what is looked for, and where."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from citewell.services.domains.places.place_kinds import find_place_kinds, fold_words
from citewell.text.data_tables import load_table

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
    what, wish = _split_off_wish(what)
    words = [word for word in what.split() if _fold_word(word) not in _load_words("filler")]
    subject = " ".join(words).strip(" ,.?!") or what
    if kinds := find_place_kinds(subject):
        return PlaceWords(subject=subject, kinds=kinds, where=where, ignored=wish)
    kinds, rest = _find_kind_within(words)
    if not kinds or "of" in fold_words(what).split():  # "Museum of Modern Art" is a name
        name = what.strip(" ,.?!")
        return PlaceWords(subject=name, name=name, where=where, ignored=wish)
    wishes = [word for word in (rest or "").split() if _fold_word(word) in _load_words("wish")]
    rest = _drop_words(rest, wishes)
    ignored = " ".join([*wishes, *([wish] if wish else [])]) or None
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
