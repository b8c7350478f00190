"""Says in words what the kind code of a patent number means at each office."""

from __future__ import annotations

from collections.abc import Mapping

from citewell.text.data_tables import load_table

_GRANT_LETTERS: dict[str, str] = {"US": "BESP", "EP": "B", "JP": "B", "CN": "BCUYSD", "KR": "BYS"}
_US_GRANTS = frozenset({"A", "B1", "B2", "E", "E1", "S", "S1", "P", "P2", "P3"})


def explain_kind_code(office: str, kind: str | None) -> str | None:
    """What the code means at this office; None if there is no code or it is unknown."""
    if not kind:
        return None
    # What WIPO's standard ST.16 and the offices say; a letter alone stands for all its digits.
    table = load_table(__package__, "kind_codes")
    known: Mapping[str, str] = table["offices"].get(office, table["other_offices"])
    return known.get(kind) or known.get(kind[:1])


def is_granted_kind(office: str, kind: str | None) -> bool:
    """Whether a publication of this kind is a granted right."""
    if not kind:
        return False
    if office == "US":
        return kind in _US_GRANTS
    return kind[:1] in _GRANT_LETTERS.get(office, "BC") and kind not in {"B8", "B9"}
