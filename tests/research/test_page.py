from __future__ import annotations

from html.parser import HTMLParser

from citewell.core.values.research import (
    ClaimEvidence,
    ClaimRelation,
    FollowOnTopic,
    ResearchClaim,
    ResearchFindings,
    ResearchSource,
    ValueRow,
    ValueTable,
)
from citewell.research.job_export import render_html_report

HOSTILE = '<script>alert(1)</script>" onload="x'
FINDINGS = ResearchFindings(
    query="What?",
    synthesis=f"# A title {HOSTILE}\n\n## Answer\n\n- It is so. [src_1] {HOSTILE}\n\n## Sources\n\n- [src_1] x",
    synthesis_by="extractive",
    sources=(
        ResearchSource(
            ref="src_1",
            url="https://a.example.org/?a=1&b=2",
            title=HOSTILE,
            domain="a.example.org",
            archived_url="https://web.archive.org/web/2026/https://a.example.org/",
            reputation="high",
        ),
        ResearchSource(ref="src_2", url="javascript:alert(1)", title="Bad", state="dead"),
    ),
    claims=(
        ResearchClaim(
            id="c",
            content=HOSTILE,
            confidence=0.8,
            confidence_level="high",
            sources=("src_1",),
            flags=("single_source",),
        ),
    ),
    evidence=(
        ClaimEvidence(
            id="e",
            claim_id="c",
            relation=ClaimRelation.SUPPORTS,
            snippet=HOSTILE,
            start=3,
            end=9,
            relevance_score=0.9,
            discovered_by_provider="local",
            source="src_1",
        ),
    ),
    value_tables=(
        ValueTable(subject="height", unit="m", rows=(ValueRow(value=HOSTILE, source="src_1"),)),
    ),
    notes=(HOSTILE,),
)


class Seen(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.links: list[str] = []
        self.names: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.names |= {name for name, _ in attrs}
        self.links += [value or "" for name, value in attrs if name == "href"]


def seen() -> tuple[str, Seen]:
    text = render_html_report(FINDINGS, facts={"Tier": HOSTILE})
    parser = Seen()
    parser.feed(text)
    return text, parser


def test_nothing_from_outside_becomes_markup() -> None:
    _, parser = seen()

    assert "script" not in parser.tags
    assert not {name for name in parser.names if name.startswith("on")}
    assert all(link.startswith(("http", "#src_")) for link in parser.links)


def test_each_claim_opens_to_its_evidence_and_each_number_leads_to_its_source() -> None:
    text, parser = seen()

    assert parser.tags.count("details") == 1
    assert parser.tags.count("figure") == 1
    assert "#src_1" in parser.links
    assert 'id="src_1"' in text
    assert "archived copy" in text
    assert "no page at this address" in text


def test_the_page_needs_nothing_else() -> None:
    text, parser = seen()

    assert not {"link", "img", "iframe"} & set(parser.tags)
    assert "@import" not in text
    assert "@media print" in text


def test_the_list_of_sources_is_there_once() -> None:
    text, _ = seen()

    assert text.count("<h2>Sources</h2>") == 1


def test_a_place_that_two_providers_found_is_quoted_once() -> None:
    again = FINDINGS.evidence[0].model_copy(
        update={"id": "f", "discovered_by_provider": "openai", "snippet": "The same place."}
    )
    first = again.model_copy(update={"id": "e", "discovered_by_provider": "local"})
    findings = FINDINGS.model_copy(update={"evidence": (first, again)})

    text = render_html_report(findings, facts={})

    assert text.count("<blockquote>The same place.") == 1
    assert "found by local, openai" in text


def test_a_flag_that_matters_stands_out_and_the_question_is_not_told_twice() -> None:
    claim = FINDINGS.claims[0].model_copy(update={"flags": ("unsupported", "single_source")})
    findings = FINDINGS.model_copy(update={"claims": (claim,), "synthesis": "# What?\n\nSo."})

    text = render_html_report(findings, facts={"Question": "What?", "Tier": "M"})

    assert '<span class="flag serious">unsupported</span>' in text
    assert '<span class="flag plain">single source</span>' in text
    assert "<dt>Question</dt>" not in text
    assert "<dt>Tier</dt>" in text


def test_a_table_of_values_that_the_report_holds_is_not_shown_again() -> None:
    findings = FINDINGS.model_copy(
        update={"synthesis": "# T\n\n**height**\n\n| value |\n|---|\n| 2 |\n"}
    )

    assert "Where values differ" in render_html_report(FINDINGS, facts={})
    assert "Where values differ" not in render_html_report(findings, facts={})


def test_only_a_disputed_claim_has_a_colour() -> None:
    plain = FINDINGS.claims[0].model_copy(
        update={"confidence_level": "low", "basis": "1 source", "flags": ("single_source",)}
    )
    disputed = plain.model_copy(
        update={"id": "d", "basis": "2 sources, disputed", "flags": ("contradicted",)}
    )
    findings = FINDINGS.model_copy(update={"claims": (plain, disputed)})

    text = render_html_report(findings, facts={})

    assert text.count('<details class="claim">') == 1
    assert text.count('<details class="claim disputed">') == 1
    assert "low confidence: 1 source<" in text
    assert "low confidence: 2 sources<" in text
    assert text.count('<span class="flag dispute">disputed</span>') == 1


def test_the_heading_above_a_quotation_is_a_label_and_a_dispute_is_marked() -> None:
    findings = FINDINGS.model_copy(
        update={
            "synthesis": "# T\n\n## Answer\n\n- [Costs] It costs 5 euros. [src_1] *(values differ)*\n"
            "- [Steps] [src_1]\n  1. Open it.\n  2. Close it. [src_1]\n\n## Method\n\nBy hand.\n"
        }
    )

    text = render_html_report(findings, facts={})

    assert '<span class="heading">Costs</span> It costs 5 euros.' in text
    assert '<em class="dispute">(values differ)</em>' in text
    assert '<span class="heading alone">Steps</span>' in text
    assert "<ol>\n<li>Open it.</li>" in text
    assert text.index("Sources</h2>") < text.index("Method</h2>")


def test_questions_to_ask_next_are_listed_with_their_reasons() -> None:
    findings = FINDINGS.model_copy(
        update={"follow_ons": (FollowOnTopic(topic="Who paid <it>?", rationale="Nobody says."),)}
    )

    text = render_html_report(findings, facts={})

    assert 'Who paid &lt;it&gt;?<div class="about">Nobody says.</div>' in text


def test_a_note_that_the_report_says_already_is_not_shown_twice() -> None:
    findings = FINDINGS.model_copy(
        update={
            "synthesis": "# T\n\n*2 passages are left out.*\n\n## Answer\n\n- So. [src_1]\n",
            "notes": ("2 passages are left out.", "1 page could not be read."),
        }
    )

    text = render_html_report(findings, facts={})

    assert text.count("2 passages are left out.") == 1
    assert "1 page could not be read." in text
