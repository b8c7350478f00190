"""Fills the fields of a schema from one page, each value with the place that states it; workers do this."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from citewell.model.domains.field_schema import SchemaField, parse_field_schema
from citewell.services.domains.structured.field_labels import LabelMatcher, split_label_words
from citewell.services.domains.structured.page_facts import (
    HEADING,
    MAX_HIGHLIGHT_CHARS,
    PageFact,
    collect_page_facts,
)
from citewell.services.domains.structured.typed_values import convert_stated_value
from citewell.text.evidence import nearest_sentences, summaries
from citewell.text.language import sentences

_MAX_SEARCHED_CHARS = 200_000
_MAX_HIGHLIGHTS = 12
_MAX_SUMMARY_CHARS = 600
_LEAST_LABEL_SCORE = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class FilledFields:
    """The values by field, null where the page does not say, and the places that prove them."""

    summary: dict[str, Any] | str | None
    highlights: tuple[str, ...] = ()
    filled: int = 0  # fields with a value


def fill_page_fields(
    text: str, title: str, metadata: dict[str, Any], schema: dict[str, Any]
) -> FilledFields:
    """The fields that the page states; `metadata` is its StructuredData with author and published."""
    body = text[:_MAX_SEARCHED_CHARS]
    facts = collect_page_facts(body, metadata)
    told: dict[str, str] = {}
    values = {}
    for field in parse_field_schema(schema):
        values[field.name] = _fill_field(field, facts, body, told)
    if all(value is None for value in values.values()) or "name" in values or "title" in values:
        for name in ("name", "title"):
            if name in values and values[name] is None and title:
                values[name], told[name] = title, title
    _add_page_metadata(values, told, metadata, schema)
    shown = tuple(dict.fromkeys(told.values()))[:_MAX_HIGHLIGHTS]
    filled = sum(1 for value in values.values() if value is not None)
    return FilledFields(summary=values, highlights=shown, filled=filled)


def summarise_for_query(text: str, query: str, language: str | None) -> FilledFields:
    """Without a schema: the sentences nearest to the query, word for word, and a summary of the page."""
    running = summaries.extract_running_text(text[:_MAX_SEARCHED_CHARS])
    asked = nearest_sentences.build_claim_terms(query, language=language)
    _, said = nearest_sentences.find_nearest_sentences(asked, running, max_sentences=3)
    summary = summaries.summarise_markdown(text, max_chars=_MAX_SUMMARY_CHARS)
    shown = tuple(one[: 2 * MAX_HIGHLIGHT_CHARS] for one in said)
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


def _fill_field(
    field: SchemaField, facts: Sequence[PageFact], text: str, told: dict[str, str], within: str = ""
) -> Any:
    if field.type == "object":
        inner = {
            one.name: _fill_field(one, facts, text, told, within=field.name) for one in field.fields
        }
        return inner if any(value is not None for value in inner.values()) else None
    matcher = LabelMatcher.for_field(field.name, within=within)
    scored = [
        (score, -fact.source, -place, fact)
        for place, fact in enumerate(facts)
        if (score := matcher.score_label(fact.label)) >= _LEAST_LABEL_SCORE
        and (fact.source != HEADING or (field.type == "string" and score == 1.0))
    ]
    for _, _, _, fact in sorted(scored, key=lambda one: one[:3], reverse=True):
        value = convert_stated_value(fact.value, field)
        if value is not None:
            told[f"{within}.{field.name}"] = fact.highlight
            return value
    return _find_running_value(field, text, told)


def _find_running_value(field: SchemaField, text: str, told: dict[str, str]) -> Any:
    """A number that stands right after the field's name in a sentence: "founded in 1931"."""
    if field.type not in {"integer", "number"}:
        return None
    words = split_label_words(field.name)
    if not words:
        return None
    label = r"\s{1,3}".join(map(re.escape, words))
    pattern = re.compile(
        rf"\b{label}\b\s{{1,3}}(?:in|on|at|of|is|was|were|since)\s{{1,3}}"
        r"(?P<value>[^\s\d]{0,2}\d[\d.,]{0,18})",
        re.IGNORECASE,
    )
    match = pattern.search(text)
    if match is None:
        return None
    value = convert_stated_value(match["value"].rstrip(".,"), field)
    if value is not None:
        start = max(0, text.rfind("\n", 0, match.start()) + 1, match.start() - 120)
        line = text[start : match.end() + 120].partition("\n")[0]
        told[field.name] = " ".join(line.split())[:MAX_HIGHLIGHT_CHARS]
    return value


def _add_page_metadata(
    values: dict[str, Any], told: dict[str, str], metadata: dict[str, Any], schema: dict[str, Any]
) -> None:
    """What the reader of the page knows anyway: its author and its date."""
    known = {"author": metadata.get("author"), "published": metadata.get("published")}
    for field in parse_field_schema(schema):
        if values[field.name] is not None or field.type not in {"string", "array"}:
            continue
        matcher = LabelMatcher.for_field(field.name)
        for label, value in known.items():
            if value and matcher.score_label(label) >= _LEAST_LABEL_SCORE:
                fitted = convert_stated_value(str(value), field)
                if fitted is not None:
                    values[field.name] = fitted
                    told[field.name] = f"{label}: {value}"[:MAX_HIGHLIGHT_CHARS]
                    break
