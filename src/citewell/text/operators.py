"""A question in the operators that web engines share: "exact words", -without, site:host."""

from __future__ import annotations

import re

from citewell.model.search import Query

_TERM = re.compile(r'"([^"]+)"|([^\s,"]+)')


def compose(query: Query, *, limit: int, words: int | None = None) -> str:
    """The query with its filters as operators, within `limit` characters and `words` words.

    What is too long is cut from the text: a filter that was dropped would go unnoticed.
    """
    operators = _operators(query)
    text = query.text
    if words is not None:
        text = " ".join(text.split()[: max(words - len(operators.split()), 0)])
    room = limit - len(operators) - 1 if operators else limit
    return " ".join(part for part in (shorten(text, max(room, 0)), operators) if part)


def shorten(text: str, limit: int) -> str:
    """At most `limit` characters, cut between words where there is a gap."""
    if len(text) <= limit:
        return text
    head, gap, _ = text[: limit + 1].rpartition(" ")
    return (head if gap else text[:limit]).rstrip()


def excluded(terms: str) -> tuple[str, ...]:
    """The single terms of `exclude_terms`: words, or phrases in quotes."""
    found = (phrase or word.lstrip("-") for phrase, word in _TERM.findall(terms))
    return tuple(term for term in found if term.strip())


def _operators(query: Query) -> str:
    parts = []
    if query.exact_terms and (phrase := query.exact_terms.replace('"', " ").strip()):
        parts.append(f'"{phrase}"')
    parts += [_without(term) for term in excluded(query.exclude_terms or "")]
    if query.sites:
        either = " OR ".join(f"site:{site}" for site in query.sites)
        parts.append(f"({either})" if len(query.sites) > 1 else either)
    return " ".join(parts)


def _without(term: str) -> str:
    return f'-"{term}"' if " " in term else f"-{term}"
