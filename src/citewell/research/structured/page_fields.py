"""Fills the fields of a schema from one page, each value with the place that states it; workers do this."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby, islice
from typing import Any

from citewell.core.values.field_schema import SchemaField, parse_field_schema
from citewell.core.values.search_results import ValueEvidence
from citewell.evidence.signs import nearest_sentences
from citewell.research.structured import page_facts
from citewell.research.structured.field_questions import (
    LabelMatcher,
    build_field_question,
    drop_unit_words,
    find_asked_unit,
)
from citewell.research.structured.prose_values import (
    MAX_MENTIONS,
    NumberMention,
    find_stated_value,
    iterate_mentions,
)
from citewell.text.language import sentences
from citewell.text.quantities.quantity_extraction import extract_quantities
from citewell.text.quantities.stated_quantities import CURRENCY_CODES, is_fixed_unit
from citewell.text.safety.text_cleaning import clean_markup

MAX_VALUE_CHARS = 500
_MAX_ARRAY_ITEMS = 50
_MAX_NUMBER_DIGITS = 18
# Before a number; behind more of them it belongs to a sentence and not to its label
_MAX_WORDS_CHARS = 30
_TRUE_WORDS = frozenset(("yes", "true", "✓", "✔", "y", "ja", "oui", "sí", "si"))
_FALSE_WORDS = frozenset(("no", "false", "✗", "✘", "n", "nein", "non", "none"))
_WRITTEN_NUMBER_PATTERN = re.compile(
    r"[-−+]?\d[\d.,'’\u00a0\u202f ]{0,24}(?:\s?(?:thousand|million|billion|trillion)\b)?",
    re.IGNORECASE,
)
_EXPONENT_PATTERN = re.compile(r"\d[eE][+-]?\d")
_BOUND_PATTERN = re.compile(
    r"\s{0,3}(?:from|up to|at most|at least|over|under|below|above|less than|more than|[<>≤≥])(?![a-z])",
    re.IGNORECASE,
)
_ITEM_BORDER_PATTERN = re.compile(r"\s{0,3}[,;•·|]\s{0,3}|\s{1,3}and\s{1,3}")
_SCHEMA_ORG_PREFIX_PATTERN = re.compile(r"\Ahttps?://schema\.org/")
_MARKDOWN_LINK_PATTERN = re.compile(r"\[([^\[\]\n]{1,200}+)\]\([^()\n]{0,500}+\)")

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
    values = {item.name: page.fill_field(item) for item in fields}
    shown = tuple(dict.fromkeys(page.shown.values()))[:_MAX_HIGHLIGHTS]
    if not shown and query:
        shown = summarise_for_query(text, query, language).highlights
    filled = sum(1 for value in values.values() if value is not None)
    return FilledFields(summary=values, highlights=shown, evidence=page.evidence, filled=filled)


def summarise_for_query(text: str, query: str, language: str | None) -> FilledFields:
    """Without a schema: the sentences nearest to the query, word for word, and a summary of the page."""
    running = nearest_sentences.extract_running_text(text[:_MAX_SEARCHED_CHARS])
    asked = nearest_sentences.build_claim_terms(query, language=language)
    _, nearest = nearest_sentences.find_nearest_sentences(asked, running, max_sentences=3)
    summary = nearest_sentences.summarise_markdown(text, max_chars=_MAX_SUMMARY_CHARS)
    found = (
        nearest or sentences.split_sentences(summary)[:1]
    )  # a page that shares no word with the query
    shown = tuple(match[: 2 * page_facts.MAX_HIGHLIGHT_CHARS] for match in found)
    return FilledFields(summary=summary or None, highlights=shown)


def find_stated_highlights(text: str, values: list[Any]) -> tuple[str, ...]:
    """For each value the sentence or line of the text that has it; "" for one that is not there."""
    lines: list[str] = []
    for line in (" ".join(line.split()) for line in text[:_MAX_SEARCHED_CHARS].splitlines()):
        if line.startswith(": ") and lines:  # the definition of a term
            lines[-1] += line
        elif line:
            lines.append(line)
    return tuple(_find_value_place(lines, value) for value in values)


def _find_value_place(lines: Sequence[str], value: object) -> str:
    forms = _list_written_forms(value)
    for line in lines:
        plain = line.lower()
        found = next((form for form in forms if _has_whole(plain, form)), None)
        if found is None:
            continue
        if len(line) <= page_facts.MAX_HIGHLIGHT_CHARS:
            return line
        near = (
            sentence
            for sentence in sentences.split_sentences(line)
            if _has_whole(sentence.lower(), found)
        )
        return next(near, line)[: page_facts.MAX_HIGHLIGHT_CHARS]
    return ""


def _list_written_forms(value: object) -> tuple[str, ...]:
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
        self._facts = page_facts.collect_page_facts(text, metadata)
        self.shown: dict[str, str] = {}
        self.evidence: dict[str, ValueEvidence] = {}

    @cached_property
    def _mentions(self) -> tuple[NumberMention, ...]:
        return tuple(islice(iterate_mentions(self._text, self._title), MAX_MENTIONS))

    def fill_field(self, asked: SchemaField, within: str = "") -> Any:
        if asked.type == "object":
            inner = {item.name: self.fill_field(item, within=asked.name) for item in asked.fields}
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
        self.shown[name] = " ".join(shown.split())[: page_facts.MAX_HIGHLIGHT_CHARS]
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
            and (fact.source != page_facts.HEADING or (asked.type == "string" and score == 1.0))
            and self._has_asked_unit(fact, asked)
        ]
        ranked = sorted(scored, key=lambda item: item[:2], reverse=True)
        for _, same in groupby(ranked, key=lambda item: item[:2]):
            read = [(convert_stated_value(fact.value, asked), fact) for _, _, fact in same]
            given = [(value, fact) for value, fact in read if value is not None]
            if given:
                value, fact = given[0]
                if any(other != value for other, _ in given):
                    return None
                self._keep_place(asked, within, fact.highlight)
                return value
        return None

    def _has_asked_unit(self, fact: page_facts.PageFact, asked: SchemaField) -> bool:
        """Whether a fact can be in the unit that the field declares; metadata may name its currency apart."""
        unit, scale = find_asked_unit(asked)
        if not unit or asked.type not in {"integer", "number"}:
            return True
        money = {str(item.value).lower() for item in self._facts if item.label == "priceCurrency"}
        stated = extract_quantities(f"{fact.value}")
        if not stated or not stated[0].unit:
            is_money = unit in CURRENCY_CODES.values()
            return money <= {unit} if is_money else drop_unit_words(asked) == asked.name
        return (stated[0].unit, stated[0].scale) == (unit, scale) or not is_fixed_unit(unit)

    def _read_prose(self, asked: SchemaField, within: str) -> Any:
        question = build_field_question(asked)
        mention = find_stated_value(question, self._mentions) if question else None
        if mention is None:
            return None
        value: Any = (
            int(mention.value) if mention.value == int(mention.value) else float(mention.value)
        )
        if asked.type == "string":
            value = mention.quantity.text
        elif asked.type == "integer" and isinstance(value, float):
            return None
        self._keep_place(asked, within, mention.sentence, (mention.start, mention.end))
        return value

    def _read_title(self, asked: SchemaField, within: str) -> Any:
        """The title of the page, for its name."""
        if within or asked.name not in {"name", "title"} or asked.type != "string":
            return None
        if self._title:
            self._keep_place(asked, within, self._title)
        return self._title or None


# Turns what a page states into the type that a field asks for; None if it is not of that type.


def convert_stated_value(value: Any, field: SchemaField) -> Any:
    """The value in the type of the field; None if what is stated has another type."""
    if field.type == "array":
        items = value
        if not isinstance(value, list):
            items = list(filter(None, _ITEM_BORDER_PATTERN.split(_read_stated_text(value))))
        kept = [_convert_primitive(item, field.item_type) for item in items[:_MAX_ARRAY_ITEMS]]
        return [item for item in dict.fromkeys(kept) if item is not None] or None
    if isinstance(value, list) and field.type != "string" and len({*map(str, value)}) > 1:
        return None
    if isinstance(value, list):
        value = next((item for item in value if item not in (None, "")), None)
    if field.choices:
        return _choose_listed(_read_stated_text(value), field.choices)
    return _convert_primitive(value, field.type)


def _convert_primitive(value: Any, kind: str) -> Any:
    if kind == "string":
        return _read_stated_text(value) or None
    if kind == "boolean":
        return _read_stated_boolean(value)
    number = _read_stated_number(value)
    if number is None or (kind == "integer" and number != int(number)):
        return None
    return int(number) if number == int(number) else number


def _read_stated_text(value: object) -> str:
    if isinstance(value, bool) or value is None:
        return ""
    if isinstance(value, int | float):
        return str(value)
    if isinstance(value, dict):
        value = value.get("name") or value.get("@value") or value.get("@id") or ""
    plain = _MARKDOWN_LINK_PATTERN.sub(r"\1", value) if isinstance(value, str) else ""
    return _SCHEMA_ORG_PREFIX_PATTERN.sub("", clean_markup(plain).strip("*_` "))[:MAX_VALUE_CHARS]


def _read_stated_boolean(value: object) -> bool | None:
    if isinstance(value, bool):
        return value
    words = _read_stated_text(value).lower().split()
    first = words[0].strip(".,;:!") if words else ""
    if first in _TRUE_WORDS:
        return True
    return False if first in _FALSE_WORDS else None


def _read_stated_number(value: object) -> float | int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return value if abs(value) < 10**_MAX_NUMBER_DIGITS else None  # neither does NaN pass
    text = _read_stated_text(value)
    if _BOUND_PATTERN.match(text) or _EXPONENT_PATTERN.search(text):  # "from 450 euros" is no price
        return None
    stated = extract_quantities(text)
    if not stated or stated[0].low != stated[0].high:  # a range is no number
        return None
    if stated[0].start > _MAX_WORDS_CHARS:
        return None
    # The digits alone, because quantities are converted: 1.2 kg would become 1200 grams.
    written = _WRITTEN_NUMBER_PATTERN.search(stated[0].text)
    found = extract_quantities(written[0]) if written else ()
    if not found or len(str(abs(int(found[0].low)))) > _MAX_NUMBER_DIGITS:
        return None
    first = found[0]
    return int(first.low) if first.low == int(first.low) else float(first.low)


def _choose_listed(text: str, choices: tuple[Any, ...]) -> Any:
    """The choice that the text names: the same, or the only one whose words are in it."""
    plain = text.lower()
    same = [choice for choice in choices if str(choice).lower() == plain]
    if same:
        return same[0]
    words = f" {re.sub(r'[^0-9a-zà-ɏ]+', ' ', plain)} "
    within = [choice for choice in choices if f" {str(choice).lower()} " in words]
    return within[0] if len(within) == 1 else None
