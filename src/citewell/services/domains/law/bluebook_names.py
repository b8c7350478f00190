"""Shortens the names of cases as citations have them: Brown v. Bd. of Educ."""

from __future__ import annotations

import re

# The commonest words of the Bluebook's table; a name with others is still understood.
_SHORT_FORMS = {
    "administration": "Admin.", "american": "Am.", "and": "&", "association": "Ass'n",
    "authority": "Auth.", "board": "Bd.", "brothers": "Bros.", "business": "Bus.",
    "casualty": "Cas.", "center": "Ctr.", "commission": "Comm'n", "commissioner": "Comm'r",
    "committee": "Comm.", "communications": "Commc'ns", "community": "Cmty.", "company": "Co.",
    "corporation": "Corp.", "county": "Cnty.", "defense": "Def.", "department": "Dep't",
    "development": "Dev.", "district": "Dist.", "education": "Educ.", "electric": "Elec.",
    "enterprises": "Enters.", "environmental": "Env't", "federal": "Fed.",
    "federation": "Fed'n", "financial": "Fin.", "foundation": "Found.", "general": "Gen.",
    "government": "Gov't", "group": "Grp.", "hospital": "Hosp.", "incorporated": "Inc.",
    "independent": "Indep.", "industries": "Indus.", "institute": "Inst.",
    "insurance": "Ins.", "international": "Int'l", "laboratories": "Lab'ys",
    "liability": "Liab.", "limited": "Ltd.", "manufacturing": "Mfg.", "medical": "Med.",
    "mutual": "Mut.", "national": "Nat'l", "organization": "Org.",
    "pharmaceuticals": "Pharms.", "products": "Prods.", "protection": "Prot.",
    "public": "Pub.", "railroad": "R.R.", "railway": "Ry.", "resources": "Res.",
    "school": "Sch.", "securities": "Sec.", "service": "Serv.", "services": "Servs.",
    "society": "Soc'y", "technologies": "Techs.", "telephone": "Tel.",
    "transportation": "Transp.", "university": "Univ.",
}  # fmt: skip
_KEPT_NAMES = ("District of Columbia", "National Archives", "American Samoa")
_VERSUS_PATTERN = re.compile(r"\s(?:vs?\.?|versus)\s", re.IGNORECASE)
_WORD_PATTERN = re.compile(r"[A-Za-z']+(?![\w.])")
_TRAILER_PATTERN = re.compile(r",? et (?:al|ux|vir)\.?$", re.IGNORECASE)
_MAX_NAME_CHARS = 300


def abbreviate_case_name(name: str) -> str:
    """The name with `v.` between the parties and common words shortened."""
    parties = _VERSUS_PATTERN.split(name[:_MAX_NAME_CHARS], maxsplit=1)
    return " v. ".join(_abbreviate_party(party.strip()) for party in parties)


def _abbreviate_party(party: str) -> str:
    party = _TRAILER_PATTERN.sub("", party)
    if party in _KEPT_NAMES or len(party.split()) == 1:  # a name of one word is never shortened
        return party
    return _WORD_PATTERN.sub(_shorten_word, party)


def _shorten_word(match: re.Match[str]) -> str:
    word = match[0]
    short = _SHORT_FORMS.get(word.lower())
    # A word in small letters is part of a phrase; only "and" is shortened then.
    return short if short and (word[0].isupper() or short == "&") else word
