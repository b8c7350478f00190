from __future__ import annotations

from datetime import timedelta

import pytest

from tests.internet.render import encoded, markup
from tests.internet.world import Page, World, corpus


def test_the_corpus_has_many_pages_on_many_hosts() -> None:
    assert len(corpus()) >= 160
    assert len({page.host for page in corpus()}) >= 60


@pytest.mark.parametrize(
    ("question", "path"),
    [
        ("battery degradation", "lithium-ion-ageing"),
        ("how does sleep affect memory", "sleep-and-memory"),
        ("HTTP caching", "http/caching"),
        ("largest GDPR fines", "gdpr-fines"),
        ("Python asyncio task group", "python/asyncio"),
        ("睡眠與記憶", "shuimian"),
        ("сон память", "son-i-pamyat"),
    ],
)
def test_a_question_finds_its_page_among_the_first_two(question: str, path: str) -> None:
    found = World().search(question, count=2)

    assert path in [page.path for page in found]


def test_words_that_no_page_has_find_nothing() -> None:
    assert World().search("zzqqxx") == []


def test_operators_in_the_query_are_obeyed() -> None:
    world = World()

    on_site = world.search("asyncio site:forum.example.org OR site:law.example.org")
    without = world.search("asyncio -site:forum.example.org -maintenance")
    exact = world.search('"solid electrolyte interphase"')

    assert {page.host for page in on_site} == {"forum.example.org"}
    assert {page.host for page in without} == {"docs.example.com"}
    assert [page.path for page in exact] == ["lithium-ion-ageing"]


def test_a_site_matches_its_subdomains_and_not_its_lookalikes() -> None:
    world = World()
    world.add(
        Page(host="notexample.org", path="x", title="Battery", markdown="Battery degradation.")
    )

    hosts = {page.host for page in world.search("battery degradation", sites=["example.org"])}

    assert "batteries.example.org" in hosts
    assert "notexample.org" not in hosts


def test_only_fresh_pages_come_when_a_start_is_given() -> None:
    world = World()

    found = world.search("battery sleep fine", since=world.since("day"))

    assert found
    assert all(page.published and world.now - page.published <= timedelta(days=1) for page in found)


def test_a_language_keeps_only_its_pages() -> None:
    assert {page.language for page in World().search("睡眠", language="ja")} == {"ja"}


def test_results_can_be_paged() -> None:
    world = World()

    first = world.search("sleep", count=2)
    second = world.search("sleep", count=2, offset=2)

    assert [*first, *second] == world.search("sleep", count=4)


def test_a_snippet_holds_the_words_asked_for() -> None:
    page = World().search("largest GDPR fine")[0]

    snippet = page.snippet("percent of worldwide annual turnover", length=400)

    assert "turnover" in snippet
    assert len(snippet) <= 400


def test_every_page_can_be_written_in_its_charset() -> None:
    for page in corpus():
        charset = "utf-16" if page.declared == "bom" else page.charset

        assert page.title[:8] in encoded(page).decode(charset)


def test_a_term_and_its_meaning_become_a_definition_list() -> None:
    page = Page(
        host="new.example.org",
        path="x",
        title="Lamp",
        markdown="A lamp.\n\nPower\n: 4 W\n\nLife\n: *long*\n\nThat is all.",
    )

    html = markup(page)

    assert "<dt>Power</dt>\n<dd>4 W</dd>\n<dt>Life</dt>\n<dd><em>long</em></dd>\n</dl>" in html
    assert "<p>That is all.</p>" in html


def test_the_posts_of_a_thread_stand_in_boxes_of_their_own() -> None:
    page = Page(
        host="new.example.org", path="x", title="Why?", kind="thread", markdown="Why?\n\n---\n\nSo."
    )

    assert markup(page).count('<div class="post">') == 2
    assert "<hr" not in markup(page)


def test_a_reset_forgets_added_pages() -> None:
    world = World()
    world.add(Page(host="new.example.org", path="x", title="Zzqqxx", markdown="Zzqqxx."))

    before = world.search("zzqqxx")
    world.reset()

    assert [page.host for page in before] == ["new.example.org"]
    assert world.search("zzqqxx") == []
