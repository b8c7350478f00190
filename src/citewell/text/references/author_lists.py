"""Parses the author list at the start of a reference, in the name orders of all styles."""

from __future__ import annotations

import re
from dataclasses import dataclass

from citewell.model.paper import WorkAuthor
from citewell.text.citations.author_names import (
    NAME_PARTICLE_REGEX,
    NAME_PARTICLES,
    AuthorName,
)
from citewell.text.language.scripts import CJK_RANGES
from citewell.text.references import reference_people

_TWO_ORGANISATIONS_PATTERN = re.compile(r",\s(?:and|&)\s|\s&\s")
_COMMA_INITIAL_PATTERN = re.compile(r",\s[^\W\d_]\.")
_LETTER_REGEX = r"[^\W\d_]"
_CAPITAL_REGEX = "[A-ZÀ-ÖØ-ÞĀ-ŽΑ-ΩА-Я]"
_GIVEN_INITIALS_PATTERN = re.compile(
    rf"(?:{_CAPITAL_REGEX}{_LETTER_REGEX}?\.?[\s\u00a0]?-?){{1,5}}(?:(?:{NAME_PARTICLE_REGEX})\s?){{0,3}}"
)
_FAMILY_INITIALS_PATTERN = re.compile(
    rf"(?P<family>{_LETTER_REGEX}[\w'’\u2010 -]{{0,60}}?)\s(?P<given>{_CAPITAL_REGEX}{{1,4}}(?:-{_CAPITAL_REGEX})?)(?:\s(?P<suffix>Jr|Sr|2nd|3rd|II|III|IV)\.?)?"
)
_FAMILY_DOTTED_INITIALS_PATTERN = re.compile(
    rf"(?P<family>{_LETTER_REGEX}[\w'’\u2010 -]{{0,60}}?)\s(?P<given>{_CAPITAL_REGEX}\.(?:[\s-]?{_CAPITAL_REGEX}\.){{0,3}})(?P<suffix>)"
)  # Family G. I.
_INITIALS_FIRST_PATTERN = re.compile(rf"(?:{_CAPITAL_REGEX}\.[\s-]?){{1,4}}\s?{_LETTER_REGEX}{{2}}")
_AUTHOR_SUFFIX_PATTERN = re.compile(r"(?:Jr|Sr|II|III|IV|2nd|3rd)\.?", re.IGNORECASE)
_AND_OTHERS_PATTERN = re.compile(
    r"[,;]?\s{0,3}(?:\bet\s?al\b\.?|\band\s(?:\d+\s)?others\b|\bu\. ?a\.|\bi in\.)", re.IGNORECASE
)
_EDITOR_ROLE_PATTERN = re.compile(
    r"[,]?\s{0,3}\(?\b(?:eds?|editors?|hrsg|trans|comps?)\b\.?\)?\.?\s{0,3}$", re.IGNORECASE
)
_AUTHOR_CONJUNCTION_PATTERN = re.compile(
    r"\s{0,3}[;,]?\s{0,3}(?:&|\band\b|\bund\b|\bet\b|\by\b)\s{1,3}", re.IGNORECASE
)
_AUTHOR_ELLIPSIS_PATTERN = re.compile(r"[,\s]{0,3}(?:…|\.\s?\.\s?\.)\s{0,3}&?\s{0,3}")
_FAMILY_NAME_REGEX = rf"(?:(?:{NAME_PARTICLE_REGEX})\s){{0,3}}{_CAPITAL_REGEX}[\w'’\u2010-]{{0,40}}(?:\s{_CAPITAL_REGEX}[\w'’-]{{1,40}}){{0,2}}"
_DOTTED_INITIALS_REGEX = rf"(?:{_CAPITAL_REGEX}{_LETTER_REGEX}?\.[\s-]{{0,2}}){{1,4}}"
_AUTHOR_SEPARATOR_REGEX = (
    r"(?:,?\s{0,2}(?:&|and|und|et)\s(?!al\b)|[,;]\s(?:(?:&|and)\s)?|\s(?=et al)|\s{0,2}(?=\())?"
)
_FAMILY_FIRST_PATTERN = re.compile(
    rf"{_FAMILY_NAME_REGEX},\s{_DOTTED_INITIALS_REGEX}(?:,\s(?:Jr|Sr|II|III|IV)\.?)?{_AUTHOR_SEPARATOR_REGEX}"
)
_INITIALS_FIRST_ENTRY_PATTERN = re.compile(
    rf"{_DOTTED_INITIALS_REGEX}(?:\s{{0,1}}){_FAMILY_NAME_REGEX}(?:\s(?:Jr|Sr|II|III|IV)\.?)?(?:,?\s(?:and|&)\s|,\s(?:and\s)?|\s(?=et al))"
)
_FAMILY_COMMA_GIVEN_PATTERN = re.compile(
    rf"{_FAMILY_NAME_REGEX},\s{_CAPITAL_REGEX}[\w'’-]+(?:\s{_CAPITAL_REGEX}[\w'’-]*\.?){{0,3}}"
)
_STOP_AND_SPACE_PATTERN = re.compile(r"\.\s")
_CJK_AUTHOR_PATTERN = re.compile(rf"[{CJK_RANGES}·]{{2,8}}")
_FINAL_INITIAL_PATTERN = re.compile(r"\b[^\W\d_]$")
_JOINING_WORDS = frozenset({"and", "&", "et", "al", "of", "for", "the", "on", "in"})
_MAX_SINGLE_AUTHOR_CHARS = 200
_MAX_AUTHOR_LIST_CHARS = 6000  # characters


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthorList:
    people: tuple[WorkAuthor, ...] = ()
    and_others: bool = False


def parse_author_list(text: str) -> AuthorList:
    """The authors in the text before the date or title of a reference."""
    text = _EDITOR_ROLE_PATTERN.sub("", text[:_MAX_AUTHOR_LIST_CHARS].strip(" ,;:")).strip(" ,;")
    shorter = _AND_OTHERS_PATTERN.sub("", text)
    listed = _AUTHOR_ELLIPSIS_PATTERN.sub(", ", shorter).strip(" ,;")
    return AuthorList(
        people=tuple(_parse_listed_people(listed)) if listed else (), and_others=shorter != text
    )


def _parse_listed_people(text: str) -> list[WorkAuthor]:
    if ";" in text:
        parts = [_AUTHOR_CONJUNCTION_PATTERN.sub(" ", part).strip() for part in text.split(";")]
        return [reference_people.parse_whole_name(part) for part in parts if part.strip(" .&")]
    if (
        AuthorName(name=text).is_organisation
        and not _COMMA_INITIAL_PATTERN.search(text)
        and not _FAMILY_INITIALS_PATTERN.match(text)
    ):
        return [
            reference_people.build_organisation(part.rstrip("."))
            for part in _TWO_ORGANISATIONS_PATTERN.split(text)
            if part
        ]
    parts = [part.strip() for part in _AUTHOR_CONJUNCTION_PATTERN.sub(", ", text).split(",")]
    return _pair_name_parts([part for part in parts if part])


def _pair_name_parts(parts: list[str]) -> list[WorkAuthor]:
    """Persons from pieces between commas: a family name takes the initials or names after it."""
    people: list[WorkAuthor] = []
    place = 0
    while place < len(parts):
        part, after = parts[place], parts[place + 1] if place + 1 < len(parts) else ""
        if _AUTHOR_SUFFIX_PATTERN.fullmatch(part) and people:
            people[-1] = _add_name_suffix(people[-1], part)
        elif after and _is_given_name_part(after, part, first=not people, alone=len(parts) == 2):
            people.append(_build_family_first_person(part, after))
            place += 1
        else:
            people.append(_parse_single_author(part))
        place += 1
    return people


def _is_given_name_part(after: str, part: str, *, first: bool, alone: bool) -> bool:
    if any(
        known.fullmatch(part)
        for known in (
            _FAMILY_INITIALS_PATTERN,
            _FAMILY_DOTTED_INITIALS_PATTERN,
            _CJK_AUTHOR_PATTERN,
        )
    ) or _INITIALS_FIRST_PATTERN.match(part):
        return False
    if _GIVEN_INITIALS_PATTERN.fullmatch(after):
        return True
    # MLA and Chicago invert only the first name: Family, Given Middle, and Given Family.
    if not alone and part[:1].isupper() and len(part.split()) > 1 and len(after.split()) > 1:
        return False  # a list of whole names: Given Family, Given Family
    short = len(part.split()) < 4 and len(after.split()) < 5
    return (
        first
        and short
        and not _AUTHOR_SUFFIX_PATTERN.fullmatch(after)
        and not _FAMILY_INITIALS_PATTERN.fullmatch(after)
    )


def _build_family_first_person(family: str, given: str) -> WorkAuthor:
    """A person from family and given names; a particle may follow the initials: Neumann, J. von."""
    words = given.split()
    cut = len(words)
    if words and words[-1].rstrip(".") in NAME_PARTICLES:
        words[-1] = words[-1].rstrip(".")
    while cut > 1 and words[cut - 1] in NAME_PARTICLES:
        cut -= 1
    family = " ".join((*words[cut:], family))
    return reference_people.build_person(family=family, given=" ".join(words[:cut]))


def _parse_single_author(part: str) -> WorkAuthor:
    if match := _FAMILY_INITIALS_PATTERN.fullmatch(
        part.rstrip(".")
    ) or _FAMILY_DOTTED_INITIALS_PATTERN.fullmatch(part):
        return reference_people.build_person(
            family=match["family"], given=match["given"], suffix=match["suffix"] or ""
        )
    words = part.split()
    suffix = words.pop() if len(words) > 2 and _AUTHOR_SUFFIX_PATTERN.fullmatch(words[-1]) else ""
    if len(words) < 2 or len(words) > 6 or AuthorName(name=part).is_organisation:
        return reference_people.parse_whole_name(part.rstrip("."))
    cut = len(words) - 1
    while cut > 1 and words[cut - 1].lower() in NAME_PARTICLES:
        cut -= 1
    family, given = " ".join(words[cut:]).rstrip("."), " ".join(words[:cut])
    return reference_people.build_person(family=family, given=given, suffix=suffix)


def _add_name_suffix(person: WorkAuthor, suffix: str) -> WorkAuthor:
    return reference_people.build_person(
        family=person.family or person.name, given=person.given, suffix=suffix
    )


def find_author_list_end(body: str) -> int:
    """The offset at which the author list of a reference ends; 0 if it starts with no authors."""
    for pattern in (_FAMILY_FIRST_PATTERN, _INITIALS_FIRST_ENTRY_PATTERN):
        at, count = 0, 0
        while (match := pattern.match(body, at)) is not None:
            at, count = match.end(), count + 1
        if count == 1 and body[:at].endswith(("and ", "& ")):
            return (
                _find_name_sentence_end(body) or at
            )  # only the first name is inverted: Family, G., and G. Family
        if count and (tail := _AND_OTHERS_PATTERN.match(body, at)):
            at = tail.end()
        if count:
            return at
    return _find_name_sentence_end(body)


def _find_name_sentence_end(body: str) -> int:
    """The offset after a sentence of names; 0 if there is none.

    Its forms are "Family GI, Family GI.", "Family, Given, and Given Family." and "An Organisation."
    """
    for found in _STOP_AND_SPACE_PATTERN.finditer(body[:_MAX_AUTHOR_LIST_CHARS]):
        head = body[: found.start()]
        if (
            _has_only_family_initials(head)
            or _FAMILY_COMMA_GIVEN_PATTERN.fullmatch(head)
            or (not _FINAL_INITIAL_PATTERN.search(head) and _is_name_list(head))
        ):
            return found.end()
        if len(head) > _MAX_SINGLE_AUTHOR_CHARS and "," not in head:
            break
    return 0


def _split_author_list(head: str) -> list[str]:
    return [
        part
        for part in _AUTHOR_CONJUNCTION_PATTERN.sub(", ", _AND_OTHERS_PATTERN.sub("", head)).split(
            ", "
        )
        if part
    ]


def _has_only_family_initials(head: str) -> bool:
    parts = _split_author_list(head)
    return bool(parts) and all(_FAMILY_INITIALS_PATTERN.fullmatch(part) for part in parts)


def _is_name_list(head: str) -> bool:
    if all(_CJK_AUTHOR_PATTERN.fullmatch(part) for part in re.split(r"[,，、]\s?", head)):
        return True
    words = head.replace(",", " ").split()
    small = _JOINING_WORDS | NAME_PARTICLES
    if len(words) > 40 or not all(w[:1].isupper() or w.strip(".,") in small for w in words):
        return False
    parts = _split_author_list(head)
    return (len(parts) > 1 and len(parts[0].split()) < 4) or AuthorName(name=head).is_organisation


def is_likely_title(head: str) -> bool:
    """Whether the text before a date is a title: it has lower-case words that are no particles."""
    if _COMMA_INITIAL_PATTERN.search(head) or "," in head or AuthorName(name=head).is_organisation:
        return False
    small = _JOINING_WORDS | NAME_PARTICLES
    return any(word[:1].islower() and word.strip(".") not in small for word in head.split())
