from __future__ import annotations

import asyncio

import pytest

from citewell.core.errors import MalformedResponse, UpstreamUnavailable
from citewell.domains.series import SeriesHits, SeriesItem
from citewell.net.http.messages import HttpResponse
from citewell.providers.dialects.sdmx_source import list_key_dimensions, write_flow_lines
from citewell.providers.dialects.series_catalogue import (
    SeriesCatalogue,
    run_reader,
    write_catalogue_lines,
)
from citewell.routing.ports import ForgetfulMemory
from tests.internet.apis.worldbank import INDICATORS
from tests.requirements import requires
from tests.task_thread import ThreadTasks


class Facts:
    """A memory of facts that counts nothing away."""

    def __init__(self) -> None:
        self.kept: dict[str, bytes] = {}
        self.seconds = 0.0

    async def recall_fact(self, key: str) -> bytes | None:
        return self.kept.get(key)

    async def remember_fact(self, key: str, value: bytes, *, ttl: float) -> None:
        self.kept[key], self.seconds = value, ttl


class Source:
    def __init__(self, *answers: str | Exception) -> None:
        self.answers = list(answers)
        self.asked = 0

    async def fetch(self) -> str:
        self.asked += 1
        await asyncio.sleep(0)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


LINES = write_catalogue_lines(SeriesItem(series_id=code, title=name) for code, name in INDICATORS)


def search(text: str, count: int = 5) -> SeriesHits:
    catalogue = SeriesCatalogue(ForgetfulMemory(), Source(LINES).fetch)
    return asyncio.run(catalogue.search_entries(text, count=count))


def ids(found: SeriesHits) -> list[str]:
    return [series.series_id for series in found.series]


@requires("econ_search.all_words")
@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("GDP growth", ["NY.GDP.MKTP.KD.ZG", "NY.GDP.PCAP.KD.ZG"]),
        ("growth gdp", ["NY.GDP.MKTP.KD.ZG", "NY.GDP.PCAP.KD.ZG"]),
        ("capita gdp annual", ["NY.GDP.PCAP.KD.ZG"]),
        ("opulatio", ["SP.POP.TOTL"]),
        ("sp.pop.totl", ["SP.POP.TOTL"]),
    ],
)
def test_all_words_must_be_in_a_title_and_one_word_may_be_a_part_of_another(
    text: str, found: list[str]
) -> None:
    answer = search(text)

    assert ids(answer) == found
    assert answer.notes == ()


@pytest.mark.parametrize(
    ("text", "first", "note"),
    [
        ("growing populations", "SP.POP.TOTL", "1 of 2"),
        ("CPI", "FP.CPI.TOTL.ZG", "other forms"),
        ("the population of", "SP.POP.TOTL", "other forms"),
        ("population rate", "SP.POP.TOTL", "1 of 2"),
        ("inflation rate index", "FP.CPI.TOTL.ZG", "1 of 3"),
        ("carbon emission", "EN.GHG.CO2.PC.CE.AR5", None),
    ],
)
def test_near_titles_are_found_and_told(text: str, first: str, note: str | None) -> None:
    answer = search(text)

    assert ids(answer)[0] == first
    assert bool(answer.notes) == bool(note)
    assert not note or note in answer.notes[0]


@pytest.mark.parametrize("text", ["zebra", "zebra stripes growth", "of the", "%%%", "\u4e2d"])
def test_what_is_in_no_title_is_not_found(text: str) -> None:
    assert search(text).series == ()


def test_no_more_come_than_were_asked_for() -> None:
    assert len(search("annual", count=2).series) == 2


def test_a_catalogue_is_fetched_once_a_day_however_many_search_at_once() -> None:
    facts, source = Facts(), Source(LINES)
    catalogue = SeriesCatalogue(facts, source.fetch)

    async def together() -> list[SeriesHits]:
        texts = ("gdp", "population", "inflation")
        searches = (catalogue.search_entries(text, count=5) for text in texts)
        return list(await asyncio.gather(*searches))

    found = asyncio.run(together())

    assert all(hits.series for hits in found)
    assert (source.asked, facts.seconds) == (1, 86_400)


def test_a_failure_is_raised_and_never_kept() -> None:
    facts, source = Facts(), Source(UpstreamUnavailable("503"), MalformedResponse("half"), LINES)
    catalogue = SeriesCatalogue(facts, source.fetch)

    async def search_once() -> SeriesHits:
        return await catalogue.search_entries("gdp", count=5)

    for kind in (UpstreamUnavailable, MalformedResponse):
        with pytest.raises(kind):
            asyncio.run(search_once())
        assert facts.kept == {}
    assert asyncio.run(search_once()).series
    assert source.asked == 3


def test_titles_cannot_break_the_lines_of_a_catalogue() -> None:
    lines = write_catalogue_lines(
        [SeriesItem(series_id="a", title="one\ttwo\nthree", notes="x" * 5000)]
    )

    assert lines.count("\n") == 0
    assert lines.split("\t")[1] == "one two three"
    assert len(lines) < 400


def test_a_catalogue_of_nothing_is_malformed() -> None:
    with pytest.raises(MalformedResponse):
        write_catalogue_lines([])


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{}",
        b"[]",
        b"null",
        b'{"data": {}}',
        b"<html><body>Sorry</body></html>",
        b"<a",
        b"half",
    ],
)
def test_what_is_no_structure_message_is_malformed(body: bytes) -> None:
    for read in (write_flow_lines, list_key_dimensions):
        with pytest.raises(MalformedResponse):
            read(body)


def test_long_answers_are_read_in_a_worker_and_errors_name_the_provider() -> None:
    tasks = ThreadTasks()
    long = HttpResponse(
        status=200, url="", headers={}, body=b"<a>" + b" " * 100_000, provider="oecd"
    )

    with pytest.raises(MalformedResponse) as caught:
        asyncio.run(run_reader(tasks, write_flow_lines, long))

    assert caught.value.provider == "oecd"
