"""A chapter, a week or a version with another number than the source gives it is found."""

from __future__ import annotations

import re

import pytest

from citewell.core.values.research import ProviderReport, ResearchFindings, ResearchSource
from citewell.evidence.comparison.value_comparison import compare_values
from citewell.evidence.signs.claim_support import SourceText
from citewell.research.reporting import model_synthesis

GUIDE = (
    "Explore the chapters.\n\nChapter 4: Writing Titles for Pages\n\nChapter 6: Link Building and Lasting"
    " Authority\n\nIn week 5 of the marathon plan, a simulation run is scheduled.\n\nWho needs more time"
    " sends Form 4868 to the office.\n\nWe recommend the tool v10.22.1, and then 20.2.0 for tests.\n\n"
    "Part 3 (chapters 14+) will be about algebras."
)


def find_labels(statement: str) -> list[tuple[str, str]]:
    found = compare_values(statement, SourceText(text=GUIDE, language="en"))
    return [(value.draft.text, value.like.text) for value in found.unstated if value.like]


@pytest.mark.parametrize(
    ("statement", "label", "other"),
    [
        ("Link building and authority that is lasting are treated in chapter 4.", "chapter 4", "Chapter 6"),
        ("A simulation run is scheduled for week 3 of the marathon plan.", "week 3", "week 5"),
        ("More time is given to those who send Form 8648.", "Form 8648", "Form 4868"),
        ("The tool is recommended as v12.22.1.", "v12.22.1", "v10.22.1"),
    ],
)  # fmt: skip
def test_a_label_of_another_number_is_found(statement: str, label: str, other: str) -> None:
    assert find_labels(statement) == [(label, other)]


@pytest.mark.parametrize(
    "statement",
    [
        "Link building and authority that is lasting are treated in chapter 6.",
        "Algebras make their entrance in chapter 15.",
        "A simulation run is scheduled for week 5 of the marathon plan.",
        "Writing titles is the matter of chapter 4, and links follow in chapter 6.",
        "The tool is recommended as 10.22.1.",
    ],
)
def test_a_label_of_the_source_is_no_difference(statement: str) -> None:
    assert find_labels(statement) == []


# What a reader sees of sentences that a model wrote and the sources do not confirm.


FERRY = (
    "The island ferry was built in Bergen in 1974 and carries up to ninety passengers. Its owner, the"
    " municipality of Askvik, replaced the diesel engine in 2018. Most of the passengers are pupils who"
    " attend the secondary school on the mainland. The crossing may become cheaper after the electric"
    " conversion, which the council has proposed. In winter the ferry makes fewer crossings than in"
    " summer because ice often closes the northern landing. About a third of the costs is paid by the"
    " passengers themselves. A common misconception is that the ferry is a gift of the king. Askvik"
    " keeps the ferry as a public service, not as a source of income for the town."
)
LIGHT = (
    "The lighthouse on the island was first lit in 1871. Its keeper, Oda Lund, wrote a diary about the"
    " storms of the following winters, which the museum in Askvik printed later on. The tower is"
    " twenty metres high and is open to visitors on Sundays from May to September every year. It was"
    " one of the brightest lights on the western coast. Emil Brekke painted the tower white in 1902."
)
FINDINGS = ResearchFindings(
    query="What is known of the island ferry?",
    synthesis="# Quotations\n",
    synthesis_by="extractive",
    sources=(
        ResearchSource(ref="src_1", url="https://a.example.org/1", title="The island ferry"),
        ResearchSource(ref="src_2", url="https://b.example.org/2", title="The lighthouse"),
    ),
)
TEXTS = {"src_1": SourceText(text=FERRY), "src_2": SourceText(text=LIGHT)}


def check(*sentences: str) -> ResearchFindings:
    report = ProviderReport(
        provider="openai", text="\n".join(f"- {sentence}" for sentence in sentences)
    )
    judge = model_synthesis.build_sentence_judge(FINDINGS, TEXTS)
    return model_synthesis.apply_model_report(FINDINGS, report, judge)


def find_line(found: ResearchFindings, sentence: str) -> str:
    plain = re.sub(r" ?\[src_\d\]", "", sentence)
    return next((line for line in found.synthesis.splitlines() if plain in line), "")


@pytest.mark.parametrize(
    "true",
    [
        "Ninety people at most fit onto the boat that links the island with the mainland [src_1].",
        "Ice at the landing in the north is why it sails less often in the cold season [src_1].",
        "Visitors can climb the twenty-metre tower on Sundays in the warmer months [src_2].",
    ],
)
def test_a_sentence_in_other_words_stays_with_its_citation(true: str) -> None:
    found = check(true)

    assert found.synthesis_by == "openai"
    assert re.search(r"\[src_[12]\]", find_line(found, true))


@pytest.mark.parametrize(
    ("false", "reason"),
    [
        ("The ferry makes fewer crossings in winter because pupils stay at home [src_1].", "stay"),
        (
            "The crossing will certainly become cheaper after the conversion [src_1].",
            "says “may” where",
        ),
        (
            "All of the passengers are pupils who attend the secondary school [src_1].",
            "says “most” where",
        ),
        ("Most of the costs are paid by the passengers themselves [src_1].", "“Most”"),
        ("About half of the costs is paid by the passengers themselves [src_1].", "third"),
        ("The ferry is a gift of the king [src_1].", "misconception"),
        ("The ferry was built in Bergen in order to please the fishing fleet [src_1].", "fleet"),
        ("Askvik keeps the ferry as a source of income for the town [src_1].", "opposite"),
        ("The lighthouse was the brightest light on the western coast [src_2].", "absolute"),
        ("The keeper painted the tower white in 1902 [src_2].", "keeper"),
        ("In winter the ferry makes more crossings than in summer [src_1].", "fewer"),
        ("The island ferry was built in Gdansk in 1974 [src_1].", "Gdansk"),
        ("The island ferry was built in Bergen in 1994 [src_1].", "1974"),
    ],
)
def test_a_false_sentence_is_cut_or_marked_and_the_reader_sees_why(false: str, reason: str) -> None:
    found = check("The island ferry was built in Bergen in 1974 [src_1].", false)
    line = find_line(found, false)

    assert not line or "*(not confirmed" in line
    assert reason in (line.partition("*(")[2] or " ".join(found.notes))


def test_facts_of_two_sources_are_not_merged_into_a_third() -> None:
    merged = "Oda Lund, the keeper of the lighthouse, replaced the diesel engine of the ferry in 2018 [src_1][src_2]."
    joined = "The island ferry was built in Bergen in 1974, and the lighthouse on the island was first lit in 1871 [src_1][src_2]."

    found = check(merged, joined)

    assert "*(not confirmed" in find_line(found, merged)
    assert find_line(found, joined).endswith("in 1871. [src_1] [src_2]")


def test_a_report_of_which_most_is_cut_gives_way_to_quotations() -> None:
    found = check(
        "The island ferry was built in Bergen in 1974 [src_1].",
        "The island ferry was built in Bergen in 1994 [src_1].",
        "The municipality of Askvik replaced the diesel engine in 2011 [src_1].",
    )

    assert found.synthesis_by == "extractive"
    assert any("1974, not 1994" in note for note in found.notes)
    assert "Only 1 of 3 sentences" in found.notes[-1]
