"""Resolves what a caller writes as a jurisdiction: the id of a court, its name, or its label in citations."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from citewell.errors import InvalidInput
from citewell.services.domains.law.us_courts import load_us_courts

US_COURTS, UK_COURTS, EU_LAW = "courtlistener", "findcaselaw", "eurlex"
US_CODE, US_REGISTER = "ecfr", "federalregister"

_MAX_JURISDICTION_CHARS = 120
_MAX_NEAR_MATCHES = 5
_EXAMPLES = "scotus, ca9, S.D.N.Y., New York Court of Appeals, uksc, cjeu, cfr"


@dataclass(frozen=True, slots=True, kw_only=True)
class CourtChoice:
    """What a jurisdiction stands for: who serves it, and the filter to send."""

    providers: tuple[str, ...]  # asked in turn until one finds something
    court: str | None = None  # as the provider writes it; several ids are parted by spaces
    name: str


def _build_choice(provider: str, court: str | None, name: str) -> CourtChoice:
    return CourtChoice(providers=(provider,), court=court, name=name)


_UK_COURTS = {
    "uksc": "UK Supreme Court", "ukpc": "Privy Council",
    "ewca/civ": "Court of Appeal (Civil Division)",
    "ewca/crim": "Court of Appeal (Criminal Division)",
    "ewhc/admin": "High Court (Administrative Court)",
    "ewhc/admlty": "High Court (Admiralty Court)",
    "ewhc/ch": "High Court (Chancery Division)", "ewhc/comm": "High Court (Commercial Court)",
    "ewhc/fam": "High Court (Family Division)",
    "ewhc/ipec": "High Court (Intellectual Property Enterprise Court)",
    "ewhc/kb": "High Court (King's Bench Division)",
    "ewhc/qb": "High Court (Queen's Bench Division)", "ewhc/pat": "High Court (Patents Court)",
    "ewhc/tcc": "High Court (Technology and Construction Court)",
    "ewhc/scco": "High Court (Senior Court Costs Office)",
    "ewcop": "Court of Protection", "ewfc": "Family Court", "eat": "Employment Appeal Tribunal",
    "ukut/aac": "Upper Tribunal (Administrative Appeals Chamber)",
    "ukut/iac": "Upper Tribunal (Immigration and Asylum Chamber)",
    "ukut/lc": "Upper Tribunal (Lands Chamber)",
    "ukut/tcc": "Upper Tribunal (Tax and Chancery Chamber)",
    "ukftt/grc": "First-tier Tribunal (General Regulatory Chamber)",
    "ukftt/tc": "First-tier Tribunal (Tax Chamber)",
}  # fmt: skip
_EU_COURTS = {
    "cjeu": "Court of Justice of the European Union",
    "egc": "General Court of the European Union",
    "eu-cases": "EU courts",
    "eu-legislation": "EU legislation",
}
_NAMED_CHOICES: Mapping[str, CourtChoice] = {
    "uk": _build_choice(UK_COURTS, None, "UK courts"),
    "eu": _build_choice(EU_LAW, None, "EU law"),
    "us": _build_choice(US_COURTS, None, "US courts"),
    "cfr": _build_choice(US_CODE, None, "Code of Federal Regulations"),
    "federal-register": _build_choice(US_REGISTER, None, "Federal Register"),
    "us-regulations": CourtChoice(providers=(US_CODE, US_REGISTER), name="US regulations"),
    **{code: _build_choice(UK_COURTS, code, name) for code, name in _UK_COURTS.items()},
    **{code: _build_choice(EU_LAW, code, name) for code, name in _EU_COURTS.items()},
}
_ALIASES = {
    "united kingdom": "uk", "england and wales": "uk", "british": "uk", "uk courts": "uk",
    "supreme court of the united kingdom": "uksc", "uk supreme court": "uksc",
    "judicial committee of the privy council": "ukpc", "ewca civ": "ewca/civ",
    "ewca crim": "ewca/crim", "england and wales court of appeal": "ewca/civ",
    "ewca": "ewca/civ", "administrative court": "ewhc/admin", "chancery division": "ewhc/ch",
    "commercial court": "ewhc/comm", "family division": "ewhc/fam", "patents court": "ewhc/pat",
    "king's bench division": "ewhc/kb", "queen's bench division": "ewhc/qb",
    "technology and construction court": "ewhc/tcc", "ewhc admin": "ewhc/admin",
    "ewhc ch": "ewhc/ch", "ewhc comm": "ewhc/comm", "ewhc fam": "ewhc/fam",
    "ewhc kb": "ewhc/kb", "ewhc qb": "ewhc/qb", "ewhc pat": "ewhc/pat", "ewhc tcc": "ewhc/tcc",
    "european union": "eu", "eu law": "eu", "eur-lex": "eu", "ecj": "cjeu",
    "court of justice": "cjeu", "european court of justice": "cjeu",
    "general court": "egc", "court of first instance": "egc", "cfi": "egc",
    "eu courts": "eu-cases", "eu case law": "eu-cases", "eu regulations": "eu-legislation",
    "ecfr": "cfr", "c.f.r.": "cfr", "code of federal regulations": "cfr",
    "federal register": "federal-register", "fed. reg.": "federal-register",
    "us regulations": "us-regulations", "federal regulations": "us-regulations",
    "usa": "us", "united states": "us", "u.s.": "us",
}  # fmt: skip
_US_ALIASES = {
    "supreme court": "scotus", "us supreme court": "scotus", "u.s. supreme court": "scotus",
    "united states supreme court": "scotus", "d.c. circuit": "cadc", "federal circuit": "cafc",
    "district of columbia circuit": "cadc", "tax court": "tax", "court of federal claims": "uscfc",
    "court of international trade": "cit", "texas court of appeals": "texapp",
    "new york appellate division": "nyappdiv", "delaware chancery": "delch",
}  # fmt: skip


def resolve_jurisdiction(written: str, *, provider: str | None = None) -> CourtChoice:
    """The courts that `written` means; with `provider`, only its own are considered.

    The table of US courts is read on first use: call this in a thread. InvalidInput, with the
    nearest courts, if there is no such court.
    """
    text = " ".join(written[:_MAX_JURISDICTION_CHARS].split()).casefold()
    elsewhere: CourtChoice | None = None
    for choice in _list_court_candidates(text):
        if provider is None or provider in choice.providers:
            return choice
        elsewhere = elsewhere or choice
    if elsewhere is not None:
        servers = " and ".join(elsewhere.providers)
        raise InvalidInput(f"{elsewhere.name} is served by {servers}, not by {provider}.")
    near = ", ".join(_list_near_courts(text, provider))
    advice = f"Near to it: {near}." if near else f"For example: {_EXAMPLES}."
    where = f" of {provider}" if provider else ""
    named = written[:_MAX_JURISDICTION_CHARS]
    raise InvalidInput(f"There is no court{where} called {named!r}. {advice}")


def _list_court_candidates(text: str) -> Iterator[CourtChoice]:
    """What the text may mean, the likeliest first."""
    if choice := _NAMED_CHOICES.get(_ALIASES.get(text, text)) or _CHOICES_BY_NAME.get(text):
        yield choice
    courts = load_us_courts()
    if ids := courts.find_court_ids(_US_ALIASES.get(text, text)):
        yield _build_choice(US_COURTS, " ".join(ids), courts.names[ids[0]])
    if text == "supreme court":
        yield _NAMED_CHOICES["uksc"]


def _list_near_courts(text: str, provider: str | None) -> list[str]:
    """Courts whose id or name is written nearly like the text, as "id (name)"."""
    listed = {
        spelling: f"{code} ({choice.name})"
        for code, choice in _NAMED_CHOICES.items()
        if provider is None or provider in choice.providers
        for spelling in (code, choice.name.casefold())
    }
    if provider in {None, US_COURTS}:
        courts = load_us_courts()
        for code in courts.main_ids:
            for spelling in (code, courts.names[code].casefold()):
                listed.setdefault(spelling, f"{code} ({courts.names[code]})")
    near = difflib.get_close_matches(text, listed, n=2 * _MAX_NEAR_MATCHES, cutoff=0.6)
    return list(dict.fromkeys(listed[spelling] for spelling in near))[:_MAX_NEAR_MATCHES]


_CHOICES_BY_NAME = {choice.name.casefold(): choice for choice in _NAMED_CHOICES.values()}
