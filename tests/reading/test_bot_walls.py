"""Short pages that look like walls are read, walls of many kinds are refused, and hostile ones cost little."""

from __future__ import annotations

import pytest

from citewell.reading.bot_walls import WallKind, find_page_wall
from tests.reading.test_walls import look
from tests.reading.wall_pages import LOOK_ALIKES, MORE_WALLS, page


@pytest.mark.parametrize("name", LOOK_ALIKES)
def test_a_page_that_looks_like_a_wall_is_read(name: str) -> None:
    assert find_page_wall(look(LOOK_ALIKES[name])) is None


@pytest.mark.parametrize("name", MORE_WALLS)
def test_a_wall_is_refused_as_what_it_is(name: str) -> None:
    kind, html = MORE_WALLS[name]

    wall = find_page_wall(look(html))

    assert wall is not None
    assert wall.kind is kind


def test_a_redirect_within_a_login_topic_is_no_login() -> None:
    html = page("Single sign-on explained", "<p>What single sign-on means.</p>")
    seen = look(html, path="/docs/sso/", asked_path="/docs/sso", redirected=True)

    assert find_page_wall(seen) is None


def test_a_dated_article_about_a_wall_is_read_however_short_it_is() -> None:
    head = '<script type="application/ld+json">{"@type": "NewsArticle", "datePublished": "2026-01-01"}</script>'

    assert (
        find_page_wall(look(page("Robot check", "<p>Verify you are human, it says.</p>", head)))
        is None
    )


@pytest.mark.parametrize("kind", [WallKind.BOT, WallKind.LOGIN, WallKind.MISSING])
def test_a_kind_is_met_in_several_languages(kind: WallKind) -> None:
    assert sum(1 for found, _ in MORE_WALLS.values() if found is kind) >= 5
