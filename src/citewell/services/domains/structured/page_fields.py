"""Fills the fields of a schema from one page, each value with the place that states it; workers do this."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby
from typing import Any

from citewell.model.domains.field_schema import SchemaField, parse_field_schema
from citewell.model.domains.structured_results import ValueEvidence
from citewell.services.domains.structured.field_labels import LabelMatcher
from citewell.services.domains.structured.field_questions import (
    build_field_question,
    drop_unit_words,
    find_asked_unit,
)
from citewell.services.domains.structured.page_facts import (
    HEADING,
    MAX_HIGHLIGHT_CHARS,
    PageFact,
    collect_page_facts,
)
from citewell.services.domains.structured.prose_values import (
    NumberMention,
    find_stated_value,
    list_number_mentions,
)
from citewell.services.domains.structured.typed_values import convert_stated_value
from citewell.text.evidence import nearest_sentences, summaries
from citewell.text.language import sentences
from citewell.text.quantities.quantity_extraction import extract_quantities
from citewell.text.quantities.stated_quantities import is_fixed_unit
from citewell.text.quantities.units import CURRENCY_CODES

_MAX_SEARCHED_CHARS = 200_000
_MAX_HIGHLIGHTS = 12
_MAX_SUMMARY_CHARS = 600
_LEAST_LABEL_SCORE = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class FilledFields:
    """The values by field, null where the page does not say, and the places that prove them."""

    summary: dict[str, Any] | str | None
    highlights: tuple[str, ...] = ()
    evidence: dict[str, ValueEvidence] = field(default_factory=dict)
    filled: int = 0  # fields with a value


def fill_page_fields(
    text: str,
    title: str,
    metadata: dict[str, Any],
    schema: dict[str, Any],
    *,
    query: str = "",
    language: str | None = None,
) -> FilledFields:
    """The fields that the page states; `metadata` is its StructuredData with author and published.

    A page that states none of them shows what it says about the query.
    """
    page = _FieldPage(text=text[:_MAX_SEARCHED_CHARS], title=title, metadata=metadata)
    fields = parse_field_schema(schema)
    values = {one.name: page.fill_field(one) for one in fields}
    shown = tuple(dict.fromkeys(page.shown.values()))[:_MAX_HIGHLIGHTS]
    if not shown and query:
        shown = summarise_for_query(text, query, language).highlights
    filled = sum(1 for value in values.values() if value is not None)
    return FilledFields(summary=values, highlights=shown, evidence=page.evidence, filled=filled)


def summarise_for_query(text: str, query: str, language: str | None) -> FilledFields:
    """Without a schema: the sentences nearest to the query, word for word, and a summary of the page."""
    running = summaries.extract_running_text(text[:_MAX_SEARCHED_CHARS])
    asked = nearest_sentences.build_claim_terms(query, language=language)
    _, said = nearest_sentences.find_nearest_sentences(asked, running, max_sentences=3)
    summary = summaries.summarise_markdown(text, max_chars=_MAX_SUMMARY_CHARS)
    found = (
        said or sentences.split_sentences(summary)[:1]
    )  # a page that shares no word with the query
    shown = tuple(one[: 2 * MAX_HIGHLIGHT_CHARS] for one in found)
    return FilledFields(summary=summary or None, highlights=shown)


def find_stated_highlights(text: str, values: list[Any]) -> tuple[str, ...]:
    """For each value the sentence or line of the text that has it; "" for one that is not there."""
    lines: list[str] = []
    for line in (" ".join(one.split()) for one in text[:_MAX_SEARCHED_CHARS].splitlines()):
        if line.startswith(": ") and lines:  # the definition of a term
            lines[-1] += line
        elif line:
            lines.append(line)
    return tuple(_find_value_place(lines, value) for value in values)


def _find_value_place(lines: Sequence[str], value: Any) -> str:
    forms = _list_written_forms(value)
    for line in lines:
        plain = line.lower()
        found = next((form for form in forms if _has_whole(plain, form)), None)
        if found is None:
            continue
        if len(line) <= MAX_HIGHLIGHT_CHARS:
            return line
        near = (one for one in sentences.split_sentences(line) if _has_whole(one.lower(), found))
        return next(near, line)[:MAX_HIGHLIGHT_CHARS]
    return ""


def _list_written_forms(value: Any) -> tuple[str, ...]:
    """How a value may stand in a text; numbers with and without separators."""
    if isinstance(value, bool) or value is None:
        return ()
    if isinstance(value, int):
        return (
            str(value),
            f"{value:,}",
            f"{value:,}".replace(",", "."),
            f"{value:,}".replace(",", " "),
        )
    if isinstance(value, float):
        plain = f"{value:g}"
        return (plain, f"{value:.2f}", plain.replace(".", ","), f"{value:.2f}".replace(".", ","))
    words = " ".join(str(value).lower().split())
    return (words,) if words else ()


def _has_whole(line: str, form: str) -> bool:
    """Whether the line has the form, not as a part of a longer word or number."""
    start = line.find(form)
    while start >= 0:
        before, after = line[start - 1 : start], line[start + len(form) :][:1]
        if not before.isalnum() and not after.isalnum():
            return True
        start = line.find(form, start + 1)
    return False


class _FieldPage:
    """One page while its fields are filled; it keeps the place of each value."""

    def __init__(self, *, text: str, title: str, metadata: dict[str, Any]) -> None:
        self._text = text
        self._title = title
        self._metadata = metadata
        self._facts = collect_page_facts(text, metadata)
        self.shown: dict[str, str] = {}
        self.evidence: dict[str, ValueEvidence] = {}

    @cached_property
    def _mentions(self) -> tuple[NumberMention, ...]:
        return list_number_mentions(self._text, self._title)

    def fill_field(self, asked: SchemaField, within: str = "") -> Any:
        if asked.type == "object":
            inner = {one.name: self.fill_field(one, within=asked.name) for one in asked.fields}
            return inner if any(value is not None for value in inner.values()) else None
        for read in (self._read_known, self._read_facts, self._read_prose, self._read_title):
            value = read(asked, within)
            if value is not None:
                return value
        return None

    def _keep_place(
        self, asked: SchemaField, within: str, shown: str, span: tuple[int, int] | None = None
    ) -> None:
        """The words that state the value, and where the text has them if it does."""
        name = f"{within}.{asked.name}" if within else asked.name
        self.shown[name] = " ".join(shown.split())[:MAX_HIGHLIGHT_CHARS]
        words = re.findall(r"[^\W_]+", self.shown[name])
        place = re.search(r"[\W_]{1,12}".join(map(re.escape, words)), self._text) if words else None
        start, end = span or (place.span() if place else (None, None))
        quote = shown if start is None else self._text[start:end]
        self.evidence[name] = ValueEvidence(quote=quote, start=start, end=end)

    def _read_known(self, asked: SchemaField, within: str) -> Any:
        """What the reader of the page established: its author and its date."""
        if asked.type not in {"string", "array"} or within or "publisher" in asked.name.lower():
            return None
        matcher = LabelMatcher.for_field(asked.name)
        for label in ("author", "published"):
            known = self._metadata.get(label)
            if known and matcher.score_label(label) >= _LEAST_LABEL_SCORE:
                value = convert_stated_value(str(known), asked)
                if value is not None:
                    self._keep_place(asked, within, f"{label}: {known}")
                    return value
        return None

    def _read_facts(self, asked: SchemaField, within: str) -> Any:
        """A labelled value; null if labels that fit as well state another one."""
        matcher = LabelMatcher.for_field(drop_unit_words(asked), within=within)
        scored = [
            (score, -fact.source, fact)
            for fact in self._facts
            if (score := matcher.score_label(fact.label)) >= _LEAST_LABEL_SCORE
            and (fact.source != HEADING or (asked.type == "string" and score == 1.0))
            and self._has_asked_unit(fact, asked)
        ]
        ranked = sorted(scored, key=lambda one: one[:2], reverse=True)
        for _, same in groupby(ranked, key=lambda one: one[:2]):
            read = [(convert_stated_value(fact.value, asked), fact) for _, _, fact in same]
            told = [(value, fact) for value, fact in read if value is not None]
            if told:
                value, fact = told[0]
                if any(other != value for other, _ in told):
                    return None
                self._keep_place(asked, within, fact.highlight)
                return value
        return None

    def _has_asked_unit(self, fact: PageFact, asked: SchemaField) -> bool:
        """Whether a fact can be in the unit that the field declares; metadata may name its currency apart."""
        unit, scale = find_asked_unit(asked)
        if not unit or asked.type not in {"integer", "number"}:
            return True
        money = {str(one.value).lower() for one in self._facts if one.label == "priceCurrency"}
        stated = extract_quantities(f"{fact.value}")
        if not stated or not stated[0].unit:
            is_money = unit in CURRENCY_CODES.values()
            return money <= {unit} if is_money else drop_unit_words(asked) == asked.name
        return (stated[0].unit, stated[0].scale) == (unit, scale) or not is_fixed_unit(unit)

    def _read_prose(self, asked: SchemaField, within: str) -> Any:
        question = build_field_question(asked)
        told = find_stated_value(question, self._mentions) if question else None
        if told is None:
            return None
        value: Any = int(told.value) if told.value == int(told.value) else float(told.value)
        if asked.type == "string":
            value = told.quantity.text
        elif asked.type == "integer" and isinstance(value, float):
            return None
        self._keep_place(asked, within, told.sentence, (told.start, told.end))
        return value

    def _read_title(self, asked: SchemaField, within: str) -> Any:
        """The title of the page, for its name."""
        if within or asked.name not in {"name", "title"} or asked.type != "string":
            return None
        if self._title:
            self._keep_place(asked, within, self._title)
        return self._title or None
