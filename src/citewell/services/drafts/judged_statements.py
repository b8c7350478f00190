"""Keeps what sources were found to say to statements, so that a second check need not compare again.

An entry is found by what it was made of: the statements, the text of the source and the rules that
compared them. A source that has changed, or another version of these rules, makes it anew.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Awaitable, Callable, Sequence
from functools import cache
from pathlib import Path

from pydantic import TypeAdapter

from citewell import __version__, text
from citewell.services.judging import lexical_judge
from citewell.services.judging.statements import number_stances, statement_judgement, word_stances
from citewell.services.judging.statements.read_source import ReadSource
from citewell.services.judging.statements.source_opinions import SourceOpinion
from citewell.store.cache.tiered_cache import ResultCache

OPINIONS_TTL_SECONDS = 7 * 86_400.0


class JudgedStatements:
    def __init__(self, cached: ResultCache, *, find_rules: Callable[[], str] | None = None) -> None:
        """`find_rules` names the version of the rules by which statements are judged."""
        self._cache = cached
        self._find_rules = find_rules or fingerprint_judging_rules
        self._rules: str | None = None

    async def load_opinions(
        self,
        owner: str,
        read: ReadSource,
        texts: Sequence[str],
        judge: Callable[[], Awaitable[list[SourceOpinion]]],
    ) -> list[SourceOpinion]:
        """One opinion for each text, kept or made by `judge`; no owner sees those of another."""
        if self._rules is None:
            self._rules = await asyncio.to_thread(self._find_rules)
        key = _build_opinions_key(self._rules, read, texts)
        entry = await self._cache.look_up_entry(owner, key)
        if entry is not None:
            return _build_opinion_adapter().validate_json(entry.value)
        made = await judge()
        data = json.dumps(
            _build_opinion_adapter().dump_python(made, mode="json"), ensure_ascii=False
        )
        await self._cache.store_entry(
            owner, key, data.encode("utf-8", "replace"), ttl=OPINIONS_TTL_SECONDS
        )
        return made


@cache
def fingerprint_judging_rules() -> str:
    """A hash of the files that decide what a source says to a statement, and of the version."""
    digest = hashlib.sha256(__version__.encode())
    deciding = (statement_judgement, number_stances, word_stances, lexical_judge)
    single = [Path(one.__file__ or "") for one in deciding]
    folders = [Path(folder) for folder in text.__path__]
    packed = sorted(path for folder in folders for path in folder.rglob("*"))
    for path in (*single, *packed):
        if path.is_file() and "__pycache__" not in path.parts:
            digest.update(path.name.encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()


def _build_opinions_key(rules: str, read: ReadSource, texts: Sequence[str]) -> str:
    question = [
        "judged statements",
        rules,
        list(texts),
        hashlib.sha256(read.text.encode("utf-8", "surrogatepass")).hexdigest(),
        [read.language, read.url, read.title, read.is_whole, read.note, sorted(read.years)],
    ]
    return hashlib.sha256(json.dumps(question).encode()).hexdigest()


@cache
def _build_opinion_adapter() -> TypeAdapter[list[SourceOpinion]]:
    return TypeAdapter(list[SourceOpinion])
