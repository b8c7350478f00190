"""Search queries with the operators that web engines share: "exact words", -without, site:host."""

from __future__ import annotations

import re

from citewell.core.values.search_queries import SearchQuery

_EXCLUDED_TERM_PATTERN = re.compile(r'"([^"]+)"|([^\s,"]+)')


def build_operator_query(
    query: SearchQuery, *, max_chars: int, max_words: int | None = None
) -> str:
    """The query with its filters as operators, within `max_chars` characters and `max_words` words.

    If it is too long, the text is cut and never the filters: nobody would notice a missing filter.
    """
    operators = _format_query_operators(query)
    text = query.text
    if max_words is not None:
        text = " ".join(text.split()[: max(max_words - len(operators.split()), 0)])
    room = max_chars - len(operators) - 1 if operators else max_chars
    return " ".join(part for part in (shorten_query_text(text, max(room, 0)), operators) if part)


def shorten_query_text(text: str, limit: int) -> str:
    """At most `limit` characters, cut between words if there is a space."""
    if len(text) <= limit:
        return text
    head, gap, _ = text[: limit + 1].rpartition(" ")
    return (head if gap else text[:limit]).rstrip()


def split_excluded_terms(terms: str) -> tuple[str, ...]:
    """The words and quoted phrases of `exclude_terms`, one by one."""
    found = (phrase or word.lstrip("-") for phrase, word in _EXCLUDED_TERM_PATTERN.findall(terms))
    return tuple(term for term in found if term.strip())


def _format_query_operators(query: SearchQuery) -> str:
    parts = []
    if query.exact_terms and (phrase := query.exact_terms.replace('"', " ").strip()):
        parts.append(f'"{phrase}"')
    if query.exclude_terms:
        terms = split_excluded_terms(query.exclude_terms)
        parts += [f'-"{term}"' if " " in term else f"-{term}" for term in terms]
    if query.sites:
        either = " OR ".join(f"site:{site}" for site in query.sites)
        parts.append(f"({either})" if len(query.sites) > 1 else either)
    return " ".join(parts)
