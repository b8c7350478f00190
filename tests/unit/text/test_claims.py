from __future__ import annotations

import pytest

from citewell.text.evidence import nearest_sentences
from citewell.text.language import sentences, stopwords, tokens


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
    assert tokens.extract_terms(owner) == tokens.extract_terms("Newton")


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


def test_abbreviations_and_initials_end_no_sentence() -> None:
    text = "Dr. A. Writer et al. found it. It was in Fig. 3 of No. 7! Was it?"

    assert sentences.split_sentences(text) == [
        "Dr. A. Writer et al. found it.",
        "It was in Fig. 3 of No. 7!",
        "Was it?",
    ]


def test_quotes_stay_with_their_sentence_and_lines_part() -> None:
    assert sentences.split_sentences('He said "no." Then left.\nNext line') == [
        'He said "no."',
        "Then left.",
        "Next line",
    ]


def test_numbers_and_versions_are_one_sentence() -> None:
    assert sentences.split_sentences("It grew by 3.5 percent in v2.1 of it.") == [
        "It grew by 3.5 percent in v2.1 of it."
    ]


@pytest.mark.parametrize(
    ("query", "language", "without"),
    [
        ("what is the capital of France", None, "capital France"),
        ("the the the", None, "the the the"),
        ("the capital", None, "the capital"),
        ('"to be or not to be" in the play', None, '"to be or not to be" play'),
        ("was ist das beste Brot", "de", "beste Brot"),
        ("what is it", "fi", "what is it"),
        ("量子 力学 とは", "ja", "量子 力学 とは"),
    ],
)
def test_stop_words_go_only_where_something_is_left(
    query: str, language: str | None, without: str
) -> None:
    assert stopwords.drop_query_stopwords(query, language=language) == without


def test_terms_keep_numbers_and_drop_short_words() -> None:
    assert tokens.extract_terms("In 2019 an ox ran 5 km") >= {"2019", "5", "run"}
    assert "ox" not in tokens.extract_terms("an ox")


def test_the_sentence_with_the_claims_rare_words_is_the_signal() -> None:
    claim = nearest_sentences.build_claim_terms("Octopus blood is blue because of hemocyanin")
    snippets = [
        "Octopus blood is pumped. The octopus has hemocyanin. Octopus blood is studied here.",
        "Octopus blood and how it flows. Facts about octopus blood.",
        "Blue octopus, blue blood: the octopus blood page.",
    ]

    weighed = nearest_sentences.weigh_claim_terms(claim, snippets)

    said = nearest_sentences.find_nearest_sentence(weighed, snippets[0])
    assert said == "The octopus has hemocyanin."


def test_a_word_of_stance_does_not_outweigh_a_rare_word() -> None:
    text = "Studies confirm that sleep is good. Sleep clears amyloid from the brain. Sleep is good."
    claim = nearest_sentences.build_claim_terms("sleep clears amyloid")

    best, _ = nearest_sentences.find_nearest_sentences(claim, text)

    assert best == "Sleep clears amyloid from the brain."
