"""Model servers of one's own: what they write from, and what is no part of it."""

from __future__ import annotations

import json

import pytest

from citewell.core.errors import (
    InvalidInput,
    NotFound,
)
from citewell.core.values.research import (
    RESEARCH_TIERS,
    GroundingPassage,
    ResearchRequest,
)
from tests.internet.serve import Internet
from tests.providers.research_desk import ASK, using


def test_a_model_server_writes_from_passages_and_cites_only_those(internet: Internet) -> None:
    passages = tuple(
        GroundingPassage(
            number=n, url=f"https://example.org/{n}", title=f"Page {n}", text=f"Fact {n} holds."
        )
        for n in (1, 2)
    )
    request = ResearchRequest(
        query="What holds?", tier=RESEARCH_TIERS["S"], tag="t", passages=passages
    )

    submission = using(internet, "compatible", lambda provider: provider.submit_research(request))

    report = submission.report
    assert [cited.url for cited in report.citations] == [
        "https://example.org/1",
        "https://example.org/2",
    ]
    assert report.text[report.citations[0].start : report.citations[0].end] == "[1]"
    assert report.cost_ticks == 0


PASSAGES = (
    GroundingPassage(
        number=1,
        url="https://example.org/1",
        title="Page 1",
        text="The bridge was opened in 1932. It carries eight lanes of road.",
    ),
)


GROUNDED = ResearchRequest(
    query="When was it opened?", tier=RESEARCH_TIERS["S"], tag="t", passages=PASSAGES
)


@pytest.mark.parametrize("model", ["thinking-model", "reasoning-model"])
def test_what_a_local_model_thought_is_no_part_of_its_report(
    internet: Internet, model: str
) -> None:
    submission = using(
        internet,
        "compatible",
        lambda provider: provider.submit_research(GROUNDED),
        CITEWELL_MODEL_NAME=model,
    )

    assert "4711" not in submission.report.text
    assert "think" not in submission.report.text
    assert submission.report.text.startswith("The bridge was opened in 1932.")
    assert [cited.url for cited in submission.report.citations] == ["https://example.org/1"]


def test_a_local_model_that_only_thought_is_an_error_that_says_so(internet: Internet) -> None:
    with pytest.raises(NotFound, match="only thought"):
        using(
            internet,
            "compatible",
            lambda provider: provider.submit_research(GROUNDED),
            CITEWELL_MODEL_NAME="musing-model",
        )


def test_an_encoder_in_the_list_of_models_is_not_asked_to_write(internet: Internet) -> None:
    using(internet, "compatible", lambda provider: provider.submit_research(GROUNDED))

    (asked,) = [
        request for request in internet.world.requests["compatible"] if request.method == "POST"
    ]
    body = json.loads(asked.body)
    assert (body["model"], body["stream"]) == ("small-model", False)


def test_a_model_server_without_passages_is_not_asked(internet: Internet) -> None:
    with pytest.raises(InvalidInput):
        using(internet, "compatible", lambda provider: provider.submit_research(ASK))

    assert internet.world.calls["compatible"] == 0
