"""Reads the name of a case from the text before its citation: "See, e.g., Roe v. Wade, " gives Roe v. Wade."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache

from citewell.domains.law.citation_service import PARAGRAPH_MARK
from citewell.domains.law.name_matching import find_meanings
from citewell.text.data_tables import load_table

MAX_NAME_CHARS = 160  # characters; what is longer is a sentence, not a name
_MAX_WINDOW_CHARS = 320  # characters before the citation in which a name may begin
_MAX_PARTY_WORDS = 16
_VERSUS_PATTERN = re.compile(
    r"(?<=[\w.,')&]) (?:v|vs|V|VS)\.? (?=[\"(]?\w)|(?<=\w) versus (?=[A-Z])"
)
_MATTER_PATTERN = re.compile(r"\b(?:In re|IN RE|In Re|Ex parte|Ex Parte|EX PARTE|In the Matter of|Matter of|In the Interest of|Estate of|Application of|Petition of)\b:? ")  # fmt: skip
_CASES_NAME_PATTERN = re.compile(r"(?:[A-Z][\w'.-]{0,30} ){1,5}Cases?$")
_DOCKET_PATTERN = re.compile(r",? (?:(?:Case |Docket )?Nos?\.|Civ(?:il)?\.? (?:Action|A\.)? ?(?:Nos?\.)?|Docket) ?[\w:.,/ &-]{1,60}$")  # fmt: skip
_TAIL_PATTERN = re.compile(r"[ ,:(\[\"“]{1,6}$")
_SHORT_NAME_PATTERN = re.compile(r"(?:^|[ (\"“])([A-Z][\w'&.-]{1,30}(?: (?:[A-Z][\w'&.-]{1,30}|of|&)){0,4})$")  # fmt: skip
_BRACKETED_WORD_PATTERN = re.compile(r"\([A-Z][\w.']{0,30}\)")  # R (Miller)
# A party's name may contain these words; any other word without a capital ends it.
_LINKING_LIST = """
of the and for de la le du des del della von van der den dos da di el y to on ex rel. rel et
al. al & a/k/a d/b/a f/k/a n/k/a or re al., ux. vir.
"""
_LINKING_WORDS = frozenset(_LINKING_LIST.split())
_COMPANY_ENDINGS_LIST = """
inc inc. llc l.l.c. ltd ltd. co co. corp corp. lp l.p. llp l.l.p. p.c. pc n.a. s.a. plc jr. jr
sr. sr ii iii iv & and et trustee
"""
_COMPANY_ENDINGS = frozenset(_COMPANY_ENDINGS_LIST.split())
_PERSONAL_TITLES_LIST = """
mr mrs ms dr hon rev st jr sr lt col capt gen sgt gov sen rep prof mt ft messrs
"""
_PERSONAL_TITLES = frozenset(_PERSONAL_TITLES_LIST.split())
_MONTH_LIST = """
jan feb mar apr aug sept sep oct nov dec
"""
_MONTH_NAMES = frozenset(_MONTH_LIST.split())
_COMPANY_LIST = """
inc co corp ltd llc llp lp cos bros ass assn
"""
_COMPANY_WORDS = frozenset(_COMPANY_LIST.split())


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseName:
    """A name as written; `is_full` if it names two parties or a matter, not just one party."""

    text: str
    is_full: bool = True
    start: int = 0  # in the text that was read
    long_text: str = ""  # with words before a comma, which may belong to the first party or not


def read_case_name(before: str) -> CaseName | None:
    """The name that ends right before a citation; None if the words there are not a name.

    `before` is prepared text that reaches back at most to the previous citation.
    """
    offset = max(before.rfind(PARAGRAPH_MARK) + 1, len(before) - _MAX_WINDOW_CHARS)
    window = before[offset:]
    tail = _TAIL_PATTERN.search(window)
    tail_start = tail.start() if tail else len(window)
    window = window[:tail_start]
    docket = _DOCKET_PATTERN.search(window[-90:])
    if docket:
        window = window[: len(window) - len(window[-90:]) + docket.start()].rstrip(" ,")
    found = _read_adversaries(window) or _read_matter(window) or _read_short_name(window)
    if found is None or len(found.text) > MAX_NAME_CHARS:
        return None
    return replace(found, start=offset + found.start)


def read_following_name(after: str) -> CaseName | None:
    """The name behind a citation, as in "410 U.S. 113 (1973), Roe v. Wade"; None if there is none."""
    window = after[:_MAX_WINDOW_CHARS].partition(PARAGRAPH_MARK)[0].strip(' ,;:-–—()"“”.')
    match = _VERSUS_PATTERN.search(window)
    if match is None:
        return None
    first = window[: match.start()].split(" ")
    plaintiff = _take_words_before(first)
    if len(plaintiff) != len(first):
        return None
    defendant = _take_words_after(window[match.end() :].split(" "))
    if not defendant:
        return None
    return CaseName(text=f"{' '.join(plaintiff)} v. {' '.join(defendant).rstrip(',.')}")


def _read_adversaries(window: str) -> CaseName | None:
    versus = None
    for versus in _VERSUS_PATTERN.finditer(window):  # noqa: B007 - the last one is wanted
        pass
    if versus is None:
        return None
    right = window[versus.end() :].split(" ")
    defendant = _take_words_after(right)
    if len(defendant) != len(right):
        return None  # other words stand between the name and the citation
    left = window[: versus.start()]
    plaintiff = _take_words_before(left.split(" "))
    if not plaintiff or not defendant:
        return None
    second = " ".join(defendant).rstrip(",")
    longer = _take_words_before(left.split(" "), has_commas=True)
    return CaseName(
        text=f"{' '.join(plaintiff)} v. {second}",
        start=len(left) - len(" ".join(plaintiff)),
        long_text=f"{' '.join(longer)} v. {second}" if longer != plaintiff else "",
    )


def _read_matter(window: str) -> CaseName | None:
    matter = None
    for matter in _MATTER_PATTERN.finditer(window):  # noqa: B007 - the last one is wanted
        pass
    if matter is not None:
        words = window[matter.end() :].split(" ")
        if words != [""] and len(_take_words_after(words)) == len(words):
            return CaseName(text=window[matter.start() :].rstrip(","), start=matter.start())
        return None
    named = _CASES_NAME_PATTERN.search(window[-120:])
    if named is None:
        return None
    *before, last = named[0].split(" ")
    words = [*(word for word in before if word.lower() not in _load_leading_words()), last]
    if len(words) < 2:
        return None
    start = len(window) - len(window[-120:]) + named.start()
    return CaseName(text=" ".join(words), start=start)


def _read_short_name(window: str) -> CaseName | None:
    """One party's name before the citation, as in "In Roe, 410 U.S. 113"."""
    found = _SHORT_NAME_PATTERN.search(window[-80:])
    if found is None:
        return None
    words = found[1].split(" ")
    while words and words[0].lower().rstrip(",") in _load_leading_words():
        words = words[1:]
    if not words or words[0].rstrip(".") in {"Id", "No", "Nos", "Section", "Rule"}:
        return None
    return CaseName(text=" ".join(words), is_full=False, start=len(window) - len(" ".join(words)))


def _take_words_before(words: list[str], *, has_commas: bool = False) -> list[str]:
    """The words of the first party: those at the end that belong to a name."""
    taken: list[str] = []
    for word in reversed(words[-_MAX_PARTY_WORDS:]):
        if not _continues_party(word.rstrip(",") if has_commas else word, taken):
            break
        taken.insert(0, word)
    return _strip_leading_words(taken)


def _continues_party(word: str, taken: list[str]) -> bool:
    """Whether a word before those taken so far still belongs to the party's name."""
    bare = word.strip("(\"“'")
    if not bare or (word[-1] in ';:!?”")]' and not _BRACKETED_WORD_PATTERN.fullmatch(word)):
        return False
    follower = taken[0].lower() if taken else ""
    if word[-1] == "," and follower.rstrip(",") not in _COMPANY_ENDINGS:
        return False
    if word[-1] == "." and not is_abbreviation(word):
        return False
    if bare.lower() in _LINKING_WORDS:
        return bool(taken)
    if bare.lower().rstrip(",") in _load_leading_words() and bare != "The":
        return False
    return _begins_name(bare)


def _begins_name(word: str) -> bool:
    """Whether a word is written as a part of a name: with a capital, a figure, or as eBay is."""
    return word[0].isupper() or word[0].isdecimal() or any(char.isupper() for char in word[1:4])


def _strip_leading_words(taken: list[str]) -> list[str]:
    while taken and (
        taken[0].lower() in _LINKING_WORDS - {"the"}
        or taken[0].lower().rstrip(",") in _load_leading_words()
    ):
        taken = taken[1:]
    if taken:
        taken = [taken[0].lstrip("(\"“'"), *taken[1:]]
    return taken


def _take_words_after(words: list[str]) -> list[str]:
    """The words of the second party: those at the beginning that belong to a name."""
    taken: list[str] = []
    for number, word in enumerate(words[:_MAX_PARTY_WORDS]):
        bare = word.strip("(\"“'")
        if not bare:
            break
        last = number == len(words) - 1
        if not (_begins_name(bare) or bare.lower() in _LINKING_WORDS):
            break
        if not last and word[-1] in ";:!?":
            break
        if not last and word[-1] == "." and not is_abbreviation(word):
            break
        taken.append(word)
    return taken


def is_abbreviation(word: str) -> bool:
    """Whether a word that ends in a dot is an abbreviation rather than the end of a sentence."""
    bare = word.strip("(\"“'").rstrip(".,").lower()
    if len(bare) <= 1 or "." in bare or "'" in bare:
        return True
    return (
        bool(find_meanings(bare))
        or bare in _PERSONAL_TITLES
        or bare in _COMPANY_WORDS
        or bare in _MONTH_NAMES
        or bare in {"al", "rel", "ux", "vir", "no", "nos", "v", "vs", "st"}
    )


# Words with a capital that stand before a name and do not belong to it.
@cache
def _load_leading_words() -> frozenset[str]:
    return frozenset(load_table(__package__, "case_names")["leading_words"])
