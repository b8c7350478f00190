"""Finds what a byline says about the ties of an author: employed, advising, invested or paid.

It errs on the side of reporting too little: unnamed companies, past ties and denied ones do not count.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from citewell.text.safety.text_cleaning import clean_markup

EMPLOYMENT, EQUITY, FUNDING, ADVISORY = "employment", "equity", "funding", "advisory"
KIND_ORDER = (EQUITY, EMPLOYMENT, FUNDING, ADVISORY)  # the strongest interest first

_NAME = r"(?P<name>@?[\w][\w&.'’+-]*(?:\s+(?:[A-Z][\w&.'’+-]*|&)){0,3})"
_LINK = r"(?:to|of|for|in|at|with|on|into|bei|beim|von|an|dans|en|de|chez|di|presso)"
_AND = r"(?:and|&|und|et|y|e)"
# Between a role and its company: "investor in and adviser to Acme", "advisor (unpaid) to Acme".
_GAP = rf"(?:(?:\s+{_LINK})?(?:,|\s+{_AND}|/)\s?[\w/-]{{2,20}}(?:\s[\w-]{{2,20}}){{0,2}}?|\s\([\w ]{{1,30}}\))?"
_JOB = (
    r"(?:works?|working|employed|employee|engineer|developer|manager|director|head|lead|leader|vp|vice president"
    r"|president|chief [\w ]{2,20}officer|c[etfmop]o|partner|evangelist|advocate|strategist|spokes(?:man|woman|person)"
    r"|marketer|writer|editor|analyst|designer|researcher|scientist|specialist|associate|intern"
    r"|mitarbeiter(?:in)?|arbeitet|angestellt(?:e[r]?)?|entwickler(?:in)?|leiter(?:in)?|sprecher(?:in)?"
    r"|travaille|directeur|directrice|salarié[e]?|trabaja|emplead[oa]|director[a]?|lavora|dipendente)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _TieRole:
    """One kind of tie: the words for it, how they lead to the name, and whether they may stand bare."""

    name: str
    kind: str
    words: str
    link: str = _LINK  # between the words and the company
    follows_name: bool = True  # "an Acme investor"
    is_shared: bool = True  # "advisor to Acme and investor"


_ROLES = (
    _TieRole(name="board member", kind=ADVISORY, words=r"(?:board (?:member|director|chair|advis[oe]r|seat|observer)|(?:member|chair(?:man|woman|person)?) of the (?:advisory |supervisory |scientific |executive )?board|(?:sits |serves |seat )?on the (?:advisory |supervisory |scientific )?board|non-executive director|aufsichtsrats?(?:mitglied)?|beirat|membre du conseil)"),
    _TieRole(name="investor", kind=EQUITY, words=r"(?:investors?|invested|invests|investing|investisseu(?:r|se)|inversor[a]?|investor(?:in)?|backer|limited partner)"),
    _TieRole(name="shareholder", kind=EQUITY, words=r"(?:shareholder|stockholder|stake|shares|stock|stock options|options|equity(?: (?:stake|interest))?|(?:financial|ownership|economic) interest|position|anteile|aktien|aktionär(?:in)?|beteiligt|beteiligung|actionnaire|accionista)", link=r"(?:in|of|at|an|bei|dans|en|de)"),
    _TieRole(name="founder", kind=EQUITY, words=r"(?:(?:co-?)?founder|(?:co-?)?owner|(?:mit)?gründer(?:in)?|inhaber(?:in)?|(?:co-?)?fondat(?:eur|rice)|(?:co)?fundador[a]?|fondatore)"),
    _TieRole(name="founder", kind=EQUITY, words=r"(?:co-?)?founded", link=r"", follows_name=False, is_shared=False),
    _TieRole(name="sponsorship", kind=FUNDING, words=r"(?:sponsored|funded|paid|compensated|supported|commissioned|remunerated|gesponsert|finanziert|bezahlt|sponsorisée?|financée?|payée?|patrocinad[oa])", link=r"(?:by|von|par|por|da)", follows_name=False, is_shared=False),
    _TieRole(name="sponsorship", kind=FUNDING, words=r"(?:(?:in (?:paid )?)?partnership with|(?:research )?grants? (?:from|by)|funding (?:from|by)|payments? from|sponsorship (?:from|by|of)|free (?:product|products|samples|access) from)", link=r"", follows_name=False, is_shared=False),
    _TieRole(name="speaker", kind=FUNDING, words=r"(?:(?:speak(?:er|ers|ing)|lecture|consult(?:ing|ancy)|personal)['’]? (?:fees?|honoraria)|fees|honorari(?:a|um)|(?:speakers?['’]? bureau)|paid speaker|paid talks?|vortragshonorare?)", link=r"(?:from|of|for|by|at|von|de)", is_shared=False),
    _TieRole(name="affiliate", kind=FUNDING, words=r"(?:affiliate(?: (?:links?|partner|marketer|commissions?|program(?:me)?))?|referral (?:links?|fees?|commissions?|partner)|commissions?|provision(?:en)?)", link=r"(?:of|for|with|to|from|by|at|on|von|de)", is_shared=False),
    _TieRole(name="ambassador", kind=FUNDING, words=r"(?:(?:brand )?ambassador|(?:brand )?influencer partner|markenbotschafter(?:in)?|ambassadeu?r(?:rice)?|embajador[a]?)"),
    _TieRole(name="consultant", kind=ADVISORY, words=r"(?:consultants?|consults|consulting|contractor|freelanc(?:e|er|es|ing))"),
    _TieRole(name="advisor", kind=ADVISORY, words=r"(?:advis[oe]rs?|advises|advising|mentors?|berater(?:in)?|berät|conseill(?:er|ère)|asesor[a]?|consulente)"),
    _TieRole(name="advisor", kind=ADVISORY, words=r"(?:advises|advised|advising|berät|conseille)", link=r"", follows_name=False, is_shared=False),
    _TieRole(name="employee", kind=EMPLOYMENT, words=_JOB, is_shared=False),
)  # fmt: skip


def _compile_role_pattern(role: _TieRole) -> tuple[re.Pattern[str], ...]:
    """The ways to name the company: after the words, or before them. Only names keep their case."""
    if role.name == "employee":
        lead = rf"\b{role.words}\b[\w ,/&-]{{0,40}}?(?:\b{role.link}\s+|@\s?)"
    else:
        # "investor in and adviser to Acme" leads through another link than the role's own.
        gap = rf"(?:{_GAP}\s+{role.link}|{_GAP[:-1]}\s+{_LINK})" if role.link else ""
        lead = rf"\b{role.words}{gap}\s+"
    after = re.compile(rf"(?i:{lead}){_NAME}")
    before = re.compile(rf"\b{_NAME}\s(?i:{role.words})\b")
    byline = re.compile(rf"(?i:\b{role.words}\b,\s){_NAME}\W{{0,5}}$")  # "Engineer, Acme"
    if role.name in {"employee", "founder"} and role.follows_name:
        return after, before, byline
    return (after, before) if role.follows_name else (after,)


_ROLE_PATTERNS = tuple((role, _compile_role_pattern(role)) for role in _ROLES)
_BARE_JOB_PATTERN = re.compile(rf"(?i:^(?:[\w .,'’-]{{0,60}}?\b)?(?:at\s+|@)){_NAME}")
_EMPLOYEE = _ROLES[-1]
_SHARED_ROLE_PATTERNS = tuple(
    (role, re.compile(
        rf"(?:\b{_AND}\s|[,/]\s?)(?:(?:an?|its?|their|early|angel|seed|also|eine?|un)\s){{0,3}}{role.words}\b(?!\s+{_LINK}\b)",
        re.IGNORECASE,
    ))
    for role in _ROLES
    if role.is_shared
)  # fmt: skip
_CLAUSE_SEPARATOR_PATTERN = re.compile(r"(?<![.;!?\n|•])[.;!?\n|•]++\s+|(?<!\s)\s++[|•–—]\s+|[;\n]")
_PART_SEPARATOR_PATTERN = re.compile(
    r",\s(?:and\s)?(?=(?:formerly|previously|ex-|former|now|currently|today|but|aber|mais|pero|not|never|no)\b)"
    r"|\s(?=(?:but|aber|mais|pero)\s)"
    r"|\s(?:and|&|und|et|y)\s(?=(?:now|currently|current|is now|formerly|former|previously|ex-|used to)\b)",
    re.IGNORECASE,
)
_ENDED_TIE_PATTERN = re.compile(
    r"\b(?:former(?:ly)?|ex-|previous(?:ly)?|past|once|used to|until|retired|left|resigned|stepped down|divested|sold|quit|emerit\w{1,4}"
    r"|no longer|not(?! only)|never|no|nor|none|neither|without|\w{2,6}n['’]t|cannot"
    r"|independent of|unaffiliated|ehemalig\w*|früher\w*|kein\w*|nicht|ohne|ancien(?:ne)?|aucune?|sans|anteriormente|antigu[oa]|ningun[oa]?|sin|nessun[oa]?|senza|ex)\b",
    re.IGNORECASE,
)  # fmt: skip
# "a consultant for Acme stores" works for those who use Acme, not for Acme.
_OTHER_THING_PATTERN = re.compile(
    r"\s{1,5}(?:agenc(?:y|ies)|stores?|shops?|sites?|apps?|plug-?ins?|themes?|experts?|partners?|merchants?|sellers?"
    r"|users?|customers?|clients?|competitors?|alternatives?|rivals?|fans?|communit(?:y|ies)|courses?|books?"
    r"|projects?|integrations?|migrations?|setups?|add-?ons?|extensions?|certified)\b"
)
_OWNER_ENDING_PATTERN = re.compile(r"['’]s$")
_VERB_PATTERN = re.compile(r"^(?:Owns|Holds|Has|Is|Also|An?|The|Our|As)\s+")
_NAME_WORD_PATTERN = re.compile(r"[^\W_][\w&+'’-]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthorTie:
    """What the author is to a company that the recommendation names."""

    kind: str  # the strongest interest: equity, employment, funding, advisory
    entity: str
    roles: tuple[str, ...]
    evidence: str  # the part of the byline


def find_author_tie(
    bio: str, names: frozenset[str] | set[str], *, common_words: frozenset[str]
) -> AuthorTie | None:
    """The first company of `names` that the biography ties the author to; None if there is none."""
    for part in _split_current_parts(bio):
        found = list(_find_author_roles(part, names, common_words))
        if found:
            entity = found[0][1]
            roles = [role for role, other in found if other == entity]
            # Roles without a company of their own: the investor in "advisor to Acme and investor".
            roles += [role for role, pattern in _SHARED_ROLE_PATTERNS if pattern.search(part)]
            kinds = {role.kind for role in roles}
            return AuthorTie(
                kind=next(kind for kind in KIND_ORDER if kind in kinds),
                entity=entity,
                roles=tuple(dict.fromkeys(role.name for role in roles)),
                evidence=part,
            )
    return None


def match_named_entity(
    captured: str, names: frozenset[str] | set[str], common_words: frozenset[str]
) -> str:
    """The captured name, if the recommendation names it too; empty otherwise."""
    found = (_OWNER_ENDING_PATTERN.sub("", word) for word in _NAME_WORD_PATTERN.findall(captured))
    words = [word.strip(".'’") for word in found]
    kept = [word for word in words if word.lower() not in common_words]
    if not kept:
        return ""
    squashed = "".join(word.lower() for word in kept).replace("-", "")
    if kept[0].lower() in names or squashed in names:
        return " ".join(kept[: 3 if squashed in names else 1])
    return ""


def _split_current_parts(bio: str) -> Iterator[str]:
    """The parts of a biography, without those about the past or with a negation."""
    for clause in _CLAUSE_SEPARATOR_PATTERN.split(bio):
        for part in _PART_SEPARATOR_PATTERN.split(clean_markup(clause)):
            if part and not _ENDED_TIE_PATTERN.search(part):
                yield part


def _find_author_roles(
    part: str, names: frozenset[str] | set[str], common_words: frozenset[str]
) -> Iterator[tuple[_TieRole, str]]:
    """Each role and its company; the plain "at Acme" only if nothing else is said."""
    seen: set[int] = set()  # ends of names that a more exact role has
    for role, patterns in _ROLE_PATTERNS:
        for found in _find_pattern_matches(part, patterns):
            captured = _VERB_PATTERN.sub("", found["name"])
            entity = match_named_entity(captured, names, common_words)
            if entity and (role is not _EMPLOYEE or found.start("name") not in seen):
                seen.add(found.start("name"))
                yield role, entity
    for found in _find_pattern_matches(part, (_BARE_JOB_PATTERN,)):
        entity = match_named_entity(found["name"], names, common_words)
        if entity and not seen:
            yield _EMPLOYEE, entity


def _find_pattern_matches(
    part: str, patterns: Iterable[re.Pattern[str]]
) -> Iterator[re.Match[str]]:
    for pattern in patterns:
        for found in pattern.finditer(part):
            if not _OTHER_THING_PATTERN.match(part, found.end("name")):
                yield found
