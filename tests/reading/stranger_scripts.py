"""Sentences that a page hides at first and its own script, or a press of the reader, reveals."""

from __future__ import annotations

from tests.reading.stranger_articles import PageParts

_NOTE = "<p class='note'>MARK</p>"

REVEALED_BY_SCRIPT: dict[str, PageParts] = {
    "scroll-observer": (
        "<p data-aos='fade-up'>MARK</p>",
        (
            "[data-aos]{opacity:0;transform:translateY(60px);transition:.1s}"
            "[data-aos].aos-animate{opacity:1;transform:none}"
        ),
        {
            "tail": "<script>const o=new IntersectionObserver(es=>es.forEach(e=>{"
            "if(e.isIntersecting)e.target.classList.add('aos-animate')}));"
            "document.querySelectorAll('[data-aos]').forEach(e=>o.observe(e))</script>"
        },
    ),
    "wow-inline": (
        "<p class='wow fadeInUp' style='visibility:hidden'>MARK</p>",
        "",
        {
            "tail": "<script>document.querySelectorAll('.wow').forEach(e=>{"
            "e.style.visibility='visible';e.classList.add('animated')})</script>"
        },
    ),
    "shown-when-loaded": (
        "<div id='rest' style='opacity:0'><p>MARK</p></div>",
        "",
        {
            "tail": "<script>addEventListener('load',()=>{"
            "document.getElementById('rest').style.opacity=1})</script>"
        },
    ),
    "ready-class": (
        _NOTE,
        "html:not(.ready) .story{visibility:hidden}",
        {"tail": "<script>document.documentElement.classList.add('ready')</script>"},
    ),
    "fonts-pending": (
        _NOTE,
        ".fonts-pending p{visibility:hidden}",
        {
            "html_attributes": " lang='en' class='fonts-pending'",
            "tail": "<script>document.fonts.ready.then(()=>"
            "document.documentElement.classList.remove('fonts-pending'))</script>",
        },
    ),
    "sheet-arrives-late": (
        _NOTE,
        ".note{display:none}",
        {
            "head": "<link rel='stylesheet' media='print' onload=\"this.media='all'\" "
            'href="data:text/css,p.note{display:block}">'
        },
    ),
    "dialog-by-script": (
        "<dialog id='news'><p>MARK</p></dialog>",
        "",
        {"tail": "<script>document.getElementById('news').showModal()</script>"},
    ),
    "popover-by-script": (
        "<div popover='manual' id='tip'><p>MARK</p></div>",
        "",
        {"tail": "<script>document.getElementById('tip').showPopover()</script>"},
    ),
}
# What a reader presses is the element of the class "press".
REVEALED_BY_PRESSING: dict[str, PageParts] = {
    "radio-tabs": (
        (
            "<div class='tabs'><input type='radio' name='t' id='t1' checked><label for='t1'>Light"
            "</label><input type='radio' name='t' id='t2'><label for='t2' class='press'>Oil</label>"
            "<div class='pane one'><p>The light turned once a minute.</p></div>"
            "<div class='pane two'><p>MARK</p></div></div>"
        ),
        ".pane{display:none}#t1:checked ~ .one,#t2:checked ~ .two{display:block}",
    ),
    "read-more-box": (
        (
            "<input type='checkbox' id='more'><div class='rest'><p>MARK</p></div>"
            "<label for='more' class='press'>Read more</label>"
        ),
        "#more{display:none}#more:not(:checked) ~ .rest{max-height:0;overflow:hidden}",
    ),
    "accordion-of-height": (
        (
            "<button class='press acc'>How much oil was used?</button>"
            "<div class='panel'><p>MARK</p></div>"
        ),
        ".panel{max-height:0;overflow:hidden;transition:max-height .1s}",
        {
            "tail": "<script>document.querySelectorAll('.acc').forEach(b=>b.onclick=()=>{"
            "const p=b.nextElementSibling;p.style.maxHeight=p.scrollHeight+'px'})</script>"
        },
    ),
    "accordion-of-grid": (
        (
            "<section class='faq'><h3><button class='press' aria-expanded='false' aria-controls='a1'>"
            "How much oil was used?</button></h3><div class='answer' id='a1'><div><p>MARK</p></div>"
            "</div></section>"
        ),
        (
            ".answer{display:grid;grid-template-rows:0fr}.answer > div{overflow:hidden}"
            ".faq.open .answer{grid-template-rows:1fr}"
        ),
        {
            "tail": "<script>document.querySelector('.faq button').onclick=e=>"
            "e.target.closest('.faq').classList.toggle('open')</script>"
        },
    ),
    "consent-stops-scrolling": (
        _NOTE,
        (
            "body.consent{overflow:hidden;height:100vh;position:fixed;width:100%}"
            ".wall{position:fixed;inset:0;background:#fff}"
        ),
        {
            "body_attributes": " class='consent'",
            "tail": "<div class='wall' role='dialog' aria-label='Cookies'><p>We use cookies.</p>"
            "<button class='press'>Accept</button></div><script>"
            "document.querySelector('.press').onclick=()=>{"
            "document.body.classList.remove('consent');"
            "document.querySelector('.wall').remove()}</script>",
        },
    ),
}
