"""Turns an item of a tool's answer, such as a paper or a case, into the fields of a cited source.

The answers of the search tools name the same things differently. A list of their items can be
given as it is to the tools that format and check sources.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cache, partial
from typing import Any

from citewell.citations.citable_works import mark_literal_names
from citewell.core.values.paper_results import MORE_AUTHORS_PATTERN
from citewell.text.data_tables import load_table

SOURCE_FIELDS = (
    *("url", "title", "author", "site", "date", "doi", "kind", "volume", "issue", "pages"),
    *("publisher", "place", "edition", "editor", "language", "number", "authority"),
)


def convert_result_item(item: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a source, and whatever else the mapping holds that no tool returns.

    A key that a tool returns and a citation does not need is left out. An unknown key stays, so
    that the caller can name it.
    """
    kept = {
        name: value
        for name, value in item.items()
        if (name in SOURCE_FIELDS or name not in load_result_keys())
        and name not in ("name", "authors")
    }
    read = next((read for holds, read in _ITEM_READERS if holds(item)), _read_plain_item)
    source = kept | {name: value for name, value in read(item).items() if value not in (None, "")}
    for field in ("author", "editor"):
        if isinstance(source.get(field), list | tuple):
            source[field] = _list_person_names(source[field])
    # Whether it has a key that only tools write; callers write authors, journal and year too.
    marks = load_result_keys() - {*SOURCE_FIELDS, "authors", "journal", "year"}
    is_tool_item = not marks.isdisjoint(item)
    if is_tool_item and source.get("kind") not in load_csl_kinds():
        source.pop("kind", None)  # a registry's own word, or the kind of a patent
    return source


def _read_plain_item(item: Mapping[str, Any]) -> dict[str, Any]:
    """A paper, page, place or hit: each field from the first key that has it."""
    return _read_first_keys(item, load_table(__package__, "result_items")["plain_item"])


def _read_first_keys(
    item: Mapping[str, Any], fields: Mapping[str, Sequence[str]]
) -> dict[str, Any]:
    """Each field from the first of its keys that has a value."""
    return {
        field: next((item[key] for key in keys if item.get(key)), None)
        for field, keys in fields.items()
    }


def _list_person_names(people: Sequence[Any]) -> list[str]:
    """The names of a list of texts or of objects with name, literal, or given and family."""
    names = (_name_person(person) for person in people)
    return [name for name in names if name and not MORE_AUTHORS_PATTERN.fullmatch(name)]


def _name_person(person: Any) -> str:
    """The name, family name first where it is known, and in braces where it is literal."""
    if isinstance(person, Mapping):
        if literal := str(person.get("literal") or "").strip("{} "):
            return f"{{{literal}}}"
        parts = ", ".join(str(part) for key in ("family", "given") if (part := person.get(key)))
        person = person.get("name") or parts
    return str(person or "").strip()


def _read_news_item(item: Mapping[str, Any]) -> dict[str, Any]:
    return _read_plain_item(item) | {"site": item.get("site") or item.get("source")}


def _read_page_item(item: Mapping[str, Any]) -> dict[str, Any]:
    """A page that was read: its `citation` has the facts."""
    facts = item["citation"].get("metadata")
    found = _read_plain_item(facts if isinstance(facts, Mapping) else {})
    if isinstance(facts, Mapping) and isinstance(names := facts.get("literalAuthors"), list):
        found["author"] = mark_literal_names(str(found["author"] or ""), map(str, names))
    return _read_plain_item(item) | {name: value for name, value in found.items() if value}


def _read_case_item(item: Mapping[str, Any]) -> dict[str, Any]:
    cited = item.get("citation")
    return {
        "title": cited if isinstance(cited, str) and cited else item.get("caseName"),
        "kind": "legal_case",
        "date": item.get("dateFiled"),
        "authority": None if cited else item.get("court"),  # a citation names the court itself
    }


def _read_record_item(item: Mapping[str, Any], kind: str) -> dict[str, Any]:
    """A record of a registry, as the table says: from keys, else in words, with what is always true."""
    row = load_table(__package__, "result_items")["records"][kind]
    source: dict[str, Any] = _read_first_keys(item, row["keys"]) | row.get("values", {})
    for field, templates in row.get("texts", {}).items():
        known = {key: value for key, value in item.items() if value}
        for template in templates:
            with suppress(KeyError):
                source[field] = source.get(field) or template.format_map(known)
    return source


def _read_image_item(item: Mapping[str, Any]) -> dict[str, Any]:
    plain = _read_plain_item(item)
    return plain | {"url": plain["url"] or item.get("contextLink") or item.get("link")}


@cache
def _load_patent_keys() -> frozenset[str]:
    return frozenset(load_table(__package__, "result_items")["patent_keys"])


def _has_value(item: Mapping[str, Any], key: str) -> bool:
    return bool(item.get(key))


_ITEM_READERS: tuple[
    tuple[Callable[[Mapping[str, Any]], bool], Callable[[Mapping[str, Any]], dict[str, Any]]], ...
] = (
    (lambda item: bool(item.get("caseName")), _read_case_item),
    *(
        (partial(_has_value, key=kind), partial(_read_record_item, kind=kind))
        for kind in ("nctId", "formType", "seriesId")
    ),
    (
        lambda item: not _load_patent_keys().isdisjoint(item),
        partial(_read_record_item, kind="patent"),
    ),
    (lambda item: isinstance(item.get("citation"), Mapping), _read_page_item),
    (lambda item: "contextLink" in item or "link" in item, _read_image_item),
    (lambda item: "snippet" in item and "source" in item, _read_news_item),
)


@cache
def load_csl_kinds() -> frozenset[str]:
    return frozenset(load_table(__package__, "result_items")["csl_kinds"])


@cache
def load_result_keys() -> frozenset[str]:
    """Every key of the items that tools return as sources; a test compares it with their declarations."""
    return frozenset(load_table(__package__, "result_items")["result_keys"])
