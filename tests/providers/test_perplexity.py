"""Perplexity's marks, pages and models."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from citewell.core.values.search_results import AnswerQuery
from citewell.net.http.messages import HttpResponse
from citewell.providers import load
from citewell.routing.ports import Offer
from tests.contract.recordings import Canned, kit_over, recording
from tests.providers.answer_desk import answered


def test_perplexitys_marks_name_search_results_by_id() -> None:
    body = recording("perplexity", Offer.ANSWERS).data["response"]["body"]

    report = answered("perplexity", {"PERPLEXITY_API_KEY": "k"}, body)

    assert [citation.url.rpartition("/")[2] for citation in report.citations] == ["1", "2", "3"]
    assert [report.text[citation.start : citation.end] for citation in report.citations] == [
        "[1]",
        "[2]",
        "[3]",
    ]
    assert report.consulted[0].published == "2026-11-02"
    assert report.cost_ticks == 66_000_000


def test_perplexity_without_marks_cites_what_it_found() -> None:
    body = json.loads(json.dumps(recording("perplexity", Offer.ANSWERS).data["response"]["body"]))
    body["output"][1]["content"][0]["text"] = "Heat pumps take heat from cold air."

    report = answered("perplexity", {"PERPLEXITY_API_KEY": "k"}, body)

    assert [citation.start for citation in report.citations] == [None, None, None]


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
