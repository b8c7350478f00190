"""Finds records of the registries (trials, cases, filings, patents, statistics) for a question.

Deep research and the document connector use these beside their web search.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from citewell.errors import Misconfigured
from citewell.model.argument_types import MAX_QUERY_CHARS
from citewell.model.search_queries import SearchHit
from citewell.text.questions.question_domains import QuestionDomain, find_question_domains
from citewell.text.questions.question_parts import list_key_words

# Given the words of a question and a number, the records of a registry as pages to read.
SearchRecords = Callable[[str, int], Awaitable[Sequence[SearchHit]]]

# Words that name the registry instead of the subject; registries want every word in a record.
_TRIAL_WORD_LIST = (
    "clinical trial trials study studies evidence randomized randomised tested test testing found show"
    " shows effective better placebo result results recruiting"
)
_PATENT_WORD_LIST = (
    "patent patents patented patenting prior art invention inventions inventor holds owns"
)
_LAW_WORD_LIST = (
    "case cases law legal court courts supreme appeals ruling rulings rule ruled decide decided decision"
    " decisions hold held holding say said opinion opinions"
)
_REGISTRY_WORDS = {
    QuestionDomain.TRIALS: frozenset(_TRIAL_WORD_LIST.split()),
    QuestionDomain.PATENTS: frozenset(_PATENT_WORD_LIST.split()),
    QuestionDomain.LAW: frozenset(_LAW_WORD_LIST.split()),
}
_MAX_RECORDS = 4  # of one registry for one query, beside the pages of the web


class RecordFinder:
    """Asks one kind of registry, and only if a query is about its domain."""

    def __init__(self, domain: QuestionDomain, name: str, search: SearchRecords) -> None:
        self._domain = domain
        self._search = search
        self.name = name

    async def find_pages(self, query: str, *, count: int) -> Sequence[SearchHit]:
        """Records as pages; none if the query is about something else or no registry is set up."""
        if self._domain not in find_question_domains(query):
            return ()
        noise = _REGISTRY_WORDS.get(self._domain, frozenset())
        kept = [word for word in list_key_words(query) if word.lower() not in noise]
        words = " ".join(kept)[:MAX_QUERY_CHARS]
        try:
            return await self._search(words or query[:MAX_QUERY_CHARS], min(count, _MAX_RECORDS))
        except Misconfigured:
            return ()  # the registry is optional: the web is searched in any case
