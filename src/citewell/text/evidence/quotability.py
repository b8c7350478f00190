"""Judges whether a sentence can be quoted on its own: no menu item, appeal, question or chat."""

from __future__ import annotations

import re

from citewell.text.language import tokens
from citewell.text.language.scripts import THAI_LAO_RANGES, UNSPACED_CHARACTER_PATTERN

_MIN_QUOTABLE_WORDS, _MAX_QUOTABLE_WORDS = 6, 60  # words
_MIN_QUOTABLE_PAIRS, _MAX_QUOTABLE_PAIRS = 8, 160  # pairs of characters, in scripts without spaces
_MAX_CAPITALS_SHARE = 0.4  # of letters and digits may be capitals or digits
_MAX_QUOTABLE_CHARS = 1200  # characters
_ALPHANUMERIC_PATTERN = re.compile(r"[^\W_]")
_LEADING_BULLET_PATTERN = re.compile(
    r"(?:[-*+•·▪◦>#\s]+|\[[ xX]\]\s|\(?\d{1,3}[.)]\s+|\(?[a-z]\)\s+)+"
)
_FINAL_STOP_PATTERN = re.compile(r"[.!…。！．｡।॥۔։።။។][\"'”’»›)\]」』）*_]*(?:\[\w{1,8}\])*\s*\Z")
_STOPLESS_SCRIPT_PATTERN = re.compile(f"[{THAI_LAO_RANGES}]")  # Thai and Lao write no full stops
_QUESTION_PATTERN = re.compile(r"[?？؟;]\W*\Z|\A\W*¿")
_MARKUP_RESIDUE_PATTERN = re.compile(
    r"!\[|\]\(|\|[^\n|]*+\||^#{1,6}\s|```|\*\*\s*\*\*|</?\w++[^<>]*+>|\{\{|\}\}|https?://\S+\Z|\[edit\]"
    r"|\\[a-z]+\{|^\s*[{}<>=;]|;\s*\Z|\bfunction\s*\(|=>",
)
_ENGLISH_PERSON_PATTERN = re.compile(
    r"\b(?:I|I['’](?:m|ve|d|ll)|(?i:me|my|mine|myself|we|we['’](?:re|ve|d|ll)|our|ours|ourselves|you"
    r"|you['’](?:re|ve|d|ll)|your|yours|yourself|let['’]s)|us|Us)\b"
)
_PERSON_REGEXES = {
    "de": r"\b(?:ich|mich|mir|mein\w*|wir|uns|unser\w*|du|dich|dir|dein\w*)\b",
    "fr": r"\b(?:je|j['’]\w+|moi|mon|ma|mes|nous|notre|nos|vous|votre|vos|tu|toi|ton|tes)\b",
    "es": r"\b(?:yo|mí|nosotros|nuestr[oa]s?|usted|ustedes|tú|ti|vosotros)\b",
    "it": r"\b(?:io|mio|mia|noi|nostr[oaie]|voi|vostr[oaie]|tuo|tua)\b",
    "pt": r"\b(?:eu|meu|minha|nós|nosso|nossa|você|vocês|teu|tua)\b",
    "nl": r"\b(?:ik|mij|mijn|wij|ons|onze|jij|jou|jouw|u|uw)\b",
    "ru": r"\b(?:я|мне|меня|мой|мы|нас|нам|наш\w*|вы|вас|вам|ваш\w*|ты)\b",
}
_APPEAL_PATTERN = re.compile(
    r"\A\W*(?:click|tap|press|read|see|learn|find out|discover|sign|subscribe|register|log in|login|join"
    r"|download|share|follow|contact|visit|check|try|get|buy|shop|order|add|enter|select|choose|note"
    r"|remember|make sure|ensure|consider|keep|use|avoid|start|stop|take|ask|tell|think|imagine|let"
    r"|look|watch|listen|stay|go|come|call|email|scroll|skip|view|browse|please|don['’]t|do not|never"
    r"|welcome|thank|thanks|hello|hi|dear|photo|image|source|credit|caption|advertisement|related)\b"
    r"(?!\s+(?:is|are|was|were|has|have|had|of|in|and|or)\b)",
    re.IGNORECASE,
)
_NAVIGATION_PATTERN = re.compile(
    r"\bcookies?\b.{0,80}\b(?:accept|consent|use|experience|settings|prefer)|\b(?:accept|we use|uses)\b.{0,30}\bcookies"
    r"|\bnewsletter\b|\bsubscrib\w+|\bsign(?:ed)? up\b|\blog(?:ged)? in\b|\ball rights reserved\b|©"
    r"|\bprivacy policy\b|\bterms (?:of (?:use|service)|and conditions)\b|\bread more\b|\bclick here\b"
    r"|\bshare (?:this|on)\b|\bfollow us\b|\bskip to\b|\bjavascript\b.{0,40}\b(?:enable|disabled|required)\b"
    r"|\benable javascript\b|\badvertis(?:e|ing) (?:with|on) (?:us|this)\b|\baffiliate\b.{0,40}\b(?:links?|commission)\b"
    r"|\bin this (?:article|post|guide|section|chapter|paper|video|episode|tutorial)\b"
    r"|\bthis (?:article|post|guide|page|website|site) (?:was|is|has been|explains|covers|discusses|will|contains)\b"
    r"|\bback to top\b|\btable of contents\b|\bcopyright\b|\bretrieved (?:on )?\d|\bpage last (?:updated|modified|reviewed)\b"
    r"|\blast (?:updated|modified|reviewed)\b|\bleave a (?:comment|reply)\b|\bnext article\b|\bprevious article\b"
    r"|\bmin(?:ute)?s? read\b|\bfree trial\b|\badd to cart\b|\bcustomer reviews?\b|\bcitation needed\b"
    r"|\bDatenschutz|\bAlle Rechte vorbehalten|\bNewsletter\b|\bCookies?\b.{0,60}\b(?:verwenden|akzept|utilis|usamos|utiliz|nutzen)"
    r"|\bTous droits réservés|\bTodos los derechos reservados|\bpolitique de confidentialité|利用規約|プライバシー|版权所有|隐私政策",
    re.IGNORECASE,
)
_ENGLISH_VERB_LIST = (
    "is are was were be been being am has have had do does did can could may might will would shall should"
    " must became become becomes began begin begins brought came come comes cut fell fall falls felt found"
    " gave give gives given got grew grow grows grown held hold holds kept keep keeps knew know known led"
    " lead leads left lay lie lies lost made make makes mean means meant met paid put ran run runs rose"
    " rise rises risen said say says saw see seen sent set shown show shows shut sold spent spread stood"
    " stand stands struck taken take takes took taught tell told thought thrown understood went gone goes"
    " won wrote written write read reads reach reaches remain remains require requires need needs needed"
    " cause causes help helps affect affects include includes contain contains occur occurs depend depends"
    " provide provides produce produces increase increases decrease decreases reduce reduces improve"
    " improves differ differs vary varies exist exists consist consists form forms work works live lives"
    " use uses allow allows cost costs hit beat seem seems appear appears suggest suggests indicate"
    " indicates result results play plays carry carries offer offers cover covers serve serves account"
    " lower lowers raise raises change changes drive drives trigger triggers prevent prevents protect protects"
    " support supports limit limits absorb absorbs release releases reflect reflects remove removes store"
    " stores contribute contributes rely relies consume consumes emit emits generate generates develop"
    " develops belong belongs begin start starts end ends follow follows reveal reveals cool cools warm warms"
    " slow slows boost boosts enable enables represent represents describe describes define defines combine"
    " combines convert converts moderate moderates alter alters shape shapes connect connects feed feeds eat"
    " eats flow flows pass passes cross crosses attract attracts employ employs export exports import imports"
    " accounts claim claims argue argues believe believes estimate estimates expect expects report reports"
)
_ENGLISH_VERBS = frozenset(_ENGLISH_VERB_LIST.split())
_VERB_ENDING_PATTERN = re.compile(
    r"\b[a-z]{2,}(?:ed|ing|ise[sd]?|ize[sd]?|ifies|ify|n['’]t)\b|['’](?:s|re|ve|ll|d)\b"
)
_THIRD_PERSON_VERB_PATTERN = re.compile(
    r"\b[a-z]{3,}s (?:the|a|an|to|that|in|on|as|by|with|about|up|from|into|its|their|more|less|not|for)\b"
)
_POINTING_OPENER_PATTERN = re.compile(
    r"\A\W*(?:this|that|these|those|it|its|they|their|he|she|his|her|such|both|the former|the latter"
    r"|dies\w*|es|er|sie|il|elle|ils|elles|cela|ceci|esto|esta|este|ello|esso|questo|questa|isso|isto"
    r"|dit|deze|hij|zij|это|он|она|они)\b|\A\W*(?:これ|それ|その|この|这|該|该|此)",
    re.IGNORECASE,
)
_CONNECTIVE_OPENER_PATTERN = re.compile(
    r"\A\W*(?:however|but|and|so|therefore|thus|moreover|furthermore|also|instead|similarly|conversely"
    r"|nevertheless|consequently|additionally|in addition|as a result|for example|for instance|by contrast"
    r"|in contrast|on the other hand|otherwise|then|yet|still)\b",
    re.IGNORECASE,
)


def find_quotation_fault(sentence: str, *, language: str | None = None) -> str | None:
    """Why a sentence should not be quoted, in one word; None if it can be.

    Verbs and appeals are checked in English only, first and second person in a few languages;
    sentences in other languages are judged by length, punctuation and capitals.
    """
    code = (language or "en")[:2]
    if len(sentence) > _MAX_QUOTABLE_CHARS:
        return "length"
    if not has_final_stop(sentence):
        return "question" if _QUESTION_PATTERN.search(sentence) else "fragment"
    if _MARKUP_RESIDUE_PATTERN.search(sentence):
        return "markup"
    return (
        _find_size_fault(sentence)
        or _find_voice_fault(sentence, code)
        or _find_navigation_fault(sentence)
    )


def _find_navigation_fault(sentence: str) -> str | None:
    return "navigation" if _NAVIGATION_PATTERN.search(sentence) else None


def _find_size_fault(sentence: str) -> str | None:
    count = sum(1 for _ in tokens.split_words(sentence))
    fewest, most = (
        (_MIN_QUOTABLE_PAIRS, _MAX_QUOTABLE_PAIRS)
        if UNSPACED_CHARACTER_PATTERN.search(sentence)
        else (_MIN_QUOTABLE_WORDS, _MAX_QUOTABLE_WORDS)
    )
    if not fewest <= count <= most:
        return "length"
    letters = _ALPHANUMERIC_PATTERN.findall(sentence)
    loud = sum(map(str.isupper, letters)) + sum(map(str.isdigit, letters))
    return "capitals" if loud > _MAX_CAPITALS_SHARE * len(letters) else None


def _find_voice_fault(sentence: str, code: str) -> str | None:
    if code != "en":
        person = _PERSON_REGEXES.get(code)
        return "person" if person and re.search(person, sentence, re.IGNORECASE) else None
    if _ENGLISH_PERSON_PATTERN.search(_drop_quotations(sentence)):
        return "person"
    if _APPEAL_PATTERN.match(sentence):
        return "appeal"
    return None if _has_verb(sentence) else "verbless"


def _drop_quotations(sentence: str) -> str:
    """The sentence without quotations, in which "I" and "you" are allowed."""
    return re.sub(r"[\"“][^\"”]*[\"”]", " ", sentence)


def _has_verb(sentence: str) -> bool:
    low = sentence.lower()
    return (
        not _ENGLISH_VERBS.isdisjoint(re.findall(r"[a-z]+", low))
        or _VERB_ENDING_PATTERN.search(low) is not None
        or _THIRD_PERSON_VERB_PATTERN.search(low) is not None
    )


def has_final_stop(sentence: str) -> bool:
    """Whether the sentence ends with a full stop or the like; headings and list items do not."""
    return bool(_FINAL_STOP_PATTERN.search(sentence) or _STOPLESS_SCRIPT_PATTERN.search(sentence))


def needs_previous_sentence(sentence: str) -> bool:
    """Whether the sentence opens with a pronoun or connective that refers to the one before."""
    return has_pointing_opener(sentence) or _CONNECTIVE_OPENER_PATTERN.match(sentence) is not None


def has_pointing_opener(sentence: str) -> bool:
    """Whether the sentence opens with a word such as this, it or they, and so lacks its subject."""
    return _POINTING_OPENER_PATTERN.match(sentence) is not None


def measure_lead(sentence: str) -> int:
    """The number of characters of bullets, numbers and hashes before the first word."""
    match = _LEADING_BULLET_PATTERN.match(sentence)
    return match.end() if match else 0
