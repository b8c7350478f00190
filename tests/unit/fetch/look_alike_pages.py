"""More pages that look as if they hid a marker, though a reader sees it or a script shows it."""

from __future__ import annotations

from tests.unit.fetch.hidden_pages import MARKER, SHOWN, page

_TEXT = f"{MARKER} words to be read"
_DIV = f'<div class="x">{_TEXT}</div>'
_SCRIPT = '<script src="site.js"></script>'


def _inline(style: str, tag: str = "div") -> str:
    return page(f'<{tag} style="{style}">{_TEXT}</{tag}>')


def _ruled(style: str, payload: str = _DIV, head: str = "") -> str:
    return page(payload, style=style, head=head)


def _inside(outer: str, inner: str, tag: str = "div") -> str:
    return page(f'<div style="{outer}"><{tag} style="{inner}">{_TEXT}</{tag}></div>')


def _on_root(attributes: str, style: str, payload: str = _DIV) -> str:
    script = "<script>document.documentElement.className='js';var all=document.querySelectorAll('[v-cloak],[x-cloak],[ng-cloak]');for(var n=0;n<all.length;n++){for(var k of ['v-cloak','x-cloak','ng-cloak'])all[n].removeAttribute(k)}</script>"
    return page(payload + script, style=style).replace("<html>", f"<html {attributes}>")


SEEN_BY_GEOMETRY: dict[str, str] = {
    "mirrored": _inline("transform:scaleX(-1)"),
    "mirrored-whole": _inline("transform:scale(-1)"),
    "mirrored-property": _inline("scale:-1 1"),
    "mirrored-matrix": _inline("transform:matrix(-1,0,0,1,0,0)"),
    "half-turn": _inline("transform:rotate(180deg)"),
    "quarter-turn": _inline("display:inline-block;margin:120px;transform:rotate(90deg)"),
    "quarter-turn-property": _inline("display:inline-block;margin:120px;rotate:90deg"),
    "quarter-turn-z": _inline("display:inline-block;margin:120px;rotate:z 90deg"),
    "turn-about": _inline("transform:rotateY(180deg)"),
    "turn-there-and-back": _inline("transform:rotateX(90deg) rotateX(-90deg)"),
    "scaled-back": _inside("transform:scale(.1);transform-origin:0 0", "transform:scale(10);transform-origin:0 0"),
    "translate-centred": _inline("position:relative;left:50%;translate:-50% 0"),
    "scale-on-inline": _inline("transform:scale(0)", "span"),
    "size-on-inline": _inline("width:0;height:0;overflow:hidden", "span"),
    "indent-on-inline": _inline("text-indent:-9999px", "span"),
    "minimum-height": _inline("height:0;min-height:40px;overflow:hidden"),
    "minimum-width": _inline("width:1px;min-width:300px;overflow:hidden"),
    "padding-below": _inline("height:0;padding-bottom:40px;overflow:hidden"),
    "overflow-visible": _inline("max-height:0;overflow:visible"),
    "contents-box": _inline("display:contents;height:0;overflow:hidden;opacity:0"),
    "escapes-clip": page(f'<div style="height:0;overflow:hidden"><p style="position:absolute">{_TEXT}</p></div>'),
    "left-without-position": _inline("left:-9999px;top:-9999px"),
    "clip-without-position": _inline("clip:rect(0 0 0 0)"),
    "clip-path-whole": _inline("clip-path:polygon(0 0,100% 0,100% 100%,0 100%)"),
    "clip-path-missing": _inline("clip-path:url(#nowhere)"),
    "clip-path-circle": _inline("clip-path:circle(75%)"),
    "clip-path-path": _inline("clip-path:path('M0 0H900V300H0Z')"),
    "moved-and-back": _inline("position:relative;left:-9999px;margin-left:9999px"),
    "far-down": _inline("position:absolute;top:4000px"),
    "fixed-left-column": page(f'<div style="padding-left:300px"><div style="width:300px;margin-left:-300px;float:left">{_TEXT}</div></div>'),
    "small-shift": _inline("position:relative;left:-3px;top:-2px"),
    "grid-rows-open": _inside("display:grid;grid-template-rows:1fr", "overflow:hidden;min-height:0"),
    "grid-rows-visible": _inside("display:grid;grid-template-rows:0fr", "color:black"),
    "contain-layout": _inline("contain:layout style;"),
    "contain-strict-sized": _inline("contain:strict;height:60px"),
    "contain-size-visible": _inline("contain:size"),
    "column-shown": page(f'<table><colgroup><col style="visibility:collapse"><col></colgroup><tr><td>One</td><td>{_TEXT}</td></tr></table>'),
    "line-height-only": _inline("line-height:0"),
    "indent-wraps": _inline("text-indent:100%"),
    "zoomed": _inline("zoom:.8"),
    "mask-full": _inline("mask-image:linear-gradient(#000,rgba(0,0,0,.6))"),
    "mask-none": _inline("mask:none"),
    "perspective-only": _inline("transform:perspective(500px) translateZ(10px)"),
    "inert": page(f"<div inert>{_TEXT}</div>"),
}  # fmt: skip

SEEN_BY_COLOUR: dict[str, str] = {
    "variable-on-class": _ruled(".dark{--bg:#123;--ink:#fff}.x{background:var(--bg,#fff);color:var(--ink,#fff)}", f'<div class="dark">{_DIV}</div>'),
    "variable-on-theme": _ruled(":root{--bg:#fff}[data-theme=dark]{--bg:#000}.x{background:var(--bg);color:#fff}", f'<section data-theme="dark">{_DIV}</section>'),
    "variable-invalid": _ruled(".x{color:red;color:var(--nowhere)}"),
    "variable-cycle": _ruled(".x{--a:var(--b);--b:var(--a);display:var(--a)}"),
    "text-shadow": _inline("color:#fff;text-shadow:0 0 3px #000"),
    "text-shadow-outline": _inline("color:#fff;text-shadow:-1px 0 #333,1px 0 #333,0 1px #333"),
    "text-shadow-only": _inline("color:transparent;text-shadow:0 0 1px #000"),
    "text-shadow-inherited": _inside("text-shadow:0 0 4px #000", "color:#fff", "p"),
    "stroke": _inline("color:#fff;-webkit-text-stroke:1px #000"),
    "stroke-longhand": _inline("color:transparent;-webkit-text-stroke-width:1px;-webkit-text-stroke-color:black"),
    "svg-stroke": page(f'<svg width="300"><text y="20" fill="none" stroke="#000">{_TEXT}</text></svg>'),
    "link-in-white": page(f'<div style="color:#fff">w <a href="#y">{_TEXT}</a></div>'),
    "button-in-white": page(f'<div style="color:#fff;font-size:0"><button>{_TEXT}</button></div>'),
    "mark-in-white": page(f'<div style="color:#fff">w <mark>{_TEXT}</mark></div>'),
    "white-on-oklch": _inside("background:oklch(0.4 0.1 250)", "color:white"),
    "white-on-mix": _inside("background:color-mix(in srgb, black 80%, white)", "color:white"),
    "white-on-dark-gradient": _inside("background-image:linear-gradient(#111,#fff)", "color:#fff"),
    "white-in-dark-scheme": f'<html style="color-scheme:dark"><body><p>{SHOWN}</p><p style="color:#fff">{_TEXT}</p></body></html>',
    "light-dark-seen": _inline("color-scheme:light;color:light-dark(#000, #fff)"),
    "blend-difference": _inside("background:#fff", "color:#fff;mix-blend-mode:difference"),
    "blend-on-canvas": _inline("mix-blend-mode:screen"),
    "filter-invert-white": _inline("color:#fff;filter:invert(1)"),
    "clip-text-dark": _inline("background:#036;background-clip:text;color:transparent"),
    "behind-in-context": page(f'<div style="background:#fff;position:relative;z-index:0"><p style="position:relative;z-index:-1">{_TEXT}</p></div>'),
    "behind-static": page(f'<div style="background:#fff"><p style="z-index:-1">{_TEXT}</p></div>'),
    "behind-canvas": _ruled("body{background:#eee}", f'<p style="position:relative;z-index:-1">{_TEXT}</p>'),
    "opacity-twice": _inside("opacity:.7", "opacity:.7"),
    "alpha-half": _inline("color:rgb(0 0 0 / 50%)"),
    "relative-opaque": _inline("color:rgb(from #fff calc(r - 255) calc(g - 255) calc(b - 255))"),
    "blur-little": _inline("filter:blur(.5px)"),
    "first-letter": _ruled(".x::first-letter{color:transparent}"),
    "before-hidden": _ruled(".x::before,.x::after{content:'a';display:none;opacity:0}"),
}  # fmt: skip

SEEN_BY_CASCADE: dict[str, str] = {
    "noscript-style": page(f'<div class="x">{_TEXT}</div>', head="<noscript><style>.x{display:none}</style></noscript>"),
    "noscript-link": page(_DIV, head='<noscript><link rel="stylesheet" href="data:text/css,.x{display:none}"></noscript>'),
    "template-style": page(f"<template><style>.x{{display:none}}</style></template>{_DIV}"),
    "invalid-list": _ruled(".x, .y:not-a-state{display:none}"),
    "foreign-prefix": _ruled(".x, ::-moz-nothing{display:none}"),
    "supports-unknown": _ruled("@supports (nonsense:1){.x{display:none}}"),
    "supports-other-engine": _ruled("@supports (-moz-appearance:none){.x{display:none}}"),
    "layer-loses": _ruled("@layer a{#y.x{display:none}}.x{display:block}", f'<div id="y" class="x">{_TEXT}</div>'),
    "layer-order-shows": _ruled("@layer a,b;@layer b{.x{display:block}}@layer a{.x{display:none}}"),
    "container-none": _ruled("@container (min-width:1px){.x{display:none}}"),
    "container-narrow": _ruled(".o{container-type:inline-size}@container (max-width:300px){.x{display:none}}", f'<div class="o">{_DIV}</div>'),
    "scope-elsewhere": _ruled("@scope (.o){.x{display:none}}", f'<div class="o">n</div>{_DIV}'),
    "scope-limit": _ruled("@scope (.o) to (.p){.x{display:none}}", f'<div class="o"><div class="p">{_DIV}</div></div>'),
    "starting-style": _ruled("@starting-style{.x{opacity:0}}.x{transition:opacity .1s}"),
    "import-print": _ruled('@import url("data:text/css,.x{display:none}") print;'),
    "import-late": _ruled('p{color:red}@import url("data:text/css,.x{display:none}");'),
    "link-print": page(_DIV, head='<link rel="stylesheet" media="print" href="data:text/css,.x{display:none}">'),
    "link-alternate": page(_DIV, head='<link rel="alternate stylesheet" title="b" href="data:text/css,.x{display:none}">'),
    "sheet-other-type": page(_DIV, head='<style type="text/less">.x{display:none}</style>'),
    "case-matters": _ruled(".X{display:none}"),
    "revert": _ruled(".x{display:none}", f'<div class="x" style="display:revert">{_TEXT}</div>'),
    "all-unset": _ruled(".x{opacity:0;color:#fff}", f'<div class="x" style="all:unset">{_TEXT}</div>'),
    "animation-ends": _ruled("@keyframes go{from{opacity:0}}.x{animation:go .01s}"),
    "animation-shows": _ruled("@keyframes go{to{opacity:1;transform:none}}.x{opacity:0;transform:scale(0);animation-name:go;animation-duration:.05s;animation-fill-mode:both}"),
    "animation-unknown": _ruled(".x{animation:hide 1s forwards}"),
    "animation-important": _ruled("@keyframes go{to{opacity:0}}.x{opacity:1!important;animation:go .01s forwards}"),
    "animation-blinks": _ruled("@keyframes go{50%{opacity:0}}.x{animation:go 9s infinite}"),
    "link-states": _ruled("a:link{color:#00c}a:visited{color:#fff}", f'<p><a href="#y">{_TEXT}</a></p>'),
    "disabled-sheet-rule": _ruled("@media (prefers-color-scheme:dark){.x{color:#000;background:#000}}"),
    "first-child-only": _ruled("section p:first-child{display:none}", f"<section><p>One</p><p>{_TEXT}</p></section>"),
    "author-shows-dialog": _ruled("dialog{display:block}", f"<dialog>{_TEXT}</dialog>"),
    "author-shows-hidden": _ruled("[hidden]{display:block}", f"<p hidden>{_TEXT}</p>"),
}  # fmt: skip

SEEN_BY_SCRIPT: dict[str, str] = {
    "no-js": _on_root('class="no-js"', ".no-js .x{display:none}"),
    "no-js-not": _on_root("", "html:not(.js) .x{visibility:hidden}"),
    "fonts-loading": _on_root('class="wf-loading"', ".wf-loading .x{visibility:hidden}"),
    "fonts-loading-attribute": _on_root('data-fonts="loading" class="fonts-loading"', ".fonts-loading p,.fonts-loading .x{opacity:0}"),
    "cloak-vue": _on_root("", "[v-cloak]{display:none}", f"<div v-cloak>{_TEXT}</div>"),
    "cloak-alpine": _on_root("", "[x-cloak]{display:none!important}", f"<div x-cloak>{_TEXT}</div>"),
    "cloak-angular": _on_root("", "[ng\\:cloak],[ng-cloak],.ng-cloak{display:none!important}", f"<div ng-cloak>{_TEXT}</div>"),
    "not-defined": _ruled("my-card:not(:defined){visibility:hidden}", f"<my-card>{_TEXT}</my-card><script>customElements.define('my-card', class extends HTMLElement{{}})</script>"),
    "anti-flicker": _on_root('class="async-hide"', ".async-hide{opacity:0!important}"),
    "wow": _ruled(".wow{visibility:hidden}", f'<div class="wow fadeInUp">{_TEXT}</div><script>new WOW().init();document.querySelector(".wow").style.visibility="visible"</script>'),
    "wow-outside": _ruled(".wow{visibility:hidden}", f'<div class="wow bounceIn">{_TEXT}</div>{_SCRIPT}'),
    "aos": _ruled("[data-aos]{opacity:0;transform:translateY(100px)}[data-aos].aos-animate{opacity:1;transform:none}", f'<div data-aos="fade-up">{_TEXT}</div>{_SCRIPT}'),
    "elementor": _ruled(".elementor-invisible{visibility:hidden}", f'<div class="elementor-element elementor-invisible">{_TEXT}</div>{_SCRIPT}'),
    "reveal": _ruled(".reveal{opacity:0}.reveal.active{opacity:1}", f'<section class="reveal">{_TEXT}</section>{_SCRIPT}'),
    "reveal-by-observer": _ruled(".card{opacity:0;transition:opacity .1s}.card.seen{opacity:1}", f'<section class="card">{_TEXT}</section><script>new IntersectionObserver(all=>all.forEach(e=>e.target.classList.add("seen"))).observe(document.querySelector(".card"))</script>'),
    "reveal-outside": _ruled(".fade-in-section{opacity:0;visibility:hidden}", f'<section class="fade-in-section">{_TEXT}</section>{_SCRIPT}'),
    "reveal-clip": _ruled(".box{clip-path:inset(0 100% 0 0)}.box.in-view{clip-path:none}", f'<section class="box">{_TEXT}</section>{_SCRIPT}'),
    "reveal-scale": _ruled(".pop{transform:scale(0)}.pop.go{transform:scale(1)}", f'<section class="pop">{_TEXT}</section>{_SCRIPT}'),
    "reveal-inside-loaded": _ruled(".hero p{opacity:0}.loaded .hero p{opacity:1}", f'<div class="hero"><p>{_TEXT}</p></div>{_SCRIPT}'),
    "reveal-paused": _ruled("@keyframes in{from{opacity:0}to{opacity:1}}.x{animation:in 1s both paused}.x.run{animation-play-state:running}", f"{_DIV}{_SCRIPT}"),
    "reveal-gsap": page(f'<div class="box" style="opacity:0;visibility:hidden">{_TEXT}</div><script>gsap.to(".box",{{autoAlpha:1}})</script>'),
    "accordion-script": _ruled(".panel-body{display:none}", f'<h3 class="q">Why?</h3><div class="panel-body">{_TEXT}</div><script>document.querySelectorAll(".q").forEach(q=>q.onclick=()=>q.nextElementSibling.style.display="block")</script>'),
    "accordion-class": _ruled(".item .body{max-height:0;overflow:hidden}.item.open .body{max-height:500px}", f'<div class="item"><h3>Why?</h3><div class="body">{_TEXT}</div></div>{_SCRIPT}'),
    "accordion-onclick": page(f'<p onclick="this.nextElementSibling.hidden=false">Why?</p><div hidden>{_TEXT}</div>'),
    "accordion-id": page(f'<p id="why">Why?</p><div id="because" style="display:none">{_TEXT}</div><script>document.getElementById("why").onclick=function(){{document.getElementById("because").style.display="block"}}</script>'),
    "accordion-grid": _ruled(".wrap{display:grid;grid-template-rows:0fr}.wrap.is-open{grid-template-rows:1fr}.wrap>div{overflow:hidden}", f'<button aria-expanded="false">Why?</button><div class="wrap"><div>{_TEXT}</div></div>{_SCRIPT}'),
    "accordion-checkbox": _ruled(".more{display:none}#t:checked ~ .more{display:block}", f'<input type="checkbox" id="t"><label for="t">More</label><div class="more">{_TEXT}</div>'),
    "accordion-target": _ruled(".pane{display:none}.pane:target{display:block}", f'<a href="#two">Two</a><div class="pane" id="two">{_TEXT}</div>'),
    "tab-state": _ruled(".pane{display:none}.pane.active{display:block}", f'<ul><li data-pane="1">One</li></ul><div class="pane active">One</div><div class="pane">{_TEXT}</div>{_SCRIPT}'),
    "component": _ruled("my-block,[slot]{visibility:hidden}", f'<my-block><p slot="a">{_TEXT}</p></my-block>{_SCRIPT}'),
    "question": _ruled(".r{height:0;overflow:hidden;visibility:hidden}", f'<div><span>Is it covered?</span><div class="r">{_TEXT}</div></div>{_SCRIPT}'),
    "streamed-later": page(f'<template id="P:1f"></template><div hidden id="S:2a">{_TEXT}</div>'),
    "wrappers-shown-late": _ruled(".w{visibility:hidden}", f'<div class="w"><div class="w"><h1>News</h1><div class="w">{_TEXT}</div>{SHOWN * 15}</div></div>{_SCRIPT}'),
    "until-found": page(f'<div hidden="until-found">{_TEXT}</div>'),
    "details-named": page(f'<details name="g" open><summary>A</summary>a</details><details name="g"><summary>B</summary><p>{_TEXT}</p></details>'),
    "popover-button": page(f'<button popovertarget="p">More</button><div popover id="p">{_TEXT}</div>'),
    "loader-over": _ruled("#app{display:none}", f'<div id="app">{_TEXT}</div><script>window.onload=function(){{document.getElementById("app").style.display="block"}}</script>'),
}  # fmt: skip

_LONG_TOPIC = f"<h1>Topic</h1><p>{MARKER}</p>" + f"<p>{SHOWN}</p>" * 20

SEEN_BY_MARKUP: dict[str, str] = {
    "noscript-holds-page": f'<html><head><title>T</title></head><body><div id="app"></div><noscript>{_LONG_TOPIC}</noscript><script src="app.js"></script></body></html>',
    "noscripts-hold-page": f'<html><head><title>T</title></head><body><div id="app"></div><noscript><h1>Topic</h1></noscript><noscript>{_LONG_TOPIC}</noscript></body></html>',
    "shadow-root": page(f'<div><template shadowrootmode="open"><p>{_TEXT}</p></template></div>'),
    "shadow-slotted": page(f'<div><template shadowrootmode="open"><h2>H</h2><slot></slot></template><p>{_TEXT}</p></div>'),
    "shadow-named-slot": page(f'<div><template shadowrootmode="open"><slot name="a"></slot></template><p slot="a">{_TEXT}</p></div>'),
    "slot-fallback-used": page(f'<div><template shadowrootmode="open"><slot name="a">{_TEXT}</slot></template></div>'),
    "shadow-style-stays-inside": page(f'<div><template shadowrootmode="open"><style>p{{display:none}}</style><slot></slot></template></div><p>{_TEXT}</p>'),
    "object-without-data": page(f"<object><p>{_TEXT}</p></object>"),
    "svg-text": page(f'<svg width="300" height="40"><text y="20">{_TEXT}</text></svg>'),
    "svg-used": page(f'<svg width="300" height="40"><defs><text id="t" y="20">{_TEXT}</text></defs><use href="#t"/></svg>'),
    "foreign-object-seen": page(f'<svg width="300" height="50"><foreignObject width="300" height="50"><p>{_TEXT}</p></foreignObject></svg>'),
    "marquee": page(f"<marquee scrollamount=0>{_TEXT}</marquee>"),
    "select-option": page(f"<select><option>{_TEXT}</option></select>"),
    "textarea": page(f"<textarea>{_TEXT}</textarea>"),
    "ruby-text": page(f"<ruby>{_TEXT}<rt>reading</rt></ruby>"),
    "math": page(f"<math><mtext>{_TEXT}</mtext></math>"),
    "slot-outside": page(f"<slot>{_TEXT}</slot>"),
    "unknown-element": page(f"<made-up>{_TEXT}</made-up>"),
    "image-text": page(f'<img src="missing.png" alt="{_TEXT}">'),
}  # fmt: skip

MORE_SEEN: dict[str, str] = {
    **SEEN_BY_GEOMETRY,
    **SEEN_BY_COLOUR,
    **SEEN_BY_CASCADE,
    **SEEN_BY_SCRIPT,
    **SEEN_BY_MARKUP,
}
