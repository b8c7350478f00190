"""A marked call for every free text that a tool takes, and who was sent the mark.

A tool or argument that is in none of the tables fails `test_sealed_queries` until it is added.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import unquote_plus

from citewell import providers
from citewell.routing.ports import ProviderOption
from tests.internet.faults import Asked
from tests.internet.world import Page, World

MARKS = ("quixotrand", "vellumbrook")  # in no page of the loopback web, and in no setting
MARKED = " ".join(MARKS)
TOPIC = f"http caching {MARKED}"
DEAD = "lost.example.org"  # its pages are gone, which makes readers look for copies
SEARXNG = "searxng"
# Arguments that hold no words of the caller's: names, codes, dates, and ids of earlier answers.
NO_TEXT = (
    frozenset(
        [
            "artifact",
            "branchId",
            "claimId",
            "country",
            "date_from",
            "date_to",
            "form_type",
            "jobId",
            "jurisdiction",
            "language",
            "lens",
            "page_token",
            "provider",
            "providers",
            "schema",
            "sessionId",
            "threadId",
            "units",
            "workspace_id",
        ]
    )
    | {("fetch", "id"), ("monitor_query_check", "id"), ("read_artifact", "id")}
    | {
        ("read_artifact", "section"),
        ("scrape_page", "section"),  # a heading, looked for in the page on this machine
    }
)
# Texts that stay on this machine or go to a page's own host, by design; still nobody else sees them.
REFERENCE = f"Smith, J. ({2020}). A study of {MARKED} and http caching. Journal of Caching, 3, 1-9."
DRAFT = (
    f"# Draft\n\nThe {MARKED} method halves http caching costs (Smith, 2020).\n\n"
    f"In {MARKED} v. Board, 347 U.S. 483 (1954), the court agreed.\n\n## References\n\n{REFERENCE}\n"
)


def list_marked_calls(world: World) -> dict[str, tuple[dict[str, Any], ...]]:
    """The marked calls of each tool that needs no earlier answer."""
    page = world.address("docs.example.com", "http/caching")
    lost = world.address(DEAD, f"{MARKS[0]}/{MARKS[1]}")
    trial = f"clinical trial of {MARKED} for asthma"
    return {
        "academic_search": ({"query": TOPIC}, {"query": TOPIC, "source": "arxiv"}),
        "answer": ({"query": f"What is {TOPIC}?"},),
        "archive_source": ({"url": lost},),
        "audit_bibliography": (
            {"bibliography": REFERENCE},
            {"bibliography": DRAFT},
            {"entries": [{"title": TOPIC, "author": "Smith, J.", "url": lost, "claim": TOPIC}]},
        ),
        "brand_research": (
            {"company_name": MARKED, "depth": "full"},
            {"url": page, "company_name": MARKED, "depth": "full"},
        ),
        "check_draft": (
            {"text": DRAFT, "find_sources": True},
            {"text": f"It works [1].\n\n[1] {lost}", "bibliography": REFERENCE},
        ),
        "citation_graph": ({"paper": TOPIC}, {"paper": f"10.1234/{MARKS[0]}"}),
        "clinical_search": (
            {"query": MARKED},
            {"condition": MARKED, "intervention": MARKED, "sponsor": MARKED},
        ),
        "econ_search": ({"query": f"{MARKED} inflation"}, {"series_id": MARKS[0].upper()}),
        "fetch": ({"id": lost},),
        "filing_search": ({"query": MARKED}, {"ticker": MARKS[0][:5].upper(), "query": MARKED}),
        "format_bibliography": ({"sources": [{"title": TOPIC, "url": lost}]},),
        "image_search": ({"query": TOPIC},),
        "legal_search": ({"query": MARKED}, {"query": f"{MARKED} v. Board", "jurisdiction": "us"}),
        "local_search": ({"query": MARKED, "near": MARKS[0]},),
        "memory_recall": ({"query": MARKED, "topic": MARKS[0]},),
        "memory_save": ({"note": MARKED, "url": lost, "tags": [MARKS[0]], "topic": MARKS[1]},),
        "monitor_query_save": ({"query": TOPIC},),
        "news_search": ({"query": TOPIC}, {"query": TOPIC, "news_source": f"{MARKS[0]}.example"}),
        "paper_fulltext": ({"identifier": TOPIC}, {"identifier": f"10.1234/{MARKS[0]}"}),
        "patent_search": (
            {"query": MARKED, "assignee": MARKS[0], "inventor": MARKS[1], "cpc_code": "G06F"},
        ),
        "scrape_page": ({"url": lost}, {"url": page}),
        "search": ({"query": TOPIC}, {"query": trial}, {"query": f"US court cases on {MARKED}"}),
        "search_and_scrape": ({"query": TOPIC, "claim": f"{MARKED} is fast"},),
        "search_claims": ({"query": MARKED},),
        "sequential_search": (
            {
                "searchStep": TOPIC,
                "stepNumber": 1,
                "nextStepNeeded": True,
                "researchGoal": TOPIC,
                "reasoning": MARKED,
                "rejectedApproaches": [MARKED],
                "sessionSummary": MARKED,
                "knowledgeGap": f"{MARKED} costs",
                "closesGap": MARKED,
                "depth": "thorough",
            },
        ),
        "structured_search": (
            {"query": TOPIC, "category": "news", "provider": "local"},
            {"query": TOPIC},
        ),
        "verify_citation": (
            {"citation": REFERENCE, "claim": f"{MARKED} halves costs"},
            {"citation": lost, "claim": MARKED},
            {"citation": f"https://doi.org/10.1234/{MARKS[0]}"},
        ),
        "verify_recommendation": (
            {
                "recommendations": [{"title": TOPIC, "url": page, "author": MARKED}],
                "claim": f"{MARKED} is best",
            },
        ),
        "web_search": (
            {"query": TOPIC, "fetch_content": True, "claim": MARKED, "exclude_terms": "spam"},
            {"query": MARKED, "exact_terms": MARKED, "site": f"{MARKS[0]}.example"},
            {"query": TOPIC, "sites": [f"{MARKS[0]}.example", "docs.example.com"]},
            {"query": f"!!g {TOPIC}"},
            {"query": TOPIC, "category": "news"},
            {"query": TOPIC, "category": "science"},
            {"query": TOPIC, "provider": "duckduckgo"},
        ),
        "workspace_contribute": ({"note": MARKED, "url": lost, "tags": [MARKS[0]], "workspace_id": "w"},),
    }  # fmt: skip


# Called by the test of a whole job, with the id of the job.
JOB_CALLS: dict[str, dict[str, Any]] = {
    "research": {"query": f"How does {TOPIC} in clinical trials of asthma work?"},
    "follow_up": {"customQuery": f"Why is {MARKED} cheaper?"},
    "get_results": {"draft": f"The {MARKED} method is cheap [1]."},
}

# Tools whose marked calls reach others where nothing is sealed.
REACHES_OTHERS = frozenset(
    [
        "academic_search",
        "audit_bibliography",
        "brand_research",
        "check_draft",
        "citation_graph",
        "clinical_search",
        "econ_search",
        "filing_search",
        "image_search",
        "legal_search",
        "local_search",
        "news_search",
        "paper_fulltext",
        "patent_search",
        "search",
        "search_and_scrape",
        "sequential_search",
        "verify_citation",
        "verify_recommendation",
        "web_search",
    ]
)


def list_untested_arguments(
    entries: Iterable[Mapping[str, Any]], calls: Mapping[str, Iterable[Mapping[str, Any]]]
) -> list[str]:
    """The free texts of tools that no marked call sends."""
    missing = []
    for entry in entries:
        name, schema = entry["name"], entry["wire"]["inputSchema"]
        sent = {key for call in calls.get(name, ()) for key in call}
        missing += [
            f"{name}.{key}"
            for key, shape in schema.get("properties", {}).items()
            if shape.get("type", "string") in {"string", "array", "object"}
            and "enum" not in shape
            and not {key, (name, key)} & NO_TEXT
            and key not in sent
        ]
    return missing


def list_every_key() -> dict[str, str]:
    """A value for each key and switch of every provider but SearXNG, so that all could be asked."""
    options = [
        option
        for name in providers.NAMES
        if name != SEARXNG
        for option in providers.load(name).SPEC.options
    ]
    return {option.env: _choose_value(option) for option in options if _opens_provider(option)}


def _opens_provider(option: ProviderOption) -> bool:
    return option.secret or option.required or option.is_switch


def _choose_value(option: ProviderOption) -> str:
    return "true" if option.is_switch else "test-key-of-ours"


def add_marked_pages(world: World) -> None:
    """Pages that a marked query finds: one that can be read, and one that is gone."""
    text = f"HTTP caching {MARKED} explained. The {MARKED} method stores answers. " * 3
    living = Page(host="docs.example.com", path="http/method", title=f"HTTP caching {MARKED}", markdown=text)  # fmt: skip
    gone = Page(host=DEAD, path="/".join(MARKS), title=f"Caching {MARKED}, archived", markdown=text)
    world.add(living, gone)


def list_leaks(world: World, *, allowed: Iterable[str]) -> dict[str, str]:
    """The first marked request of each receiver that is not allowed to see the mark.

    A page's own host may see its path, which a search returned or the caller gave.
    """
    leaks: dict[str, str] = {}
    for name, requests in world.requests.items():
        if name in allowed:
            continue
        for request in requests:
            own = name in {"pages", "robots"}
            text = _write_out(request, with_path=not own)
            if any(mark in text for mark in MARKS) or _has_split_mark(text):
                leaks.setdefault(name, text[:300])
    return leaks


def _write_out(request: Asked, *, with_path: bool) -> str:
    body = request.body.decode("utf-8", "replace")
    path = request.path if with_path else ""
    text = f"{path}?{request.query_string} {json.dumps(request.headers)} {body}"
    for _ in range(3):  # also if it was encoded more than once
        text = unquote_plus(text)
    return text.lower()


def _has_split_mark(text: str) -> bool:
    """Whether a mark is there with other characters between its letters."""
    return any(mark in re.sub(r"[^a-z]", "", text) for mark in MARKS)
