"""Names in BibTeX's own grammar: "First von Last", "von Last, First", "von Last, Jr, First"."""

from __future__ import annotations

import re

from citewell.model.paper import Person
from citewell.text.names import Author
from citewell.text.references import persons
from citewell.text.references.latex import plain

_AND = re.compile(r"[{}]|\s(?:and|AND|And)\s")
_COMMA = re.compile(r"[{},]")
_WORD = re.compile(r"[{}]|[\s~]+")
_EXTENDED = re.compile(r"\b(family|given|prefix|suffix)\s{0,5}=\s{0,5}\"?([^,\"]{1,200})")
_INITIALS = re.compile(r"(?:[^\W\d_]\.?[\s-]?){1,4}")
_MOST = 20_000  # characters of one list; collaborations of thousands fit


def people(text: str) -> tuple[tuple[Person, ...], bool]:
    """The authors of one field, and whether the list ends in "and others"."""
    names = [name.strip(" \n\t,") for name in _split(text[:_MOST], _AND)]
    if len(names) == 1:
        names = _listed(names[0])
    known = [name for name in names if name and plain(name).strip().lower() not in persons.OTHERS]
    found = tuple(one for name in known if (one := _person(name)).name)
    return found, len(known) < len([name for name in names if name])


def _person(name: str) -> Person:
    if name.startswith("{") and name.endswith("}") and not _split(name, _COMMA)[1:]:
        bare = plain(name)
        if bare.strip():
            return persons.organisation(bare)
    if "=" in name and (parts := dict(_EXTENDED.findall(name))).get("family"):
        family = f"{parts.get('prefix', '')} {parts['family']}"
        return persons.person(
            family=plain(family),
            given=plain(parts.get("given", "")),
            suffix=parts.get("suffix", ""),
        )
    pieces = [plain(piece).strip() for piece in _split(name, _COMMA)]
    if len(pieces) == 1:
        return _spoken(name)
    suffix = pieces[1] if len(pieces) > 2 else ""
    return persons.person(
        family=pieces[0], given=" ".join(pieces[2:] or pieces[1:2]), suffix=suffix
    )


def _spoken(name: str) -> Person:
    """First name first: the family name begins at the first small word, else it is the last."""
    words = [plain(word).strip() for word in _split(name, _WORD) if word.strip()]
    whole = " ".join(words)
    if len(words) < 2 or Author(name=whole).collective:
        return persons.whole(whole)
    small = next((place for place, word in enumerate(words[:-1]) if word[:1].islower()), None)
    cut = small or len(words) - 1
    return persons.person(given=" ".join(words[:cut]), family=" ".join(words[cut:]))


def _listed(name: str) -> list[str]:
    """A list that somebody parted by commas or semicolons; BibTeX would take it for one name."""
    if ";" in name:
        return [part.strip() for part in name.split(";")]
    pieces = [piece.strip() for piece in _split(name, _COMMA)]
    turned = len(pieces) > 3 and all(_INITIALS.fullmatch(given) for given in pieces[1::2])
    if turned and len(pieces) % 2 == 0:
        return [
            f"{family}, {given}" for family, given in zip(pieces[::2], pieces[1::2], strict=True)
        ]
    if len(pieces) > 3 and all(" " in piece for piece in pieces):
        return pieces
    return [name]


def _split(text: str, at: re.Pattern[str]) -> list[str]:
    """Parted where the pattern stands outside all braces."""
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
