"""Statements of a draft judged by the texts of their sources."""

from __future__ import annotations

import pytest

from citewell.core.errors import Blocked
from citewell.drafts.draft_findings import DraftVerdict as V
from tests.drafts.judged_drafts import judge
from tests.drafts.manuscripts import PAGE, check, find, manuscript
from tests.trust.desk import Desk


@pytest.mark.parametrize("more", [{"quality": "partial"}, {"truncated": True}])
def test_what_was_read_in_part_is_never_said_not_to_be_in_the_source(more: dict[str, str]) -> None:
    sentence = "Vaccination campaigns halved measles outbreaks among toddlers [1]."

    assert judge(sentence, **more) is V.UNCHECKED


def test_a_source_that_cannot_be_read_is_unavailable_with_its_reason() -> None:
    desk = Desk(pages={PAGE: Blocked("A bot wall.")})

    found = find(check(manuscript("Cells kept 82 % of their capacity [1].", {"1": PAGE}), desk))

    assert found.verdict is V.SOURCE_UNAVAILABLE
    assert "the site blocks automated access" in found.reason


def test_a_short_page_with_an_end_is_read_as_a_whole_and_a_preview_is_not() -> None:
    short = (
        "The canal is 82 kilometres long from deep water to deep water, and a passage takes ten hours."
        " It was opened in 1914. Ships are lifted 26 metres to the lake by locks and lowered again."
        " Each passage through the old locks lets fresh water flow into the sea, and side basins of the"
        " new locks keep most of theirs. Pilots board at the anchorage."
    )
    absent = "Penguins in Patagonia sleep beside abandoned railway carriages every winter [1]."

    assert judge(absent, short) is V.NOT_IN_SOURCE
    assert judge(absent, f"{short} Continue reading with a subscription.") is V.UNCHECKED
