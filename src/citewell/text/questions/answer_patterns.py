"""Patterns for the answer a question expects: a number, date, name, place, reason, yes or no."""

from __future__ import annotations

import re

_NUMBER_REGEX = r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|dozen|hundred|thousand|million|billion|half|twice|percent)\b"
_MONTH_NAME_REGEX = (
    r"January|February|March|April|May|June|July|August|September|October|November|December"
)
# Pairs of a question pattern and the pattern of its answers; the first match counts.
_QUESTION_ANSWER_REGEXES = (
    (r"\bhow (?:many|much|long|often|old|far|big|large|tall|high|deep|fast|heavy|hot|cold|common)\b|\bwhat (?:percentage|share|proportion|number|fraction|age|is the (?:population|cost|price|rate|average|number|size))\b|\bcosts?\b.{0,300}\?|\bwie ?viel|\bcombien\b|\bcu[áa]nt[oa]s?\b|сколько|多少|いくつ", _NUMBER_REGEX),
    (r"^\W*when\b|\b(?:what|which|in what|in which) (?:year|day|date|month|century)\b|^\W*(?:wann|quand|cu[áa]ndo|quando|когда)\b|什么时候|いつ", rf"\b1\d{{3}}\b|\b20\d\d\b|\b(?:{_MONTH_NAME_REGEX})\b|\d{{1,2}}[./]\d{{1,2}}|\b\d+ (?:years?|days?|months?|weeks?)\b|年"),
    (r"^\W*(?:who|whom|whose)\b|\bwhat is the name of\b|^\W*(?:wer|qui|qui[ée]n|chi|quem|кто)\b", r"(?:[^.!?\W]|,) [A-Z][\w’'-]+ (?:[A-Z]\.? )*(?:de |van |von |la )?[A-Z][\w’'-]+|^[A-Z][\w’'-]+ (?:[A-Z]\.? )*[A-Z][\w’'-]+"),
    (r"^\W*where\b|\bwhat (?:country|city|state|place)\b|\bwhich (?:country|city|state)\b|^\W*(?:wo|où|d[óo]nde|dove|onde|где)\b", r"\b(?:in|at|near|from|of|to) (?:the )?[A-Z]|\b(?:north|south|east|west|located|situated)\b"),
    (r"^\W*why\b|\bwhat causes?\b|\breason\b|^\W*(?:warum|pourquoi|por qu[ée]|perch[ée]|почему)\b|为什么|なぜ", r"\b(?:because|due to|reasons?|since|so that|caused?|causes|result|in order to|owing|weil|car|porque|perché)\b|потому|因为|ため"),
    (r"^\W*what(?:'s| is| are| was| were| does)\b|\bdefin|^\W*(?:was ist|was sind|qu['’]est-ce|qu[ée] es|cos['’]è|что такое)\b", r"\b(?:is|are|was|were|refers|means|describes|consists|known|called|ist|sind|est|es|è)\b"),
    (r"^\W*(?:can|is|are|do|does|did|will|would|should|could|has|have)\b", r"^\W*(?:yes|no|absolutely|not|it depends|generally|usually|in most cases)\b"),
    (r"^\W*how (?:to|do|can|should|does)\b", r"\b(?:by \w+ing|first|then|you can|using|through|to \w+,|start)\b"),
)  # fmt: skip
_COMPILED_QUESTION_PATTERNS = tuple(
    (re.compile(asked, re.IGNORECASE), pattern) for asked, pattern in _QUESTION_ANSWER_REGEXES
)
_CASE_SENSITIVE_PATTERN = re.compile(r"\[A-Z\]")


def find_answer_pattern(question: str) -> re.Pattern[str] | None:
    """A pattern that sentences answering the question match; None if the question is too open."""
    for asked, pattern in _COMPILED_QUESTION_PATTERNS:
        if asked.search(question):
            return re.compile(
                pattern, 0 if _CASE_SENSITIVE_PATTERN.search(pattern) else re.IGNORECASE
            )
    return None
