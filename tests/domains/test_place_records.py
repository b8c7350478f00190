from __future__ import annotations

import pytest

from citewell.domains.place_records import find_place_kinds, read_place_words

CAFE = ("amenity=cafe", "shop=coffee")


@pytest.mark.parametrize(
    ("query", "kinds", "name", "where"),
    [
        ("best coffee shops near downtown Seattle", CAFE, None, "downtown Seattle"),
        ("Cafés à Lyon", CAFE, None, "Lyon"),
        ("Lyon museums", ("tourism=museum",), None, "Lyon"),
        ("Apotheken in Berlin", ("amenity=pharmacy",), None, "Berlin"),
        ("farmacias cerca de Sol, Madrid", ("amenity=pharmacy",), None, "Sol, Madrid"),
        ("Hilton hotel in Paris", ("tourism=hotel",), "Hilton", "Paris"),
        ("quiet cafe with wifi in Porto", CAFE, None, "Porto"),
        ("hotels with parking near the Louvre", ("tourism=hotel",), None, "Louvre"),
        ("pharmacy open now Lyon", ("amenity=pharmacy",), None, "Lyon"),
        ("coffee near me", CAFE, None, None),
        ("pubs", ("amenity=pub",), None, None),
        ("Starbucks near Pike Place", (), "Starbucks", "Pike Place"),
        ("Museum of Modern Art", (), "Museum of Modern Art", None),
        ("Eiffel Tower", (), "Eiffel Tower", None),
        ("bar in", ("amenity=bar",), None, None),
    ],
)
def test_a_query_is_split_into_what_and_where(
    query: str, kinds: tuple[str, ...], name: str | None, where: str | None
) -> None:
    words = read_place_words(query, has_anchor=False)

    assert (words.kinds, words.name, words.where) == (kinds, name, where)


@pytest.mark.parametrize(
    ("query", "ignored"),
    [
        ("quiet cafe with wifi in Porto", "quiet with wifi"),
        ("pharmacy open now in Leeds", "open now"),
        ("cafes in Lyon", None),
    ],
)
def test_wishes_that_no_map_tells_are_named(query: str, ignored: str | None) -> None:
    assert read_place_words(query, has_anchor=False).ignored == ignored


def test_words_beside_the_kind_are_a_name_if_the_place_is_known() -> None:
    words = read_place_words("Lyon museums", has_anchor=True)

    assert (words.name, words.where) == ("Lyon", None)


@pytest.mark.parametrize(
    ("words", "tag"),
    [
        ("italian restaurants", "amenity=restaurant,cuisine=italian"),
        ("sushi", "amenity=restaurant,cuisine=sushi"),
        ("vegan food", "amenity=restaurant,diet:vegan=yes"),
        ("EV charging stations", "amenity=charging_station"),
        ("churches", "amenity=place_of_worship,religion=christian"),
        ("bakeries", "shop=bakery"),
        ("Bäckereien", "shop=bakery"),
        ("boulangeries", "shop=bakery"),
    ],
)
def test_everyday_words_name_tags_of_the_map(words: str, tag: str) -> None:
    assert tag in find_place_kinds(words)


@pytest.mark.parametrize("words", ["", "x", "Starbucks", "s", "the", "es", "ies"])
def test_other_words_name_no_kind(words: str) -> None:
    assert find_place_kinds(words) == ()
