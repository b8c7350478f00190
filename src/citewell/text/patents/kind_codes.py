"""Says in words what the kind code of a patent number means at each office."""

from __future__ import annotations

# What WIPO's standard ST.16 and the offices say; a letter alone stands for all its digits.
_MEANINGS: dict[str, dict[str, str]] = {
    "US": {
        "A": "patent granted before 2001",
        "A1": "application publication",
        "A2": "application publication, republished",
        "A9": "application publication, corrected",
        "B1": "granted patent, without an earlier published application",
        "B2": "granted patent, after a published application",
        "C": "reexamination certificate",
        "E": "reissued patent",
        "H": "statutory invention registration",
        "P": "plant patent",
        "P1": "plant application publication",
        "P2": "plant patent, without an earlier published application",
        "P3": "plant patent, after a published application",
        "P4": "plant application publication, republished",
        "P9": "plant application publication, corrected",
        "S": "design patent",
    },
    "EP": {
        "A1": "application with search report",
        "A2": "application without search report",
        "A3": "search report",
        "A4": "supplementary search report",
        "A8": "application, corrected title page",
        "A9": "application, corrected",
        "B1": "granted patent",
        "B2": "granted patent, amended after opposition",
        "B3": "granted patent, limited",
        "B8": "granted patent, corrected title page",
        "B9": "granted patent, corrected",
    },
    "WO": {
        "A1": "international application with search report",
        "A2": "international application without search report",
        "A3": "search report, with revised title page",
        "A4": "amended claims, with revised title page",
        "A8": "international application, corrected title page",
        "A9": "international application, corrected",
    },
    "JP": {
        "A": "application publication",
        "A1": "republished international application",
        "B": "examined or granted patent",
        "B1": "granted patent, without an earlier published application",
        "B2": "granted patent, after a published application",
        "S": "design registration",
        "U": "utility model, registered or unexamined",
        "Y": "utility model, examined",
        "Y1": "utility model, examined, without an earlier publication",
        "Y2": "utility model, examined, after a publication",
    },
    "CN": {
        "A": "application publication",
        "B": "granted patent",
        "C": "granted patent, before 2010",
        "D": "design patent, before 2010",
        "S": "design patent",
        "U": "utility model",
        "Y": "utility model, before 2010",
    },
    "KR": {
        "A": "application publication",
        "B1": "granted patent",
        "B": "granted patent",
        "S": "design registration",
        "U": "utility model application",
        "Y1": "utility model registration",
        "Y": "utility model registration",
    },
}
_PLAIN_MEANINGS = {
    "A": "application publication",
    "B": "granted or examined patent",
    "U": "utility model",
}
_GRANT_LETTERS: dict[str, str] = {"US": "BESP", "EP": "B", "JP": "B", "CN": "BCUYSD", "KR": "BYS"}
_US_GRANTS = frozenset({"A", "B1", "B2", "E", "E1", "S", "S1", "P", "P2", "P3"})


def explain_kind_code(office: str, kind: str | None) -> str | None:
    """What the code means at this office; None if there is no code or it is unknown."""
    if not kind:
        return None
    known = _MEANINGS.get(office)
    if known is None:
        return _PLAIN_MEANINGS.get(kind[:1])
    return known.get(kind) or known.get(kind[:1])


def is_granted_kind(office: str, kind: str | None) -> bool:
    """Whether a publication of this kind is a granted right."""
    if not kind:
        return False
    if office == "US":
        return kind in _US_GRANTS
    return kind[:1] in _GRANT_LETTERS.get(office, "BC") and kind not in {"B8", "B9"}
