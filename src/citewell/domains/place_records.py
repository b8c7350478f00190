"""Places on the map: the query and its words, the places and areas that providers return, their ranking, and the answer."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from functools import cache
from typing import Annotated, Any, Literal, Protocol, Self, runtime_checkable

from pydantic import Field

from citewell.core.errors import InvalidInput
from citewell.core.tooling import CommandOption, SessionId, ToolArguments
from citewell.core.values.argument_types import OptionalName, OptionalQuery, QueryText
from citewell.core.values.search_results import EmptySearchHints, FilterReport
from citewell.core.values.wire_values import UNTRUSTED_LABEL, Body, Spine, WireValue
from citewell.search.search_request import clean_query_text, normalize_provider_name
from citewell.text.data_tables import load_table
from citewell.text.places import (
    METERS_PER_MILE,
    is_country_code,
    list_weekly_hours,
    measure_distance,
)

_WIDE_REACH_METERS = 100_000.0
_ELEMENT_KINDS = {"N": "node", "W": "way", "R": "relation"}
_METERS_PER_KM = 1000.0
_SAME_PLACE_DIGITS = 3  # of a degree: about a hundred metres

MAX_PLACES = 20
OSM_ATTRIBUTION = "© OpenStreetMap contributors"
MeasureUnits = Literal["metric", "imperial"]
_EATING_PLACES = ("amenity=restaurant", "amenity=fast_food")
_CAUTIOUS_PREPOSITIONS = frozenset({"a", "at", "by", "en", "um", "au", "bei"})
_HERE_WORDS = frozenset({"me", "here", "my location", "us", "moi", "mir", "by", "my area"})
_WITH_WORDS = frozenset({"with", "mit", "avec", "con", "that", "which", "serving", "offering"})
_MAX_WORDS = 40
_MAX_KIND_WORDS = 4


class PlaceQuery(ToolArguments):
    """Find physical places (cafés, shops, services, sights) with address, coordinates, phone, website, opening hours and distance. Say where in the query ("coffee in Lyon"), with near, or with latitude and longitude; the nearest come first. From OpenStreetMap without a key: show its attribution. With a Brave key also ratings."""

    query: Annotated[QueryText, CommandOption('What, and where: "coffee in Lyon".')]
    near: Annotated[
        OptionalQuery,
        Field(description="City, district or landmark; coordinates go before it."),
        CommandOption("City, district or landmark."),
    ] = None
    latitude: Annotated[
        float | None,
        Field(ge=-90, le=90, allow_inf_nan=False),
        CommandOption("With --lon.", flag="--lat"),
    ] = None
    longitude: Annotated[
        float | None,
        Field(ge=-180, le=180, allow_inf_nan=False, description="Together with latitude."),
        CommandOption("With --lat.", flag="--lon"),
    ] = None
    radius: Annotated[
        float,
        Field(ge=0, allow_inf_nan=False, description="Metres around the coordinates; 0: any."),
        CommandOption("Metres around the coordinates; 0 for any distance."),
    ] = 0
    country: Annotated[
        OptionalName,
        Field(description="ISO 3166-1 alpha-2."),
        CommandOption("ISO 3166-1 alpha-2, such as FR."),
    ] = None
    units: Annotated[
        MeasureUnits,
        Field(description="Of distances in the answer."),
        CommandOption("metric or imperial."),
    ] = "metric"
    count: Annotated[
        int,
        Field(ge=1, le=MAX_PLACES, validation_alias="num_results"),
        CommandOption("How many places."),
    ] = 5
    provider: Annotated[OptionalName, CommandOption("Use only this provider.")] = None
    session_id: SessionId = None

    def list_constraints(self) -> tuple[str, ...]:
        """The names of the filters that take effect, the narrowest first."""
        given = {"radius": self.radius and self.has_point(), "country": self.country}
        return tuple(name for name, value in given.items() if value)

    def has_point(self) -> bool:
        return self.latitude is not None and self.longitude is not None

    def clean_values(self) -> Self:
        """The query with its texts as single lines; raises InvalidInput if a value is invalid."""
        if (self.latitude is None) != (self.longitude is None):
            raise InvalidInput("Give latitude and longitude together, or neither.")
        return self.with_changes(
            query=clean_query_text(self.query),
            near=clean_query_text(self.near, argument="near") if self.near else None,
            country=_check_place_country(self.country),
            provider=normalize_provider_name(self.provider),
        )


class PlaceLookup(PlaceQuery):
    """A cleaned query with the meaning of its words, as a provider takes it; the point is the anchor."""

    subject: str | None = None  # the query without the words that say where
    kinds: tuple[str, ...] = ()  # OSM tags such as amenity=cafe; "a=b,c=d" needs both
    name: str | None = None  # words of a place's own name


class Place(WireValue):
    """One place; fields that the provider does not state are absent."""

    id: str
    name: str
    source: str  # the provider's name
    url: str | None = None  # its page on the map
    address: str | None = None
    lat: float | None = None
    lon: float | None = None
    distance: float | None = None  # from the anchor, in the answer's distanceUnit
    phone: str | None = None
    website: str | None = None
    categories: tuple[str, ...] = ()
    rating: float | None = None
    rating_count: int | None = None
    hours: tuple[str, ...] | None = None  # one line for each weekday: "Thursday: 06:59-17:00"
    description: str | None = None
    country: Annotated[str | None, Field(exclude=True)] = None  # ISO 3166-1 alpha-2
    # In the language of OSM's tag, still to be read.
    opening_hours: Annotated[str | None, Field(exclude=True)] = None


class PlaceHits(WireValue):
    places: tuple[Place, ...] = ()
    notes: tuple[str, ...] = ()
    attribution: str | None = None


class AreaQuery(WireValue):
    """The name of a city, district, street or landmark, to be found on the map."""

    name: str
    country: str | None = None
    count: int = 1


class NamedArea(WireValue):
    """Where a named city, district, street or landmark is."""

    label: str
    latitude: float
    longitude: float
    country: str | None = None
    reach_meters: float | None = None  # from its centre to the corner of its box


class PlacesAnswer(WireValue):
    """What local_search returns."""

    places: Body[tuple[Place, ...]]
    query: str
    result_count: int
    provider: str
    searched_near: str | None = None  # the area that `near` or the query was understood as
    distance_unit: str | None = None  # km or mi
    filters: Spine[tuple[FilterReport, ...]] | None = None
    notes: tuple[str, ...] | None = None
    attribution: str | None = None
    hints: EmptySearchHints | None = None
    trust: str = Field(default=UNTRUSTED_LABEL)


@runtime_checkable
class PlaceSearch(Protocol):
    async def search_places(self, query: PlaceLookup) -> PlaceHits: ...


@runtime_checkable
class AreaLookup(Protocol):
    async def find_areas(self, query: AreaQuery) -> tuple[NamedArea, ...]:
        """Where a named city, district, street or landmark is, the best match first."""
        ...


def _check_place_country(code: str | None) -> str | None:
    upper = (code or "").strip().upper()
    if not upper:
        return None
    if not is_country_code(upper):
        hint = " The United Kingdom is GB." if upper == "UK" else ""
        raise InvalidInput(f"country {upper[:20]!r} is not an ISO 3166-1 alpha-2 code.{hint}")
    return upper


# The point to search around; filters found places by distance and country, sorts and completes them.


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceAnchor:
    """The point to search around, and the area that it is the centre of, if it was named."""

    latitude: float
    longitude: float
    area: NamedArea | None = None

    def describe_width(self) -> str | None:
        """A note if the named area is too wide for a search around its centre."""
        if self.area is None or (self.area.reach_meters or 0) < _WIDE_REACH_METERS:
            return None
        return f"{self.area.label} is a whole region: these places are near its centre. Name a city for others."


def rank_places(
    places: Iterable[Place], query: PlaceQuery, anchor: PlaceAnchor | None
) -> tuple[Place, ...]:
    """The places within the radius and the country, each once; the nearest first if there is a point."""
    kept = [place for place in _drop_repetitions(places) if _fits_request(place, query, anchor)]
    if anchor is not None:
        kept.sort(key=lambda place: _choose_order(place, anchor))
    return tuple(kept[: query.count])


def _fits_request(place: Place, query: PlaceQuery, anchor: PlaceAnchor | None) -> bool:
    if query.country and place.country and place.country != query.country:
        return False
    if not query.radius or not query.has_point() or anchor is None:
        return True
    distance = find_distance(place, anchor)
    return distance is not None and distance <= query.radius


def _drop_repetitions(places: Iterable[Place]) -> Iterable[Place]:
    """Without a second entry of the same name at the same spot, such as a building and its shop."""
    seen = set()
    for place in places:
        spot = (
            fold_words(place.name),
            round(place.lat or 0.0, _SAME_PLACE_DIGITS),
            round(place.lon or 0.0, _SAME_PLACE_DIGITS),
        )
        if spot not in seen or place.lat is None:
            yield place
        seen.add(spot)


def _choose_order(place: Place, anchor: PlaceAnchor) -> float:
    distance = find_distance(place, anchor)
    return float("inf") if distance is None else distance


def find_distance(place: Place, anchor: PlaceAnchor | None) -> float | None:
    """Metres from the anchor; None if either point is unknown."""
    if anchor is None or place.lat is None or place.lon is None:
        return None
    return measure_distance(anchor.latitude, anchor.longitude, place.lat, place.lon)


def complete_place(
    place: Place, query: PlaceQuery, anchor: PlaceAnchor | None, *, today: date
) -> Place:
    """The place as the caller receives it: with its page, its distance and its hours."""
    area = anchor.area if anchor else None
    country = place.country or (area.country if area else None) or query.country
    hours, description = place.hours, place.description
    if place.opening_hours and not hours:
        hours = list_weekly_hours(place.opening_hours, today=today, country=country)
        if not hours:  # said as it stands, because it cannot be read with certainty
            stated = f"Opening hours as stated: {place.opening_hours}"
            description = f"{description} {stated}" if description else stated
    meters = find_distance(place, anchor)
    unit = METERS_PER_MILE if query.units == "imperial" else _METERS_PER_KM
    # The page of an element of OpenStreetMap, whose id is like osm:N42.
    prefix, letter, number = place.id[:4], place.id[4:5], place.id[5:]
    kind = _ELEMENT_KINDS.get(letter) if prefix == "osm:" else None
    map_page = f"https://www.openstreetmap.org/{kind}/{number}" if kind else None
    return place.with_changes(
        url=map_page,
        distance=None if meters is None else round(meters / unit, 3),
        hours=hours or None,
        description=description,
    )


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
