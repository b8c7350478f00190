"""Articles of Wikipedia."""

from __future__ import annotations

from dataclasses import replace

import pytest

from citewell.core.errors import NotFound
from tests.reading.site_answers import wikipedia
from tests.reading.site_bench import Bench, Web, page, read
from tests.requirements import requires

ARTICLE = "https://en.wikipedia.org/wiki/Tide"


def test_an_article_keeps_tables_and_infobox_and_loses_its_furniture() -> None:
    found = page(ARTICLE, wikipedia())

    assert found.title == "Tide"
    assert "| Period | 12 h 25 min |" in found.content
    assert "| Place | Metres |\n| --- | --- |\n| Bay | 12 |" in found.content
    assert (
        "[rise and fall](https://en.wikipedia.org/wiki/Sea_level) of sea levels." in found.content
    )
    for word in ("Everything else", "[edit]", "Rise and fall\n"):
        assert word not in found.content
    assert found.published == "2026-09-01T01:02:03+00:00"


@requires("scrape_page.references")
def test_an_article_keeps_its_references_where_they_are_cited_and_at_its_end() -> None:
    found = page(ARTICLE, wikipedia())

    assert "of sea levels.[^1]" in found.content
    assert "## References\n\n[^1]: Reddy, M. *A long reference*. 2001." in found.content


def test_the_edition_of_the_address_is_asked() -> None:
    web = Web(wikipedia())

    found = Bench(web=web).read("https://de.wikipedia.org/wiki/Gezeiten")

    assert found is not None
    assert found.language == "de"
    assert set(web.asked) == {"de.wikipedia.org/w/api.php"}


def test_a_title_with_a_slash_and_escapes_is_asked_as_it_is() -> None:
    web = Web(wikipedia())

    Bench(web=web).read("https://en.wikipedia.org/wiki/AC%2FDC_(S%C3%A3o)")

    assert dict(web.sent[0].params)["page"] == "AC/DC_(São)"


def test_a_missing_article_is_not_found() -> None:
    answer = {"error": {"code": "missingtitle", "info": "The page you specified doesn't exist."}}

    with pytest.raises(NotFound):
        read(ARTICLE, {"en.wikipedia.org/w/api.php": answer})


def test_a_page_can_be_copied_with_its_signals() -> None:
    found = page(ARTICLE, wikipedia())

    assert replace(found, seconds=1.5).notes == found.notes
