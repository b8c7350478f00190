"""Claims and earlier questions found again by their words, which are kept as keyed hashes only."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Literal

from citewell.store.keychain import Keychain
from citewell.store.sql import Database, Scalar, Statement
from citewell.text import terms

Kind = Literal["job", "claim"]

_LONGEST = 400  # different words of one item
_TOGETHER = 100  # rows a statement
_ASKED = 64  # words of one query


def indexed(chain: Keychain, kind: Kind, item: str, text: str) -> list[Statement]:
    """The statements that make an item found by its words."""
    return entered(kind, [(token, item) for token in tokens(chain, text, most=_LONGEST)])


def entered(kind: Kind, pairs: Sequence[tuple[str, str]]) -> list[Statement]:
    """Rows of (token, item), many a statement: each statement is a journey on a server."""
    batch = []
    for start in range(0, len(pairs), _TOGETHER):
        group = pairs[start : start + _TOGETHER]
        marks = ", ".join(f"(:t{place}, :i{place})" for place in range(len(group)))
        params: dict[str, Scalar] = {}
        for place, (token, item) in enumerate(group):
            params |= {f"t{place}": token, f"i{place}": item}
        sql = f"INSERT INTO {kind}_term (token, {kind}) VALUES {marks} ON CONFLICT DO NOTHING"  # noqa: S608 - constants
        batch.append(Statement(sql=sql, params=params))
    return batch


def tokens(chain: Keychain, text: str, *, most: int = _ASKED) -> tuple[str, ...]:
    """The telling words of a text, each once, as they are kept."""
    telling = terms.asked(text)
    found: Iterable[str] = (*telling.words, *(word for one in telling.phrases for word in one))
    stems = dict.fromkeys(terms.stem(word, "en") for word in found)
    return tuple(chain.token(stem) for stem in islice(stems, most))


async def weighed(
    database: Database, kind: Kind, wanted: Sequence[str], total: int
) -> dict[str, float]:
    """How much each token tells: the rarer, the more."""
    names, params = _among(wanted)
    sql = f"SELECT token, COUNT(*) FROM {kind}_term WHERE token IN ({names}) GROUP BY token"  # noqa: S608 - constants
    counts = {token: int(count) for token, count in await database.fetch(sql, params)}
    return {
        token: math.log(1 + (max(0, total - count) + 0.5) / (count + 0.5))
        for token, count in counts.items()
    }


def scored(kind: Kind, weights: Mapping[str, float]) -> tuple[str, str, dict[str, Scalar]]:
    """The sum of the weights of the words an item has, the condition that it has any, and values."""
    names, params = _among(list(weights))
    cases = " ".join(
        f"WHEN :t{place} THEN CAST(:w{place} AS DOUBLE PRECISION)" for place in range(len(weights))
    )
    params |= {f"w{place}": weight for place, weight in enumerate(weights.values())}
    score = f"SUM(CASE {kind}_term.token {cases} ELSE 0 END)"
    return score, f"{kind}_term.token IN ({names})", params


def _among(values: Sequence[str]) -> tuple[str, dict[str, Scalar]]:
    named: dict[str, Scalar] = {f"t{place}": value for place, value in enumerate(values)}
    return ", ".join(f":{name}" for name in named), named
