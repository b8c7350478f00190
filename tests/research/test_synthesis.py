from __future__ import annotations

from citewell.core.values.research import (
    EvidencePassage,
    ProviderReport,
    ReportCitation,
    ResearchClaim,
    ResearchFindings,
    ResearchSource,
)
from citewell.evidence.signs.claim_support import SourceText
from citewell.research.reporting import model_synthesis
from citewell.research.reporting.evidence_pack import render_writing_material
from citewell.text import addresses

SOURCES = (
    ResearchSource(ref="src_1", url="https://a.example.org/1", title="One"),
    ResearchSource(ref="src_2", url="https://b.example.org/2", title="Two"),
)
FINDINGS = ResearchFindings(
    query="When was the bridge opened?",
    synthesis="# Extractive\n",
    synthesis_by="extractive",
    sources=SOURCES,
    claims=(
        ResearchClaim(
            id="c1",
            content="The bridge was opened in 1932.",
            confidence=0.6,
            confidence_level="medium",
            sources=("src_1",),
        ),
    ),
)
TEXTS = {"src_1": SourceText(text="The bridge was opened in 1932 by the premier.")}
JUDGE = model_synthesis.build_sentence_judge(FINDINGS, TEXTS)


def by(text: str) -> ProviderReport:
    return ProviderReport(provider="openai", model="m-1", text=text)


def test_a_models_report_is_taken_with_its_sources_listed() -> None:
    found = model_synthesis.apply_model_report(
        FINDINGS, by("# Bridge\n\nIt was opened in 1932 [src_1]."), JUDGE
    )

    assert found.synthesis_by == "openai: m-1"
    assert "## Sources\n\n- [src_1] One" in found.synthesis
    assert "[src_2]" not in found.synthesis


def test_no_number_is_left_dangling() -> None:
    text = "# B\n\nThe bridge was opened in 1932 [src_1][src_9]. And so on [src_77]. See [src_x]."

    found = model_synthesis.apply_model_report(FINDINGS, by(text), JUDGE)

    assert "src_9" not in found.synthesis
    assert "src_77" not in found.synthesis
    assert "src_x" not in found.synthesis
    assert any("name no source" in note for note in found.notes)


def test_a_model_that_answers_in_html_or_without_citations_is_not_taken() -> None:
    for text in ("<html><body>Welcome [src_1]</body></html>", "A report that cites nobody."):
        found = model_synthesis.apply_model_report(FINDINGS, by(text), JUDGE)

        assert (found.synthesis, found.synthesis_by) == ("# Extractive\n", "extractive")
        assert "quotations" in found.notes[-1]


def test_sentences_that_their_sources_do_not_hold_are_cut_and_counted() -> None:
    text = "# B\n\nThe bridge was opened in 1932 [src_1]. Whales sing below on Sundays [src_1]."

    found = model_synthesis.apply_model_report(FINDINGS, by(text), JUDGE)

    assert "Whales" not in found.synthesis
    assert "1 of 2 sentences was not supported by its sources and was cut." in found.notes
    assert "Why sentences were cut: The source does not speak of this." in found.notes


def test_the_extractive_report_stays_if_more_than_half_of_a_models_is_cut() -> None:
    text = (
        "# B\n\nThe bridge was opened in 1932 [src_1]. Whales sing below on Sundays [src_1]."
        " Elephants cross it at midnight [src_1]."
    )

    found = model_synthesis.apply_model_report(FINDINGS, by(text), JUDGE)

    assert (found.synthesis, found.synthesis_by) == ("# Extractive\n", "extractive")
    assert found.notes[-1].startswith("Only 1 of 3 sentences of the report by openai")


def test_what_a_model_thought_is_no_part_of_its_report() -> None:
    text = "<think>Perhaps 1971 [src_1].</think># B\n\nThe bridge was opened in 1932 [src_1]."

    found = model_synthesis.apply_model_report(FINDINGS, by(text), JUDGE)

    assert "1971" not in found.synthesis
    assert found.synthesis.startswith("# B")


def test_the_material_holds_claims_sources_and_nothing_else_to_cite() -> None:
    text = render_writing_material(FINDINGS)

    assert "The bridge was opened in 1932. [src_1] medium" in text
    assert "[src_2] Two" in text


def test_the_material_begins_with_passages_under_their_title_heading_and_date() -> None:
    source = SOURCES[0].model_copy(update={"published": "2020-05-01T10:00:00Z"})
    passage = EvidencePassage(
        ref="src_1", heading="History", text="It was opened in 1932.", start=0, end=22
    )
    findings = FINDINGS.model_copy(
        update={
            "sources": (source, SOURCES[1]),
            "passages": (passage,),
            "parts": ("When?", "By whom?"),
        }
    )

    text = render_writing_material(findings)

    assert "[src_1] One › History (2020-05-01)\nIt was opened in 1932." in text
    assert "- When?\n- By whom?" in text
    assert "Claims:" not in text  # the only claim says no more than its passage


def test_claims_that_sources_share_or_dispute_stand_beside_the_passages() -> None:
    passage = EvidencePassage(ref="src_1", text="It was opened in 1932.", start=0, end=22)
    shared = FINDINGS.claims[0].model_copy(update={"sources": ("src_1", "src_2")})
    findings = FINDINGS.model_copy(update={"passages": (passage,), "claims": (shared,)})

    assert "The bridge was opened in 1932. [src_1] [src_2]" in render_writing_material(findings)


def test_a_single_report_keeps_its_words_and_gets_numbers() -> None:
    report = ProviderReport(
        provider="grok",
        text="The bridge was opened in 1932. More is not known here.",
        citations=(ReportCitation(url="https://a.example.org/1", start=0, end=30),),
    )
    landed = {addresses.build_page_key(source.url): source.ref for source in SOURCES}

    text = model_synthesis.apply_provider_report(FINDINGS, report, landed, JUDGE).synthesis

    assert text.startswith("The bridge was opened in 1932. [src_1] More is not known here.")
    assert "- [src_1] One" in text


def test_what_the_sources_of_a_single_report_do_not_confirm_is_marked_and_stays() -> None:
    text = (
        "# Bridge\n\nThe bridge was opened in 1932 [1]. Whales sing below on Sundays [1][2]."
        " Nothing else is known of it by anybody."
    )
    report = ProviderReport(
        provider="grok",
        text=text,
        citations=tuple(ReportCitation(url=source.url) for source in SOURCES),
    )
    landed = {addresses.build_page_key(source.url): source.ref for source in SOURCES}

    found = model_synthesis.apply_provider_report(FINDINGS, report, landed, JUDGE)

    assert found.synthesis.startswith(
        "# Bridge\n\nThe bridge was opened in 1932. [src_1] Whales sing below on Sundays."
        " *(not confirmed: the source does not speak of this)* [src_1] [src_2] Nothing else is known of it by anybody.\n\n## Sources"
    )
    assert "1 of 2 sentences is marked: the sources do not confirm what is said." in found.notes


def test_a_providers_own_numbers_never_pass_for_ours() -> None:
    report = by("It was opened in 1932 [src_1]. Some say in 1931 [src_9] 【4†lost】.")

    single = model_synthesis.apply_provider_report(FINDINGS, report, {}, JUDGE).synthesis
    unchecked = model_synthesis.apply_unchecked_reports(FINDINGS, [report]).synthesis

    assert "src_" not in single
    assert "src_" not in unchecked
    assert "【" not in single + unchecked
