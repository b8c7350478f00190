"""One table says what kind of source a host is, how far it is trusted, and why."""

from __future__ import annotations

import json
from importlib import resources
from typing import Any

import pytest

from citewell.evidence.signs.source_quality import classify_authority
from citewell.reading.metadata.host_standing import (
    find_host_reputation,
    find_host_standing,
    find_page_standing,
)
from citewell.text import addresses
from tests.requirements import requires

SOURCE_TYPES = {
    "peer_reviewed", "official_docs", "government", "news_publication", "blog", "forum", "wiki", "social_media", "unknown",
}  # fmt: skip
TIER_BY_REPUTATION = {"high": "high", "mixed": "medium", "low": "low"}


@pytest.fixture(scope="module")
def table() -> dict[str, Any]:
    file = resources.files("citewell.reading.metadata") / "source_standing.json"
    loaded: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return loaded


def test_a_subdomain_has_its_parents_reputation_with_its_date(table: dict[str, Any]) -> None:
    found = find_host_reputation("deep.below.reuters.com")

    assert found is not None
    assert (found.tier, found.as_of) == ("high", table["version"])
    assert found.basis == find_host_standing("www.reuters.com").basis


@pytest.mark.parametrize("host", ["notreuters.com", "reuters.com.evil.com", "com", ""])
def test_a_host_that_merely_contains_a_known_one_is_unknown(host: str) -> None:
    assert find_host_reputation(host) is None


def test_a_known_host_in_a_parameter_earns_nothing() -> None:
    host = addresses.extract_host("https://spam.example.net/?ref=nature.com.gov")

    assert find_host_reputation(host) is None


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
def test_the_table_knows_all_three_tiers(host: str, tier: str) -> None:
    found = find_host_reputation(host)

    assert found is not None
    assert found.tier == tier


@requires("defect.contradicting_standing")
def test_authority_and_reputation_never_contradict_each_other(table: dict[str, Any]) -> None:
    for group in table["groups"]:
        standing = find_host_standing(group["hosts"][0])

        if standing.reputation is not None:
            assert (
                classify_authority(standing.authority) == TIER_BY_REPUTATION[standing.reputation]
            ), group


@requires("defect.contradicting_standing")
@pytest.mark.parametrize(
    "url",
    [
        "https://www.nature.com/press-releases/a",
        "https://www.nature.com/articles/d41586-023-1",
        "https://www.mayoclinic.org/newsroom/a",
    ],
)
def test_a_finer_kind_keeps_the_authority_of_a_known_reputation(url: str) -> None:
    standing = find_page_standing(url)

    assert (standing.reputation, classify_authority(standing.authority)) == ("high", "high")


def test_every_host_is_listed_once_with_a_known_kind_and_a_one_line_basis(
    table: dict[str, Any],
) -> None:
    hosts = [host for group in table["groups"] for host in group["hosts"]]

    assert len(hosts) == len(set(hosts)) >= 400
    for group in table["groups"]:
        assert group["kind"] in table["kinds"]
        assert group.get("reputation") in {"high", "mixed", "low", None}
        assert group["basis"].endswith(".")
        assert "\n" not in group["basis"]
    assert [host for host in hosts if addresses.parse_domain(host) != host] == []


def test_every_kind_has_one_of_the_nine_source_types(table: dict[str, Any]) -> None:
    assert {kind["source_type"] for kind in table["kinds"].values()} == SOURCE_TYPES


def test_only_journals_are_called_peer_reviewed(
    table: dict[str, Any],
) -> None:
    reviewed = {
        name for name, kind in table["kinds"].items() if kind["source_type"] == "peer_reviewed"
    }

    assert reviewed == {"journal"}
