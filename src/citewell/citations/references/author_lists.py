"""Parses the author list at the start of a reference, in the name orders of all styles."""

from __future__ import annotations

import re
from dataclasses import dataclass

from citewell.citations.author_names import NAME_PARTICLE_REGEX, NAME_PARTICLES, AuthorName
from citewell.citations.references import reference_fields
from citewell.core.lazy_patterns import compile_on_use
from citewell.core.values.paper import WorkAuthor
from citewell.text.data_tables import load_words
from citewell.text.language.scripts import CJK_RANGES

_CAPITAL_WORD_PATTERN = compile_on_use(r"[^\W\d_]{2,}")
_MIN_CAPITAL_LETTERS = 20
_UNDATED_PATTERN = compile_on_use(
    r"\((?:in press|forthcoming|submitted|under review|to appear|no date|n\. ?d\.|s\. ?[ad]\.|o\. ?J\.|im Druck|im Erscheinen|à paraître|sous presse|en prensa|in corso di stampa)\)",
    re.IGNORECASE,
)
_MARKS = str.maketrans({"،": ",", "؛": ";", "，": ",", "；": ";", "：": ":", "（": "(", "）": ")"})

_TWO_ORGANISATIONS_PATTERN = compile_on_use(r",\s(?:and|&)\s|\s&\s")
_COMMA_INITIAL_PATTERN = compile_on_use(r",\s[^\W\d_]\.")
_LETTER_REGEX = r"[^\W\d_]"
_CAPITAL_REGEX = "[A-ZÀ-ÖØ-ÞĀ-ŽΑ-ΩА-Я]"
_GIVEN_INITIALS_PATTERN = compile_on_use(
    rf"(?:{_CAPITAL_REGEX}{_LETTER_REGEX}?\.?[\s\u00a0]?-?){{1,5}}(?:(?:{NAME_PARTICLE_REGEX})\s?){{0,3}}"
)
_FAMILY_INITIALS_PATTERN = compile_on_use(
    rf"(?P<family>{_LETTER_REGEX}[\w'’\u2010 -]{{0,60}}?)\s(?P<given>{_CAPITAL_REGEX}{{1,4}}(?:-{_CAPITAL_REGEX})?)(?:\s(?P<suffix>Jr|Sr|2nd|3rd|II|III|IV)\.?)?"
)
_FAMILY_DOTTED_INITIALS_PATTERN = compile_on_use(
    rf"(?P<family>{_LETTER_REGEX}[\w'’\u2010 -]{{0,60}}?)\s(?P<given>{_CAPITAL_REGEX}\.(?:[\s-]?{_CAPITAL_REGEX}\.){{0,3}})(?P<suffix>)"
)  # Family G. I.
_INITIALS_FIRST_PATTERN = compile_on_use(
    rf"(?:{_CAPITAL_REGEX}\.[\s-]?){{1,4}}\s?{_LETTER_REGEX}{{2}}"
)
_AUTHOR_SUFFIX_PATTERN = compile_on_use(r"(?:Jr|Sr|II|III|IV|2nd|3rd)\.?", re.IGNORECASE)
_AND_OTHERS_PATTERN = compile_on_use(
    r"[,;]?\s{0,3}(?:\bet\s?al\b\.?|\band\s(?:\d+\s)?others\b|\bu\. ?a\.|\bi in\.)", re.IGNORECASE
)
_EDITOR_ROLE_PATTERN = compile_on_use(
    r"[,]?\s{0,3}\(?\b(?:eds?|editors?|hrsg|trans|comps?)\b\.?\)?\.?\s{0,3}$", re.IGNORECASE
)
_NOTE_SIGNAL_PATTERN = compile_on_use(
    r"^(?i:see(?:\s(?:also|e\.g\.,?|generally))?|cf\.?|vgl\.?|siehe|voir)\s(?=[^\W\d_a-z])"
)  # of footnotes
_AUTHOR_CONJUNCTION_PATTERN = compile_on_use(
    r"\s{0,3}[;,]?\s{0,3}(?:&|\band\b|\bund\b|\bet\b|\by\b)\s{1,3}", re.IGNORECASE
)
_AUTHOR_ELLIPSIS_PATTERN = compile_on_use(r"[,\s]{0,3}(?:…|\.\s?\.\s?\.)\s{0,3}&?\s{0,3}")
_FAMILY_NAME_REGEX = rf"(?:(?:{NAME_PARTICLE_REGEX})\s){{0,3}}{_CAPITAL_REGEX}[\w'’\u2010-]{{0,40}}(?:\s{_CAPITAL_REGEX}[\w'’-]{{1,40}}){{0,2}}"
_FAMILY_COMMA_GIVEN_PATTERN = compile_on_use(
    rf"{_FAMILY_NAME_REGEX},\s{_CAPITAL_REGEX}[\w'’-]+(?:\s{_CAPITAL_REGEX}[\w'’-]*\.?){{0,3}}"
)
_FAMILY_INITIALS_START_PATTERN = compile_on_use(rf"{_FAMILY_INITIALS_PATTERN.pattern}(?=[,;.]|$)")
_GLUED_NAME_PATTERN = compile_on_use(
    rf"([.,;])(?={_LETTER_REGEX}{{2}}|{_LETTER_REGEX}\.?\s)"
)  # D.Kang,S. Zhu
_BRACKETED_GIVEN_PATTERN = compile_on_use(
    r"(?<=[^\W\d_a-z])\s\(([^\W\d_a-z][^\W\d_]{1,20}(?:-[^\W\d_]{2,20})?)\)(?=[,;]|$)"
)  # FOUCAULT (Michel)
_CAPITAL_FAMILY_PATTERN = compile_on_use(
    r"(?P<family>[^\W\d_a-zß-ÿ]{4,30}(?:[\s-][^\W\d_a-zß-ÿ]{2,30}){0,2})\s(?P<given>[^\W\d_a-z][a-zß-ÿ]{1,20}(?:-[^\W\d_a-z][a-zß-ÿ]{1,20})?)(?P<suffix>)"
)  # BOURDIEU Pierre
_NAME_SLASH_PATTERN = compile_on_use(r"\s?/\s?(?=[^\W\d_])")
_WORD_AND_STOP_PATTERN = compile_on_use(rf"{_LETTER_REGEX}{{3}}\.$")
_LETTER_PATTERN = compile_on_use(_LETTER_REGEX)
_LIST_MARKS = " ,;:-–—_*•"
_CJK_AUTHOR_PATTERN = compile_on_use(rf"[{CJK_RANGES}·]{{2,8}}")
_MAX_AUTHOR_LIST_CHARS = 6000  # characters


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthorList:
    people: tuple[WorkAuthor, ...] = ()
    and_others: bool = False


def parse_author_list(text: str) -> AuthorList:
    """The authors in the part of a reference that names them."""
    text = latinize_marks(text[:_MAX_AUTHOR_LIST_CHARS]).strip(_LIST_MARKS)
    text = _GLUED_NAME_PATTERN.sub(r"\1 ", _BRACKETED_GIVEN_PATTERN.sub(r", \1", text))
    text = _EDITOR_ROLE_PATTERN.sub("", _NOTE_SIGNAL_PATTERN.sub("", text)).strip(" ,;")
    shorter = _AND_OTHERS_PATTERN.sub("", text)
    listed = _AUTHOR_ELLIPSIS_PATTERN.sub(", ", shorter).strip(" ,;")
    named = _LETTER_PATTERN.search(listed)
    return AuthorList(
        people=tuple(_parse_listed_people(listed)) if named else (), and_others=shorter != text
    )


def _parse_listed_people(text: str) -> list[WorkAuthor]:
    text = _NAME_SLASH_PATTERN.sub("; ", text)
    if ";" in text:
        parts = [_AUTHOR_CONJUNCTION_PATTERN.sub("; ", part).strip() for part in text.split(";")]
        names = [name.strip() for part in parts for name in part.split(";")]
        return [_parse_separated_name(name) for name in names if _LETTER_PATTERN.search(name)]
    if (
        AuthorName(name=text).is_organisation
        and not _COMMA_INITIAL_PATTERN.search(text)
        and not _FAMILY_INITIALS_START_PATTERN.match(text)
    ):
        return [
            reference_fields.build_organisation(part.rstrip("."))
            for part in _TWO_ORGANISATIONS_PATTERN.split(text)
            if part
        ]
    joined = [part.strip(" ,") for part in _AUTHOR_CONJUNCTION_PATTERN.split(text)]
    if len(joined) > 1 and all(_FAMILY_COMMA_GIVEN_PATTERN.fullmatch(part) for part in joined):
        return [reference_fields.parse_whole_name(_strip_final_stop(part)) for part in joined]
    if len(joined) == 2 and not any("," in part for part in joined):
        return [_parse_single_author(part) for part in joined if part]
    parts = [part.strip() for group in joined for part in group.split(",")]
    return _pair_name_parts([part for part in parts if part])


def _parse_separated_name(name: str) -> WorkAuthor:
    """A person of a list whose names are parted by semicolons, in any order of the parts."""
    name = name.strip(" ,")
    if "," in name:
        return reference_fields.parse_whole_name(_strip_final_stop(name))
    return _parse_single_author(name)


def _strip_final_stop(name: str) -> str:
    """The name without the stop that ends the list; that of an initial is kept."""
    return name[:-1] if _WORD_AND_STOP_PATTERN.search(name) else name


def _pair_name_parts(parts: list[str]) -> list[WorkAuthor]:
    """Persons from pieces between commas: a family name takes the initials or names after it."""
    people: list[WorkAuthor] = []
    place = 0
    while place < len(parts):
        part, after = parts[place], parts[place + 1] if place + 1 < len(parts) else ""
        if _AUTHOR_SUFFIX_PATTERN.fullmatch(part) and people:
            last = people[-1]
            people[-1] = reference_fields.build_person(
                family=last.family or last.name, given=last.given, suffix=part
            )
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
    return reference_fields.build_person(
        family=family, given=_strip_final_stop(" ".join(words[:cut]))
    )


def _parse_single_author(part: str) -> WorkAuthor:
    if match := (
        _FAMILY_INITIALS_PATTERN.fullmatch(part.rstrip("."))
        or _FAMILY_DOTTED_INITIALS_PATTERN.fullmatch(part)
        or _CAPITAL_FAMILY_PATTERN.fullmatch(part.rstrip("."))
    ):
        return reference_fields.build_person(
            family=match["family"], given=match["given"], suffix=match["suffix"] or ""
        )
    words = part.split()
    suffix = words.pop() if len(words) > 2 and _AUTHOR_SUFFIX_PATTERN.fullmatch(words[-1]) else ""
    if len(words) < 2 or len(words) > 6 or AuthorName(name=part).is_organisation:
        return reference_fields.parse_whole_name(part.rstrip("."))
    cut = len(words) - 1
    while cut > 1 and words[cut - 1].lower() in NAME_PARTICLES:
        cut -= 1
    family, given = " ".join(words[cut:]).rstrip("."), " ".join(words[:cut])
    return reference_fields.build_person(family=family, given=given, suffix=suffix)


# Writes a reference as the tagger's examples are written, character for character of the same length.


def write_as_usual(text: str) -> str:
    """The reference in small letters, with Latin marks, and with a year where it says that it has none."""
    text = _UNDATED_PATTERN.sub(lambda found: "(2000)".ljust(len(found[0])), text)
    return _lower_capitals(latinize_marks(text))


def latinize_marks(text: str) -> str:
    """The text with Latin commas and semicolons in place of Arabic and wide ones."""
    return text if text.isascii() else text.translate(_MARKS)


def _lower_capitals(text: str) -> str:
    """A reference written in capitals with small letters, so that its words look as usual."""
    letters = [char for char in text if char.isalpha()]
    if len(letters) < _MIN_CAPITAL_LETTERS or sum(map(str.isupper, letters)) < 0.9 * len(letters):
        return text
    lowered = _CAPITAL_WORD_PATTERN.sub(_capitalize_usual_word, text)
    return lowered if len(lowered) == len(text) else text


def _capitalize_usual_word(found: re.Match[str]) -> str:
    word = found[0].lower()
    is_small = word in load_words(__package__, "usual_writing", "small_words")
    return word if is_small else word.capitalize()
