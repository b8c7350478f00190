from __future__ import annotations

import asyncio

import pytest

from citewell.core import config
from citewell.core.errors import (
    AuthRequired,
    Blocked,
    CitewellError,
    ContentEmpty,
    NetworkFailed,
    NotFound,
    RateLimited,
    RefusedByPolicy,
    TooLarge,
    UpstreamUnavailable,
)
from citewell.core.values.page import Page
from citewell.net.network import Network
from citewell.reading.content_kinds import detect_page_kind
from citewell.reading.pages.page_reader import PageReader
from tests import documents
from tests.internet.faults import Fault
from tests.internet.serve import Internet
from tests.internet.world import World
from tests.requirements import requires
from tests.task_thread import ThreadTasks

ELSEWHERE = "Try an alternative source — its content can't be read directly."


def read(internet: Internet, environ: dict[str, str], url: str, **settings: object) -> Page:
    async def run() -> Page:
        chosen = config.load_settings(environ, **{"page_timeout": 2.0, **settings})
        network = Network(chosen)
        try:
            return await PageReader(
                settings=chosen, network=network, workers=ThreadTasks()
            ).read_page(url)
        finally:
            await network.aclose()

    return asyncio.run(run())


def fails(
    internet: Internet, environ: dict[str, str], url: str, **settings: object
) -> CitewellError:
    with pytest.raises(CitewellError) as caught:
        read(internet, environ, url, **settings)
    return caught.value


def test_a_page_is_read_with_its_facts_in_one_request(
    internet: Internet, environ: dict[str, str]
) -> None:
    url = internet.page("batteries.example.org", "lithium-ion-ageing")

    page = read(internet, environ, url)

    assert "solid electrolyte interphase" in page.content
    assert "All rights reserved" not in page.content
    assert (page.url, page.final_url) == (url, url)
    assert (page.title, page.site, page.language) == (
        "How lithium-ion batteries age",
        "Battery Notes",
        "en",
    )
    assert (page.published, page.published_basis) == ("2025-03-11T00:00:00+00:00", "meta")
    assert (page.content_type, page.extracted_by, page.quality) == ("html", "html", "complete")
    assert page.word_count > 100
    assert internet.world.calls["pages"] == 1


@pytest.mark.parametrize(
    ("host", "path", "words"),
    [
        ("zh.example.org", "cha", "绿茶是不发酵的茶叶"),
        ("tw.example.org", "shuimian", "海馬迴會重播當天的經驗"),
        ("ja.example.org", "suimin", "これを記憶の固定と呼びます"),
        ("ja.example.org", "jishin", "家具は壁に固定し"),
        ("ko.example.org", "sumyeon", "기억을 조금씩 대뇌 피질로 옮깁니다"),
        ("ru.example.org", "son-i-pamyat", "Этот процесс называют консолидацией памяти"),
        ("de.example.org", "waermepumpe", "Größere Heizkörper oder eine Fußbodenheizung"),
        ("pl.example.org", "wysokie-cisnienie", "Nadciśnienie tętnicze"),
        ("he.example.org", "sheina", "תנומה קצרה"),
        ("ar.example.org", "alnawm", "أثناء النوم العميق"),
        ("wide.example.org", "tides-in-utf-16", "潮汐, прилив, مد"),
    ],
)
def test_pages_in_many_charsets_are_read_exactly(
    internet: Internet, environ: dict[str, str], host: str, path: str, words: str
) -> None:
    page = read(internet, environ, internet.page(host, path))

    assert words in page.content


@requires("scrape_page.markdown_tier")
def test_markdown_is_taken_where_it_is_offered(internet: Internet, environ: dict[str, str]) -> None:
    page = read(internet, environ, internet.odd("markdown"))

    assert (page.extracted_by, page.content_type, page.title) == ("markdown", "markdown", "Tides")
    assert internet.world.calls["odd"] == 1


@requires("scrape_page.markdown_tier")
def test_html_under_the_name_of_markdown_is_read_as_html(
    internet: Internet, environ: dict[str, str]
) -> None:
    page = read(internet, environ, internet.odd("markdown-liar"))

    assert page.extracted_by == "html"
    assert "<p>" not in page.content


@pytest.mark.slow
@requires("scrape_page.markdown_tier")
def test_a_slow_markdown_answer_gives_way_to_the_html_tier(
    internet: Internet, environ: dict[str, str]
) -> None:
    internet.world.fail("odd", Fault(delay=30))

    page = read(internet, environ, internet.odd("fine"), page_timeout=0.5)

    assert page.extracted_by == "html"
    assert internet.world.calls["odd"] == 2


@requires("defect.missing_page")
@pytest.mark.parametrize("status", [404, 410])
def test_a_missing_page_costs_one_request(
    internet: Internet, environ: dict[str, str], status: int
) -> None:
    url = internet.odd(f"status/{status}")

    error = fails(internet, environ, url)

    assert isinstance(error, NotFound)
    assert (
        error.message
        == f"Not found: {url} returned 404/410 — the page does not exist. Check the URL."
    )
    assert internet.world.calls["odd"] == 1


@requires("scrape_page.rate_limit_error")
def test_a_rate_limited_page_says_when_to_come_back(
    internet: Internet, environ: dict[str, str]
) -> None:
    url = internet.odd("status/429?retry-after=9")

    error = fails(internet, environ, url)

    assert isinstance(error, RateLimited)
    assert error.message == f"Rate limited on {url}. Retry in 9 seconds."
    assert error.retry_after == 9
    assert internet.world.calls["odd"] == 1


@requires("scrape_page.auth_error")
def test_a_401_is_a_login_wall(internet: Internet, environ: dict[str, str]) -> None:
    url = internet.odd("status/401")

    error = fails(internet, environ, url)

    assert isinstance(error, AuthRequired)
    assert error.message == f"Auth required: {url} is behind a login wall."
    assert error.suggested_action == "inform_user"


@requires("scrape_page.blocked_error")
def test_a_451_is_no_bot_detection(internet: Internet, environ: dict[str, str]) -> None:
    url = internet.odd("status/451")

    error = fails(internet, environ, url)

    assert isinstance(error, Blocked)
    assert error.message.startswith(
        f"Unavailable for legal reasons: {url} returned HTTP 451. {ELSEWHERE}"
    )


@requires("scrape_page.composite_error", "scrape_page.blocked_error")
def test_a_403_lists_what_each_tier_met(internet: Internet, environ: dict[str, str]) -> None:
    url = internet.odd("status/403")

    error = fails(internet, environ, url)

    assert isinstance(error, Blocked)
    assert (
        error.message
        == f"Blocked: {url} uses bot detection. {ELSEWHERE} (markdown: HTTP 403, html: HTTP 403)"
    )


@requires("searxng.walls", "scrape_page.blocked_error")
@pytest.mark.parametrize(
    "name",
    [
        "cloudflare",
        "cloudflare-block",
        "anubis",
        "datadome",
        "perimeterx",
        "akamai",
        "aws",
        "imperva",
        "javascript",
        "robot",
    ],
)
def test_a_bot_wall_is_reported_and_never_content(
    internet: Internet, environ: dict[str, str], name: str
) -> None:
    url = internet.odd(f"wall/{name}")

    error = fails(internet, environ, url)

    assert isinstance(error, Blocked)
    assert error.message.startswith(f"Blocked: {url} uses bot detection. {ELSEWHERE}")


@pytest.mark.process
@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("wall/consent", Blocked),
        ("wall/login", AuthRequired),
        ("redirect/login", AuthRequired),
        ("wall/paywall", AuthRequired),
        ("wall/soft-404", NotFound),
        ("wall/shell", ContentEmpty),
        ("wall/empty", ContentEmpty),
        ("wall/nothing", ContentEmpty),
        ("status/500", UpstreamUnavailable),
        ("redirect/loop", UpstreamUnavailable),
        ("redirect/chain/9", UpstreamUnavailable),
        ("truncated-gzip", UpstreamUnavailable),
        ("huge", TooLarge),
        ("big", TooLarge),
        ("endless", TooLarge),
        ("bomb/gzip", TooLarge),
        ("bomb/br", TooLarge),
        ("type/pdf", ContentEmpty),
        ("type/pdf-as-html", ContentEmpty),
        ("type/docx", ContentEmpty),
        ("type/png", ContentEmpty),
        ("type/png-as-html", ContentEmpty),
        ("type/binary-as-html", ContentEmpty),
    ],
)
def test_what_cannot_be_read_is_said_by_its_kind(
    internet: Internet, environ: dict[str, str], path: str, kind: type[CitewellError]
) -> None:
    error = fails(internet, environ, internet.odd(path), page_timeout=10.0)

    assert isinstance(error, kind)
    assert internet.odd(path) in error.message


@pytest.mark.slow
def test_a_dripping_page_is_given_up_in_time(internet: Internet, environ: dict[str, str]) -> None:
    error = fails(internet, environ, internet.odd("drip"), page_timeout=0.3)

    assert isinstance(error, NetworkFailed)
    assert error.message.startswith(f"Network error on {internet.odd('drip')}: ")


@pytest.mark.parametrize(
    "url",
    [
        "ftp://example.org/",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "data:text/html,x",
        "http://",
        "http://u:p@example.org/",
    ],
)
def test_an_address_of_another_kind_is_rejected(
    internet: Internet, environ: dict[str, str], url: str
) -> None:
    error = fails(internet, environ, url)

    assert isinstance(error, RefusedByPolicy)
    assert error.message.endswith("Provide a valid public http(s) URL.")


@requires("defect.refused_address")
def test_a_redirect_into_private_space_is_refused_and_not_climbed_over(
    internet: Internet, environ: dict[str, str]
) -> None:
    error = fails(internet, environ, internet.odd("redirect/to?url=http://169.254.169.254/latest"))

    assert isinstance(error, RefusedByPolicy)
    assert internet.world.calls["odd"] == 1


@requires("scrape_page.validation_error")
def test_a_page_outside_the_allowed_domains_is_refused(
    internet: Internet, environ: dict[str, str]
) -> None:
    error = fails(internet, environ, internet.odd("fine"), allowed_domains=("example.org",))

    assert isinstance(error, RefusedByPolicy)
    assert internet.world.calls["odd"] == 0


@requires("searxng.robots")
def test_robots_are_obeyed_unless_told_otherwise(
    internet: Internet, environ: dict[str, str]
) -> None:
    url = internet.page("forbidden.example.org", "secret-garden")

    error = fails(internet, environ, url)
    page = read(internet, environ, url, respect_robots=False)

    assert isinstance(error, RefusedByPolicy)
    assert "CITEWELL_RESPECT_ROBOTS=false" in error.message
    assert "walled gardens" in page.content


@pytest.mark.process
@pytest.mark.parametrize(
    ("name", "kind"), [("json", "json"), ("xml", "xml"), ("csv", "csv"), ("text", "text")]
)
def test_plain_documents_come_as_they_are(
    internet: Internet, environ: dict[str, str], name: str, kind: str
) -> None:
    page = read(internet, environ, internet.odd(f"type/{name}"))

    assert (page.content_type, page.quality) == (kind, "complete")


@pytest.mark.parametrize("name", ["html-as-text", "html-as-binary", "html-untyped", "xhtml"])
def test_html_is_known_by_its_content(
    internet: Internet, environ: dict[str, str], name: str
) -> None:
    page = read(internet, environ, internet.odd(f"type/{name}"))

    assert page.content_type == "html"
    assert "Tides rise and fall" in page.content


@requires("scrape_page.extraction_quality")
def test_a_very_short_page_is_given_as_partial(internet: Internet, environ: dict[str, str]) -> None:
    internet.world.fail(
        "/odd/fine",
        Fault(status=200, body="<title>Hours</title><main><p>Open nine to five.</p></main>"),
    )

    page = read(internet, environ, internet.odd("fine"))

    assert (page.content, page.quality) == ("Open nine to five.", "partial")


@requires("scrape_page.sanitised")
def test_unseen_characters_do_not_reach_the_content(
    internet: Internet, environ: dict[str, str]
) -> None:
    hidden = "\U000e0069\U000e0067\u202e\u200b"
    body = (
        f"<title>Tides</title><main><p>{'Tides rise' + hidden + ' and fall on most coasts. '}</p>"
        + "<p>More about the Moon and its pull on the sea.</p>" * 9
    )
    internet.world.fail("/odd/fine", Fault(status=200, body=body))

    page = read(internet, environ, internet.odd("fine"))

    assert "Tides rise and fall" in page.content


def test_a_key_in_the_address_is_masked_in_the_error(
    internet: Internet, environ: dict[str, str]
) -> None:
    error = fails(internet, environ, internet.odd("status/404?api_key=abcdef123456"))

    assert "abcdef123456" not in str(error)


def test_pages_are_read_by_name_through_a_resolver_of_our_own(environ: dict[str, str]) -> None:
    async def everywhere(_host: str) -> list[str]:
        return ["127.0.0.1"]

    async def run(url: str) -> Page:
        settings = config.load_settings(environ, allow_private_ips=True)
        network = Network(settings, resolver=everywhere)
        try:
            return await PageReader(
                settings=settings, network=network, workers=ThreadTasks()
            ).read_page(url)
        finally:
            await network.aclose()

    with Internet(World(named=True)) as internet:
        page = asyncio.run(run(internet.page("space.example.org", "tides")))

    assert page.final_url.startswith("http://space.example.org:")
    assert "Bay of Fundy" in page.content


def test_a_fault_of_ours_on_one_page_is_that_pages_error(
    internet: Internet, environ: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise IndexError("a fault of ours")

    monkeypatch.setattr("citewell.reading.page_reading.extract_from_tree", broken)

    error = fails(internet, environ, internet.page("batteries.example.org", "lithium-ion-ageing"))

    assert isinstance(error, ContentEmpty)
    assert "a fault of ours" not in error.message


@pytest.mark.process
@pytest.mark.parametrize("name", ["paper.pdf", "paper", "paper.html"])
def test_a_document_is_read_as_what_it_is_whatever_its_name(
    internet: Internet, environ: dict[str, str], world: World, name: str
) -> None:
    body = documents.pdf("The tide tables of the northern harbours.", "High water is twice a day.")
    url = internet.page("library.example.org", name)
    world.fail(
        "pages", Fault(status=200, body=body, headers={"content-type": "text/html"}), times=9
    )

    page = read(internet, environ, url, respect_robots=False)

    assert page.content_type == "pdf"
    assert "tide tables of the northern harbours" in page.content
    assert (page.page_count, page.extracted_by) == (1, None)
    assert world.calls["pages"] == 1


def test_comments_before_a_page_cannot_hold_up_the_reader() -> None:
    """Each comment once doubled the time it took to see that this is no HTML."""
    assert detect_page_kind(b"<!---->" * 400 + b"x", "text/html").name == "html"
