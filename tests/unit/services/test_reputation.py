from __future__ import annotations

import json
from importlib import resources
from typing import Any

import pytest

from citewell.services.sources.host_reputation import HostReputations
from citewell.text.web import addresses

TABLE = {
    "version": "2026-01-02",
    "domains": {"example.org": {"tier": "high", "basis": "A test."}},
}


def bundled() -> dict[str, Any]:
    file = resources.files("citewell.services.sources") / "reputation.json"
    return json.loads(file.read_text(encoding="utf-8"))


def test_a_subdomain_has_its_parents_reputation_with_its_date() -> None:
    found = HostReputations(TABLE).find_reputation("deep.below.example.org")

    assert found is not None
    assert (found.tier, found.basis, found.as_of) == ("high", "A test.", "2026-01-02")


@pytest.mark.parametrize("host", ["notexample.org", "example.org.evil.com", "org", ""])
def test_a_host_that_merely_contains_a_known_one_is_unknown(host: str) -> None:
    assert HostReputations(TABLE).find_reputation(host) is None


def test_a_known_host_in_a_parameter_earns_nothing() -> None:
    host = addresses.extract_host("https://spam.example.net/?ref=nature.com.gov")

    assert HostReputations().find_reputation(host) is None


@pytest.mark.parametrize(
    ("host", "tier"),
    [
        ("www.nature.com", "high"),
        ("pubmed.ncbi.nlm.nih.gov", "high"),
        ("en.wikipedia.org", "mixed"),
        ("arxiv.org", "mixed"),
        ("www.theonion.com", "low"),
    ],
)
def test_the_bundled_table_knows_all_three_tiers(host: str, tier: str) -> None:
    found = HostReputations().find_reputation(host)

    assert found is not None
    assert found.tier == tier


def test_every_bundled_entry_is_a_host_with_a_tier_and_a_one_line_basis() -> None:
    table = bundled()

    assert len(table["domains"]) >= 120
    for host, entry in table["domains"].items():
        assert addresses.parse_domain(host) == host
        assert entry["tier"] in {"high", "mixed", "low"}
        assert entry["basis"].endswith(".")
        assert "\n" not in entry["basis"]
