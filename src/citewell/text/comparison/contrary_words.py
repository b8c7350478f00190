"""Words by which one sentence says the opposite of another: denials, opposites and comparisons, in four languages."""

from __future__ import annotations

import re
from functools import cache

from citewell.text.evidence.oppositions.polarity_words import (
    find_word_polarities,
    list_opposite_words,
)
from citewell.text.quantities.number_words import list_number_words

CONTRARY_LANGUAGES = frozenset({"en", "de", "fr", "es"})
_COMPARED_AXES = frozenset({"change", "goodness", "effect", "need"})
# Words that deny what follows them, or what stands before them at the end of a clause.
_DENIAL_REGEXES = {
    "en": r"not|no|never|none|neither|nor|without|cannot|\w{2,12}n['’]t|hardly|scarcely|barely|rather than|instead of|dispens(?:es?|ed|ing) with",
    "de": r"nicht|kein\w{0,2}|nie|niemals|weder|ohne|kaum|statt|anstatt|anstelle",
    "fr": r"ne(?= (?:peut|peuvent|saurai\w{1,3}|pourr\w{1,4}) )|pas|jamais|aucune?|sans|ni|nullement|guère|plutôt que|au lieu d[eu]",
    "es": r"no|nunca|jamás|ningun[ao]s?|ningún|sin|ni|tampoco|en lugar de|en vez de",
}
# Phrases with a denying word that say how something is done, and ones that set a bound to a number.
_EMPTY_DENIAL_PATTERN = re.compile(
    r"\bwithout (?:undue )?(?:delay|prejudice|doubt|question)\b|\bnot (?:least|just|merely|simply)\b|\b(?:whether or|if) not\b"
    r"|\bnicht (?:zuletzt|bloß|nur)\b|\bohne (?:unangemessene )?(?:Verzögerung|Zweifel)\b|\bsans (?:délai|retard|doute|préjudice)\b"
    r"|\b(?:pas|non) seulement\b|\bsin (?:demora|dilación|duda|perjuicio)\b|\bno s[oó]lo\b|\bni plus ni moins\b|\bn['’]est autre que\b",
    re.IGNORECASE,
)
_BOUND_PATTERN = re.compile(
    r"\b(?:not|no|cannot|nicht|pas|ne|n['’]|no)\s?(?:\w{1,12} ){0,3}(?:later|earlier|more|less|fewer|longer|greater|higher|lower|exceed\w{0,3}|above|below|over|under"
    r"|mehr|weniger|später|länger|höher|niedriger|(?:über|unter)schreit\w{1,3}|übersteig\w{1,3}|plus|moins|davantage|excéd\w{1,3}|dépass\w{1,3}|supérieure?s?|inférieure?s?"
    r"|más|menos|superior(?:es)?|inferior(?:es)?|exced\w{1,3})\b(?=[^.;]{0,40}?(?:\d|(?<!\w)(?:"
    + "|".join(
        sorted({word for code in ("en", "de", "fr", "es") for word in list_number_words(code)})
    )
    + r")(?!\w)))",
    re.IGNORECASE,
)
_NUMBER_BEFORE_BOUND_PATTERN = re.compile(
    r"(?<!\w)nicht (?:über|unter)schreiten|nicht übersteigen", re.IGNORECASE
)
# Of these denials, which stand before a noun, the first words that follow are denied.
NOUN_DENIALS = frozenset(
    ("no", "without", "kein", "keine", "keinen", "keiner", "keinem", "ohne", "aucun", "aucune", "sans", "sin", "ningún", "ninguna")
)  # fmt: skip
# Words that make a sentence with them neither a plain denial nor a plain affirmation.
_LIMIT_REGEXES = {
    "en": r"only|unless|except|if|until(?! \d)|but|however|though|although|too|few|fewer|little|rarely|seldom|less|lacks?|lacking|lacked|fails?|failed|failing"
    r"|prevents?|prevented|avoids?|avoid(?:ed|ing)|prohibit\w{0,5}|forbid\w{0,5}|banned|unable|unlikely|refus\w{1,4}|den(?:y|ies|ied)|myth|false|untrue|wrong|absen\w{1,3}"
    r"|free of|far from|stop(?:s|ped)?|instead|rather|despite|may|might|could|whether|non\w{0,12}|insufficient\w{0,2}|inadequate|impossible|questionable|doubt\w{0,5}|end(?:s|ed)?",
    "de": r"nur|außer|sofern|falls|wenn|bis(?! \d)|aber|jedoch|obwohl|wenig\w{0,2}|selten\w{0,2}|zu|fehl\w{0,4}|mangel\w{0,3}|verhinder\w{0,3}|vermeid\w{0,3}|verboten\w{0,2}|untersagt\w{0,2}"
    r"|un(?:möglich|zulässig|wahrscheinlich|wirksam|nötig)\w{0,2}|sonst|anders|trotz|könnte\w{0,1}|ob|falsch\w{0,2}",
    "fr": r"seulement|uniquement|que|sauf|si|jusqu['’]?\w{0,2}(?! \d)|mais|cependant|bien que|peu|rare\w{0,5}|trop|manqu\w{0,4}|évit\w{0,4}|empêch\w{0,4}|interdi\w{0,3}|impossible|malgré|pourrai\w{0,3}|faux|fausse",
    "es": r"solo|sólo|solamente|únicamente|salvo|excepto|si|hasta(?! \d)|pero|aunque|poc[oa]s?|rar[oa]\w{0,5}|demasiado|falta\w{0,2}|evita\w{0,3}|impid\w{0,3}|impedi\w{0,3}|prohib\w{0,4}|imposible|pese|podría\w{0,1}|fals[oa]s?",
}
# Words that deny without a denying word: "stays out of", "differs from".
_HIDDEN_DENIAL_REGEXES = {
    "en": r"out of|outside|away from|other than|differ\w{0,4} from|different from|apart from|free from|clear of|exempt\w{0,4}|exclu\w{1,5}|omit\w{0,4}|rejects?|rejected|rul(?:es?|ed) out|beyond",
    "de": r"außerhalb|fern von|verschieden von|ander\w{1,3} als|frei von|ausgenommen|ausgeschlossen|schließ\w{1,3}|entfäll\w{0,2}|lehn\w{1,3}|jenseits",
    "fr": r"hors d\w{1,2}|en dehors d\w{1,2}|loin d\w{1,2}|différ\w{1,5} d\w{1,2}|autres? que|exempt\w{0,2}|exclu\w{0,3}|rejett\w{0,3}|écart\w{1,3}|au-delà",
    "es": r"fuera de|lejos de|distint[oa]s? de|diferentes? de|otr[oa]s? que|exent[oa]s?|excluid?\w{0,2}|excluy\w{1,3}|rechaz\w{1,3}|descart\w{1,3}|más allá",
}
# Beginnings of words that say that something becomes more, and that it becomes less.
_DIRECTION_STEMS = {
    "de": (
        "steig stieg gestieg erhöh zunahm zunehm zugenomm wächst wachs gewachs mehr höher größer länger schnell stärk häufig besser verbesser begünstig förder",
        "sink sank gesunk senk gesenk fiel gefall verringer reduzier abnahm abnehm abgenomm schrumpf weniger niedrig kleiner kürz langsam schwäch selten schlecht verschlecht hemm",
    ),
    "fr": (
        "augment hauss élev croît croiss accro accr plus supérieur rapide long fort fréquen meilleur amélior renforc",
        "diminu baiss rédui chut décroî décroiss moins inférieur lent court faibl rare pire détérior affaibl",
    ),
    "es": (
        "aument subi sube suben crec increment más mayor superior rápid larg fuert frecuen mejor",
        "disminu baj reduc reduj desciend descend menos menor inferior lent cort débil rar peor empeor",
    ),
}
_PAIRS = {
    "en": "before/after with/without all/no all/none all/neither both/neither inside/outside at_least/at_most maximum/minimum easier/difficult easier/harder"
    " lighter/heavier smaller/larger smaller/bigger thinner/thicker cheaper/costlier cheaper/expensive warmer/colder hotter/colder hotter/cooler fastest/slowest"
    " largest/smallest highest/lowest longest/shortest strongest/weakest most/least best/worst allowed/forbidden allowed/prohibited allows/forbids permitted/forbidden"
    " permitted/banned required/optional mandatory/voluntary compulsory/voluntary everyone/nobody everyone/none always/never frequent/rare often/rarely common/rare"
    " usual/unusual added/removed gain/loss gained/lost rises/falls rose/fell rising/falling up/down upper/lower accepted/refused accept/refuse open/closed"
    " begin/end began/ended entry/exit buyers/sellers solid/liquid positive/negative majority/minority many/few more/fewer more/less earlier/later early/late"
    " wetter/drier faster/slowly quickly/slowly rapidly/slowly quick/slow sharply/slightly taller/shorter wider/narrower deeper/shallower brighter/darker louder/quieter increases/reduces raises/lowers raise/lower expands/contracts heats/cools improves/worsens healthier/unhealthier safer/riskier encouraged/discouraged"
    " recommended/discouraged encourages/discourages left/right northern/southern eastern/western possible/impossible agree/disagree agreed/disagreed",
    "de": "vor/nach mit/ohne alle/keine alle/kein jeder/keiner immer/nie innerhalb/außerhalb höchstens/mindestens maximal/mindestens maximal/minimal erlaubt/verboten erlaubt/untersagt"
    " zulässig/unzulässig gestattet/verboten gestattet/untersagt früher/später warm/kalt wärmer/kälter heiß/kalt größte/kleinste höchste/niedrigste stärkste/schwächste"
    " beginn/ende erste/letzte ersten/letzten offen/geschlossen geöffnet/geschlossen verpflichtend/freiwillig pflicht/freiwillig leichter/schwerer einfacher/schwieriger"
    " nützlich/schädlich sicher/gefährlich häufig/selten öffentlich/privat oben/unten über/unter empfohlen/abgeraten möglich/unmöglich nötig/unnötig notwendig/unnötig"
    " gesund/ungesund wirksam/unwirksam vorteil/nachteil gewinn/verlust zunahme/abnahme anstieg/rückgang hoch/niedrig hohe/niedrige hohen/niedrigen trocken/feucht trockener/feuchter schnell/langsam hell/dunkel",
    "fr": "avant/après avec/sans tous/aucun toutes/aucune chaque/aucun toujours/jamais dedans/dehors minimum/maximum minimale/maximale autorisé/interdit autorisée/interdite"
    " permis/interdit autorisés/interdits autorisées/interdites obligatoire/facultatif obligatoire/facultative premier/dernier première/dernière ouvert/fermé ouverte/fermée ouverts/fermés"
    " chaud/froid chaude/froide intérieur/extérieur début/fin hausse/baisse facile/difficile utile/inutile possible/impossible gratuit/payant gratuite/payante public/privé"
    " avantage/inconvénient gain/perte recommandé/déconseillé recommandée/déconseillée majorité/minorité haut/bas haute/basse élevé/bas élevée/basse sec/humide rapide/lent vite/lentement",
    "es": "antes/después con/sin todos/ninguno todos/ningún todas/ninguna cada/ningún siempre/nunca dentro/fuera mínimo/máximo mínima/máxima permitido/prohibido permitida/prohibida"
    " permitidos/prohibidos permitidas/prohibidas obligatorio/voluntario obligatoria/voluntaria obligatorio/opcional primer/último primero/último primera/última abierto/cerrado abierta/cerrada"
    " calor/frío caliente/frío interior/exterior principio/fin inicio/fin subida/bajada aumento/descenso fácil/difícil útil/inútil posible/imposible gratuito/pago público/privado"
    " ventaja/desventaja ganancia/pérdida recomendado/desaconsejado mayoría/minoría mayor/menor mayores/menores superior/inferior alto/bajo alta/baja altos/bajos altas/bajas seco/húmedo rápido/lento",
}
# Words that say nothing of what a sentence is about, and are not among the stop-words.
_LIGHT_WORD_LIST = (
    "cannot need needs shall may might must soll sollen sollte sollten man muss müssen darf dürfen kann können wird werden wurde wurden"
    " faut doit doivent peut peuvent pouvoir devoir on debe deben debería puede pueden hay tiene tienen"
    " avant après plus moins ont aux chaque deux trois quatre unas unos dos tres cuatro más menos jede jeder jedes aller alle ihre ihren andere anderen knapp etwa"
)
LIGHT_WORDS = frozenset(_LIGHT_WORD_LIST.split())
THAN_WORDS = {
    "en": frozenset({"than"}),
    "de": frozenset({"als"}),
    "fr": frozenset({"que"}),
    "es": frozenset({"que"}),
}
# Verbs of which it matters who does it to whom; a star stands for any ending.
_EXCEEDING_STEMS = {
    "en": "outperform exceed surpass outnumber outweigh overtak overtook outpac",
    "de": "übertriff übertref übertraf übertroff übersteig überstieg überhol",
    "fr": "dépass surpass excèd devanc",
    "es": "super exced aventaj",
}
_MIN_DIRECTION_LETTERS = 3


def blank_bound_phrases(text: str) -> str:
    """The text with spaces for phrases such as "not later than", so that offsets stay."""
    for pattern in (_EMPTY_DENIAL_PATTERN, _BOUND_PATTERN, _NUMBER_BEFORE_BOUND_PATTERN):
        text = pattern.sub(lambda match: " " * len(match[0]), text)
    return text


@cache
def compile_denial_pattern(code: str) -> re.Pattern[str]:
    """Finds the words that deny something."""
    return re.compile(rf"(?<![\w-])(?:{_DENIAL_REGEXES[code]})(?![\w-])", re.IGNORECASE)


@cache
def compile_hidden_pattern(code: str) -> re.Pattern[str]:
    """Finds phrases that deny something without a denying word."""
    return re.compile(rf"(?<![\w-])(?:{_HIDDEN_DENIAL_REGEXES[code]})(?![\w-])", re.IGNORECASE)


@cache
def compile_limit_pattern(code: str) -> re.Pattern[str]:
    """Finds words with which a sentence neither plainly says nor plainly denies something."""
    return re.compile(rf"(?<![\w-])(?:{_LIMIT_REGEXES[code]})(?![\w-])", re.IGNORECASE)


@cache
def compile_exceeding_pattern(code: str) -> re.Pattern[str]:
    """Finds verbs such as "outperforms", by which one thing is set above another."""
    stems = "|".join(_EXCEEDING_STEMS[code].split())
    return re.compile(rf"(?<![\w-])(?:{stems})\w{{0,5}}", re.IGNORECASE)


def are_contrary(one: str, other: str, code: str) -> bool:
    """Whether two words in small letters exclude each other in one place of a sentence."""
    if other in _load_contrary_pairs(code).get(one, ()):
        return True
    if code == "en":
        return _are_contrary_english(one, other)
    return _find_direction(one, code) * _find_direction(other, code) < 0


def _are_contrary_english(one: str, other: str) -> bool:
    if other in list_opposite_words(one) or one in list_opposite_words(other):
        return True
    mine = {
        each.axis: each.sign for each in find_word_polarities(one) if each.axis in _COMPARED_AXES
    }
    return any(mine.get(each.axis, each.sign) == -each.sign for each in find_word_polarities(other))


@cache
def _find_direction(word: str, code: str) -> int:
    """1 for more, -1 for less, 0 for any other word."""
    if len(word) < _MIN_DIRECTION_LETTERS:
        return 0
    up, down = _DIRECTION_STEMS[code]
    return any(map(word.startswith, up.split())) - any(map(word.startswith, down.split()))


@cache
def _load_contrary_pairs(code: str) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for pair in _PAIRS[code].split():
        one, other = pair.split("/")
        found.setdefault(one, set()).add(other)
        found.setdefault(other, set()).add(one)
    return {word: frozenset(others) for word, others in found.items()}
