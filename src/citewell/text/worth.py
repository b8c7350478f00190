"""Whether a sentence states something that can be quoted alone: no menu, appeal, question or chat."""

from __future__ import annotations

import re

from citewell.text import tokens
from citewell.text.scripts import UNSPACED

_FEWEST, _MOST = 6, 60  # words
_FEWEST_PAIRS, _MOST_PAIRS = 8, 160  # pairs of characters, where nobody writes spaces
_SHOUTED = 0.4  # of all letters and digits are capitals or digits
_LONGEST = 1200  # characters
_LETTER = re.compile(r"[^\W_]")
_UNSPACED = re.compile(rf"[{UNSPACED}]")
_LEAD = re.compile(r"(?:[-*+•·▪◦>#\s]+|\[[ xX]\]\s|\(?\d{1,3}[.)]\s+|\(?[a-z]\)\s+)+")
_ENDED = re.compile(r"[.!…。！．｡।॥۔։።။។][\"'”’»›)\]」』）*_]*(?:\[\w{1,8}\])*\s*\Z")
_UNENDED = re.compile("[\u0e00-\u0eff]")  # Thai and Lao write no full stops
_QUESTION = re.compile(r"[?？؟;]\W*\Z|\A\W*¿")
_MARKUP = re.compile(
    r"!\[|\]\(|\|.*\||^#{1,6}\s|```|\*\*\s*\*\*|</?\w+[^>]*>|\{\{|\}\}|https?://\S+\Z|\[edit\]"
    r"|\\[a-z]+\{|^\s*[{}<>=;]|;\s*\Z|\bfunction\s*\(|=>",
)
_PERSON = re.compile(
    r"\b(?:I|I['’](?:m|ve|d|ll)|(?i:me|my|mine|myself|we|we['’](?:re|ve|d|ll)|our|ours|ourselves|you"
    r"|you['’](?:re|ve|d|ll)|your|yours|yourself|let['’]s)|us|Us)\b"
)
_PERSON_ELSEWHERE = {
    "de": r"\b(?:ich|mich|mir|mein\w*|wir|uns|unser\w*|du|dich|dir|dein\w*)\b",
    "fr": r"\b(?:je|j['’]\w+|moi|mon|ma|mes|nous|notre|nos|vous|votre|vos|tu|toi|ton|tes)\b",
    "es": r"\b(?:yo|mí|nosotros|nuestr[oa]s?|usted|ustedes|tú|ti|vosotros)\b",
    "it": r"\b(?:io|mio|mia|noi|nostr[oaie]|voi|vostr[oaie]|tuo|tua)\b",
    "pt": r"\b(?:eu|meu|minha|nós|nosso|nossa|você|vocês|teu|tua)\b",
    "nl": r"\b(?:ik|mij|mijn|wij|ons|onze|jij|jou|jouw|u|uw)\b",
    "ru": r"\b(?:я|мне|меня|мой|мы|нас|нам|наш\w*|вы|вас|вам|ваш\w*|ты)\b",
}
_APPEAL = re.compile(
    r"\A\W*(?:click|tap|press|read|see|learn|find out|discover|sign|subscribe|register|log in|login|join"
    r"|download|share|follow|contact|visit|check|try|get|buy|shop|order|add|enter|select|choose|note"
    r"|remember|make sure|ensure|consider|keep|use|avoid|start|stop|take|ask|tell|think|imagine|let"
    r"|look|watch|listen|stay|go|come|call|email|scroll|skip|view|browse|please|don['’]t|do not|never"
    r"|welcome|thank|thanks|hello|hi|dear|photo|image|source|credit|caption|advertisement|related)\b"
    r"(?!\s+(?:is|are|was|were|has|have|had|of|in|and|or)\b)",
    re.IGNORECASE,
)
_NAVIGATION = re.compile(
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
_COMMON_VERBS = (
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
_VERBS = frozenset(_COMMON_VERBS.split())
_VERB_ENDING = re.compile(
    r"\b[a-z]{2,}(?:ed|ing|ise[sd]?|ize[sd]?|ifies|ify|n['’]t)\b|['’](?:s|re|ve|ll|d)\b"
)
_THIRD = re.compile(
    r"\b[a-z]{3,}s (?:the|a|an|to|that|in|on|as|by|with|about|up|from|into|its|their|more|less|not|for)\b"
)
_LEANING = re.compile(
    r"\A\W*(?:this|that|these|those|it|its|they|their|he|she|his|her|such|both|the former|the latter"
    r"|dies\w*|es|er|sie|il|elle|ils|elles|cela|ceci|esto|esta|este|ello|esso|questo|questa|isso|isto"
    r"|dit|deze|hij|zij|это|он|она|они)\b|\A\W*(?:これ|それ|その|この|这|該|该|此)",
    re.IGNORECASE,
)
_CONNECTED = re.compile(
    r"\A\W*(?:however|but|and|so|therefore|thus|moreover|furthermore|also|instead|similarly|conversely"
    r"|nevertheless|consequently|additionally|in addition|as a result|for example|for instance|by contrast"
    r"|in contrast|on the other hand|otherwise|then|yet|still)\b",
    re.IGNORECASE,
)


def fault(sentence: str, *, language: str | None = None) -> str | None:
    """Why a sentence is not worth quoting, in a word; None when it is.

    Verbs and appeals are known for English, persons for a few languages; other languages are judged
    by length, marks and capitals alone.
    """
    code = (language or "en")[:2]
    if len(sentence) > _LONGEST:
        return "length"
    if not ended(sentence):
        return "question" if _QUESTION.search(sentence) else "fragment"
    if _MARKUP.search(sentence):
        return "markup"
    return _sized(sentence) or _voiced(sentence, code) or _useless(sentence)


def _useless(sentence: str) -> str | None:
    return "navigation" if _NAVIGATION.search(sentence) else None


def _sized(sentence: str) -> str | None:
    count = sum(1 for _ in tokens.words(sentence))
    fewest, most = (_FEWEST_PAIRS, _MOST_PAIRS) if _UNSPACED.search(sentence) else (_FEWEST, _MOST)
    if not fewest <= count <= most:
        return "length"
    letters = _LETTER.findall(sentence)
    loud = sum(map(str.isupper, letters)) + sum(map(str.isdigit, letters))
    return "capitals" if loud > _SHOUTED * len(letters) else None


def _voiced(sentence: str, code: str) -> str | None:
    if code != "en":
        person = _PERSON_ELSEWHERE.get(code)
        return "person" if person and re.search(person, sentence, re.IGNORECASE) else None
    if _PERSON.search(_unquoted(sentence)):
        return "person"
    if _APPEAL.match(sentence):
        return "appeal"
    return None if _verbal(sentence) else "verbless"


def _unquoted(sentence: str) -> str:
    """Whoever is quoted may say I; the sentence is still about them."""
    return re.sub(r"[\"“][^\"”]*[\"”]", " ", sentence)


def _verbal(sentence: str) -> bool:
    low = sentence.lower()
    return (
        not _VERBS.isdisjoint(re.findall(r"[a-z]+", low))
        or _VERB_ENDING.search(low) is not None
        or _THIRD.search(low) is not None
    )


def ended(sentence: str) -> bool:
    """Whether a sentence ends as sentences do; a heading or the item of a list does not."""
    return bool(_ENDED.search(sentence) or _UNENDED.search(sentence))


def leans(sentence: str) -> bool:
    """Whether a sentence opens with a word that points back or joins on to the one before."""
    return points(sentence) or _CONNECTED.match(sentence) is not None


def points(sentence: str) -> bool:
    """Whether it opens with this, it, they: without the one before nobody knows what it is about."""
    return _LEANING.match(sentence) is not None


def lead(sentence: str) -> int:
    """How many characters of marks (bullets, numbers, hashes) stand before the words."""
    match = _LEAD.match(sentence)
    return match.end() if match else 0
