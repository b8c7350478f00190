"""Authors of a page, wherever it names them."""

from __future__ import annotations

import json

import pytest
from selectolax.lexbor import LexborHTMLParser

from citewell.reading.metadata.page_metadata import (
    ExtractedMetadata,
    read_page_metadata,
)


def about(html: str, url: str = "") -> ExtractedMetadata:
    return read_page_metadata(LexborHTMLParser(html), url=url)


def ld(value: object) -> str:
    return f'<script type="application/ld+json">{json.dumps(value)}</script>'


def meta(**values: str) -> str:
    return "".join(f'<meta name="{name}" content="{value}">' for name, value in values.items())


def test_highwire_authors_come_first_and_are_spoken_first_name_first() -> None:
    html = meta(author="Site Team") + (
        '<meta name="citation_author" content="Example, Ada">'
        '<meta name="citation_author" content="Sample, Ben">'
    )

    found = about(html)

    assert [author.name for author in found.authors] == ["Example, Ada", "Sample, Ben"]
    assert found.author == "Ada Example, Ben Sample"


def test_an_author_given_by_reference_is_looked_up_in_the_graph() -> None:
    graph = [
        {"@type": "Article", "author": {"@id": "#p"}, "datePublished": "2024-01-02"},
        {"@type": "Person", "@id": "#p", "name": "Ada Example"},
    ]

    assert about(ld({"@graph": graph})).author == "Ada Example"


def test_an_organisation_is_known_as_one() -> None:
    article = {"@type": "NewsArticle", "author": {"@type": "Organization", "name": "Blue Harbour"}}

    (author,) = about(ld(article)).authors

    assert author.is_indivisible


@pytest.mark.parametrize(
    ("html", "names"),
    [
        (meta(author="By Ada Example and Ben Sample"), "Ada Example, Ben Sample"),
        (meta(author="Ada Example, Ben Sample"), "Ada Example, Ben Sample"),
        ('<meta property="article:author" content="https://example.org/ada">', None),
        (meta(author="admin") + '<a rel="author">Ada Example</a>', "Ada Example"),
        ('<span itemprop="author"><b itemprop="name">Ada Example</b></span>', "Ada Example"),
        (meta(**{"dc.creator": "Ada Example"}), "Ada Example"),
        (meta(author="ada@example.org"), None),
    ],
)
def test_authors_are_names_and_nothing_else(html: str, names: str | None) -> None:
    assert about(html).author == names
