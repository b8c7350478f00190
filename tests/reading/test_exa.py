from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from citewell.core.errors import Blocked, ContentEmpty, NotFound
from citewell.net.address_guard import DisclosureRule, GuardRules
from citewell.net.network import Network
from citewell.reading.extracted_page import ExtractedPage, UnsurePage
from citewell.reading.fetch_tiers import FetchAttempt
from citewell.reading.page_tasks import PageTasks
from citewell.reading.tier_assembly import ExaTier, build_tiers
from tests.net.loopback import LOOPBACK, Exchange, Names, Server, serve, settings
from tests.requirements import requires
from tests.task_thread import ThreadTasks

URL = "https://public.example.org/page"
TEXT = "Text that was crawled by somebody else and is long enough to be worth having. " * 3
PUBLIC = Names({"inside.example.org": ["10.0.0.1"]}, default=["93.184.216.34"])


def contents(text: str | None = TEXT, **status: Any) -> dict[str, Any]:
    results = [{"url": URL, "title": "T", "publishedDate": "2026-01-02T03:04:05Z", "text": text}]
    return {"results": results if text is not None else [], "statuses": [{"id": URL, **status}]}


def ask(
    body: Any, *, status: int = 200, url: str = URL, host: str = "site.example.org"
) -> tuple[ExtractedPage, Server]:
    """The tier's text from one answer of Exa's, and what was asked."""
    kept: list[Server] = []

    async def answer(exchange: Exchange) -> None:
        await exchange.reply(
            status, json.dumps(body).encode(), {"Content-Type": "application/json"}
        )

    async def run() -> ExtractedPage:
        async with serve(answer) as server:
            kept.append(server)
            allowed = ("site.example.org", "inside.example.org", "127.0.0.1")
            network = Network(settings(allow_private_hosts=allowed), resolver=LOOPBACK)
            upstream = network.open_upstream(
                "exa", base_url=server.url("", host=host), secret_headers={"x-api-key": "k3y"}
            )
            tier = ExaTier(
                upstream,
                PageTasks(ThreadTasks()),
                disclosure=DisclosureRule(GuardRules(), resolver=PUBLIC),
            )
            try:
                return await tier.fetch_page(FetchAttempt(url=url))
            finally:
                await network.aclose()

    try:
        return asyncio.run(run()), kept[0]
    except (UnsurePage, ContentEmpty, NotFound, Blocked) as error:
        error.add_note(f"requests: {len(kept[0].seen)}")
        raise


@requires("scrape_page.exa_tier")
@pytest.mark.parametrize(
    ("source", "by"), [("cached", "exa:cached"), ("crawled", "exa:crawled"), (None, "exa:cached")]
)
def test_where_exa_has_the_text_from_is_said(source: str | None, by: str) -> None:
    extracted, server = ask(contents(status="success", source=source))

    assert (extracted.content, extracted.extracted_by, extracted.final_url) == (
        TEXT.strip(),
        by,
        URL,
    )
    assert (extracted.metadata.title, extracted.metadata.published) == (
        "T",
        "2026-01-02T03:04:05+00:00",
    )
    seen = server.seen[0]
    assert (seen.method, seen.path, seen.header("x-api-key")) == ("POST", "/contents", "k3y")
    assert json.loads(seen.body) == {"urls": [URL], "text": True}


@pytest.mark.parametrize(
    ("body", "error"),
    [
        (
            contents(None, status="error", error={"tag": "CRAWL_NOT_FOUND", "httpStatusCode": 404}),
            NotFound,
        ),
        (contents(None, status="error", error={"tag": "CRAWL_TIMEOUT"}), ContentEmpty),
        (contents("  "), ContentEmpty),
        (contents("Short."), UnsurePage),
        (contents("Just a moment... Verifying you are human."), Blocked),
        ({"nothing": 1}, ContentEmpty),
    ],
)
def test_what_exa_could_not_do_is_said(body: Any, error: type) -> None:
    with pytest.raises(error):
        ask(body)


@pytest.mark.parametrize("status", [401, 402, 404, 429, 500])
def test_trouble_with_the_account_is_no_answer_about_the_page_and_is_not_repeated(
    status: int,
) -> None:
    with pytest.raises(ContentEmpty) as caught:
        ask({"error": "no"}, status=status)

    assert caught.value.detail == f"HTTP {status}"
    assert caught.value.__notes__ == ["requests: 1"]


@requires("defect.refused_address", "scrape_page.hidden_from_exa")
@pytest.mark.parametrize("host", ["site.example.org", "127.0.0.1"])
@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1/a",
        "http://inside.example.org/a",
        "http://wiki.internal/a",
        "http://user:word@public.example.org/a",
        "file:///etc/passwd",
    ],
)
def test_a_private_address_is_not_told_to_exa_wherever_exa_is(url: str, host: str) -> None:
    with pytest.raises(ContentEmpty) as caught:
        ask(contents(), url=url, host=host)

    assert caught.value.__notes__ == ["requests: 0"]


@requires("scrape_page.exa_tier", "defect.reader_service")
@pytest.mark.parametrize(
    ("fields", "names"),
    [
        ({"raw": {"EXA_API_KEY": "k"}}, ["markdown", "stealth", "html", "browser", "exa"]),
        ({"raw": {}}, ["markdown", "stealth", "html", "browser"]),
        (
            {"raw": {"EXA_API_KEY": "k"}, "exa_contents": False},
            ["markdown", "stealth", "html", "browser"],
        ),
        ({"raw": {}, "outbound_proxy": "http://proxy.example.org:3128"}, ["markdown", "html"]),
        (
            {"raw": {}, "chrome_path": "disabled", "stealth": False},
            ["markdown", "html"],
        ),
    ],
)
def test_the_ladder_has_the_tiers_that_the_settings_allow(
    fields: dict[str, Any], names: list[str]
) -> None:
    chosen = settings(**fields)

    assert [tier.name for tier in build_tiers(chosen, Network(chosen), ThreadTasks()).tiers] == [
        "document",
        *names,
    ]
