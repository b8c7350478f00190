"""Style sheets made to be slow: the work grows with their size, and never with its square."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from selectolax.lexbor import LexborHTMLParser

from citewell.reading.css import style_sheets as layer_ranks
from citewell.reading.css.page_styles import PageSheets
from citewell.reading.css.style_sheets import MAX_SHEET_CHARS, MAX_SHEET_RULES, parse_style_sheet
from citewell.reading.hidden_text import remove_hidden_text
from citewell.reading.html.markup_limits import limit_markup

KEPT = "Words that stay."


SMALL_CHARS, LARGE_CHARS = 16_000, 128_000


# Eight times the size may take this many times as long: a square would take 64 times.
MOST_GROWTH = 32


LEAST_SECONDS = 0.004  # below this, a measured time says nothing


def sheet(text: str) -> str:
    return f"<!doctype html><style>{text}</style><p>{KEPT}</p>"


def styled(style: str) -> str:
    return f'<!doctype html><p style="{style}">{KEPT}</p>'


def repeated(part: str, end: str = "") -> Callable[[int], str]:
    return lambda size: sheet(part * (size // len(part)) + end)


def filled(before: str, part: str, after: str = "") -> Callable[[int], str]:
    return lambda size: sheet(before + part * (size // len(part)) + after)


def written(before: str, part: str, after: str = "") -> Callable[[int], str]:
    return lambda size: styled(before + part * (size // len(part)) + after)


def numbered(part: str, before: str = "", after: str = "") -> Callable[[int], str]:
    def build(size: int) -> str:
        count = size // (len(part) + 4)
        parts = (part.replace("N", str(n)).replace("M", str(n + 1)) for n in range(count))
        return sheet(before + "".join(parts) + after)

    return build


def in_page(part: str) -> Callable[[int], str]:
    return lambda size: f"<!doctype html>{part * (size // len(part))}<p>{KEPT}</p>"


HOSTILE: dict[str, Callable[[int], str]] = {
    "spaces in a media query": filled("@media (a", " ", "b){p{display:none}}"),
    "a list of media types": lambda size: f'<style media="{"print," * (size // 6)}"></style><p>{KEPT}</p>',
    "open brackets in a value": filled("p{width:", "("),
    "open brackets in an attribute": written("color:", "("),
    "sums in sums": written("width:", "calc("),
    "mixes in mixes": written("color:", "color-mix(in srgb,"),
    "selectors in a list": numbered(".aN,", after="b{display:none}"),
    "rules for nobody": numbered(".aN{color:#fff}"),
    "rules for everybody": numbered("p:not(.aN){color:#111}"),
    "rules in rules": repeated("a{"),
    "rules in rules with parents": repeated("a,b{&&"),
    "conditions in conditions": repeated("@media screen{", "p{color:#fff}"),
    "variables that double": numbered("--aM:var(--aN) var(--aN);", ":root{--a0:x;", "}p{color:var(--a90)}"),
    "variables in a chain": numbered("--aM:var(--aN);", ":root{--a0:x;", "}p{color:var(--a900)}"),
    "variables in a ring": numbered("--aN:var(--aM);", ":root{--a300:var(--a0);", "}p{color:var(--a0)}"),
    "variables side by side": numbered("--aN:red;color:var(--aN);", "p{", "}"),
    "a long attribute value": filled('p[x="', "a", '"]{display:none}'),
    "an open attribute value": filled('p[x="', "a", "{display:none}"),
    "open square brackets": repeated("[", "{color:#fff}"),
    "crossed brackets": repeated("([)]", "{color:#fff}"),
    "double quotes": repeated('"'),
    "quotes of both kinds": repeated("\"'"),
    "backslashes": repeated("\\"),
    "backslashes in a string": filled('"', "\\"),
    "escapes": repeated("\\61 ", "{color:#fff}"),
    "comments that never end": repeated("/*"),
    "a comment of stars": filled("/*", "*"),
    "addresses that never end": repeated("url("),
    "spaces in an address": filled("url(", " "),
    "imports": repeated("@import 'a';"),
    "an import without an address": filled("@import ", "a"),
    "spaces after import": filled("@import", " "),
    "imports in imports": repeated('@import "data:text/css,'),
    "layers": numbered("lN,", "@layer ", "z;"),
    "a layer in layers": filled("@layer l", ".l", "{p{color:#111}}"),
    "semicolons": filled("p{", ";", "}"),
    "colons": filled("p{", ":", "}"),
    "states": repeated(":is(", "p{color:#fff}"),
    "states of no name": repeated(":", "{color:#fff}"),
    "denials": numbered(":not(.aN)", "p", "{color:#fff}"),
    "relations": numbered(":has(p:nth-child(N)) p{color:#111}"),
    "dots": repeated(".", "{color:#fff}"),
    "combinators": repeated(">", "{color:#fff}"),
    "spaces in a selector": filled("p", " ", "p{color:#fff}"),
    "open braces": repeated("{"),
    "closed braces": repeated("}"),
    "at signs": repeated("@", "{}"),
    "a scope": filled("@scope (", "(", "){p{display:none}}"),
    "support denied": filled("@supports ", "(not ", "{p{display:none}}"),
    "support of much": filled("@supports ", "(a:b) and ", "(c:d){p{display:none}}"),
    "containers": filled("p{container-type:size}@container ", "(width>1px) and ", "(width>1px){p{color:#111}}"),
    "keyframes": numbered("N%{opacity:0}", "@keyframes a{", "}p{animation:a 1s}"),
    "animations": filled("@keyframes a{to{opacity:1}}p{animation:", "a 1s,", "a 1s}"),
    "declarations": written("", "color:red;"),
    "quotes in an attribute": written("", "'"),
    "exclamation marks": written("color:red", "!"),
    "importance": written("color:red", "!important"),
    "a long name": written("clip-path:", "a"),
    "a polygon": written("clip-path:polygon(", "1px 2px,", "9px 9px)"),
    "a path": written("clip-path:path('M0 0H900V300H0Z", "M1 2 ", "')"),
    "transforms": written("transform:", "scale(1) "),
    "filters": written("filter:", "invert(1) "),
    "a gradient": written("background:linear-gradient(", "#fff,", "#000)"),
    "shadows": written("text-shadow:", "0 0 #fff,", "0 0 #000"),
    "a font": written("font:", "a "),
    "grid tracks": written("grid:", "0fr "),
    "masks": written("mask:", "url(a) 0 0/1px,", "none"),
    "hidden elements": in_page("<p hidden>word here</p>"),
    "boxes with escaping children": in_page('<div style="height:0;overflow:hidden"><b style="position:fixed">x</b></div>'),
    "one box with escaping children": lambda size: '<div style="height:0;overflow:hidden">' + '<b style="position:absolute">x</b>' * (size // 32) + f"</div><p>{KEPT}</p>",
    "shadow trees in shadow trees": in_page("<div><template shadowrootmode=open>"),
    "children without a slot": in_page("<div><template shadowrootmode=open><slot name=a></slot></template>x</div>"),
    "table columns": lambda size: "<table><col style='visibility:collapse'>" + "<tr><td>x" * (size // 9) + f"</table><p>{KEPT}</p>",
    "scripts that name much": lambda size: f"<script>{'.x' * (size // 2)}.style</script><div class=x style=display:none>word</div><p>{KEPT}</p>",
}  # fmt: skip


def seconds_taken(html: str) -> float:
    tree = LexborHTMLParser(limit_markup(html))
    begun = time.process_time()
    remove_hidden_text(tree)
    return time.process_time() - begun


@pytest.mark.parametrize("name", HOSTILE)
def test_the_work_grows_with_the_size_of_the_page(name: str) -> None:
    small = min(seconds_taken(HOSTILE[name](SMALL_CHARS)) for _ in range(2))

    large = min(seconds_taken(HOSTILE[name](LARGE_CHARS)) for _ in range(2))

    assert large < max(small, LEAST_SECONDS) * MOST_GROWTH


@pytest.mark.parametrize("name", [name for name in HOSTILE if "shadow trees" not in name])
def test_what_can_be_read_stays_in_a_hostile_page(name: str) -> None:
    tree = LexborHTMLParser(limit_markup(HOSTILE[name](SMALL_CHARS)))

    remove_hidden_text(tree)

    assert tree.body is not None
    assert KEPT in tree.body.text()


def test_a_page_with_too_large_style_sheets_says_so() -> None:
    tree = LexborHTMLParser(sheet(".a{color:red}" * (MAX_SHEET_CHARS // 13 + 1)))

    removed = remove_hidden_text(tree)

    assert any("style sheets" in note for note in removed.notes)


def test_an_ordinary_page_has_nothing_to_note() -> None:
    assert remove_hidden_text(LexborHTMLParser(sheet("p{color:#222}"))).notes == ()


def test_rules_beyond_the_limit_are_left_out() -> None:
    read = parse_style_sheet("a{b:c}" * (MAX_SHEET_RULES + 5))

    assert len(read.rules) == MAX_SHEET_RULES
    assert read.is_cut


def test_the_same_style_sheet_is_parsed_once() -> None:
    text = f"<style>{'.same{color:red}' * 50}</style>"

    first, second = (PageSheets(LexborHTMLParser(text)).sheets[0] for _ in range(2))

    assert first is second


def test_text_that_may_be_hidden_is_left_in_and_noted() -> None:
    html = (
        '<link rel="stylesheet" href="site.css"><div class="hero">'
        f'<h2 style="color:#fff">{KEPT}</h2></div>'
    )
    tree = LexborHTMLParser(html)

    removed = remove_hidden_text(tree)

    assert tree.body is not None
    assert KEPT in tree.body.text()
    assert removed.doubtful_count == 1
    assert any("may be hidden" in note for note in removed.notes)


def rules(text: str) -> list[tuple[str, str]]:
    return [
        (rule.selectors, rule.body.strip(" ;"))
        for rule in layer_ranks.parse_style_sheet(text).rules
    ]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("a{b:c}", [("a", "b:c")]),
        ("a{b:c}d{e:f}", [("a", "b:c"), ("d", "e:f")]),
        ("@media print{a{b:c}}d{e:f}", [("d", "e:f")]),
        ("@media screen{@supports (display:grid){a{b:c}}}", [("a", "b:c")]),
        ("@supports not (display:grid){a{b:c}}", []),
        ("@supports (x:y){a{b:c}}", []),
        ("/* a{b:c} */d{e:f}", [("d", "e:f")]),
        ('a{b:"}"}d{e:f}', [("a", 'b:""'), ("d", "e:f")]),
        ("a{b:url(x;y{z)}d{e:f}", [("a", "b:url()"), ("d", "e:f")]),
        ("@font-face{a:b}@page{c:d}e{f:g}", [("e", "f:g")]),
        ("<!-- a{b:c} -->", [("a", "b:c")]),
        ("a{b:c;&.d{e:f}}", [("a", "b:c"), ("a.d", "e:f")]),
        ("a,x{d{e:f}}", [(":is(a,x) d", "e:f")]),
        ("}}a{b:c", [("a", "b:c")]),
        ("@import 'x';a{b:c}", [("a", "b:c")]),
    ],
)
def test_rules_in_force_are_read(text: str, wanted: list[tuple[str, str]]) -> None:
    assert rules(text) == wanted


def test_an_animation_is_known_by_its_moments() -> None:
    frames = layer_ranks.parse_style_sheet(
        "@keyframes in{from{opacity:0}50%, to{opacity:1}}"
    ).keyframes

    shown = {"opacity": ("1", False)}
    assert frames == {"in": {0.0: {"opacity": ("0", False)}, 50.0: shown, 100.0: shown}}
