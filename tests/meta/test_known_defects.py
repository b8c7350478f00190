"""Each thing the reference server gets wrong has a test of ours that would catch it here."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]

# What it does, and the test that ours does not.
DEFECTS = {
    "browser fetches skip the address check": "test_browser_attack",
    "hidden text reaches the model": "test_hidden",
    "a cache key omits a parameter": "test_an_argument_that_changes_the_result_changes_the_key",
    "filters are ignored without a word": "test_filters",
    "extraction loses structure": "test_markdown_structure",
    "citations come out without author and date": "test_citation",
    "pages that are not UTF-8 turn to mojibake": "test_encodings",
    "search_and_scrape is not ranked or deduplicated": "test_gather",
    "a 404 costs three fetches": "test_a_missing_page_costs_one_request",
    "empty answers are cached for the full time": "test_an_empty_answer_is_kept_for_a_minute_at_most",
    "query length is counted in bytes": "test_length_counts_characters_not_bytes",
    "the disk cache is lost on SIGKILL": "test_store_kill",
    "a session's summary vanishes": "test_what_later_steps_say_of_earlier_ones_is_derived",
    "a negative stepNumber is accepted": "test_a_step_that_cannot_be_recorded_says_why",
    "a registry that is down makes a genuine DOI false": "test_no_outage_makes_a_genuine_citation_a_suspect",
    "malformed records of a bibliography are skipped in silence": "test_a_bibtex_file_is_audited",
    "lists of references in prose cannot be audited": "test_a_whole_list_is_split_where_references_end",
    "no source can be of low reputation": "test_recommendation",
    "a denial is heard in English only": "test_denial_is_heard_in_each_language_and_connectives_are_not_denial",
    "MLA writes days as numbers": "test_mla_writes_days_its_own_way",
    "authority by substring of the address": "test_a_name_inside_another_name_earns_nothing",
    "HTTP binds all interfaces and accepts any origin": "test_host_and_origin_decide_who_may_call",
    "metrics are open": "test_the_numbers_are_for_operators",
    "the breaker counts cancellations and the caller's own errors": "test_breaker",
    "one cancelled caller fails everybody": "test_identical_calls_in_flight_share_one_run_and_one_cancelled_caller_harms_nobody",
    "a lens uses its first ten domains only": "test_lenses",
    "Brave's image link is the page": "test_brave",
    "tools/list floods the context": "test_the_list_fits_its_budget",
}


def names() -> set[str]:
    """Every test function and test module there is."""
    found: set[str] = set()
    for path in TESTS.rglob("test_*.py"):
        found.add(path.stem)
        tree = ast.parse(path.read_text(encoding="utf-8"))
        found |= {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    return found


@pytest.mark.parametrize("defect", DEFECTS)
def test_a_known_defect_has_its_test(defect: str) -> None:
    assert DEFECTS[defect] in names()
