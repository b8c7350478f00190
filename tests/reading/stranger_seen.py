"""Forty sentences that only look hidden: Chromium shows each, some once the reader presses a control.

The sentence stands where MARK does. Where the style is the second entry it is the page's sheet.
"""

from __future__ import annotations

from tests.reading.stranger_articles import SEEN_MARK, PageParts, StrangerPage, place_sentence
from tests.reading.stranger_scripts import REVEALED_BY_PRESSING, REVEALED_BY_SCRIPT

_NOTE = "<p class='note'>MARK</p>"
_SHADOW = "<x-card><template shadowrootmode='open'>{}</template>{}</x-card>"
_HIDING_SHEET = "data:text/css,.note{display:none}"

_CASCADE: dict[str, PageParts] = {
    "layer-loses": (_NOTE, "@layer tools{.note.note{display:none}}.note{display:block}"),
    "layer-order-shows": (
        _NOTE,
        (
            "@layer base,theme;@layer theme{.note{display:block}}"
            "@layer base{#story .note{display:none}}"
        ),
    ),
    "outside-the-scope": (_NOTE, "@scope (main) to (.story){.note{display:none}}"),
    "has-not": (
        "<section class='box'><p>MARK</p></section>",
        ".box:has(> .advert){display:none}",
    ),
    "invalid-selector-list": (_NOTE, ".note, p:no-such-thing{display:none}"),
    "not-weighs-an-id": (_NOTE, "p:not(#other){display:block}.note.note{display:none}"),
    "attribute-other-case": (
        "<p data-role='aside'>MARK</p>",
        "[data-role='ASIDE']{display:none}",
    ),
    "supports-nothing": (_NOTE, "@supports (display:nosuch){.note{display:none}}"),
    "dark-scheme-only": (_NOTE, "@media (prefers-color-scheme:dark){.note{display:none}}"),
    "narrow-container-only": (
        _NOTE,
        "body{container-type:inline-size}@container (max-width:300px){.note{display:none}}",
    ),
    "disabled-link": (
        _NOTE,
        "",
        {"head": f'<link rel="stylesheet" disabled href="{_HIDING_SHEET}">'},
    ),
    "alternate-sheet": (
        _NOTE,
        "",
        {"head": f'<link rel="alternate stylesheet" title="Plain" href="{_HIDING_SHEET}">'},
    ),
    "sheet-of-another-language": (
        _NOTE,
        "",
        {"head": "<style type='text/less'>.note{display:none}</style>"},
    ),
    "hidden-but-styled": (
        "<p hidden class='note'>MARK</p>",
        ".note[hidden]{display:block}",
    ),
    "revert-shows": (_NOTE, ".note{display:none}p.note{display:revert}"),
    "unitless-in-standards-mode": (
        (
            "<p style='position:absolute;left:-9999;font-size:0.0em;font-size:1em'>MARK</p>"
            "<p style='height:2em'></p>"
        ),
        "",
    ),
    "class-of-another-case": (_NOTE, ".NOTE{display:none}"),
}
_VALUES: dict[str, PageParts] = {
    "variable-nearer-shows": (
        _NOTE,
        ":root{--shown:none}.story{--shown:block}.note{display:var(--shown)}",
    ),
    "variable-stays-above": (
        _NOTE,
        (
            "@property --o{syntax:'<number>';inherits:false;initial-value:1}"
            ".story{--o:0}.note{opacity:var(--o)}"
        ),
    ),
    "unknown-variable-unsets": (_NOTE, ".note{display:none;display:var(--nowhere)}"),
    "dark-canvas": (
        _NOTE,
        ":root{color-scheme:dark}body{background:Canvas;color:CanvasText}.note{color:#fff}",
    ),
    "layer-of-dark-behind": (
        "<div class='hero'><div class='shade'></div><p>MARK</p></div>",
        (
            ".hero{position:relative;isolation:isolate;color:#fff}"
            ".shade{position:absolute;inset:0;background:#123;z-index:-1}"
        ),
    ),
    "dark-before": (
        "<div class='hero'><p>MARK</p></div>",
        (
            ".hero{position:relative;isolation:isolate;color:white}"
            ".hero::before{content:'';position:absolute;inset:0;background:#123;z-index:-1}"
        ),
    ),
    "filled-with-shadow": (_NOTE, ".note{color:#fff;box-shadow:inset 0 0 0 100em #234}"),
    "blend-difference": (_NOTE, ".note{color:#fff;mix-blend-mode:difference}"),
    "inverted-white": (_NOTE, ".note{color:#fff;filter:invert(1)}"),
    "fill-over-transparent": (_NOTE, ".note{color:transparent;-webkit-text-fill-color:#333}"),
    "utility-classes": (
        "<div class='bg-slate'><p class='text-white'>MARK</p></div>",
        (
            ".text-white{--tx:1;color:rgb(255 255 255 / var(--tx))}"
            ".bg-slate{--bg:1;background-color:rgb(15 23 42 / var(--bg,1))}"
        ),
    ),
}
_GEOMETRY: dict[str, PageParts] = {
    "offsets-cancel": (_NOTE, ".note{position:relative;left:200vw;translate:-200vw}"),
    "full-turn": (_NOTE, ".note{transform:rotateX(360deg)}"),
    "inline-not-transformed": (
        "<p><span class='note'>MARK</span></p>",
        ".note{transform:scale(0)}",
    ),
    "inline-has-no-size": (
        "<p><span class='note'>MARK</span></p>",
        ".note{width:0;height:0;overflow:hidden}",
    ),
    "clip-without-position": (_NOTE, ".note{clip:rect(0,0,0,0)}"),
    "left-without-position": (_NOTE, ".note{left:-9999px;z-index:-1}"),
    "least-height-wins": (_NOTE, ".note{height:0;overflow:hidden;min-height:4em}"),
    "box-without-opacity": (
        "<div class='box'><p>MARK</p></div>",
        ".box{display:contents;opacity:0}",
    ),
    "visibility-of-content-auto": (
        _NOTE,
        ".note{content-visibility:auto;contain-intrinsic-size:auto 2em}",
    ),
    "hanging-indent": (_NOTE, ".note{padding-left:40em;text-indent:-40em}"),
    "slanted-edges": (_NOTE, ".note{clip-path:polygon(0 0,100% 6%,100% 100%,0 94%)}"),
    "faded-lower-edge": (
        _NOTE,
        ".note{padding-bottom:2em;mask-image:linear-gradient(#000 70%,transparent)}",
    ),
}
_ELEMENTS: dict[str, PageParts] = {
    "inert-section": ("<section inert><p>MARK</p></section>", ""),
    "shadow-content": (_SHADOW.format("<p>MARK</p>", ""), ""),
    "slot-of-this-name": (
        _SHADOW.format("<slot name='a'></slot>", "<p slot='a'>MARK</p>"),
        "",
    ),
    "comment-shut-at-once": ("<!--><p>MARK</p><!-- -->", ""),
    "policy-without-styles": (
        "<p style='display:none'>MARK</p>",
        "",
        {
            "head": "<meta http-equiv='Content-Security-Policy' "
            "content=\"style-src 'none'; script-src 'none'\">"
        },
    ),
}
_MOTION: dict[str, PageParts] = {
    "starting-style": (
        _NOTE,
        ".note{opacity:1;transition:opacity .2s}@starting-style{.note{opacity:0}}",
    ),
    "rises-in-turn": (
        "<p class='note' style='--i:2'>MARK</p>",
        (
            "@keyframes rise{from{opacity:0;transform:translateY(100vh)}to{opacity:1}}"
            ".note{opacity:0;animation:rise .2s calc(var(--i)*50ms) forwards}"
        ),
    ),
    "shown-by-scrolling": (
        _NOTE,
        (
            "@keyframes come{from{opacity:0}to{opacity:1}}"
            ".note{animation:come linear both;animation-timeline:view();animation-range:entry}"
        ),
    ),
    "body-shown-by-steps": (
        _NOTE,
        (
            "@keyframes start{from{visibility:hidden}to{visibility:visible}}"
            "body{animation:start .3s steps(1,end) 0s 1 normal both}"
        ),
    ),
}
SEEN_PAGES: dict[str, StrangerPage] = {
    name: StrangerPage(
        html=place_sentence(number, parts, SEEN_MARK),
        mark=SEEN_MARK,
        press=".press" if name in REVEALED_BY_PRESSING else "",
    )
    for number, (name, parts) in enumerate(
        {
            **_CASCADE,
            **_VALUES,
            **_GEOMETRY,
            **_ELEMENTS,
            **_MOTION,
            **REVEALED_BY_SCRIPT,
            **REVEALED_BY_PRESSING,
        }.items()
    )
}
