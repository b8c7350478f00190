"""Sixty ways to hide a sentence from the reader of a page, each found unseen in Chromium.

The sentence stands where MARK does. Where the style is the second entry it is the page's sheet.
"""

from __future__ import annotations

import base64

from tests.reading.stranger_articles import (
    HIDDEN_MARK,
    PageParts,
    StrangerPage,
    build_page,
    place_sentence,
)

_NOTE = "<p class='note'>MARK</p>"
_BOX = "<div class='box'><p>MARK</p></div>"
_PICTURE = (
    "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' width='60' height='20'%3E"
    "%3Crect width='60' height='20' fill='teal'/%3E%3C/svg%3E"
)
_BASE64_SHEET = base64.b64encode(b".note{display:none}").decode()
_SHADOW = "<x-card><template shadowrootmode='open'>{}</template>{}</x-card>"

_CASCADE: dict[str, PageParts] = {
    "layer-order": (
        _NOTE,
        "@layer base,theme;@layer theme{.note{display:none}}@layer base{.note{display:block}}",
    ),
    "layer-important-reversed": (
        _NOTE,
        "@layer base{.note{display:none!important}}.note{display:block!important}",
    ),
    "outside-layers-wins": (
        _NOTE,
        ".note{display:none}@layer over{#story .note.note{display:block}}",
    ),
    "scope-with-limit": (_NOTE, "@scope (.story) to (.quote){.note{display:none}}"),
    "scope-of-own-sheet": (
        "<div><style>@scope{:scope > p{display:none}}</style><p>MARK</p></div>",
        "",
    ),
    "nested-media": (_NOTE, ".note{margin:1em;@media screen{display:none}}"),
    "has-child": (
        "<section class='box'><i class='tag'></i><p>MARK</p></section>",
        ".box:has(> .tag){display:none}",
    ),
    "is-forgiving": (_NOTE, ":is(.zzz,:no-such-thing,.note){visibility:hidden}"),
    "where-weighs-nothing": (_NOTE, ".note{display:none}:where(#story .note){display:block}"),
    "nth-child-of": (
        "<p class='tip'>MARK</p>",
        "article > :nth-child(1 of .tip){display:none}",
    ),
    "only-of-type": (
        "<blockquote>MARK</blockquote>",
        "article > blockquote:only-of-type{display:none}",
    ),
    "after-empty": ("<i></i>" + _NOTE, "i:empty + p{display:none}"),
    "attribute-any-case": (
        "<p data-role='aside'>MARK</p>",
        "[data-role='ASIDE' i]{display:none}",
    ),
    "attribute-dash": ("<p lang='x-quiet'>MARK</p>", "[lang|=x]{display:none}"),
    "lang-inherited": ("<div lang='eo-XX'><p>MARK</p></div>", "p:lang(eo){display:none}"),
    "supports-selector": (
        _NOTE,
        "@supports selector(:has(a)) and (not (display:nosuch)){.note{display:none}}",
    ),
    "media-light-scheme": (_NOTE, "@media (prefers-color-scheme:light){.note{display:none}}"),
    "media-not-print": (_NOTE, "@media not print{.note{display:none}}"),
    "media-aspect": (
        _NOTE,
        "@media (min-aspect-ratio:1/1) and (min-resolution:1dppx){.note{display:none}}",
    ),
    "container-style": (
        "<div class='box'><p>MARK</p></div>",
        ".story{--mood:quiet}@container style(--mood:quiet){.box p{display:none}}",
    ),
    "import-base64-conditional": (
        _NOTE,
        "",
        {
            "head": "<style>@import url('data:text/css;base64,"
            + _BASE64_SHEET
            + "') layer(late) supports(display:grid) screen;</style>"
        },
    ),
    "unset-inherits-hidden": (
        "<div style='visibility:hidden'><p style='all:unset'>MARK</p></div>",
        "",
    ),
    "checked-and-disabled": (
        "<input type='checkbox' checked disabled hidden>" + _NOTE,
        "input:checked + .note{display:none}",
    ),
    "target-nobody-links": ("<p id='annex'>MARK</p>", "#annex:not(:target){display:none}"),
    "undefined-element": ("<x-note>MARK</x-note>", "x-note:not(:defined){display:none}"),
    "quirks-unitless": (
        "<p style='position:absolute;left:-9999'>MARK</p>",
        "",
        {"doctype": ""},
    ),
    "quirks-class-case": (_NOTE, ".NOTE{display:none}", {"doctype": ""}),
}
_VALUES: dict[str, PageParts] = {
    "property-initial": (
        _NOTE,
        (
            "@property --shown{syntax:'*';inherits:false;initial-value:none}"
            ".note{display:var(--shown)}"
        ),
    ),
    "fallback-of-fallback": (_NOTE, ".note{display:var(--a,var(--b,none))}"),
    "variables-in-a-circle": (
        _NOTE,
        ":root{--a:var(--b);--b:var(--a)}.note{opacity:var(--a,0)}",
    ),
    "variable-not-inherited": (
        _NOTE,
        (
            "@property --ink{syntax:'<color>';inherits:false;initial-value:white}"
            ".story{--ink:black}.note{color:var(--ink)}"
        ),
    ),
    "unknown-variable-inherits": (
        _BOX,
        ".box{visibility:hidden}.box p{visibility:visible;visibility:var(--nowhere)}",
    ),
    "attr-number": (
        "<p class='note' data-shown='0'>MARK</p>",
        ".note{opacity:attr(data-shown type(<number>),1)}",
    ),
    "lab-white": (_NOTE, ".note{color:lab(100% 0 0)}"),
    "display-p3-white": (_NOTE, ".note{color:color(display-p3 1 1 1)}"),
    "light-dark-white": (_NOTE, ":root{color-scheme:light}.note{color:light-dark(#fff,#000)}"),
    "system-canvas": (_NOTE, ".note{color:Canvas}"),
    "own-colour-behind": (_NOTE, ".note{color:#245;background:currentColor}"),
    "gradient-of-one-colour": (
        _NOTE,
        ".note{color:#124;background:linear-gradient(90deg,#124,rgb(17 34 68))}",
    ),
    "relative-oklab": (_NOTE, ".note{color:oklab(from black 1 a b)}"),
    "inverted-black": (_NOTE, ".note{color:#000;filter:invert(1)}"),
    "blend-into-white": (_NOTE, ".note{mix-blend-mode:screen}"),
    "font-clamp": (_NOTE, ".note{font-size:clamp(0px,1vw,.1px)}"),
    "font-size-adjust-none-left": (_NOTE, ".note{font-size-adjust:0}"),
}
_GEOMETRY: dict[str, PageParts] = {
    "covered-by-after": (
        _BOX,
        ".box{position:relative}.box::after{content:'';position:absolute;inset:0;background:#fff}",
    ),
    "translate-property": (_NOTE, ".note{translate:-300vw 0}"),
    "matrix-of-zeros": (_NOTE, ".note{transform:matrix(0,0,0,0,10,10)}"),
    "edge-in-turns": (_NOTE, ".note{transform:rotate3d(0,1,0,.25turn)}"),
    "back-of-the-card": (_NOTE, ".note{transform:rotateY(180deg);backface-visibility:hidden}"),
    "behind-the-viewer": (_NOTE, ".note{transform:perspective(90px) translateZ(200px)}"),
    "clip-xywh": (_NOTE, ".note{clip-path:xywh(0 0 0 0)}"),
    "clip-ellipse": (_NOTE, ".note{clip-path:ellipse(0 40% at left)}"),
    "mask-moved-away": (
        _NOTE,
        ".note{mask:linear-gradient(#000,#000) no-repeat -4000px 0/100% 100%}",
    ),
    "flex-without-room": (
        "<div class='row'><b>Note:</b><p class='note'>MARK</p></div>",
        ".row{display:flex}.note{flex:0 0 0;min-width:0;overflow:hidden;white-space:nowrap}",
    ),
    "padding-pushes-out": (_NOTE, ".note{height:0;padding-top:40px;overflow:hidden}"),
    "block-size-clip": (_NOTE, ".note{block-size:0;overflow:clip}"),
    "max-height-of-min": (_NOTE, ".note{max-height:min(0px,5em);overflow-y:hidden}"),
    "contain-strict": (_NOTE, ".note{contain:strict}"),
    "logical-inset": (_NOTE, ".note{position:fixed;inset-inline-start:-500vw}"),
    "fixed-below": (_NOTE, ".note{position:fixed;top:150vh}"),
    "picture-instead": (_NOTE, f'.note{{content:url("{_PICTURE}")}}'),
    "offset-path-away": (_NOTE, ".note{offset-path:path('M -5000 0 L -5000 9');width:60ch}"),
}
_ELEMENTS: dict[str, PageParts] = {
    "details-without-handle": (
        "<details><summary style='display:none'>More</summary><p>MARK</p></details>",
        "",
    ),
    "slot-of-another-name": (
        _SHADOW.format("<slot name='a'></slot>", "<p slot='b'>MARK</p>"),
        "",
    ),
    "slot-filled-otherwise": (
        _SHADOW.format("<slot><p>MARK</p></slot>", "<p>Kept by the parish.</p>"),
        "",
    ),
    "shadow-host-hidden": (
        _SHADOW.format("<style>:host{display:none}</style><slot></slot>", "<p>MARK</p>"),
        "",
    ),
    "shadow-slotted-hidden": (
        _SHADOW.format("<style>::slotted(p){display:none}</style><slot></slot>", "<p>MARK</p>"),
        "",
    ),
    "svg-defs": (
        "<svg width='600' height='30'><defs><text y='20'>MARK</text></defs></svg>",
        "",
    ),
    "svg-switch-second": (
        (
            "<svg width='900' height='30'><switch><text y='20'>Plan of the tower</text>"
            "<text y='20'>MARK</text></switch></svg>"
        ),
        "",
    ),
    "svg-display-attribute": (
        "<svg width='900' height='30'><text y='20' display='none'>MARK</text></svg>",
        "",
    ),
    "svg-foreign-without-size": (
        (
            "<svg width='900' height='60'><foreignObject width='0' height='0'><p>MARK</p>"
            "</foreignObject></svg>"
        ),
        "",
    ),
    "math-second-action": (
        "<math><maction actiontype='toggle'><mi>x</mi><mtext>MARK</mtext></maction></math>",
        "",
    ),
    "object-with-picture": (f'<object data="{_PICTURE}"><p>MARK</p></object>', ""),
    "meter-words": ("<p>Oil left: <meter value='.4'>MARK</meter></p>", ""),
    "iframe-words": ("<iframe srcdoc='<p>Map</p>' width='90'><p>MARK</p></iframe>", ""),
    "noembed": ("<noembed><p>MARK</p></noembed>", ""),
    "cdata-comment": ("<p>The books survive.<![CDATA[ MARK ]]></p>", ""),
    "processing-comment": ("<p>The books survive.<?note MARK ?></p>", ""),
    "hidden-says-false": ("<p hidden='false'>MARK</p>", ""),
    "title-in-body": ("<div><title>MARK</title></div>", ""),
    "script-of-plain-text": ("<script type='text/plain'><p>MARK</p></script>", ""),
    "table-summary": (
        (
            "<table summary='MARK'><tr><th>Year</th><th>Oil</th></tr><tr><td>1881</td><td>40</td>"
            "</tr></table>"
        ),
        "",
    ),
}
_MOTION: dict[str, PageParts] = {
    "animation-paused": (
        _NOTE,
        "@keyframes come{from{opacity:0}}.note{animation:come 2s paused both}",
    ),
    "animation-backwards-in-time": (
        _NOTE,
        "@keyframes come{from{opacity:0}to{opacity:1}}.note{animation:.1s reverse forwards come}",
    ),
    "animation-never-begins": (
        _NOTE,
        "@keyframes come{from{visibility:hidden}}.note{animation:come 1s 9999s both}",
    ),
    "animation-leaves": (
        _NOTE,
        "@keyframes go{to{transform:translateX(-400vw)}}.note{animation:go .1s forwards}",
    ),
}


def encode_tags(sentence: str) -> str:
    """The sentence in the tag characters of Unicode, which have no shape."""
    return "".join(chr(0xE0000 + ord(char)) for char in sentence)


def encode_variations(sentence: str) -> str:
    """The sentence in variation selectors, one for each byte."""
    return "".join(chr(0xE0100 + ord(char) - 16) for char in sentence)


def encode_bits(sentence: str) -> str:
    """The sentence in zero-width spaces and word joiners, eight for each letter."""
    bits = "".join(f"{ord(char):08b}" for char in sentence)
    return bits.replace("0", "\u200b").replace("1", "\u2060")


_SIGNS = {
    "tag-characters": encode_tags(HIDDEN_MARK),
    "variation-selectors": encode_variations(HIDDEN_MARK),
    "zero-width-bits": encode_bits(HIDDEN_MARK),
}


HIDDEN_PAGES: dict[str, StrangerPage] = {
    name: StrangerPage(html=place_sentence(number, parts, HIDDEN_MARK), mark=HIDDEN_MARK)
    for number, (name, parts) in enumerate(
        {**_CASCADE, **_VALUES, **_GEOMETRY, **_ELEMENTS, **_MOTION}.items()
    )
} | {
    name: StrangerPage(
        html=build_page(f"<p>The watch was shared{signs} by three families.</p>"), mark=signs
    )
    for name, signs in _SIGNS.items()
}
