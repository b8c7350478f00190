"""An assistant researches a brand, over a real server."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from mcp.shared.exceptions import MCPError
from starlette.responses import HTMLResponse, RedirectResponse

from tests.e2e.clients import body, connected
from tests.e2e.domains import MISBEHAVIOUR, TRANSPORTS, Environ, call, error_of
from tests.internet.brand_sites import BrandSites
from tests.internet.faults import ALWAYS
from tests.internet.world import Page, World
from tests.requirements import requires


@pytest.fixture
def sites() -> Iterator[BrandSites]:
    with BrandSites() as running:
        yield running


def research(sites: BrandSites, environ: Environ, transport: str = "memory", **more: Any) -> Any:
    arguments = {"url": sites.url, **more}
    return call(sites.env(environ), "brand_research", arguments, transport)


@requires("brand_research.answer", "brand_research.url", "brand_research.portal")
@pytest.mark.parametrize("transport", TRANSPORTS)
def test_a_brand_is_read_from_its_own_pages_without_a_key(
    transport: str, environ: Environ, sites: BrandSites
) -> None:
    answer = body(research(sites, environ, transport))

    assert answer["identity"] == {
        "name": "Example Instruments",
        "domain": "127.0.0.1",
        "tagline": "Measure well",
        "description": "Instruments for laboratories.",
        "founded": "1998",
        "location": "Lyon, FR",
    }
    colors = answer["colors"]
    assert (colors["primary"], colors["secondary"]) == ("#0057B8", "#FF6A13")
    assert [color["hex"] for color in colors["palette"]] == [
        "#0057B8",
        "#FF6A13",
        "#101820",
        "#00B140",
    ]
    assert answer["typography"]["heading"] == {
        "family": "Inter",
        "weights": [700],
        "origin": "google",
        "origin_id": "Inter",
    }
    assert answer["typography"]["body"]["family"] == "Source Sans 3"
    assert answer["tone_of_voice"] == {
        "summary": "We speak plainly.",
        "attributes": ["Clear", "Warm"],
        "dos_and_donts": {"dos": ["Use the active voice"], "donts": ["Use jargon"]},
    }
    assert answer["social"] == {
        "github": "https://github.com/example-instruments",
        "linkedin": "https://www.linkedin.com/company/example-instruments",
    }
    assert [source["name"] for source in answer["sources"]] == ["homepage_meta", "brand_page"]
    assert answer["guidelines_url"] == f"{sites.url}/brand"
    assert answer["coverage"] == {
        "colors": "full",
        "logos": "full",
        "typography": "full",
        "tone_of_voice": "found",
    }
    assert answer["cache_age"] == 0
    assert answer["brand_portal_resource"].startswith("research://artifact/")
    assert "suggestion" not in answer
    assert answer["trust"] == "untrusted-external-content"


@requires("brand_research.portal")
def test_the_portals_text_can_be_read_with_its_subpages(
    environ: Environ, sites: BrandSites
) -> None:
    async def talk() -> tuple[Any, Any]:
        offered = sites.env(environ) | {"CITEWELL_TOOLSETS": "domains,core"}
        async with connected("memory", offered) as client:
            found = body(await client.call_tool("brand_research", {"url": sites.url}))
            text = await client.read_resource(found["brand_portal_resource"])
            again = body(await client.call_tool("brand_research", {"url": sites.url}))
            return text, (found, again)

    text, (found, again) = asyncio.run(talk())

    whole = text.contents[0].text
    assert "Instrument Blue" in whole
    assert "Chart Green" in whole
    assert again["brand_portal_resource"] == found["brand_portal_resource"]


@requires("brand_research.cache")
def test_a_second_look_within_a_day_asks_nobody(environ: Environ, sites: BrandSites) -> None:
    first = body(research(sites, environ))
    asked = sum(sites.seen.values())

    second = body(research(sites, environ))

    assert sum(sites.seen.values()) == asked
    assert second | {"cache_age": 0} == first
    assert isinstance(second["cache_age"], int)


@requires("brand_research.not_guessed")
def test_what_no_page_states_is_left_empty(environ: Environ, sites: BrandSites) -> None:
    for path in ("brand", "brand/colors"):
        del sites.pages[path]

    answer = body(research(sites, environ))

    assert [color["role"] for color in answer["colors"]["palette"]] == ["theme_color"]
    assert "primary" not in answer["colors"]
    assert answer["typography"] == {}
    assert answer["tone_of_voice"] == {"attributes": []}
    assert "#FF0000" not in str(answer)
    assert "Comic Sans" not in str(answer)
    assert answer["coverage"]["typography"] == "none"
    assert "og_image" not in answer["logos"]  # an HTML page stands there


@requires("brand_research.suggestion", "brand_research.probes")
def test_without_a_portal_the_homepage_is_suggested(environ: Environ, sites: BrandSites) -> None:
    del sites.pages["brand"]

    answer = body(research(sites, environ))

    # /press leads home and /newsroom to another host: neither is a brand page.
    assert "guidelines_url" not in answer
    assert "brand_portal_resource" not in answer
    assert f"{sites.url}/ with scrape_page" in answer["suggestion"]


@requires("brand_research.suggestion")
def test_a_portal_that_only_a_browser_can_fill_is_suggested_itself(
    environ: Environ, sites: BrandSites
) -> None:
    sites.pages["brand"] = HTMLResponse(
        "<title>Our brand</title><div id=app></div><script></script>"
    )

    answer = body(research(sites, environ))

    assert answer["guidelines_url"] == f"{sites.url}/brand"
    assert "brand_portal_resource" not in answer
    assert f"{sites.url}/brand with scrape_page" in answer["suggestion"]


def test_a_page_for_every_address_is_no_brand_page(environ: Environ, sites: BrandSites) -> None:
    del sites.pages["brand"]
    for path in ("design", "guidelines"):
        sites.pages[path] = sites.pages[""]

    assert "guidelines_url" not in body(research(sites, environ))


@requires("brand_research.depth")
def test_quick_reads_the_homepage_alone(environ: Environ, sites: BrandSites) -> None:
    answer = body(research(sites, environ, depth="quick"))

    assert [source["name"] for source in answer["sources"]] == ["homepage_meta"]
    assert not any(asked.startswith("HEAD") for asked in sites.seen)
    assert "standard" in answer["suggestion"]


@requires("brand_research.depth")
def test_full_searches_the_web_for_guidelines(
    environ: Environ, world: World, sites: BrandSites
) -> None:
    del sites.pages["brand"]
    sites.pages["company/look"] = HTMLResponse(
        "<title>Our brand</title><h1>Our brand</h1><h2>Colors</h2><p>Primary blue: #0057B8</p>"
        + "<p>Everything about how we look and why we look as we do, for all who need it.</p>" * 9
    )
    found = Page(
        host="instruments.example.com", path="company/look", title="Example Instruments brand guidelines", markdown="Example Instruments brand guidelines and logo"
    )  # fmt: skip
    world.homes["instruments.example.com"] = f"127.0.0.1:{sites.port}"
    world.add(found)

    answer = body(research(sites, environ, depth="full"))

    assert [source["name"] for source in answer["sources"]] == ["homepage_meta", "web_search"]
    assert answer["colors"]["primary"] == "#0057B8"


@requires("brand_research.design_tokens")
def test_design_tokens_have_the_form_of_the_standard(environ: Environ, sites: BrandSites) -> None:
    tokens = body(research(sites, environ, include_design_tokens=True))["design_tokens"]

    assert tokens["color"]["primary"] == {"$value": "#0057b8", "$type": "color"}
    assert tokens["color"]["palette"]["signal-orange"] == {"$value": "#ff6a13", "$type": "color"}
    assert tokens["font"]["family"]["heading"] == {"$value": "Inter", "$type": "fontFamily"}
    assert "design_tokens" not in body(research(sites, environ))


def test_an_svg_is_named_and_never_copied(environ: Environ, sites: BrandSites) -> None:
    answer = body(research(sites, environ))

    assert answer["logos"]["primary"] == {"url": f"{sites.url}/logo.svg", "format": "svg"}
    assert answer["logos"]["dark"]["url"].endswith("/brand/logo-reverse.svg")
    assert answer["logos"]["icon"]["url"] == f"{sites.url}/big.png"
    assert "alert" not in str(answer)


def test_a_brand_page_of_twenty_megabytes_is_read_at_its_beginning(
    environ: Environ, sites: BrandSites
) -> None:
    start = "<title>Brand</title><h1>Brand</h1><h2>Colors</h2><p>Primary blue: #0057B8</p>"
    sites.pages["brand"] = HTMLResponse(start + "<p>padding</p>" * (20 * 2**20 // 14))

    answer = body(research(sites, environ))

    assert answer["colors"]["primary"] == "#0057B8"
    assert answer["guidelines_url"] == f"{sites.url}/brand"


@pytest.mark.parametrize("target", ["http://127.0.0.1:1/", "http://169.254.169.254/latest/"])
def test_a_redirect_into_private_space_is_refused(
    target: str, environ: Environ, sites: BrandSites
) -> None:
    sites.pages[""] = RedirectResponse(target)
    del sites.pages["brand"]

    result = research(sites, environ)

    assert error_of(result)["kind"] == "validation"


def test_a_logo_in_private_space_is_left_out(environ: Environ, sites: BrandSites) -> None:
    sites.pages["logo.svg"] = RedirectResponse("http://169.254.169.254/logo.svg")

    assert "primary" not in body(research(sites, environ))["logos"]


def test_a_site_below_a_path_is_read_there_if_its_host_has_no_homepage(
    environ: Environ, sites: BrandSites
) -> None:
    for path in ("", "brand"):
        sites.pages[f"people/us/{path}"] = sites.pages.pop(path)

    answer = body(call(sites.env(environ), "brand_research", {"url": f"{sites.url}/people/us"}))

    assert answer["identity"]["name"] == "Example Instruments"
    assert answer["guidelines_url"] == f"{sites.url}/people/us/brand"


def test_a_path_does_not_hide_the_homepage(environ: Environ, sites: BrandSites) -> None:
    answer = body(call(sites.env(environ), "brand_research", {"url": f"{sites.url}/about?x=1"}))

    assert answer["sources"][0]["url"] == f"{sites.url}/"


def test_a_name_that_no_public_site_can_have_is_refused(environ: Environ) -> None:
    result = call(environ, "brand_research", {"url": "nothing-is-here.invalid"})

    assert error_of(result)["kind"] == "validation"
    assert "nothing-is-here.invalid" in result.content[0].text


def test_a_record_of_brandfetch_goes_before_the_pages(environ: Environ, sites: BrandSites) -> None:
    answer = body(research(sites, environ | {"BRANDFETCH_API_KEY": "a-key"}))

    assert [source["name"] for source in answer["sources"]] == [
        "brandfetch",
        "homepage_meta",
        "brand_page",
    ]
    assert answer["identity"]["name"] == "Example Instruments (BrandFetch)"
    assert answer["identity"]["tagline"] == "Measure well"
    assert (answer["colors"]["primary"], answer["colors"]["secondary"]) == ("#123456", "#FF6A13")


def test_a_brandfetch_that_fails_costs_nothing_else(
    environ: Environ, world: World, sites: BrandSites
) -> None:
    world.fail("brandfetch", MISBEHAVIOUR["failing"], times=ALWAYS)

    answer = body(research(sites, environ | {"BRANDFETCH_API_KEY": "a-key"}))

    assert answer["identity"]["name"] == "Example Instruments"


@requires("brand_research.url")
@pytest.mark.parametrize(
    "wrong", [{}, {"url": "not a domain"}, {"url": "ftp://example.com"}, {"url": "acme"}, {"url": "example.com", "depth": "deep"}]
)  # fmt: skip
def test_wrong_arguments_are_refused(wrong: dict[str, object], environ: Environ) -> None:
    assert error_of(call(environ, "brand_research", wrong))["kind"] == "validation"


def test_a_company_is_found_by_the_name_on_its_homepage(
    environ: Environ, world: World, sites: BrandSites
) -> None:
    world.homes["instruments.example.com"] = f"127.0.0.1:{sites.port}"
    world.add(
        Page(host="instruments.example.com", path="", title="Example Instruments", markdown="Example Instruments official website")
    )  # fmt: skip

    answer = body(
        call(sites.env(environ), "brand_research", {"company_name": "Example Instruments Inc."})
    )

    assert answer["identity"]["name"] == "Example Instruments"


def test_a_company_that_no_homepage_names_is_not_guessed(environ: Environ) -> None:
    result = call(environ, "brand_research", {"company_name": "Unheard Of Widgets"})

    assert error_of(result)["kind"] == "not_found"
    assert "as url" in result.content[0].text


USES = {
    "landing_page": "headline and subhead",
    "email": "preheader",
    "social_post": "three sample captions",
    "video_brief": "voiceover",
    "design_tokens": "W3C DTCG",
    "full_guidelines": "tone of voice",
}


@requires("prompt.brand_guidelines")
@pytest.mark.parametrize("transport", TRANSPORTS)
def test_the_prompt_says_what_each_use_needs(transport: str, environ: Environ) -> None:
    offered = environ | {"CITEWELL_TOOLSETS": "domains,core"}

    async def talk() -> tuple[Any, dict[str, str]]:
        async with connected(transport, offered) as client:
            listed = (await client.list_prompts()).prompts
            texts = {}
            for use in ("", *USES):
                given = {"company": "example.com"} | ({"use_case": use} if use else {})
                got = await client.get_prompt("brand-guidelines", given)
                texts[use] = got.messages[0].content.text  # type: ignore[union-attr]
            return next(one for one in listed if one.name == "brand-guidelines"), texts

    prompt, texts = asyncio.run(talk())

    assert [(one.name, one.required) for one in prompt.arguments] == [
        ("company", True),
        ("use_case", False),
        ("depth", False),
    ]
    assert texts[""] == texts["full_guidelines"]
    assert all(words in texts[use] for use, words in USES.items())
    assert all(
        "brand_research with url 'example.com' and depth standard" in text
        for text in texts.values()
    )


@requires("prompt.brand_guidelines")
@pytest.mark.parametrize(
    "wrong", [{}, {"company": "x", "use_case": "poster"}, {"company": "x", "depth": "deep"}]
)
def test_a_prompt_with_wrong_arguments_is_refused(wrong: dict[str, str], environ: Environ) -> None:
    async def talk() -> None:
        async with connected("memory", environ) as client:
            with pytest.raises(MCPError):
                await client.get_prompt("brand-guidelines", wrong)

    asyncio.run(talk())
