"""Pages of our own making that are, discuss or list papers, each with the DOIs it is and mentions.

The papers, people and journals are invented. `REGISTERED` is what the registry of the tests has.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from citewell.core.values.paper import IntegrityNotice, NoticeKind, WorkAuthor
from citewell.trust.retraction_checks import NoticedWork

FILLER = (
    "<p>The measurements were repeated in three laboratories, and the values that were found there"
    " agree with one another within the limits that had been stated before the work began.</p>"
) * 4


def _people(*names: str) -> tuple[WorkAuthor, ...]:
    split = (name.rpartition(" ") for name in names)
    return tuple(
        WorkAuthor(name=f"{given} {family}", family=family, given=given)
        for given, _, family in split
    )


RETRACTION = IntegrityNotice(
    kind=NoticeKind.RETRACTION, source="retraction-watch", date="2024-03-01"
)
HEART, HEART_NOTICE = "10.5555/heart.2020.17", "10.5555/heart.2024.99"
TIDES, TIDES_PREPRINT = "10.5555/tides.2021.4", "10.5555/rxiv.2020.881"
GRAPHS, SOIL, SOIL_DATA = "10.5555/conf.2019.33", "10.5555/soil.2022.8", "10.5555/data.771"
NEWS = "10.5555/n41-020-1"
REGISTERED = {
    HEART: NoticedWork(
        title="Cardiac outcomes after early statin therapy: a registry analysis",
        authors=_people("Maria Lindqvist", "Paul Okonkwo", "Jun Takeda"),
        events=(RETRACTION,),
    ),
    HEART_NOTICE: NoticedWork(
        title="Retraction: Cardiac outcomes after early statin therapy: a registry analysis",
        authors=_people("Maria Lindqvist", "Paul Okonkwo", "Jun Takeda"),
        events=(),
    ),
    TIDES: NoticedWork(
        title="Spring tides and the survival of intertidal mussels",
        authors=_people("Aoife Brennan", "Tomás Rivera"),
        events=(),
    ),
    TIDES_PREPRINT: NoticedWork(
        title="Tidal forcing of mussel beds: preliminary results",
        authors=_people("Aoife Brennan", "Tomás Rivera"),
        events=(),
    ),
    GRAPHS: NoticedWork(
        title="Sparse graph attention without softmax",
        authors=_people("Wei Zhang", "Olena Kovalenko"),
        events=(),
    ),
    SOIL: NoticedWork(
        title="Carbon storage in reclaimed peat soils over four decades",
        authors=_people("Hanna Virtanen", "Ben Asante"),
        events=(),
    ),
    NEWS: NoticedWork(
        title="Heart study withdrawn after data questions",
        authors=_people("Grace Hopper"),
        events=(),
    ),
}


@dataclass(frozen=True, kw_only=True)
class IdentityPage:
    name: str
    html: str
    url: str
    own: str | None = None
    mentioned: tuple[str, ...] = ()


def _meta(**values: str | tuple[str, ...]) -> str:
    return "".join(
        f'<meta name="{name.replace("__", ".")}" content="{value}">'
        for name, given in values.items()
        for value in ([given] if isinstance(given, str) else given)
    )


def _ld(**thing: Any) -> str:
    thing = {name.replace("at_", "@"): value for name, value in thing.items()}
    data = json.dumps({"@context": "https://schema.org", **thing})
    return f'<script type="application/ld+json">{data}</script>'


def _page(title: str, body: str = "", *, head: str = "", by: str = "") -> str:
    byline = f'<p class="byline">By <a rel="author" href="/people/1">{by}</a></p>' if by else ""
    return (
        f"<html lang=en><head><title>{title}</title>{head}</head><body><article><h1>{title}</h1>"
        f"{byline}{body}{FILLER}</article></body></html>"
    )


def _link(doi: str, words: str = "the paper") -> str:
    return f'<p>Read <a href="https://doi.org/{doi}">{words}</a> (doi: {doi}) for all figures.</p>'


HEART_TITLE = REGISTERED[HEART].title
TIDES_TITLE = REGISTERED[TIDES].title
TIDES_MARKS = _meta(
    citation_title=TIDES_TITLE,
    citation_author=("Brennan, Aoife", "Rivera, Tomás"),
    citation_doi=TIDES,
)

PAGES = (
    IdentityPage(
        name="news page of a journal that links a retracted paper",
        url="https://www.nature.com/news/how-journals-correct-the-record",
        html=_page("How journals correct the record", _link(HEART), by="Grace Hopper"),
        mentioned=(HEART,),
    ),
    IdentityPage(
        name="press release of a university about its own paper",
        url="https://news.example.edu/2021/mussels",
        html=_page(
            "Mussels feel the moon, marine biologists find", _link(TIDES), by="Press Office"
        ),
        mentioned=(TIDES,),
    ),
    IdentityPage(
        name="press release with the same title as the paper and a press officer as author",
        url="https://www.example.edu/press/tides",
        html=_page(TIDES_TITLE, _link(TIDES), by="Lena Fischer"),
        mentioned=(TIDES,),
    ),
    IdentityPage(
        name="blog post on a retraction that names the authors",
        url="https://blog.example.org/heart",
        html=_page(
            "Heart registry paper is gone",
            f"<p>Lindqvist, Okonkwo and Takeda withdrew it.</p>{_link(HEART)}",
            by="Ivan Petrov",
        ),
        mentioned=(HEART,),
    ),
    IdentityPage(
        name="blog post whose address holds the DOI it discusses",
        url=f"https://blog.example.org/retractions/{HEART}",
        html=_page("What went wrong with a large heart registry", _link(HEART), by="Ivan Petrov"),
        mentioned=(HEART,),
    ),
    IdentityPage(
        name="news item with a paper beside it in JSON-LD",
        url="https://daily.example.com/science/heart",
        html=_page(
            "Doubts about heart study grow",
            _link(HEART),
            head=_ld(at_type="NewsArticle", headline="Doubts about heart study grow")
            + _ld(at_type="ScholarlyArticle", name=HEART_TITLE, identifier=HEART),
            by="Grace Hopper",
        ),
        mentioned=(HEART,),
    ),
    IdentityPage(
        name="news item whose citation metadata name the paper it is about",
        url="https://daily.example.com/science/statins",
        html=_page(
            "Statin study is withdrawn by its authors",
            _link(HEART),
            head=_meta(citation_doi=HEART),
            by="Grace Hopper",
        ),
        mentioned=(HEART,),
    ),
    IdentityPage(
        name="news item without a byline whose dc.identifier names another paper",
        url="https://daily.example.com/science/moon",
        html=_page("Shellfish follow the moon", head=_meta(dc__identifier=f"doi:{TIDES}")),
        mentioned=(TIDES,),
    ),
    IdentityPage(
        name="news item that carries all metadata of another paper",
        url="https://daily.example.com/science/shellfish",
        html=_page(
            "Why shellfish farmers watch the calendar",
            _link(TIDES),
            head=TIDES_MARKS
            + '<meta property="og:title" content="Why shellfish farmers watch the calendar">',
        ),
        mentioned=(TIDES,),
    ),
    IdentityPage(
        name="news article of a journal with a DOI of its own",
        url=f"https://journal.example.org/articles/{NEWS}",
        html=_page(
            REGISTERED[NEWS].title, _link(HEART), head=_meta(citation_doi=NEWS), by="Grace Hopper"
        ),
        own=NEWS,
        mentioned=(HEART,),
    ),
    IdentityPage(
        name="article with Highwire metadata and a list of references",
        url="https://journal.example.org/content/12",
        html=_page(
            TIDES_TITLE,
            f"<h2>References</h2><ol><li>https://doi.org/{HEART}</li><li>doi:{SOIL}</li></ol>",
            head=TIDES_MARKS,
        ),
        own=TIDES,
        mentioned=(HEART, SOIL),
    ),
    IdentityPage(
        name="article with the DOI in its address and no metadata",
        url=f"https://journal.example.org/doi/full/{TIDES}",
        html=_page(f"{TIDES_TITLE} | Journal of Shores"),
        own=TIDES,
    ),
    IdentityPage(
        name="article that PLOS-like addresses name in a parameter",
        url=f"https://journal.example.org/article?id={TIDES}",
        html=_page(TIDES_TITLE, f"<p>Figure: {TIDES}.g001, table: {TIDES}.t001</p>"),
        own=TIDES,
    ),
    IdentityPage(
        name="search page whose address holds what was searched for",
        url=f"https://search.example.org/find?q={TIDES}",
        html=_page("Results of your search in all collections", _link(TIDES)),
        mentioned=(TIDES,),
    ),
    IdentityPage(
        name="article without metadata whose first lines give authors and DOI",
        url="https://old.example.org/vol4/p17.html",
        html=_page(
            TIDES_TITLE, f"<p>Aoife Brennan and Tomás Rivera</p><p>https://doi.org/{TIDES}</p>"
        ),
        own=TIDES,
    ),
    IdentityPage(
        name="article without metadata that cites its own preprint",
        url="https://old.example.org/vol4/p18.html",
        html=_page(
            TIDES_TITLE,
            f"<p>An earlier version is https://doi.org/{TIDES_PREPRINT}.</p><p>doi:{TIDES}</p>",
            by="Aoife Brennan",
        ),
        own=TIDES,
        mentioned=(TIDES_PREPRINT,),
    ),
    IdentityPage(
        name="retracted article that its publisher has labelled",
        url=f"https://journal.example.org/doi/{HEART}",
        html=_page(f"RETRACTED: {HEART_TITLE}", head=_meta(prism__doi=HEART)),
        own=HEART,
    ),
    IdentityPage(
        name="retraction notice with metadata of its own",
        url="https://journal.example.org/notice/99",
        html=_page(
            f"Retraction: {HEART_TITLE}", _link(HEART), head=_meta(citation_doi=HEART_NOTICE)
        ),
        own=HEART_NOTICE,
        mentioned=(HEART,),
    ),
    IdentityPage(
        name="retraction notice without metadata, signed by the authors",
        url="https://journal.example.org/notices/heart",
        html=_page(f"Retraction: {HEART_TITLE}", _link(HEART), by="Maria Lindqvist"),
        mentioned=(HEART,),
    ),
    IdentityPage(
        name="repository page with Dublin Core identifiers",
        url="https://repository.example.edu/handle/1234/567",
        html=_page(
            REGISTERED[SOIL].title,
            head=_meta(
                DC__identifier=(
                    "https://repository.example.edu/handle/1234/567",
                    f"https://doi.org/{SOIL}",
                ),
                DC__creator=("Virtanen, Hanna", "Asante, Ben"),
            ),
        ),
        own=SOIL,
    ),
    IdentityPage(
        name="dataset that belongs to an article",
        url="https://data.example.org/771",
        html=_page(
            "Peat cores 1980-2020: raw carbon measurements",
            f"<p>Supplement to https://doi.org/{SOIL}</p>",
            head=_ld(
                at_type="Dataset",
                name="Peat cores 1980-2020",
                identifier={"@type": "PropertyValue", "propertyID": "doi", "value": SOIL_DATA},
            ),
        ),
        own=SOIL_DATA,
        mentioned=(SOIL,),
    ),
    IdentityPage(
        name="publisher's page with the article as main entity in JSON-LD",
        url="https://publisher.example.com/content/pdf/33",
        html=_page(
            REGISTERED[GRAPHS].title,
            head=_ld(
                at_type="WebPage",
                mainEntity={
                    "@type": "ScholarlyArticle",
                    "headline": REGISTERED[GRAPHS].title,
                    "sameAs": f"https://doi.org/{GRAPHS}",
                },
            ),
        ),
        own=GRAPHS,
    ),
    IdentityPage(
        name="table of contents that declares the DOIs of its papers",
        url="https://proceedings.example.org/2019",
        html=_page(
            "Proceedings of the invented conference 2019",
            _link(GRAPHS) + _link(SOIL),
            head=_meta(citation_doi=(GRAPHS, SOIL)),
        ),
        mentioned=(GRAPHS, SOIL),
    ),
    IdentityPage(
        name="preprint page that links the published article",
        url=f"https://rxiv.example.org/content/{TIDES_PREPRINT}v2",
        html=_page(
            REGISTERED[TIDES_PREPRINT].title,
            f"<p>Now published: https://doi.org/{TIDES}</p>",
            head=_meta(citation_doi=TIDES_PREPRINT),
        ),
        own=TIDES_PREPRINT,
        mentioned=(TIDES,),
    ),
    IdentityPage(
        name="page about a paper whose title is that of the paper, by another author",
        url="https://notes.example.net/papers/graphs",
        html=_page(REGISTERED[GRAPHS].title, _link(GRAPHS), by="Sam Reader"),
        mentioned=(GRAPHS,),
    ),
    IdentityPage(
        name="profile of a researcher with a list of papers",
        url="https://www.example.edu/~lindqvist",
        html=_page("Maria Lindqvist", _link(HEART) + _link(TIDES), by="Maria Lindqvist"),
        mentioned=(HEART, TIDES),
    ),
    IdentityPage(
        name="encyclopedia page with references",
        url="https://wiki.example.org/wiki/Statin",
        html=_page("Statin", f"<h2>References</h2>{_link(HEART)}{_link(SOIL)}"),
        mentioned=(HEART, SOIL),
    ),
)  # fmt: skip
