"""The authors at the head of a reference, in any of the orders that styles put names in."""

from __future__ import annotations

import re
from dataclasses import dataclass

from citewell.model.paper import Person
from citewell.text.names import Author
from citewell.text.references import persons

_BOTH = re.compile(r",\s(?:and|&)\s|\s&\s")
_INITIALLED = re.compile(r",\s[^\W\d_]\.")
_LETTER = r"[^\W\d_]"
_CAPITAL = "[A-ZÀ-ÖØ-ÞĀ-ŽΑ-ΩА-Я]"
_INITIALS = re.compile(
    rf"(?:{_CAPITAL}{_LETTER}?\.?[\s\u00a0]?-?){{1,5}}(?:(?:van|von|de|der|den|di|da|del)\s?){{0,3}}"
)
_SHORT = re.compile(
    rf"(?P<family>{_LETTER}[\w'’\u2010 -]{{0,60}}?)\s(?P<given>{_CAPITAL}{{1,4}}(?:-{_CAPITAL})?)(?:\s(?P<suffix>Jr|Sr|2nd|3rd|II|III|IV)\.?)?"
)
_STOPPED = re.compile(
    rf"(?P<family>{_LETTER}[\w'’\u2010 -]{{0,60}}?)\s(?P<given>{_CAPITAL}\.(?:[\s-]?{_CAPITAL}\.){{0,3}})(?P<suffix>)"
)  # Family G. I., which after a family name is two given names instead
_PARTICLES = frozenset(
    (
        "van",
        "von",
        "der",
        "den",
        "de",
        "di",
        "da",
        "del",
        "della",
        "dos",
        "du",
        "la",
        "le",
        "ter",
        "ten",
        "zu",
        "al",
        "el",
        "bin",
        "ibn",
    )
)
_STRAIGHT = re.compile(rf"(?:{_CAPITAL}\.[\s-]?){{1,4}}\s?{_LETTER}{{2}}")
_SUFFIX = re.compile(r"(?:Jr|Sr|II|III|IV|2nd|3rd)\.?", re.IGNORECASE)
_OTHERS = re.compile(
    r"[,;]?\s{0,3}(?:\bet\s?al\b\.?|\band\s(?:\d+\s)?others\b|\bu\. ?a\.|\bi in\.)", re.IGNORECASE
)
_EDITORS = re.compile(
    r"[,]?\s{0,3}\(?\b(?:eds?|editors?|hrsg|trans|comps?)\b\.?\)?\.?\s{0,3}$", re.IGNORECASE
)
_JOINT = re.compile(r"\s{0,3}[;,]?\s{0,3}(?:&|\band\b|\bund\b|\bet\b|\by\b)\s{1,3}", re.IGNORECASE)
_ELLIPSIS = re.compile(r"[,\s]{0,3}(?:…|\.\s?\.\s?\.)\s{0,3}&?\s{0,3}")
_FAMILY = rf"(?:(?:van|von|de|der|den|di|da|del|della|la|le|du|dos|ter|ten|zu)\s){{0,3}}{_CAPITAL}[\w'’\u2010-]{{0,40}}(?:\s{_CAPITAL}[\w'’-]{{1,40}}){{0,2}}"
_DOTTED = rf"(?:{_CAPITAL}{_LETTER}?\.[\s-]{{0,2}}){{1,4}}"
_AFTER = (
    r"(?:,?\s{0,2}(?:&|and|und|et)\s(?!al\b)|[,;]\s(?:(?:&|and)\s)?|\s(?=et al)|\s{0,2}(?=\())?"
)
_TURNED = re.compile(rf"{_FAMILY},\s{_DOTTED}(?:,\s(?:Jr|Sr|II|III|IV)\.?)?{_AFTER}")
_SPOKEN_INITIALS = re.compile(
    rf"{_DOTTED}(?:\s{{0,1}}){_FAMILY}(?:\s(?:Jr|Sr|II|III|IV)\.?)?(?:,?\s(?:and|&)\s|,\s(?:and\s)?|\s(?=et al))"
)
_FULL = re.compile(rf"{_FAMILY},\s{_CAPITAL}[\w'’-]+(?:\s{_CAPITAL}[\w'’-]*\.?){{0,3}}")
_STOP = re.compile(r"\.\s")
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af·]{2,8}")
_INITIAL = re.compile(r"\b[^\W\d_]$")
_JOINERS = frozenset({"and", "&", "et", "al", "of", "for", "the", "on", "in"})
_LONGEST_HEAD = 200
_MOST = 6000  # characters


@dataclass(frozen=True, slots=True, kw_only=True)
class Authors:
    people: tuple[Person, ...] = ()
    and_others: bool = False


def read(text: str) -> Authors:
    """What stands before the date or the title."""
    text = _EDITORS.sub("", text[:_MOST].strip(" ,;:")).strip(" ,;")
    shorter = _OTHERS.sub("", text)
    listed = _ELLIPSIS.sub(", ", shorter).strip(" ,;")
    return Authors(people=tuple(_people(listed)) if listed else (), and_others=shorter != text)


def _people(text: str) -> list[Person]:
    if ";" in text:
        parts = [_JOINT.sub(" ", part).strip() for part in text.split(";")]
        return [persons.whole(part) for part in parts if part.strip(" .&")]
    if Author(name=text).body and not _INITIALLED.search(text) and not _SHORT.match(text):
        return [persons.organisation(part.rstrip(".")) for part in _BOTH.split(text) if part]
    parts = [part.strip() for part in _JOINT.sub(", ", text).split(",")]
    return _paired([part for part in parts if part])


def _paired(parts: list[str]) -> list[Person]:
    """Comma-parted pieces put together again: family names take the initials or names after them."""
    people: list[Person] = []
    place = 0
    while place < len(parts):
        part, after = parts[place], parts[place + 1] if place + 1 < len(parts) else ""
        if _SUFFIX.fullmatch(part) and people:
            people[-1] = _suffixed(people[-1], part)
        elif after and _is_given(after, part, first=not people, alone=len(parts) == 2):
            people.append(_turned(part, after))
            place += 1
        else:
            people.append(_alone(part))
        place += 1
    return people


def _is_given(after: str, part: str, *, first: bool, alone: bool) -> bool:
    if any(known.fullmatch(part) for known in (_SHORT, _STOPPED, _UNSPACED)) or _STRAIGHT.match(
        part
    ):
        return False
    if _INITIALS.fullmatch(after):
        return True
    # MLA and Chicago turn the first name only: Family, Given Middle, and Given Family.
    if not alone and part[:1].isupper() and len(part.split()) > 1 and len(after.split()) > 1:
        return False  # a list of whole names: Given Family, Given Family
    short = len(part.split()) < 4 and len(after.split()) < 5
    return first and short and not _SUFFIX.fullmatch(after) and not _SHORT.fullmatch(after)


def _turned(family: str, given: str) -> Person:
    """A particle may stand behind the initials: Neumann, J. von."""
    words = given.split()
    cut = len(words)
    if words and words[-1].rstrip(".") in _PARTICLES:
        words[-1] = words[-1].rstrip(".")
    while cut > 1 and words[cut - 1] in _PARTICLES:
        cut -= 1
    family = " ".join((*words[cut:], family))
    return persons.person(family=family, given=" ".join(words[:cut]))


def _alone(part: str) -> Person:
    if match := _SHORT.fullmatch(part.rstrip(".")) or _STOPPED.fullmatch(part):
        return persons.person(
            family=match["family"], given=match["given"], suffix=match["suffix"] or ""
        )
    words = part.split()
    suffix = words.pop() if len(words) > 2 and _SUFFIX.fullmatch(words[-1]) else ""
    if len(words) < 2 or len(words) > 6 or Author(name=part).body:
        return persons.whole(part.rstrip("."))
    cut = len(words) - 1
    while cut > 1 and words[cut - 1].lower() in _PARTICLES:
        cut -= 1
    family, given = " ".join(words[cut:]).rstrip("."), " ".join(words[:cut])
    return persons.person(family=family, given=given, suffix=suffix)


def _suffixed(person: Person, suffix: str) -> Person:
    return persons.person(family=person.family or person.name, given=person.given, suffix=suffix)


def run(body: str) -> int:
    """Where the list of authors that a reference begins with ends; 0 when it begins otherwise."""
    for pattern in (_TURNED, _SPOKEN_INITIALS):
        at, count = 0, 0
        while (match := pattern.match(body, at)) is not None:
            at, count = match.end(), count + 1
        if count == 1 and body[:at].endswith(("and ", "& ")):
            return (
                _sentence_of_names(body) or at
            )  # only the first is turned: Family, G., and G. Family
        if count and (tail := _OTHERS.match(body, at)):
            at = tail.end()
        if count:
            return at
    return _sentence_of_names(body)


def _sentence_of_names(body: str) -> int:
    """Family GI, Family GI. or Family, Given, and Given Family. or An Organisation."""
    for found in _STOP.finditer(body[:_MOST]):
        head = body[: found.start()]
        if _short(head) or _FULL.fullmatch(head) or (not _INITIAL.search(head) and _names(head)):
            return found.end()
        if len(head) > _LONGEST_HEAD and "," not in head:
            break
    return 0


def _parts(head: str) -> list[str]:
    return [part for part in _JOINT.sub(", ", _OTHERS.sub("", head)).split(", ") if part]


def _short(head: str) -> bool:
    parts = _parts(head)
    return bool(parts) and all(_SHORT.fullmatch(part) for part in parts)


def _names(head: str) -> bool:
    if all(_UNSPACED.fullmatch(part) for part in re.split(r"[,，、]\s?", head)):
        return True
    words = head.replace(",", " ").split()
    small = _JOINERS | _PARTICLES
    if len(words) > 40 or not all(w[:1].isupper() or w.strip(".,") in small for w in words):
        return False
    parts = _parts(head)
    return (len(parts) > 1 and len(parts[0].split()) < 4) or Author(name=head).body


def is_title(head: str) -> bool:
    """Whether what stands before a date is a title: names have no small words but particles."""
    if _INITIALLED.search(head) or "," in head or Author(name=head).body:
        return False
    small = _JOINERS | _PARTICLES
    return any(word[:1].islower() and word.strip(".") not in small for word in head.split())
