from __future__ import annotations

import re

import pytest

from citewell.core.values.research import ProviderReport, ResearchFindings, ResearchSource
from citewell.evidence.signs.claim_support import SourceText
from citewell.research.claims.cited_statements import CitationMarks
from citewell.research.claims.sentence_verdicts import SentenceJudge
from citewell.research.reporting import model_synthesis
from citewell.research.reporting.checked_synthesis import (
    UNCONFIRMED_MARK,
    CheckCounts,
    SynthesisCheck,
)

BRIDGE = (
    "The harbour bridge was opened in 1932 after eight years of work. "
    "It carries eight lanes of road and two railway tracks across the water. "
    "About 160,000 vehicles cross it every day. The bridge is not lit at night."
)
TUNNEL = (
    "The harbour tunnel was finished in 1992 and relieved the bridge. "
    "It has four lanes and a toll of four dollars is charged to drivers going south."
)
TEXTS = {"src_1": SourceText(text=BRIDGE), "src_2": SourceText(text=TUNNEL)}
SOURCES = (
    ResearchSource(ref="src_1", url="https://a.example.org/1", title="The Harbour Bridge"),
    ResearchSource(ref="src_2", url="https://b.example.org/2", title="The tunnel"),
)
QUESTION = "When was the harbour bridge opened?"


def checked(text: str) -> tuple[str, CheckCounts]:
    titles = {source.ref: source.title for source in SOURCES}
    check = SynthesisCheck(judge=SentenceJudge(TEXTS, titles=titles, question=QUESTION))
    return check.check_text(text), check.counts


def test_a_supported_sentence_stays_with_its_citation() -> None:
    text, counts = checked("The harbour bridge was opened in 1932 [src_1].")

    assert text == "The harbour bridge was opened in 1932. [src_1]"
    assert (counts.statements, counts.supported, counts.cut) == (1, 1, 0)


@pytest.mark.parametrize(
    "sentence",
    [
        "Whales sing under the arches on Sundays in spring [src_1].",
        "The harbour bridge was opened in 1923 [src_1].",
        "About 900,000 vehicles cross it every day [src_1].",
        "About 161,234 vehicles cross it every day [src_1].",
        "The bridge is lit at night [src_1].",
        "The harbour bridge was opened by Napoleon after eight years of work [src_1].",
        "Some 40,000 workers built it.",
        "Queen Victoria paid for all of it.",
    ],
)
def test_what_no_source_says_is_cut(sentence: str) -> None:
    text, counts = checked(f"The harbour bridge was opened in 1932 [src_1]. {sentence}")

    assert text == "The harbour bridge was opened in 1932. [src_1]"
    assert counts.cut == 1


def test_a_sentence_that_another_source_supports_is_cited_to_that_one() -> None:
    text, counts = checked("The harbour tunnel was finished in 1992 [src_1].")

    assert text == "The harbour tunnel was finished in 1992. [src_2]"
    assert counts.recited == 1


def test_of_several_citations_those_stay_that_support_the_sentence() -> None:
    text, _ = checked("The harbour tunnel was finished in 1992 [src_1][src_2].")

    assert text == "The harbour tunnel was finished in 1992. [src_2]"


def test_a_sentence_that_joins_two_sources_keeps_both() -> None:
    sentence = "The harbour bridge was opened in 1932, and the harbour tunnel was finished in 1992"

    text, _ = checked(f"{sentence} [src_1][src_2].")

    assert text == f"{sentence}. [src_1] [src_2]"


def test_a_fact_without_a_citation_gets_that_of_the_source_which_has_it() -> None:
    text, counts = checked("About 160,000 vehicles cross it every day.")

    assert text == "About 160,000 vehicles cross it every day. [src_1]"
    assert counts.recited == 1


def test_a_citation_at_the_end_of_a_run_is_shared_by_those_it_supports() -> None:
    text, _ = checked(
        "The harbour bridge was opened in 1932. Whales built it in 1931."
        " It carries eight lanes of road and two railway tracks. [src_1]"
    )

    assert text == (
        "The harbour bridge was opened in 1932. [src_1]"
        " It carries eight lanes of road and two railway tracks. [src_1]"
    )


def test_an_opinion_without_numbers_or_names_is_marked() -> None:
    text, counts = checked(
        "The harbour bridge was opened in 1932 [src_1]."
        " Everyone admires its colour and finds it rather wonderful."
    )

    assert text.endswith(f"rather wonderful. {UNCONFIRMED_MARK}")
    assert counts.marked == 1


def test_headings_and_connecting_sentences_stay() -> None:
    text, counts = checked(
        "# The harbour bridge\n\nIn short:\n\n- It was opened in 1932 [src_1].\n\n"
        "## Not found\n\nThe sources do not say who designed it."
    )

    assert text == (
        "# The harbour bridge\n\nIn short:\n\n- It was opened in 1932. [src_1]\n\n"
        "## Not found\n\nThe sources do not say who designed it."
    )
    assert counts.statements == 1


def test_a_heading_with_an_invented_number_is_cut() -> None:
    text, counts = checked("# Opened in 1871\n\nThe harbour bridge was opened in 1932 [src_1].")

    assert text == "The harbour bridge was opened in 1932. [src_1]"
    assert counts.cut == 1


def test_nothing_is_left_of_a_section_whose_sentences_were_cut() -> None:
    text, _ = checked(
        "# Bridge\n\nThe harbour bridge was opened in 1932 [src_1].\n\n## Whales\n\n"
        "These sing there:\n\n- The blue whale sings at noon [src_1].\n- The grey one at dusk [src_1].\n"
    )

    assert text == "# Bridge\n\nThe harbour bridge was opened in 1932. [src_1]"


def test_rows_of_a_table_are_checked_one_by_one() -> None:
    text, counts = checked(
        "| what | finished |\n|---|---|\n| harbour bridge | opened in 1932 [src_1] |\n"
        "| harbour tunnel | finished in 1871 [src_2] |"
    )

    assert text == ("| what | finished |\n|---|---|\n| harbour bridge | opened in 1932 [src_1] |")
    assert counts.cut == 1


def test_a_sentence_that_names_its_source_keeps_its_grammar() -> None:
    text, _ = checked(
        "According to [src_1], the harbour bridge was opened in 1932."
        " [src_2] says that the harbour tunnel was finished in 1992."
    )

    assert text == (
        "The harbour bridge was opened in 1932. [src_1]"
        " The harbour tunnel was finished in 1992. [src_2]"
    )


def test_in_another_language_only_numbers_are_compared() -> None:
    text, counts = checked(
        "Die Brücke über den Hafen wurde im Jahr 1932 eröffnet, nach langer Arbeit daran [src_1]."
        " Die Brücke über den Hafen wurde im Jahr 1871 von den Leuten dort gebaut [src_1]."
    )

    assert "1932" in text
    assert "1871" not in text
    assert counts.uncompared == 1


@pytest.mark.parametrize(
    ("written", "rewritten"),
    [
        ("opened in 1932 [1].", "opened in 1932 [src_1]."),
        ("opened in 1932 [1, 2].", "opened in 1932 [src_1][src_2]."),
        ("opened in 1932 [src_1, src_2].", "opened in 1932 [src_1][src_2]."),
        ("opened in 1932 [1-2].", "opened in 1932 [src_1][src_2]."),
        ("opened in 1932 [Source 2].", "opened in 1932 [src_2]."),
        ("opened in 1932 (1).", "opened in 1932 [src_1]."),
        ("opened in 1932 (source 1).", "opened in 1932 [src_1]."),
        ("opened in 1932【1†bridge】.", "opened in 1932[src_1]."),
        ("opened in 1932 [^1].\n\n[^1]: A page", "opened in 1932 [src_1]."),
        ("opened in 1932.¹", "opened in 1932.[src_1]"),
        ("opened in 1932 ([page](https://a.example.org/1)).", "opened in 1932 [src_1]."),
        ("opened in 1932 (see https://b.example.org/2).", "opened in 1932 [src_2]."),
        ("opened in 1932 (see [T1](https://a.example.org/1)).", "opened in 1932 [src_1]."),
        ("opened in 1932 src_2.", "opened in 1932 [src_2]."),
        ("opened in 1932 [9].", "opened in 1932."),
        ("opened in 1932 [src_99].", "opened in 1932."),
        ("opened in 1932 [src_x].", "opened in 1932."),
        ("opened in 1932 (9).", "opened in 1932."),
        ("opened in 1932 【lost†7】.", "opened in 1932."),
        ("opened [there](https://evil.example/x) in 1932.", "opened there in 1932."),
        ("opened in 1932 https://evil.example/x.", "opened in 1932."),
        ("step (1) comes first in [1932]", "step (1) comes first in [1932]"),
    ],
)
def test_every_way_of_citing_becomes_one_and_none_is_left_dangling(
    written: str, rewritten: str
) -> None:
    found = CitationMarks(SOURCES).rewrite_marks(written)

    assert re.sub(r"\s+(?=\.|$)", "", " ".join(found.split())) == rewritten


def test_an_unread_source_confirms_nothing() -> None:
    sources = (*SOURCES, ResearchSource(ref="src_3", url="https://c.example.org/3", state="gone"))
    findings = ResearchFindings(
        query=QUESTION, synthesis="# E\n", synthesis_by="extractive", sources=sources
    )
    report = ProviderReport(
        provider="openai",
        text="The harbour bridge was opened in 1932 [src_1]. Divers painted all of it red [src_3].",
    )

    found = model_synthesis.apply_model_report(
        findings, report, model_synthesis.build_sentence_judge(findings, TEXTS)
    )

    marked = "Divers painted all of it red. *(not confirmed: a source could not be read)*"
    assert marked in found.synthesis
    assert "src_3" not in found.synthesis


def test_a_sentence_that_cites_no_source_is_no_connecting_one() -> None:
    report = ProviderReport(
        provider="openai",
        text=(
            "The harbour bridge was opened in 1932 [src_1]. See [the proof](https://evil.example/x)."
            " Divers admire its lovely colours [src_77]. About 160,000 vehicles cross it every day [9]."
        ),
    )
    findings = ResearchFindings(
        query=QUESTION, synthesis="# E\n", synthesis_by="extractive", sources=SOURCES
    )

    found = model_synthesis.apply_model_report(
        findings, report, model_synthesis.build_sentence_judge(findings, TEXTS)
    )

    assert found.synthesis.startswith(
        "The harbour bridge was opened in 1932. [src_1]"
        " About 160,000 vehicles cross it every day. [src_1]\n\n## Sources"
    )
    assert "3 citations of the synthesis name no source; removed." in found.notes


@pytest.mark.parametrize(
    ("sentence", "verdict"),
    [
        ("The static address is set as IPv4 address of the network.", "supported"),
        ("The static address is set as IPv6 address of the network.", "refused"),
        ("The network also measures CO2 in the air of the office.", "supported"),
        ("The variable HOST_PORT is set for the network.", "supported"),
        ("The Core i7-10700K computes the route of the network.", "supported"),
        ("The Core i9-10700K computes the route of the network.", "refused"),
    ],
)
def test_a_name_with_another_number_in_it_is_another_name(sentence: str, verdict: str) -> None:
    source = (
        "The static address is set as IPv4 address of the network. The network also measures CO₂ in"
        " the air of the office. The variable HOST_PORT is set for the network. A Core i7 10700K"
        " computes the route of the network."
    )
    judge = SentenceJudge({"src_1": SourceText(text=source)}, titles={}, question=QUESTION)

    assert judge.judge_citation(sentence, "src_1").verdict == verdict


def test_a_yes_that_no_source_supports_is_marked_and_a_bare_one_is_not() -> None:
    text, _ = checked("Yes. The harbour bridge was opened in 1932 [src_1]. Yes, it is safe.")

    assert text == (
        f"Yes. The harbour bridge was opened in 1932. [src_1] Yes, it is safe. {UNCONFIRMED_MARK}"
    )
