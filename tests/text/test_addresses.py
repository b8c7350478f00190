from __future__ import annotations

from datetime import date

import pytest

from citewell.text import addresses


@pytest.mark.parametrize(
    ("given", "canonical"),
    [
        ("HTTPS://Example.ORG:443", "https://example.org/"),
        ("http://example.org:80/a/", "http://example.org/a"),
        ("http://example.org:8080/a", "http://example.org:8080/a"),
        ("https://example.org/Path/Case#part", "https://example.org/Path/Case"),
        ("https://example.org/?utm_source=a&id=1&UTM_Medium=b", "https://example.org/?id=1"),
        ("https://example.org/a?gclid=1&fbclid=2&msclkid=3", "https://example.org/a"),
        ("https://example.org/a?b=2&a=1", "https://example.org/a?b=2&a=1"),
        ("https://example.org/%e4%bd%a0", "https://example.org/%E4%BD%A0"),
        ("https://bücher.example/", "https://xn--bcher-kva.example/"),
        ("https://[2001:DB8::1]:443/x", "https://[2001:db8::1]/x"),
        ("https://m.example.org/amp/x", "https://m.example.org/amp/x"),
        ("https://www.example.org/", "https://www.example.org/"),
        ("not a url", "not a url"),
        ("http://[broken", "http://[broken"),
        ("https://example.org:99999/", "https://example.org:99999/"),
    ],
)
def test_one_page_has_one_spelling(given: str, canonical: str) -> None:
    assert addresses.normalize_address(given) == canonical


def test_http_and_https_are_the_same_page() -> None:
    assert addresses.build_page_key("http://example.org/a") == addresses.build_page_key(
        "https://example.org/a/#x"
    )


@pytest.mark.parametrize(
    ("given", "clean"),
    [
        ("https://Example.org/A/?utm_source=x#top", "https://Example.org/A/#top"),
        ("https://example.org/?q=a+b%20c&_ga=1&ref=x", "https://example.org/?q=a+b%20c&ref=x"),
        ("https://example.org/#/app?utm_source=x", "https://example.org/#/app?utm_source=x"),
        ("https://example.org/?", "https://example.org/?"),
        ("https://example.org/?utmost=1", "https://example.org/?utmost=1"),
    ],
)
def test_cleaning_takes_away_tracking_and_nothing_else(given: str, clean: str) -> None:
    assert addresses.strip_tracking(given) == clean


@pytest.mark.parametrize(
    ("given", "day"),
    [
        ("https://example.org/2026/03/14/story", date(2026, 3, 14)),
        ("https://example.org/news/2026/3/4/", date(2026, 3, 4)),
        ("https://example.org/blog/2025-12-31-new-year", date(2025, 12, 31)),
        ("https://example.org/2026/03/14", date(2026, 3, 14)),
        ("https://example.org/2026/02/30/x", None),
        ("https://example.org/2027/01/01/x", None),
        ("https://example.org/12026/03/14/x", None),
        ("https://example.org/2026/03/", None),
        ("https://example.org/?d=2026/03/14/", None),
        ("https://example.org/10.1000/2026/03/145", None),
    ],
)
def test_a_path_may_tell_the_day(given: str, day: date | None) -> None:
    assert addresses.find_path_date(given, today=date(2026, 11, 15)) == day


def test_a_host_is_shown_without_www() -> None:
    assert addresses.format_host_name("https://WWW.Example.org:8080/x") == "example.org"


@pytest.mark.parametrize(
    "url", ["", "javascript:alert(1)", "ftp://example.org/", "https:///x", "//x"]
)
def test_only_web_addresses_are_readable(url: str) -> None:
    assert not addresses.is_web_address(url)
