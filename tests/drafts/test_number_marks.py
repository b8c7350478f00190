""""""

from __future__ import annotations

from tests.drafts.draft_samples import NUMBERED, map_citations
from tests.drafts.given_drafts import read_draft


def test_numbers_lead_to_the_entries_of_the_list() -> None:
    draft = read_draft(NUMBERED)

    assert map_citations(draft) == {
        "[1]": ["Walker 2004"],
        "[2, 4-5]": ["Mednick 2003", "Rasch 2013", "Stickgold 2005"],
        "[3]": ["Diekelmann 2010"],
        "[9]": ["missing 9"],
        "[source](https://example.org/caffeine)": ["https://example.org/caffeine"],
    }
    assert [reference.reference.title for reference in draft.references if reference.id in draft.uncited_reference_ids] == ["Never cited work"]  # fmt: skip
