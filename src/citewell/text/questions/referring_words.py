"""Words of a question that point back to an earlier one, by language."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferringWords:
    """The patterns of one language."""

    opening: re.Pattern[str]  # "and …", "what about …", without anything after it
    place: re.Pattern[str]  # "there"
    thing: re.Pattern[str]  # "it", "they", "that" where it stands for a noun
    owned: re.Pattern[str]  # "its", "their"
    pointed: re.Pattern[str]  # "this method", "these drugs"
    border: re.Pattern[str]  # words that begin a new clause
    expletive: re.Pattern[str]  # "is there", "it takes … to": points to nothing
    prepositions: frozenset[str]
    place_preposition: str  # "in"


def _compile_pattern(regex: str) -> re.Pattern[str]:
    return re.compile(regex, re.IGNORECASE)


_TIME_NOUN_REGEX = (
    r"(?:years?|months?|weeks?|days?|century|decade|season|summer|winter|spring|autumn|morning|evening|night|time"
    r"|moment|jahr\w*|monat\w*|woche\w*|tag\w*|sommer\w*|winter\w*|zeit|année|mois|semaine|jour|été|hiver"
    r"|año|mes|semana|día|verano|invierno)\b"
)

REFERRING_WORDS: dict[str, ReferringWords] = {
    "en": ReferringWords(
        opening=_compile_pattern(r"^(?:(?:and|but|so|also|ok(?:ay)?|then)[\s,]+)*(?:(?:what|how) about|what of)\s+|^(?:and|but|so|also|then)[\s,]+"),
        place=_compile_pattern(r"(?<!is )(?<!are )(?<!was )(?<!were )(?<!out )\bthere\b(?!\s+(?:is|are|was|were|be|been|any|a|an|exists?)\b)|\bover there\b"),
        thing=_compile_pattern(r"\b(?:it|they|them|he|she|him)\b|\b(?:this|that|these|those)\b(?=\s*(?:[?.!,]|\Z)|\s+(?:is|are|was|were|does|do|did|can|could|will|would|should|cost|costs|work|works|take|takes|mean|means|happen|happens|apply|last|lasts|for|in|on|at)\b)|\b(?:the )?ones?\b(?=\s*(?:[?]|\Z))"),
        owned=_compile_pattern(r"\b(?:its|their|his|her|theirs)\b"),
        pointed=_compile_pattern(r"(?:^|\b(?:is|are|was|were|do|does|did|can|of|in|for|about|with|from|at|on|by|under|against)\s+)(?:this|these|those|that|such)\s+(?!" + _TIME_NOUN_REGEX + r")(?=[a-z])"),
        border=_compile_pattern(r"\b(?:and|or|but|when|if|because|while|since|so|that|which|who|whether|as|than|before|after|until|once|to|without|by|where)\b|,"),
        expletive=_compile_pattern(r"\bit\b(?=[^?]{0,60}\b(?:to|that) \S{1,40} \S)|\bis it (?:true|raining|possible|necessary)\b"),
        prepositions=frozenset(("in", "for", "of", "at", "on", "with", "from", "to", "about", "by", "near")),
        place_preposition="in",
    ),
    "de": ReferringWords(
        opening=_compile_pattern(r"^(?:(?:und|aber|also|oder)[\s,]+)*(?:was ist (?:denn )?mit|wie (?:ist|sieht|steht) es (?:mit|um))\s+|^(?:und|aber|also|dann)[\s,]+"),
        place=_compile_pattern(r"\b(?:dort|dorthin|daheim dort|da drüben)\b"),
        thing=_compile_pattern(r"\b(?:dafür|dagegen|dabei|davon|damit|daran|darin|daraus|darüber|darauf|dazu|danach|er|ihn|ihm|ihnen|denen|dessen|deren)\b|\b(?-i:sie)\b|(?<!gibt )\bes\b(?!\s+(?:gibt|sich)\b)|\b(?-i:das|die|der)\b(?=\s*(?:[?.!,]|\Z)|\s+(?-i:[a-zäöü]+)\s*\?|\s+(?-i:pro|im|in|für|bei|eigentlich|denn|auch|überhaupt|noch|schon)\b)"),
        owned=_compile_pattern(r"\b(?-i:seine?[mnrs]?|ihre?[mnrs]?)\b"),
        pointed=_compile_pattern(r"\b(?:diese[mnrs]?|solche[mnrs]?)\s+(?!" + _TIME_NOUN_REGEX + ")"),
        border=_compile_pattern(r"\b(?:und|oder|aber|wenn|falls|weil|während|dass|ob|bevor|nachdem|bis|um|ohne|als|damit)\b|,"),
        expletive=_compile_pattern(r"\b(?:gibt es|es gibt|lohnt es|es lohnt)\b|\bes\b(?=[^?]{0,80}\bzu \S)"),
        prepositions=frozenset(("in", "im", "für", "von", "bei", "beim", "mit", "nach", "auf", "aus", "zu", "um")),
        place_preposition="in",
    ),
    "fr": ReferringWords(
        opening=_compile_pattern(r"^(?:(?:et|mais|alors)[\s,]+)*(?:qu['’]en est-il (?:de |des |du |d['’])|que dire de )|^(?:et|mais|alors)[\s,]+"),
        place=_compile_pattern(r"\b(?:là-bas|là)\b|\by\b(?!\s+a\b|-t-il|\s+a-t-il)"),
        thing=_compile_pattern(r"\b(?:ça|cela|ceci|celui-ci|celle-ci|ceux-ci|celles-ci|eux)\b|\b(?:il|elle|ils|elles)\b(?!\s+(?:y a|faut)\b)"),
        owned=_compile_pattern(r"\b(?:ses|leurs?)\b|\b(?:son|sa)\b"),
        pointed=_compile_pattern(r"\b(?:ces|cette|cet)\s+(?!" + _TIME_NOUN_REGEX + ")"),
        border=_compile_pattern(r"\b(?:et|ou|mais|quand|si|parce|lorsque|que|qui|avant|après|pour|sans|dont)\b|,"),
        expletive=_compile_pattern(r"\b(?:faut-il|y a-t-il|il y a|il faut|est-il (?:vrai|possible|nécessaire|dangereux|conseillé)|pleut-il)\b"),
        prepositions=frozenset(("en", "à", "au", "aux", "pour", "de", "du", "des", "avec", "dans", "chez", "sur")),
        place_preposition="en",
    ),
    "es": ReferringWords(
        opening=_compile_pattern(r"^¿?\s*(?:(?:y|pero|entonces)[\s,]+)*(?:qué (?:pasa con|hay de|tal)|cómo (?:es|está) )\s*|^¿?\s*(?:y|pero|entonces)[\s,]+"),
        place=_compile_pattern(r"\b(?:allí|allá|ahí)\b"),
        thing=_compile_pattern(r"\b(?:eso|esto|ello|aquello|él|ella|ellos|ellas|este|ésta?)\b(?=\s*(?:[?.!,]|\Z)|\s+(?:es|son|cuesta|dura|se|puede|pueden|funciona)\b)|\b(?:eso|ello|aquello)\b"),
        owned=_compile_pattern(r"\bsus?\b"),
        pointed=_compile_pattern(r"\b(?:est[ao]s|es[ao]s|esa|ese|esta)\s+(?!" + _TIME_NOUN_REGEX + r")(?=\w)"),
        border=_compile_pattern(r"\b(?:y|o|pero|cuando|si|porque|mientras|que|antes|después|para|sin|como)\b|,"),
        expletive=_compile_pattern(r"(?!)"),
        prepositions=frozenset(("en", "a", "al", "para", "de", "del", "con", "por", "sobre")),
        place_preposition="en",
    ),
    "it": ReferringWords(
        opening=_compile_pattern(r"^(?:(?:e|ma|allora)[\s,]+)*(?:che (?:ne )?dire di|per quanto riguarda)\s+|^(?:e|ma|allora)[\s,]+"),
        place=_compile_pattern(r"\b(?:lì|là|laggiù)\b"),
        thing=_compile_pattern(r"\b(?:ciò|questo|quello|esso|essa|essi|loro)\b(?=\s*(?:[?.!,]|\Z)|\s+\w+\s*\?)"),
        owned=_compile_pattern(r"\b(?:suo|sua|suoi|sue)\b"),
        pointed=_compile_pattern(r"\b(?:quest[aei]|quell[aei])\s+(?=\w)"),
        border=_compile_pattern(r"\b(?:e|o|ma|quando|se|perché|mentre|che|prima|dopo|per|senza)\b|,"),
        expletive=_compile_pattern(r"(?!)"),
        prepositions=frozenset(("in", "a", "al", "per", "di", "del", "della", "con", "da", "su")),
        place_preposition="in",
    ),
}  # fmt: skip

# Languages without blanks: one pattern says whether a question points back.
UNSPACED_REFERENCE_PATTERN = re.compile(
    r"它|他们|她们|这个|那个|这些|那些|那里|那儿|那边|这种|那种|呢[?？]?\Z|それ|そこ|あそこ|これ|その|この|彼ら|彼女|^では|は[?？]\Z"
)
# What can be asked of anything: a question with only these words has no subject of its own.
_ASPECT_TEXT = """
cost costs price prices cheap expensive much many long often far big large old fast high risk risks danger
dangers dangerous safe side effect effects benefit benefits advantage advantages disadvantage disadvantages
drawback drawbacks downside downsides alternative alternatives reason reasons cause causes symptom symptoms
example examples difference differences evidence proof step steps way ways best better worst worse main exactly
really work works mean means take takes happen happens happened start started begin began end ended last lasts
know known say says get go use used need needed possible necessary allowed legal details detail history today
nowadays else exceptions exception limits limit rules requirements since ago ever still yet find buy good bad
true common usual usually typical pros cons average total source sources studies study it kosten kostet preis
teuer billig viel viele lange oft weit groß alt schnell hoch risiko risiken gefahr gefahren gefährlich sicher
nebenwirkung nebenwirkungen wirkung vorteil vorteile nachteil nachteile alternativen grund gründe ursache
ursachen symptome beispiel beispiele unterschied unterschiede belege schritte beste besten genau wirklich
funktioniert bedeutet dauert passiert beginnt endet hält braucht nötig möglich erlaubt heute noch sonst wichtig
gut schlecht gibt geht macht denn eigentlich coût coûts coûte coûtent prix cher chère temps longtemps souvent
risque risques dangereux sûr effets secondaires avantage avantages inconvénient inconvénients raison raisons
symptômes exemple exemples différence différences étapes meilleur meilleure vraiment fonctionne marche signifie
dure nécessaire permis aujourd cuesta cuestan costo coste precio precios caro cara tiempo mucho riesgo riesgos
peligro peligros peligroso seguro efectos secundarios ventaja ventajas desventaja desventajas alternativa
alternativas razón razones causa causas síntomas ejemplo ejemplos diferencia diferencias pasos mejor realmente
funciona significa dura tarda posible necesario permitido hoy welche welcher welches welchen wieviel wie was wo
wann warum wieso weshalb quel quelle quels quelles combien comment pourquoi quand cuál cuáles cuánto cuánta
cuántos cuántas cómo cuándo dónde qué quale quali quanto quanta come perché costa prezzo rischi vantaggi
svantaggi effetti collaterali funziona serve rid criticism critics brands brand opinion opinions limitation
limitations kritik critique critiques críticas experience experiences recommended recommend invented discovered
"""
ASPECT_WORDS = frozenset(_ASPECT_TEXT.split())
