from __future__ import annotations

import pytest

from citewell.domains.law.eu_law_numbers import find_celex_numbers


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("32016R0679", "32016R0679"),
        ("CELEX:62018CJ0311", "62018CJ0311"),
        ("C-311/18", "62018CJ0311"),
        ("Case C‑131/12 Google Spain", "62012CJ0131"),
        ("T-604/18", "62018TJ0604"),
        ("Case 26/62", "61962CJ0026"),
        ("Regulation (EU) 2016/679", "32016R0679"),
        ("Regulation (EC) No 1907/2006", "32006R1907"),
        ("Directive 95/46/EC", "31995L0046"),
        ("Directive 2011/83/EU", "32011L0083"),
        ("Decision 2010/87/EU", "32010D0087"),
        ("privacy shield", None),
        ("1/2 of the data", None),
    ],
)
def test_numbers_of_eu_law_become_celex_numbers(text: str, first: str | None) -> None:
    assert next(iter(find_celex_numbers(text)), None) == first
