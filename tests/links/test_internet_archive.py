"""Archiving: a copy, an older one, or where to look later; a slow archive is never an error."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from citewell.core import config
from citewell.core.errors import MalformedResponse, RefusedByPolicy
from citewell.core.values.citation_checks import ArchiveOutcome
from citewell.links.internet_archive import PageArchive, parse_capture_index
from citewell.net.http.messages import HttpResponse
from citewell.net.network import Network
from tests.clocks import Clock
from tests.exchanges import Exchange, load_exchanges
from tests.internet.apis.archive import JOB
from tests.internet.faults import ALWAYS, Fault
from tests.internet.serve import Internet
from tests.internet.world import World
from tests.requirements import requires

URL = "https://www.example.org/reports/2024?page=2&lang=en"
SAVE = f"/archive/save/{URL.partition('?')[0]}"


class Bench:
    def __init__(self, internet: Internet, environ: dict[str, str], world: World) -> None:
        self._environ, self._internet = environ, internet
        self.world, self.clock = world, Clock(now=0.0)
        self.progress: list[str | None] = []

    def capture(self, url: str = URL, **options: Any) -> ArchiveOutcome:
        async def report(_done: float, _total: float | None, message: str | None) -> None:
            self.progress.append(message)

        async def run() -> ArchiveOutcome:
            network = Network(config.load_settings(self._environ), resolver=_public)
            try:
                archive = PageArchive(
                    network,
                    availability=f"{self._internet.url}/wayback",
                    archive=f"{self._internet.url}/archive",
                    now=lambda: self.world.now,
                    clock=self.clock,
                    sleep=self.clock.sleep,
                    **options,
                )
                return await archive.capture_page(url, progress=report)
            finally:
                await network.aclose()

        return asyncio.run(run())

    def keep(self, *stamps: str) -> None:
        self.world.state["archive"] = {URL: list(stamps)}


async def _public(_host: str) -> list[str]:
    return ["93.184.215.14"]


@pytest.fixture
def bench(internet: Internet, environ: dict[str, str], world: World) -> Bench:
    return Bench(internet, environ, world)


@requires("archive_source.archived")
def test_a_fresh_capture_comes_with_its_address_and_time(bench: Bench, internet: Internet) -> None:
    found = bench.capture()

    stamp = bench.world.now.strftime("%Y%m%d%H%M%S")
    assert (found.status, found.captured, found.http_status) == ("archived", True, 200)
    assert found.snapshot_url == f"{internet.url}/archive/web/{stamp}/{URL}"
    assert found.archived_at == bench.world.now.strftime("%Y-%m-%dT%H:%M:%SZ")
    assert (found.reason, found.poll_url, found.requested_url) == (None, None, URL)
    assert found.to_wire()["source"] == "web.archive.org Save Page Now"


@requires("archive_source.retries")
def test_a_capture_that_fails_at_first_is_tried_again_after_3_and_7_seconds(bench: Bench) -> None:
    bench.world.fail("archive", Fault(status=520, body=""), times=2)

    found = bench.capture()

    assert (found.status, bench.clock.slept) == ("archived", [3.0, 7.0])


def test_a_job_is_asked_for_until_it_is_done(bench: Bench) -> None:
    bench.world.state |= {"saving": "job", "patience": 2}

    found = bench.capture()

    assert (found.status, found.captured) == ("archived", True)
    assert found.provenance == (
        "Save Page Now: HTTP 200",
        "capture job: pending",
        "capture job: success",
    )


@requires("archive_source.existing")
def test_an_earlier_copy_in_an_immediate_answer_is_not_called_a_late_answer(
    bench: Bench,
) -> None:
    shown = {"content-location": f"/archive/web/20200101000000/{URL}"}
    bench.world.fail(SAVE, Fault(status=200, body="", headers=shown), times=ALWAYS)

    found = bench.capture()

    assert (found.status, found.captured, found.http_status) == ("existing", False, 200)
    assert found.reason == "the archive offered an earlier copy instead of making a new one"


@requires("archive_source.pending")
def test_an_immediate_answer_without_a_copy_is_not_called_a_late_answer(bench: Bench) -> None:
    bench.world.fail(SAVE, Fault(status=200, body="<p>Thank you</p>"), times=ALWAYS)

    found = bench.capture()

    assert (found.status, found.http_status) == ("pending", 200)
    assert found.reason == "the archive answered without naming a copy (HTTP 200)"


@requires("archive_source.pending")
def test_a_job_whose_state_cannot_be_asked_for_was_begun_all_the_same(bench: Bench) -> None:
    bench.world.state["saving"] = "job"
    bench.world.fail(f"/archive/save/status/{JOB}", Fault(cut=0), times=ALWAYS)

    found = bench.capture()

    assert found.reason == "the capture was begun and not finished in time"


def test_a_content_location_counts_as_a_capture(bench: Bench, internet: Internet) -> None:
    stamp = bench.world.now.strftime("%Y%m%d%H%M%S")
    header = {"content-location": f"/archive/web/{stamp}/{URL}"}
    bench.world.fail(SAVE, Fault(status=200, body="<html></html>", headers=header), times=1)

    found = bench.capture()

    assert (found.status, found.snapshot_url) == (
        "archived",
        f"{internet.url}/archive/web/{stamp}/{URL}",
    )


@requires("archive_source.pending")
@pytest.mark.parametrize("status", [429, 503, 520])
def test_a_throttled_archive_is_pending_with_a_place_to_look(
    bench: Bench, internet: Internet, status: int
) -> None:
    bench.world.fail(SAVE, Fault(status=status, body=""), times=ALWAYS)

    found = bench.capture()

    assert (found.status, found.captured, found.http_status) == ("pending", False, status)
    assert found.poll_url == f"{internet.url}/archive/web/*/{URL}"
    assert found.snapshot_url is None
    assert found.reason


@requires("archive_source.existing")
def test_an_older_copy_takes_the_place_of_one_that_could_not_be_made(
    bench: Bench, internet: Internet
) -> None:
    bench.keep("20230101000000", "20240506070809")
    bench.world.fail(SAVE, Fault(status=429, body=""), times=ALWAYS)

    found = bench.capture()

    assert (found.status, found.captured, found.archived_at) == ("existing", False, None)
    assert found.snapshot_url == f"{internet.url}/archive/web/20240506070809/{URL}"
    assert found.poll_url is None
    assert found.reason == "the archive asks for a pause"


def test_a_copy_made_meanwhile_counts_as_captured(bench: Bench) -> None:
    bench.keep(bench.world.now.strftime("%Y%m%d%H%M%S"))
    bench.world.fail(SAVE, Fault(status=504, body=""), times=ALWAYS)

    assert (bench.capture().status, bench.capture().captured) == ("archived", True)


def test_an_old_copy_shown_by_save_page_now_is_not_called_new(bench: Bench) -> None:
    old = (bench.world.now - timedelta(minutes=40)).strftime("%Y%m%d%H%M%S")
    bench.keep(old)
    location = {"location": f"/archive/web/{old}/{URL}"}
    bench.world.fail(SAVE, Fault(status=302, body="", headers=location), times=1)

    assert (bench.capture().status, bench.world.calls["wayback"]) == ("existing", 0)


def test_the_index_in_trouble_leaves_the_first_answer(bench: Bench) -> None:
    bench.keep("20240506070809")
    bench.world.fail(SAVE, Fault(status=429, body=""), times=ALWAYS)
    bench.world.fail("/archive/cdx/search/cdx", Fault(status=429, body=""), times=ALWAYS)

    found = bench.capture()

    assert found.status == "existing"
    assert found.provenance[-2:] == ("capture index: rate_limited", "availability: a copy")


def test_a_page_the_archive_refuses_is_unavailable_at_once(bench: Bench) -> None:
    bench.world.state["saving"] = "refuse"

    found = bench.capture()

    assert (found.status, found.http_status, found.poll_url) == ("unavailable", 403, None)
    assert bench.clock.slept == []


@requires("archive_source.unavailable")
def test_an_archive_out_of_reach_is_unavailable_and_no_error(bench: Bench) -> None:
    for name in ("archive", "wayback"):
        bench.world.fail(name, Fault(cut=0), times=ALWAYS)

    found = bench.capture()

    assert (found.status, found.http_status, found.poll_url) == ("unavailable", None, None)
    assert found.reason == "the archive is out of reach"


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1/x",
        "http://10.1.2.3/",
        "http://[::1]/",
        "http://localhost/x",
        "https://intranet.corp/x",
        "http://169.254.169.254/latest",
        "ftp://example.org/x",
        "https://user:secret@example.org/",
        "not an address",
    ],
)
def test_private_addresses_are_refused_before_any_request(bench: Bench, url: str) -> None:
    with pytest.raises(RefusedByPolicy):
        bench.capture(url)

    assert not bench.world.calls


def test_a_name_that_leads_inside_is_refused_before_any_request(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def inside(_host: str) -> list[str]:
        return ["10.0.0.7"]

    monkeypatch.setitem(globals(), "_public", inside)

    with pytest.raises(RefusedByPolicy):
        bench.capture()

    assert not bench.world.calls


@requires("archive_source.keys")
def test_keys_travel_in_a_header_and_nowhere_else(bench: Bench) -> None:
    bench.world.fail(SAVE, Fault(status=429, body=""), times=ALWAYS)

    found = bench.capture(keys=("ACCESS", "SECRET"))

    sent = [asked.headers.get("authorization") for asked in bench.world.requests["archive"]]
    assert sent[:3] == ["LOW ACCESS:SECRET"] * 3
    assert "SECRET" not in json.dumps(found.to_wire())


def test_progress_is_told_at_every_attempt(bench: Bench) -> None:
    bench.world.fail(SAVE, Fault(status=429, body=""), times=ALWAYS)

    bench.capture()

    assert len(bench.progress) == 4


def answer(body: str, status: int = 200) -> HttpResponse:
    return HttpResponse(
        status=status, url="https://web.archive.org/", headers={}, body=body.encode()
    )


def test_the_index_is_read_in_json_and_in_lines() -> None:
    rows = [["original", "timestamp"], ["http://x.example/", "20200101000000"]]
    line = "org,example)/ 20200101000000 http://example.org/ text/html 200 ABC 123"

    assert parse_capture_index(answer(json.dumps(rows))) == [
        {"original": "http://x.example/", "timestamp": "20200101000000"}
    ]
    assert parse_capture_index(answer(line))[0]["original"] == "http://example.org/"
    assert parse_capture_index(answer("")) == []
    assert parse_capture_index(answer("[]")) == []


@pytest.mark.parametrize("body", ["<html>busy</html>", "org.archive.util.io.RuntimeIOException: x"])
def test_an_index_that_answers_otherwise_is_an_error(body: str) -> None:
    with pytest.raises(MalformedResponse):
        parse_capture_index(answer(body))


CAPTURE_LISTS = [
    exchange
    for exchange in load_exchanges("web.archive.org")
    if "/cdx/" in exchange.url and exchange.status == 200
]


@pytest.mark.parametrize("exchange", CAPTURE_LISTS, ids=str)
def test_every_list_of_captures_is_read(exchange: Exchange) -> None:
    rows = parse_capture_index(answer(exchange.text))

    assert rows
    assert all(datetime.strptime(row["timestamp"], "%Y%m%d%H%M%S").replace(tzinfo=UTC) for row in rows)  # fmt: skip
