"""Links: live, blocked, dead with a copy in the archive, or not for us to ask."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from citewell.core import config
from citewell.links import link_checks
from citewell.links.link_checks import LinkChecker, LinkState
from citewell.net.http.messages import HttpResponse
from citewell.net.network import Network
from citewell.store.cache_store import open_cache_store
from tests.internet.faults import ALWAYS, Fault
from tests.internet.serve import Internet
from tests.internet.world import World
from tests.net.loopback import Names
from tests.requirements import requires
from tests.task_thread import ThreadTasks

ARCHIVE = "/site/archive.example.org/available"


COPY = "https://web.archive.org/web/20240101000000/https://gone.example/"


HOST = "batteries.example.org"


CHROME = "Home About Contact Archive Topics Newsletter Sign up Imprint Privacy Terms " * 16


class Checker:
    """Links on the loopback web; `url` makes an address whose page a test can write."""

    def __init__(self, internet: Internet, environ: dict[str, str], world: World) -> None:
        self._internet, self._environ, self._world = internet, environ, world

    def url(self, path: str) -> str:
        return self._internet.page(HOST, path)

    def page(
        self, path: str, body: str, *, title: str = "", status: int = 200, **headers: str
    ) -> str:
        html = f"<html><head><title>{title}</title></head><body>{body}</body></html>"
        return self.fault(path, Fault(status=status, body=html, headers=headers))

    def fault(self, path: str, fault: Fault) -> str:
        self._world.fail(f"/site/{HOST}/{path}", fault, times=ALWAYS)
        return self.url(path)

    def redirect(self, path: str, to: str) -> str:
        return self.fault(path, Fault(status=302, body="", headers={"location": to}))

    def trace(self, *urls: str) -> Mapping[str, LinkState]:
        return self.check(*urls, traced=True, archive=f"{self._internet.url}/archive")

    def check(self, *urls: str, traced: bool = False, **options: Any) -> Mapping[str, LinkState]:
        async def run() -> Mapping[str, LinkState]:
            network = Network(config.load_settings(self._environ))
            try:
                links = LinkChecker(
                    network, ThreadTasks(), wayback=self._internet.url + ARCHIVE, **options
                )
                states = await links.check_links(urls)
                return await links.trace_dead_links(states) if traced else states
            finally:
                await network.aclose()

        return asyncio.run(run())

    def state(self, url: str, **options: Any) -> tuple[str, str | None]:
        found = self.check(url, **options)[url]
        return found.state, found.reason


@pytest.fixture
def links(internet: Internet, environ: dict[str, str], world: World) -> Checker:
    world.fail(ARCHIVE, Fault(status=200, body={"archived_snapshots": {}}), times=ALWAYS)
    return Checker(internet, environ, world)


def archived(world: World, answer: Any) -> None:
    world.fail(ARCHIVE, Fault(status=200, body=answer), times=ALWAYS)


def test_a_page_that_answers_is_live(links: Checker) -> None:
    url = links.url("sodium-ion")

    assert links.check(url, url) == {url: LinkState(state="live", status=200)}


def test_a_live_page_tells_its_titles(links: Checker) -> None:
    url = links.url("sodium-ion")

    assert links.check(url)[url].titles[:2] == (
        "Sodium-ion batteries explained | Battery Notes",
        "Sodium-ion batteries explained",
    )


def test_a_shell_or_an_error_page_tells_no_title(links: Checker) -> None:
    shell, error = (
        links.page("shell", "Loading", title="App"),
        links.page("no", "x " * 99, status=500),
    )

    assert [state.titles for state in links.check(shell, error).values()] == [(), ()]


def test_a_dead_page_comes_with_its_archived_copy(links: Checker, world: World) -> None:
    archived(world, {"archived_snapshots": {"closest": {"available": True, "url": COPY}}})
    url = links.url("no-such-page")

    state = links.check(url)[url]

    assert (state.state, state.status, state.reason, state.archived) == (
        "dead",
        404,
        "http_404",
        COPY,
    )


@requires("verify_citation.address_history")
@pytest.mark.parametrize(
    ("index", "known"),
    [
        (Fault(status=200, body=[]), False),
        (Fault(status=200, body="<html>Down for maintenance</html>"), None),
        (Fault(status=429, body="slow down"), None),
        (None, True),
    ],
)
def test_the_archives_index_says_whether_a_dead_page_ever_existed(
    links: Checker, world: World, index: Fault | None, known: bool | None
) -> None:
    url = links.url("no-such-page")
    world.state["archive"] = {url: ["20200101000000"]}
    if index:
        world.fail("/archive/cdx/search/cdx", index, times=ALWAYS)

    state = links.trace(url)[url]

    assert (state.was_archived, bool(state.archived)) == (known, bool(known))


def test_the_archives_index_is_not_asked_about_pages_that_answer(
    links: Checker, world: World
) -> None:
    url = links.url("sodium-ion")

    assert links.trace(url)[url].was_archived is None
    assert not world.requests["archive"]


@requires("scrape_page.hidden_from_exa")
@pytest.mark.parametrize("shown", ["127.0.0.1", "inside.example.org"])
def test_a_dead_page_of_a_private_host_is_not_looked_up_in_an_outside_archive(
    internet: Internet, environ: dict[str, str], world: World, shown: str
) -> None:
    names = Names({}, default=["127.0.0.1"])
    allowed = {"CITEWELL_ALLOW_PRIVATE_HOSTS": "127.0.0.1,inside.example.org,outside.example.org"}
    url = f"http://{shown}:{internet.port}/site/{HOST}/no-such-page"

    async def run() -> Mapping[str, LinkState]:
        network = Network(config.load_settings(environ | allowed), resolver=names)
        archive = f"http://outside.example.org:{internet.port}{ARCHIVE}"
        try:
            return await LinkChecker(network, ThreadTasks(), wayback=archive).check_links([url])
        finally:
            await network.aclose()

    state = asyncio.run(run())[url]

    assert (state.state, state.archived) == ("dead", None)
    assert not [asked for asked in world.requests["pages"] if asked.path == ARCHIVE]


@pytest.mark.parametrize(
    "answer",
    [
        {"archived_snapshots": {}},
        [],
        "<html>busy</html>",
        {"archived_snapshots": {"closest": {"available": True, "url": "http://evil.example/x"}}},
        {"archived_snapshots": {"closest": {"available": False, "url": COPY}}},
        {"archived_snapshots": {"closest": None}},
    ],
)
def test_an_archive_without_a_copy_or_in_trouble_leaves_the_link_dead(
    links: Checker, world: World, answer: Any
) -> None:
    archived(world, answer)
    url = links.url("no-such-page")

    assert links.check(url)[url] == LinkState(state="dead", status=404, reason="http_404")


def test_a_page_that_is_gone_for_good_says_so(links: Checker) -> None:
    assert links.state(links.page("old", "Gone", status=410)) == ("dead", "gone")


@requires("verify_citation.http_status")
@pytest.mark.parametrize("status", [401, 403, 405, 429, 451, 503])
def test_a_page_that_will_not_let_us_in_is_not_dead(links: Checker, status: int) -> None:
    assert links.state(links.page("shy", "No", status=status)) == ("blocked", f"http_{status}")


@requires("audit_bibliography.server_error")
@pytest.mark.parametrize("status", [400, 418, 500, 501, 502, 504, 520, 522, 530])
def test_a_server_in_trouble_says_nothing_about_the_page(links: Checker, status: int) -> None:
    url = links.page("ill", "Oops", status=status)

    assert links.check(url)[url] == LinkState(
        state="unchecked", status=status, reason=f"http_{status}"
    )


def test_a_server_in_trouble_comes_with_an_archived_copy(links: Checker, world: World) -> None:
    archived(world, {"archived_snapshots": {"closest": {"available": True, "url": COPY}}})
    url = links.page("ill", "Oops", status=502)

    assert links.check(url)[url].archived == COPY


def test_a_server_that_is_too_slow_is_not_dead(
    links: Checker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(link_checks, "_HEAD_SECONDS", 0.05)
    monkeypatch.setattr(link_checks, "LINK_CHECK_SECONDS", 0.1)

    assert links.state(links.fault("slow", Fault(delay=30.0))) == ("unchecked", "timeout")


def test_a_bot_wall_with_an_odd_status_is_blocked(links: Checker) -> None:
    url = links.page("wall", "Just a moment...", status=500, **{"cf-mitigated": "challenge"})

    assert links.state(url) == ("blocked", "http_500")


@pytest.mark.parametrize("status", [403, 404, 405, 501])
def test_a_server_that_lies_to_head_is_asked_again(
    links: Checker, world: World, status: int
) -> None:
    path = f"/site/{HOST}/sodium-ion"
    world.fail(path, Fault(status=status, body=""), times=1)

    assert links.state(links.url("sodium-ion")) == ("live", None)
    assert [asked.method for asked in world.requests["pages"] if asked.path == path] == [
        "HEAD",
        "GET",
    ]


def test_a_server_that_drops_head_is_asked_again(links: Checker, world: World) -> None:
    world.fail(f"/site/{HOST}/sodium-ion", Fault(cut=0), times=1)

    assert links.state(links.url("sodium-ion")) == ("live", None)


def test_what_is_no_page_is_live_without_its_body(links: Checker, world: World) -> None:
    pdf = Fault(status=200, body=b"%PDF-1.7", headers={"content-type": "application/pdf"})
    url = links.fault("paper.pdf", pdf)

    assert links.state(url) == ("live", None)
    assert [asked.method for asked in world.requests["pages"]] == ["HEAD"]


@pytest.mark.parametrize(
    ("title", "body"),
    [
        ("Page not found | The Site", "<h1>Sorry</h1><p>Try our search.</p>"),
        ("The Site", "<h1>404</h1><p>Nothing here.</p>"),
        ("Error 404", "<p>Oops.</p>"),
        ("Seite nicht gefunden - Verlag", "<p>Leider.</p>"),
        ("Page introuvable", "<p>Désolé.</p>"),
        ("Página no encontrada", "<p>Lo sentimos.</p>"),
        ("Страница не найдена", "<p>Извините.</p>"),
        ("ページが見つかりません", "<p>トップページへ</p>"),
        ("页面不存在", "<p>返回首页</p>"),
        ("페이지를 찾을 수 없습니다", "<p>홈으로</p>"),
        ("Sayfa bulunamadı", "<p>Üzgünüz</p>"),
    ],
)
def test_a_page_that_says_there_is_none_is_dead_with_status_200(
    links: Checker, title: str, body: str
) -> None:
    url = links.page("moved-away", body, title=title)

    assert links.state(url) == ("dead", "soft_404")


def test_a_long_error_page_is_told_by_its_siblings(links: Checker) -> None:
    body = f"<h1>Page not found</h1><p>{CHROME}</p>"
    url = links.page("news/2019/story", body, title="Page not found | Site")
    links.page("news/2019/token", body, title="Page not found | Site")

    assert links.state(url, token=lambda: "token") == ("dead", "soft_404")


def test_a_long_page_about_missing_pages_is_live(links: Checker) -> None:
    body = f"<h1>Page not found: designing error pages</h1><p>{CHROME}</p>"
    url = links.page("articles/error-pages", body, title="Page not found: designing error pages")

    assert links.state(url) == ("live", None)


def test_a_car_is_no_error(links: Checker) -> None:
    url = links.page("cars/404", "<h1>Peugeot 404</h1><p>A saloon of the sixties.</p>")

    assert links.state(url) == ("live", None)


def test_species_that_are_not_found_somewhere_are_found_here(links: Checker) -> None:
    title = "Twelve species not found in the Alps before 1990"
    url = links.page("papers/12", f"<h1>{title}</h1><p>An abstract.</p>", title=title)

    assert links.state(url) == ("live", None)


@pytest.mark.parametrize("home", ["/", "/index.html", "/en/", "/home"])
def test_a_page_that_now_leads_to_the_entrance_is_dead(
    links: Checker, internet: Internet, world: World, home: str
) -> None:
    world.fail(home, Fault(status=200, body="<h1>Welcome</h1>"), times=ALWAYS)
    url = links.redirect("reports/2018/annual", f"{internet.url}{home}")

    assert links.state(url) == ("dead", "home_redirect")


def test_a_page_that_leads_to_another_page_is_live(links: Checker) -> None:
    url = links.redirect("old-address", links.url("sodium-ion"))

    assert links.state(url) == ("live", None)


def test_a_page_that_leads_to_an_error_page_is_dead(links: Checker, world: World) -> None:
    world.fail("/errors/404.html", Fault(status=200, body="<h1>Hm</h1>"), times=ALWAYS)
    url = links.redirect("story", "/errors/404.html")

    assert links.state(url) == ("dead", "soft_404")


def test_a_page_that_leads_to_a_login_is_blocked(links: Checker) -> None:
    target = links.page("login", "<form><input type=password></form>", title="Sign in")

    assert links.state(links.redirect("members/report", target)) == ("blocked", "login")


@pytest.mark.parametrize(
    ("title", "body"),
    [
        ("lost.example is for sale", "<p>This domain is for sale. Buy this domain.</p>"),
        ("lost.example", "<p>The domain lost.example may be for sale. Click here to inquire.</p>"),
        ("lost.example", '<script src="https://www.sedoparking.com/frmpark/x"></script>'),
        ("", "<p>Diese Domain steht zum Verkauf</p>"),
        ("", "<p>Ce nom de domaine est à vendre</p>"),
        ("", "<script>window.location.href='/lander'</script>"),
    ],
)
def test_a_parked_domain_is_dead(links: Checker, title: str, body: str) -> None:
    assert links.state(links.page("about", body, title=title)) == ("dead", "parked")


def test_a_paywall_and_a_shell_are_the_page(links: Checker) -> None:
    paid = links.page("paid", '<div class="paywall">Subscribe to continue reading</div>')
    shell = links.page("app", '<div id="root"></div><script src="/a.js"></script>')

    assert {state.state for state in links.check(paid, shell).values()} == {"live"}


def test_a_bot_wall_is_no_soft_404(links: Checker) -> None:
    url = links.page("wall", "<p>Checking your browser</p>", title="Just a moment...")

    assert links.state(url) == ("blocked", "bot_wall")


def test_redirects_that_lead_nowhere_are_dead(links: Checker) -> None:
    assert links.state(links.redirect("round", links.url("round"))) == ("dead", "redirect_loop")


def test_an_address_we_must_not_ask_is_left_unchecked(links: Checker, world: World) -> None:
    url = "http://10.0.0.1/secret"

    assert links.state(url) == ("unchecked", "refused")
    assert not world.requests["wayback"]


def test_a_redirect_to_a_private_address_is_left_unchecked(links: Checker) -> None:
    assert links.state(links.redirect("in", "http://10.0.0.1/")) == ("unchecked", "refused")


@pytest.mark.parametrize(
    ("known", "state"),
    [({"doi.org"}, ("dead", "dns")), (set(), ("unchecked", "offline"))],
    ids=["online", "offline"],
)
def test_a_name_that_does_not_resolve_is_dead_only_if_others_do(
    links: Checker, known: set[str], state: tuple[str, str]
) -> None:
    async def look_up(host: str) -> Sequence[str]:
        if host not in known:
            raise OSError
        return ["127.0.0.1"]

    async def run() -> LinkState:
        network = Network(config.load_settings(links._environ), resolver=look_up)
        try:
            found = await LinkChecker(
                network, ThreadTasks(), wayback=links._internet.url + ARCHIVE
            ).check_links(["https://gone.example.org/x"])
        finally:
            await network.aclose()
        return next(iter(found.values()))

    checked = asyncio.run(run())

    assert (checked.state, checked.reason) == state


@requires("verify_recommendation.link_cache")
def test_findings_are_kept_for_an_hour(
    links: Checker, world: World, environ: dict[str, str]
) -> None:
    url = links.url("sodium-ion")

    async def twice() -> list[LinkState]:
        store = open_cache_store(config.load_settings(environ))
        network = Network(config.load_settings(environ))
        try:
            checker = LinkChecker(
                network, ThreadTasks(), wayback=links._internet.url + ARCHIVE, loader=store.loader
            )
            return [(await checker.check_links([url]))[url] for _ in range(2)]
        finally:
            await network.aclose()
            await store.aclose()

    first, second = asyncio.run(twice())

    assert first == second == LinkState(state="live", status=200)
    assert len(world.requests["pages"]) == 2


def test_what_may_pass_is_not_kept_long() -> None:
    from citewell.links.link_checks import (
        LINK_STATE_SECONDS,
        PASSING_STATE_SECONDS,
        _choose_state_lifetime,
    )

    assert (
        _choose_state_lifetime(LinkState(state="dead", reason="timeout")) == PASSING_STATE_SECONDS
    )
    assert (
        _choose_state_lifetime(LinkState(state="blocked", status=429, reason="http_429"))
        == PASSING_STATE_SECONDS
    )
    assert _choose_state_lifetime(LinkState(state="unchecked", reason="refused")) == 0
    assert (
        _choose_state_lifetime(LinkState(state="dead", status=404, reason="http_404"))
        == LINK_STATE_SECONDS
    )


class Busy:
    """A client that counts how many requests it carries at once."""

    def __init__(self) -> None:
        self.running = self.most = 0

    async def send_request(self, request: Any) -> HttpResponse:
        self.running += 1
        self.most = max(self.most, self.running)
        for _ in range(3):
            await asyncio.sleep(0)
        self.running -= 1
        return HttpResponse(
            status=200, url=request.url, headers={"content-type": "text/plain"}, body=b""
        )


class Lines:
    def __init__(self, client: Busy) -> None:
        self.client = client

    def open_upstream(self, *_: Any, **__: Any) -> None: ...


def test_no_more_than_eight_are_asked_at_once() -> None:
    client = Busy()
    network: Any = Lines(client)
    urls = [f"https://www.example.org/{number}" for number in range(50)]

    states = asyncio.run(
        LinkChecker(network, ThreadTasks(), wayback="https://archive.example.org").check_links(urls)
    )

    assert (len(states), client.most) == (50, 8)


@requires("check_draft.moved")
@pytest.mark.parametrize(
    ("status", "moved"), [(301, True), (308, True), (302, False), (307, False)]
)
def test_a_permanent_redirect_to_another_page_names_it(
    links: Checker, world: World, *, status: int, moved: bool
) -> None:
    old, new = links.url("old-place"), links.url("sodium-ion")
    path = old.removeprefix(world.base_url)
    world.fail(path, Fault(status=status, headers={"location": new}), times=ALWAYS)

    found = links.check(old)[old]

    assert found.state == "live"
    assert found.moved_to == (new if moved else None)
