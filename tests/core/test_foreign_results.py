from __future__ import annotations

import pytest

from citewell.core.values.search_queries import SearchHit, SearchQuery
from citewell.search.provider_search import drop_foreign_coincidences

APPLES = "Warum war der Apfelwickler so früh im Jahr unterwegs"
VACUUM = SearchHit(
    title="Why PostgreSQL needs VACUUM",
    url="https://db.example.org/vacuum",
    snippet="The table was so large that the war on dead rows had to be won at night.",
)
BURNS = SearchHit(
    title="Erste Hilfe bei Verbrennungen",
    url="https://de.example.org/hilfe",
    snippet="Die Wunde wird mit Wasser gekühlt, und der Arzt ist so früh wie möglich zu rufen.",
)
MOTH = SearchHit(
    title="Der Apfelwickler fliegt früh",
    url="https://de.example.org/motte",
    snippet="In diesem Jahr war der Apfelwickler schon im April da.",
)


def keep(query: str, *hits: SearchHit, language: str | None = None) -> tuple[SearchHit, ...]:
    return drop_foreign_coincidences(hits, SearchQuery(text=query, count=5, language=language))


@pytest.mark.parametrize(
    "query",
    [
        APPLES,
        "Wer hat die Orgel in der Kirche von Kleinwusterwitz gebaut",
        "Quelle est la cause de la maladie des poiriers dans le Jura",
        "¿Por qué la torre de la iglesia de mi pueblo no tiene reloj?",
        "Почему в этом году яблони цвели так рано и что с ними было",
    ],
)
def test_a_query_that_found_nothing_is_not_answered_with_english_pages(query: str) -> None:
    assert keep(query, VACUUM) == ()


def test_pages_in_the_language_of_the_query_stay() -> None:
    assert keep(APPLES, VACUUM, BURNS) == (BURNS,)


def test_nothing_is_left_out_if_a_result_is_about_the_query() -> None:
    assert keep(APPLES, MOTH, VACUUM) == (MOTH, VACUUM)


def test_a_page_in_another_language_with_a_telling_word_stays() -> None:
    page = SearchHit(
        title="The Sagrada Familia",
        url="https://en.example.org/sagrada",
        snippet="When the basilica of the Sagrada Familia will be finished is not known to us.",
    )

    assert keep("Wann wird die Sagrada Familia in Barcelona endlich fertig", page) == (page,)


@pytest.mark.parametrize(
    ("query", "language"),
    [
        (APPLES, "en"),  # the caller wants English pages
        ("why was the codling moth so early in the year", None),
        ("Apfelwickler", None),  # too short to tell
        ("東京の天気はどうですか、明日は雨が降りますか", None),  # no words that could coincide
        ("", None),
    ],
)
def test_other_queries_keep_what_they_found(query: str, language: str | None) -> None:
    assert keep(query, VACUUM, language=language) == (VACUUM,)
