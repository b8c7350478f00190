"""An assistant reads pages, one by its address or several by a search."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from mcp_types import TextResourceContents

from tests.e2e.clients import TRANSPORTS, body, connected
from tests.internet import odd
from tests.internet.faults import ALWAYS, Fault
from tests.internet.serve import Internet
from tests.internet.world import World
from tests.requirements import requires

Environ = dict[str, str]
Step = tuple[str, dict[str, Any]]
REQUIRED = {
    "url", "content", "contentType", "trust", "contentLength", "truncated", "estimatedTokens",
    "sizeCategory", "citation", "sourceType", "authorityTier", "domainCategory",
}  # fmt: skip


def talk(environ: Environ, *steps: Step, transport: str = "memory") -> list[Any]:
    environ = environ | {"CITEWELL_PROFILE": "all"}

    async def run() -> list[Any]:
        async with connected(transport, environ) as client:
            return [await client.call_tool(name, arguments) for name, arguments in steps]

    return asyncio.run(run())


def read(environ: Environ, url: str, **more: Any) -> Any:
    return talk(environ, ("scrape_page", {"url": url, **more}))[0]


def error(result: Any) -> tuple[str, dict[str, Any]]:
    assert result.is_error
    sentence, _, block = result.content[0].text.partition("\n\n")
    return sentence, json.loads(block)["error"]


@requires(
    "scrape_page.answer",
    "scrape_page.size",
    "scrape_page.source_type",
    "scrape_page.authority_tier",
    "scrape_page.domain_category",
    "scrape_page.citation",
    "tool.structured",
)
@pytest.mark.parametrize("transport", TRANSPORTS)
def test_a_page_is_read_with_its_citation(
    transport: str, environ: Environ, internet: Internet
) -> None:
    url = internet.page("sleep.example.org", "sleep-and-memory")

    [result] = talk(environ, ("scrape_page", {"url": url}), transport=transport)

    page = body(result)
    assert page.keys() >= REQUIRED
    assert "Sleep after learning helps the brain" in page["content"]
    assert page["metadata"]["title"] == "How sleep strengthens memory"
    assert page["contentLength"] == len(page["content"].encode())
    assert page["citation"]["metadata"]["date"].startswith("2025-02-18")
    assert json.loads(result.content[0].text) == page


@requires(
    "search_and_scrape.status",
    "search_and_scrape.claim",
    "search_and_scrape.ranked",
    "search_and_scrape.size_metadata",
)
@pytest.mark.parametrize("transport", ["memory", "stdio"])
def test_a_search_is_read_and_ranked_in_one_call(transport: str, environ: Environ) -> None:
    asked = {"query": "sleep and memory", "num_results": 3, "claim": "sleep helps memory"}

    [result] = talk(environ, ("search_and_scrape", asked), transport=transport)

    bundle = body(result)
    overall = [source["scores"]["overall"] for source in bundle["sources"]]
    assert bundle["status"] == "complete"
    assert overall == sorted(overall, reverse=True)
    assert bundle["sources"][0]["keySentences"]
    assert bundle["summary"]["urlsScraped"] == 3
    shown = sum(len(source["content"].encode()) for source in bundle["sources"])
    assert bundle["sizeMetadata"]["totalLength"] == shown
    assert result.meta["routing"]["provider_used"]


@requires("scrape_page.cache", "freshness.on_hits")
def test_the_second_reading_comes_from_the_cache(environ: Environ, internet: Internet) -> None:
    call = ("scrape_page", {"url": internet.odd("fine")})

    first, second = talk(environ, call, call)

    assert "cached" not in (first.meta or {})
    assert second.meta["cached"] is True
    assert second.meta["maxAgeSeconds"] == 3600
    assert body(first) == body(second)


@requires("defect.gather_cached", "search_and_scrape.cache")
def test_every_tool_that_reads_shares_one_fetch(environ: Environ, internet: Internet) -> None:
    url = internet.page("sleep.example.org", "sleep-and-memory")
    talk(
        environ,
        ("scrape_page", {"url": url}),
        ("scrape_page", {"url": url, "mode": "preview"}),
        ("scrape_page", {"url": url, "max_length": 300}),
        ("fetch", {"id": url}),
        ("web_search", {"query": "sleep and memory", "fetch_content": True}),
        ("search_and_scrape", {"query": "sleep and memory"}),
    )

    asked = [request.path for request in internet.world.requests["pages"]]
    assert asked.count("/site/sleep.example.org/sleep-and-memory") == 1


@requires("cache.failed_page", "scrape_page.not_found_error")
def test_a_broken_link_is_asked_for_once(environ: Environ, internet: Internet) -> None:
    url = internet.odd("status/404")
    step = ("scrape_page", {"url": url})

    results = talk(environ, step, step, ("fetch", {"id": url}))

    assert [error(result)[1]["kind"] for result in results] == ["not_found"] * 3
    assert internet.world.calls["odd"] == 1


@requires("scrape_page.mode", "scrape_page.preview", "scrape_page.raw")
def test_preview_and_raw_differ_from_the_full_reading(environ: Environ, internet: Internet) -> None:
    url = internet.odd("fine")

    full, preview, raw = talk(
        environ,
        ("scrape_page", {"url": url}),
        ("scrape_page", {"url": url, "mode": "preview", "max_length": 40_000}),
        ("scrape_page", {"url": url, "mode": "raw"}),
    )

    assert body(preview)["contentLength"] <= 5000
    assert body(raw)["content"].encode() == odd.ARTICLE
    assert body(raw)["contentType"].startswith("text/html")
    assert body(raw)["raw"] is True
    assert "metadata" not in body(raw)
    assert "<p>" not in body(full)["content"]


@requires("scrape_page.inline")
def test_a_large_page_is_inline_up_to_its_max_length(environ: Environ, internet: Internet) -> None:
    internet.world.fail("/odd/fine", Fault(body="<h1>T</h1>" + "<p>Tides rise.</p>" * 4000))

    answer = body(read(environ, internet.odd("fine")))

    assert "linked" not in answer
    assert answer["content"].count("Tides rise.") > 3500
    assert 45_000 < answer["contentLength"] <= 50_000
    assert answer["truncated"] is True


@requires("artifact.link", "artifact.media_type", "artifact.documented_keys")
def test_a_large_raw_page_is_cut_and_linked_as_what_it_is(
    environ: Environ, internet: Internet
) -> None:
    source = "<h1>T</h1>" + "<p>Tides rise.</p>\n" * 2000
    internet.world.fail("/odd/fine", Fault(body=source))

    async def run() -> tuple[Any, str]:
        async with connected("memory", environ) as client:
            first = await client.call_tool(
                "scrape_page", {"url": internet.odd("fine"), "mode": "raw"}
            )
            [whole] = (await client.read_resource(body(first)["resource"])).contents
            assert isinstance(whole, TextResourceContents)
            return first, whole.text

    first, whole = asyncio.run(run())

    answer = body(first)
    assert whole == source
    assert answer["mimeType"] == first.content[1].mime_type == "text/html"
    assert source.startswith(answer["content"])
    assert answer["truncated"] is True
    assert answer["contentLength"] == len(answer["content"].encode())
    assert answer["originalLength"] == answer["bytes"] == len(source.encode())
    assert {"url", "contentType", "trust", "citation", "sourceType", "raw"} <= set(answer)


@requires(
    "scrape_page.url",
    "scrape_page.raw_guards",
    "scrape_page.validation_error",
    "error.secrets",
)
@pytest.mark.parametrize("mode", ["full", "raw"])
@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd",
        "data:text/html,<h1>x</h1>",
        "javascript:alert(1)",
        "ftp://example.org/x",
        "gopher://example.org/",
        "//example.org/x",
        "example.org",
        "http://",
        "http://user:secret-word@example.org/",
        "http://169.254.169.254/latest/meta-data/",
        "http://[::1]/",
        "http://0x7f.1/",
        "http://localhost:1/",
        "http://exa mple.org/",
        "http://example.org\\@127.0.0.1/",
    ],
)
def test_an_address_that_may_not_be_read_is_refused_at_once(
    url: str, mode: str, environ: Environ, world: World
) -> None:
    sentence, block = error(read(environ, url, mode=mode))

    assert block["kind"] == "validation"
    assert block["retryable"] is False
    assert sentence.startswith("URL rejected for ")
    assert "secret-word" not in sentence
    assert world.calls.total() == 0


@requires(
    "scrape_page.blocked_error",
    "scrape_page.not_found_error",
    "scrape_page.content_error",
    "scrape_page.auth_error",
    "scrape_page.rate_limit_error",
    "error.recovers",
)
@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("huge", "content_empty"),
        ("endless", "content_empty"),
        ("bomb/gzip", "content_empty"),
        ("bomb/nested", "content_empty"),
        ("bomb/br", "content_empty"),
        ("redirect/loop", "upstream_unavailable"),
        ("redirect/chain/50", "upstream_unavailable"),
        ("redirect/to?url=file:///etc/passwd", "validation"),
        ("redirect/to?url=http://10.0.0.1/", "validation"),
        ("redirect/login", "auth_required"),
        ("truncated-gzip", "upstream_unavailable"),
        ("status/401", "auth_required"),
        ("status/403", "blocked"),
        ("status/404", "not_found"),
        ("status/410", "not_found"),
        ("status/429?retry-after=7", "rate_limited"),
        ("status/500", "upstream_unavailable"),
        ("type/png", "content_empty"),
        ("type/png-as-html", "content_empty"),
        ("type/binary-as-html", "content_empty"),
        ("type/pdf", "content_empty"),
        ("type/pdf-as-html", "content_empty"),
        ("type/docx", "content_empty"),
        ("private-area/page", "validation"),
        ("no-such-thing", "not_found"),
    ],
)
def test_a_page_that_cannot_be_read_says_what_it_is_and_the_next_one_works(
    path: str, kind: str, environ: Environ, internet: Internet
) -> None:
    plain = environ | {"CHROME_PATH": "disabled"}

    bad, good = talk(
        plain,
        ("scrape_page", {"url": internet.odd(path)}),
        ("scrape_page", {"url": internet.odd("fine")}),
    )

    sentence, block = error(bad)
    assert block["kind"] == kind
    assert sentence
    assert body(good)["content"].startswith("Tides rise")


@requires("scrape_page.network_error")
def test_a_page_that_drips_for_ever_is_given_up(environ: Environ, internet: Internet) -> None:
    hasty = environ | {
        "CITEWELL_PAGE_TIMEOUT": "300ms",
        "CITEWELL_STEALTH": "false",
        "CHROME_PATH": "disabled",
    }

    _, block = error(read(hasty, internet.odd("drip")))

    assert block["kind"] == "network"
    assert block["retryable"] is True


@pytest.mark.parametrize(
    ("path", "part"),
    [
        ("type/html-as-text", "Tides rise"),
        ("type/html-as-binary", "Tides rise"),
        ("type/html-untyped", "Tides rise"),
        ("type/xhtml", "Tides rise"),
        ("type/text", "naïve café"),
        ("type/json", "Tide table"),
        ("type/xml", "3.4"),
        ("markdown", "# Tides"),
        ("redirect/chain/4", "Tides rise"),
    ],
)
def test_a_wrong_or_missing_content_type_is_seen_through(
    path: str, part: str, environ: Environ, internet: Internet
) -> None:
    assert part in body(read(environ, internet.odd(path)))["content"]


ODD_BODIES = {
    "100,000 nested divs": b"<div>" * 100_000 + b"<p>Deep words at the bottom of it all.</p>",
    "unclosed everything": b"<table><tr><td><b><i>" * 20_000 + b"words",
    "invalid utf-8": odd.ARTICLE.replace(b"Moon", b"Mo\xff\xfe\xc3\x28on"),
    "nothing but bad bytes": b"\xff\xfe\xfd\x80\x81" * 5000,
    "10,000 links": b"<main>"
    + b'<p><a href="/x">A link to somewhere</a></p>' * 10_000
    + b"</main>",
    "nul bytes": odd.ARTICLE.replace(b"coasts", b"co\x00asts"),
    "one line of 6 MB": b"<p>" + b"word " * 1_200_000 + b"</p>",
    "empty": b"",
    "blank": b" \r\n\t " * 100,
    "one bracket": b"<",
    "half a tag": b"<html><body><p style='",
    "a million entities": b"<p>" + b"&amp;" * 1_000_000,
}


@pytest.mark.parametrize("name", ODD_BODIES)
def test_a_monstrous_body_gives_text_or_a_clear_error(
    name: str, environ: Environ, internet: Internet
) -> None:
    """Whatever comes, it is an answer that fits its bounds, or an error of a known kind."""
    internet.world.fail("/odd/fine", Fault(body=ODD_BODIES[name]), times=ALWAYS)

    result = read(environ | {"CHROME_PATH": "disabled"}, internet.odd("fine"), max_length=20_000)

    if result.is_error:
        assert error(result)[1]["kind"] in {"content_empty", "blocked"}
    else:
        answer = body(result)
        content = answer["content"]
        assert len(content.encode()) <= 20_000
        assert "\x00" not in content


@requires("limit.page")
def test_a_line_of_thirty_megabytes_is_refused_by_its_size(
    environ: Environ, internet: Internet
) -> None:
    internet.world.fail("/odd/fine", Fault(body=b"<p>" + b"x" * 30_000_000), times=ALWAYS)

    sentence, block = error(
        read(environ | {"CHROME_PATH": "disabled"}, internet.odd("fine"), max_length=100)
    )

    assert block["kind"] == "content_empty"
    assert "MAX_HTML_BYTES" in sentence


@pytest.fixture
def junk() -> Iterator[str]:
    """A server that answers as HTTP/0.9 did, or worse."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.1)
        ended = threading.Event()

        def serve() -> None:
            while not ended.is_set():
                try:
                    client, _ = server.accept()
                except OSError:
                    continue
                with client:
                    client.settimeout(1)
                    client.recv(4096)
                    client.sendall(b"<html>no status line, no headers</html>\x00\xff")

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield f"127.0.0.1:{server.getsockname()[1]}"
        ended.set()
        thread.join(5)


@requires("scrape_page.network_error")
@pytest.mark.parametrize("mode", ["full", "raw"])
def test_a_server_that_does_not_speak_http_is_a_network_error(
    mode: str, junk: str, environ: Environ
) -> None:
    hosts = {"CITEWELL_ALLOW_PRIVATE_HOSTS": junk, "CITEWELL_RESPECT_ROBOTS": "false"}

    _, block = error(
        read(environ | hosts | {"CHROME_PATH": "disabled"}, f"http://{junk}/", mode=mode)
    )

    assert block["kind"] == "network"


@requires("search_and_scrape.provider", "argument.unknown")
@pytest.mark.parametrize(
    ("tool", "arguments", "part"),
    [
        ("scrape_page", {}, "url is required"),
        ("scrape_page", {"url": ""}, "url"),
        ("scrape_page", {"url": "http://example.org/" + "x" * 5000}, "4096"),
        ("scrape_page", {"url": "x", "mode": "html"}, "mode"),
        ("scrape_page", {"url": "x", "max_length": 0}, "max_length"),
        ("scrape_page", {"url": "x", "max_length": "many"}, "max_length"),
        ("scrape_page", {"url": "x", "timeout": 3}, "does not take timeout"),
        ("search_and_scrape", {"query": ""}, "query"),
        ("search_and_scrape", {"query": "x", "num_results": 11}, "num_results"),
        ("search_and_scrape", {"query": "x", "total_max_length": 0}, "total_max_length"),
        ("search_and_scrape", {"query": "x", "mode": "raw"}, "does not take mode"),
        ("search_and_scrape", {"query": "x", "provider": "altavista"}, "altavista"),
    ],
)
def test_bad_arguments_are_refused_by_name(
    tool: str, arguments: dict[str, Any], part: str, environ: Environ
) -> None:
    [result] = talk(environ, (tool, arguments))

    sentence, block = error(result)
    assert part in sentence
    assert block["kind"] == "validation"


@requires("search_and_scrape.status", "search_and_scrape.failures")
def test_a_failing_page_leaves_the_bundle_partial(environ: Environ, internet: Internet) -> None:
    internet.world.fail("/site/sleep.example.org/sleep-and-memory", Fault(status=403), times=ALWAYS)

    [result] = talk(
        environ | {"CHROME_PATH": "disabled"},
        ("search_and_scrape", {"query": "sleep and memory", "num_results": 3}),
    )

    bundle = body(result)
    [failure] = bundle["scrapeFailures"]
    assert bundle["status"] == "partial"
    assert failure["kind"] == "blocked"
    assert failure["url"] == internet.page("sleep.example.org", "sleep-and-memory")
    assert bundle["summary"]["urlsFailed"] == 1


def test_a_slow_page_leaves_the_bundle_partial_in_time(
    environ: Environ, internet: Internet
) -> None:
    internet.world.fail("/site/sleep.example.org/sleep-and-memory", Fault(delay=30), times=ALWAYS)

    [result] = talk(
        environ | {"CITEWELL_GATHER_DEADLINE": "3s", "CHROME_PATH": "disabled"},
        ("search_and_scrape", {"query": "sleep and memory", "num_results": 3}),
    )

    bundle = body(result)
    assert bundle["status"] == "partial"
    assert bundle["sourceCount"] == 2
    assert bundle["scrapeFailures"][0]["retryable"] is True
