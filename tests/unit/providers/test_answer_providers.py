"""Answers of providers: what is read from their own forms."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from citewell.dialects.answer_reports import clean_answer_text, relocate_span
from citewell.dialects.answer_streams import split_answer_tags
from citewell.errors import OutOfCredit
from citewell.model.domains.grounded_answer import AnswerQuery
from citewell.model.research import ProviderReport
from citewell.net.http.messages import HttpRequest, HttpResponse
from citewell.ports import Offer
from citewell.providers import load
from tests.contract.recordings import Canned, kit_over, recording


def answered(name: str, options: dict[str, str], body: Any, **answers: Any) -> ProviderReport:
    """The report for a body; `answers` are statuses and headers by part of the address."""

    def answer(request: HttpRequest) -> HttpResponse:
        for part, (status, headers) in answers.items():
            if part in request.url:
                return HttpResponse(status=status, url=request.url, headers=headers, body=b"")
        content = body.encode() if isinstance(body, str) else json.dumps(body).encode()
        return HttpResponse(status=200, url=request.url, headers={}, body=content)

    provider: Any = load(name).Provider(kit_over(name, Canned(answer), options))
    report: ProviderReport = asyncio.run(provider.answer_question(AnswerQuery(text="Why?")))
    return report


def test_braves_tags_become_marks_where_they_stood() -> None:
    report = answered(
        "brave", {"BRAVE_API_KEY": "k"}, recording("brave", Offer.ANSWERS).answer.decode()
    )

    assert report.text == "Heat pumps take heat from cold air. [1] They thaw their coil. [2] [3]"
    assert [report.text[one.start : one.end] for one in report.citations] == ["[1]", "[2]", "[3]"]
    assert (report.cost_ticks, report.cost_basis) == (115_000_000, "provider")


def test_tags_that_are_broken_are_dropped() -> None:
    text, tags = split_answer_tags("a < b <citation>{oops</citation> c <b>d</b> <usage>{")

    assert text == "a < b  c <b>d</b> "
    assert [(tag.name, tag.value) for tag in tags] == [("citation", None)]


def test_geminis_redirects_are_resolved_and_its_byte_offsets_converted() -> None:
    google = "https://vertexaisearch.cloud.google.com/grounding-api-redirect/abc"
    text = "Größe: –20 °C. Sie tauen ab."
    grounding = {
        "webSearchQueries": ["wärmepumpe"],
        "groundingChunks": [{"web": {"uri": google, "title": "example.org"}},
                            {"web": {"uri": "javascript:alert(1)"}}],
        "groundingSupports": [
            {"segment": {"startIndex": len("Größe: –20 °C. ".encode()), "endIndex": len(text.encode())},
             "groundingChunkIndices": [0, 1, 7]}
        ],
    }  # fmt: skip
    body = {
        "candidates": [{"content": {"parts": [{"text": text}]}, "groundingMetadata": grounding}]
    }
    landing = (302, {"location": "https://www.example.org/heat"})

    report = answered("gemini", {"GEMINI_API_KEY": "k"}, body, vertexaisearch=landing)

    [cited] = report.citations
    assert cited.url == "https://www.example.org/heat"
    assert report.text[cited.start : cited.end] == "Sie tauen ab."
    assert "Google asks that its searches be shown" in report.notes[0]


@pytest.mark.parametrize(
    "landing", [(404, {}), (302, {"location": "javascript:alert(1)"}), (302, {}), (500, {})]
)
def test_a_redirect_that_leads_nowhere_is_left_as_it_is(landing: tuple[int, Any]) -> None:
    google = "https://vertexaisearch.cloud.google.com/grounding-api-redirect/abc"
    grounding = {"groundingChunks": [{"web": {"uri": google}}]}
    content = {"parts": [{"text": "It is so."}]}
    body = {"candidates": [{"content": content, "groundingMetadata": grounding}]}

    report = answered("gemini", {"GEMINI_API_KEY": "k"}, body, vertexaisearch=landing)

    assert [one.url for one in report.citations] == [google]


def test_perplexitys_marks_name_search_results_by_id() -> None:
    body = recording("perplexity", Offer.ANSWERS).data["response"]["body"]

    report = answered("perplexity", {"PERPLEXITY_API_KEY": "k"}, body)

    assert [one.url.rpartition("/")[2] for one in report.citations] == ["1", "2", "3"]
    assert [report.text[one.start : one.end] for one in report.citations] == ["[1]", "[2]", "[3]"]
    assert report.consulted[0].published == "2026-11-02"
    assert report.cost_ticks == 66_000_000


def test_perplexity_without_marks_cites_what_it_found() -> None:
    body = json.loads(json.dumps(recording("perplexity", Offer.ANSWERS).data["response"]["body"]))
    body["output"][1]["content"][0]["text"] = "Heat pumps take heat from cold air."

    report = answered("perplexity", {"PERPLEXITY_API_KEY": "k"}, body)

    assert [one.start for one in report.citations] == [None, None, None]


def test_a_chosen_model_of_perplexity_is_sent_with_a_bound() -> None:
    sender = Canned(
        lambda request: HttpResponse(
            status=200,
            url=request.url,
            headers={},
            body=recording("perplexity", Offer.ANSWERS).answer,
        )
    )
    options = {"PERPLEXITY_API_KEY": "k", "PERPLEXITY_MODEL": "anthropic/claude-sonnet-5-5"}
    provider: Any = load("perplexity").Provider(kit_over("perplexity", sender, options))

    asyncio.run(provider.answer_question(AnswerQuery(text="Why?")))

    assert sender.sent[0].json["model"] == "anthropic/claude-sonnet-5-5"
    assert sender.sent[0].json["max_output_tokens"] == 2000


def test_tavily_is_free_without_a_key_and_says_when_the_plan_is_used_up() -> None:
    body = recording("tavily", Offer.ANSWERS).data["response"]["body"]

    assert answered("tavily", {}, body).cost_ticks == 0
    assert answered("tavily", {"TAVILY_API_KEY": "k"}, body).cost_ticks == 80_000_000
    with pytest.raises(OutOfCredit):
        answered("tavily", {"TAVILY_API_KEY": "k"}, body, search=(432, {}))


def test_active_html_is_taken_out_of_an_answer_and_the_rest_is_left() -> None:
    raw = "Use <b>br</b>: `a < b`.<script src=//evil.example></script><img src=x onerror=y> Done."

    assert clean_answer_text(raw) == "Use <b>br</b>: `a < b`. Done."


def test_offsets_follow_a_text_that_was_cleaned() -> None:
    raw = "\u200b Cold air has heat.  Coils thaw."
    clean = clean_answer_text(raw)

    start, end = relocate_span(raw, clean, raw.find("Coils"), len(raw))

    assert clean[start:end] == "Coils thaw."
    assert relocate_span(raw, clean, None, None) == (None, None)
