from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell.reading.page_charset import decode_body, resolve_charset_label
from tests.internet.render import encoded, markup
from tests.internet.world import Page, World

PAGES = World().pages
FOREIGN = [page for page in PAGES if page.charset != "utf-8"]


def header(page: Page) -> str:
    return f"text/html; charset={page.charset}" if page.declared == "header" else "text/html"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: f"{page.host}/{page.path}")
def test_every_page_of_the_world_is_decoded_exactly(page: Page) -> None:
    found = decode_body(encoded(page), content_type=header(page))

    expected = markup(page).encode(page.charset, "xmlcharrefreplace").decode(page.charset)
    assert found.text == expected


@pytest.mark.parametrize("page", FOREIGN, ids=lambda page: f"{page.host}/{page.path}")
def test_without_declaration_or_language_the_text_is_still_exact(page: Page) -> None:
    html = markup(page).replace(f' lang="{page.language}"', "")
    html = html.replace(f'<meta charset="{page.charset}">', "")
    body = html.encode(page.charset, "xmlcharrefreplace")

    assert decode_body(body).text == body.decode(page.charset)


def test_a_mark_wins_over_the_header() -> None:
    body = "\ufeffnaïve".encode()

    found = decode_body(body, content_type="text/html; charset=windows-1251")

    assert (found.text, found.charset, found.basis) == ("naïve", "utf-8", "bom")


def test_the_header_wins_over_the_meta_element() -> None:
    body = '<meta charset="koi8-r">Привет'.encode("cp1251")

    found = decode_body(body, content_type="text/html; charset=windows-1251")

    assert found.text.endswith("Привет")
    assert found.basis == "header"


def test_an_xml_declaration_is_read() -> None:
    body = '<?xml version="1.0" encoding="ISO-8859-1"?><p>Größe</p>'.encode("latin-1")

    assert decode_body(body).text.endswith("<p>Größe</p>")


def test_utf_8_that_is_called_latin_1_is_read_as_utf_8() -> None:
    body = "Größe, naïveté, 東京".encode()

    assert decode_body(body, content_type="text/html; charset=ISO-8859-1").text == body.decode()


def test_a_wrong_declaration_gives_way_to_statistics() -> None:
    page = next(page for page in PAGES if page.charset == "gbk")

    found = decode_body(encoded(page), content_type="text/html; charset=utf-8")

    assert found.basis == "statistics"
    assert page.title in found.text


def test_a_little_damage_does_not_change_the_charset() -> None:
    body = ("Grüße aus Köln. " * 40).encode() + b"\xff\xfe broken"

    found = decode_body(body, content_type="text/html; charset=utf-8")

    assert found.charset == "utf-8"
    assert found.text.startswith("Grüße aus Köln.")


def test_quotes_alone_do_not_make_english_russian() -> None:
    body = "It’s a “quoted” word – isn’t it? They’re here; we’ve seen ‘them’.".encode("cp1252")

    assert decode_body(body).charset == "cp1252"


def test_smart_quotes_under_the_name_of_latin_1_are_kept() -> None:
    body = "“Yes” – isn’t it".encode("cp1252")

    assert (
        decode_body(body, content_type="text/html; charset=iso-8859-1").text == "“Yes” – isn’t it"
    )


def test_iso_2022_jp_is_recognised_by_its_escapes() -> None:
    body = "<p>日本語の文章です</p>".encode("iso2022_jp")

    assert decode_body(body).text == "<p>日本語の文章です</p>"


def test_utf_16_without_a_mark_is_recognised() -> None:
    body = "<html><body><p>Tides and the Moon</p></body></html>"

    assert decode_body(body.encode("utf-16-le")).text == body
    assert decode_body(body.encode("utf-16-be")).text == body


@pytest.mark.parametrize("label", ["rot13", "hex", "unicode_escape", "zlib", "no-such", "", "\x00"])
def test_what_is_no_charset_of_pages_is_not_looked_up(label: str) -> None:
    assert resolve_charset_label(label) is None


@pytest.mark.parametrize(
    ("label", "charset"),
    [
        ("latin1", "cp1252"),
        ("gb2312", "gb18030"),
        ("Shift_JIS", "cp932"),
        ("KS_C_5601-1987", "cp949"),
    ],
)
def test_labels_mean_what_browsers_take_them_for(label: str, charset: str) -> None:
    assert resolve_charset_label(label) == charset


@given(
    body=st.binary(max_size=400),
    content_type=st.sampled_from(["", "text/html; charset=utf-8", "text/html; charset=x"]),
)
def test_any_bytes_become_text(body: bytes, content_type: str) -> None:
    assert isinstance(decode_body(body, content_type=content_type).text, str)


@pytest.mark.slow
@given(
    text=st.text(
        alphabet=st.characters(codec="utf-8", exclude_characters="\ufeff\x00"), max_size=200
    )
)
def test_declared_utf_8_comes_back_as_it_was(text: str) -> None:
    assert decode_body(text.encode(), content_type="text/html; charset=utf-8").text == text
