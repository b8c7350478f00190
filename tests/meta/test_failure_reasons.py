"""Failures carry their reason as data: no code decides by the words of our own messages."""

from __future__ import annotations

import ast
import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from citewell.core import config
from citewell.core.errors import (
    CitewellError,
    FailureReason,
    NetworkFailed,
    NotConnected,
    RefusedByPolicy,
    RefusedByRobots,
    UpstreamUnavailable,
)
from citewell.core.values.citation_checks import ArchiveOutcome
from citewell.links.internet_archive import PageArchive
from citewell.links.link_checks import LinkChecker, LinkState
from citewell.net.http.messages import HttpRequest, HttpResponse
from citewell.net.network import Network
from citewell.reading.fetch_tiers import HtmlTier, MarkdownTier, PageFetcher
from citewell.reading.page_tasks import PageTasks
from citewell.reading.pages.page_reader import AddressReader
from citewell.routing.provider_failures import merge_failures
from tests.clocks import Clock
from tests.task_thread import ThreadTasks

SOURCE = Path(__file__).parents[2] / "src" / "citewell"
URL = "https://www.example.org/page"

# Words that once decided, each for another reason than the error's own; none may count.
WORDINGS = (
    "x",
    "Nothing came.",
    "No whole answer came within 5 s: the certificate of a.org could not be resolved (robots.txt).",
    "The upstream sends us round in circles; a secure connection has no address.",
)
ERROR_TEXTS = ("message", "detail")
NETWORK_ERRORS = ("NetworkFailed", "NotConnected")
TEXT_TESTS = frozenset(
    {
        "startswith",
        "endswith",
        "removeprefix",
        "removesuffix",
        "partition",
        "rpartition",
        "split",
        "find",
        "index",
        "count",
        "search",
        "match",
        "fullmatch",
        "findall",
        "finditer",
    }
)
# Modules that read the message of a library's error, which has no code.
FOREIGN_MESSAGES = {"net/browser/page_visit.py"}


def modules(*words: str) -> Iterator[tuple[str, ast.Module]]:
    """The modules that have one of these words; the others need not be parsed."""
    for path in sorted(SOURCE.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if any(word in text for word in words):
            yield path.relative_to(SOURCE).as_posix(), ast.parse(text)


def is_error_text(node: ast.AST) -> bool:
    return any(
        isinstance(part, ast.Attribute)
        and part.attr in ERROR_TEXTS
        and isinstance(part.value, ast.Name)
        and part.value.id in {"error", "failure", "problem", "worst", "lone", "seen", "cause"}
        for part in ast.walk(node)
    )


def decides_by_text(node: ast.AST) -> bool:
    if isinstance(node, ast.Compare):
        return any(is_error_text(part) for part in (node.left, *node.comparators)) and not any(
            isinstance(op, ast.Is | ast.IsNot) for op in node.ops
        )
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        tested = [node.func.value, *node.args]
        return node.func.attr in TEXT_TESTS and any(map(is_error_text, tested))
    return False


def test_every_network_failure_is_built_with_its_reason() -> None:
    built = [
        (f"{name}:{node.lineno}", {word.arg for word in node.keywords})
        for name, tree in modules(*NETWORK_ERRORS)
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name | ast.Attribute)
        and (node.func.id if isinstance(node.func, ast.Name) else node.func.attr) in NETWORK_ERRORS
    ]

    assert len(built) > 15
    assert [place for place, given in built if "reason" not in given] == []


def test_no_module_decides_by_the_text_of_an_error() -> None:
    found = [
        f"{name}:{getattr(node, 'lineno', 0)}"
        for name, tree in modules(*ERROR_TEXTS)
        if name not in FOREIGN_MESSAGES
        for node in ast.walk(tree)
        if decides_by_text(node)
    ]

    # It logs each message once, whatever the message says.
    assert [place.partition(":")[0] for place in found] == ["store/failures.py"]


@pytest.mark.parametrize(
    "code",
    [
        'x = "timed out" in error.message',
        'x = error.message == "No."',
        'x = (error.detail or "").startswith("HTTP 5")',
        "x = PATTERN.search(error.message)",
        'x = error.message.partition(": ")[2]',
    ],
)
def test_such_a_decision_would_be_found(code: str) -> None:
    assert any(decides_by_text(node) for node in ast.walk(ast.parse(code)))


class FailingClient:
    """A client whose every request fails in the same way."""

    def __init__(self, error: CitewellError) -> None:
        self._error = error

    async def send_request(self, request: HttpRequest) -> HttpResponse:
        raise self._error.copy_with_message(self._error.message)


def open_network(error: CitewellError, clock: Clock) -> Network:
    network = Network(config.Settings(), resolver=_resolve_publicly, clock=clock, sleep=clock.sleep)
    network.client = FailingClient(error)  # type: ignore[assignment]
    return network


async def _resolve_publicly(_host: str) -> list[str]:
    return ["93.184.215.14"]


def check_link(error: CitewellError) -> LinkState:
    async def run() -> LinkState:
        network = open_network(error, Clock(now=0.0))
        links = LinkChecker(network, ThreadTasks(), wayback="https://archive.example.org/available")
        return (await links.check_links([URL]))[URL]

    return asyncio.run(run())


@pytest.mark.parametrize("words", WORDINGS)
@pytest.mark.parametrize(
    ("kind", "reason", "state"),
    [
        (NotConnected, FailureReason.DNS, ("dead", "dns")),
        (NotConnected, FailureReason.OFFLINE, ("unchecked", "offline")),
        (NotConnected, FailureReason.CONNECT, ("dead", "connection")),
        (NotConnected, FailureReason.TLS, ("blocked", "tls")),
        (NetworkFailed, FailureReason.TIMEOUT, ("unchecked", "timeout")),
        (NetworkFailed, FailureReason.RESET, ("dead", "connection")),
        (NetworkFailed, FailureReason.PROXY, ("dead", "connection")),
        (UpstreamUnavailable, FailureReason.TOO_MANY_REDIRECTS, ("dead", "redirect_loop")),
        (UpstreamUnavailable, None, ("dead", "connection")),
    ],
)
def test_a_link_state_comes_from_the_reason_whatever_the_words(
    kind: type[CitewellError], reason: FailureReason | None, state: tuple[str, str], words: str
) -> None:
    found = check_link(kind(words, reason=reason))

    assert (found.state, found.reason) == state


def capture(error: CitewellError) -> ArchiveOutcome:
    async def progress(_done: float, _total: float | None, _message: str | None) -> None:
        return None

    async def run() -> ArchiveOutcome:
        clock = Clock(now=0.0)
        archive = PageArchive(
            open_network(error, clock),
            availability="https://wayback.example.org/available",
            archive="https://archive.example.org",
            clock=clock,
            sleep=clock.sleep,
        )
        return await archive.capture_page(URL, progress=progress)

    return asyncio.run(run())


@pytest.mark.parametrize("words", WORDINGS)
@pytest.mark.parametrize(
    ("reason", "outcome"),
    [
        (FailureReason.TIMEOUT, ("pending", "the archive did not answer in time")),
        (FailureReason.CONNECT, ("unavailable", "the archive is out of reach")),
        (FailureReason.DNS, ("unavailable", "the archive is out of reach")),
    ],
)
def test_a_capture_is_pending_after_a_timeout_only_whatever_the_words(
    reason: FailureReason, outcome: tuple[str, str], words: str
) -> None:
    found = capture(NetworkFailed(words, reason=reason))

    assert (found.status, found.reason) == outcome


class RefusingRobots:
    def __init__(self, error: CitewellError) -> None:
        self._error = error

    async def check_robots(self, url: str) -> None:
        raise self._error


def read_failing(error: CitewellError, *, robots: bool = False) -> CitewellError:
    """The error for a page whose requests, or whose check of robots.txt, fail like this."""
    tasks = PageTasks(ThreadTasks())
    fetcher = PageFetcher(FailingClient(error), tasks, max_bytes=1000)
    reader = AddressReader(
        [MarkdownTier(fetcher, tasks), HtmlTier(fetcher, tasks, timeout=1.0)],
        robots=RefusingRobots(error) if robots else None,
    )
    with pytest.raises(CitewellError) as caught:
        asyncio.run(reader.read_page(URL))
    return caught.value


@pytest.mark.parametrize("words", WORDINGS)
@pytest.mark.parametrize("reason", list(FailureReason))
@pytest.mark.parametrize(
    ("kind", "robots"),
    [(NetworkFailed, True), (NetworkFailed, False), (UpstreamUnavailable, False)],
)
def test_a_page_error_keeps_the_reason_through_all_tiers(
    kind: type[CitewellError], reason: FailureReason, words: str, robots: bool
) -> None:
    error = read_failing(kind(words, reason=reason), robots=robots)

    assert (type(error), error.reason) == (kind, reason)


@pytest.mark.parametrize("words", WORDINGS)
@pytest.mark.parametrize(
    ("kind", "advice"),
    [
        (RefusedByRobots, "Set CITEWELL_RESPECT_ROBOTS=false to read it nevertheless."),
        (RefusedByPolicy, "Provide a valid public http(s) URL."),
    ],
)
def test_only_a_refusal_by_robots_names_its_setting_whatever_the_words(
    kind: type[CitewellError], advice: str, words: str
) -> None:
    error = read_failing(kind(words), robots=True)

    assert type(error) is kind
    assert error.message.endswith(advice)


def test_a_refusal_by_robots_looks_to_a_client_like_any_refusal() -> None:
    by_robots, by_guard = RefusedByRobots("No."), RefusedByPolicy("No.")

    assert by_robots.build_error_block() == by_guard.build_error_block()


def test_what_code_needs_of_an_error_is_not_sent_to_the_client() -> None:
    error = NetworkFailed(
        "x", reason=FailureReason.DNS, http_status=503, settings=("KEY",), remedy="a: b"
    )

    assert error.build_error_block() == NetworkFailed("x").build_error_block()


def test_a_copy_with_another_message_keeps_everything_else() -> None:
    error = NetworkFailed("x", reason=FailureReason.TLS, provider="p", extra={"a": 1})

    other = error.copy_with_message("y")
    other.extra["a"] = 2

    assert (other.message, str(other), other.reason, other.provider) == (
        "y",
        "y",
        FailureReason.TLS,
        "p",
    )
    assert (error.message, error.extra) == ("x", {"a": 1})


@pytest.mark.parametrize(
    ("second", "reason"),
    [(FailureReason.DNS, FailureReason.DNS), (FailureReason.TLS, None), (None, None)],
)
def test_failures_of_several_providers_have_the_reason_that_all_share(
    second: FailureReason | None, reason: FailureReason | None
) -> None:
    failures = {
        "one": NetworkFailed("x", reason=FailureReason.DNS),
        "two": NetworkFailed("y", reason=second),
    }

    assert merge_failures(failures).reason is reason
