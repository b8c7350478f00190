"""What may be sent out of research that read the library, decided without a server."""

from __future__ import annotations

from typing import Any

import pytest

from citewell.core.errors import InvalidInput
from citewell.core.values.research import (
    ClaimEvidence,
    ClaimRelation,
    FollowOnTopic,
    ProviderReport,
    ReportCitation,
    ResearchFindings,
    ResearchSource,
)
from citewell.jobs.step_values import (
    PageLead,
    PageReading,
    PageReadings,
    ResearchAssignment,
    parse_assignment,
)
from citewell.net.url_grammar import is_loopback_address
from citewell.research.claims.citation_check import list_cited_pages
from citewell.research.planning import private_material
from citewell.research.planning.private_material import LibraryPermit
from citewell.research.planning.thread_context import ScopeRules

PUBLIC = PageReading(url="https://example.org/a", text="Public words.")
PRIVATE = PageReading(url="library:1", text="Private words.", is_private=True)
OLDER = PageReading(url="library:2", text="Stored before pages were marked.")
READ = PageReadings(pages=(PUBLIC, PRIVATE, OLDER))


def assignment(**more: Any) -> ResearchAssignment:
    return ResearchAssignment(
        query="How?", tier="S", providers=("compatible",), mode="methodical", **more
    )


def permit(*, local: bool = False, **more: Any) -> LibraryPermit:
    return LibraryPermit(assignment(**more), lambda _name: local)


def test_a_provider_without_permission_is_given_public_pages_alone() -> None:
    assert permit().keep_given_pages("compatible", READ).pages == (PUBLIC,)
    assert permit(local=True).keep_given_pages("compatible", READ) == READ
    assert permit(share_library=True).keep_given_pages("compatible", READ) == READ


def test_a_saved_page_that_the_web_gave_too_is_public() -> None:
    saved = PRIVATE.model_copy(update={"address": "http://example.org/a?utm_source=x"})
    other = PRIVATE.model_copy(update={"url": "library:3", "address": "https://example.org/b"})

    kept = private_material.drop_saved_copies(PageReadings(pages=(saved, PUBLIC, other, PRIVATE)))

    assert kept.pages == (PUBLIC, other, PRIVATE)


@pytest.mark.parametrize(("scope", "count"), [("web", 1), ("both", 1), ("library", 3)])
def test_further_searches_of_the_web_are_made_from_public_pages(scope: str, count: int) -> None:
    kept = private_material.choose_query_pages(assignment(scope=scope), READ)

    assert len(kept.pages) == count


def test_a_context_that_may_quote_the_library_is_told_only_where_allowed() -> None:
    private: dict[str, Any] = {"context": "Quoted words.", "context_is_private": True}

    assert permit(**private).choose_sent_context("openai") == ""
    assert permit(**private, share_library=True).choose_sent_context("openai") == "Quoted words."
    assert permit(context="Public.").choose_sent_context("openai") == "Public."


def test_addresses_of_a_model_that_read_the_library_are_not_opened() -> None:
    own, other = "https://example.org/own?x=secret", "https://example.org/other"
    leads = [PageLead(url=own), PageLead(url=other)]
    reports = [
        ProviderReport(provider="compatible", text=".", citations=(ReportCitation(url=own),)),
        ProviderReport(provider="openai", text=".", citations=(ReportCitation(url=other),)),
    ]

    trusted = permit(local=True).keep_uninformed_reports(reports, READ)
    closed = private_material.refuse_model_addresses(leads, list_cited_pages(trusted))
    public = permit(local=True).keep_uninformed_reports(reports, PageReadings(pages=(PUBLIC,)))

    assert {url: page.state for url, page in closed.items()} == {own: "refused"}
    assert public == reports


def findings(*topics: str) -> ResearchFindings:
    def quote(number: int, snippet: str) -> ClaimEvidence:
        return ClaimEvidence(
            id=f"evd_{number}", claim_id="clm_1", relation=ClaimRelation.SUPPORTS, snippet=snippet,
            start=0, end=1, relevance_score=1.0, discovered_by_provider="local", source=f"src_{number}",
        )  # fmt: skip

    return ResearchFindings(
        query="How do batteries age?",
        synthesis="",
        synthesis_by="extractive",
        sources=(
            ResearchSource(ref="src_1", url="https://example.org/a"),
            ResearchSource(ref="src_2", url="library:2", is_private=True),
        ),
        evidence=(
            quote(1, "Heat ages batteries."),
            quote(2, "Heat at Quixotrand ages batteries."),
        ),
        follow_ons=tuple(FollowOnTopic(topic=topic, rationale="") for topic in topics),
    )


def test_suggestions_with_words_of_the_library_are_dropped() -> None:
    found = findings("How does heat age batteries?", "What happened at Quixotrand?")

    kept = private_material.drop_private_topics(found)

    assert [follow_on.topic for follow_on in kept.follow_ons] == ["How does heat age batteries?"]
    with pytest.raises(InvalidInput, match="customQuery"):
        private_material.check_public_topic(found.follow_ons[1].topic, found)


@pytest.mark.parametrize(
    ("args", "private"),
    [
        ({"scope": "web"}, False),
        ({"scope": "both"}, True),
        ({"scope": "library"}, True),
        ({"scope": "web", "context_is_private": True}, True),
        ({}, True),
    ],
)
def test_a_report_is_private_if_its_job_could_read_the_library(
    args: dict[str, Any], private: bool
) -> None:
    bare = findings().model_copy(update={"sources": ()})

    assert private_material.can_quote_library(args, bare) is private
    assert private_material.can_quote_library(args, findings())


def test_a_job_stored_before_scopes_does_not_read_the_library() -> None:
    stored = {"query": "How?", "tier": "S", "providers": ["local"], "mode": "methodical"}

    assert parse_assignment(stored).scope == "web"


@pytest.mark.parametrize(
    ("url", "own"),
    [
        ("http://localhost:11434/v1", True),
        ("http://127.0.0.1:1234/v1", True),
        ("http://127.8.8.8/v1", True),
        ("http://[::1]:1234/v1", True),
        ("http://LOCALHOST/", True),
        ("http://192.168.1.9:11434/v1", False),
        ("http://10.0.0.1/v1", False),
        ("http://0.0.0.0:1234/", False),
        ("http://models.example.org/v1", False),
        ("http://models.localhost/v1", False),
        ("http://localhost.example.org/v1", False),
        ("http://127.0.0.1@models.example.org/v1", False),
        ("not an address", False),
    ],
)
def test_only_a_loopback_address_is_this_machine(url: str, own: bool) -> None:
    assert is_loopback_address(url) is own


@pytest.mark.parametrize(
    ("rules", "asked", "parent", "scope"),
    [
        (ScopeRules(), None, None, "web"),
        (ScopeRules(), "both", "library", "both"),
        (ScopeRules(), None, "library", "library"),
        (ScopeRules(default="both"), None, None, "both"),
        (ScopeRules(default="both"), None, "web", "web"),
        (ScopeRules(is_local_only=True), None, "web", "library"),
        (ScopeRules(is_local_only=True), "library", None, "library"),
    ],
)
def test_the_scope_is_that_of_the_call_the_parent_or_the_settings(
    rules: ScopeRules, asked: str | None, parent: str | None, scope: str
) -> None:
    assert rules.choose_scope(asked, parent=parent) == scope


@pytest.mark.parametrize(
    ("rules", "asked", "word"),
    [(ScopeRules(), "moon", "scope"), (ScopeRules(is_local_only=True), "both", "SEARCH_ROUTING")],
)
def test_a_scope_that_cannot_be_had_is_refused(rules: ScopeRules, asked: str, word: str) -> None:
    with pytest.raises(InvalidInput, match=word):
        rules.choose_scope(asked)
