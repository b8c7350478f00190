"""A question taken apart without a model: what kind it is, what it is about, what else to ask."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from citewell.text import sentences, stopwords

_MOST_PHRASES, _MOST_FACETS = 6, 6
_LONGEST = 300  # characters of one query
_LOOKED_AT = 2000  # characters of a question
_SUBJECT = 8  # words
_WORD = re.compile(r"[^\W_]")
_ASKS = ("?", "？", "؟")
_COUNTER = "criticism limitations evidence against"


class Kind(StrEnum):
    DEFINITION = "definition"
    QUANTITY = "quantity"
    TIME = "time"
    COMPARISON = "comparison"
    CAUSES = "causes"
    EFFECTS = "effects"
    HOW_TO = "how-to"
    LATEST = "latest"
    LIST = "list"
    YES_NO = "yes-no"
    OPEN = "open"


@dataclass(frozen=True, slots=True, kw_only=True)
class Facet:
    """One side of a question: its heading in the report, and what to search for."""

    title: str
    query: str
    about: str = ""  # whose words a sentence must hold to be about it
    cue: str = (
        ""  # how words of such sentences start, as a pattern; empty when the subject is enough
    )
    counter: bool = False  # looks for what speaks against


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    text: str
    kind: Kind
    phrases: tuple[str, ...]
    facets: tuple[Facet, ...]  # the first is the question itself


_KINDS = (
    (Kind.COMPARISON, r"\bvs\.?\b|\bversus\b|\bcompar(?:e|ed|ing|ison)\b|\bdifferences? between\b|\b(?:better|worse|faster|safer|cheaper) than\b|\bvergleich|\bunterschied zwischen\b|\bdiff[ée]rences? entre\b|\bdiferencias? entre\b"),
    (Kind.LATEST, r"\blatest\b|\bnewest\b|\bmost recent\b|\brecent (?:advances|developments|news|research)\b|\bcurrent state\b|\bstate of the art\b|\bthis (?:year|month|week)\b|\bneueste\b|\bdernières?\b|\búltim[oa]s\b"),
    (Kind.QUANTITY, r"\bhow (?:many|much|large|big|tall|long|far|old|fast|often|high|deep|heavy|common)\b|\bwhat (?:percentage|share|proportion|number|fraction|is the (?:population|cost|price|rate|number|size|average))\b|\bwie ?viele?\b|\bcombien\b|\bcu[áa]nt[oa]s?\b|\bquant[oaie]\b|\bсколько\b|多少|いくつ|何人"),
    (Kind.TIME, r"^\s*when\b|\bwhat year\b|\bwhich year\b|\bsince when\b|^\s*(?:wann|quand|cu[áa]ndo|quando|когда)\b|什么时候|いつ"),
    (Kind.HOW_TO, r"^\s*how (?:to|do i|do you|can i|can we|should i|does one)\b|^\s*(?:steps|guide|tutorial)\b|^\s*wie (?:kann|man)\b|^\s*comment (?:faire|puis)\b|^\s*c[óo]mo (?:puedo|hacer)\b"),
    (Kind.CAUSES, r"^\s*why\b|\bwhat (?:causes?|caused|leads? to|led to|explains?)\b|\bcauses? of\b|\breasons? (?:for|why|behind)\b|^\s*(?:warum|weshalb|pourquoi|por qu[ée]|perch[ée]|почему)\b|为什么|なぜ"),
    (Kind.EFFECTS, r"\beffects?\b|\bimpacts?\b|\bconsequences?\b|\brisks?\b|\bside effects?\b|\bbenefits?\b|\bharms?\b|\baffects?\b|\bauswirkung|\bfolgen\b|\brisik|\beffets?\b|\befectos?\b"),
    (Kind.LIST, r"\bwhat are (?:the )?(?:main|best|top|types|kinds|examples|major|key|different|most)\b|\blist of\b|\bwhich (?:countries|companies|states|methods|tools|drugs|species|cities)\b|^\s*(?:list|name|give)\b|\bexamples of\b|\btypes of\b"),
    (Kind.DEFINITION, r"^\s*what (?:is|are|was|were|does)\b|\bdefin(?:e|ition)\b|\bmeaning of\b|^\s*who (?:is|was|are|were)\b|^\s*(?:was ist|was sind|wer ist|qu['’]est-ce|qu[ée] es|cos['’]è|o que é|что такое)\b|是什么|とは"),
    (Kind.YES_NO, r"^\s*(?:is|are|was|were|do|does|did|can|could|will|would|should|has|have|had|may|might)\b|^\s*(?:ist|sind|kann|hat|est-ce|peut-on|es cierto)\b"),
)  # fmt: skip
_STUDIED = r"stud(?:y|ies)|trial|review|meta-analys|research|evidence|found|survey|experiment|data"
_COUNTED = r"\d"
_TEMPLATES: dict[Kind, tuple[tuple[str, str, str], ...]] = {
    Kind.DEFINITION: (
        ("What it is", "{s} definition overview", r"(?:is|are|was|were) (?:an?|the|any|one)\b|refer|defin|known as|describ|consist|means"),
        ("How it works", "{s} how it works", r"works?\b|by (?:using|\w+ing)|process|mechanism|function|through\b|allow|convert|uses\b"),
        ("Examples and use", "{s} examples applications", r"example|such as|includ|applicat|used (?:in|for|to|as)|including"),
    ),
    Kind.QUANTITY: (
        ("Figures", "{s} statistics data", _COUNTED),
        ("Official figures", "{s} official estimate report", r"official|census|estimate|report|according|bureau|ministry|agency|statistic"),
        ("Change over time", "{s} trend by year", r"increas|decreas|grew|grow|rose|ris(?:e|ing)|fell|fall|declin|since|from .* to |trend"),
    ),
    Kind.TIME: (("Dates", "{s} date history", _COUNTED), ("Timeline", "{s} timeline", r"before\b|after\b|later\b|since\b|until|began|ended|founded|first")),
    Kind.CAUSES: (
        ("Causes", "{s} causes", r"caus|because|due to|lead(?:s|ing)? to|led to|result|reason|owing|driven|trigger|contribut|factor"),
        ("Mechanism", "{s} mechanism explanation", r"mechanism|process|when\b|through\b|by \w+ing|explain|effect"),
        ("Evidence", "{s} study evidence", _STUDIED),
    ),
    Kind.EFFECTS: (
        ("Effects", "{s} effects study", r"effect|impact|consequence|result|affect|influence|lead(?:s|ing)? to|led to|chang|increas|decreas|reduc"),
        ("Benefits", "{s} benefits", r"benefit|improv|advantage|protect|help|gain|reduc\w+ (?:the )?risk|lower"),
        ("Risks", "{s} risks side effects", r"risk|harm|adverse|side effect|danger|toxic|problem|disadvantage|damage|negative"),
        ("Evidence", "{s} systematic review meta-analysis", _STUDIED),
    ),
    Kind.HOW_TO: (
        ("Steps", "{s} step by step guide", r"step|first|then\b|next|after\b|before\b|until\b|using"),
        ("Requirements", "{s} requirements", r"require|need|must|necessary|should"),
        ("Mistakes and problems", "{s} common mistakes problems", r"mistake|problem|error|avoid|fail|wrong|issue"),
    ),
    Kind.LATEST: (
        ("News", "{s} news {year}", r"announc|report|launch|releas|said|this (?:year|month|week)|20\d\d"),
        ("Developments", "{s} latest developments {year}", r"new\b|develop|advance|progress|improv|recent|breakthrough"),
        ("Outlook", "{s} outlook", r"will\b|expect|forecast|plan|could|future|by 20\d\d|predict"),
    ),
    Kind.LIST: (
        ("Overview", "{s} list overview", r"includ|such as|following|main|common|types?\b|kinds?\b|consist"),
        ("Kinds", "{s} types classification", r"types?\b|kinds?\b|class|categor|group|divid"),
        ("Comparison", "{s} comparison", r"than\b|compar|whereas|while\b|unlike|differ|most\b|least\b|best\b"),
    ),
    Kind.YES_NO: (
        ("Evidence", "{s} evidence study", _STUDIED),
        ("Reviews", "{s} systematic review consensus", r"review|consensus|guideline|meta-analys|expert|recommend|agenc|organi[sz]ation"),
    ),
    Kind.OPEN: (
        ("Overview", "{s} overview", ""),  # whatever answers the question at all
        ("Evidence", "{s} evidence research", _STUDIED),
        ("Figures", "{s} statistics data", _COUNTED),
    ),
}  # fmt: skip
# What a search of ours ends in; somebody who asks it again, as we suggest, means what stands before.
_SEARCHED = re.compile(
    r"(?<=\w)\s+(?:{})\Z".format(
        "|".join(
            re.escape(query.removeprefix("{s} ")).replace(r"\{year\}", r"\d{4}")
            for query in sorted(
                {_COUNTER, *(one[1] for each in _TEMPLATES.values() for one in each)}, key=len
            )[::-1]
        )
    )
)
_OPPOSED = r"critic|limitation|limited|drawback|downside|disadvantage|controvers|concern|challeng|problem|no evidence|not (?:proven|enough|clear|necessarily|always)|lack|fail|insufficient|however\b|despite\b|although\b|against\b|disput|uncertain|unclear|warn"
# Kinds of question to which there is another side.
_DEBATED = frozenset(
    (Kind.YES_NO, Kind.EFFECTS, Kind.CAUSES, Kind.OPEN, Kind.DEFINITION, Kind.LATEST)
)
_COMPILED = tuple((kind, re.compile(pattern, re.IGNORECASE)) for kind, pattern in _KINDS)
_NUMBERED = re.compile(r"(?:\A|(?<=[\s:;.?]))\(?(\d{1,2})[.):]\s+(?=\S)")
_QUOTED = re.compile(r"[\"“„«]([^\"“”„«»]{2,80})[\"”“»]")
_NAME = re.compile(
    r"\b[A-Z][\w’'-]*(?:\s+(?:of|the|and|de|von)\s+(?=[A-Z])|\s+)?(?:[A-Z0-9][\w’'-]*\s?)*"
)
_SIDES = re.compile(
    r"(?:differences? between|compare|comparing|comparison (?:of|between)|between)\s+(?P<a>.+?)\s+(?:and|with|to|vs\.?|versus)\s+(?P<b>.+)"
    r"|(?P<c>.+?)\s+(?:vs\.?|versus|or|compared (?:to|with)|better than|worse than|safer than|cheaper than|faster than)\s+(?P<d>.+)",
    re.IGNORECASE,
)
_ASKING = re.compile(
    r"^\s*(?:please\s+)?(?:what|which|who|when|where|why|how)\b(?:\s+(?:is|are|was|were|do|does|did|can|could|will|would|should|has|have|many|much|to|i|you|we|one|causes?|the|a|an|of|known|about))*\s+"
    r"|^\s*(?:is|are|was|were|do|does|did|can|could|will|would|should|has|have|tell me|explain|describe|compare)\b(?:\s+(?:the|a|an|it|there|about|true|that|me))*\s+",
    re.IGNORECASE,
)
_POINTING = re.compile(
    r"\b(?:it|its|they|their|them|this|that|these|those|he|she|his|her)\b", re.IGNORECASE
)
_COMPARING = r"than\b|compar|whereas|while\b|unlike|differ|both\b|versus|vs\b"
_GENERIC = re.compile(
    r"^(?:the\s+)?(?:[\w-]+\s+){0,2}?"
    r"(?:effects?|impacts?|consequences?|causes?|reasons?|risks?|benefits?|harms?|advances?|developments?|news|types?|kinds?|examples?|state|meaning|definition|differences?|advantages?|disadvantages?|pros|cons|role|history|number|percentage|share)"
    r"(?:\s+(?:and|or)\s+(?:[\w-]+\s+)?(?:risks?|benefits?|effects?|harms?|impacts?|disadvantages?|cons|consequences?))?\s+(?:of|for|in|on|behind|from|between)\s+(?:the\s+)?(?=\S)",
    re.IGNORECASE,
)
# They judge, and say nothing of what is judged.
_VAGUE = frozenset(("good", "bad", "best", "better", "worse", "worst", "really", "actually", "effective", "important", "true", "useful", "great", "your", "my"))  # fmt: skip
_TRAILING = re.compile(r"[\s?.!,;:]+\Z")
# The verb of a question that any subject could have.
_IDLE = re.compile(r"(?<=\w)\s+(?:works?|happens?|occurs?|means?|do|matters?|exists?)\Z")
_CONTEXT = re.compile(
    r"\s+(?:for|in terms of|when|regarding|with respect to)\s+.*\Z", re.IGNORECASE
)


def question(text: str, *, year: int | None = None, language: str | None = None) -> Question:
    """The question with what to search for: itself, two to six sides of it, one of them against it.

    Sub-questions that the user numbered are taken as they are. A question in a language other than
    English keeps its own words, and gets no template of ours.
    """
    plain = " ".join(text.split())
    listed = numbered(text)
    lead, further = (plain, listed) if listed else _spoken(plain)
    lead = lead[:_LOOKED_AT]  # the patterns below look back and forth
    kind = classify(lead)
    phrases = key_phrases(plain[:_LOOKED_AT], language=language)
    topic = lead if _ASKING.match(lead) else _SEARCHED.sub("", lead)
    own = Facet(title=_title(lead), query=lead[:_LONGEST], about=subject(topic[:_LONGEST]))
    sides = tuple(_asked(one, phrases) for one in further)
    if lead and not listed:
        sides += _own_sides(topic, kind, year, phrases, language=language)
    found: dict[str, Facet] = {}
    for facet in (own, *sides[:_MOST_FACETS]):
        found.setdefault(facet.query.lower(), facet)
    return Question(text=plain, kind=kind, phrases=phrases, facets=tuple(found.values()))


def _spoken(plain: str) -> tuple[str, tuple[str, ...]]:
    """The sentence that asks, and further ones that do; what else is said is scope."""
    spans = sentences.spans(plain)
    parts = [plain[start:end].strip() for start, end in spans if _WORD.search(plain, start, end)]
    asking = [part for part in parts if part.endswith(_ASKS)]
    first = (asking or parts or [plain])[0]
    return first, tuple(asking[1 : 1 + _MOST_FACETS // 2])


def _own_sides(
    lead: str, kind: Kind, year: int | None, phrases: tuple[str, ...], *, language: str | None
) -> tuple[Facet, ...]:
    if (language or "en")[:2] == "en":
        return _sides(lead[:_LONGEST], kind, year)
    return tuple(
        Facet(title=phrase, query=phrase)
        for phrase in phrases[:2]
        if phrase.lower() != lead.lower()
    )


def classify(text: str) -> Kind:
    return next((kind for kind, pattern in _COMPILED if pattern.search(text)), Kind.OPEN)


def numbered(text: str) -> tuple[str, ...]:
    """Sub-questions that the user numbered 1., 2., 3., in their own words; two at least."""
    marks = list(_NUMBERED.finditer(text))
    run = [mark for place, mark in enumerate(marks) if int(mark[1]) == place + 1]
    if len(run) < 2 or len(run) != len(marks):
        return ()
    ends = [mark.start() for mark in run[1:]] + [len(text)]
    parts = (" ".join(text[mark.end() : end].split()) for mark, end in zip(run, ends, strict=True))
    return tuple(part for part in parts if part)


def key_phrases(text: str, *, language: str | None = None) -> tuple[str, ...]:
    """What is quoted, what is named, and what is left between stop-words, longest first."""
    quoted = [match.strip() for match in _QUOTED.findall(text)]
    named = [
        name
        for name in (match[0].strip() for match in _NAME.finditer(text))
        if _telling(name, text, language)
    ]
    runs = sorted(_runs(text, language), key=lambda run: (-len(run.split()), text.find(run)))
    found: dict[str, str] = {}
    for phrase in (*quoted, *named, *runs):
        if not any(phrase.lower() in kept for kept in found):
            found.setdefault(phrase.lower(), phrase)
    return tuple(found.values())[:_MOST_PHRASES]


def subject(text: str) -> str:
    """What a question is about: without the words that only ask."""
    bare = _GENERIC.sub("", _TRAILING.sub("", _ASKING.sub("", text, count=1)))
    bare = _IDLE.sub("", bare)
    words = [word for word in bare.split() if word.lower() not in _VAGUE] or bare.split()
    if len(words) > _SUBJECT:
        words = stopwords.without(bare, language="en").split()[:_SUBJECT]
    return " ".join(words) or _TRAILING.sub("", text)


def _asked(one: str, phrases: tuple[str, ...]) -> Facet:
    """A sub-question as the user put it; what it points back to is searched for too."""
    context = f" {phrases[0]}" if phrases and _POINTING.search(one) else ""
    query = (_TRAILING.sub("", one) + context) if context else one
    return Facet(title=_title(one), query=query[:_LONGEST], about=subject(one) + context)


def _sides(text: str, kind: Kind, year: int | None) -> tuple[Facet, ...]:
    if kind is Kind.COMPARISON:
        match = _SIDES.search(_TRAILING.sub("", text))
        return _compared(match) if match else ()
    about = subject(text)
    filled = tuple(
        Facet(
            title=title,
            query=" ".join(query.format(s=about, year=year or "").split()),
            about=about,
            cue=cue,
        )
        for title, query, cue in _TEMPLATES[kind]
    )
    return (*filled, _against(about)) if kind in _DEBATED else filled


def _compared(match: re.Match[str]) -> tuple[Facet, ...]:
    first = subject((match["a"] or match["c"] or "").strip())
    second = _TRAILING.sub("", _CONTEXT.sub("", match["b"] or match["d"] or "")).strip()
    both = f"{first} {second}"
    return (
        Facet(title=first, query=first, about=first),
        Facet(title=second, query=second, about=second),
        Facet(title="Comparison", query=f"{both} comparison", about=both, cue=_COMPARING),
        Facet(
            title=f"Limitations of {first}",
            query=f"{first} limitations",
            about=first,
            cue=_OPPOSED,
            counter=True,
        ),
        Facet(
            title=f"Limitations of {second}",
            query=f"{second} limitations",
            about=second,
            cue=_OPPOSED,
            counter=True,
        ),
    )


def _against(about: str) -> Facet:
    query = f"{about} {_COUNTER}"
    return Facet(title="Criticism and limits", query=query, about=about, cue=_OPPOSED, counter=True)


def _title(text: str) -> str:
    plain = _TRAILING.sub("", text) if not text.rstrip().endswith("?") else text.strip()
    return plain if len(plain) <= 120 else plain[:117].rsplit(" ", 1)[0] + "…"


def _telling(name: str, text: str, language: str | None) -> bool:
    first = name.lower() in stopwords.listed(language) or (
        text.startswith(name) and " " not in name
    )
    return len(name) > 2 and not first


def _runs(text: str, language: str | None) -> list[str]:
    """Runs of words between stop-words and marks."""
    plain = stopwords.listed(language)
    runs: list[list[str]] = [[]]
    for word in re.findall(r"[^\s,;:.?!()\"“”]+|[,;:.?!()\"“”]", text):
        if word.lower() in plain or not any(map(str.isalnum, word)):
            runs.append([])
        else:
            runs[-1].append(word)
    return [" ".join(run) for run in runs if any(not word.isdigit() for word in run)]
