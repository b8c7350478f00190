"""Names of people and organisations, split into the parts that citations need."""

from __future__ import annotations

import re
from dataclasses import dataclass

from citewell.core.lazy_patterns import compile_on_use
from citewell.text.language.scripts import CJK_RANGES

_PARTICLE_LIST = (
    "van von vom der den de da di du del della dalla la le los las dos das do ter ten zu zur zum af av bin"
    " ibn al el st st."
)
# Small words that belong to the family name.
NAME_PARTICLES = frozenset(_PARTICLE_LIST.split())
NAME_PARTICLE_REGEX = "|".join(map(re.escape, sorted(NAME_PARTICLES, key=len, reverse=True)))
_NAME_SUFFIX_PATTERN = compile_on_use(r"(?<!\s),?\s++((?:jr|sr)\.?|ii|iii|iv)$", re.IGNORECASE)
# Without a comma, only in the usual case of a degree: Ma and Rd are also family names.
_ACADEMIC_DEGREE_PATTERN = compile_on_use(
    r",\s+(?i:ph\.?\s?d|m\.?d|m\.?sc|b\.?sc|m\.?a|mba|r\.?n|esq|d\.?phil|j\.?d|cpa|rd|dds|frcp)\.?$"
    r"|(?<!\s)\s++(?:P[Hh]\.?\s?D|M\.?D|M\.?S[Cc]|B\.?S[Cc]|M\.?A|MBA|R\.?N|Esq|D\.?Phil|J\.?D|CPA|RD|DDS|FRCP)\.?$"
)
_PERSONAL_TITLE_PATTERN = compile_on_use(
    r"^(?:(?:dr|prof|professor|mr|mrs|ms|sir|dame|herr|frau)\.?\s+)+", re.IGNORECASE
)
_ORGANISATION_WORD_PATTERN = compile_on_use(
    r"\b(?:inc|llc|ltd|gmbh|corp|corporation|company|co|university|universit\w+|institut\w*|agency|ministry"
    r"|department|office|association|foundation|society|council|committee|commission|organi[sz]ation|group|team"
    r"|staff|desk|editors?|editorial|board|news|press|times|post|magazine|journal|reuters|bureau|service|center|centre"
    r"|bank|museum|library|project|network|media|contributors|authors|community|government|union|club|lab|labs"
    r"|panel|collaboration|consortium|initiative|federation|alliance|academ(?:y|ies)|administration|authority|programme"
    r"|task force|survey|assembly|nations|collective|secretariat|directorate|parliament|court|fund|forum|observatory"
    r"|school|college|hospital|church|party|trust|studios?|tribune|herald|guardian|gazette|wikipedia|bbc|cnn|afp|npr|nasa|who)\b\.?",
    re.IGNORECASE,
)  # fmt: skip
# Words of channels, sites and companies; references are not split by them, unlike by the words above.
_CHANNEL_WORD_PATTERN = compile_on_use(
    r"\b(?:channel|opencourseware|courseware|tv|television|radio|podcasts?|lectures|talks|videos?|films|course"
    r"|courses|productions|entertainment|software|systems|technolog(?:y|ies)|solutions|publishing|publishers|blog"
    r"|online|digital|official|today|explained|documentar(?:y|ies)|archives?|engineering|education"
    r"|health|clinic|research|science|sciences|physics|mathematics|international|national|global|services"
    r"|cent(?:er|re)s|departments|papers|nutshell|website|site|forums?|wiki)\b",
    re.IGNORECASE,
)  # fmt: skip
# An article, a preposition, a sign, or two capitals inside a word: no name of one person has them.
_LITERAL_SIGN_PATTERN = compile_on_use(
    r"^(?i:the)\s|\s(?:of|for|in|the|and|from|at|your|(?i:with|without))\s|[|@_/:!?™®#+~*&–—]|\s-\s"
    r"|[A-Z][a-z]{1,30}[A-Z][a-z]{1,30}[A-Z]|^[A-Z]{4,20}\s{1,3}\S{0,40}[a-z]"
    r"|^(?:MIT|PBS|TED|CBS|NBC|ABC|CDC|FDA|EPA|ESA|NIH|NSF|IMF|IBM|AWS|ZDF|ARD|EU|UN|UK|US|USA)\s"
)
_ORGANISATION_HEAD_REGEX = (
    r"(?:departments?|ministry|institutes?|bureau|cent(?:er|re)s?|office|board|society|council|association"
    r"|agency|organi[sz]ation|committee|commission|academy|college|school|faculty|division|university)"
)
_HEADED_ORGANISATION_PATTERN = compile_on_use(
    rf"^(?:[\w.'’-]{{1,40}}\s){{0,3}}{_ORGANISATION_HEAD_REGEX}\s(?:of|for|on)\b", re.IGNORECASE
)
_ORGANISATION_HEAD_PATTERN = compile_on_use(rf"\b{_ORGANISATION_HEAD_REGEX}\b", re.IGNORECASE)
# Words that start with a small letter, and a letter before an apostrophe.
_LEADING_PARTICLE_PATTERN = compile_on_use(
    r"(?:(?:[a-zà-öø-ÿ][^\W\d]{0,15}\.?\s{1,3}|['’][a-z]\s{1,3}){1,4}(?=\S)|(?=[a-z]))(?:[a-z]{1,4}['’](?=\w))?"
)
_CJK_NAME_PATTERN = compile_on_use(f"[{CJK_RANGES}]")


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthorName:
    name: str  # as written on the page
    organisation: bool = False
    known_parts: tuple[str, str, str] = (
        "",
        "",
        "",
    )  # family, given, suffix; empty unless the source gave them separately

    @classmethod
    def from_parts(cls, *, family: str, given: str = "", suffix: str = "") -> AuthorName:
        """A name from known parts; a particle such as "van" belongs to the family name."""
        if _CJK_NAME_PATTERN.search(family):
            return cls(name=f"{family}{given}")
        spoken = " ".join(part for part in (given, family, suffix) if part)
        return cls(name=spoken, known_parts=(family, given, suffix))

    @property
    def is_indivisible(self) -> bool:
        """Whether this is an organisation or a name that cannot be split into parts."""
        name = self.name
        if self.known_parts[0]:
            return False
        if (
            self.organisation
            or any(char.isdigit() for char in name)
            or _CJK_NAME_PATTERN.search(name)
        ):
            return True
        return " " not in name.strip() or _has_organisation_signs(name)

    @property
    def is_organisation(self) -> bool:
        """Whether this is marked as an organisation or contains a word such as "University"."""
        return self.organisation or bool(_ORGANISATION_WORD_PATTERN.search(self.name))

    @property
    def family(self) -> str:
        return self._split_name_parts()[0]

    @property
    def given(self) -> str:
        return self._split_name_parts()[1]

    @property
    def suffix(self) -> str:
        return self._split_name_parts()[2]

    @property
    def particle(self) -> str:
        """The small words that the family name starts with, as written: van der, de la, d’."""
        found = _LEADING_PARTICLE_PATTERN.match(self.family)
        return found[0].strip() if found and self.given else ""

    @property
    def display_name(self) -> str:
        """The name with given names first."""
        if self.is_indivisible or (not self.known_parts[0] and "," not in self.name):
            return self.name
        family, given, suffix = self._split_name_parts()
        return " ".join(part for part in (given, family, suffix) if part)

    @property
    def inverted_name(self) -> str:
        """Family name, given names and suffix, separated by commas."""
        if self.is_indivisible:
            return self.name
        return ", ".join(part for part in self._split_name_parts() if part)

    @property
    def punctuated_given(self) -> str:
        """The given names with a full stop after every initial: Philip A is Philip A."""
        words = self.given.replace(".", ". ").replace(" -", "-").split()
        return " ".join(
            f"{word}." if len(word) == 1 and word.isalpha() and word.isupper() else word
            for word in words
        )

    @property
    def initials(self) -> str:
        """Initials of the given names, such as J.-P. M.; names without capitals are not shortened.

        A small word between given names is kept: Vânia de Oliveira is V. de O.
        """
        shown = [
            word
            if number and word.islower() and word.isalpha()
            else "-".join(_abbreviate_given_name(part) for part in _split_at_hyphens(word))
            for number, word in enumerate(_split_given_names(self.given))
        ]
        return " ".join(word for word in shown if word)

    def _split_name_parts(self) -> tuple[str, str, str]:
        """Family name, given names and suffix, guessed if the source did not give them separately."""
        if self.known_parts[0]:
            return self.known_parts
        if self.is_indivisible:
            return self.name, "", ""
        bare = _ACADEMIC_DEGREE_PATTERN.sub("", _PERSONAL_TITLE_PATTERN.sub("", self.name.strip()))
        found = _NAME_SUFFIX_PATTERN.search(bare)
        suffix = found[1] if found else ""
        bare = _NAME_SUFFIX_PATTERN.sub("", bare)
        if "," in bare:
            family, _, given = bare.partition(",")
            return family.strip(), given.strip(), suffix
        words = bare.split()
        cut = len(words) - 1
        while cut > 1 and words[cut - 1].lower() in NAME_PARTICLES:
            cut -= 1
        return " ".join(words[cut:]), " ".join(words[:cut]), suffix


def _has_organisation_signs(name: str) -> bool:
    return any(
        pattern.search(name)
        for pattern in (_ORGANISATION_WORD_PATTERN, _CHANNEL_WORD_PATTERN, _LITERAL_SIGN_PATTERN)
    )


def is_joint_name(first: str, rest: str) -> bool:
    """Whether two parts around an "and" are the name of one organisation: Standards and Technology."""
    if _ORGANISATION_HEAD_PATTERN.search(rest):
        return " " not in first and not _ORGANISATION_HEAD_PATTERN.search(first)
    if _HEADED_ORGANISATION_PATTERN.search(first):
        return True
    return " " in first and " " not in rest and _has_organisation_signs(first)


def _split_given_names(given: str) -> list[str]:
    """The given names as a list; "J.A." and "JA" are two names."""
    words = given.replace(".-", "-").replace(".", ". ").split()
    return [
        piece
        for word in words
        for piece in (word if word.isupper() and word.isalpha() and len(word) < 4 else [word])
    ]


def _split_at_hyphens(word: str) -> list[str]:
    """The parts of a double name; Seung-hee has one initial only, Jean-Paul two."""
    first, *others = [part for part in word.split("-") if part] or [""]
    return [first, *(part for part in others if not part[:1].islower())]


def _abbreviate_given_name(name: str) -> str:
    if not name:
        return ""
    first = name[0]
    cased = first.upper() != first.lower()
    return f"{first.upper()}." if cased else name.strip(".")
