"""Every tool of the domains against upstreams that misbehave: a named error or an answer, nothing else."""

from __future__ import annotations

import asyncio
import json
import re
from typing import Any

import httpx2
import pytest

from tests.e2e.clients import connected
from tests.e2e.domains import Environ, call, error_of
from tests.e2e.test_domain_tools import CONTACT, QUESTIONS
from tests.internet.faults import ALWAYS, Asked, Fault
from tests.internet.world import World

pytestmark = pytest.mark.usefixtures("skipped_pauses")

JSON = {"content-type": "application/json"}
DEPTH = 100_000
HERE = ("45.7578", "4.832")
ATTACKS = {
    "rate limited": Fault(status=429, headers={"retry-after": "30"}, body={"message": "slow down"}),
    "failing": Fault(status=500, body="oops"),
    "html": Fault(status=200, headers={"content-type": "text/html"}, body="<html>Sorry</html>"),
    "empty": Fault(status=200, body=""),
    "cut off": Fault(cut=20),
    "nested lists": Fault(status=200, headers=JSON, body="[" * DEPTH + "]" * DEPTH),
    "nested objects": Fault(status=200, headers=JSON, body='{"a":' * DEPTH + "1" + "}" * DEPTH),
    "one long string": Fault(status=200, headers=JSON, body='{"results":"' + "x" * 2**21 + '"}'),
    "null": Fault(status=200, headers=JSON, body="null"),
}
# The first upstream alone, where asking its fellows would only cost time.
ALONE: dict[str, dict[str, Any]] = {
    "image_search": {"provider": "searxng"},
    "local_search": {"query": "cafes", "latitude": 45.7578, "longitude": 4.832, "provider": "photon"},
    "news_search": {"provider": "searxng"},
}  # fmt: skip
ASKED = {
    tool: (arguments | ALONE.get(tool, {}), upstream)
    for tool, (arguments, upstream) in QUESTIONS.items()
}
RESTS_AFTER = ("rate limited", "cut off")  # the next call is spared by a pause or an open circuit
PAGES_OF_HTML = ("googlepatents",)
# Texts of several words; an address, a number or an id stays what it is.
WORDY_PATTERN = re.compile(r'("[^"\\\n]{1,300}[a-z] [A-Za-z][^"\\\n]{0,3000})"(?!\s*:)')


def call_twice(environ: Environ, tool: str, arguments: dict[str, Any], world: World) -> Any:
    """The results of the same call twice on one server, and what was asked for each."""
    offered = environ | CONTACT | {"CITEWELL_TOOLSETS": "domains"}

    async def talk() -> Any:
        async with connected("memory", offered) as client, asyncio.timeout(60):
            first, asked = await client.call_tool(tool, arguments), world.calls.total()
            second = await client.call_tool(tool, arguments)
            return first, asked, second, world.calls.total() - asked

    return asyncio.run(talk())


def check_ending(result: Any) -> None:
    """An answer that can be written, or an error of a kind that tells what to do."""
    written = json.dumps(result.structured_content, ensure_ascii=False)
    (written + result.content[0].text).encode()  # no half of a surrogate pair
    if not result.is_error:
        assert result.structured_content["trust"] == "untrusted-external-content"
        return
    block, text = error_of(result), result.content[0].text
    assert block["kind"] != "internal"
    assert block["suggestedAction"]
    for leaked in (
        *HERE,
        "Traceback",
        "Error(",
        "model_type",
        "tuple_type",
        "value_error",
        "ops@example.org",
    ):
        assert leaked not in text


@pytest.mark.parametrize("attack", ATTACKS)
@pytest.mark.parametrize("tool", ASKED)
def test_an_upstream_that_misbehaves_gives_a_named_error_or_an_answer(
    tool: str, attack: str, environ: Environ, world: World
) -> None:
    arguments, upstream = ASKED[tool]
    world.fail(upstream, ATTACKS[attack], times=ALWAYS)

    first, asked, second, asked_again = call_twice(environ, tool, arguments, world)

    assert asked
    check_ending(first)
    check_ending(second)
    if first.is_error and attack not in RESTS_AFTER:
        assert asked_again, "a failure was kept as if it were an answer"


@pytest.mark.parametrize("tool", ASKED)
def test_half_a_surrogate_pair_in_every_text_leaves_an_answer_that_can_be_written(
    tool: str, environ: Environ, world: World, tmp_path: Any
) -> None:
    arguments, upstream = ASKED[tool]
    well = call(environ | CONTACT, tool, arguments)
    assert not well.is_error
    damaged = {asked.path: damage_answer(world, asked) for asked in tuple(world.requests[upstream])}
    world.reset()
    for path, fault in damaged.items():
        world.fail(path, fault, times=ALWAYS)

    result = call(
        environ | CONTACT | {"CITEWELL_DATA_DIR": str(tmp_path / "other")}, tool, arguments
    )

    assert upstream in PAGES_OF_HTML or any(
        b"ud83d" in fault.content() for fault in damaged.values()
    )
    assert not result.is_error
    check_ending(result)


def damage_answer(world: World, asked: Asked) -> Fault:
    """What the upstream answered, with half of a surrogate pair at the end of every text."""
    target = f"{world.base_url}{asked.path}?{asked.query_string}"
    headers = {
        name: value
        for name, value in asked.headers.items()
        if name in {"accept", "content-type", "user-agent"}
    }
    answer = httpx2.request(asked.method, target, headers=headers, content=asked.body)
    return Fault(
        status=answer.status_code,
        headers={"content-type": answer.headers["content-type"]},
        body=WORDY_PATTERN.sub(r'\1\\ud83d"', answer.text)
        if "json" in answer.headers["content-type"]
        else answer.content,
    )


@pytest.mark.parametrize("tool", ["clinical_search", "econ_search", "local_search"])
def test_a_refusal_by_a_registry_without_keys_does_not_send_anybody_to_check_a_key(
    tool: str, environ: Environ, world: World
) -> None:
    arguments, upstream = ASKED[tool]
    world.fail(upstream, Fault(status=403, body="<html>Forbidden</html>"), times=ALWAYS)

    result = call(environ, tool, arguments)

    assert error_of(result)["kind"] == "blocked"
    assert "refuses requests from this network, and takes no key" in result.content[0].text


@pytest.mark.parametrize(
    ("tool", "arguments", "name"),
    [
        ("clinical_search", {"sponsor": "\u200b"}, "sponsor"),
        ("filing_search", {"ticker": "\x00"}, "ticker"),
        ("local_search", {"query": "cafes", "near": "\u200b\u200d"}, "near"),
        ("patent_search", {"query": "lens", "inventor": "\x7f"}, "inventor"),
    ],
)
def test_a_text_without_a_visible_character_is_refused_by_its_own_name(
    tool: str, arguments: dict[str, str], name: str, environ: Environ
) -> None:
    result = call(environ | CONTACT, tool, arguments)

    assert error_of(result)["kind"] == "validation"
    assert result.content[0].text.startswith(f"{name} is empty.")


@pytest.mark.parametrize("text", ['cafe"];out;//', 'x\\"];out;', "a.*[b]{9}", "Bar\n];out"])
def test_a_query_cannot_break_out_of_the_language_of_overpass(
    text: str, environ: Environ, world: World
) -> None:
    arguments = {"query": text, "latitude": 45.7578, "longitude": 4.832, "provider": "overpass"}

    call(environ, "local_search", arguments)

    for asked in world.requests["overpass"]:
        assert re.fullmatch(r'(?:[^"]|"[\w.:~= -]*")*', asked.form["data"])
        assert asked.form["data"].count("out center") == asked.form["data"].count(";out") == 1


@pytest.mark.parametrize("text", ['privacy" } UNION { ?s ?p ?o } #', "privacy' OR 'x", "privacy\\"])
def test_a_query_cannot_break_out_of_sparql(text: str, environ: Environ, world: World) -> None:
    call(environ, "legal_search", {"query": text, "provider": "eurlex"})

    assert world.requests["eurlex"]
    for asked in world.requests["eurlex"]:
        sent = asked.params.get("query") or asked.form["query"]
        assert not re.search(r"\?s \?p|#$|OR 'x|privacy[\"\\]", sent)
