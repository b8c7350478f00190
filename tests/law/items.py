"""Citations of the evaluation: real cases in many forms, and citations invented or altered by rule."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tests.law.registry import COURTS, RealCase, list_lacking, list_real_cases, list_registered

SEEDS = {"seen": 11, "unseen": 20_261_116}  # nothing was tuned on the second
_SHORT_WORDS = {
    "Board": "Bd.", "Education": "Educ.", "Department": "Dep't", "National": "Nat'l", "University": "Univ.",
    "Association": "Ass'n", "Company": "Co.", "Railroad": "R.R.", "School": "Sch.", "District": "Dist.",
    "Independent": "Indep.", "Community": "Cmty.", "Federation": "Fed'n", "Business": "Bus.", "Federal": "Fed.",
    "Commission": "Comm'n", "International": "Int'l", "Insurance": "Ins.", "Mutual": "Mut.", "Transportation": "Transp.",
    "Products": "Prods.", "Services": "Servs.", "Securities": "Sec.", "Exchange": "Exch.", "Society": "Soc'y",
    "California": "Cal.", "Pennsylvania": "Pa.", "Massachusetts": "Mass.", "Organization": "Org.", "Publications": "Publ'ns",
    "Telephone": "Tel.", "Service": "Serv.", "Manufacturers": "Mfrs.", "Environmental": "Env't", "Protection": "Prot.",
    "Committee": "Comm.", "Laboratories": "Lab'ys", "Communications": "Commc'ns", "Manufacturing": "Mfg.", "Public": "Pub.",
    "Corporation": "Corp.", "General": "Gen.", "American": "Am.", "Authority": "Auth.", "Management": "Mgmt.",
}  # fmt: skip
_FORMS: dict[str, str] = {
    "plain": "{name}, {cite}{paren}",
    "sentence": "The rule is settled. See {name}, {cite}{paren}.",
    "signal": "But see, e.g., {short}, {cite}{paren}; that is not this case.",
    "pin": "As the court held in {name}, {cite}, {pin}{paren}, the motion must be denied.",
    "abbreviated": "Cf. {short}, {cite}{paren} (discussing the point).",
    "quoted": "The court wrote that “the point is moot.” {short}, {cite}, {pin}{paren} (quotation omitted).",
    "parallel": "Plaintiff relies on {name}, {all}{paren}.",
    "bare": "The citation is {cite}{paren}.",
    "broken": "This follows from {broken},\n{cite}{paren}. It is plain.",
    "emphasis": "Compare *{name}*, {cite}{paren}, with what was said below.",
    "year first": "The leading case is {name} ({year}) {cite}.",
    "narrow spaces": "See {name}, {spaced}{paren}.",
    "string": "See {name}, {cite}{paren}; see also 42 U.S.C. § 1983; Fed. R. Civ. P. 12(b)(6).",
    "clause": "Under the standard of {short}, {cite}{paren}, and its progeny, the claim fails.",
}
_SURNAMES = ["Abernathy", "Barlowe", "Castellane", "Dunmore", "Ellsworthy", "Fairbrook", "Garrowby", "Hollisworth", "Ingramsby", "Jessupton", "Kilmarnow", "Lathbury", "Merriwold", "Northgrave", "Oakhampton", "Prenderby", "Quillerton", "Ravensworth", "Stallingham", "Thornwick", "Underbrook", "Vanterpool", "Wexcombe", "Yarborne", "Zellinger"]  # fmt: skip
_FIRMS = ["Northfield Air Lines, Inc.", "Tidewater Marine Corp.", "Brightline Logistics LLC", "Granite Peak Mutual Insurance Co.", "Kestrel Pharmaceuticals, Inc.", "Bluewater Dredging Co.", "Halcyon Data Systems, Inc."]  # fmt: skip
# Cases that a language model invented, and that were filed in Mata v. Avianca.
_FILED_INVENTIONS = (
    "Varghese v. China Southern Airlines Co., Ltd., 925 F.3d 1339 (11th Cir. 2019)",
    "Petersen v. Iran Air, 905 F. Supp. 2d 121 (D.D.C. 2012)",
    "Miller v. United Airlines, Inc., 174 F.3d 366 (2d Cir. 1999)",
    "Zicherman v. Korean Air Lines Co., Ltd., 516 F.3d 1237 (11th Cir. 2008)",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class LawItem:
    """A citation in some words; `expect` is empty for a real one that must not be accused."""

    id: str
    kind: str
    form: str
    text: str
    is_genuine: bool
    is_weak: bool = False  # in a reporter of weak coverage, so that absence is no accusation


def list_items(side: str) -> tuple[LawItem, ...]:
    """Half of the evaluation; the forms and faults are drawn with the seed of that half."""
    rng = random.Random(SEEDS[side])
    return (*_list_genuine(side, rng), *_list_lacking(side, rng), *_list_unsound(side, rng))


def _list_genuine(side: str, rng: random.Random) -> Iterator[LawItem]:
    names = list(_FORMS)
    for number, case in enumerate(_choose_half(side, list_registered())):
        for form in (names[number % len(names)], rng.choice(names)):
            yield LawItem(
                id=f"{side}-g{number}-{form}",
                kind="genuine",
                form=form,
                text=write_citation(case, form, rng),
                is_genuine=True,
            )


def _list_lacking(side: str, rng: random.Random) -> Iterator[LawItem]:
    for number, case in enumerate(_choose_half(side, list_lacking())):
        form = rng.choice([name for name in _FORMS if name != "bare"])
        yield LawItem(
            id=f"{side}-l{number}",
            kind="genuine, not in the registry",
            form=form,
            text=write_citation(case, form, rng),
            is_genuine=True,
            is_weak=True,
        )


def _choose_half(side: str, cases: tuple[RealCase, ...]) -> tuple[RealCase, ...]:
    return cases[0::2] if side == "seen" else cases[1::2]


def _list_unsound(side: str, rng: random.Random) -> Iterator[LawItem]:
    cases = _choose_half(side, list_registered())
    known = {citation for case in list_real_cases() for citation in case.citations}
    for kind, (alter, count) in _FAULTS.items():
        made = 0
        while made < count:
            case = rng.choice(cases)
            altered = alter(case, rng)
            if altered is None or (kind in _MUST_BE_FREE and altered.citations[0] in known):
                continue
            form = rng.choice(
                ["plain", "sentence", "signal", "pin", "abbreviated", "clause", "broken"]
            )
            yield LawItem(
                id=f"{side}-{kind}-{made}",
                kind=kind,
                form=form,
                text=write_citation(altered, form, rng),
                is_genuine=False,
                is_weak=kind == "invented, state reporter",
            )
            made += 1
    for number, text in enumerate(_FILED_INVENTIONS):
        yield LawItem(
            id=f"{side}-filed-{number}", kind="invented", form="plain", text=text, is_genuine=False
        )


def write_citation(case: RealCase, form: str, rng: random.Random) -> str:
    cite = case.citations[0]
    inside = f"{case.label} {case.year}".strip() if _needs_court(case) else str(case.year)
    page = int(cite.split()[-1])
    short = " ".join(_SHORT_WORDS.get(word, word) for word in case.name.split())
    return _FORMS[form].format(
        name=case.name,
        short=short,
        broken=case.name.replace(" v. ", " v.\n"),
        cite=cite,
        spaced=cite.replace(" ", "\u00a0"),
        all=", ".join(case.citations),
        pin=page + rng.randrange(1, 30),
        year=case.year,
        paren=f" ({inside})",
    )


def _needs_court(case: RealCase) -> bool:
    return case.court != "scotus" and not case.citations[0].split()[1].startswith(case.label[:3])


def _replace_citation(case: RealCase, citation: str) -> RealCase:
    return RealCase(name=case.name, citations=(citation,), court=case.court, date=case.date)


def _shift_volume(case: RealCase, rng: random.Random) -> RealCase | None:
    volume, *reporter, page = case.citations[0].split()
    shifted = int(volume) + rng.choice([-30, -12, -5, -2, -1, 1, 2, 3, 9, 27])
    if shifted < 1:
        return None
    return _replace_citation(case, " ".join([str(shifted), *reporter, page]))


def _shift_page(case: RealCase, rng: random.Random) -> RealCase | None:
    volume, *reporter, page = case.citations[0].split()
    shifted = int(page) + rng.choice([-90, -20, -7, -1, 1, 4, 16, 70, 200])
    if shifted < 1:
        return None
    return _replace_citation(case, " ".join([volume, *reporter, str(shifted)]))


def _swap_digits(case: RealCase, rng: random.Random) -> RealCase | None:
    volume, *reporter, page = case.citations[0].split()
    if len(volume) < 2 or volume[-1] == volume[-2]:
        return None
    swapped = f"{volume[:-2]}{volume[-1]}{volume[-2]}"
    return (
        None if swapped[0] == "0" else _replace_citation(case, " ".join([swapped, *reporter, page]))
    )


def _change_name(case: RealCase, rng: random.Random) -> RealCase:
    name = _invent_name(rng)
    return RealCase(name=name, citations=case.citations[:1], court=case.court, date=case.date)


def _change_party(case: RealCase, rng: random.Random) -> RealCase | None:
    first, versus, _ = case.name.partition(" v. ")
    if not versus:
        return None
    name = f"{first} v. {rng.choice(_SURNAMES)}"
    return RealCase(name=name, citations=case.citations[:1], court=case.court, date=case.date)


def _take_other_name(case: RealCase, rng: random.Random) -> RealCase | None:
    other = rng.choice(list_registered())
    if other.name == case.name or set(other.name.split()) & set(case.name.split()) - {"v."}:
        return None
    return RealCase(name=other.name, citations=case.citations[:1], court=case.court, date=case.date)


def _change_year(case: RealCase, rng: random.Random) -> RealCase | None:
    if case.year < 1900:
        return None
    shift = rng.choice([-11, -6, -4, -3, -2, 2, 3, 5, 10])
    date = f"{case.year + shift}{case.date[4:]}"
    return RealCase(name=case.name, citations=case.citations[:1], court=case.court, date=date)


def _change_court(case: RealCase, rng: random.Random) -> RealCase | None:
    if not case.court.startswith("ca") or case.court == "cal":
        return None
    court = rng.choice([name for name in COURTS if name.startswith("ca") and name not in {"cal", "cand", case.court}])  # fmt: skip
    return RealCase(name=case.name, citations=case.citations[:1], court=court, date=case.date)


def _invent_name(rng: random.Random) -> str:
    first, second = rng.sample(_SURNAMES, 2)
    return f"{first} v. {rng.choice([second, rng.choice(_FIRMS)])}"


def _invent_federal(_case: RealCase, rng: random.Random) -> RealCase:
    reporter, court, years, volumes = rng.choice([
        ("F.3d", rng.choice(["ca2", "ca5", "ca9", "ca11", "cadc"]), (1994, 2020), (20, 990)),
        ("F.2d", rng.choice(["ca2", "ca3", "ca7", "ca8"]), (1930, 1992), (40, 990)),
        ("F. Supp. 2d", rng.choice(["nysd", "nyed", "cand"]), (1999, 2013), (40, 990)),
        ("F. Supp. 3d", rng.choice(["nysd", "nyed", "cand"]), (2015, 2023), (80, 680)),
        ("U.S.", "scotus", (1940, 2015), (310, 575)),
        ("F.4th", rng.choice(["ca1", "ca4", "ca6", "ca10"]), (2021, 2024), (5, 95)),
    ])  # fmt: skip
    cite = f"{rng.randrange(*volumes)} {reporter} {rng.randrange(2, 1400)}"
    date = f"{rng.randrange(*years)}-06-15"
    return RealCase(name=_invent_name(rng), citations=(cite,), court=court, date=date)


def _invent_state(_case: RealCase, rng: random.Random) -> RealCase:
    reporter, court, years = rng.choice([
        ("P.3d", "wash", (2001, 2022)), ("N.W.2d", "iowa", (1950, 2018)), ("Cal. App. 4th", "cal", (1992, 2015)),
        ("N.E.2d", "mass", (1950, 2012)), ("A.3d", "del", (2011, 2022)), ("So. 3d", "nh", (2009, 2022)),
    ])  # fmt: skip
    cite = f"{rng.randrange(20, 300)} {reporter} {rng.randrange(2, 1200)}"
    date = f"{rng.randrange(*years)}-06-15"
    return RealCase(name=_invent_name(rng), citations=(cite,), court=court, date=date)


def _invent_series(case: RealCase, rng: random.Random) -> RealCase:
    cite = f"{rng.randrange(1, 999)} {rng.choice(['F.6th', 'F.9th', 'F. Supp. 5th', 'U.S.2d'])} {rng.randrange(1, 1300)}"
    return RealCase(name=_invent_name(rng), citations=(cite,), court="ca9", date="2019-06-15")


_FAULTS: dict[str, tuple[Callable[[RealCase, random.Random], RealCase | None], int]] = {
    "wrong volume": (_shift_volume, 22),
    "wrong page": (_shift_page, 22),
    "digits swapped": (_swap_digits, 8),
    "wrong name": (_change_name, 14),
    "one party changed": (_change_party, 12),
    "another case's name": (_take_other_name, 14),
    "wrong year": (_change_year, 16),
    "wrong court": (_change_court, 12),
    "invented": (_invent_federal, 30),
    "invented series": (_invent_series, 6),
    "invented, state reporter": (_invent_state, 12),
}
_MUST_BE_FREE = frozenset(
    {"wrong volume", "wrong page", "digits swapped", "invented", "invented, state reporter"}
)
