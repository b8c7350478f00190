"""Questions that a person would ask, by the word of a heading and by language."""

from __future__ import annotations

import re

from citewell.text.data_tables import load_table
from citewell.text.language import stopwords

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
# {s} is the subject as it is written, {do}, {be} and {have} agree with it.
_ENGLISH_QUESTIONS = {
    "side effects": "What are the side effects of {s}?",
    "cost": "What {do} {s} cost?",
    "drawbacks": "What are the drawbacks of {s}?",
    "advantages": "What are the advantages of {s}?",
    "risks": "What are the risks of {s}?",
    "causes": "What causes {s}?",
    "signs": "What are the signs of {s}?",
    "treatment": "How {be} {s} treated?",
    "prevention": "How can {s} be prevented?",
    "history": "What is the history of {s}?",
    "alternatives": "What are the alternatives to {s}?",
    "workings": "How {do} {s} work?",
    "kinds": "What kinds of {s} are there?",
    "rules": "What rules apply to {s}?",
    "care": "How do I care for {s}?",
    "mistakes": "What goes wrong most often with {s}?",
    "outlook": "What is the outlook for {s}?",
    "difference": "Why do sources differ on {s}: {values}?",
    "dispute": "Why do sources contradict each other on {s}?",
    "name": "What does {name} have to do with {s}?",
    "definition": "What is {s}?",
    "identity": "Who or what is {s}?",
    "more": "What else is known about {s}?",
    "known": "What is known about {s}?",
    "section": "What about {s}?",
}
_VALUE_JOINTS = {"en": " or ", "de": " oder ", "fr": " ou ", "es": " o ", "ja": "、", "zh": "、"}
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
        plural = _is_plural(subject)
        return _ENGLISH_QUESTIONS[aspect].format(
            s=subject, do="do" if plural else "does", be="are" if plural else "is", **values
        )
    text: str = template.format(s=subject, **values)
    return text[:1].upper() + text[1:]


def join_values(values: tuple[str, ...], *, language: str | None) -> str:
    """Two values as alternatives: “78 °C or 80 °C”."""
    return _VALUE_JOINTS.get((language or "en")[:2], " / ").join(values)


def _is_plural(subject: str) -> bool:
    if _SINGLE_ARTICLE_PATTERN.match(subject):
        return False
    return _PLURAL_PATTERN.search(subject) is not None


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
    idle = stopwords.list_stopwords(language) | stopwords.list_stopwords("en")
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
    is_plain = bare.lower() in stopwords.list_stopwords("en") or re.search(rf"\b{small}", text)
    is_name = re.search(rf"[a-z,] {re.escape(bare)}\b", text)
    return word.lower() if is_plain or not is_name else word
