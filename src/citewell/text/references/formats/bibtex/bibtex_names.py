"""Parses BibTeX names: "First von Last", "von Last, First", "von Last, Jr, First"."""

from __future__ import annotations

import re

from citewell.model.paper import WorkAuthor
from citewell.text.citations.author_names import AuthorName
from citewell.text.references import reference_people
from citewell.text.references.formats.latex_text import convert_latex_text

_NAME_SEPARATOR_PATTERN = re.compile(r"[{}]|\s(?:and|AND|And)\s")
_COMMA_OR_BRACE_PATTERN = re.compile(r"[{},]")
_WORD_GAP_PATTERN = re.compile(r"[{}]|[\s~]+")
_BIBLATEX_NAME_FIELD_PATTERN = re.compile(
    r"\b(family|given|prefix|suffix)\s{0,5}=\s{0,5}\"?([^,\"]{1,200})"
)
_INITIALS_ONLY_PATTERN = re.compile(r"(?:[^\W\d_]\.?[\s-]?){1,4}")
_MAX_NAME_LIST_CHARS = 20_000  # characters; enough for collaborations of thousands


def parse_bibtex_people(text: str) -> tuple[tuple[WorkAuthor, ...], bool]:
    """The people in an author or editor field, and whether it contains "and others"."""
    names = [
        name.strip(" \n\t,")
        for name in _split_outside_braces(text[:_MAX_NAME_LIST_CHARS], _NAME_SEPARATOR_PATTERN)
    ]
    if len(names) == 1:
        names = _split_informal_list(names[0])
    known = [
        name
        for name in names
        if name
        and convert_latex_text(name).strip().lower() not in reference_people.AND_OTHERS_NAMES
    ]
    found = tuple(one for name in known if (one := _parse_bibtex_person(name)).name)
    return found, len(known) < len([name for name in names if name])


def _parse_bibtex_person(name: str) -> WorkAuthor:
    if (
        name.startswith("{")
        and name.endswith("}")
        and not _split_outside_braces(name, _COMMA_OR_BRACE_PATTERN)[1:]
    ):
        bare = convert_latex_text(name)
        if bare.strip():
            return reference_people.build_organisation(bare)
    if "=" in name and (parts := dict(_BIBLATEX_NAME_FIELD_PATTERN.findall(name))).get("family"):
        family = f"{parts.get('prefix', '')} {parts['family']}"
        return reference_people.build_person(
            family=convert_latex_text(family),
            given=convert_latex_text(parts.get("given", "")),
            suffix=parts.get("suffix", ""),
        )
    pieces = [
        convert_latex_text(piece).strip()
        for piece in _split_outside_braces(name, _COMMA_OR_BRACE_PATTERN)
    ]
    if len(pieces) == 1:
        return _parse_first_name_first(name)
    suffix = pieces[1] if len(pieces) > 2 else ""
    return reference_people.build_person(
        family=pieces[0], given=" ".join(pieces[2:] or pieces[1:2]), suffix=suffix
    )


def _parse_first_name_first(name: str) -> WorkAuthor:
    """A name without commas: the family name starts at the first lower-case word, or is the last."""
    words = [
        convert_latex_text(word).strip()
        for word in _split_outside_braces(name, _WORD_GAP_PATTERN)
        if word.strip()
    ]
    whole = " ".join(words)
    if len(words) < 2 or AuthorName(name=whole).is_indivisible:
        return reference_people.parse_whole_name(whole)
    small = next((place for place, word in enumerate(words[:-1]) if word[:1].islower()), None)
    cut = small or len(words) - 1
    return reference_people.build_person(given=" ".join(words[:cut]), family=" ".join(words[cut:]))


def _split_informal_list(name: str) -> list[str]:
    """The names of a list separated by commas or semicolons, which BibTeX would take for one name."""
    if ";" in name:
        return [part.strip() for part in name.split(";")]
    pieces = [piece.strip() for piece in _split_outside_braces(name, _COMMA_OR_BRACE_PATTERN)]
    turned = len(pieces) > 3 and all(
        _INITIALS_ONLY_PATTERN.fullmatch(given) for given in pieces[1::2]
    )
    if turned and len(pieces) % 2 == 0:
        return [
            f"{family}, {given}" for family, given in zip(pieces[::2], pieces[1::2], strict=True)
        ]
    if len(pieces) > 3 and all(" " in piece for piece in pieces):
        return pieces
    return [name]


def _split_outside_braces(text: str, at: re.Pattern[str]) -> list[str]:
    """The text split at the pattern, but not inside braces."""
    if "{" not in text and "}" not in text:
        return at.split(text)
    pieces, depth, start = [], 0, 0
    for match in at.finditer(text):
        if match[0] == "{":
            depth += 1
        elif match[0] == "}":
            depth -= 1
        elif depth <= 0:
            pieces.append(text[start : match.start()])
            start = match.end()
    return [*pieces, text[start:]]
