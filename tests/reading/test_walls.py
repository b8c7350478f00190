from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from selectolax.lexbor import LexborHTMLParser

from citewell.reading.bot_walls import InspectedPage, WallKind, find_page_wall
from tests.internet.render import markup
from tests.internet.walls import WALLS
from tests.internet.world import Page, World

KINDS = {
    "cloudflare": WallKind.BOT,
    "cloudflare-block": WallKind.BOT,
    "anubis": WallKind.BOT,
    "datadome": WallKind.BOT,
    "perimeterx": WallKind.BOT,
    "akamai": WallKind.BOT,
    "aws": WallKind.BOT,
    "imperva": WallKind.BOT,
    "javascript": WallKind.BOT,
    "robot": WallKind.BOT,
    "consent": WallKind.CONSENT,
    "login": WallKind.LOGIN,
    "paywall": WallKind.PAYWALL,
    "soft-404": WallKind.MISSING,
    "shell": WallKind.SHELL,
}


def look(html: str, **changes: Any) -> InspectedPage:
    tree = LexborHTMLParser(html)
    title = tree.css_first("title")
    name = title.text() if title is not None else ""
    for node in tree.css("script, style, noscript, head"):
        node.decompose()
    text = tree.body.text(separator=" ") if tree.body is not None else ""
    seen = InspectedPage(status=200, headers={}, html=html, text=" ".join(text.split()), title=name)
    return replace(seen, **changes)


@pytest.mark.parametrize("name", KINDS)
def test_a_wall_is_recognised_from_its_page_alone(name: str) -> None:
    wall = find_page_wall(look(WALLS[name].body))

    assert wall is not None
    assert wall.kind is KINDS[name]


@pytest.mark.parametrize("page", World().pages, ids=lambda page: f"{page.host}/{page.path}")
def test_no_page_of_the_world_is_taken_for_a_wall(page: Page) -> None:
    assert find_page_wall(look(markup(page))) is None


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("cf-mitigated", "challenge"),
        ("x-amzn-waf-action", "captcha"),
        ("x-vercel-mitigated", "challenge"),
    ],
)
def test_a_header_alone_tells_of_a_bot_wall(name: str, value: str) -> None:
    wall = find_page_wall(look("<p>" + "word " * 500, headers={name: value}))

    assert wall is not None
    assert wall.kind is WallKind.BOT


@pytest.mark.parametrize("name", [name for name in KINDS if name != "shell"])
def test_a_wall_quoted_inside_a_long_article_is_not_a_wall(name: str) -> None:
    prose = "<p>" + "The article explains what readers meet and why it happens. " * 40 + "</p>"
    html = f"<html><head><title>On walls</title></head><body><article>{prose}<pre>{WALLS[name].body}</pre></article></body></html>"

    assert find_page_wall(look(html)) is None


def test_a_short_plain_page_is_content() -> None:
    html = "<html><head><title>Opening hours</title></head><body><p>We are open from nine to five.</p></body></html>"

    assert find_page_wall(look(html)) is None


def test_a_contact_form_with_a_captcha_is_content() -> None:
    html = '<title>Contact</title><h1>Write to us</h1><form><textarea></textarea><div class="g-recaptcha"></div></form>'

    assert find_page_wall(look(html)) is None


def test_an_article_with_a_login_box_and_a_cookie_banner_is_content() -> None:
    prose = "Tides rise and fall twice a day on most coasts of the world. " * 20
    html = (
        "<title>Tides</title><form>Log in <input type=password></form>"
        f"<div>We use cookies. <button>Accept</button></div><article>{prose}</article>"
    )

    assert find_page_wall(look(html)) is None


def test_a_redirect_to_a_login_page_needs_no_password_field() -> None:
    html = "<title>Welcome</title><p>Continue with your organisation.</p>"

    wall = find_page_wall(look(html, path="/sso/login", redirected=True))

    assert wall is not None
    assert wall.kind is WallKind.LOGIN


def test_a_page_at_a_login_path_that_was_asked_for_directly_is_content() -> None:
    html = "<title>Single sign-on explained</title><p>What single sign-on means.</p>"

    assert find_page_wall(look(html, path="/sso/")) is None


def test_a_shell_whose_content_was_found_all_the_same_is_content() -> None:
    html = WALLS["shell"].body

    assert find_page_wall(look(html, extracted_words=400)) is None


@pytest.mark.parametrize(
    "title",
    [
        "404 Not Found",
        "Seite nicht gefunden",
        "Page introuvable",
        "Page could not be found",
        "ページが見つかりません",
    ],
)
def test_a_soft_404_is_recognised_in_several_languages(title: str) -> None:
    wall = find_page_wall(look(f"<title>{title}</title><p>Go home.</p>"))

    assert wall is not None
    assert wall.kind is WallKind.MISSING


def test_words_are_counted_in_scripts_without_spaces() -> None:
    seen = look(
        "<title>お知らせ</title><p>" + "海の近くで強い揺れを感じたときは避難してください" * 20
    )

    assert seen.visible_words >= 150
