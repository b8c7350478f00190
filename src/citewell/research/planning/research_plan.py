"""Plans the research by rules: the kind and facets of a question, and the searches and pages that a tier allows."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from citewell.core.values.research import ResearchTier
from citewell.jobs.step_values import AskedPart, QuestionSide, ResearchPlan
from citewell.text import questions
from citewell.text.data_tables import load_table
from citewell.text.language import detection, sentences, word_forms

_MIN_DETECTABLE_CHARS = 12  # the language of a shorter query cannot be detected


def build_research_plan(query: str, tier: ResearchTier, *, year: int | None = None) -> ResearchPlan:
    """The plan for a question; the same question, tier and year give the same plan."""
    spoken = detection.detect_language(query) if len(query) >= _MIN_DETECTABLE_CHARS else None
    asked = parse_question(query, year=year, language=spoken)
    sides = tuple(
        QuestionSide(title=facet.title, query=facet.query, counter=facet.is_opposing)
        for facet in asked.facets
    )
    parts = _list_asked_parts(query)
    return ResearchPlan(
        query=asked.text,
        kind=asked.kind.value,
        language=spoken,
        phrases=asked.phrases,
        parts=parts,
        sides=sides,
        queries=_choose_first_queries(parts, sides, tier.queries),
        pages=tier.pages,
        rounds=tier.rounds,
        further=max(1, tier.queries // 3),
    )


def _list_asked_parts(query: str) -> tuple[AskedPart, ...]:
    """What each needs an answer of its own: numbered questions, or the parts of one."""
    listed = split_numbered_questions(query)
    if listed:
        return tuple(AskedPart(text=entry, context=query) for entry in listed)
    return tuple(
        AskedPart(text=part.text, context=part.context)
        for part in questions.split_question_parts(query)
    )


def _choose_first_queries(
    parts: tuple[AskedPart, ...], sides: tuple[QuestionSide, ...], most: int
) -> tuple[str, ...]:
    """Queries of the first round: the question, its parts, and one side that argues against it."""
    own, rest = sides[:1], sides[1:]
    against = tuple(side for side in rest if side.counter)
    first = against[:1] if most > 2 else ()
    order = (*own, *(side for side in rest if not side.counter), *against)
    apart = [_name_part_subject(part) for part in parts] if len(parts) > 1 else []
    compared = questions.find_compared_subjects(own[0].query) if own else None
    apart += [] if compared is None else _list_side_queries(own[0].query, compared)
    kept = [side for side in order if side not in first][: most - len(first) - len(apart)]
    chosen = [side for side in order if side in own or side in kept or side in first]
    asked = [side.query for side in chosen if side.query]
    return tuple(dict.fromkeys([*asked[:1], *apart, *asked[1:]]))[:most]


def _name_part_subject(part: AskedPart) -> str:
    """A part as a query; what it points back to stands in the part before."""
    lead = part.context.partition(",")[0]
    subject = extract_subject(lead)
    return part.text if subject.lower() in part.text.lower() else f"{part.text} {subject}"


def _list_side_queries(query: str, subjects: tuple[str, str]) -> list[str]:
    """Each of the two compared subjects by itself, with what is asked of both."""
    first, second = subjects
    words = questions.list_key_words(query)
    return [
        " ".join([own, *(word for word in words if word.lower() not in f"{own} {other}".lower())])
        for own, other in ((first, second), (second, first))
    ]


# Parses a research question: its kind, its subject, and the facets to search for.


_MAX_KEY_PHRASES, _MAX_FACETS = 6, 6
_MAX_FACET_QUERY_CHARS = 300  # characters of one query
_MAX_QUESTION_CHARS = 2000  # characters of a question
_MAX_SUBJECT_WORDS = 8  # words
_ALPHANUMERIC_PATTERN = re.compile(r"[^\W_]")
_QUESTION_MARKS = ("?", "？", "؟")
_OPPOSING_QUERY_WORDS = "criticism limitations evidence against"


class QuestionKind(StrEnum):
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
class QuestionFacet:
    """One aspect of a question: its heading in the report, and the query to search for."""

    title: str
    query: str
    subject: str = ""  # what it is about
    is_opposing: bool = False  # searches for criticism and counter-evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedQuestion:
    text: str
    kind: QuestionKind
    phrases: tuple[str, ...]
    facets: tuple[QuestionFacet, ...]  # the first is the question itself


_QUESTION_KIND_REGEXES = (
    (QuestionKind.COMPARISON, r"\bvs\.?\b|\bversus\b|\bcompar(?:e|ed|ing|ison)\b|\bdifferences? between\b|\b(?:better|worse|faster|safer|cheaper) than\b|\bvergleich|\bunterschied zwischen\b|\bdiff[ée]rences? entre\b|\bdiferencias? entre\b"),
    (QuestionKind.LATEST, r"\blatest\b|\bnewest\b|\bmost recent\b|\brecent (?:advances|developments|news|research)\b|\bcurrent state\b|\bstate of the art\b|\bthis (?:year|month|week)\b|\bneueste\b|\bdernières?\b|\búltim[oa]s\b"),
    (QuestionKind.QUANTITY, r"\bhow (?:many|much|large|big|tall|long|far|old|fast|often|high|deep|heavy|common)\b|\bwhat (?:percentage|share|proportion|number|fraction|is the (?:population|cost|price|rate|number|size|average))\b|\bwie ?viele?\b|\bcombien\b|\bcu[áa]nt[oa]s?\b|\bquant[oaie]\b|\bсколько\b|多少|いくつ|何人"),
    (QuestionKind.TIME, r"^\s*when\b|\bwhat year\b|\bwhich year\b|\bsince when\b|^\s*(?:wann|quand|cu[áa]ndo|quando|когда)\b|什么时候|いつ"),
    (QuestionKind.HOW_TO, r"^\s*how (?:to|do i|do you|can i|can we|should i|does one)\b|^\s*(?:steps|guide|tutorial)\b|^\s*wie (?:kann|man)\b|^\s*comment (?:faire|puis)\b|^\s*c[óo]mo (?:puedo|hacer)\b"),
    (QuestionKind.CAUSES, r"^\s*why\b|\bwhat (?:causes?|caused|leads? to|led to|explains?)\b|\bcauses? of\b|\breasons? (?:for|why|behind)\b|^\s*(?:warum|weshalb|pourquoi|por qu[ée]|perch[ée]|почему)\b|为什么|なぜ"),
    (QuestionKind.EFFECTS, r"\beffects?\b|\bimpacts?\b|\bconsequences?\b|\brisks?\b|\bside effects?\b|\bbenefits?\b|\bharms?\b|\baffects?\b|\bauswirkung|\bfolgen\b|\brisik|\beffets?\b|\befectos?\b"),
    (QuestionKind.LIST, r"\bwhat are (?:the )?(?:main|best|top|types|kinds|examples|major|key|different|most)\b|\blist of\b|\bwhich (?:countries|companies|states|methods|tools|drugs|species|cities)\b|^\s*(?:list|name|give)\b|\bexamples of\b|\btypes of\b"),
    (QuestionKind.DEFINITION, r"^\s*what (?:is|are|was|were|does)\b|\bdefin(?:e|ition)\b|\bmeaning of\b|^\s*who (?:is|was|are|were)\b|^\s*(?:was ist|was sind|wer ist|qu['’]est-ce|qu[ée] es|cos['’]è|o que é|что такое)\b|是什么|とは"),
    (QuestionKind.YES_NO, r"^\s*(?:is|are|was|were|do|does|did|can|could|will|would|should|has|have|had|may|might)\b|^\s*(?:ist|sind|kann|hat|est-ce|peut-on|es cierto)\b"),
)  # fmt: skip
# Kinds of question for which counter-evidence is searched.
_DEBATABLE_KINDS = frozenset(
    (
        QuestionKind.YES_NO,
        QuestionKind.EFFECTS,
        QuestionKind.CAUSES,
        QuestionKind.OPEN,
        QuestionKind.DEFINITION,
        QuestionKind.LATEST,
    )
)
_COMPILED_KIND_PATTERNS = tuple(
    (kind, re.compile(pattern, re.IGNORECASE)) for kind, pattern in _QUESTION_KIND_REGEXES
)
_NUMBERED_ITEM_PATTERN = re.compile(r"(?:\A|(?<=[\s:;.?]))\(?(\d{1,2})[.):]\s+(?=\S)")
_QUOTED_PHRASE_PATTERN = re.compile(r"[\"“„«]([^\"“”„«»]{2,80})[\"”“»]")
_PROPER_NAME_PATTERN = re.compile(
    r"\b[A-Z][\w’'-]*(?:\s+(?:of|the|and|de|von)\s+(?=[A-Z])|\s+)?(?:[A-Z0-9][\w’'-]*\s?)*"
)
_COMPARED_SIDES_PATTERN = re.compile(
    r"(?:differences? between|compare|comparing|comparison (?:of|between)|between)\s++(?P<a>.{1,300}?)(?<!\s)\s++(?:and|with|to|vs\.?|versus)\s++(?P<b>.+)"
    r"|(?P<c>.{1,300}?)(?<!\s)\s++(?:vs\.?|versus|or|compared (?:to|with)|better than|worse than|safer than|cheaper than|faster than)\s++(?P<d>.+)",
    re.IGNORECASE,
)
_ASKING_WORDS_PATTERN = re.compile(
    r"^\s*(?:please\s+)?(?:what|which|who|when|where|why|how)\b(?:\s+(?:is|are|was|were|do|does|did|can|could|will|would|should|has|have|many|much|to|i|you|we|one|causes?|the|a|an|of|known|about))*\s+"
    r"|^\s*(?:is|are|was|were|do|does|did|can|could|will|would|should|has|have|tell me|explain|describe|compare)\b(?:\s+(?:the|a|an|it|there|about|true|that|me))*\s+",
    re.IGNORECASE,
)
_PRONOUN_PATTERN = re.compile(
    r"\b(?:it|its|they|their|them|this|that|these|those|he|she|his|her)\b", re.IGNORECASE
)
_GENERIC_NOUN_PATTERN = re.compile(
    r"^(?:the\s+)?(?:[\w-]+\s+){0,2}?"
    r"(?:effects?|impacts?|consequences?|causes?|reasons?|risks?|benefits?|harms?|advances?|developments?|news|types?|kinds?|examples?|state|meaning|definition|differences?|advantages?|disadvantages?|pros|cons|role|history|number|percentage|share)"
    r"(?:\s+(?:and|or)\s+(?:[\w-]+\s+)?(?:risks?|benefits?|effects?|harms?|impacts?|disadvantages?|cons|consequences?))?\s+(?:of|for|in|on|behind|from|between)\s+(?:the\s+)?(?=\S)",
    re.IGNORECASE,
)
# Judging words, which say nothing about the subject.
_JUDGING_WORDS = frozenset(("good", "bad", "best", "better", "worse", "worst", "really", "actually", "effective", "important", "true", "useful", "great", "your", "my"))  # fmt: skip
_TRAILING_MARKS_PATTERN = re.compile(r"(?<![\s?.!,;:])[\s?.!,;:]++\Z")
# Verbs that fit any subject.
_IDLE_VERB_PATTERN = re.compile(
    r"(?<=\w)\s+(?:works?|happens?|occurs?|means?|do|matters?|exists?)\Z"
)
_CONTEXT_CLAUSE_PATTERN = re.compile(
    r"(?<!\s)\s++(?:for|in terms of|when|regarding|with respect to)\s(?s:.*)\Z", re.IGNORECASE
)


def parse_question(
    text: str, *, year: int | None = None, language: str | None = None
) -> ParsedQuestion:
    """The question with its kind, key phrases and facets: itself first, then up to six more.

    Numbered sub-questions become facets as they are. Questions in languages other than English get
    their key phrases as facets, because the templates are English. `year` fills in "latest" queries.
    """
    plain = " ".join(text.split())
    listed = split_numbered_questions(text)
    lead, further = (plain, listed) if listed else _split_asking_sentences(plain)
    lead = lead[:_MAX_QUESTION_CHARS]  # bounds the time of the patterns below
    kind = classify_question(lead)
    phrases = extract_key_phrases(plain[:_MAX_QUESTION_CHARS], language=language)
    topic = lead if _ASKING_WORDS_PATTERN.match(lead) else _compile_template_endings().sub("", lead)
    own = QuestionFacet(
        title=_shorten_facet_title(lead),
        query=lead[:_MAX_FACET_QUERY_CHARS],
        subject=extract_subject(topic[:_MAX_FACET_QUERY_CHARS]),
    )
    sides = tuple(_build_subquestion_facet(item, phrases) for item in further)
    if lead and not listed:
        sides += _build_own_facets(topic, kind, year, phrases, language=language)
    found: dict[str, QuestionFacet] = {}
    for facet in (own, *sides[:_MAX_FACETS]):
        found.setdefault(facet.query.lower(), facet)
    return ParsedQuestion(text=plain, kind=kind, phrases=phrases, facets=tuple(found.values()))


def _split_asking_sentences(plain: str) -> tuple[str, tuple[str, ...]]:
    """The first sentence that ends in a question mark, and further ones; other sentences are scope."""
    spans = sentences.find_sentence_spans(plain)
    parts = [
        plain[start:end].strip()
        for start, end in spans
        if _ALPHANUMERIC_PATTERN.search(plain, start, end)
    ]
    asking = [part for part in parts if part.endswith(_QUESTION_MARKS)]
    first = (asking or parts or [plain])[0]
    return first, tuple(asking[1 : 1 + _MAX_FACETS // 2])


def _build_own_facets(
    lead: str,
    kind: QuestionKind,
    year: int | None,
    phrases: tuple[str, ...],
    *,
    language: str | None,
) -> tuple[QuestionFacet, ...]:
    if (language or "en")[:2] == "en":
        return _build_template_facets(lead[:_MAX_FACET_QUERY_CHARS], kind, year)
    return tuple(
        QuestionFacet(title=phrase, query=phrase)
        for phrase in phrases[:2]
        if phrase.lower() != lead.lower()
    )


def classify_question(text: str) -> QuestionKind:
    return next(
        (kind for kind, pattern in _COMPILED_KIND_PATTERNS if pattern.search(text)),
        QuestionKind.OPEN,
    )


def split_numbered_questions(text: str) -> tuple[str, ...]:
    """Sub-questions that the user numbered 1., 2., 3.; empty if there are fewer than two."""
    marks = list(_NUMBERED_ITEM_PATTERN.finditer(text))
    run = [mark for place, mark in enumerate(marks) if int(mark[1]) == place + 1]
    if len(run) < 2 or len(run) != len(marks):
        return ()
    ends = [mark.start() for mark in run[1:]] + [len(text)]
    parts = (" ".join(text[mark.end() : end].split()) for mark, end in zip(run, ends, strict=True))
    return tuple(part for part in parts if part)


def extract_key_phrases(text: str, *, language: str | None = None) -> tuple[str, ...]:
    """Quoted phrases, then names, then runs of words between stop-words, the longest first."""
    quoted = [match.strip() for match in _QUOTED_PHRASE_PATTERN.findall(text)]
    named = [
        name
        for name in (match[0].strip() for match in _PROPER_NAME_PATTERN.finditer(text))
        if len(name) > 2
        and name.lower() not in word_forms.list_stopwords(language)
        and (" " in name or not text.startswith(name))
    ]
    runs = sorted(
        _split_at_stopwords(text, language), key=lambda run: (-len(run.split()), text.find(run))
    )
    found: dict[str, str] = {}
    for phrase in (*quoted, *named, *runs):
        if not any(phrase.lower() in kept for kept in found):
            found.setdefault(phrase.lower(), phrase)
    return tuple(found.values())[:_MAX_KEY_PHRASES]


def extract_subject(text: str) -> str:
    """What a question is about, without question words and generic nouns; eight words at most."""
    bare = _GENERIC_NOUN_PATTERN.sub(
        "", _TRAILING_MARKS_PATTERN.sub("", _ASKING_WORDS_PATTERN.sub("", text, count=1))
    )
    bare = _IDLE_VERB_PATTERN.sub("", bare)
    words = [word for word in bare.split() if word.lower() not in _JUDGING_WORDS] or bare.split()
    if len(words) > _MAX_SUBJECT_WORDS:
        words = word_forms.drop_query_stopwords(bare, language="en").split()[:_MAX_SUBJECT_WORDS]
    return " ".join(words) or _TRAILING_MARKS_PATTERN.sub("", text)


def _build_subquestion_facet(text: str, phrases: tuple[str, ...]) -> QuestionFacet:
    """A sub-question in the user's words; a pronoun in it adds the main phrase to the query."""
    context = f" {phrases[0]}" if phrases and _PRONOUN_PATTERN.search(text) else ""
    query = (_TRAILING_MARKS_PATTERN.sub("", text) + context) if context else text
    return QuestionFacet(
        title=_shorten_facet_title(text),
        query=query[:_MAX_FACET_QUERY_CHARS],
        subject=extract_subject(text) + context,
    )


def _build_template_facets(
    text: str, kind: QuestionKind, year: int | None
) -> tuple[QuestionFacet, ...]:
    if kind is QuestionKind.COMPARISON:
        match = _COMPARED_SIDES_PATTERN.search(_TRAILING_MARKS_PATTERN.sub("", text))
        return _build_comparison_facets(match) if match else ()
    plain = word_forms.list_stopwords("en")
    words = [word.strip("?!.,;:") for word in extract_subject(text).split()]
    # A search engine can use no stopwords.
    about = " ".join([word for word in words if word and word.lower() not in plain] or words)
    filled = tuple(
        QuestionFacet(
            title=title,
            query=" ".join(query.format(s=about, year=year or "").split()),
            subject=about,
        )
        for title, query in load_table(__package__, "facet_templates")[kind]
    )
    if kind not in _DEBATABLE_KINDS:
        return filled
    query = f"{about} {_OPPOSING_QUERY_WORDS}"
    opposing = QuestionFacet(
        title="Criticism and limits", query=query, subject=about, is_opposing=True
    )
    return (*filled, opposing)


@cache
def _compile_template_endings() -> re.Pattern[str]:
    """Finds what our templates append; in a suggested follow-on question it is not part of the subject."""
    templates = load_table(__package__, "facet_templates").values()
    queries = {_OPPOSING_QUERY_WORDS, *(query for facets in templates for _, query in facets)}
    endings = "|".join(
        re.escape(query.removeprefix("{s} ")).replace(r"\{year\}", r"\d{4}")
        for query in sorted(queries, key=len)[::-1]
    )
    return re.compile(rf"(?<=\w)\s+(?:{endings})\Z")


def _build_comparison_facets(match: re.Match[str]) -> tuple[QuestionFacet, ...]:
    first = extract_subject((match["a"] or match["c"] or "").strip())
    second = _TRAILING_MARKS_PATTERN.sub(
        "", _CONTEXT_CLAUSE_PATTERN.sub("", match["b"] or match["d"] or "")
    ).strip()
    both = f"{first} {second}"
    return (
        QuestionFacet(title=first, query=first, subject=first),
        QuestionFacet(title=second, query=second, subject=second),
        QuestionFacet(title="Comparison", query=f"{both} comparison", subject=both),
        QuestionFacet(
            title=f"Limitations of {first}",
            query=f"{first} limitations",
            subject=first,
            is_opposing=True,
        ),
        QuestionFacet(
            title=f"Limitations of {second}",
            query=f"{second} limitations",
            subject=second,
            is_opposing=True,
        ),
    )


def _shorten_facet_title(text: str) -> str:
    plain = (
        _TRAILING_MARKS_PATTERN.sub("", text) if not text.rstrip().endswith("?") else text.strip()
    )
    return plain if len(plain) <= 120 else plain[:117].rsplit(" ", 1)[0] + "…"


def _split_at_stopwords(text: str, language: str | None) -> list[str]:
    """Runs of words between stop-words and punctuation."""
    plain = word_forms.list_stopwords(language)
    runs: list[list[str]] = [[]]
    for word in re.findall(r"[^\s,;:.?!()\"“”]+|[,;:.?!()\"“”]", text):
        if word.lower() in plain or not any(map(str.isalnum, word)):
            runs.append([])
        else:
            runs[-1].append(word)
    return [" ".join(run) for run in runs if any(not word.isdigit() for word in run)]
