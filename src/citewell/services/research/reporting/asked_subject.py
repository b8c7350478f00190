"""The subject of a question in its own words: the phrase of it that the best pages use most."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from math import log

from citewell.services.research.analysis.page_analysis import PageAnalysis
from citewell.text.language import scripts, stopwords
from citewell.text.passages.page_units import list_passage_terms
from citewell.text.passages.passage_index import IndexedPage
from citewell.text.questions.question_templates import lower_heading
from citewell.text.questions.referring_words import load_aspect_words

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


def find_asked_subject(found: PageAnalysis) -> str | None:
    """The phrase with its article as the question has it, or the short title of the best page."""
    query = " ".join(found.plan.query.split())
    pages = _list_best_pages(found)
    if scripts.UNSPACED_CHARACTER_PATTERN.search(query):
        return _find_unspaced_subject(query, pages)
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
        return _shorten_title(pages[0].title) if pages else None
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
    return stopwords.list_stopwords(language) | stopwords.list_stopwords("en") | load_aspect_words()


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


def _find_unspaced_subject(query: str, pages: Sequence[IndexedPage]) -> str | None:
    """The longest term of the question that a title holds."""
    titles = " ".join(page.title for page in pages)
    terms = [term for term in _UNSPACED_TERM_PATTERN.findall(query) if term in titles]
    return max(terms, key=len) if terms else None


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


def _shorten_title(title: str) -> str | None:
    """A title up to its first mark, if that is short enough to be a subject."""
    match = _TITLE_HEAD_PATTERN.match(" ".join(title.split()))
    head = match[0].strip() if match else ""
    return head if head and len(head.split()) <= _MAX_TITLE_WORDS else None
