"""Patterns for the answer a question expects: a number, date, name, place, reason, yes or no."""

from __future__ import annotations

import re

_NUMBER_WORD_REGEX = r"one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty|ninety|hundred|thousand|million|billion|half|dozen|couple|several|few|twice|percent"
_NUMBER_REGEX = rf"\d|\b(?:{_NUMBER_WORD_REGEX})\b"
_AMOUNT_REGEX = rf"(?:\d[\d,.]{{0,20}}+|\b(?:{_NUMBER_WORD_REGEX}))"
_MONTH_NAME_REGEX = (
    r"January|February|March|April|May|June|July|August|September|October|November|December"
)
_DURATION_REGEX = rf"{_AMOUNT_REGEX}[\s+-]?(?:seconds?|minutes?|mins?|hours?|hrs?|days?|weeks?|months?|years?|decades?|nights?|Stunden?|Tagen?|Wochen?|Monaten?|Jahren?|heures?|jours?|semaines?|mois|ans|horas?|días?|semanas?|meses|años?)\b|[年月日週時分]"
_MONEY_REGEX = r"[$€£¥]\s?\d|\d\s?(?:dollars|euros?|pounds|cents|USD|EUR|GBP|CHF|€|£|円|元)"
_SIZE_REGEX = r"\d\s?(?:[\"”'′″²]|inch|in\b|cm|mm|m\b|m²|m2|km|miles?|feet|foot|ft|sq|square|[gtmk]b\b|l\b|lit|ml|oz|gallon|cups?|watt|w\b|volt|mph|[gmk]?hz)"
# Pairs of a question pattern and the pattern of its answers; the first match counts.
_QUESTION_ANSWER_REGEXES = (
    (r"\b(?:costs?|prices?|pay|paid|expensive|cheap(?:er|est)?|fees?|salary|earn|worth|money|charged?)\b|\bhow much (?:is|does|do|are|would|should) |\bwas kostet|\bteuer\b|\bcoûte|\bcuesta", _MONEY_REGEX),
    (r"\bhow (?:long|old)\b|\bhow (?:many|much) (?:time|hours|days|weeks|months|years|minutes)\b|\bwhat age\b|\bwie lange\b|\bwie alt\b", _DURATION_REGEX),
    (r"\bhow (?:often|frequently)\b|\bwie oft\b", rf"\b(?:every|once|twice|daily|weekly|monthly|yearly|annually|{_AMOUNT_REGEX} times|(?:per|an?) (?:day|week|month|year))\b|\d (?:miles|months|days|weeks|years|km)\b|\bjede"),
    (r"\bhow heavy\b|\bweigh|\bwie schwer\b", r"\d\s?(?:k?g|lbs?|pounds|ounces|oz|kilo\w*|grams?|tons?|tonnes?)\b"),
    (r"\bhow (?:hot|cold|warm)\b|\btemperature|\bdegrees\b|\bTemperatur", r"\d\s?°|\bdegrees?\b|\bGrad\b"),
    (r"\b(?:percentage|share|proportion|fraction|percent)\b|\bhow much (?:more|less|cheaper|faster|higher|lower)\b|\bhow likely\b|\b(?:interest|unemployment|inflation|mortgage) rate", r"\d\s?%|\bper ?cent\b|\bone in \w|\b(?:half|third|quarter)s?\b|\bProzent\b"),
    (r"\bhow (?:big|large|tall|high|deep|wide|far|fast|small|thick)\b|\bwhat size\b|\bhow much (?:memory|storage|water|space)\b", _SIZE_REGEX),
    (r"\bhow (?:many|much|common)\b|\bwhat (?:number|is the (?:population|rate|average|number|size))\b|\bwhich (?:version|number)\b|\bwie ?viel|\bcombien\b|\bcu[áa]nt[oa]s?\b|сколько|多少|いくつ", _NUMBER_REGEX),
    (r"^\W*when\b|\b(?:what|which|in what|in which) (?:year|day|date|month|century)\b|^\W*(?:wann|quand|cu[áa]ndo|quando|когда)\b|什么时候|いつ", rf"\b1\d{{3}}\b|\b20\d\d\b|\b(?:{_MONTH_NAME_REGEX})\b|\d{{1,2}}[./]\d{{1,2}}|\b\d+ (?:years?|days?|months?|weeks?)\b|年"),
    (r"^\W*(?:who|whom|whose)\b|\bwhat is the name of\b|^\W*(?:wer|qui|qui[ée]n|chi|quem|кто)\b", r"(?:[^.!?\W]|,) [A-Z][\w’'-]+ (?:[A-Z]\.? )*(?:de |van |von |la )?[A-Z][\w’'-]+|^[A-Z][\w’'-]+ (?:[A-Z]\.? )*[A-Z][\w’'-]+"),
    (r"^\W*where\b|\bwhat (?:country|city|state|place)\b|\bwhich (?:country|city|state)\b|^\W*(?:wo|où|d[óo]nde|dove|onde|где)\b", r"\b(?:in|at|near|from|of|to) (?:the )?[A-Z]|\b(?:north|south|east|west|located|situated)\b"),
    (r"^\W*why\b|\bwhat causes?\b|\breason\b|^\W*(?:warum|pourquoi|por qu[ée]|perch[ée]|почему)\b|为什么|なぜ", r"\b(?:because|due to|reasons?|since|so that|caused?|causes|result|in order to|owing|weil|car|porque|perché)\b|потому|因为|ため"),
    (r"^\W*what(?:'s| is| are| was| were| does)\b|\bdefin|^\W*(?:was ist|was sind|qu['’]est-ce|qu[ée] es|cos['’]è|что такое)\b", r"\b(?:is|are|was|were|refers|means|describes|consists|known|called|ist|sind|est|es|è)\b"),
    (r"^\W*(?:can|is|are|do|does|did|will|would|should|could|has|have)\b", r"\b(?:yes|no|not|never|n['’]t|cannot|myth|actually|in fact|true|false|always|depends)\b"),
    (r"^\W*how (?:to|do|can|should|does)\b", r"\b(?:by \w+ing|first|then|you can|using|through|to \w+,|start)\b"),
)  # fmt: skip


def _compile_answer_pattern(regex: str) -> re.Pattern[str]:
    """Names begin with a capital, so a pattern of names is the only one that minds the case."""
    return re.compile(regex, 0 if "[A-Z]" in regex else re.IGNORECASE)


_NUMBER_KINDS = 8  # the first of these pairs ask for a number
_ANSWER_PATTERNS = tuple(
    (re.compile(asked, re.IGNORECASE), _compile_answer_pattern(answer))
    for asked, answer in _QUESTION_ANSWER_REGEXES
)


def find_answer_pattern(question: str) -> re.Pattern[str] | None:
    """A pattern that sentences answering the question match; None if the question is too open."""
    return next((answer for asked, answer in _ANSWER_PATTERNS if asked.search(question)), None)


def wants_number(question: str) -> bool:
    """Whether the question asks for an amount, a price, a duration, a size or a share."""
    return any(asked.search(question) for asked, _ in _ANSWER_PATTERNS[:_NUMBER_KINDS])
