"""A finished job as a document: its dates, its facts and its formats."""

from __future__ import annotations

import json

import pytest

from citewell.core.errors import InvalidInput
from citewell.core.values.research import ResearchFindings, ResearchSource, ResearchStatus
from citewell.jobs.durable_job import Job, JobView
from citewell.research import job_export

CREATED = 1_772_359_200.0  # 2026-03-01, 10:00 UTC
QUESTION = "Do street trees cool streets?"


def view(query: str = QUESTION, *, finished: float | None = CREATED + 125.4) -> JobView:
    args = {"query": query, "tier": "S", "providers": ["local"], "mode": "fast"}
    job = Job(id="job-1", owner="o", kind="research", args=args, thread="t-1", created=CREATED)
    return JobView(job=job, status=ResearchStatus.COMPLETED, seq=3, finished=finished)


def findings() -> ResearchFindings:
    return ResearchFindings(
        query=QUESTION,
        synthesis="# Report\n\nThey do [src_1].\n\n",
        synthesis_by="extractive",
        sources=(
            ResearchSource(
                ref="src_1",
                url="https://trees.example.org/shade",
                title="Shade",
                domain="trees.example.org",
                published="2021-03-14T09:30:00Z",
            ),
            ResearchSource(
                ref="src_2",
                url="https://trees.example.org/lost",
                title="Lost",
                domain="trees.example.org",
                state="unreachable",
            ),
            ResearchSource(
                ref="src_3",
                url="https://trees.example.org/allee",
                title="Allée",
                domain="trees.example.org",
            ),
        ),
    )


def test_a_source_is_cited_with_the_month_it_was_published_and_no_other_date() -> None:
    assert job_export.render_export(view(), findings(), "bibtex") == (
        "@misc{treesexampleorg2021shade,\n"
        "  title = {{Shade}},\n"
        "  howpublished = {trees.example.org},\n"
        "  year = {2021},\n"
        "  month = {03},\n"
        "  url = {https://trees.example.org/shade}\n"
        "}\n\n"
        "@misc{treesexampleorgallee,\n"
        "  title = {{Allée}},\n"
        "  howpublished = {trees.example.org},\n"
        "  url = {https://trees.example.org/allee}\n"
        "}\n\n"
        "@misc{treesexampleorglost,\n"
        "  title = {{Lost}},\n"
        "  howpublished = {trees.example.org},\n"
        "  url = {https://trees.example.org/lost}\n"
        "}"
    )


def test_the_facts_of_a_report_say_when_and_how_it_was_made() -> None:
    facts = job_export.collect_report_facts(view(), findings())

    assert facts == {
        "Question": QUESTION,
        "Done": "2026-03-01 10:02 UTC",
        "Providers": "local",
        "Tier": "S, fast",
        "Took": "125 s",
        "Cost": "$0.00",
        "Sources": "2 read of 3",
        "Claims": "0",
        "Written by": "extractive",
    }


def test_a_job_that_has_not_ended_has_no_date_of_its_end() -> None:
    facts = job_export.collect_report_facts(view(finished=None), findings())

    assert "Done" not in facts
    assert facts["Took"] == "0 s"


@pytest.mark.parametrize(("length", "shown"), [(300, "x" * 300), (301, "x" * 299 + "…")])
def test_a_long_question_is_shortened_among_the_facts(length: int, shown: str) -> None:
    assert job_export.collect_report_facts(view("x" * length), findings())["Question"] == shown


def test_the_report_is_written_in_the_format_that_was_named() -> None:
    assert job_export.render_export(view(), findings(), "md") == "# Report\n\nThey do [src_1].\n"
    assert "<html" in job_export.render_export(view(), findings(), "html")
    text = job_export.render_export(view(), findings(), "json", reports={"local": "Text."})
    assert "Allée" in text
    whole = json.loads(text)
    assert (whole["query"], whole["providerReports"]) == (QUESTION, {"local": "Text."})
    with pytest.raises(InvalidInput, match="markdown, json, html, bibtex, md"):
        job_export.render_export(view(), findings(), "docx")


@pytest.mark.parametrize(
    ("form", "document"), [("json", {"query": QUESTION}), ("markdown", '{"query": "x"}')]
)
def test_an_exported_job_says_when_it_began_and_when_it_was_exported(
    form: str, document: object
) -> None:
    text = json.dumps(document) if form == "json" else str(document)

    answer = job_export.build_export_answer(
        view(), findings(), form, document=text, exported_at="2026-03-02T08:00:00Z"
    )

    assert (answer["startedAt"], answer["exportedAt"]) == (
        "2026-03-01T10:00:00Z",
        "2026-03-02T08:00:00Z",
    )
    assert (answer["document"], answer["sourceCount"], answer["format"]) == (document, 3, form)
