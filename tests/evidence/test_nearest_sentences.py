""""""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citewell.core.values.research import ClaimRelation
from citewell.evidence.signs import claim_support, nearest_sentences
from citewell.evidence.signs.nearest_sentences import extract_running_text, summarise_markdown
from citewell.text.data_tables import load_table
from citewell.text.language import word_forms
from tests.internet.world import World

GOLD = Path(__file__).parent / "gold" / "citations.json"


def assess(claim: str, text: str, language: str | None = "en") -> claim_support.ClaimSupport:
    return claim_support.assess_support(
        claim, claim_support.SourceText(text=text, language=language)
    )


def test_unsupported_citations_are_told_from_supported_ones() -> None:
    flagged = {"good": [0, 0], "bad": [0, 0]}
    for case in json.loads(GOLD.read_text(encoding="utf-8")):
        source = claim_support.SourceText(text=case["source"], language="en")
        for claim, label in case["claims"]:
            score = claim_support.assess_support(claim, source).score
            flagged[label][score < claim_support.UNSUPPORTED_BELOW_SCORE] += 1

    caught, wrongly = flagged["bad"][True], flagged["good"][True]
    assert caught / (caught + wrongly) >= 0.9
    assert caught / sum(flagged["bad"]) >= 0.8


def test_supported_claims_are_said_to_be_supported() -> None:
    for case in json.loads(GOLD.read_text(encoding="utf-8")):
        source = claim_support.SourceText(text=case["source"], language="en")
        good = [claim for claim, label in case["claims"] if label == "good"]
        assert all(
            claim_support.assess_support(claim, source).relation is ClaimRelation.SUPPORTS
            for claim in good
        )


def test_a_verbatim_quotation_has_the_full_score() -> None:
    text = "Rain fell all night. The river rose by two metres in Koblenz. Nobody was hurt."

    found = assess("The river rose by two metres in Koblenz.", text)

    assert found.score == 1.0
    assert found.snippet == "The river rose by two metres in Koblenz."


def test_a_claim_with_another_number_is_qualified_and_scores_less() -> None:
    text = "The river rose by 2 metres in Koblenz."

    found = assess("The river rose by 3 metres in Koblenz.", text)

    assert found.relation is ClaimRelation.QUALIFIES
    assert found.missing_numbers == ("3 metres",)
    assert found.score < assess("The river rose by 2 metres in Koblenz.", text).score


def test_a_denial_contradicts() -> None:
    found = assess(
        "Vitamin C prevents colds in adults.", "Vitamin C does not prevent colds in adults."
    )

    assert found.relation is ClaimRelation.CONTRADICTS


def test_a_denial_of_something_else_does_not() -> None:
    text = "Vitamin C prevents colds in adults. Zinc does not dissolve."

    assert assess("Vitamin C prevents colds in adults.", text).relation is ClaimRelation.SUPPORTS


def test_a_long_page_does_not_support_by_holding_every_word_somewhere() -> None:
    scattered = " ".join(f"Part {word} of the long page says nothing else." for word in
                         ("glaciers", "alps", "shrank", "third", "summer") for _ in range(30))  # fmt: skip

    assert (
        assess("Glaciers in the Alps shrank by a third one summer.", scattered).score
        < claim_support.MIN_SUPPORTED_SCORE
    )


def test_nothing_in_common_is_nothing() -> None:
    found = assess("Whales sing.", "The bridge opened on Monday.")

    assert (found.score, found.snippet) == (0.0, "")


@pytest.mark.parametrize(("claim", "text"), [("", "Some text."), ("Some claim.", ""), ("", "")])
def test_empty_text_supports_nothing(claim: str, text: str) -> None:
    assert assess(claim, text).score == 0.0


def test_texts_in_two_languages_cannot_be_compared() -> None:
    german = claim_support.SourceText(
        text="Der Fluss stieg in der Nacht um zwei Meter und trat über die Ufer."
    )

    assert not claim_support.can_share_language(
        "The river rose by two metres during the night and it flooded.", german
    )
    assert claim_support.can_share_language(
        "Der Fluss stieg in der Nacht um zwei Meter und war sehr hoch.", german
    )
    assert not claim_support.can_share_language(
        "The river rose by two metres.",
        claim_support.SourceText(text="河水上涨了两米。", language="zh"),
    )


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=60), st.text(max_size=200), st.sampled_from([None, "en", "de", "zh"]))
def test_the_snippet_stands_where_the_offsets_say(
    claim: str, text: str, language: str | None
) -> None:
    found = assess(claim, text, language)

    assert text[found.start : found.end] == found.snippet
    assert 0.0 <= found.score <= 1.0


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("It is safe.", None, False),
        ("It isn't safe.", None, True),
        ("It is not unsafe, nor is it new.", None, False),
        ("It is not only safe but cheap.", None, False),
        ("It is a myth that it works.", None, True),
        ("Es ist nicht sicher.", "de", True),
        ("Es ist nicht nur sicher.", "de", False),
        ("Ce n'est pas sûr.", "fr", True),
        ("No es seguro.", "es", True),
        ("Это не безопасно.", "ru", True),
        ("这不安全。", "zh", True),
        ("安全ではない。", "ja", True),
        ("안전하지 않다.", "ko", True),
        ("No. 5 is alive.", None, False),
    ],
)
def test_two_negations_make_none(text: str, language: str | None, *, expected: bool) -> None:
    assert nearest_sentences.is_negated_statement(text, language=language) is expected


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Das ist eine falsche Angabe.", "de"), ("Ces chiffres sont de fausses données.", "fr"),
        ("این درست نیست.", "fa"), ("這並非事實。", "zh"), ("That is a myth.", "en"), ("To nieprawda, to fałszywy wynik.", "pl"),
    ],
)  # fmt: skip
def test_a_word_that_negates_and_refutes_is_known_as_both(text: str, language: str) -> None:
    assert nearest_sentences.is_negated_statement(text, language=language)
    assert nearest_sentences.has_refutation_cue(text, language=language)


@pytest.mark.parametrize(
    "language", load_table("citewell.evidence.signs", "negation_words")["languages"]
)
def test_no_language_takes_a_plain_text_for_a_negation(language: str) -> None:
    assert nearest_sentences.count_negations("12 34", language=language) == 0
    assert not nearest_sentences.has_refutation_cue("12 34", language=language)


def test_two_negations_cancel_each_other() -> None:
    assert nearest_sentences.is_negated_statement("It does not work.")
    assert not nearest_sentences.is_negated_statement("It works.")
    assert not nearest_sentences.is_negated_statement("It never does not work.")


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        ("Store a slow, salted hash.", "Store a slow, salted hash, never the password."),
        (
            "Antibiotics do nothing against viruses.",
            "Antibiotics do nothing against viruses, so they do not help with colds.",
        ),
        (
            "Base editors change single letters.",
            "Base editors change single letters without cutting both strands.",
        ),
        (
            "Die Kosten steigen nicht in jedem Jahr.",
            "Die Kosten steigen nicht in jedem Jahr, und ohne Zuschuss wartet niemand.",
        ),
    ],
)
def test_a_negation_of_another_part_of_the_sentence_denies_nothing(claim: str, text: str) -> None:
    spoken = "de" if "Kosten" in claim else "en"

    assert assess(claim, text, spoken).relation is ClaimRelation.SUPPORTS


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        (
            "Heat never lowers the output of silicon.",
            "Heat lowers the output of silicon by roughly 0.3 to 0.4 percent for each degree above 25.",
        ),
        (
            "Antibiotics do help with colds or influenza.",
            "Antibiotics do nothing against viruses, so they do not help with colds or influenza.",
        ),
        ("Die Kosten steigen nicht.", "Die Kosten steigen seit 2019 in fast allen Städten stark."),
    ],
)
def test_a_denial_within_a_longer_sentence_contradicts(claim: str, text: str) -> None:
    spoken = "de" if "Kosten" in claim else "en"

    assert assess(claim, text, spoken).relation is ClaimRelation.CONTRADICTS


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        ("The ocean takes up 80 percent of it.", "The ocean takes up about a quarter of it."),
        ("Methane lasts ninety-five years in the air.", "Methane lasts twelve years in the air."),
    ],
)
def test_a_claim_whose_number_is_not_there_is_not_said_to_be_supported(
    claim: str, text: str
) -> None:
    found = assess(claim, text)

    assert found.missing_numbers
    assert found.relation in {ClaimRelation.MENTIONS, ClaimRelation.QUALIFIES}


def signal(claim: str, text: str, language: str | None = None) -> str:
    return nearest_sentences.find_nearest_sentence(
        nearest_sentences.build_claim_terms(claim, language=language), text
    )


def test_the_sentence_with_most_of_the_claims_terms_is_the_signal() -> None:
    text = "Vitamins are popular. Vitamin D prevents colds in children. Colds pass."

    assert signal("vitamin D prevents colds", text) == "Vitamin D prevents colds in children."


def test_inflections_and_spellings_of_one_word_match() -> None:
    assert signal("organisations analysed colours", "The organization analyzes a color.")
    assert signal("vaccines causing autism", "It asked whether vaccination caused it. A vaccine.")


def test_a_sentence_that_takes_a_stance_beats_a_longer_match() -> None:
    text = "Vaccines and autism and children. There is no evidence that vaccines cause autism."

    assert signal("vaccines autism", text).startswith("There is no evidence")


def test_a_shared_number_counts() -> None:
    text = "The unemployment rate rose. Unemployment: 4.1 percent."

    assert signal("unemployment rate rose to 4.1", text) == "Unemployment: 4.1 percent."


@pytest.mark.parametrize("owner", ["Newton's", "Newton’s"])
def test_a_possessive_is_the_same_word(owner: str) -> None:
    assert word_forms.extract_terms(owner) == word_forms.extract_terms("Newton")


@pytest.mark.parametrize("text", ["", "Nothing of the kind.", "The of and is."])
def test_no_common_term_is_an_empty_signal(text: str) -> None:
    assert signal("the mass of the electron", text) == ""


def test_chinese_and_japanese_claims_match_without_spaces() -> None:
    chinese = "今天天气很好。研究发现咖啡可以降低死亡率。完。"
    japanese = "今日は晴れです。コーヒーは死亡率を下げるという研究がある。"

    assert signal("咖啡降低死亡率", chinese, "zh") == "研究发现咖啡可以降低死亡率。"
    assert "死亡率" in signal("コーヒーと死亡率", japanese, "ja")


def test_korean_particles_do_not_hide_the_word() -> None:
    assert (
        signal("커피 사망률", "오늘은 맑다. 커피는 사망률을 낮춘다.", "ko")
        == "커피는 사망률을 낮춘다."
    )


def test_the_sentence_with_the_claims_rare_words_is_the_signal() -> None:
    claim = nearest_sentences.build_claim_terms("Octopus blood is blue because of hemocyanin")
    snippets = [
        "Octopus blood is pumped. The octopus has hemocyanin. Octopus blood is studied here.",
        "Octopus blood and how it flows. Facts about octopus blood.",
        "Blue octopus, blue blood: the octopus blood page.",
    ]

    weighed = nearest_sentences.weigh_claim_terms(claim, snippets)

    nearest = nearest_sentences.find_nearest_sentence(weighed, snippets[0])
    assert nearest == "The octopus has hemocyanin."


def test_a_word_of_stance_does_not_outweigh_a_rare_word() -> None:
    text = "Studies confirm that sleep is good. Sleep clears amyloid from the brain. Sleep is good."
    claim = nearest_sentences.build_claim_terms("sleep clears amyloid")

    best, _ = nearest_sentences.find_nearest_sentences(claim, text)

    assert best == "Sleep clears amyloid from the brain."


TEXT = (
    "Sleep after learning helps memory. The weather was fine. Students who sleep recall more words."
    " Sleep does not help memory of faces, one trial found. Tea is a drink."
)


def test_the_nearest_sentence_leads_and_the_others_keep_their_order() -> None:
    signal, found = nearest_sentences.find_nearest_sentences(
        nearest_sentences.build_claim_terms("sleep helps memory"), TEXT
    )

    assert signal == "Sleep does not help memory of faces, one trial found."
    assert found == ("Sleep after learning helps memory.", signal)


def test_no_sentence_in_common_is_no_evidence() -> None:
    assert nearest_sentences.find_nearest_sentences(
        nearest_sentences.build_claim_terms("quantum gravity"), TEXT
    ) == ("", ())


def test_at_most_five_sentences_are_given() -> None:
    text = " ".join(f"Sleep helps memory in case {number}." for number in range(20))

    _, found = nearest_sentences.find_nearest_sentences(
        nearest_sentences.build_claim_terms("sleep helps memory"), text
    )

    assert len(found) == 5


def test_a_sentence_said_twice_is_quoted_once() -> None:
    _, found = nearest_sentences.find_nearest_sentences(
        nearest_sentences.build_claim_terms("sleep helps memory"), "Sleep helps memory. " * 3
    )

    assert found == ("Sleep helps memory.",)


MARKDOWN = """# How batteries age

Lithium-ion batteries lose capacity with time and with every charge.
See [the chart](http://example.org/a_(b).png) for **details** on the loss of capacity.

| year | capacity |
| --- | --- |
| 1 | 97 |

```python
print("not prose, this is code and never part of a summary")
```

- Heat makes batteries lose capacity faster than charging does.
"""


def test_a_summary_is_prose_from_the_text() -> None:
    summary = summarise_markdown(MARKDOWN)

    assert "Lithium-ion batteries lose capacity with time and with every charge." in summary
    assert "Heat makes batteries lose capacity faster" in summary
    assert not any(mark in summary for mark in ("#", "|", "print", "](", "**"))


@pytest.mark.parametrize("page", World().pages, ids=lambda page: f"{page.host}/{page.path}")
def test_every_page_has_a_summary_of_its_own_sentences(page: Any) -> None:
    summary = summarise_markdown(page.markdown)

    assert 20 <= len(summary) <= 500
    assert summary[:12].rstrip("…") in extract_running_text(page.markdown)


def test_a_long_sentence_is_shortened_at_a_word() -> None:
    summary = summarise_markdown("word " * 300 + "end.", max_chars=100)

    assert summary.endswith("word…")
    assert len(summary) <= 100


def test_an_open_fence_does_not_swallow_the_text() -> None:
    text = "```\nThe tide rises and falls twice a day here."

    assert "tide rises" in summarise_markdown(text)


@given(text=st.text(max_size=400), limit=st.integers(min_value=1, max_value=600))
def test_a_summary_never_exceeds_its_limit(text: str, limit: int) -> None:
    assert len(summarise_markdown(text, max_chars=limit)) <= limit
