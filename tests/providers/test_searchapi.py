"""SearchApi's names of news, and its two layouts of images."""

from __future__ import annotations

from citewell.core.values.search_queries import ImageQuery, SearchQuery
from tests.providers.asking import ask, ask_images


def test_searchapi_news_are_found_under_either_name() -> None:
    rows = [{"link": "https://a.example/1", "title": "t", "source": "Example News"}]

    old = ask("searchapi", SearchQuery(text="x"), {"news_results": rows}, offer="news")
    new = ask("searchapi", SearchQuery(text="x"), {"organic_results": rows}, offer="news")

    assert old.found.hits == new.found.hits
    assert new.found.hits[0].source == "Example News"


def test_searchapi_images_are_read_in_either_layout() -> None:
    nested = {"title": "t", "original": {"link": "https://a.example/i.png", "width": 8, "height": 6},
              "source": {"name": "A", "link": "https://a.example/page"}}  # fmt: skip
    flat = {"title": "t", "original": "https://a.example/i.png", "original_width": 8,
            "original_height": 6, "source": "A", "link": "https://a.example/page"}  # fmt: skip

    pictures, _ = ask_images("searchapi", ImageQuery(text="x"), {"images": [nested, flat]})

    assert pictures[0] == pictures[1]
    assert pictures[0].context == "https://a.example/page"
    assert (pictures[0].width, pictures[0].height) == (8, 6)
