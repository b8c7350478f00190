from __future__ import annotations

import asyncio
from typing import Any

import pytest

from citewell.core.errors import RateLimited, UpstreamUnavailable
from citewell.core.values.paper import BibliographicQuery, Paper
from citewell.routing.ports import Offer, ProviderPause
from citewell.routing.provider_panel import ProviderPanel
from citewell.scholar.reference_matching import ProviderCapacity
from citewell.scholar.registry_records import ReferenceMatches
from tests.core.doubles import DOI, Registry, paper, records
from tests.search.doubles import Shop, spec

TITLE = "Of water, weather, granite and the slow making of valleys"
ABLE = frozenset({Offer.MATCH, Offer.LOOKUP})
FAST = {"per_second": 30.0, "burst": 30}
SLOW = {"per_second": 5.0, "burst": 5}


def shop(**stock: tuple[Registry, dict[str, Any]]) -> Shop:
    """Providers with paces of their own, all of which match and look up."""
    return Shop(
        *((spec(name, offers=ABLE, **pace), registry) for name, (registry, pace) in stock.items())
    )


def known(source: str = "crossref", **changes: Any) -> Paper:
    return paper(TITLE, source=source, **changes)


def match(stock: Shop, **query: Any) -> ReferenceMatches:
    given = BibliographicQuery(**({"title": TITLE} | query))
    return asyncio.run(records(stock, grace=5.0).match_records(given))


def matched(registry: Registry) -> list[str]:
    return [call for call in registry.asked if call.startswith("match")]


def test_one_registry_that_knows_the_very_work_is_enough() -> None:
    crossref, openalex = Registry(matching=[known()]), Registry(matching=[known("openalex")])

    found = match(shop(crossref=(crossref, SLOW), openalex=(openalex, FAST)))

    assert [reply.provider for reply in found.asked] == ["crossref"]
    assert openalex.asked == []


@pytest.mark.parametrize(
    "candidates",
    [
        [known(), known(doi="10.1234/twin", year=2019)],
        [paper("Of water", doi="10.1234/short")],
        [],
    ],
    ids=["two that fit", "a title of few words", "nothing"],
)
def test_a_second_opinion_is_asked_for_when_the_first_leaves_a_doubt(
    candidates: list[Paper],
) -> None:
    crossref, openalex = Registry(matching=candidates), Registry(matching=[known("openalex")])
    title = candidates[0].title if candidates else TITLE

    found = match(shop(crossref=(crossref, SLOW), openalex=(openalex, FAST)), title=title)

    assert [reply.provider for reply in found.asked] == ["crossref", "openalex"]


def test_a_match_from_elsewhere_is_completed_with_its_registrys_own_record() -> None:
    crossref = Registry({DOI: known(volume="7")})
    openalex = Registry(matching=[known("openalex", volume=None)])

    found = match(shop(crossref=(crossref, SLOW), openalex=(openalex, FAST)))

    assert found.papers[0].volume == "7"
    assert found.papers[0].provenance["volume"] == "crossref"


def test_a_match_stands_while_its_registry_is_down() -> None:
    crossref = Registry(fails=UpstreamUnavailable("Down."))
    openalex = Registry(matching=[known("openalex")])

    found = match(shop(crossref=(crossref, SLOW), openalex=(openalex, FAST)))

    assert found.papers[0].doi == DOI


def test_everybody_is_asked_before_a_work_counts_as_unknown() -> None:
    nobody = {name: (Registry(), FAST) for name in ("crossref", "openalex", "semanticscholar")}

    found = match(shop(**nobody, datacite=(Registry(), SLOW)))

    assert found.papers == ()
    assert {reply.provider for reply in found.asked} == {*nobody, "datacite"}


def test_of_two_of_a_kind_the_one_with_more_room_is_asked() -> None:
    arxiv, datacite = Registry(), Registry()
    pubmed, europepmc = Registry(), Registry()

    match(
        shop(
            crossref=(Registry(), SLOW),
            arxiv=(arxiv, {"per_second": 1 / 3}),
            datacite=(datacite, {"per_second": 1.5, "burst": 50}),
            pubmed=(pubmed, {"per_second": 3.0}),
            europepmc=(europepmc, {"per_second": 5.0, "burst": 5}),
        )
    )

    assert [len(matched(index)) for index in (arxiv, datacite, pubmed, europepmc)] == [0, 1, 0, 1]


def test_a_provider_without_its_kin_is_always_asked() -> None:
    arxiv = Registry(matching=[known("arxiv")])

    found = match(shop(crossref=(Registry(), SLOW), arxiv=(arxiv, {"per_second": 1 / 3})))

    assert found.papers[0].source == "arxiv"


def test_a_glance_asks_one_and_no_more_unless_something_is_near() -> None:
    crossref, openalex = Registry(), Registry()
    stock = shop(crossref=(crossref, SLOW), openalex=(openalex, FAST), datacite=(Registry(), FAST))

    far = match(stock, glance=True)
    crossref.matching = [paper("Of water, weather, granite and the making of hills")]
    near = match(stock, glance=True)

    assert [reply.provider for reply in far.asked] == ["crossref"]
    assert [reply.provider for reply in near.asked] == ["crossref", "openalex"]


def test_many_references_spread_over_the_registries_by_their_pace() -> None:
    names = {"crossref": SLOW, "openalex": FAST, "semanticscholar": {"per_second": 0.9}}
    stock = {name: (Registry(matching=[known(name)]), pace) for name, pace in names.items()}
    found = records(shop(**stock), grace=5.0)

    async def every() -> None:
        queries = (BibliographicQuery(title=TITLE, text=str(number)) for number in range(48))
        await asyncio.gather(*map(found.match_records, queries))

    asyncio.run(every())

    asked = {name: len(matched(registry)) for name, (registry, _) in stock.items()}
    assert asked["openalex"] > asked["crossref"] > asked["semanticscholar"]
    assert sum(asked.values()) == 48


def test_a_resting_registry_has_no_room() -> None:
    catalogue = shop(crossref=(Registry(), SLOW), openalex=(Registry(), FAST)).catalogue
    resting = {"crossref": ProviderPause(seconds=30, asked_by_provider=True)}
    room = ProviderCapacity(ProviderPanel(catalogue, find_rest=resting.get))

    assert room.choose_shortest_wait(["crossref", "openalex"]) == "openalex"


def test_what_was_asked_takes_up_room_until_its_time_has_passed() -> None:
    now = 100.0
    catalogue = shop(crossref=(Registry(), {"per_second": 2.0, "burst": 2})).catalogue
    room = ProviderCapacity(ProviderPanel(catalogue), clock=lambda: now)

    before = room.estimate_wait("crossref")
    for _ in range(4):
        with room.reserve_requests(["crossref"]):
            pass
    after = room.estimate_wait("crossref")
    now += 2.0

    assert (before, after, room.estimate_wait("crossref")) == (0.0, 2.0, 0.0)


def test_a_registry_that_does_not_answer_fills_up() -> None:
    catalogue = shop(crossref=(Registry(), {"per_second": 2.0, "burst": 2})).catalogue
    now = 0.0
    room = ProviderCapacity(ProviderPanel(catalogue), clock=lambda: now)

    with (
        room.reserve_requests(["crossref"]),
        room.reserve_requests(["crossref"]),
        room.reserve_requests(["crossref"]),
    ):
        now = 1000.0
        full = room.estimate_wait("crossref")

    assert full == 1.5
    assert room.estimate_wait("crossref") == 0.0


def test_a_registry_without_a_pace_always_has_room() -> None:
    room = ProviderCapacity(ProviderPanel(shop(crossref=(Registry(), {})).catalogue))

    with room.reserve_requests(["crossref"]):
        assert room.estimate_wait("crossref") == 0.0


def test_a_refusal_of_the_first_leaves_the_question_to_the_others() -> None:
    crossref = Registry(fails=RateLimited("Slow down.", retry_after=600))
    openalex = Registry(matching=[known("openalex")])

    found = match(shop(crossref=(crossref, SLOW), openalex=(openalex, FAST)))

    assert found.papers[0].doi == DOI
    assert [reply.outcome for reply in found.asked] == ["failed", "found"]


def test_nobody_to_ask_is_no_answer() -> None:
    assert not match(Shop()).is_answered
