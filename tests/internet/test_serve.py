from __future__ import annotations

import http.client
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path
from urllib.error import HTTPError

import pytest

from tests.internet.faults import ALWAYS, Fault
from tests.internet.serve import Internet, real_latency
from tests.internet.world import World

PAGE = "lithium-ion-ageing"
HOST = "batteries.example.org"


def get(url: str, **headers: str) -> tuple[int, bytes]:
    request = urllib.request.Request(url, headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=5) as answer:
            return answer.status, answer.read()
    except HTTPError as error:
        with error:
            return error.code, error.read()


def test_a_page_is_served_by_path(internet: Internet) -> None:
    status, body = get(internet.page(HOST, PAGE))

    assert status == 200
    assert b"solid electrolyte interphase" in body


def test_a_page_is_served_by_host_name(internet: Internet) -> None:
    status, body = get(f"{internet.url}/{PAGE}", Host=f"{HOST}:{internet.port}")

    assert status == 200
    assert b"solid electrolyte interphase" in body


def test_an_unknown_page_is_a_404(internet: Internet) -> None:
    assert get(internet.page(HOST, "no-such-page"))[0] == 404


def test_a_fault_is_used_up_and_then_the_true_answer_returns(internet: Internet) -> None:
    internet.world.fail("pages", Fault(status=429, headers={"Retry-After": "7"}), times=2)

    statuses = [get(internet.page(HOST, PAGE))[0] for _ in range(3)]

    assert statuses == [429, 429, 200]


def test_a_standing_fault_lasts_until_the_reset(internet: Internet) -> None:
    internet.world.fail("pages", Fault(status=500), times=ALWAYS)

    before = [get(internet.page(HOST, PAGE))[0] for _ in range(3)]
    internet.world.reset()

    assert before == [500, 500, 500]
    assert get(internet.page(HOST, PAGE))[0] == 200


def test_a_fault_on_an_exact_path_leaves_other_paths_alone(internet: Internet) -> None:
    internet.world.fail("/odd/fine", Fault(status=503))

    assert get(internet.odd("markdown"))[0] == 200
    assert get(internet.odd("fine"))[0] == 503


def test_a_cut_at_zero_drops_the_connection_unanswered(internet: Internet) -> None:
    internet.world.fail("pages", Fault(cut=0))

    with pytest.raises(http.client.RemoteDisconnected):
        get(internet.page(HOST, PAGE))


def test_a_cut_body_ends_early(internet: Internet) -> None:
    internet.world.fail("pages", Fault(cut=100))

    with pytest.raises(http.client.IncompleteRead) as caught:
        get(internet.page(HOST, PAGE))

    assert len(caught.value.partial) == 100


def test_requests_are_counted_and_recorded(internet: Internet) -> None:
    get(internet.odd("fine") + "?q=one%20two", Accept="text/html")

    asked = internet.world.requests["odd"][-1]
    assert internet.world.calls["odd"] == 1
    assert (asked.method, asked.path, asked.params) == ("GET", "/odd/fine", {"q": "one two"})
    assert asked.headers["accept"] == "text/html"


def test_a_delayed_answer_to_a_caller_that_left_is_dropped(internet: Internet) -> None:
    internet.world.fail("pages", Fault(delay=3600))

    with socket.create_connection(("127.0.0.1", internet.port), 0.2) as line:
        line.sendall(f"GET /site/{HOST}/{PAGE} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
        with pytest.raises(TimeoutError):
            line.recv(1)

    assert get(internet.page(HOST, PAGE))[0] == 200


def test_markdown_is_negotiated_where_a_page_offers_it(internet: Internet) -> None:
    _, markdown = get(internet.odd("markdown"), Accept="text/markdown")
    _, html = get(internet.odd("markdown"))

    assert markdown.startswith(b"# Tides")
    assert html.startswith(b"<!DOCTYPE html>")


def test_the_settings_point_at_the_served_apis(internet: Internet) -> None:
    env = internet.env()

    assert env["CITEWELL_ALLOW_PRIVATE_HOSTS"] == f"127.0.0.1:{internet.port}"
    assert all(
        value.startswith(internet.url) for name, value in env.items() if name.endswith("_URL")
    )


def test_a_home_that_a_test_added_is_forgotten(internet: Internet) -> None:
    internet.world.homes["added.example.com"] = "127.0.0.1:9"

    internet.world.reset()

    assert "added.example.com" not in internet.world.homes


def test_search_answers_use_names_when_the_world_is_named() -> None:
    with Internet(World(named=True)) as internet:
        page = internet.world.search("battery degradation")[0]

    assert page.url == f"http://{page.host}:{internet.port}/{page.path}"


@pytest.mark.process
def test_the_module_prints_its_settings_and_serves(tmp_path: Path) -> None:
    root = Path(__file__).parents[2]
    command = [sys.executable, "-m", "tests.internet", "--print-env"]
    with subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        lines = dict(
            line.rstrip("\n").split("=", 1) for line in iter(process.stdout.readline, "\n")
        )
        status, _ = get(f"http://{lines['CITEWELL_ALLOW_PRIVATE_HOSTS']}/odd/fine")
        process.terminate()

    assert status == 200
    assert process.returncode == 0


def test_real_latencies_are_known_for_every_name() -> None:
    assert real_latency("brave") == 0.45
    assert 0.1 <= real_latency("something-else") <= 0.3


def test_a_connection_beyond_loopback_fails_the_test() -> None:
    with socket.socket() as line, pytest.raises(pytest.fail.Exception, match=r"192\.0\.2\.1"):
        line.connect(("192.0.2.1", 80))
