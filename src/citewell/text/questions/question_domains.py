"""Tells which registries a question is for: trials, courts, filings, statistics or patents."""

from __future__ import annotations

import re
from enum import StrEnum

_MAX_QUESTION_CHARS = 2000


class QuestionDomain(StrEnum):
    TRIALS = "trials"
    LAW = "law"
    FILINGS = "filings"
    STATISTICS = "statistics"
    PATENTS = "patents"


# Words that are rarely used outside the domain; one is enough.
_CUE_PATTERNS = {
    QuestionDomain.TRIALS: re.compile(
        r"\bNCT\d{8}\b|\bclinical (?:trials?|stud(?:y|ies)|evidence)\b|\brandomi[sz]ed\b|\bplacebo\b"
        r"|\bphase (?:[1-4]|I{1,3}|IV)\b|\bdouble[ -]blind|\btrial participants\b|\bklinische\w{0,2} studien?\b"
        r"|\bessais? cliniques?\b|\bensayos? cl[ií]nicos?\b|\bstudi(?:o|i) clinic[oi]\b",
        re.IGNORECASE,
    ),
    QuestionDomain.LAW: re.compile(
        r"\b[A-Z][\w.'’-]{1,40} v\. [A-Z]|\b(?:supreme|appeals?|appellate|district|federal|high) courts?\b"
        r"|\bcourts? (?:ruled?|held|rulings?|decisions?|cases?)\b|\bcase law\b|\blegal precedents?\b"
        r"|\bunconstitutional\b|\bplaintiffs?\b|\bdefendants?\b|\b(?:first|second|fourth|fifth|sixth|fourteenth) amendment\b"
        r"|\b\d{1,3} (?:C\.?F\.?R\.?|U\.S\.C?\.?|F\.(?:2d|3d|4th)|S\. Ct\.)|\bECLI:|\[\d{4}\] (?:UK|EW)[A-Z]{2}\b"
        r"|\bBundesgerichtshof\b|\bCour de cassation\b|\bCourt of Justice\b"
    ),
    QuestionDomain.FILINGS: re.compile(
        r"\b(?:10-[KQ]|8-K|20-F|S-1|DEF 14A|13F)\b|\bSEC filings?\b|\bEDGAR\b|\bannual report of [A-Z]"
        r"|\b(?:net income|earnings per share|operating income|diluted EPS) (?:of|for|at|did) [A-Z]"
        r"|\b[A-Z]\w{1,30}['’]s (?:10-[KQ]|annual report|net income|revenues?|earnings per share)\b"
    ),
    QuestionDomain.STATISTICS: re.compile(
        r"\bGDP\b|\bgross domestic product\b|\binflation rate\b|\bconsumer prices?\b|\bunemployment rates?\b"
        r"|\b(?:life expectancy|fertility rate|birth rate|infant mortality|literacy rate) (?:in|of|at)\b"
        r"|\bpopulation (?:of|in|growth)\b|\bpublic debt\b|\bgovernment debt\b|\binterest rates?\b|\bexchange rates?\b"
        r"|\bper capita\b|\bcurrent account\b|\bGini\b|\bCPI\b|\bArbeitslosenquote\b|\btaux de chômage\b",
        re.IGNORECASE,
    ),
    QuestionDomain.PATENTS: re.compile(
        r"\bpatent(?:s|ed|ing)?\b|\bprior art\b|\bpatentiert\b|\bbrevets?\b|\bpatentes?\b|\bbrevett[oi]\b"
        r"|\b(?:US|EP|WO) ?\d{1,2}[,.]?\d{3}[,.]?\d{3}(?: ?[AB]\d)?\b",
        re.IGNORECASE,
    ),
}  # fmt: skip


def find_question_domains(question: str) -> frozenset[QuestionDomain]:
    """The domains whose words the question uses; empty for most questions."""
    text = question[:_MAX_QUESTION_CHARS]
    return frozenset(domain for domain, cue in _CUE_PATTERNS.items() if cue.search(text))
