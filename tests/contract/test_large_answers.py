"""Every tool with an oversized result: its documented keys are there, it fits its schema, it is bounded."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from citewell.core import config
from citewell.core import tooling as tools
from citewell.core.config import Settings
from citewell.core.tooling import Tool, ToolArguments, ToolCall
from citewell.core.values.wire_values import WireValue
from citewell.server.call_answers import LINK_SCHEMA, AnswerSize
from citewell.server.call_values import ToolInvocation, ToolOutcome
from citewell.server.capabilities import tool_selection
from citewell.server.capabilities.tool_selection import load_manifest
from citewell.server.settings import ServerSettings
from citewell.store.cache_store import open_cache_store
from citewell.text.truncation import classify_size
from tests.answer_samples import build_sample, validate_answer, validate_schema
from tests.fake_services import refuse_services
from tests.requirements import requires

THRESHOLD = 24 * 1024
TOOLS = tools.load_all_tools()
PEOPLE = {name for name, tool in TOOLS.items() if tool.toolset == "people"}
# Never cut: the answers of spec 4, a page of an artifact, what max_length already bounds, and what
# users keep, which comes in pages so that no artifact outlives its erasure.
WHOLE = {"search", "fetch", "read_artifact", "paper_fulltext"} | PEOPLE
SWITCHES = {tool.required_setting for tool in TOOLS.values() if tool.required_setting}
LINK_KEYS = set(LINK_SCHEMA) - {"summary"}
SIZES: dict[str, dict[str, Any]] = {
    "long bodies": {"text_length": lambda: 60_000, "item_count": lambda depth: 2},
    "many items": {"text_length": lambda: 50, "item_count": lambda depth: 1 if depth else 900},
    "nested items": {"text_length": lambda: 50, "item_count": lambda depth: (2, 200, 1, 1)[depth]},
    "both": {"text_length": lambda: 3_000, "item_count": lambda depth: 12},
}


class Sample(WireValue):
    """A result whose wire form is given."""

    body: dict[str, Any]

    def to_wire(self) -> dict[str, Any]:
        return self.body


class Unread(ToolArguments):
    """Arguments of a call whose tool does not read them, except for the mode of a page."""

    mode: str = "raw"


def answer_with(
    name: str,
    tool: Tool,
    body: dict[str, Any],
    folder: Path,
    *,
    mode: str = "raw",
    limit: int = THRESHOLD,
) -> tuple[ToolOutcome, bytes]:
    """The answer to a call whose result is `body`, and the artifact that it links to."""

    async def talk() -> tuple[ToolOutcome, bytes]:
        store = open_cache_store(Settings(data_dir=folder))
        call = ToolCall(require_service=refuse_services)
        step = ToolInvocation(
            name=name, tool=tool, raw_arguments={}, call=call, validated=Unread(mode=mode)
        )

        try:
            size = AnswerSize(store.artifacts, threshold=THRESHOLD, limit=limit)
            outcome = await size.fit_outcome(step, ToolOutcome(body=Sample(body=body).to_wire()))
            link = (outcome.body or {}).get("resource", "").rpartition("/")[2]
            whole = (await store.artifacts.load_artifact("default/anonymous", link)).body if link else b""  # fmt: skip
        finally:
            await store.aclose()
        return outcome, whole

    return asyncio.run(talk())


def oversized(tool: Tool, size: str) -> dict[str, Any]:
    body = build_sample(tool.result, **SIZES[size])
    if "contentEncoding" in body:  # only of files that are no text
        del body["contentEncoding"]
    return body


@requires("artifact.documented_keys", "artifact.link", "get_thread.documented_keys", "get_results.documented_keys")  # fmt: skip
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", sorted(set(TOOLS) - WHOLE - {"search_and_scrape"}))
def test_an_oversized_answer_keeps_its_keys_and_fits_its_schema(
    name: str, size: str, tmp_path: Path
) -> None:
    tool = TOOLS[name]
    body = oversized(tool, size)
    needs_link = len(json.dumps(body, separators=(",", ":"))) >= THRESHOLD

    outcome, whole = answer_with(name, tool, body, tmp_path)

    shown = outcome.body or {}
    validate_schema(shown, published_schema(name))
    validate_answer(tool, shown)
    assert set(body) <= set(shown)
    assert len(json.dumps(shown, ensure_ascii=False, separators=(",", ":")).encode()) < THRESHOLD
    assert ("linked" in shown) is needs_link
    if needs_link:
        assert set(shown) >= LINK_KEYS
        assert shown["linked"] is True
        assert shown["cut"]
        assert shown["bytes"] == len(whole) == outcome.links[0].size
        assert whole == expect_artifact(tool, body, shown["cut"])


def published_schema(name: str) -> Any:
    [wire] = [entry["wire"] for entry in load_manifest()["tools"] if entry["name"] == name]
    return wire["outputSchema"]


def expect_artifact(
    tool: Tool, body: Mapping[str, Any], cuts: Sequence[Mapping[str, Any]]
) -> bytes:
    """The main text of a result, if nothing else was cut; otherwise all of its JSON."""
    main = tool.main_body
    if main is not None and {cut["path"] for cut in cuts} == {f"/{main.key}"}:
        return str(body[main.key]).encode()
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()


def test_every_tool_is_tried_with_an_oversized_answer_if_it_can_have_one() -> None:
    assert {name for name, tool in TOOLS.items() if tool.is_always_inline} == WHOLE
    bounded = {
        name
        for name, tool in TOOLS.items()
        if all(len(json.dumps(oversized(tool, size))) < THRESHOLD for size in SIZES)
    }

    # Their answers have neither a body nor an appendix.
    assert bounded - WHOLE == {
        "archive_source",
        "follow_up",
        "list_providers",
        "research",
        "research_cancel",
        "research_status",
    }


@pytest.mark.parametrize("name", sorted(TOOLS))
def test_no_answer_has_a_key_that_a_link_needs(name: str) -> None:
    keys = set(build_sample(TOOLS[name].result))

    assert name in WHOLE or not keys & LINK_KEYS


@requires("scrape_page.inline")
@pytest.mark.parametrize("mode", ["full", "preview"])
def test_a_page_is_inline_up_to_its_max_length(mode: str, tmp_path: Path) -> None:
    body = oversized(TOOLS["scrape_page"], "long bodies")

    outcome, _ = answer_with("scrape_page", TOOLS["scrape_page"], body, tmp_path, mode=mode)

    assert outcome.body == body
    assert outcome.links == ()


@requires("artifact.media_type")
@pytest.mark.parametrize(
    ("name", "field", "facts", "media_type"),
    [
        ("research_export", "document", {"format": "markdown"}, "text/markdown"),
        ("research_export", "document", {"format": "html"}, "text/html"),
        ("research_export", "document", {"format": "bibtex"}, "application/x-bibtex"),
        ("format_bibliography", "bibliography", {"style": "ris"}, "application/x-research-info-systems"),
        ("format_bibliography", "bibliography", {"style": "apa"}, "text/plain"),
        ("scrape_page", "content", {"contentType": "text/markdown; charset=utf-8"}, "text/markdown"),
        ("scrape_page", "content", {"contentType": "text/html"}, "text/html"),
        ("scrape_page", "content", {"contentType": ""}, "text/plain"),
    ],
)  # fmt: skip
def test_the_artifact_of_a_text_is_the_text_in_its_own_type(
    name: str, field: str, facts: dict[str, Any], media_type: str, tmp_path: Path
) -> None:
    text = "# Tides\n\n" + "They rise with the moon.\n\n" * 3000
    body = build_sample(TOOLS[name].result) | facts | {field: text}
    for absent in ("contentEncoding", "comments", "structuredData", "forumSignals", "highlights", "sections"):  # fmt: skip
        body.pop(absent, None)  # of a raw page

    outcome, whole = answer_with(name, TOOLS[name], body, tmp_path)

    shown = outcome.body or {}
    assert whole.decode() == text
    assert (shown["mimeType"], outcome.links[0].mime) == (media_type, media_type)
    [cut] = shown["cut"]
    assert text.startswith(shown[field])
    assert cut == {"path": f"/{field}", "unit": "characters", "kept": len(shown[field]), "total": len(text)}  # fmt: skip
    assert f"offset {cut['kept']}" in shown["summary"]


def test_the_artifact_of_a_json_export_is_the_exported_json(tmp_path: Path) -> None:
    document = {"steps": [{"searchStep": "Look. " * 50, "stepNumber": n} for n in range(400)]}
    body = build_sample(TOOLS["research_export"].result) | {"format": "json", "document": document}

    outcome, whole = answer_with("research_export", TOOLS["research_export"], body, tmp_path)

    shown = outcome.body or {}
    assert json.loads(whole) == document
    assert shown["mimeType"] == "application/json"
    assert shown["document"]["steps"] == document["steps"][: len(shown["document"]["steps"])]
    assert shown["cut"][0]["total"] == 400


CHOICES: list[dict[str, Any]] = [
    *({"profile": name} for name in ("default", "all", *tool_selection.PROFILES)),
    *({"toolsets": [name]} for name in sorted({tool.toolset for tool in TOOLS.values()})),
    *({"tools": [name]} for name in sorted(TOOLS)),
    {"read_only": True},
    {"toolsets": ["deep"], "read_only": True},
]


@requires("artifact.every_toolset")
@pytest.mark.parametrize("choice", CHOICES, ids=str)
def test_what_can_link_is_offered_with_what_reads_the_link(choice: dict[str, Any]) -> None:
    entries = tool_selection.select_entries(
        load_manifest()["tools"], **choice, switched_on=SWITCHES
    )

    names = {entry["name"] for entry in entries}
    linking = names - {"search", "fetch", "paper_fulltext"} - PEOPLE
    assert ("read_artifact" in names) is bool(linking)


def test_the_connector_offers_search_and_fetch_alone() -> None:
    settings = config.load_settings({"CITEWELL_CONFIG": "/nonexistent"})
    entries = tool_selection.select_entries(load_manifest()["tools"], profile="connector")

    assert {entry["name"] for entry in entries} == {"search", "fetch"}
    assert settings[ServerSettings].link_threshold == THRESHOLD


@requires("artifact.three_tools", "get_results.synthesis_whole")
@pytest.mark.parametrize("name", sorted(set(TOOLS) - WHOLE - {"research_export", "scrape_page"}))
def test_other_tools_answer_whole_up_to_the_limit(name: str, tmp_path: Path) -> None:
    body = oversized(TOOLS[name], "both")
    limit = 1 + len(json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode())

    outcome, _ = answer_with(name, TOOLS[name], body, tmp_path, limit=limit)

    assert outcome.body == body
    assert outcome.links == ()


@requires("artifact.raw_size")
@pytest.mark.parametrize("encoding", [None, "base64"])
def test_the_sizes_of_a_shortened_raw_page_agree_with_what_is_shown(
    encoding: str | None, tmp_path: Path
) -> None:
    data = bytes(range(1, 128)) * 600
    text = base64.b64encode(data).decode() if encoding else "Tides rise.\n" * 6000
    facts = {"content": text, "contentLength": len(data if encoding else text), "truncated": False}
    facts |= {"url": "https://example.org/", "contentType": "", "estimatedTokens": 1, "sizeCategory": "?"}  # fmt: skip
    body = facts | ({"contentEncoding": encoding} if encoding else {})

    outcome, whole = answer_with("scrape_page", TOOLS["scrape_page"], body, tmp_path)

    shown = outcome.body or {}
    length = len(base64.b64decode(shown["content"]) if encoding else shown["content"])
    assert 10_000 < length == shown["contentLength"] < shown["originalLength"]
    assert shown["estimatedTokens"] == length // 4
    assert shown["sizeCategory"] == classify_size(length)
    assert shown["originalLength"] == facts["contentLength"]
    assert whole
