"""Fields of a schema filled from what one page states."""

from __future__ import annotations

import json
from typing import Any

import pytest

from citewell.core.values.field_schema import parse_field_schema
from citewell.research.structured.field_questions import (
    drop_unstated_values,
    list_stated_values,
    read_filled_pages,
)
from citewell.research.structured.page_fields import fill_page_fields, find_stated_highlights


def schema(**fields: Any) -> dict[str, Any]:
    declared = {
        name: kind if isinstance(kind, dict) else {"type": kind} for name, kind in fields.items()
    }
    return {"type": "object", "properties": declared}


def filled(text: str, metadata: dict[str, Any] | None = None, /, **fields: Any) -> Any:
    return fill_page_fields(text, "", metadata or {}, schema(**fields))


@pytest.mark.parametrize(
    ("text", "field", "kind", "value", "highlight"),
    [
        ("Price: €12", "price", "number", 12, "Price: €12"),
        ("- **Price:** 1.234,50 €", "price", "number", 1234.5, "**Price:** 1.234,50 €"),
        ("Weight\n: 1.2 kg", "weight", "number", 1.2, "Weight: 1.2 kg"),
        ("| Spec | Value |\n|---|---|\n| Height | 12 cm |", "height", "integer", 12, "Height | 12 cm"),
        ("| Name | Price |\n|---|---|\n| Bulb | $5 |", "price", "number", 5, "Bulb | $5"),
        ("It was founded in 1931 by two sisters.", "founded", "integer", 1931,
         "It was founded in 1931 by two sisters."),
        ("Number of employees: 1,200", "employees", "integer", 1200, "Number of employees: 1,200"),
        ("Dimmable: yes", "dimmable", "boolean", True, "Dimmable: yes"),
        ("Founding date: 3 May 1931", "founded", "string", "3 May 1931", "Founding date: 3 May 1931"),
        ("Revenue: 1.2 million euros", "revenue", "number", 1_200_000, "Revenue: 1.2 million euros"),
        ("## Deposit\nThree months' rent. More follows.", "deposit", "string", "Three months' rent",
         "Deposit: Three months' rent"),
        ("The lamp, Power: 4 W; Price: 8 EUR.", "price", "number", 8, "Price: 8 EUR."),
        ("価格：1200円", "価格", "integer", 1200, "価格：1200円"),
    ],
)  # fmt: skip
def test_a_stated_value_is_found_typed_and_shown(
    text: str, field: str, kind: str, value: Any, highlight: str
) -> None:
    found = filled(text, **{field: kind})

    assert found.summary == {field: value}
    assert found.highlights == (highlight,)


@pytest.mark.parametrize(
    ("text", "field", "kind"),
    [
        ("Price: from 450 euros", "price", "number"),
        ("Price: 3 to 5 euros", "price", "number"),
        ("Price: on request", "price", "number"),
        ("Weight: 1.5 kg", "weight", "integer"),
        ("Dimmable: perhaps", "dimmable", "boolean"),
        ("Efficiency (maker's figure): up to 92 %", "brand", "string"),
        ("The price is a secret.", "price", "number"),
        ("Price: 1e400", "price", "number"),
        (f"Price: {'9' * 400}", "price", "number"),
        ("", "price", "string"),
    ],
)
def test_what_the_page_does_not_say_is_null(text: str, field: str, kind: str) -> None:
    found = filled(text, **{field: kind})

    assert found.summary == {field: None}
    assert found.highlights == ()


def test_json_ld_goes_before_the_text_and_reaches_inner_objects() -> None:
    linked = {
        "@context": "https://schema.org",
        "@graph": [
            {
                "@type": "Product",
                "name": "Glowell 806",
                "brand": {"@type": "Brand", "name": "Glowell"},
                "offers": {"price": "7.99", "priceCurrency": "EUR",
                           "availability": "https://schema.org/InStock"},
                "color": ["white", "warm white"],
            }
        ],
    }  # fmt: skip
    wanted = {
        "name": "string", "brand": "string", "price": "number", "currency": "string",
        "availability": "string", "colors": {"type": "array", "items": {"type": "string"}},
    }  # fmt: skip

    found = filled("Price: 9.99", {"json_ld": [linked]}, **wanted)

    assert found.summary == {
        "name": "Glowell 806",
        "brand": "Glowell",
        "price": 7.99,
        "currency": "EUR",
        "availability": "InStock",
        "colors": ["white", "warm white"],
    }
    assert "@graph" not in str(found.highlights)
    assert "offers.price: 7.99" in found.highlights


@pytest.mark.parametrize("price", [True, None, "", 1e300, float("nan"), float("inf"), {}, [[]]])
def test_json_that_is_no_number_of_money_is_null(price: Any) -> None:
    assert filled("", {"json_ld": [{"price": price}]}, price="number").summary == {"price": None}


def test_names_of_fields_may_be_odd() -> None:
    names = ["", " ", "__proto__", "a(b[", "émoji😀", "x" * 500, "<b>"]

    found = filled("a(b[: 3", **dict.fromkeys(names, "integer"))

    assert set(found.summary) == set(names)
    assert found.summary["a(b["] == 3


def test_microdata_open_graph_and_the_author_count_too() -> None:
    metadata = {
        "microdata": [{"@type": "Product", "sku": "G-806"}],
        "open_graph": {"og:site_name": "Example Shop"},
        "author": "Example University",
        "published": "2026-03-01",
    }

    found = filled("", metadata, sku="string", publisher="string", author="string", date="string")

    assert found.summary == {
        "sku": "G-806",
        "publisher": "Example Shop",
        "author": "Example University",
        "date": "2026-03-01",
    }


def test_an_enum_an_object_and_a_list_are_filled() -> None:
    found = filled(
        "Status: In stock now\n\nCity: Bern\n\nSockets: E27, E14 and GU10",
        status={"type": "string", "enum": ["in stock", "sold out"]},
        address={"type": "object", "properties": {"city": {"type": "string"}}},
        sockets={"type": "array", "items": {"type": "string"}},
    )

    assert found.summary == {
        "status": "in stock",
        "address": {"city": "Bern"},
        "sockets": ["E27", "E14", "GU10"],
    }


def test_a_value_that_a_model_invented_is_null_and_one_on_the_page_is_shown() -> None:
    values = {"name": "Glowell 806", "price": 7.99, "maker": "Nobody", "tags": ["LED", "neon"],
              "size": {"height": 12}, "dimmable": True, "wireless": True}  # fmt: skip
    text = "Glowell 806, an LED bulb.\n\nPrice\n: 7,99 euros\n\nDimmable: yes\n\nHeight 12 cm"
    stated = list_stated_values(values)

    places = find_stated_highlights(text, [value.value for value in stated])

    assert drop_unstated_values(values, stated, places) == {
        "name": "Glowell 806",
        "price": 7.99,
        "maker": None,
        "tags": ["LED"],
        "size": {"height": 12},
        "dimmable": True,
        "wireless": None,
    }
    assert "Price: 7,99 euros" in places


@pytest.mark.parametrize(
    "text",
    [
        '```json\n{"pages": [{"page": 1, "fields": {"a": "x"}}]}\n```',
        'Here it is: {"pages": [{"page": 1, "fields": {"a": "x", "b": 1}}]}',
        '<think>hm</think>{"fields": {"a": "x"}}',
        '[{"page": 1, "fields": {"a": "x"}}]',
    ],
)
def test_a_models_json_is_read_in_the_forms_it_comes_in(text: str) -> None:
    assert read_filled_pages(text, schema(a="string"), 1) == ({"a": "x"},)


@pytest.mark.parametrize("text", ["", "Sorry.", "{" * 5000, '{"pages": "none"}', "null"])
def test_a_model_that_writes_no_json_fills_nothing(text: str) -> None:
    assert read_filled_pages(text, schema(a="string"), 2) == ({"a": None}, {"a": None})


def test_fields_of_an_object_count_to_the_limit() -> None:
    inner = {"type": "object", "properties": {f"p{n}": {"type": "string"} for n in range(9)}}

    fields = parse_field_schema(schema(inner=inner))

    assert json.dumps([field.name for field in fields]) == '["inner"]'
    with pytest.raises(Exception, match="11 properties"):
        parse_field_schema(schema(inner=inner, more="string"))
