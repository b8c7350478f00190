"""The front page: what this server is, whether it is well, and how to connect a client."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib import metadata

from citewell.server.pages.client_guides import (
    CONNECTOR_PATH,
    TOKEN_PLACEHOLDER,
    ClientGuide,
    ClientSnippet,
    ServerAddress,
    list_client_guides,
)
from citewell.server.pages.dashboard_figures import NamedFact, format_clock_time, format_day_time
from citewell.server.pages.page_frame import (
    SafeMarkup,
    build_element,
    fill_page_file,
    join_markup,
    render_brand,
    render_footer,
    render_status,
)

_OPEN_TEXT = "Whoever can reach this address may use it; nobody has to sign in."
_SIGN_IN_TEXT = (
    "You need an account. Your client opens the sign-in page by itself when it connects."
)
_TOKEN_TEXT = f"Ask the operator for a token and write it in place of {TOKEN_PLACEHOLDER}."
_EITHER_TEXT = "A program without a browser can send a token instead; ask the operator for one."
_PROXY_TEXT = "You sign in at the gateway in front of this server, as your organisation told you."


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontPageFacts:
    """All that the page may say of this server: nothing of users, settings or providers."""

    address: ServerAddress
    version: str
    is_ready: bool
    toolsets: tuple[str, ...]


def render_front_page(facts: FrontPageFacts) -> SafeMarkup:
    """The content of the page, below the head."""
    address = ClientSnippet(place="Address of this server", text=facts.address.url)
    links = (
        build_element("li", build_element("a", label, href=url, rel="noopener noreferrer"))
        for label, url in _list_project_links()
    )
    return fill_page_file(
        "front_page.html",
        brand=render_brand(),
        state=render_status("good", "This server is ready")
        if facts.is_ready
        else render_status("bad", "This server is not ready: it can answer little or nothing now"),
        version=facts.version,
        address=_render_snippet(address, "own"),
        sign_in=join_markup(
            build_element("p", text) for text in _list_sign_in_texts(facts.address)
        ),
        guides=join_markup(map(_render_guide, list_client_guides(facts.address))),
        connector_path=CONNECTOR_PATH,
        toolsets=", ".join(sorted(facts.toolsets)),
        links=join_markup(links),
        footer=render_footer(),
    )


def _list_sign_in_texts(address: ServerAddress) -> list[str]:
    texts = []
    if address.signs_in:
        texts.append(_SIGN_IN_TEXT)
    if address.takes_token:
        texts.append(_EITHER_TEXT if address.signs_in else _TOKEN_TEXT)
    if address.is_behind_gateway:
        texts.append(_PROXY_TEXT)
    return texts or [_OPEN_TEXT]


def _render_guide(guide: ClientGuide) -> SafeMarkup:
    heading = f"client-{guide.key}"
    steps = [build_element("li", step) for step in guide.steps]
    list_tag = "ol" if len(steps) > 1 else "ul"
    install = (
        build_element(
            "p", build_element("a", f"Add to {guide.name}", href=guide.install_url, class_="button")
        )
        if guide.install_url
        else None
    )
    return build_element(
        "article",
        build_element("h3", guide.name, id=heading),
        build_element(list_tag, *steps, class_="steps") if steps else None,
        install,
        *(
            _render_snippet(snippet, f"{guide.key}-{number}")
            for number, snippet in enumerate(guide.snippets)
        ),
        build_element("p", guide.note, class_="note") if guide.note else None,
        class_="card",
        aria_labelledby=heading,
    )


def _render_snippet(snippet: ClientSnippet, key: str) -> SafeMarkup:
    """A text to copy; the button appears where scripts run."""
    return build_element(
        "div",
        build_element("span", snippet.place, class_="place"),
        build_element(
            "button",
            "Copy",
            build_element("span", f" {snippet.place}", class_="unseen"),
            type="button",
            hidden=True,
            data_copy=f"snippet-{key}",
        ),
        build_element(
            "pre",
            build_element("code", snippet.text),
            id=f"snippet-{key}",
        ),
        class_="snippet",
    )


def _list_project_links() -> list[tuple[str, str]]:
    """Label and address of each web page that the installed package names as its own."""
    found = metadata.metadata("citewell").get_all("Project-URL") or []
    pairs = [tuple(part.strip() for part in entry.split(",", 1)) for entry in found]
    return [
        (pair[0], pair[1]) for pair in pairs if len(pair) == 2 and pair[1].startswith("https://")
    ]


# Tables with a caption, and lists of names and values.


@dataclass(frozen=True, slots=True)
class TableColumn:
    name: str
    is_number: bool = False
    title: str | None = None  # a longer explanation, shown on hovering

    @property
    def css_class(self) -> str | None:
        return "number" if self.is_number else None


def render_table(
    caption: str,
    columns: Sequence[TableColumn],
    rows: Iterable[Sequence[str]],
    *,
    key: str,
) -> SafeMarkup:
    """A table that can be scrolled sideways, also with the keyboard; the first cell names its row."""
    head = (
        build_element("th", column.name, scope="col", class_=column.css_class, title=column.title)
        for column in columns
    )
    body = (
        build_element(
            "tr",
            build_element("th", row[0], scope="row"),
            *(
                build_element("td", cell, class_=column.css_class)
                for cell, column in zip(row[1:], columns[1:], strict=True)
            ),
        )
        for row in rows
    )
    table = build_element(
        "table",
        build_element("caption", caption, id=f"caption-{key}"),
        build_element("thead", build_element("tr", *head)),
        build_element("tbody", *body),
    )
    return build_element(
        "div",
        table,
        class_="scroll",
        tabindex=0,
        role="region",
        aria_labelledby=f"caption-{key}",
        id=f"scroll-{key}",
    )


def render_time(moment: str, now: str) -> SafeMarkup:
    """A past moment: the time alone if it was today, with the day otherwise."""
    text = format_clock_time(moment) if moment[:10] == now[:10] else format_day_time(moment)
    return build_element("time", text, datetime=moment)


def render_facts(facts: Iterable[NamedFact]) -> SafeMarkup:
    pairs = (
        build_element(
            "div",
            build_element("dt", fact.name),
            build_element("dd", render_status(fact.tone, fact.text) if fact.tone else fact.text),
        )
        for fact in facts
    )
    return build_element("dl", *pairs)
