"""Names of people and organisations, taken apart as far as citing them needs."""

from __future__ import annotations

import re
from dataclasses import dataclass

_SMALL = (
    "van von der den de da di du del della la le dos das do ter ten zu zur zum af av bin ibn al el"
    " st st."
)
_PARTICLES = frozenset(_SMALL.split())
_SUFFIX = re.compile(r",?\s+(jr|sr|ii|iii|iv)\.?$", re.IGNORECASE)
_DEGREES = re.compile(
    r",?\s+(?:ph\.?\s?d|m\.?d|m\.?sc|b\.?sc|m\.?a|mba|r\.?n|esq|d\.?phil|j\.?d|cpa|rd|dds|frcp)\.?$",
    re.IGNORECASE,
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

    @property
    def collective(self) -> bool:
        """Named as a body, or a name that cannot be taken apart."""
        name = self.name
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
    def spoken(self) -> str:
        """First name first."""
        if self.collective or "," not in self.name:
            return self.name
        family, given = self._parts()
        return f"{given} {family}".strip()

    @property
    def initials(self) -> str:
        words = re.split(r"[\s]+", self.given)
        return " ".join(
            "-".join(f"{part[0].upper()}." for part in word.split("-") if part)
            for word in words
            if word
        )

    def _parts(self) -> tuple[str, str]:
        """Family name and given names."""
        if self.collective:
            return self.name, ""
        bare = _DEGREES.sub("", _TITLES.sub("", self.name.strip()))
        suffix = _SUFFIX.search(bare)
        bare = _SUFFIX.sub("", bare)
        if "," in bare:
            family, _, given = bare.partition(",")
            return family.strip(), given.strip()
        words = bare.split()
        cut = len(words) - 1
        while cut > 1 and words[cut - 1].lower() in _PARTICLES:
            cut -= 1
        family = " ".join(words[cut:])
        tail = f" {suffix[1]}" if suffix else ""
        return family + tail, " ".join(words[:cut])
