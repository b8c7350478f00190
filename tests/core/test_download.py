"""Downloads: whole or not at all, bounded, and never to a place the guard forbids."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Callable
from typing import Any

import pytest

from citewell.core import config
from citewell.core.errors import (
    MalformedResponse,
    NetworkFailed,
    NotFound,
    RateLimited,
    RefusedByPolicy,
    TooLarge,
    UpstreamUnavailable,
)
from citewell.net.address_guard import Guard, GuardRules
from citewell.net.http.file_downloads import FileDownloader
from citewell.net.http.messages import HttpRequest
from tests.internet.faults import ALWAYS, Fault
from tests.internet.serve import Internet
from tests.internet.world import World

PLACE = "/site/data.example.org/file.csv"
CSV = {"content-type": "text/csv"}


@pytest.fixture
def save(internet: Internet, environ: dict[str, str]) -> Callable[..., Any]:
    def run(path: str = PLACE, **options: Any) -> tuple[bytes, list[tuple[int, int | None]]]:
        settings = config.load_settings(environ)
        downloads = FileDownloader(Guard(GuardRules.from_settings(settings)), settings)
        file, seen = io.BytesIO(), []
        url = path if "://" in path else internet.url + path
        request = HttpRequest(url=url, **options)
        asyncio.run(
            downloads.download_file(
                request, file, progress=lambda done, total: seen.append((done, total))
            )
        )
        return file.getvalue(), seen

    return run


def test_a_file_comes_whole_and_says_how_far_it_is(save: Callable[..., Any], world: World) -> None:
    body = b"x" * 300_000
    world.fail(PLACE, Fault(status=200, body=body, headers=CSV), times=ALWAYS)

    content, seen = save()

    assert content == body
    assert seen[-1] == (300_000, 300_000)


def test_redirects_are_followed_through_the_guard(save: Callable[..., Any], world: World) -> None:
    world.fail(
        "/site/data.example.org/old", Fault(status=302, headers={"location": PLACE}), times=1
    )
    world.fail("/site/data.example.org/in", Fault(status=302, headers={"location": "http://10.0.0.1/"}), times=1)  # fmt: skip
    world.fail(PLACE, Fault(status=200, body=b"here", headers=CSV), times=1)

    assert save("/site/data.example.org/old")[0] == b"here"
    with pytest.raises(RefusedByPolicy):
        save("/site/data.example.org/in")


def test_a_redirect_to_itself_ends(save: Callable[..., Any], world: World) -> None:
    world.fail(PLACE, Fault(status=302, headers={"location": PLACE}), times=ALWAYS)

    with pytest.raises(UpstreamUnavailable):
        save()


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        (Fault(status=404, body="no"), NotFound),
        (Fault(status=429, body="slow"), RateLimited),
        (Fault(status=500, body="oops"), UpstreamUnavailable),
        (Fault(cut=0), NetworkFailed),
        (Fault(status=200, body=b"x" * 5000, headers={**CSV, "content-length": "5000"}, cut=100), NetworkFailed),
        (Fault(status=200, body=b"abc", headers={"content-encoding": "gzip"}), MalformedResponse),
    ],
)  # fmt: skip
def test_what_does_not_come_whole_is_an_error(
    save: Callable[..., Any], world: World, fault: Any, error: Any
) -> None:
    world.fail(PLACE, fault, times=ALWAYS)

    with pytest.raises(error):
        save()


def test_a_file_over_its_cap_is_refused(save: Callable[..., Any], world: World) -> None:
    world.fail(PLACE, Fault(status=200, body=b"x" * 5000, headers=CSV), times=ALWAYS)

    with pytest.raises(TooLarge):
        save(max_bytes=1000)


def test_a_file_that_takes_too_long_is_given_up(save: Callable[..., Any], world: World) -> None:
    world.fail(PLACE, Fault(delay=30.0), times=ALWAYS)

    with pytest.raises(NetworkFailed):
        save(timeout=0.2)


def test_private_addresses_are_refused(save: Callable[..., Any]) -> None:
    with pytest.raises(RefusedByPolicy):
        save("http://169.254.169.254/latest")
