"""Compares courts as citations name them ("9th Cir.", "S.D.N.Y.", "Cal. Ct. App.")."""

from __future__ import annotations

import re

_CIRCUIT_PATTERN = re.compile(r"(?:(\d{1,2})(?:st|nd|rd|th|d)|(D\. ?C\.|Fed(?:\.|eral))) ?Cir", re.IGNORECASE)  # fmt: skip
_CIRCUIT_NAME_PATTERN = re.compile(
    r"\b(First|Second|Third|Fourth|Fifth|Sixth|Seventh|Eighth|Ninth|Tenth|Eleventh|D\.? ?C\.?|District of Columbia|Federal) Circuit",
    re.IGNORECASE,
)
_DISTRICT_PATTERN = re.compile(r"(?P<part>[NSEWCM]\. ?)?D\. ?(?P<state>[A-Z][\w.' ]{0,24})")
# States by their Bluebook abbreviation, with other spellings; squeezed to letters before comparing.
_STATE_SPELLINGS = """
Ala. Alabama|Alaska Alas.|Ariz. Arizona|Ark. Arkansas|Cal. Calif. California|Colo. Colorado|Conn. Connecticut
Del. Delaware|D.C. DistrictOfColumbia|Fla. Florida|Ga. Georgia|Haw. Hawaii Hawai'i|Idaho Ida.|Ill. Illinois
Ind. Indiana|Iowa|Kan. Kansas Kans.|Ky. Kentucky|La. Louisiana|Me. Maine|Md. Maryland|Mass. Massachusetts
Mich. Michigan|Minn. Minnesota|Miss. Mississippi|Mo. Missouri|Mont. Montana|Neb. Nebraska Nebr.|Nev. Nevada
N.H. NewHampshire|N.J. NewJersey|N.M. NewMexico N.Mex.|N.Y. NewYork|N.C. NorthCarolina N.Car.|N.D. NorthDakota N.Dak.
Ohio|Okla. Oklahoma|Or. Oregon Ore. Oreg.|Pa. Pennsylvania Penn. Penna.|R.I. RhodeIsland|S.C. SouthCarolina S.Car.
S.D. SouthDakota S.Dak.|Tenn. Tennessee|Tex. Texas|Utah|Vt. Vermont|Va. Virginia|Wash. Washington|W.Va. WestVirginia
Wis. Wisconsin Wisc.|Wyo. Wyoming|P.R. PuertoRico|Guam
"""
_STATE_WORD_PATTERN = re.compile(
    r"(?:(?:New|North|South|West|Rhode|Puerto) )?(?:[NSWRDP]\. ?)?[A-Z][a-z']{0,12}\.?"
)
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh")  # fmt: skip
_FEDERAL_IDS = {"cadc": "cir:dc", "cafc": "cir:fed", "scotus": "scotus"} | {
    f"ca{number}": f"cir:{number}" for number in range(1, 12)
}


def find_court_key(label: str | None, *, court_id: str | None = None) -> str | None:
    """A key for comparing: scotus, cir:9, dist:sdny, state:cal; None for a court that is not known."""
    if court_id and court_id in _FEDERAL_IDS:
        return _FEDERAL_IDS[court_id]
    text = " ".join((label or "").split())
    if text in {"U.S.", "SCOTUS", "Supreme Court of the United States"}:
        return "scotus"
    return _find_circuit_key(text) or _find_district_key(text) or _find_state_key(text)


def _find_circuit_key(text: str) -> str | None:
    if found := _CIRCUIT_PATTERN.search(text):
        word = (found[2] or "").lower()
        return f"cir:{found[1] or ('fed' if word.startswith('fed') else 'dc')}"
    if (found := _CIRCUIT_NAME_PATTERN.search(text)) is None:
        return None
    word = found[1].lower()
    if word in _ORDINALS:
        return f"cir:{_ORDINALS.index(word) + 1}"
    return "cir:fed" if word == "federal" else "cir:dc"


def _find_district_key(text: str) -> str | None:
    found = _DISTRICT_PATTERN.fullmatch(text)
    state = _STATE_KEYS.get(_squeeze_label(found["state"])) if found else None
    return f"dist:{_squeeze_label(found['part'] or '')}d:{state}" if found and state else None


def _find_state_key(text: str) -> str | None:
    found = _STATE_WORD_PATTERN.match(text)
    state = _STATE_KEYS.get(_squeeze_label(found[0])) if found else None
    return f"state:{state}" if state else None


def compare_courts(
    written: str | None, label: str | None, *, court_id: str | None = None
) -> bool | None:
    """Whether both mean the same court; None if that cannot be told. State courts of one state agree."""
    one = find_court_key(written)
    other = find_court_key(label, court_id=court_id)
    if one is None or other is None:
        return None
    return one == other


def _squeeze_label(label: str) -> str:
    return "".join(char for char in label.lower() if char.isalnum())


_STATE_KEYS = {
    _squeeze_label(spelling): _squeeze_label(group.split()[0])
    for line in _STATE_SPELLINGS.strip().splitlines()
    for group in line.split("|")
    for spelling in group.split()
}
