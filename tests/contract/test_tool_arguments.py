"""The arguments of every tool: published as promised, and refused by name beyond their bounds."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from citewell.core import config
from citewell.server.app import App
from citewell.server.capabilities.tool_selection import load_manifest
from tests.requirements import requires

QUERY = {"type": "string", "minLength": 1, "maxLength": 500}
ID = {"type": "string", "minLength": 1, "maxLength": 100}
OFF = {"type": "boolean", "default": False}
ON = {"type": "boolean", "default": True}
TEXT = {"type": "string"}
TIER = {"type": "string", "enum": ["XXS", "XS", "S", "M", "L", "XL"]}
SCOPE = {"type": "string", "enum": ["web", "library", "both"]}
NOTE = {"type": "string", "minLength": 1, "maxLength": 10_000}
WORKSPACE = {"type": "string", "minLength": 1, "maxLength": 128}
LEVEL = {"type": "string", "enum": ["high", "medium", "low"]}


def number(least: int, most: int | None = None, default: int | None = None) -> dict[str, Any]:
    bounds = {"minimum": least, "maximum": most, "default": default}
    return {"type": "integer"} | {key: value for key, value in bounds.items() if value is not None}


def choice(*values: str, default: str | None = None) -> dict[str, Any]:
    return {"type": "string", "enum": list(values)} | ({"default": default} if default else {})


# Tool, argument, whether it is required, what is promised, and the requirement.
PROMISES = [
    ("web_search", "query", True, QUERY, "web_search.query"),
    ("web_search", "num_results", False, number(1, 50, 5), "web_search.num_results"),
    ("web_search", "time_range", False, choice("day", "week", "month", "year"), "web_search.time_range"),
    ("web_search", "safe", False, choice("off", "medium", "high", default="medium"), "web_search.safe"),
    ("web_search", "language", False, TEXT, "web_search.language"),
    ("web_search", "country", False, TEXT, "web_search.country"),
    ("web_search", "site", False, TEXT, "web_search.site"),
    ("web_search", "sites", False, {"type": "array", "maxItems": 10}, "web_search.sites"),
    ("web_search", "lens", False, TEXT, "web_search.lens"),
    ("web_search", "exact_terms", False, TEXT, "web_search.exact_terms"),
    ("web_search", "exclude_terms", False, TEXT, "web_search.exclude_terms"),
    ("web_search", "provider", False, TEXT, "web_search.provider"),
    ("web_search", "claim", False, TEXT, "web_search.claim"),
    ("web_search", "sessionId", False, TEXT, "web_search.session_id"),
    ("web_search", "fetch_content", False, OFF, "web_search.fetch_content"),
    ("web_search", "category", False, choice("general", "images", "videos", "news", "map", "music", "it", "science", "files", default="general"), "web_search.category"),
    ("scrape_page", "url", True, TEXT, "scrape_page.url"),
    ("scrape_page", "mode", False, choice("full", "preview", "raw", default="full"), "scrape_page.mode"),
    ("scrape_page", "max_length", False, number(1, None, 50_000), "scrape_page.max_length"),
    ("scrape_page", "offset", False, number(0, None, 0), "scrape_page.offset"),
    ("scrape_page", "section", False, TEXT, "scrape_page.section"),
    ("scrape_page", "include_comments", False, OFF, "scrape_page.article_end"),
    ("scrape_page", "include_references", False, ON, "scrape_page.references"),
    ("scrape_page", "sessionId", False, TEXT, "scrape_page.session_id"),
    ("search_and_scrape", "query", True, QUERY, "search_and_scrape.query"),
    ("search_and_scrape", "num_results", False, number(1, 10, 3), "search_and_scrape.num_results"),
    ("search_and_scrape", "include_sources", False, ON, "search_and_scrape.include_sources"),
    ("search_and_scrape", "deduplicate", False, ON, "search_and_scrape.deduplicate"),
    ("search_and_scrape", "max_length_per_source", False, number(1, None, 50_000), "search_and_scrape.max_length_per_source"),
    ("search_and_scrape", "total_max_length", False, number(1, None, 300_000), "search_and_scrape.total_max_length"),
    ("search_and_scrape", "max_tokens", False, number(1, 1_000_000, 4000), "search_and_scrape.max_tokens"),
    ("search_and_scrape", "filter_by_query", False, {"type": "boolean", "default": False}, "search_and_scrape.filter_by_query_default"),
    ("search_and_scrape", "provider", False, TEXT, "search_and_scrape.provider"),
    ("search_and_scrape", "claim", False, TEXT, "search_and_scrape.claim"),
    ("search_and_scrape", "sessionId", False, TEXT, "search_and_scrape.session_id"),
    ("read_artifact", "section", False, TEXT, "read_artifact.section"),
    ("read_artifact", "offset", False, number(0, None, 0), "read_artifact.offset"),
    ("academic_search", "query", True, QUERY, "academic_search.query"),
    ("academic_search", "num_results", False, number(1, 10, 5), "academic_search.num_results"),
    ("academic_search", "year_from", False, number(1900, 2030), "academic_search.years"),
    ("academic_search", "year_to", False, number(1900, 2030), "academic_search.years"),
    ("academic_search", "source", False, choice("all", "arxiv", "pubmed", "ieee", "nature", "springer", default="all"), "academic_search.source"),
    ("academic_search", "pdf_only", False, OFF, "academic_search.pdf_only"),
    ("academic_search", "sort_by", False, choice("relevance", "date", default="relevance"), "academic_search.sort_by"),
    ("academic_search", "open_access", False, OFF, "academic_search.open_access"),
    ("academic_search", "full_text", False, OFF, "academic_search.full_text"),
    ("academic_search", "lens", False, TEXT, "academic_search.lens"),
    ("academic_search", "provider", False, TEXT, "academic_search.provider"),
    ("academic_search", "sessionId", False, TEXT, "academic_search.session_id"),
    ("citation_graph", "paper", True, TEXT, "citation_graph.paper"),
    ("citation_graph", "direction", False, choice("cited_by", "references", "both", default="both"), "citation_graph.direction"),
    ("citation_graph", "num_results", False, number(1, 25, 10), "citation_graph.num_results"),
    ("citation_graph", "influential_only", False, OFF, "citation_graph.influential_only"),
    ("citation_graph", "provider", False, TEXT, "citation_graph.provider"),
    ("citation_graph", "sessionId", False, TEXT, "citation_graph.session_id"),
    ("paper_fulltext", "identifier", True, {"type": "string", "minLength": 1, "maxLength": 2048}, "paper_fulltext.identifier"),
    ("paper_fulltext", "max_length", False, number(1000, 200_000, 50_000), "paper_fulltext.max_length"),
    ("sequential_search", "searchStep", True, TEXT, "sequential_search.search_step"),
    ("sequential_search", "stepNumber", True, number(1), "sequential_search.step_number"),
    ("sequential_search", "nextStepNeeded", True, {"type": "boolean"}, "sequential_search.next_step_needed"),
    ("sequential_search", "sessionId", False, TEXT, "sequential_search.session_id"),
    ("sequential_search", "researchGoal", False, TEXT, "sequential_search.research_goal"),
    ("sequential_search", "reasoning", False, TEXT, "sequential_search.reasoning"),
    ("sequential_search", "confidence", False, LEVEL, "sequential_search.confidence"),
    ("sequential_search", "rejectedApproaches", False, {"type": "array"}, "sequential_search.reasoning"),
    ("sequential_search", "sessionSummary", False, TEXT, "sequential_search.session_summary"),
    ("sequential_search", "responseMode", False, choice("auto", "full", "summary", default="auto"), "sequential_search.response_mode"),
    ("sequential_search", "totalStepsEstimate", False, number(1), "sequential_search.total_steps_estimate"),
    ("sequential_search", "isRevision", False, OFF, "sequential_search.revision"),
    ("sequential_search", "revisesStep", False, number(1), "sequential_search.revision"),
    ("sequential_search", "branchFromStep", False, number(1), "sequential_search.branch"),
    ("sequential_search", "branchId", False, TEXT, "sequential_search.branch"),
    ("sequential_search", "knowledgeGap", False, TEXT, "sequential_search.knowledge_gap"),
    ("sequential_search", "depth", False, choice("quick", "standard", "thorough", default="quick"), "sequential_search.depth"),
    ("get_research_session", "sessionId", True, ID, "get_research_session.session_id"),
    ("get_research_session", "stepId", False, number(1), "get_research_session.step_id"),
    ("research_export", "sessionId", False, ID, "research_export.session_id"),
    ("research_export", "format", False, choice("markdown", "json", "html", "bibtex", default="markdown"), "research_export.format"),
    ("research_export", "verify_links", False, OFF, "research_export.verify_links"),
    ("format_bibliography", "style", False, choice("apa", "mla", "chicago", "harvard", "vancouver", "ieee", "bibtex", "ris", "csl-json", default="apa"), "format_bibliography.style"),
    ("format_bibliography", "sessionId", False, TEXT, "format_bibliography.session_id"),
    ("format_bibliography", "stage", False, choice("listed", "read", "quoted", "cited", default="read"), "format_bibliography.stage"),
    ("format_bibliography", "sources", False, {"type": "array"}, "format_bibliography.sources"),
    ("verify_citation", "citation", True, TEXT, "verify_citation.citation"),
    ("verify_citation", "claim", False, TEXT, "verify_citation.claim"),
    ("audit_bibliography", "bibliography", False, TEXT, "audit_bibliography.bibliography"),
    ("audit_bibliography", "format", False, choice("auto", "csl-json", "ris", "bibtex", "prose", "wos", "enw", "endnote-xml", "nbib", "pubmed-xml", "mods", "zotero-rdf", "word-xml", "csv", "latex", default="auto"), "audit_bibliography.format"),
    ("audit_bibliography", "entries", False, {"type": "array"}, "audit_bibliography.entries"),
    ("audit_bibliography", "sessionId", False, TEXT, "audit_bibliography.session_id"),
    ("check_draft", "text", False, {"type": "string", "maxLength": 4_000_000}, "check_draft.text"),
    ("check_draft", "artifact", False, TEXT, "check_draft.artifact"),
    ("check_draft", "bibliography", False, TEXT, "check_draft.bibliography"),
    ("check_draft", "format", False, choice("auto", "markdown", "plain", "html", "latex", default="auto"), "check_draft.format"),
    ("check_draft", "focus", False, choice("existence", "support", "links", "all", default="all"), "check_draft.focus"),
    ("check_draft", "max_statements", False, number(1, 5000, 500), "check_draft.max_statements"),
    ("check_draft", "style", False, choice("apa", "mla", "chicago", "harvard", "vancouver", "ieee", "bibtex", "ris", "csl-json"), "check_draft.style"),
    ("check_draft", "find_sources", False, OFF, "check_draft.find_sources"),
    ("verify_recommendation", "recommendations", True, {"type": "array", "minItems": 1, "maxItems": 100}, "verify_recommendation.recommendations"),
    ("verify_recommendation", "claim", False, TEXT, "verify_recommendation.claim"),
    ("verify_recommendation", "numCorroborationResults", False, number(1, 10, 5), "verify_recommendation.num_results"),
    ("archive_source", "url", True, TEXT, "archive_source.url"),
    ("research", "query", True, {"type": "string", "minLength": 1, "maxLength": 10_000}, "research.query"),
    ("research", "budgetTier", False, TIER | {"default": "M"}, "research.budget_tier"),
    ("research", "providers", False, {"type": "array"}, "research.providers"),
    ("research", "mode", False, choice("fast", "methodical", default="methodical"), "research.mode"),
    ("research", "scope", False, SCOPE, "research.scope"),
    ("research", "share_library", False, OFF, "research.share_library"),
    ("research_status", "jobId", True, ID, "research_status.job_id"),
    ("research_status", "wait_seconds", False, {"type": "number", "minimum": 0, "maximum": 50, "default": 0}, "research_status.wait"),
    ("get_results", "jobId", True, ID, "get_results.job_id"),
    ("get_results", "includeProviderReports", False, OFF, "get_results.provider_reports"),
    ("get_results", "includeClaimsJson", False, OFF, "get_results.claims"),
    ("get_results", "includeEvidencePack", False, OFF, "get_results.evidence_pack"),
    ("get_results", "draft", False, {"type": "string", "minLength": 1, "maxLength": 100_000}, "get_results.draft"),
    ("get_results", "write", False, choice("server", "client", default="server"), "get_results.client_writing"),
    ("follow_up", "jobId", True, ID, "follow_up.job_id"),
    ("follow_up", "topicIndex", False, {"type": "integer", "default": 0}, "follow_up.topic_index"),
    ("follow_up", "customQuery", False, TEXT, "follow_up.custom_query"),
    ("follow_up", "budgetTier", False, TIER, "follow_up.budget_tier"),
    ("follow_up", "scope", False, SCOPE, "follow_up.scope"),
    ("follow_up", "share_library", False, OFF, "follow_up.share_library"),
    ("list_threads", "limit", False, number(1, 100, 20), "list_threads.limit"),
    ("list_threads", "offset", False, number(0, None, 0), "list_threads.offset"),
    ("get_thread", "threadId", True, ID, "get_thread.thread_id"),
    ("balance", "includeTransactions", False, OFF, "balance.transactions"),
    ("usage", "period", False, choice("7d", "30d", "90d", "all", default="30d"), "usage.period"),
    ("list_providers", "budgetTier", False, TIER, "list_providers.budget_tier"),
    ("search_claims", "threadId", False, TEXT, "search_claims.filters"),
    ("search_claims", "jobId", False, TEXT, "search_claims.filters"),
    ("search_claims", "query", False, TEXT, "search_claims.filters"),
    ("search_claims", "confidenceLevel", False, LEVEL, "search_claims.confidence_level"),
    ("search_claims", "limit", False, number(1, 100, 20), "search_claims.limit"),
    ("get_claim_evidence", "claimId", True, ID, "get_claim_evidence.claim_id"),
    ("get_claim_evidence", "includeHistory", False, OFF, "get_claim_evidence.history"),
    ("search", "query", True, QUERY, "search.query"),
    ("fetch", "id", True, TEXT, "fetch.id"),
    ("filing_search", "query", False, {"type": "string", "maxLength": 500}, "filing_search.query"),
    ("filing_search", "form_type", False, TEXT, "filing_search.form_type"),
    ("filing_search", "ticker", False, TEXT, "filing_search.ticker"),
    ("filing_search", "date_from", False, TEXT, "filing_search.dates"),
    ("filing_search", "date_to", False, TEXT, "filing_search.dates"),
    ("filing_search", "facts", False, OFF, "filing_search.facts"),
    ("filing_search", "num_results", False, number(1, 10, 5), "filing_search.num_results"),
    ("filing_search", "provider", False, TEXT, "provider.tool_names"),
    ("filing_search", "sessionId", False, TEXT, "filing_search.filing"),
    ("answer", "query", True, QUERY, "answer.query"),
    ("answer", "provider", False, TEXT, "answer.provider"),
    ("answer", "sessionId", False, TEXT, "answer.answer"),
    ("structured_search", "query", True, QUERY, "structured_search.query"),
    ("structured_search", "category", False, TEXT, "structured_search.category"),
    ("structured_search", "num_results", False, number(1, 10, 5), "structured_search.num_results"),
    ("structured_search", "schema", False, {"type": "object"}, "structured_search.schema"),
    ("structured_search", "provider", False, TEXT, "provider.tool_names"),
    ("structured_search", "sessionId", False, TEXT, "structured_search.answer"),
    ("patent_search", "query", False, {"type": "string", "maxLength": 500}, "patent_search.query"),
    ("patent_search", "num_results", False, number(1, 10, 5), "patent_search.num_results"),
    ("patent_search", "search_type", False, choice("prior_art", "specific", "landscape", default="prior_art"), "patent_search.search_type"),
    ("patent_search", "patent_office", False, choice("all", "US", "EP", "WO", "JP", "CN", "KR", default="all"), "patent_search.patent_office"),
    ("patent_search", "assignee", False, {"type": "string", "maxLength": 500}, "patent_search.assignee"),
    ("patent_search", "inventor", False, {"type": "string", "maxLength": 500}, "patent_search.inventor"),
    ("patent_search", "cpc_code", False, TEXT, "patent_search.cpc_code"),
    ("patent_search", "year_from", False, {"type": "integer", "minimum": 1790, "maximum": 2100}, "patent_search.years"),
    ("patent_search", "year_to", False, {"type": "integer", "minimum": 1790, "maximum": 2100}, "patent_search.years"),
    ("patent_search", "provider", False, TEXT, "patent_search.provider"),
    ("patent_search", "sessionId", False, TEXT, "patent_search.answer"),
    ("news_search", "query", True, QUERY, "news_search.query"),
    ("news_search", "num_results", False, number(1, 50, 5), "news_search.num_results"),
    ("news_search", "time_range", False, choice("hour", "day", "week", "month", "year", default="week"), "news_search.time_range"),
    ("news_search", "sort_by", False, choice("relevance", "date", default="relevance"), "news_search.sort_by"),
    ("news_search", "news_source", False, TEXT, "news_search.news_source"),
    ("news_search", "country", False, TEXT, "news_search.country"),
    ("news_search", "language", False, TEXT, "news_search.country"),
    ("news_search", "safe", False, choice("off", "moderate", "strict", default="moderate"), "news_search.safe"),
    ("news_search", "lens", False, TEXT, "news_search.news_source"),
    ("news_search", "provider", False, TEXT, "provider.tool_names"),
    ("news_search", "sessionId", False, TEXT, "news_search.session_id"),
    ("image_search", "query", True, QUERY, "image_search.query"),
    ("image_search", "num_results", False, number(1, 200, 5), "image_search.num_results"),
    ("image_search", "size", False, choice("huge", "icon", "large", "medium", "small", "xlarge", "xxlarge"), "image_search.size"),
    ("image_search", "type", False, choice("clipart", "face", "lineart", "stock", "photo", "animated"), "image_search.type"),
    ("image_search", "color_type", False, choice("color", "gray", "mono", "trans"), "image_search.color_type"),
    ("image_search", "dominant_color", False, choice("black", "blue", "brown", "gray", "green", "orange", "pink", "purple", "red", "teal", "white", "yellow"), "image_search.dominant_color"),
    ("image_search", "file_type", False, choice("jpg", "gif", "png", "bmp", "svg", "webp"), "image_search.file_type"),
    ("image_search", "safe", False, choice("off", "medium", "high", default="medium"), "image_search.safe"),
    ("image_search", "country", False, TEXT, "image_search.country"),
    ("image_search", "language", False, TEXT, "image_search.country"),
    ("image_search", "lens", False, TEXT, "image_search.answer"),
    ("image_search", "provider", False, TEXT, "image_search.provider"),
    ("image_search", "sessionId", False, TEXT, "image_search.answer"),
    ("clinical_search", "query", False, {"type": "string", "maxLength": 500}, "clinical_search.query"),
    ("clinical_search", "condition", False, {"type": "string", "maxLength": 500}, "clinical_search.query"),
    ("clinical_search", "intervention", False, {"type": "string", "maxLength": 500}, "clinical_search.query"),
    ("clinical_search", "sponsor", False, {"type": "string", "maxLength": 500}, "clinical_search.query"),
    ("clinical_search", "status", False, {"type": "string"}, "clinical_search.status"),
    ("clinical_search", "phase", False, choice("EARLY_PHASE1", "PHASE1", "PHASE2", "PHASE3", "PHASE4"), "clinical_search.phase"),
    ("clinical_search", "with_results", False, OFF, "clinical_search.phase"),
    ("clinical_search", "num_results", False, number(1, 100, 10), "clinical_search.num_results"),
    ("clinical_search", "page_token", False, TEXT, "clinical_search.paging"),
    ("clinical_search", "provider", False, TEXT, "provider.tool_names"),
    ("clinical_search", "sessionId", False, TEXT, "clinical_search.answer"),
    ("econ_search", "query", False, {"type": "string", "maxLength": 500}, "econ_search.query"),
    ("econ_search", "series_id", False, {"type": "string", "maxLength": 400}, "econ_search.query"),
    ("econ_search", "country", False, TEXT, "econ_search.country"),
    ("econ_search", "date_from", False, TEXT, "econ_search.dates"),
    ("econ_search", "date_to", False, TEXT, "econ_search.dates"),
    ("econ_search", "frequency", False, choice("d", "w", "m", "q", "a"), "econ_search.frequency"),
    ("econ_search", "units", False, TEXT, "econ_search.frequency"),
    ("econ_search", "num_results", False, {"type": "integer", "minimum": 1, "maximum": 100}, "econ_search.num_results"),
    ("econ_search", "provider", False, TEXT, "provider.tool_names"),
    ("econ_search", "sessionId", False, TEXT, "econ_search.mode"),
    ("legal_search", "query", True, QUERY, "legal_search.query"),
    ("legal_search", "jurisdiction", False, TEXT, "legal_search.jurisdiction"),
    ("legal_search", "date_from", False, TEXT, "legal_search.dates"),
    ("legal_search", "date_to", False, TEXT, "legal_search.dates"),
    ("legal_search", "num_results", False, number(1, 20, 10), "legal_search.num_results"),
    ("legal_search", "provider", False, TEXT, "provider.tool_names"),
    ("legal_search", "sessionId", False, TEXT, "legal_search.case"),
    ("local_search", "query", True, QUERY, "local_search.query"),
    ("local_search", "near", False, {"type": "string", "maxLength": 500}, "local_search.near"),
    ("local_search", "latitude", False, {"type": "number", "minimum": -90, "maximum": 90}, "local_search.coordinates"),
    ("local_search", "longitude", False, {"type": "number", "minimum": -180, "maximum": 180}, "local_search.coordinates"),
    ("local_search", "radius", False, {"type": "number", "minimum": 0, "default": 0}, "local_search.radius"),
    ("local_search", "country", False, TEXT, "local_search.near"),
    ("local_search", "units", False, choice("metric", "imperial", default="metric"), "local_search.units"),
    ("local_search", "num_results", False, number(1, 20, 5), "local_search.num_results"),
    ("local_search", "provider", False, TEXT, "provider.tool_names"),
    ("local_search", "sessionId", False, TEXT, "local_search.place"),
    ("brand_research", "url", False, TEXT, "brand_research.url"),
    ("brand_research", "company_name", False, {"type": "string", "maxLength": 500}, "brand_research.url"),
    ("brand_research", "depth", False, choice("quick", "standard", "full", default="standard"), "brand_research.depth"),
    ("brand_research", "include_design_tokens", False, OFF, "brand_research.design_tokens"),
    ("brand_research", "sessionId", False, TEXT, "brand_research.answer"),
    ("memory_save", "note", True, NOTE, "memory_save.arguments"),
    ("memory_save", "topic", False, {"type": "string", "maxLength": 200}, "memory_save.arguments"),
    ("memory_save", "url", False, {"type": "string", "maxLength": 2048}, "memory_save.arguments"),
    ("memory_save", "tags", False, {"type": "array", "maxItems": 20}, "memory_save.arguments"),
    ("memory_recall", "topic", False, {"type": "string", "maxLength": 200}, "memory_recall.arguments"),
    ("memory_recall", "limit", False, number(1, 100, 20), "memory_recall.arguments"),
    ("memory_recall", "query", False, {"type": "string", "maxLength": 500}, "memory_recall.query"),
    ("memory_recall", "offset", False, number(0, 1_000_000, 0), "memory_recall.paging"),
    ("monitor_query_save", "query", True, {"type": "string", "maxLength": 500}, "monitor_query_save.arguments"),
    ("monitor_query_save", "provider", False, TEXT, "monitor_query_save.arguments"),
    ("monitor_query_save", "ttl_days", False, {"type": "integer", "minimum": 1, "maximum": 90}, "monitor_query_save.arguments"),
    ("monitor_query_check", "id", False, TEXT, "monitor_query_check.answer"),
    ("workspace_contribute", "workspace_id", True, WORKSPACE, "workspace_contribute.arguments"),
    ("workspace_contribute", "note", True, NOTE, "workspace_contribute.arguments"),
    ("workspace_contribute", "url", False, {"type": "string", "maxLength": 2048}, "workspace_contribute.arguments"),
    ("workspace_contribute", "tags", False, {"type": "array", "maxItems": 20}, "workspace_contribute.arguments"),
    ("workspace_read", "workspace_id", True, WORKSPACE, "workspace_read.arguments"),
    ("workspace_read", "limit", False, number(1, 500, 100), "workspace_read.answer"),
    ("workspace_read", "offset", False, number(0, 1_000_000, 0), "workspace_read.answer"),
]  # fmt: skip
# One value that each tool's required arguments take, so that only the argument under test is wrong.
SOUND = {
    "query": "words", "url": "https://example.org/", "paper": "10.1000/x", "identifier": "10.1000/x",
    "searchStep": "look", "stepNumber": 1, "nextStepNeeded": True, "sessionId": "s", "jobId": "j",
    "threadId": "t", "claimId": "c", "citation": "10.1000/x", "recommendations": [{"title": "x"}], "id": "x",
    "note": "cells age", "workspace_id": "team",
}  # fmt: skip
CASES = [
    pytest.param(*row[:4], marks=requires(row[4]), id=f"{row[0]}-{row[1]}") for row in PROMISES
]


WRONG_TYPES = {
    "integer": "many",
    "number": "many",
    "string": {"not": "a text"},
    "boolean": "perhaps",
    "array": 7,
    "object": 7,
}


def collect_wrong_values(promised: dict[str, Any]) -> list[Any]:
    """Values of another type, and values just beyond the promised bounds."""
    beyond: dict[str, Callable[[Any], Any]] = {
        "enum": lambda _: "no such value",
        "minimum": lambda bound: bound - 1,
        "maximum": lambda bound: bound + 1,
        "minLength": lambda bound: "x" * (bound - 1),
        "maxLength": lambda bound: "x" * (bound + 1),
        "minItems": lambda bound: ["example.org"] * (bound - 1),
        "maxItems": lambda bound: ["example.org"] * (bound + 1),
    }
    return [WRONG_TYPES[promised["type"]]] + [
        build(promised[key]) for key, build in beyond.items() if key in promised
    ]


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """A server that nothing is asked of but to refuse."""
    folder: Path = tmp_path_factory.mktemp("arguments")
    made = App(
        config.load_settings(
            {
                "CITEWELL_CONFIG": str(folder / "none.toml"),
                "CITEWELL_DATA_DIR": str(folder / "data"),
                "CITEWELL_PROFILE": "all",
                "AUDIT_ENABLED": "false",
            }
        )
    )
    with contextlib.closing(asyncio.Runner()) as runner:
        yield made
        runner.run(made.aclose())


def wire(tool: str) -> dict[str, Any]:
    [shown] = [row["wire"] for row in load_manifest()["tools"] if row["name"] == tool]
    return dict(shown)


def published(tool: str) -> dict[str, Any]:
    return dict(wire(tool)["inputSchema"])


@pytest.mark.parametrize(("tool", "argument", "required", "promised"), CASES)
def test_an_argument_is_published_as_promised(
    tool: str, argument: str, required: bool, promised: dict[str, Any]
) -> None:
    schema = published(tool)

    shown = schema["properties"][argument]
    assert {key: shown.get(key) for key in promised} == promised
    assert (argument in schema.get("required", [])) is required
    assert ("default" in shown) is ("default" in promised)


@pytest.mark.parametrize(("tool", "argument", "required", "promised"), CASES)
def test_a_value_beyond_what_is_promised_is_refused_by_name(
    tool: str, argument: str, required: bool, promised: dict[str, Any], app: App
) -> None:
    sound = {name: SOUND[name] for name in published(tool).get("required", [])}
    wrong = [{**sound, argument: value} for value in collect_wrong_values(promised)]
    if required:
        wrong.append({name: value for name, value in sound.items() if name != argument})

    async def refuse() -> list[Any]:
        return [await app.call_tool(tool, arguments) for arguments in wrong]

    outcomes = asyncio.run(refuse())

    assert outcomes
    for outcome in outcomes:
        sentence, _, block = (outcome.text or "").partition("\n\n")
        assert outcome.is_error
        assert argument in sentence
        assert json.loads(block)["error"]["kind"] == "validation"


def test_every_argument_of_every_tool_is_promised_or_an_addition_of_ours() -> None:
    promised = {(tool, argument) for tool, argument, *_ in PROMISES}
    additions = {
        ("search_and_scrape", "near_duplicates"),
        ("read_artifact", "id"),
        ("read_artifact", "max_length"),
        ("paper_fulltext", "sessionId"),
        ("sequential_search", "closesGap"),
        ("research_export", "jobId"),
        ("research_cancel", "jobId"),
    }

    shown = {
        (row["name"], argument)
        for row in load_manifest()["tools"]
        for argument in row["wire"]["inputSchema"].get("properties", {})
    }

    assert shown == promised | additions


@pytest.mark.parametrize("tool", [
    pytest.param("search", marks=requires("search.schema")),
    pytest.param("fetch", marks=requires("fetch.schema")),
])  # fmt: skip
def test_the_connectors_tools_publish_the_schema_of_their_answer(tool: str) -> None:
    shown = wire(tool)["outputSchema"]

    expected = {"search": ["results"], "fetch": ["id", "title", "text", "url"]}
    assert shown["required"] == expected[tool]
