"""How statements of many sources become claims with evidence."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from citewell.core.values.research import ClaimRelation, ResearchClaim
from citewell.research.claims import claim_building
from citewell.research.claims.claim_building import ClaimSet, SourcedStatement
from tests.research.quoted_statements import DENIED, TREES, built, quoted

AGAIN = "By shading the ground, street trees lower summer temperatures in cities."


def only(*statements: SourcedStatement) -> ResearchClaim:
    (claim,) = built(*statements).claims
    return claim


def test_statements_of_several_sources_are_one_claim() -> None:
    claim = only(quoted(TREES, "src_1"), quoted(AGAIN, "src_2"))

    assert set(claim.sources) == {"src_1", "src_2"}
    assert claim.confidence > only(quoted(TREES, "src_1")).confidence
    assert "single_source" not in claim.flags


def test_a_claim_that_contradicts_a_kept_one_is_kept_beyond_the_limit() -> None:
    other = quoted("Bees need flowers that bloom in early spring.", "src_3", relevance=0.1)
    whole = built(quoted(TREES, "src_1"), quoted(DENIED, "src_2", relevance=0.2), other)

    kept = whole.keep_first_claims(1)

    texts = {claim.id: claim.content for claim in whole.claims}
    assert len(whole.claims) == 3
    assert {texts[claim.id] for claim in kept.claims} == {TREES, DENIED}
    assert kept.conflicts == whole.conflicts
    assert {row.claim_id for row in kept.evidence} == {claim.id for claim in kept.claims}


def test_providers_that_back_a_claim_are_named() -> None:
    claim = only(
        quoted(TREES, "src_1"),
        quoted(AGAIN, "src_2", provider="openai", origin="openai", snippet=TREES, support=0.8),
    )

    assert claim.supporting_providers == ("local", "openai")
    assert claim.contradicting_providers == ()


def test_one_sentence_with_two_citations_is_one_claim_with_two_pieces_of_evidence() -> None:
    statement = quoted(TREES, "src_1", provider="openai", origin="openai")

    found = built(
        statement,
        replace(
            statement, source="src_2", owner="b.org", support=0.1, relation=ClaimRelation.MENTIONS
        ),
    )

    assert len(found.claims) == 1
    assert {row.source for row in found.evidence} == {"src_1", "src_2"}
    assert found.claims[0].confidence == 0.35  # the page that does not bear it out adds nothing


def test_a_claim_none_of_whose_pages_bears_it_out_is_unsupported() -> None:
    claim = only(
        quoted(
            TREES, "src_1", support=0.2, relation=ClaimRelation.MENTIONS, snippet="Trees are tall."
        )
    )

    assert "unsupported" in claim.flags
    assert claim.confidence == 0.0
    assert claim.supporting_providers == ()


def test_a_page_that_could_not_be_checked_counts_a_little() -> None:
    claim = only(
        quoted(
            TREES,
            "src_1",
            support=0.3,
            source_state="unreachable",
            relation=ClaimRelation.MENTIONS,
            snippet="",
        )
    )

    assert claim.confidence == pytest.approx(0.105)
    assert claim.flags == ("unreachable",)


def test_a_page_that_never_existed_counts_for_nothing() -> None:
    claim = only(quoted(TREES, "src_1", support=0.0, source_state="dead", snippet=""))

    assert (claim.confidence, claim.supporting_providers) == (0.0, ())
    assert "dead" in claim.flags


def test_a_claim_without_citation_says_so() -> None:
    claim = only(quoted(TREES, "", snippet="", owner=""))

    assert "uncited" in claim.flags
    assert claim.confidence == 0.0


def test_a_cited_page_that_denies_the_claim_contradicts_it() -> None:
    claim = only(
        quoted(
            TREES, "src_1", provider="openai", relation=ClaimRelation.CONTRADICTS, snippet=DENIED
        )
    )

    assert "contradicted" in claim.flags
    assert claim.contradicting_providers == ("openai",)
    assert claim.supporting_providers == ()


def test_ids_come_from_the_content_and_the_job() -> None:
    first, other = only(quoted(TREES, "src_1")), only(quoted(TREES, "src_1"))
    elsewhere = claim_building.build_claims([quoted(TREES, "src_1")], salt="other").claims[0]

    assert first.id == other.id != elsewhere.id


@pytest.mark.parametrize("seed", range(5))
def test_the_order_of_statements_is_nothing(seed: int) -> None:
    statements = [
        quoted(TREES, "src_1"), quoted(AGAIN, "src_2"), quoted(DENIED, "src_3"),
        quoted("The old bridge is 120 metres long.", "src_1"), quoted("The old bridge is 140 metres long.", "src_2"),
        quoted(AGAIN, "src_4", provider="openai", origin="openai"),
    ]  # fmt: skip
    shuffled = statements[:]
    Random(seed).shuffle(shuffled)

    assert built(*shuffled) == built(*statements)


def test_nothing_said_is_nothing_claimed() -> None:
    assert built() == ClaimSet(claims=(), evidence=(), tables=(), conflicts=())


def test_evidence_names_its_claim_and_has_its_own_id() -> None:
    found = built(quoted(TREES, "src_1"), quoted(AGAIN, "src_2"), quoted(DENIED, "src_3"))

    assert {row.claim_id for row in found.evidence} <= {claim.id for claim in found.claims}
    assert len({row.id for row in found.evidence}) == len(found.evidence)


def _say(owner: str, text: str, published: str | None, source: str) -> SourcedStatement:
    return SourcedStatement(
        text=text,
        provider="local",
        source=source,
        owner=owner,
        support=1.0,
        snippet=text,
        end=len(text),
        published=published,
        relevance=0.5,
        origin=source,
    )


COPIED = "A full-size dishwasher bought today needs about 10 litres of water for a load."


def test_a_source_that_repeats_anothers_words_corroborates_nothing() -> None:
    built = claim_building.build_claims(
        [
            _say("repost.example", COPIED, "2025-11-20", "src_1"),
            _say("consumer.example", COPIED, "2025-09-03", "src_2"),
        ]
    )

    [claim] = built.claims
    assert claim.basis == "1 source"
    assert "single_source" in claim.flags
    assert claim.sources == ("src_2",)
    assert [(row.source, row.relation.value) for row in built.evidence] == [
        ("src_2", "supports"),
        ("src_1", "mentions"),
    ]


def test_sources_in_their_own_words_still_corroborate() -> None:
    other = "About 10 litres of water are needed for a load by a full-size dishwasher bought today."

    built = claim_building.build_claims(
        [_say("one.example", COPIED, None, "src_1"), _say("two.example", other, None, "src_2")]
    )

    assert built.claims[0].basis == "2 sources"
