"""The profile `searxng` to the letter of specification 3: arguments, defaults, answers and errors."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.clients import body, connected
from tests.internet.apis.searxng import behave
from tests.internet.faults import ALWAYS, Fault
from tests.internet.world import World
from tests.requirements import requires

Environ = dict[str, str]

ARGUMENTS: dict[str, dict[str, Any]] = {
    "query": {"type": "string", "minLength": 1, "maxLength": 500},
    "category": {
        "type": "string",
        "enum": [
            "general", "images", "videos", "news", "map", "music", "it", "science", "files",
        ],
        "default": "general",
    },
    "language": {"type": "string", "pattern": "^[a-z]{2}(-[A-Z]{2})?$", "default": "en"},
    "results_count": {"type": "integer", "minimum": 1, "maximum": 50, "default": 10},
    "fetch_content": {"type": "boolean", "default": True},
    "safe_search": {"type": "integer", "enum": [0, 1, 2], "default": 1},
    "time_range": {
        "type": "string",
        "enum": ["", "day", "week", "month", "year"],
        "default": "",
    },
}  # fmt: skip
RESULT = {"title", "url", "description", "score", "engine"}
CONTENT = {"markdown", "word_count", "fetch_time_ms", "summary"}
METADATA = {
    "query", "category", "language", "results_count", "search_time_ms", "instance_used", "results",
    "engines_used", "fetch_content",
}  # fmt: skip


def only_searxng(environ: Environ) -> Environ:
    return environ | {"CITEWELL_PROFILE": "searxng", "SEARCH_ROUTING": "searxng"}


def answer_to(environ: Environ, transport: str = "stdio", **arguments: Any) -> Any:
    async def run() -> Any:
        async with connected(transport, environ) as client:
            return await client.call_tool("web_search", arguments)

    return asyncio.run(run())


@requires("searxng.names", "searxng.profile")
@pytest.mark.parametrize("front", ["1", "0"])
def test_the_schema_has_the_names_defaults_and_limits_of_the_specification(
    front: str, environ: Environ
) -> None:
    async def run() -> Any:
        async with connected("stdio", only_searxng(environ) | {"CITEWELL_FRONT": front}) as client:
            return await client.list_tools()

    (tool,) = [tool for tool in asyncio.run(run()).tools if tool.name == "web_search"]

    shown = tool.input_schema
    assert shown["required"] == ["query"]
    for name, wanted in ARGUMENTS.items():
        assert {key: shown["properties"][name].get(key) for key in wanted} == wanted, name
    assert not {"num_results", "safe"} & set(shown["properties"])


@requires(
    "searxng.description", "searxng.metadata_results", "searxng.profile", "searxng.fetch_stats"
)
def test_an_answer_has_every_field_of_the_specification(environ: Environ) -> None:
    answer = body(answer_to(only_searxng(environ), query="http caching", results_count=3))

    metadata = answer["metadata"]
    assert set(metadata) >= METADATA
    assert (metadata["query"], metadata["category"]) == ("http caching", "general")
    assert (metadata["language"], metadata["fetch_content"]) == ("en", True)
    assert metadata["results_count"] == len(metadata["results"]) == 3
    for row, result in zip(metadata["results"], answer["results"], strict=True):
        assert set(row) >= RESULT
        assert row["description"] == result["description"] == result["snippet"]
        assert (row["title"], row["url"]) == (result["title"], result["url"])
        assert 0 <= row["score"] <= 1
    read = [row for row in metadata["results"] if "content" in row]
    assert read
    assert all(set(row["content"]) == CONTENT for row in read)
    stats = metadata["content_fetch_stats"]
    assert set(stats) == {"attempted", "successful", "failed", "total_time_ms"}
    assert stats["successful"] == len(read)
    assert all("content" in row or "content_error" in row for row in metadata["results"])


@requires("searxng.metadata_results")
def test_without_contents_the_answer_is_a_list_of_results(environ: Environ) -> None:
    answer = answer_to(
        only_searxng(environ), query="http caching", results_count=5, fetch_content=False
    )

    metadata = body(answer)["metadata"]

    assert metadata["fetch_content"] is False
    assert "content_fetch_stats" not in metadata
    assert all(set(row) >= RESULT for row in metadata["results"])
    assert not any("content" in row for row in metadata["results"])


@requires("searxng.filters", "searxng.names")
def test_the_defaults_reach_the_instance(environ: Environ, world: World) -> None:
    answer_to(only_searxng(environ), query="http caching", fetch_content=False)

    [sent] = world.requests["searxng"][-1:]
    assert "safesearch=1" in sent.query_string
    assert "language=en" in sent.query_string
    assert "categories=general" in sent.query_string
    assert "time_range" not in sent.query_string


@requires("searxng.error_query", "searxng.no_instances")
def test_a_search_that_fails_has_the_fields_of_the_specification(
    environ: Environ, world: World
) -> None:
    world.fail("searxng", Fault(status=503), times=ALWAYS)

    async def run() -> list[Any]:
        async with connected("stdio", only_searxng(environ)) as client:
            asked = {"query": "rust programming"}
            return [await client.call_tool("web_search", asked) for _ in range(3)]

    for number, result in enumerate(asyncio.run(run())):
        assert result.is_error
        sentence, _, block = result.content[0].text.rpartition("\n\n")
        told = json.loads(block)["error"]
        assert told["query"] == "rust programming"
        assert told["error_type"] == "no_instances_available"
        assert told["error_details"]
        assert told["retry_after"] > 0
        if number == 0:
            assert sentence == "Search failed: No available SearXNG instances"
            assert "unavailable or rate limited" in told["error_details"]
            assert told["attempted_instances"]


@requires("searxng.private_query")
def test_the_query_of_a_failed_search_is_in_no_log(environ: Environ, world: World) -> None:
    world.fail("searxng", Fault(status=503), times=ALWAYS)
    audit = Path(environ["CITEWELL_DATA_DIR"], "audit.log")
    logged = only_searxng(environ) | {"AUDIT_OUTPUT_PATH": str(audit), "AUDIT_ENABLED": "true"}

    async def run() -> Any:
        async with connected("memory", logged) as client:
            await client.call_tool("web_search", {"query": "verysecretword"})
            return await client.read_resource("diagnostics://errors/recent")

    recent = asyncio.run(run())

    assert "verysecretword" not in audit.read_text("utf-8")
    assert "verysecretword" not in recent.contents[0].text
    assert "No available SearXNG instances" in recent.contents[0].text


WRONG: dict[str, dict[str, Any]] = {
    "no query": {"query": ""},
    "a query of 501 characters": {"query": "x" * 501},
    "no results": {"query": "x", "results_count": 0},
    "51 results": {"query": "x", "results_count": 51},
    "an unknown category": {"query": "x", "category": "gossip"},
    "an unknown level": {"query": "x", "safe_search": 3},
    "an unknown range": {"query": "x", "time_range": "hour"},
    "no language": {"query": "x", "language": "english"},
    "no boolean": {"query": "x", "fetch_content": "perhaps"},
}


@requires("searxng.language", "searxng.names")
@pytest.mark.parametrize("case", WRONG)
def test_arguments_beyond_the_limits_are_refused_by_their_name(
    case: str, environ: Environ, world: World
) -> None:
    result = answer_to(only_searxng(environ), "memory", **WRONG[case])

    assert result.is_error
    name = [*WRONG[case]][-1]
    assert name in result.content[0].text.partition("\n")[0]
    assert not world.requests["searxng"]


@requires("searxng.description")
def test_other_profiles_are_as_before(environ: Environ) -> None:
    asked: dict[str, Any] = {"query": "http caching", "num_results": 3, "fetch_content": True}
    plain = environ | {"SEARCH_ROUTING": "searxng"}
    first = body(answer_to(only_searxng(environ), "memory", **asked))

    answer = body(answer_to(plain, "memory", **asked))

    assert "results" in first["metadata"]
    assert "results" not in answer["metadata"]
    assert answer["metadata"]["fetch_content"] is True
    assert not any("description" in row for row in answer["results"])
    assert any("markdown" in row.get("content", {}) for row in answer["results"])


@requires("searxng.options")
def test_the_table_of_the_settings_file_is_in_force(environ: Environ, tmp_path: Path) -> None:
    table = (
        "[web_search]\ndefault_results_count = 4\nmax_results_count = 6\n"
        'max_summary_length = 60\nmax_content_size = "1KB"\nmax_concurrent_fetches = 2\n'
    )
    file = tmp_path / "searxng.toml"
    file.write_text(table, "utf-8")

    async def run() -> tuple[Any, ...]:
        async with connected(
            "stdio", only_searxng(environ) | {"CITEWELL_CONFIG": str(file)}
        ) as client:
            return (
                await client.list_tools(),
                await client.call_tool("web_search", {"query": "http caching"}),
                await client.call_tool("web_search", {"query": "http", "results_count": 7}),
            )

    listed, result, refused = asyncio.run(run())

    (tool,) = [tool for tool in listed.tools if tool.name == "web_search"]
    count = tool.input_schema["properties"]["results_count"]
    assert (count["default"], count["maximum"]) == (4, 6)
    metadata = body(result)["metadata"]
    assert metadata["results_count"] == 4
    for row in metadata["results"]:
        assert len(row.get("content", {}).get("summary", "")) <= 60
        assert len(row.get("content", {}).get("markdown", "")) <= 1100
    assert refused.is_error
    assert "results_count" in refused.content[0].text


SAMPLE_TABLE = """
[web_search]
default_results_count = 10
max_results_count = 50
max_concurrent_fetches = 5
default_timeout = 30          # seconds
content_fetch_timeout = 45    # seconds per URL
max_content_size = "2MB"      # per result

# Instance management
instance_health_check_interval = 300  # seconds
max_consecutive_failures = 3
rate_limit_backoff_base = 60         # seconds

# Privacy settings
rotate_user_agents = true
request_delay_range = [100, 500]     # milliseconds
use_random_instances = true

# Content processing
summarize_long_content = true
max_summary_length = 500             # characters
extract_code_blocks = true
"""  # of the specification, word for word


@requires("searxng.options")
def test_the_sample_table_of_the_specification_starts_the_server(
    environ: Environ, tmp_path: Path
) -> None:
    file = tmp_path / "searxng.toml"
    file.write_text(SAMPLE_TABLE, "utf-8")
    chosen = environ | {"CITEWELL_PROFILE": "searxng", "CITEWELL_CONFIG": str(file)}

    answer = body(answer_to(chosen, query="http caching", results_count=2))

    assert answer["metadata"]["results_count"] == 2


@requires("searxng.options")
@pytest.mark.parametrize("arguments", [(), ("--check",)])
def test_a_server_warns_of_the_options_that_it_does_not_follow(
    arguments: tuple[str, ...], environ: Environ, tmp_path: Path
) -> None:
    ended = start_with(SAMPLE_TABLE, arguments, environ, tmp_path)

    assert ended.returncode == 0
    warnings = ended.stderr.decode().splitlines()
    assert [line for line in warnings if "rotate_user_agents" in line and "no effect" in line]
    assert [line for line in warnings if "instance_health_check_interval" in line]
    assert not [line for line in warnings if "max_summary_length" in line]


@requires("searxng.options")
@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("extract_code_blocks = false", "extract_code_blocks in [web_search] can only be true"),
        (
            'rotate_user_agents = "often"',
            "rotate_user_agents in [web_search] must be true or false",
        ),
        (
            "instance_health_check_interval = -1",
            "instance_health_check_interval in [web_search] must",
        ),
    ],
)
def test_a_server_whose_options_cannot_be_read_says_which_and_does_not_start(
    line: str, problem: str, environ: Environ, tmp_path: Path
) -> None:
    ended = start_with(f"[web_search]\n{line}\n", (), environ, tmp_path)

    assert ended.returncode == 2
    assert problem in ended.stderr.decode()


def start_with(
    table: str, arguments: tuple[str, ...], environ: Environ, tmp_path: Path
) -> subprocess.CompletedProcess[bytes]:
    """A server with this settings file, once its client has gone."""
    file = tmp_path / "searxng.toml"
    file.write_text(table, "utf-8")
    return subprocess.run(
        [sys.executable, "-m", "citewell", "serve", *arguments],
        env=only_searxng(environ) | {"CITEWELL_CONFIG": str(file)},
        input=b"",
        capture_output=True,
        timeout=60,
        check=False,
    )


ATTACKS: dict[str, Fault] = {
    "limits": Fault(status=429, body="Too Many Requests"),
    "fails": Fault(status=500),
    "sends a page": Fault(status=200, body="<html><body>Welcome</body></html>"),
    "sends half an answer": Fault(status=200, body='{"results": [', headers={"content-type": "application/json"}),
    "hangs up": Fault(status=200, body={"results": []}, cut=0),
    "is slow": Fault(delay=5),
    "redirects": Fault(status=302, headers={"location": "http://127.0.0.2:9/search?q=secretwords"}),
    "forbids": Fault(status=403, body="<html>Forbidden</html>"),
}  # fmt: skip


@requires("searxng.no_instances", "sealed.every_tool", "sealed.routing")
@pytest.mark.parametrize("attack", ATTACKS)
def test_no_failure_of_the_instance_sends_the_query_elsewhere(
    attack: str, environ: Environ, world: World
) -> None:
    world.fail("searxng", ATTACKS[attack], times=ALWAYS)
    impatient = environ | {"CITEWELL_PROFILE": "searxng", "CITEWELL_SEARCH_TIMEOUT": "1"}

    async def run() -> list[Any]:
        async with connected("memory", impatient) as client:
            asked = {"query": "secretwords"}
            return [await client.call_tool("web_search", asked) for _ in range(2)]

    results = asyncio.run(run())

    assert set(world.calls) == {"searxng"}
    for result in results:
        assert result.is_error
        sentence, _, block = result.content[0].text.rpartition("\n\n")
        told = json.loads(block)["error"]
        assert sentence == "Search failed: No available SearXNG instances"
        assert told["error_type"] == "no_instances_available"
        assert told["query"] == "secretwords"
        assert told["retry_after"] > 0
        assert set(told["attempted_instances"]) <= {environ["SEARXNG_URL"]}
        assert "unavailable or rate limited" in told["error_details"]
    assert environ["SEARXNG_URL"] in results[0].content[0].text
    assert results[0].meta["routing"]["seen_by"] == ["searxng"]


@requires("searxng.no_instances")
def test_a_server_without_an_instance_says_which_setting_to_make(
    environ: Environ, world: World
) -> None:
    none = {name: value for name, value in environ.items() if name != "SEARXNG_URL"}

    result = answer_to(none | {"CITEWELL_PROFILE": "searxng"}, "memory", query="secretwords")

    assert result.is_error
    sentence, _, block = result.content[0].text.rpartition("\n\n")
    told = json.loads(block)["error"]
    assert sentence == "Search failed: No available SearXNG instances"
    assert (told["error_type"], told["attempted_instances"]) == ("no_instances_available", [])
    assert "SEARXNG_URL" in told["error_details"]
    assert not world.calls


@requires("sealed.routing")
def test_an_answer_names_every_instance_that_saw_the_query(environ: Environ, world: World) -> None:
    behave(world, "", status=500)
    other = f"{environ['SEARXNG_URL']}/other"
    both = environ | {"CITEWELL_PROFILE": "searxng", "CITEWELL_SEARXNG_INSTANCES": other}
    allowed = {"ALLOW_PRIVATE_IPS": "true"}

    metadata = body(answer_to(both | allowed, "memory", query="http caching"))["metadata"]

    assert metadata["instance_used"] == other
    assert metadata["attempted_instances"] == [environ["SEARXNG_URL"], other]


@requires("sealed.every_tool")
@pytest.mark.parametrize(
    "more",
    [
        {"CITEWELL_QUERY_PROVIDERS": "SearXNG, wikipedia"},
        {"CITEWELL_PROFILE": "searxng", "SEARCH_ROUTING": "searxng,wikipedia"},
        {"CITEWELL_PROFILE": "searxng", "SEARCH_PROVIDER": "wikipedia"},
    ],
    ids=str,
)
def test_the_settings_say_who_else_may_see_a_query(
    more: Environ, environ: Environ, world: World
) -> None:
    world.fail("searxng", Fault(status=500), times=ALWAYS)

    result = answer_to(environ | more, "memory", query="http caching", fetch_content=False)

    assert not result.is_error
    assert set(world.calls) <= {"searxng", "wikipedia"}
    assert world.calls["wikipedia"]
    assert set(result.meta["routing"]["seen_by"]) == set(world.calls)


def test_an_unknown_provider_among_those_allowed_is_refused(environ: Environ) -> None:
    result = answer_to(environ | {"CITEWELL_QUERY_PROVIDERS": "searx"}, "memory", query="http")

    assert result.is_error
    assert "CITEWELL_QUERY_PROVIDERS names 'searx'" in result.content[0].text
