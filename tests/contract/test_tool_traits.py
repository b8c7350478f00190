"""What clients are told of every tool beside its arguments, and how long settings wait by default."""

from __future__ import annotations

import pytest

from citewell.core import config, errors
from citewell.core import tooling as tools
from citewell.core.settings import CoreSettings
from citewell.links.link_checks import LINK_STATE_SECONDS
from citewell.net.settings import NetSettings
from citewell.reading.fetch_tiers import MARKDOWN_TIMEOUT_SECONDS
from citewell.reading.settings import ReadingSettings
from citewell.reading.tier_assembly import BROWSER_TIMEOUT_SECONDS, STEALTH_TIMEOUT_SECONDS
from citewell.server.capabilities.tool_selection import load_manifest
from citewell.server.settings import ServerSettings
from citewell.sessions.settings import SessionsSettings
from tests.requirements import requires

READS, WRITES = True, False


@pytest.mark.parametrize(
    ("tool", "traits"),  # read-only, idempotent, open-world
    [
        pytest.param("web_search", (READS, True, True), marks=requires("web_search.annotations")),
        pytest.param("scrape_page", (READS, True, True), marks=requires("scrape_page.annotations")),
        pytest.param("search_and_scrape", (READS, True, True), marks=requires("search_and_scrape.annotations")),
        pytest.param("academic_search", (READS, True, True), marks=requires("academic_search.annotations")),
        pytest.param("citation_graph", (READS, True, True), marks=requires("citation_graph.annotations")),
        pytest.param("paper_fulltext", (READS, True, True), marks=requires("paper_fulltext.annotations")),
        pytest.param("read_artifact", (READS, True, False), marks=requires("read_artifact.annotations")),
        pytest.param("sequential_search", (READS, False, False), marks=requires("sequential_search.annotations")),
        pytest.param("get_research_session", (READS, True, False), marks=requires("get_research_session.annotations")),
        pytest.param("research_export", (READS, True, False), marks=requires("research_export.annotations")),
        pytest.param("format_bibliography", (READS, True, False), marks=requires("format_bibliography.annotations")),
        pytest.param("audit_bibliography", (READS, True, True), marks=requires("audit_bibliography.annotations")),
        pytest.param("check_draft", (READS, True, True), marks=requires("check_draft.annotations")),
        pytest.param("verify_citation", (READS, True, True), marks=requires("verify_citation.annotations")),
        pytest.param("verify_recommendation", (READS, True, True), marks=requires("verify_recommendation.annotations")),
        pytest.param("archive_source", (WRITES, True, False), marks=requires("archive_source.annotations")),
        pytest.param("search", (READS, True, True), marks=requires("search.annotations")),
        pytest.param("fetch", (READS, True, True), marks=requires("fetch.annotations")),
        pytest.param("filing_search", (READS, True, True), marks=requires("filing_search.annotations")),
        pytest.param("legal_search", (READS, True, True), marks=requires("legal_search.annotations")),
        pytest.param("answer", (READS, True, True), marks=requires("answer.annotations")),
        pytest.param("structured_search", (READS, True, True), marks=requires("structured_search.annotations")),
        pytest.param("patent_search", (READS, True, True), marks=requires("patent_search.annotations")),
        pytest.param("news_search", (READS, True, True), marks=requires("news_search.annotations")),
        pytest.param("image_search", (READS, True, True), marks=requires("image_search.annotations")),
        pytest.param("clinical_search", (READS, True, True), marks=requires("clinical_search.annotations")),
        pytest.param("econ_search", (READS, True, True), marks=requires("econ_search.annotations")),
        pytest.param("brand_research", (READS, True, True), marks=requires("brand_research.annotations")),
        pytest.param("local_search", (READS, True, True), marks=requires("local_search.annotations")),
        pytest.param("research", (WRITES, False, True), marks=requires("research.annotations")),
        pytest.param("get_my_analytics", (READS, True, False), marks=requires("get_my_analytics.annotations")),
        pytest.param("memory_save", (WRITES, False, False), marks=requires("memory_save.annotations")),
        pytest.param("memory_recall", (READS, True, False), marks=requires("memory_recall.annotations")),
        pytest.param("workspace_contribute", (WRITES, False, False), marks=requires("workspace_contribute.annotations")),
        pytest.param("workspace_read", (READS, True, False), marks=requires("workspace_read.annotations")),
    ],
)  # fmt: skip
def test_a_tool_says_whether_it_writes_repeats_and_reaches_out(
    tool: str, traits: tuple[bool, bool, bool]
) -> None:
    [hints] = [
        row["wire"]["annotations"] for row in load_manifest()["tools"] if row["name"] == tool
    ]

    assert (hints["readOnlyHint"], hints["idempotentHint"], hints["openWorldHint"]) == traits


@requires("tool.not_destructive")
def test_no_tool_is_destructive() -> None:
    hints = {row["name"]: row["wire"]["annotations"] for row in load_manifest()["tools"]}

    assert set(hints) == set(tools.list_tool_names())
    assert not any(row["destructiveHint"] for row in hints.values())


@requires("limit.search", "limit.tool", "limit.tiers", "limit.document")
def test_settings_wait_as_long_as_promised_by_default() -> None:
    settings = config.load_settings({"CITEWELL_CONFIG": "/nonexistent"})

    assert settings[NetSettings].search_timeout == 10
    assert (settings[ServerSettings].tool_timeout, settings[CoreSettings].long_tool_timeout) == (
        60,
        120,
    )
    assert MARKDOWN_TIMEOUT_SECONDS == 5
    assert STEALTH_TIMEOUT_SECONDS == 20
    assert settings[ReadingSettings].page_timeout == 15
    assert BROWSER_TIMEOUT_SECONDS == 30
    assert settings[ReadingSettings].max_document_bytes == 50 * 2**20


@requires("session.time_to_live", "session.limit", "sequential_search.max_steps")
def test_sessions_are_bounded_as_promised_by_default() -> None:
    settings = config.load_settings({"CITEWELL_CONFIG": "/nonexistent"})

    assert settings[SessionsSettings].session_ttl == 4 * 3600
    assert (
        settings[SessionsSettings].session_max,
        settings[SessionsSettings].session_max_steps,
    ) == (50, 200)


@requires("verify_recommendation.link_cache")
def test_the_state_of_a_link_is_kept_for_an_hour() -> None:
    assert LINK_STATE_SECONDS == 3600


def collect_error_classes(base: type[errors.CitewellError]) -> set[type[errors.CitewellError]]:
    return {base}.union(*(collect_error_classes(one) for one in base.__subclasses__()))


@requires("error.kinds")
def test_errors_are_of_the_promised_kinds() -> None:
    promised = {
        "rate_limited", "auth_required", "blocked", "network", "content_empty", "browser_unavailable",
        "config", "upstream_unavailable", "not_found", "validation", "session_not_found",
    }  # fmt: skip

    kinds = {one.kind for one in collect_error_classes(errors.CitewellError)}

    assert kinds == promised | {"internal"}


@requires("error.retry_after")
@pytest.mark.parametrize(("told", "shown"), [(None, 60), (7, 7)])
def test_a_rate_limit_says_when_to_return(told: float | None, shown: int) -> None:
    block = errors.RateLimited("Slow down.", retry_after=told).build_error_block()

    assert (block["retryable"], block["retryAfterSeconds"]) == (True, shown)


@requires("tool.title")
def test_every_tool_has_a_title_and_the_schema_of_its_answer() -> None:
    wires = [row["wire"] for row in load_manifest()["tools"]]

    assert all(wire["title"] and wire["outputSchema"] for wire in wires)
    assert len({wire["title"] for wire in wires}) == len(wires)
