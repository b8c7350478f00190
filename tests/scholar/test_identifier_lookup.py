from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from citewell.core.errors import (
    CitewellError,
    InternalError,
    MalformedResponse,
    NetworkFailed,
    RateLimited,
    RejectedRequest,
    TooLarge,
    UpstreamUnavailable,
)
from citewell.core.values.paper import IdentifierScheme, Paper, PaperId
from citewell.scholar.identifier_lookup import LookupBatcher
from tests.core.doubles import doi, paper
from tests.core.listing import Lister


def works(count: int) -> dict[str, Paper]:
    values = [f"10.1234/{number}" for number in range(count)]
    return {value: paper(f"Work {value}", doi=value) for value in values}


def bundles(**changes: Any) -> LookupBatcher:
    return LookupBatcher(**{"moment": 0.0, "hold": 0.0, **changes})


def ask(registry: Lister, values: Sequence[str], **changes: Any) -> list[Any]:
    """Answers and errors, in the order of the questions, all asked at the same time."""

    async def every() -> list[Any]:
        desk = bundles(**changes)
        tasks = (desk.look_up_in_batch(registry, doi(value)) for value in values)
        return await asyncio.gather(*tasks, return_exceptions=True)

    return asyncio.run(every())


def test_lookups_that_come_together_share_one_request() -> None:
    registry = Lister(works(5))

    found = ask(registry, list(registry.holds))

    assert found == list(registry.holds.values())
    assert registry.lists == [list(registry.holds)]
    assert registry.singles == []


def test_one_lookup_by_itself_is_asked_for_by_itself() -> None:
    registry = Lister(works(1))

    assert ask(registry, ["10.1234/0"]) == [registry.holds["10.1234/0"]]
    assert (registry.lists, registry.singles) == ([], ["10.1234/0"])


def test_a_long_line_goes_in_lists_of_the_allowed_length_a_few_at_a_time() -> None:
    registry = Lister(works(95))

    found = ask(registry, list(registry.holds))

    assert found == list(registry.holds.values())
    assert [len(batch) for batch in registry.lists] == [10] * 9 + [5]
    assert registry.most_at_once == 3


def test_the_same_work_is_listed_once_however_many_ask_for_it() -> None:
    registry = Lister(works(2))

    found = ask(registry, ["10.1234/0", "10.1234/1", "10.1234/0"])

    assert found[0] is found[2]
    assert registry.lists == [["10.1234/0", "10.1234/1"]]


def test_lookups_that_come_while_others_are_under_way_go_together() -> None:
    async def run() -> Lister:
        registry = Lister(works(6), gate=asyncio.Event())
        desk = bundles(hold=60.0)
        first = asyncio.create_task(desk.look_up_in_batch(registry, doi("10.1234/0")))
        await registry.begun.wait()
        others = [
            asyncio.create_task(desk.look_up_in_batch(registry, doi(f"10.1234/{n}")))
            for n in range(1, 6)
        ]
        await asyncio.sleep(0)
        assert registry.gate is not None
        registry.gate.set()
        await asyncio.gather(first, *others)
        return registry

    registry = asyncio.run(run())

    assert registry.singles == ["10.1234/0"]
    assert registry.lists == [[f"10.1234/{n}" for n in range(1, 6)]]


def test_a_few_do_not_wait_for_ever_for_a_slow_request() -> None:
    async def run() -> Lister:
        registry = Lister(works(3), gate=asyncio.Event())
        desk = bundles(hold=0.0)
        first = asyncio.create_task(desk.look_up_in_batch(registry, doi("10.1234/0")))
        await registry.begun.wait()
        registry.begun.clear()
        others = [
            asyncio.create_task(desk.look_up_in_batch(registry, doi(f"10.1234/{n}")))
            for n in (1, 2)
        ]
        await asyncio.wait_for(registry.begun.wait(), 5)
        assert registry.gate is not None
        registry.gate.set()
        await asyncio.gather(first, *others)
        return registry

    registry = asyncio.run(run())

    assert registry.lists == [["10.1234/1", "10.1234/2"]]
    assert registry.most_at_once == 2


def test_what_a_whole_answer_lacks_is_absent() -> None:
    registry = Lister(works(2))

    found = ask(registry, ["10.1234/0", "10.1234/none", "10.1234/1"])

    assert found == [registry.holds["10.1234/0"], None, registry.holds["10.1234/1"]]
    assert registry.singles == []


def test_what_an_answer_does_not_settle_is_asked_for_alone() -> None:
    registry = Lister(works(2), silent=True)

    found = ask(registry, ["10.1234/0", "10.1234/none", "10.1234/1"])

    assert found[1] is None
    assert registry.singles == ["10.1234/none"]


@pytest.mark.parametrize(
    "error",
    [
        RateLimited("Slow down.", retry_after=2),
        NetworkFailed("Nothing."),
        UpstreamUnavailable("Down."),
    ],
)
def test_a_registry_in_trouble_fails_everybody_and_is_not_asked_again(error: CitewellError) -> None:
    registry = Lister(works(5), fails=error)

    found = ask(registry, list(registry.holds))

    assert found == [error] * 5
    assert (len(registry.lists), registry.singles) == (1, [])


@pytest.mark.parametrize(
    "error", [RejectedRequest("No."), MalformedResponse("Odd."), TooLarge("Huge.")]
)
@pytest.mark.parametrize("place", [0, 4, 9])
def test_one_that_spoils_the_list_is_found_out(error: CitewellError, place: int) -> None:
    registry = Lister(works(10), poison={f"10.1234/{place}": error})

    found = ask(registry, list(registry.holds))

    wanted: list[Any] = list(registry.holds.values())
    wanted[place] = error
    assert found == wanted
    assert len(registry.lists) + len(registry.singles) <= 10


def test_a_registry_that_refuses_everything_is_left_alone_after_a_few_tries() -> None:
    registry = Lister(works(50), fails=MalformedResponse("A page in place of data."))
    registry.max_batch = {IdentifierScheme.DOI: 50}

    found = ask(registry, list(registry.holds))

    assert {type(error) for error in found} == {MalformedResponse}
    assert len(registry.lists) + len(registry.singles) <= 8


def test_trouble_after_the_list_never_makes_a_work_absent() -> None:
    registry = Lister(works(2), silent=True, alone={"10.1234/x": UpstreamUnavailable("Down.")})

    found = ask(registry, ["10.1234/0", "10.1234/x", "10.1234/y", "10.1234/1"])

    assert found[0] == registry.holds["10.1234/0"]
    assert [type(answer) for answer in found[1:3]] == [UpstreamUnavailable, type(None)]


def test_a_fault_of_our_own_reaches_everybody_who_waits() -> None:
    registry = Lister(works(3), fails=ZeroDivisionError("a mistake"))

    assert {type(error) for error in ask(registry, list(registry.holds))} == {ZeroDivisionError}


def test_one_callers_cancellation_spares_the_others() -> None:
    async def run() -> tuple[Paper | None, Lister]:
        registry = Lister(works(3), gate=asyncio.Event())
        desk = bundles()
        tasks = [
            asyncio.create_task(desk.look_up_in_batch(registry, doi(f"10.1234/{n}")))
            for n in range(3)
        ]
        await registry.begun.wait()
        tasks[0].cancel()
        tasks[1].cancel()
        await asyncio.gather(*tasks[:2], return_exceptions=True)
        assert registry.gate is not None
        registry.gate.set()
        return await tasks[2], registry

    found, registry = asyncio.run(run())

    assert found == registry.holds["10.1234/2"]


def test_a_work_that_two_wait_for_survives_one_of_them() -> None:
    async def run() -> Paper | None:
        registry = Lister(works(1), gate=asyncio.Event())
        desk = bundles()
        first, other = (
            asyncio.create_task(desk.look_up_in_batch(registry, doi("10.1234/0"))) for _ in range(2)
        )
        await registry.begun.wait()
        first.cancel()
        assert registry.gate is not None
        registry.gate.set()
        return await other

    assert asyncio.run(run()) is not None


def test_the_request_is_given_up_when_nobody_waits_any_more() -> None:
    async def run() -> Lister:
        registry = Lister(works(3), gate=asyncio.Event())
        desk = bundles()
        tasks = [
            asyncio.create_task(desk.look_up_in_batch(registry, doi(f"10.1234/{n}")))
            for n in range(3)
        ]
        await registry.begun.wait()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.sleep(0)
        assert registry.gate is not None
        registry.gate.set()
        again = await desk.look_up_in_batch(registry, doi("10.1234/0"))  # and the line still moves
        assert again == registry.holds["10.1234/0"]
        return registry

    registry = asyncio.run(run())

    assert registry.at_once == 0


def test_who_leaves_before_the_list_goes_is_not_on_it() -> None:
    async def run() -> Lister:
        registry = Lister(works(3))
        desk = bundles(moment=0.02)
        tasks = [
            asyncio.create_task(desk.look_up_in_batch(registry, doi(f"10.1234/{n}")))
            for n in range(3)
        ]
        await asyncio.sleep(0)
        tasks[1].cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        return registry

    assert asyncio.run(run()).lists == [["10.1234/0", "10.1234/2"]]


def test_work_that_is_stopped_from_inside_is_an_error_and_no_absence() -> None:
    registry = Lister(works(2), fails=asyncio.CancelledError())

    assert {type(error) for error in ask(registry, list(registry.holds))} == {InternalError}


def test_an_identifier_that_cannot_be_listed_is_asked_for_as_ever() -> None:
    registry = Lister(schemes=frozenset({IdentifierScheme.DOI, IdentifierScheme.PMID}))
    pmid = PaperId(scheme=IdentifierScheme.PMID, value="1")

    async def two() -> None:
        await asyncio.gather(*(bundles().look_up_in_batch(registry, pmid) for _ in range(2)))

    asyncio.run(two())

    assert (registry.lists, registry.singles) == ([], ["1", "1"])


def test_one_desk_serves_one_event_loop_after_another() -> None:
    registry, desk = Lister(works(2)), bundles()

    async def both() -> list[Paper | None]:
        return await asyncio.gather(
            *(desk.look_up_in_batch(registry, doi(f"10.1234/{n}")) for n in range(2))
        )

    assert asyncio.run(both()) == asyncio.run(both())
    assert len(registry.lists) == 2
