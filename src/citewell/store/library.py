"""The library: documents of the owner's own, sealed, and found again by their words."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol, TypeVar

from citewell.errors import NotFound
from citewell.store import library_rows as rows
from citewell.store.failures import Contended, GuardFailed
from citewell.store.fulltext import index_for
from citewell.store.keychain import Keychain
from citewell.store.library_rows import Card, Document, Prepared, Preparer
from citewell.store.packing import maybe_off_loop
from citewell.store.recent import Recent
from citewell.store.sql import Database, Row, Scalar, Statement
from citewell.store.vault import Vault
from citewell.text.excerpt import excerpt
from citewell.text.terms import STEMMED, asked

T = TypeVar("T")

_GROUP = 128  # documents written together
_GROUP_CHARACTERS = 2_000_000
_ATTEMPTS = 20
_MOST = 100  # matches at once
_LANGUAGES_HOLD = 30.0  # seconds until the languages of a library are looked up again


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """What a document must be; a site stands for its subdomains too. Dates are seconds."""

    site: str | None = None
    kind: str | None = None
    tag: str | None = None
    language: str | None = None
    after: float | None = None
    before: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    card: Card
    score: float
    snippet: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    added: int = 0
    replaced: int = 0
    unchanged: int = 0


class LibraryStore(Protocol):
    """Every call names an owner; nobody finds or reads what another owner put."""

    async def put(self, owner: str, documents: Iterable[Document]) -> Written:
        """Keep and index them, the later of one id instead of the earlier; unchanged ones cost little."""
        ...

    async def get(self, owner: str, document_id: str) -> Document:
        """Raises NotFound for what is not there or not theirs."""
        ...

    async def remove(self, owner: str, document_ids: Iterable[str]) -> int:
        """How many of them there were."""
        ...

    async def cards(
        self, owner: str, *, limit: int = 100, after: Card | None = None
    ) -> tuple[Card, ...]:
        """Documents without their text, the oldest first; go on with the last of them as `after`."""
        ...

    async def search(
        self,
        owner: str,
        query: str,
        *,
        filters: Filters | None = None,
        language: str | None = None,
        limit: int = 10,
        offset: int = 0,
    ) -> tuple[Match, ...]:
        """The best matches first; quoted phrases must occur, other words need not all."""
        ...

    async def count(self, owner: str) -> int: ...

    async def clear(self, owner: str) -> int:
        """Remove everything of the owner's; how many documents there were."""
        ...


class SqlLibrary:
    def __init__(self, database: Database, vault: Vault, *, clock: Callable[[], float]) -> None:
        self._database = database
        self._vault = vault
        self._clock = clock
        self._index = index_for(database.dialect)
        self._preparers: Recent[str, Preparer] = Recent(16)
        self._languages: dict[str, tuple[float, tuple[str, ...]]] = {}

    async def put(self, owner: str, documents: Iterable[Document]) -> Written:
        added = replaced = unchanged = 0
        for group in _grouped(documents):
            written = await self._retried(partial(self._put, owner, group))
            added += written.added
            replaced += written.replaced
            unchanged += written.unchanged
        self._languages.pop(owner, None)
        return Written(added=added, replaced=replaced, unchanged=unchanged)

    async def get(self, owner: str, document_id: str) -> Document:
        chain = await self._vault.find(owner)
        name = rows.name(chain, document_id) if chain else ""
        found = await self._database.fetch(rows.GET, {"name": name}) if chain else []
        chain = await self._vault.covering(owner, [found[0][-1], found[0][-2]]) if found else None
        if chain is None:
            raise NotFound("No document of the library has this id.")
        return rows.open_document(chain, found[0])

    async def remove(self, owner: str, document_ids: Iterable[str]) -> int:
        chain = await self._vault.find(owner)
        if chain is None:
            return 0
        gone = 0
        names = [rows.name(chain, one) for one in dict.fromkeys(document_ids)]
        for start in range(0, len(names), _GROUP):
            group = names[start : start + _GROUP]
            gone += await self._retried(partial(self._remove, owner, group))
        self._languages.pop(owner, None)
        return gone

    async def cards(
        self, owner: str, *, limit: int = 100, after: Card | None = None
    ) -> tuple[Card, ...]:
        chain = await self._vault.find(owner)
        if chain is None:
            return ()
        params: dict[str, Scalar] = {
            "owner": chain.tag,
            "limit": limit,
            "row": after.row if after else 0,
        }
        found = await self._database.fetch(rows.CARDS, params)
        chain = await self._vault.covering(owner, [row[-1] for row in found]) or chain
        return tuple(rows.open_card(chain, row) for row in found)

    async def search(
        self,
        owner: str,
        query: str,
        *,
        filters: Filters | None = None,
        language: str | None = None,
        limit: int = 10,
        offset: int = 0,
    ) -> tuple[Match, ...]:
        chain = await self._vault.find(owner)
        if chain is None:
            return ()
        chosen = filters or Filters()
        want = asked(query, language=language)
        languages = await self._spoken(owner, chain, language)
        wanted = rows.wanted(chain, want, languages, chosen.after, chosen.before)
        wanted = rows.filtered(chain, wanted, _facets(chosen))
        if not (wanted.words or wanted.phrases or wanted.facets):
            return ()
        sql, params = self._index.query(wanted, owner=chain.tag)
        params |= {"limit": max(1, min(limit, _MOST)), "offset": max(0, offset)}
        ranked = await self._database.fetch(sql, params)
        seek = frozenset((*want.words, *(word for one in want.phrases for word in one)))
        return await self._matches(owner, ranked, seek)

    async def count(self, owner: str) -> int:
        tag = await self._vault.tag(owner)
        found = await self._database.fetch(rows.COUNT, {"owner": tag})
        return int(found[0][0]) if found else 0

    async def clear(self, owner: str) -> int:
        gone = 0
        while found := await self.cards(owner, limit=_GROUP):
            gone += await self.remove(owner, [card.id for card in found])
        await self._database.execute(self._index.clear(await self._vault.tag(owner)))
        return gone

    async def reindex(self) -> int:
        """Make the index anew from the sealed documents; how many there were."""
        await self._database.execute(rows.emptied(self._database.dialect))
        done, last = 0, 0
        while found := await self._database.fetch(rows.NEXT, {"row": last, "limit": _GROUP}):
            for row in found:
                await self._reindexed(row)
            done, last = done + len(found), found[-1][0]
        await self._database.execute([Statement(sql=rows.CHORE_DONE)])
        return done

    async def _reindexed(self, row: Row) -> None:
        row_id, name, owner, *_ = row
        chain = await self._vault.tagged(owner)
        if chain is None:
            return  # erased, and on its way out
        document = rows.open_document(chain, (row_id, name, *row[3:]))
        terms = await asyncio.to_thread(Preparer(chain).terms, document)
        batch = rows.indexed_anew(self._database.dialect, row_id, terms)
        length: dict[str, Scalar] = {"owner": owner, "documents": 1, "length": terms.length}
        counted = self._index.tally([terms], [])
        await self._database.execute([Statement(sql=rows.TOTAL, params=length), *counted, *batch])

    async def _put(self, owner: str, group: Sequence[Document]) -> Written:
        chain = await self._vault.ensure(owner)
        preparer = self._preparer(chain)
        latest = {rows.name(chain, one.card.id): one for one in group}
        known = await self._known(list(latest))
        kept = {
            name: document
            for name, document in latest.items()
            if name not in known or known[name][2] != rows.stamp(chain, document)
        }
        now = self._clock()
        fresh = await asyncio.to_thread(lambda: [preparer.row(one, now) for one in kept.values()])
        stale = [known[name] for name in kept if name in known]
        removed = await self._prepared_removal(owner, stale)
        if kept:
            await self._write(chain, fresh, removed)
        return Written(
            added=len(kept) - len(stale),
            replaced=len(stale),
            unchanged=len(group) - len(kept),
        )

    async def _remove(self, owner: str, names: list[str]) -> int:
        chain = await self._vault.find(owner)
        known = await self._known(names)
        if not known or chain is None:
            return 0
        removed = await self._prepared_removal(owner, list(known.values()))
        await self._write(chain, [], removed)
        return len(removed)

    async def _write(
        self, chain: Keychain, fresh: Sequence[Prepared], removed: Sequence[Prepared]
    ) -> None:
        """One batch; the owner's total comes early, so that writers of one library queue there."""
        total: dict[str, Scalar] = {
            "owner": chain.tag,
            "documents": len(fresh) - len(removed),
            "length": sum(one.terms.length for one in fresh)
            - sum(one.terms.length for one in removed),
        }
        batch = [self._vault.guard(chain), Statement(sql=rows.TOTAL, params=total)]
        for one in removed:
            gone = Statement(
                sql=rows.DELETE, params={"id": one.row_id, "stamp": one.row["stamp"]}, expect=1
            )
            batch += [gone, *self._index.remove(one.row_id, one.terms)]
        for one in fresh:
            batch += self._index.insert(one.row, one.terms)
        batch += self._index.tally([one.terms for one in fresh], [one.terms for one in removed])
        await self._database.execute(batch)

    async def _known(self, names: Sequence[str]) -> dict[str, Row]:
        """Rows by name; their columns are those of KNOWN."""
        sql, params = rows.among(rows.KNOWN, names)
        found = await self._database.fetch(sql, params)
        return {row[1]: row for row in found}

    async def _prepared_removal(self, owner: str, stale: Sequence[Row]) -> list[Prepared]:
        if not stale:
            return []
        bodies = [body for row in stale for body in row[-2:]]
        chain = await self._vault.covering(owner, bodies)
        if chain is None:
            raise GuardFailed("The owner's keys are gone.")
        preparer = self._preparer(chain)
        return await asyncio.to_thread(lambda: [preparer.known(row) for row in stale])

    async def _matches(
        self, owner: str, ranked: Sequence[Row], seek: Collection[str]
    ) -> tuple[Match, ...]:
        bodies = [body for row in ranked for body in row[-2:]]
        chain = await self._vault.covering(owner, bodies)
        if chain is None:
            return ()
        return await maybe_off_loop(
            sum(map(len, bodies)),
            lambda: tuple(_match(chain, row, score, seek) for score, *row in ranked),
        )

    async def _spoken(self, owner: str, chain: Keychain, language: str | None) -> tuple[str, ...]:
        """The languages a query may be answered in: the one named, or all that the library has."""
        if language:
            return (language,)
        held = self._languages.get(owner)
        if held is not None and self._clock() < held[0]:
            return held[1]
        if await self._database.fetch(rows.CHORE):
            await self.reindex()
        present = []
        for code in STEMMED:
            wanted = rows.filtered(chain, rows.NOTHING, [("language", code)])
            sql, params = self._index.query(wanted, owner=chain.tag)
            if await self._database.fetch(sql, params | {"limit": 1, "offset": 0}):
                present.append(code)
        spoken = tuple(present) or ("en",)
        self._languages[owner] = (self._clock() + _LANGUAGES_HOLD, spoken)
        return spoken

    async def _retried(self, work: Callable[[], Awaitable[T]]) -> T:
        for _ in range(_ATTEMPTS):
            try:
                return await work()
            except GuardFailed:
                continue  # another process changed the same documents; look again
        raise Contended("The library kept changing under other writers. Try again.")

    def _preparer(self, chain: Keychain) -> Preparer:
        kept = self._preparers.get(chain.tag)
        if kept is None or kept.chain is not chain:
            kept = Preparer(chain)
            self._preparers.put(chain.tag, kept, 1)
        return kept


def _grouped(documents: Iterable[Document]) -> Iterator[list[Document]]:
    group: list[Document] = []
    size = 0
    for document in documents:
        group.append(document)
        size += len(document.text)
        if len(group) >= _GROUP or size >= _GROUP_CHARACTERS:
            yield group
            group, size = [], 0
    if group:
        yield group


def _facets(filters: Filters) -> list[tuple[str, str]]:
    named = (
        ("site", filters.site),
        ("kind", filters.kind),
        ("tag", filters.tag),
        ("language", filters.language and filters.language[:2]),
    )
    chosen = [(name, value.lower()) for name, value in named if value]
    dated = filters.after is not None or filters.before is not None
    return chosen or ([("every", "")] if dated else [])


def _match(chain: Keychain, row: Sequence[Any], score: float, seek: Collection[str]) -> Match:
    document = rows.open_document(chain, tuple(row))
    snippet = excerpt(document.text, seek)
    return Match(card=document.card, score=score, snippet=snippet)
