"""How far a source speaks of a claim: terms in common, the sentences that have them, never a verdict."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from citewell.text import claims, contrast, language, sentences, stopwords, tokens

ADDRESSED, PARTLY, NOT_ADDRESSED = "addressed", "partially_addressed", "not_addressed"
UNAVAILABLE = "source_unavailable"
STRONG = 0.6  # of the claim's terms near one another
WINDOW = 4  # sentences
WHOLE = 20  # sentences up to which a text is looked at as one
LONGEST = 2000  # characters of a claim
_LISTED = ("en", "de", "fr", "es", "it", "pt", "nl", "ru")  # whose small words are known
_EVIDENCE = 5
_LONGEST_SENTENCE = 600  # characters; more is a table or a page without full stops
_TAIL = 0.3  # a list of references never comes before this part of a text
_REFERENCES = re.compile(
    r"^[#*\s\d.]*(?:references(?: and notes| cited)?|bibliography|works cited|literature cited|literatur(?:verzeichnis)?"
    r"|quellen(?:verzeichnis)?|références(?: bibliographiques)?|bibliographie|referencias(?: bibliográficas)?|bibliografía"
    r"|riferimenti(?: bibliografici)?|bibliografia|referências(?: bibliográficas)?|literatuur(?:lijst)?|referenties|referenser"
    r"|källor|referencer|litteratur(?:liste)?|referanser|lähteet|kirjallisuus|(?:список )?литератур[аы]|источники|kaynakça"
    r"|kaynaklar|piśmiennictwo|literatura|参考文献|参考资料|參考文獻|引用文献|참고\s?문헌|المراجع)\s*:?[*\s]*$",
    re.IGNORECASE | re.MULTILINE,
)
# Words of every paper: a source that shares only these with a claim does not speak of it.
_EVERYWHERE = (
    "study studies paper article research researchers result results show shows showed shown find finds finding"
    " findings found report reports reported according suggest suggests suggested author authors data method methods"
    " analysis use used using new may also one two first however found based"
)
# Nor is anything said of a subject by how much, how long, and that something is, has, gives or takes.
_AMOUNTS = (
    "three four five six seven eight nine ten twelve twenty thirty hundred thousand million billion half third quarter"
    " double twice once time times second per cent percent percentage number amount rate rough roughly around nearly"
    " almost least most more less fewer many much several few day days week weeks month months year years hour hours"
    " minute minutes decade century give gives gave given take takes took taken make makes made keep keeps kept get gets"
    " got go goes went gone come comes came become becomes put puts set sets let lets need needs help helps mean means"
    " person people thing things way ways part parts case cases kind kinds large small high low good great long short"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    support: str
    share: float = 0.0  # of the claim's terms, at the densest place
    evidence: tuple[str, ...] = ()
    contrast: bool = False
    reason: str = ""  # why nothing could be measured


def measure(claim: str, text: str, *, declared: str | None = None) -> Coverage:
    """The best overlap in any few sentences. `declared` is the language the source says it is in."""
    body = without_references(text)
    spoken = language.detect(body) or (declared or "")[:2].lower() or None
    asked = language.detect(claim)
    wanted = claims.claim(claim, language=spoken or asked)
    specific = frozenset(
        term
        for term in wanted.terms - tokens.terms(f"{_EVERYWHERE} {_AMOUNTS}", language="en")
        if not term.isdigit()
    )
    if not (specific or wanted.terms):
        return Coverage(support=UNAVAILABLE, reason="The claim has no words to look for.")
    found = [sentence for sentence in sentences.split(body) if sentence]
    each = [tokens.terms(sentence, language=wanted.language) & wanted.terms for sentence in found]
    share, told = _densest(each, wanted.terms, specific or wanted.terms)
    support = ADDRESSED if share >= STRONG else PARTLY if told else NOT_ADDRESSED
    if support == NOT_ADDRESSED:
        return _untouched(claim, asked, spoken)
    evidence = claims.nearest(wanted, body, most=_EVIDENCE)[1]
    opposed = any(contrast.cued(sentence, language=wanted.language) for sentence in evidence)
    shown = tuple(sentence[:_LONGEST_SENTENCE] for sentence in evidence)
    return Coverage(support=support, share=share, evidence=shown, contrast=opposed)


def _untouched(claim: str, asked: str | None, spoken: str | None) -> Coverage:
    """Nothing in common: the source does not speak of it, or speaks another language."""
    if _one_language(claim, asked, spoken):
        return Coverage(support=NOT_ADDRESSED)
    reason = (
        f"The source is in {spoken or 'an unknown language'} and the claim seems to be in another"
        " language, so their words cannot be compared."
    )
    return Coverage(support=UNAVAILABLE, reason=reason)


def _one_language(claim: str, asked: str | None, spoken: str | None) -> bool:
    if asked is not None or spoken is None:
        return asked == spoken
    words = frozenset(tokens.words(claim))
    if words & stopwords.listed(spoken):
        return True
    foreign = any(words & stopwords.listed(code) for code in _LISTED if code != spoken)
    return spoken == "en" and claim.isascii() and not foreign


def without_references(text: str) -> str:
    """A text up to its list of references, whose titles are other people's words."""
    start = int(len(text) * _TAIL)
    headings = [match.start() for match in _REFERENCES.finditer(text, start)]
    return text[: headings[0]] if headings else text


def _densest(
    each: Sequence[frozenset[str]], wanted: frozenset[str], specific: frozenset[str]
) -> tuple[float, bool]:
    """The peak share of the claim's terms in a window, and whether any telling one occurs at all."""
    if not each:
        return 0.0, False
    width = len(each) if len(each) <= WHOLE else WINDOW
    peak = max(
        len(frozenset().union(*each[at : at + width])) for at in range(len(each) - width + 1)
    )
    return peak / len(wanted), any(terms & specific for terms in each)
