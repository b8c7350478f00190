"""What the services on OpenStreetMap's data share: names, addresses and contacts from its tags."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from citewell.model.domains.place import Place
from citewell.text.geography.map_distance import is_map_point, measure_distance
from citewell.text.language.locale_codes import is_country_code
from citewell.text.safety.markup_cleaning import clean_markup
from citewell.text.web.addresses import is_web_address

# Keys that say what a thing is, the most telling first.
KIND_KEYS = (
    "amenity", "shop", "tourism", "leisure", "office", "craft", "healthcare", "historic",
    "railway", "public_transport", "aeroway", "man_made", "natural", "sport", "building",
)  # fmt: skip
_NAME_KEYS = ("name", "name:en", "int_name", "brand", "operator")
_PHONE_KEYS = ("phone", "contact:phone", "contact:mobile", "mobile")
_WEBSITE_KEYS = ("website", "contact:website", "url", "brand:website")
_MAX_CATEGORIES = 6
_MAX_FIELD_CHARS = 300
_ELEMENT_LETTERS = {"node": "N", "way": "W", "relation": "R", "n": "N", "w": "W", "r": "R"}


def build_osm_place(
    tags: Mapping[str, str],
    *,
    source: str,
    place_id: str | None,
    latitude: float,
    longitude: float,
    address: str | None = None,
) -> Place | None:
    """The place that these tags describe; None without a name, a valid point or an id."""
    name = _pick_tag(tags, _NAME_KEYS)
    if not (place_id and name and is_map_point(latitude, longitude)):
        return None
    return Place(
        id=place_id,
        name=name,
        source=source,
        address=address or compose_address(tags),
        latitude=latitude,
        longitude=longitude,
        country=read_country(tags.get("addr:country")),
        phone=_pick_tag(tags, _PHONE_KEYS) or None,
        website=_pick_website(tags),
        categories=list_tag_categories(tags),
        opening_hours=_pick_tag(tags, ("opening_hours",)) or None,
        description=_pick_tag(tags, ("description:en", "description")) or None,
    )


def format_element_id(kind: str | None, number: int | None) -> str | None:
    """The id of a node, way or relation, such as osm:N42; None if it is no valid one."""
    letter = _ELEMENT_LETTERS.get((kind or "").lower())
    return f"osm:{letter}{number}" if letter and number and number > 0 else None


def compose_address(tags: Mapping[str, str]) -> str | None:
    """One line from the addr:* tags: street and number, postcode and city."""
    if full := _pick_tag(tags, ("addr:full",)):
        return full
    street = _pick_tag(tags, ("addr:street", "addr:place"))
    number = _pick_tag(tags, ("addr:housenumber",))
    city = _pick_tag(tags, ("addr:city", "addr:suburb"))
    return join_address(street, number, _pick_tag(tags, ("addr:postcode",)), city)


def join_address(
    street: str | None,
    number: str | None,
    postcode: str | None,
    city: str | None,
    *more: str | None,
) -> str | None:
    """One line of the parts that there are; None if there are none."""
    line = " ".join(part for part in (number, street) if part) if street else ""
    town = " ".join(part for part in (postcode, city) if part)
    parts = dict.fromkeys(part for part in (line, town, *more) if part)
    return ", ".join(parts) or None


def list_tag_categories(tags: Mapping[str, str]) -> tuple[str, ...]:
    """What the thing is, in words: cafe, ice cream, and its cuisines."""
    values = [tags[key] for key in KIND_KEYS if tags.get(key)]
    values += [tags["cuisine"]] if tags.get("cuisine") else []
    words = (word for value in values for word in value.split(";"))
    return clean_categories(words)


def clean_categories(words: Iterable[str]) -> tuple[str, ...]:
    cleaned = (clean_markup(word.replace("_", " "))[:_MAX_FIELD_CHARS] for word in words)
    kept = dict.fromkeys(word for word in cleaned if word and word not in {"yes", "no"})
    return tuple(kept)[:_MAX_CATEGORIES]


def read_country(code: str | None) -> str | None:
    """The upstream's country code in capitals; None if it is absent or unknown."""
    upper = (code or "").strip().upper()
    return upper if is_country_code(upper) else None


def clean_tag(text: str | None) -> str:
    return clean_markup(text)[:_MAX_FIELD_CHARS]


def measure_reach(south: float, north: float, west: float, east: float) -> float | None:
    """Metres from the centre of a box to its corner; None if the numbers are no box."""
    if not (is_map_point(south, west) and is_map_point(north, east)) or north < south:
        return None
    return measure_distance(south, west, north, east) / 2


def _pick_tag(tags: Mapping[str, str], keys: Iterable[str]) -> str:
    return next((text for key in keys if (text := clean_tag(tags.get(key)))), "")


def _pick_website(tags: Mapping[str, str]) -> str | None:
    """The first valid address; one that lacks the scheme gets https."""
    for key in _WEBSITE_KEYS:
        stated = (tags.get(key) or "").split(";")[0].strip()
        if stated and "://" not in stated and "." in stated and " " not in stated:
            stated = f"https://{stated}"
        if is_web_address(stated):
            return stated
    return None
