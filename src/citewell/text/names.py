"""Names of people and organisations, taken apart as far as citing them needs."""

from __future__ import annotations

import re
from dataclasses import dataclass

_SMALL = (
    "van von der den de da di du del della la le dos das do ter ten zu zur zum af av bin ibn al el"
    " st st."
)
_PARTICLES = frozenset(_SMALL.split())
_SUFFIX = re.compile(r",?\s+((?:jr|sr)\.?|ii|iii|iv)$", re.IGNORECASE)
# Without a comma only as degrees are written: Ma and Rd are also families.
_DEGREES = re.compile(
    r",\s+(?i:ph\.?\s?d|m\.?d|m\.?sc|b\.?sc|m\.?a|mba|r\.?n|esq|d\.?phil|j\.?d|cpa|rd|dds|frcp)\.?$"
    r"|\s+(?:P[Hh]\.?\s?D|M\.?D|M\.?S[Cc]|B\.?S[Cc]|M\.?A|MBA|R\.?N|Esq|D\.?Phil|J\.?D|CPA|RD|DDS|FRCP)\.?$"
)
_TITLES = re.compile(
    r"^(?:(?:dr|prof|professor|mr|mrs|ms|sir|dame|herr|frau)\.?\s+)+", re.IGNORECASE
)
_COLLECTIVE = re.compile(
    r"\b(?:inc|llc|ltd|gmbh|corp|corporation|company|co|university|universit\w+|institut\w*|agency|ministry"
    r"|department|office|association|foundation|society|council|committee|commission|organi[sz]ation|group|team"
    r"|staff|desk|editors?|editorial|board|news|press|times|post|magazine|journal|reuters|bureau|service|center|centre"
    r"|bank|museum|library|project|network|media|contributors|authors|community|government|union|club|lab|labs"
    r"|panel|collaboration|consortium|initiative|federation|alliance|academ(?:y|ies)|administration|authority|programme"
    r"|task force|survey|assembly|nations|collective|secretariat|directorate|parliament|court|fund|forum|observatory"
    r"|school|college|hospital|church|party|trust|studios?|tribune|herald|guardian|gazette|wikipedia|bbc|cnn|afp|npr|nasa|who)\b\.?",
    re.IGNORECASE,
)  # fmt: skip
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Author:
    name: str  # as the page has it
    organisation: bool = False
    parts: tuple[str, str, str] = (
        "",
        "",
        "",
    )  # family, given, suffix, where a source keeps them apart

    @classmethod
    def parted(cls, *, family: str, given: str = "", suffix: str = "") -> Author:
        """One whose names need not be guessed apart; the particle belongs to the family name."""
        if _UNSPACED.search(family):
            return cls(name=f"{family}{given}")
        spoken = " ".join(part for part in (given, family, suffix) if part)
        return cls(name=spoken, parts=(family, given, suffix))

    @property
    def collective(self) -> bool:
        """Named as a body, or a name that cannot be taken apart."""
        name = self.name
        if self.parts[0]:
            return False
        if self.organisation or any(char.isdigit() for char in name) or _UNSPACED.search(name):
            return True
        return " " not in name.strip() or bool(_COLLECTIVE.search(name))

    @property
    def body(self) -> bool:
        """Named as an organisation is, or marked as one."""
        return self.organisation or bool(_COLLECTIVE.search(self.name))

    @property
    def family(self) -> str:
        return self._parts()[0]

    @property
    def given(self) -> str:
        return self._parts()[1]

    @property
    def suffix(self) -> str:
        return self._parts()[2]

    @property
    def particle(self) -> str:
        """The small words that the family name begins with: van der, de la."""
        words = self.family.split()
        small = 0
        while small < len(words) - 1 and words[small] in _PARTICLES:
            small += 1
        return " ".join(words[:small])

    @property
    def spoken(self) -> str:
        """First name first."""
        if self.collective or (not self.parts[0] and "," not in self.name):
            return self.name
        family, given, suffix = self._parts()
        return " ".join(part for part in (given, family, suffix) if part)

    @property
    def initials(self) -> str:
        """J.-P. M.; names in scripts without capitals stay whole."""
        shown = [
            "-".join(_letters(part) for part in word.split("-") if part)
            for word in _words(self.given)
        ]
        return " ".join(word for word in shown if word)

    def _parts(self) -> tuple[str, str, str]:
        """Family name, given names and suffix."""
        if self.parts[0]:
            return self.parts
        if self.collective:
            return self.name, "", ""
        bare = _DEGREES.sub("", _TITLES.sub("", self.name.strip()))
        found = _SUFFIX.search(bare)
        suffix = found[1] if found else ""
        bare = _SUFFIX.sub("", bare)
        if "," in bare:
            family, _, given = bare.partition(",")
            return family.strip(), given.strip(), suffix
        words = bare.split()
        cut = len(words) - 1
        while cut > 1 and words[cut - 1].lower() in _PARTICLES:
            cut -= 1
        return " ".join(words[cut:]), " ".join(words[:cut]), suffix


def _words(given: str) -> list[str]:
    """Given names one by one; "J.A." and "JA" are two."""
    words = given.replace(".-", "-").replace(".", ". ").split()
    return [
        piece
        for word in words
        for piece in (word if word.isupper() and word.isalpha() and len(word) < 4 else [word])
    ]


def _letters(name: str) -> str:
    first = name[0]
    cased = first.upper() != first.lower()
    return f"{first.upper()}." if cased else name.strip(".")
