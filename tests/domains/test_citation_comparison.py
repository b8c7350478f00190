from __future__ import annotations

import pytest

from citewell.domains.law.citation_comparison import compare_courts


@pytest.mark.parametrize(
    ("written", "label", "court_id", "same"),
    [
        ("9th Cir.", "9th Cir.", "ca9", True),
        ("2d Cir.", None, "ca9", False),
        ("S.D.N.Y.", "S.D.N.Y.", "nysd", True),
        ("S.D.N.Y.", "E.D.N.Y.", "nyed", False),
        ("M.D. Pa.", "M.D. Penn.", "pamd", True),
        ("Cal. Ct. App.", "Cal.", "cal", True),
        ("Tex.", "Cal.", "cal", False),
        ("11th Cir.", "Court of Appeals for the Eleventh Circuit", None, True),
        ("Somewhere", "Cal.", "cal", None),
        ("9th Cir.", None, None, None),
    ],
)
def test_courts_are_compared(
    written: str, label: str | None, court_id: str | None, same: bool | None
) -> None:
    assert compare_courts(written, label, court_id=court_id) is same
