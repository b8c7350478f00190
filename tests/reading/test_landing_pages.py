"""What an address led to, from the redirect and the page alone."""

from __future__ import annotations

import pytest

from citewell.net.http.messages import HttpResponse
from citewell.reading import landing_pages
from tests.extraction import GoldPage, load_gold_pages


@pytest.mark.parametrize("page", load_gold_pages(), ids=str)
def test_no_page_with_content_is_called_dead(page: GoldPage) -> None:
    response = HttpResponse(
        status=200,
        url="https://www.example.org/a/b",
        headers={"content-type": "text/html"},
        body=page.html.encode(),
    )

    assert landing_pages.judge_landing_page(response, asked=response.url).state == "live"


@pytest.mark.parametrize(
    ("asked", "final"),
    [
        ("http://example.org/a", "https://example.org/a"),
        ("https://example.org/a", "https://www.example.org/a/"),
        ("https://example.org/item/12", "https://example.org/item/12/its-full-title"),
        ("https://bit.ly/3xyz", "https://example.org/a"),
        ("https://doi.org/10.1000/1", "https://publisher.example.org/article"),
    ],
)
def test_another_spelling_of_an_address_is_no_new_place(asked: str, final: str) -> None:
    assert landing_pages.find_new_address(asked, final) is None


@pytest.mark.parametrize(
    ("final", "state", "reason"),
    [
        ("https://www.sedo.com/offer", "dead", "parked"),
        ("https://example.org/login?next=/a", "blocked", "login"),
        ("https://example.org/404.html", "dead", "soft_404"),
        ("https://example.org/", "dead", "home_redirect"),
    ],
)
def test_a_redirect_alone_may_tell_what_an_address_led_to(
    final: str, state: str, reason: str
) -> None:
    verdict = landing_pages.judge_redirect("https://example.org/articles/tides", final)

    assert verdict is not None
    assert (verdict.state, verdict.reason) == (state, reason)


def test_a_redirect_to_another_article_tells_nothing() -> None:
    asked, final = "https://example.org/articles/tides", "https://example.org/articles/tides-2"

    assert landing_pages.judge_redirect(asked, final) is None
