from __future__ import annotations

import json

import pytest

from citewell.core.values.research import (
    ClaimEvidence,
    ClaimRelation,
    EvidencePassage,
    ResearchClaim,
    ResearchFindings,
    ResearchSource,
    ValueRow,
    ValueTable,
)
from citewell.research.reporting.evidence_pack import build_evidence_pack

SOURCES = tuple(
    ResearchSource(
        ref=f"src_{number}",
        url=f"https://p{number}.example.org/page",
        title=f"Page {number}",
        domain=f"p{number}.example.org",
        published="2024-01-02T00:00:00Z",
    )
    for number in range(1, 31)
)


def found(**given: object) -> ResearchFindings:
    base = ResearchFindings(
        query="When was the bridge opened, and what did it cost?",
        synthesis="# E\n",
        synthesis_by="extractive",
        sources=SOURCES,
        parts=("When was the bridge opened", "what did it cost"),
        passages=tuple(
            EvidencePassage(
                ref=source.ref,
                heading="History",
                text=f"Passage {place} says that the bridge was opened in 1932. " * 8,
                start=10 * place,
                end=10 * place + 8,
            )
            for place, source in enumerate(SOURCES)
        ),
        claims=(
            claim("c1", "The bridge was opened in 1932.", "src_1", "src_2"),
            claim("c2", "It was opened in 1931.", "src_3", flags=("contradicted",)),
            claim("c3", "A single source says this.", "src_4"),
        ),
        value_tables=(
            ValueTable(
                subject="cost",
                rows=(
                    ValueRow(value="10 million", source="src_1"),
                    ValueRow(value="6 million", source="src_5"),
                ),
            ),
        ),
        not_found=("what did it cost",),
    )
    return base.model_copy(update=given)


def claim(name: str, content: str, *refs: str, flags: tuple[str, ...] = ()) -> ResearchClaim:
    return ResearchClaim(
        id=name,
        content=content,
        confidence=0.5,
        confidence_level="medium",
        sources=refs,
        flags=flags,
        supporting_providers=("local",),
    )


def test_the_pack_says_what_was_asked_found_disputed_and_missing() -> None:
    pack = build_evidence_pack(found())

    assert pack["question"].startswith("When was the bridge")
    assert pack["parts"] == ["When was the bridge opened", "what did it cost"]
    assert pack["missing"] == ["what did it cost"]
    assert "[src_N]" in pack["instructions"]
    first = pack["passages"][0]
    assert (first["ref"], first["title"], first["date"]) == ("src_1", "Page 1", "2024-01-02")
    assert (first["heading"], first["address"]) == ("History", "https://p1.example.org/page")
    assert first["offsets"] == {"start": 0, "end": 8}
    assert pack["claims"] == [
        {
            "content": "cost: 10 million [src_1]; 6 million [src_5]",
            "sources": ["src_1", "src_5"],
            "remarks": ["values differ"],
        },
        {
            "content": "The bridge was opened in 1932.",
            "sources": ["src_1", "src_2"],
            "remarks": ["2 sources"],
        },
        {"content": "It was opened in 1931.", "sources": ["src_3"], "remarks": ["disputed"]},
    ]


@pytest.mark.parametrize("tokens", [800, 1500, 3000, 20_000])
def test_the_pack_keeps_to_its_tokens_and_counts_what_it_left_out(tokens: int) -> None:
    pack = build_evidence_pack(found(), tokens=tokens)

    size = len(json.dumps(pack, ensure_ascii=False, separators=(",", ":")).encode())
    assert size <= 4 * tokens
    assert pack["passages"]
    assert pack["claims"]
    left = pack.get("omitted", {}).get("passages", 0)
    assert len(pack["passages"]) + left == len(SOURCES)


def test_every_source_of_the_pack_has_its_citation() -> None:
    pack = build_evidence_pack(found())

    refs = {row["ref"] for row in pack["passages"]}
    refs |= {ref for row in pack["claims"] for ref in row["sources"]}
    assert refs == set(pack["citations"])
    assert pack["citations"]["src_1"] == (
        "Page 1 (article, 2024-01-02, p1.example.org): https://p1.example.org/page"
    )


def test_an_older_job_without_passages_gives_the_snippets_of_its_claims() -> None:
    evidence = ClaimEvidence(
        id="e1",
        claim_id="c1",
        relation=ClaimRelation.SUPPORTS,
        snippet="The bridge was opened in 1932.",
        start=5,
        end=35,
        relevance_score=1.0,
        discovered_by_provider="local",
        source="src_1",
        place="History",
    )
    old = found(passages=(), parts=(), evidence=(evidence, evidence))

    pack = build_evidence_pack(old)

    assert [row["text"] for row in pack["passages"]] == ["The bridge was opened in 1932."]
    assert "parts" not in pack


def test_findings_stored_before_there_were_passages_still_load() -> None:
    stored = found().model_dump(mode="json", exclude={"passages", "parts"})

    assert ResearchFindings.model_validate(stored).passages == ()


def test_a_job_that_found_nothing_still_says_what_is_missing() -> None:
    pack = build_evidence_pack(found(passages=(), claims=(), value_tables=(), sources=()))

    assert pack["passages"] == []
    assert pack["missing"] == ["what did it cost"]
