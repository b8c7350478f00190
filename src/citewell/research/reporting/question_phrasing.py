"""Phrases follow-on questions: by the word of a heading and by language, about the user's own subject."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from math import log

from citewell.research.pages.page_analysis import PageAnalysis
from citewell.research.planning.thread_context import load_aspect_words
from citewell.text.data_tables import load_table
from citewell.text.language import scripts, word_forms
from citewell.text.passages.page_units import list_passage_terms
from citewell.text.passages.passage_index import IndexedPage

_MAX_SUBJECT_WORDS = 4
_BEST_WINDOWS = 6  # of each part, whose pages are looked at
_TITLE_FACTOR = 5  # what a mention in a title counts for, in mentions in the text
_MIN_WORD_WEIGHT = 0.35  # of the weightiest word of the question, for a subject of one word
_NAME_FACTOR = 1.6
_PLACE_FACTOR = 0.4  # "in Japan" is where, not what
_WORD_PATTERN = re.compile(r"[^\W_][\w’'./-]*\w|[^\W_]")
_OWNED_ENDING_PATTERN = re.compile(r"[’']s?\Z")
_TITLE_HEAD_PATTERN = re.compile(r"\A[^:|–—?!.(]+")
_UNSPACED_TERM_PATTERN = re.compile(r"[\u4e00-\u9fff]{2,8}|[\u30a0-\u30ff]{2,12}|\w{3,20}")
_ARTICLES = frozenset(
    ("a", "an", "the", "ein", "eine", "der", "die", "das", "un", "une", "le", "la", "les", "el", "los", "las", "una")
)  # fmt: skip
_PLACE_PREPOSITIONS = frozenset(("in", "at", "near", "from", "en", "au", "aus", "nach"))
_MAX_TITLE_WORDS = 4
_MAX_LEADING_WORDS = 2  # between an article and the phrase
_MIN_SINGLE_USES = 2  # of a subject of one word that is no name
_NO_NOUN_PATTERN = re.compile(r"(?:ed|ly)\Z|\A(?:never|always|not)\Z")

# Aspect: the words of a heading that announce it, in all languages that have templates.
_ASPECT_HEADING_REGEXES: dict[str, str] = {
    "side effects": r"side effects?|nebenwirkungen|effets secondaires|efectos secundarios|副作用",
    "cost": r"costs?|prices?|pricing|fees?|kosten|preise?|gebühren|coûts?|prix|tarifs?|precios?|costes?|tarifas|費用|料金|価格|费用|价格",
    "drawbacks": r"disadvantages?|drawbacks?|downsides?|cons|limitations?|nachteile|inconvénients|limites|desventajas|inconvenientes|欠点|短所|缺点",
    "advantages": r"advantages?|benefits?|upsides?|pros|vorteile|nutzen|avantages|ventajas|beneficios|利点|長所|优点|好处",
    "risks": r"risks?|dangers?|hazards?|safety|risiken|gefahren|sicherheit|risques|dangers|sécurité|riesgos|peligros|seguridad|危険|リスク|风险|安全",
    "causes": r"causes?|reasons?|ursachen|gründe|causes|raisons|causas|razones|原因",
    "signs": r"symptoms?|signs?|symptome|anzeichen|symptômes|signes|síntomas|señales|症状|兆候",
    "treatment": r"treatments?|therapy|behandlung|therapie|traitements?|tratamientos?|治療|治疗",
    "prevention": r"prevention|preventing|vorbeugung|prévention|prevención|予防|预防",
    "history": r"history|origins?|geschichte|herkunft|histoire|origine|historia|origen|歴史|历史",
    "alternatives": r"alternatives?|alternativen|alternativas|代替|替代",
    "workings": r"how (?:it|they) works?|mechanism|funktionsweise|so funktioniert es|fonctionnement|comment ça marche|funcionamiento|cómo funciona|仕組み|原理",
    "kinds": r"types?|kinds?|varieties|variants|arten|sorten|types|sortes|tipos|clases|variedades|種類|种类|类型",
    "rules": r"laws?|rules?|regulations?|legal|recht|gesetz\w*|regeln|vorschriften|lois?|règles|réglementation|leyes|ley|normas|法律|規則|规则|法规",
    "care": r"maintenance|care|cleaning|storage|pflege|wartung|reinigung|lagerung|entretien|nettoyage|conservation|mantenimiento|limpieza|cuidados?|conservación|手入れ|保养|维护",
    "mistakes": r"(?:common )?mistakes|troubleshooting|problems?|troubles?|pitfalls|fehler|probleme|erreurs|problèmes|errores|problemas|注意点|問題|问题",
    "outlook": r"outlook|future|prospects|ausblick|zukunft|avenir|perspectives|futuro|perspectivas|将来|未来",
}  # fmt: skip
_ASPECT_HEADING_PATTERNS = {
    name: re.compile(rf"(?:{regex})", re.IGNORECASE)
    for name, regex in _ASPECT_HEADING_REGEXES.items()
}
VALUE_JOINTS = {"en": " or ", "de": " oder ", "fr": " ou ", "es": " o ", "ja": "、", "zh": "、"}
_PLURAL_PATTERN = re.compile(r"(?:[^sui]s|ies)\Z|\b(?:people|children|teeth|feet|mice)\Z", re.IGNORECASE)  # fmt: skip
_SINGLE_ARTICLE_PATTERN = re.compile(r"\A(?:an?|this|that|one)\s", re.IGNORECASE)
_MAX_SECTION_WORDS = 4
_SECTION_JOINTS = frozenset(
    ("a", "an", "the", "of", "and", "or", "for", "in", "on", "with", "to", "at", "by", "from", "und", "oder", "der", "die", "das", "des", "von", "im", "mit", "für", "et", "ou", "de", "du", "la", "le", "les", "y", "o", "el", "los", "las", "del", "en")
)  # fmt: skip
_EMPTY_SECTION_PATTERN = re.compile(
    r"(?:steps?|footnotes?|notes?|faqs?|references|sources|contents?|summary|overview|introduction|conclusions?|results?|methods?|about"
    r"|background|further reading|see also|comments?|related.*|contact|links?|tips|update.*|more|other|general|basics|the basics|in short"
    r"|at a glance|(?:additional|more|other) \w+|table of contents|you|us|key (?:points|takeaways|facts)|quellen|fazit|überblick|einleitung|zusammenfassung|inhalt"
    r"|résumé|conclusion|sommaire|sources|introducción|conclusión|resumen|fuentes|まとめ|概要|参考.*|总结|概述)",
    re.IGNORECASE,
)
# “Test the restore”, “Removed”, “Afterwards”: what is done or when, not what a section is about.
_ACTION_PATTERN = re.compile(
    r"\S+\s+(?:the|an?|your|our|my|it)\b|\S+(?:ed|wards?|ly)\Z", re.IGNORECASE
)
_ITEM_MARK_PATTERN = re.compile(r"\A(?:\d{1,3}[.):]|[QF]\d{0,3}[.:]|[#•–-])\s*")
_SENTENCE_END_PATTERN = re.compile(r"(?<=[.!?])\s+")
_LEADING_JOINT_PATTERN = re.compile(r"\A(?:or|and|but|so|oder|und|aber|et|ou|mais|y|o|pero)[\s,]+", re.IGNORECASE)  # fmt: skip
_ASKING_PATTERN = re.compile(
    r"\b(?:what(?:['’]s)?|how|why|when|where|who|which|is|are|was|were|do|does|did|can|could|should|will|would|has|have|may|or"
    r"|was|wie|warum|wann|wo|wer|welche\w*|ist|sind|kann|darf|soll\w*|muss|oder|que|quoi|qu['’]est|comment|pourquoi|quand|où|qui|quel\w*"
    r"|combien|est-ce|faut-il|peut-on|qué|cómo|cuándo|dónde|quién|cuál\w*|cuánt\w*|es|son|hay|se puede)\b|[か？]",
    re.IGNORECASE,
)
_HOW_TO_PATTERN = re.compile(r"\Ahow to\s+(?=[a-z])", re.IGNORECASE)
_WHY_THERE_PATTERN = re.compile(r"\A(why|when|where) there (is|are|was|were)\s+", re.IGNORECASE)
_WHICH_PATTERN = re.compile(r"\A(?:which|who)\s(?!to\b)(?=\S+\s*\S)", re.IGNORECASE)
_SHORT_REMARK_PATTERN = re.compile(r"\s?[(\[][^()\[\]]*+[)\]]\s?\Z")


def find_heading_aspect(heading: str) -> str | None:
    """What a heading announces, such as cost or risks; None if it is no common one."""
    plain = " ".join(heading.split()).strip(" .:")
    for name, pattern in _ASPECT_HEADING_PATTERNS.items():
        if pattern.fullmatch(plain):
            return name
    return None


def phrase_question(aspect: str, subject: str, *, language: str | None, **values: str) -> str:
    """A question on an aspect of a subject, in its language if there is a template, else in English."""
    code = (language or "en")[:2]
    # In the table the subject stands first, so that no article or ending has to agree with it.
    template = load_table(__package__, "leading_questions").get(code, {}).get(aspect)
    if template is None:
        plural = not _SINGLE_ARTICLE_PATTERN.match(subject) and _PLURAL_PATTERN.search(subject)
        return _load_english_questions()[aspect].format(
            s=subject, do="do" if plural else "does", be="are" if plural else "is", **values
        )
    text: str = template.format(s=subject, **values)
    return text[:1].upper() + text[1:]


def turn_into_question(heading: str) -> str | None:
    """A heading that asks something, as a question: “How to …” and those with a question mark."""
    plain = _ITEM_MARK_PATTERN.sub("", _SHORT_REMARK_PATTERN.sub("", " ".join(heading.split())))
    if plain.endswith(("?", "？")):
        last = _SENTENCE_END_PATTERN.split(plain)[-1]
        asked = _LEADING_JOINT_PATTERN.sub("", last)
        asked = asked[:1].upper() + asked[1:]
        return asked if _ASKING_PATTERN.search(asked) else None
    bare = plain.rstrip(".:")
    if match := _HOW_TO_PATTERN.match(bare):
        return f"How do I {bare[match.end() :]}?"
    if match := _WHY_THERE_PATTERN.match(bare):
        return f"{match[1].capitalize()} {match[2]} there {bare[match.end() :]}?"
    return f"{bare}?" if _WHICH_PATTERN.match(bare) else None


def names_section(heading: str, *, language: str | None) -> bool:
    """Whether a heading is a short noun phrase that says what its section is about."""
    words = heading.split()
    if (
        len(words) > _MAX_SECTION_WORDS
        or "," in heading
        or _EMPTY_SECTION_PATTERN.fullmatch(heading.strip(" .:"))
    ):
        return False
    if heading.endswith(("?", "？", "!", ":")) or any(not word[0].isalpha() for word in words):
        return False
    if _ACTION_PATTERN.match(heading):
        return False
    idle = word_forms.list_stopwords(language) | word_forms.list_stopwords("en")
    return all(
        word.lower() not in idle or (place < len(words) - 1 and word.lower() in _SECTION_JOINTS)
        for place, word in enumerate(words)
    )


def names_action(heading: str, text: str) -> bool:
    """Whether a heading begins with a verb, as the text below it shows: “Assess damages”."""
    first = re.escape(heading.partition(" ")[0].lower())
    return (
        re.search(rf"\b(?:to|can|should|must|will|you|we|please|not)\s{first}\b", text) is not None
    )


def lower_heading(heading: str, text: str, *, language: str | None) -> str:
    """A heading as it stands inside a sentence: small letters, except in names."""
    if (language or "en")[:2] != "en":
        return heading
    return " ".join(_lower_word(word, text) for word in heading.split())


def lower_title_case(question: str, text: str) -> str:
    """A question in title case as a plain sentence; names, which `text` never writes small, stay."""
    first, *rest = question.split()
    capitals = sum(word[:1].isupper() for word in rest)
    if 2 * capitals <= len(rest):
        return question
    return " ".join([first, *(_lower_word(word, text) for word in rest)])


def _lower_word(word: str, text: str) -> str:
    bare = word.strip("?!,.:;()“”\"'’")
    if bare != bare.capitalize() or bare in {"", "I"}:
        return word  # an abbreviation, small already, or “I”
    small = re.escape(bare.lower())
    is_plain = bare.lower() in word_forms.list_stopwords("en") or re.search(rf"\b{small}", text)
    is_name = re.search(rf"[a-z,] {re.escape(bare)}\b", text)
    return word.lower() if is_plain or not is_name else word


# {s} is the subject as it is written, {do}, {be} and {have} agree with it.
@cache
def _load_english_questions() -> dict[str, str]:
    return dict(load_table(__package__, "question_templates")["english_questions"])


# The subject of a question in its own words: the phrase of it that the best pages use most.


def find_asked_subject(found: PageAnalysis) -> str | None:
    """The phrase with its article as the question has it, or the short title of the best page."""
    query = " ".join(found.plan.query.split())
    pages = _list_best_pages(found)
    if scripts.UNSPACED_CHARACTER_PATTERN.search(query):
        titles = " ".join(page.title for page in pages)
        terms = (term for term in _UNSPACED_TERM_PATTERN.findall(query) if term in titles)
        return max(terms, key=len, default=None)
    spelled = list(_WORD_PATTERN.finditer(query))
    words = [match[0] for match in spelled]
    weights = [found.index.weigh_word(word.lower(), language=found.plan.language) for word in words]
    # A long question repeats its phrases, and looking one up goes through whole pages.
    uses = cache(lambda phrase: _count_uses(phrase, found.plan.language, pages))
    scores = {
        span: score
        for span in _iterate_phrases(words, found.plan.language)
        if (score := _score_phrase(words, weights, span, uses))
    }
    if not scores:
        # The best title up to its first mark, if that is short enough to be a subject.
        match = _TITLE_HEAD_PATTERN.match(" ".join(pages[0].title.split())) if pages else None
        head = match[0].strip() if match else ""
        return head if 0 < len(head.split()) <= _MAX_TITLE_WORDS else None
    first, last = max(scores, key=lambda span: (round(scores[span], 6), -span[0]))
    idle = _list_idle_words(found.plan.language)
    if first == last and _is_cut_compound(query, spelled, first, idle):
        last += 1
    start = spelled[_find_article(words, first, idle)].start()
    subject = _OWNED_ENDING_PATTERN.sub("", query[start : spelled[last].end()])
    if start == 0:  # the capital of the question's first word may not be its own
        text = " ".join(unit.text for page in pages for unit in page.units)
        head, _, tail = subject.partition(" ")
        head = lower_heading(head, text, language=found.plan.language)
        subject = f"{head} {tail}".rstrip()
    return subject


def _list_idle_words(language: str | None) -> frozenset[str]:
    """Words that are no part of a subject: stop words, and what can be asked of anything."""
    return (
        word_forms.list_stopwords(language) | word_forms.list_stopwords("en") | load_aspect_words()
    )


def _find_article(words: Sequence[str], first: int, idle: frozenset[str]) -> int:
    """Where the subject begins: at its article, with the words between: “a present-day dishwasher”."""
    for at in range(first - 1, max(-1, first - 2 - _MAX_LEADING_WORDS), -1):
        if words[at].lower() in _ARTICLES:
            return at
        if words[at].lower() in idle:
            break
    return first


def _is_cut_compound(
    query: str, spelled: Sequence[re.Match[str]], at: int, idle: frozenset[str]
) -> bool:
    """Whether the word after a single one belongs to it: “an iron skillet”, “sun cream”."""
    word, after = spelled[at][0], spelled[at + 1][0].lower() if at + 1 < len(spelled) else ""
    if not after or query[spelled[at].end() : spelled[at + 1].start()] != " ":
        return False
    if after in idle or _NO_NOUN_PATTERN.search(after):
        return False
    has_article = at > 0 and spelled[at - 1][0].lower() in _ARTICLES
    return has_article or not word.endswith("s")


def _list_best_pages(found: PageAnalysis) -> list[IndexedPage]:
    pages: dict[int, None] = {}
    for windows in found.windows:
        pages |= dict.fromkeys(window.page for window in windows[:_BEST_WINDOWS])
    return [found.index.pages[page] for page in pages]


def _iterate_phrases(words: Sequence[str], language: str | None) -> Iterator[tuple[int, int]]:
    """Runs of up to four words without stop words, and without words that can be asked of anything."""
    idle = _list_idle_words(language)
    for first in range(len(words)):
        for last in range(first, min(len(words), first + _MAX_SUBJECT_WORDS)):
            if words[last].lower() in idle:
                break
            is_cut_name = last + 1 < len(words) and words[last + 1][0].isupper()
            is_tail = (
                first > 0 and words[first - 1][0].isupper() and words[first - 1].lower() not in idle
            )
            if not (words[last][0].isupper() and is_cut_name) and not is_tail:
                yield first, last


def _score_phrase(
    words: Sequence[str],
    weights: Sequence[float],
    span: tuple[int, int],
    count_uses: Callable[[str], float],
) -> float:
    """By the weight of its words and how often the best pages use them side by side."""
    first, last = span
    own = weights[first : last + 1]
    is_name = first > 0 and words[first][0].isupper()
    if first == last and not is_name and own[0] < _MIN_WORD_WEIGHT * max(weights):
        return 0.0
    uses = count_uses(" ".join(words[first : last + 1]))
    if first == last and not is_name and uses < _MIN_SINGLE_USES:
        return 0.0
    is_place = first > 0 and is_name and words[first - 1].lower() in _PLACE_PREPOSITIONS
    factor = (_PLACE_FACTOR if is_place else 1.0) * (_NAME_FACTOR if is_name else 1.0)
    return sum(own) * log(1 + uses) * factor


def _count_uses(phrase: str, language: str | None, pages: Sequence[IndexedPage]) -> float:
    wanted = tuple(list_passage_terms(phrase, language=language))
    if not wanted:
        return 0.0
    uses = 0.0
    for page in pages:
        title = tuple(list_passage_terms(page.title, language=page.language))
        uses += _TITLE_FACTOR * _holds_run(title, wanted)
        uses += sum(_holds_run(unit.stems, wanted) for unit in page.units)
    return uses


def _holds_run(stems: tuple[str, ...], wanted: tuple[str, ...]) -> bool:
    width = len(wanted)
    return any(
        stems[at : at + width] == wanted for at, stem in enumerate(stems) if stem == wanted[0]
    )
