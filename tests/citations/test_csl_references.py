"""CSL-JSON as exports and hands write it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from citewell.citations.references import parse_bibliography
from citewell.citations.references.reference_fields import Reference


def one(**item: Any) -> Reference:
    found = parse_bibliography(json.dumps([{"type": "article-journal", **item}]))
    assert not found.malformed
    (reference,) = found.references
    return reference


def test_every_part_of_an_article_is_read() -> None:
    found = one(
        **{
            "id": 7, "title": ["Deep <i>learning</i> &amp; more"], "container-title": ["Nature"],
            "author": [{"family": "LeCun", "given": "Yann"}], "volume": 521, "issue": "7553",
            "page": "436–444", "issued": {"date-parts": [[2015, 5, 28]]}, "publisher": "Springer",
            "DOI": "10.1038/NATURE14539", "URL": "https://example.org/x", "PMID": "26017442",
        }
    )  # fmt: skip

    assert (found.key, found.title, found.venue) == ("7", "Deep learning & more", "Nature")
    assert (found.volume, found.issue, found.pages) == ("521", "7553", "436-444")
    assert (found.year, found.published) == (2015, "2015-05-28")
    assert [str(each) for each in found.ids] == ["doi:10.1038/nature14539", "pmid:26017442"]


@pytest.mark.parametrize(
    ("author", "name", "family", "organisation"),
    [
        ({"family": "Berg", "given": "Jan", "non-dropping-particle": "van den", "suffix": "Jr."}, "Jan van den Berg Jr.", "van den Berg", False),
        ({"literal": "World Health Organization"}, "World Health Organization", "", True),
        ({"literal": "Jane Doe"}, "Jane Doe", "", False),
        ({"name": "World Bank Group"}, "World Bank Group", "", True),
        ({"family": "Plato"}, "Plato", "Plato", False),
        ("Doe, Jane", "Jane Doe", "Doe", False),
    ],
)  # fmt: skip
def test_names_come_in_several_shapes(
    author: Any, name: str, family: str, *, organisation: bool
) -> None:
    (found,) = one(author=[author]).authors

    assert (found.name, found.family, found.organisation) == (name, family, organisation)


@pytest.mark.parametrize(
    ("issued", "published"),
    [
        ({"date-parts": [[2019, 5]]}, "2019-05"), ({"date-parts": [["2019", "05", "12"]]}, "2019-05-12"),
        ({"raw": "2019-05-12"}, "2019-05-12"), ({"literal": "May 2019"}, "2019-05"), ("2019", "2019"),
        (2019, "2019"), ({"date-parts": [[None]]}, ""), ({"date-parts": []}, ""), ({}, ""),
        ({"date-parts": [[2019], [2020]]}, "2019"), ({"raw": "12 May, 2019"}, "2019-05-12"), (None, ""),
        ({"date-parts": [[99999999999]]}, ""),
    ],
)  # fmt: skip
def test_dates_come_in_several_shapes(issued: Any, published: str) -> None:
    assert one(issued=issued).published == published


@pytest.mark.parametrize(
    "document",
    [
        '{"title": "T", "id": "a"}', '[{"title": "T"}]', '{"items": [{"title": "T"}]}',
        '{"references": [{"title": "T"}]}', '\n{"title": "T"}\n', '[[{"title": "T"}]]',
        '{"message": {"items": [{"title": "T"}]}}',
    ],
)  # fmt: skip
def test_the_list_may_stand_in_several_places(document: str) -> None:
    found = parse_bibliography(document)

    assert (found.format, [each.title for each in found.references]) == ("csl-json", ["T"])
    assert not found.malformed


def test_damage_costs_its_own_record_only() -> None:
    document = (
        '[{"id": "a", "title": "A"},\n 5,\n {"id": "b", "title": "B" "x": 1},\n {"foo": 1},\n'
        ' {"id": "c", "title": "C"},\n {},\n {"id": "d", "title": "D"'
    )

    found = parse_bibliography(document)

    assert [each.key for each in found.references] == ["a", "c", ""]
    assert [each.line for each in found.malformed] == [2, 3, 4, 7]


def test_an_empty_list_is_no_fault() -> None:
    assert parse_bibliography("[]").references == ()
    assert parse_bibliography("{}").malformed == ()


@pytest.mark.parametrize(
    "document", ["[" * 100_000, '{"a":' * 50_000, '[{"title":' + "9" * 50_000 + "}]"]
)
def test_hostile_nesting_and_numbers_are_survived(document: str) -> None:
    parse_bibliography(document, format="csl-json")
