"""What registries of law answered, kept across restarts."""

from __future__ import annotations

from citewell.core.errors import (
    UpstreamError,
)
from tests.internet.faults import Fault
from tests.internet.serve import Internet
from tests.providers.courtlistener_bench import Memory, ask_over, web

__all__ = ["web"]


def test_what_was_found_is_remembered_for_a_month_and_absence_for_a_day(web: Internet) -> None:
    memory = Memory()

    first = ask_over(web, "410 U.S. 113", "999 U.S. 1", memory=memory)
    again = ask_over(web, "410 U. S. 113", "999 U.S. 1", memory=memory)

    assert sorted(memory.days) == [1, 1, 30]  # the proof that citations are found lasts a day too
    assert [match.cases for match in again] == [match.cases for match in first]
    assert not web.world.calls["courtlistener"]


def test_a_failure_is_not_remembered(web: Internet) -> None:
    memory = Memory()

    [failed] = ask_over(web, "410 U.S. 113", memory=memory, fault=Fault(status=500))
    [found] = ask_over(web, "410 U.S. 113", memory=memory)

    assert isinstance(failed, UpstreamError)
    assert found.cases


def test_a_memory_that_cannot_be_read_is_asked_over(web: Internet) -> None:
    memory = Memory()
    ask_over(web, "410 U.S. 113", memory=memory)
    memory.facts = dict.fromkeys(memory.facts, b'{"cases": [{"nonsense": 1}]}')

    [match] = ask_over(web, "410 U.S. 113", memory=memory)

    assert match.cases[0].name == "Roe v. Wade"
