"""Tables with a caption, and lists of names and values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from citewell.server.pages.dashboard_snapshot import NamedFact
from citewell.server.pages.html_elements import SafeMarkup, build_element
from citewell.server.pages.page_parts import render_status
from citewell.server.pages.value_texts import format_clock_time, format_day_time


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
            "div", build_element("dt", fact.name), build_element("dd", _render_cell_text(fact))
        )
        for fact in facts
    )
    return build_element("dl", *pairs)


def _render_cell_text(fact: NamedFact) -> str:
    return render_status(fact.tone, fact.text) if fact.tone else fact.text
