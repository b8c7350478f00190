"""A provider's catalogue of series: fetched once a day, kept in a compact form, searched by our own ranking."""

from __future__ import annotations

import asyncio
import re
import zlib
from collections.abc import Awaitable, Callable, Iterable
from typing import Concatenate, ParamSpec, TypeVar

from citewell.core.errors import CitewellError, MalformedResponse
from citewell.domains.series import SeriesHits, SeriesItem
from citewell.net.http.messages import HttpResponse
from citewell.routing.ports import ProviderMemory
from citewell.text.language.word_forms import stem_word
from citewell.workers.worker_tasks import TaskFailure, TaskRunner, run_function

CATALOGUE_SECONDS = 24 * 3600.0  # how long a catalogue is kept
CATALOGUE_TIMEOUT_SECONDS = 25.0  # the OECD takes its time for the list of all data flows
_FACT_NAME = "catalogue 1"  # the number changes with the form of the lines
_MAX_CATALOGUE_BYTES = 12 * 2**20
_INLINE_BYTES = 64 * 2**10  # larger answers are read by a worker
_MAX_NOTE_CHARS = 200
_WORD_PATTERN = re.compile(r"[^\W_]+")
_SEPARATORS = str.maketrans("\t\n\r", "   ")
# What a word of a query may be called in a title; used only if its own letters are in none.
_OTHER_NAMES = {
    "gdp": "gross domestic product", "cpi": "consumer price", "hicp": "harmonised index consumer prices",
    "ppi": "producer price", "fdi": "foreign direct investment", "gni": "gross national income",
    "ppp": "purchasing power", "bop": "balance of payments", "unemployment": "unemployed",
    "inflation": "consumer price", "population": "inhabitants", "co2": "carbon dioxide",
}  # fmt: skip
_FILLER_WORDS = frozenset(
    {"the", "of", "in", "for", "and", "a", "an", "to", "by", "data", "series"}
)
_VAGUE_WORDS = frozenset(
    {"rate", "rates", "ratio", "index", "level", "total", "statistics", "figures", "annual", "real"}
)
_VAGUE_WEIGHT = 0.2

P = ParamSpec("P")
R = TypeVar("R")


async def run_reader(
    workers: TaskRunner | None,
    read: Callable[Concatenate[bytes, P], R],
    response: HttpResponse,
    *args: P.args,
    **kwargs: P.kwargs,
) -> R:
    """Read a response's body: a short one here, a long one in a worker. Raises what the reader raises."""
    try:
        if workers is None or len(response.body) <= _INLINE_BYTES:
            return read(response.body, *args, **kwargs)
        return await run_function(workers, read, response.body, *args, **kwargs)
    except TaskFailure as failure:
        raise MalformedResponse(
            f"The answer could not be read. {failure.message}", provider=response.provider
        ) from None
    except CitewellError as error:
        error.provider = error.provider or response.provider
        raise


class SeriesCatalogue:
    """All series or data sets of one provider. `fetch` returns the lines of `write_catalogue_lines`."""

    def __init__(self, memory: ProviderMemory, fetch: Callable[[], Awaitable[str]]) -> None:
        self._memory = memory
        self._fetch = fetch
        self._lock = asyncio.Lock()

    async def search_entries(self, words: str, *, count: int) -> SeriesHits:
        """The series whose titles fit the words; an error of the provider is raised and not kept."""
        async with self._lock:  # several searches at once fetch the catalogue once
            packed = await self._memory.recall_fact(_FACT_NAME)
            if packed is None:
                lines = (await self._fetch()).encode("utf-8", "replace")
                packed = await asyncio.to_thread(zlib.compress, lines, level=6)
                await self._memory.remember_fact(_FACT_NAME, packed, ttl=CATALOGUE_SECONDS)
        return await asyncio.to_thread(rank_catalogue, packed, words, count)


def write_catalogue_lines(entries: Iterable[SeriesItem]) -> str:
    """The entries without duplicates, one line each; MalformedResponse if there are none."""
    lines: dict[str, str] = {}
    for entry in entries:
        fields = (
            entry.series_id,
            entry.title or "",
            entry.units or "",
            entry.frequency or "",
            entry.last_updated or "",
            (entry.notes or "")[:_MAX_NOTE_CHARS],
        )
        lines.setdefault(
            entry.series_id, "\t".join(field.translate(_SEPARATORS) for field in fields)
        )
    if not lines:
        raise MalformedResponse("The catalogue has no entries.")
    return "\n".join(lines.values())


def rank_catalogue(packed: bytes, text_wanted: str, count: int) -> SeriesHits:
    """The entries that fit: the id itself, then titles with all words, or else the nearest, which is told."""
    text = zlib.decompressobj().decompress(packed, _MAX_CATALOGUE_BYTES).decode("utf-8", "replace")
    rows = [
        (line, line.partition("\t")[2].partition("\t")[0].casefold()) for line in text.split("\n")
    ]
    wanted = " ".join(text_wanted.casefold().split())
    words = wanted.split()
    named = [line for line, _ in rows if line.partition("\t")[0].casefold() == wanted]
    strict = [(line, title) for line, title in rows if all(word in title for word in words)]
    strict.sort(key=lambda row: _score_series_title(row[1], wanted, words))
    found = list(dict.fromkeys([*named, *(line for line, _ in strict)]))
    notes: tuple[str, ...] = ()
    if not found:
        found, notes = _find_near_titles(rows, wanted)
    return SeriesHits(series=tuple(map(_unpack_line, found[:count])), notes=notes)


def _score_series_title(title: str, wanted: str, words: list[str]) -> tuple[bool, int, bool, int]:
    """Smaller is better: the phrase itself, whole words, at the beginning, and little else."""
    whole = set(_WORD_PATTERN.findall(title))
    return (
        wanted not in title,
        sum(word not in whole for word in words),
        not title.startswith(words[0]) if words else True,
        len(title),
    )


def _find_near_titles(
    rows: list[tuple[str, str]], wanted: str
) -> tuple[list[str], tuple[str, ...]]:
    """Titles by word stems and other names: those with all words of the query, else with most of them.

    A word that is in many names, such as rate, counts little.
    """
    words = [
        word for word in dict.fromkeys(_WORD_PATTERN.findall(wanted)) if word not in _FILLER_WORDS
    ]
    groups = [{stem_word(word, "en"), *_list_other_stems(word)} for word in words]
    weights = [_VAGUE_WEIGHT if word in _VAGUE_WORDS else 1.0 for word in words]
    stems: dict[str, str] = {}
    scored = []
    for line, title in rows if groups else ():
        own = set()
        for word in _WORD_PATTERN.findall(title):
            if word not in stems:
                stems[word] = stem_word(word, "en")
            own.add(stems[word])
        hits = [
            any(all(part in own for part in choice.split()) for choice in group) for group in groups
        ]
        score = sum(weight for weight, hit in zip(weights, hits, strict=True) if hit)
        if score:
            scored.append((score, sum(hits), line, title))
    best = max((row[:2] for row in scored), default=(0.0, 0))
    if best[0] * 2 < sum(weights) or not best[0]:
        return [], ()
    found = [(line, title) for score, hits, line, title in scored if (score, hits) == best]
    found.sort(key=lambda row: (not row[1].startswith(words[0]), len(row[1])))
    note = (
        "No title has all words as written; these have other forms of them."
        if best[1] == len(groups)
        else f"No title has all words; these have {best[1]} of {len(groups)}."
    )
    return [line for line, _ in found], (note,)


def _list_other_stems(word: str) -> tuple[str, ...]:
    other = _OTHER_NAMES.get(word)
    return (" ".join(stem_word(part, "en") for part in other.split()),) if other else ()


def _unpack_line(line: str) -> SeriesItem:
    fields = [*line.split("\t"), "", "", "", "", ""]
    return SeriesItem(
        series_id=fields[0],
        title=fields[1],
        units=fields[2] or None,
        frequency=fields[3] or None,
        last_updated=fields[4] or None,
        notes=fields[5] or None,
    )
