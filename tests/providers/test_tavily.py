"""What is Tavily's own: access without a key, spent plans, short queries."""

from __future__ import annotations

import pytest

from citewell.core.errors import OutOfCredit
from citewell.core.values.search_queries import SearchQuery
from citewell.providers.tavily import SPEC
from citewell.routing.ports import Offer
from tests.contract.recordings import KEY, recording
from tests.providers.answer_desk import answered
from tests.providers.asking import Reply, ask

EMPTY: dict[str, object] = {"results": []}


def test_without_a_key_it_asks_for_keyless_access() -> None:
    (request,) = ask("tavily", SearchQuery(text="x"), EMPTY).sent

    assert SPEC.is_keyless
    assert request.headers["X-Tavily-Access-Mode"] == "keyless"
    assert not request.secret_headers


def test_with_a_key_it_is_sent_and_nothing_says_keyless() -> None:
    (request,) = ask("tavily", SearchQuery(text="x"), EMPTY, options={"TAVILY_API_KEY": KEY}).sent

    assert request.secret_headers == {"Authorization": f"Bearer {KEY}"}
    assert "X-Tavily-Access-Mode" not in request.headers


@pytest.mark.parametrize("status", [432, 433])
def test_a_spent_plan_is_out_of_credit(status: int) -> None:
    with pytest.raises(OutOfCredit):
        ask(
            "tavily",
            SearchQuery(text="x"),
            Reply(body={"detail": {"error": "limit"}}, status=status),
        )


def test_a_query_over_400_characters_is_cut() -> None:
    asked = ask("tavily", SearchQuery(text="word " * 100), EMPTY)

    assert len(asked.sent[0].json["query"]) <= 400


def test_a_cjk_query_is_measured_in_characters() -> None:
    asked = ask("tavily", SearchQuery(text="電" * 400), EMPTY)

    assert asked.sent[0].json["query"] == "電" * 400


@pytest.mark.parametrize(
    ("score", "wanted"), [(0.5, 0.5), (1.7, 1.0), (-1, 0.0), ("x", None), (float("nan"), None)]
)
def test_a_score_stays_between_0_and_1(score: object, wanted: float | None) -> None:
    body = {"results": [{"url": "https://a.example/", "title": "t", "score": score}]}

    assert ask("tavily", SearchQuery(text="x"), body).found.hits[0].score == wanted


def test_more_than_twenty_is_clamped_and_said() -> None:
    asked = ask("tavily", SearchQuery(text="x", count=50), EMPTY)

    assert asked.sent[0].json["max_results"] == 20
    assert "at most 20" in asked.found.notes[0]


def test_tavily_is_free_without_a_key_and_says_when_the_plan_is_used_up() -> None:
    body = recording("tavily", Offer.ANSWERS).data["response"]["body"]

    assert answered("tavily", {}, body).cost_ticks == 0
    assert answered("tavily", {"TAVILY_API_KEY": "k"}, body).cost_ticks == 80_000_000
    with pytest.raises(OutOfCredit):
        answered("tavily", {"TAVILY_API_KEY": "k"}, body, search=(432, {}))
