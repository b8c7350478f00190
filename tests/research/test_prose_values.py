"""Numbers in sentences fill the field they belong to, and no other."""

from __future__ import annotations

from typing import Any

import pytest

from citewell.research.structured.page_fields import FilledFields, fill_page_fields

TRIAL = "We enrolled 412 patients in 23 centres between May and July. The mean stay was 6 days."
FIRM = (
    "Founded in 1998, the firm has 250 employees and 12 offices in 5 countries. In 2020 it made a profit"
    " of $3.5 million on revenue of $41 million, and 38% of employees worked from home."
)


def fill(text: str, name: str, kind: str, description: str = "", title: str = "") -> FilledFields:
    asked = {name: {"type": kind, "description": description}}
    return fill_page_fields(text, title, {}, {"type": "object", "properties": asked})


@pytest.mark.parametrize(
    ("text", "name", "kind", "description", "value"),
    [
        (TRIAL, "patients", "integer", "", 412),
        (TRIAL, "number_of_patients", "integer", "Patients enrolled", 412),
        (TRIAL, "centers", "integer", "Number of centers", 23),
        ("The company had 250 employees in 2020.", "employees", "integer", "", 250),
        (FIRM, "employees", "integer", "Number of employees", 250),
        (FIRM, "offices", "integer", "", 12),
        (FIRM, "countries", "integer", "", 5),
        (FIRM, "founded", "integer", "Year founded", 1998),
        (FIRM, "revenue_usd", "number", "", 41_000_000),
        (FIRM, "profit", "number", "Profit in USD", 3_500_000),
        ("The lake has an average depth of 12 m and a population of 400 beavers. A score of 734 was given.",
         "score", "integer", "", 734),
        ("There were 5 deaths among 60 injured workers.", "injured_workers", "integer", "", 60),
        ("There were 5 deaths among 60 injured workers.", "workers", "integer", "Workers injured", 60),
        ("There were 5 deaths among 60 injured workers.", "deaths", "integer", "", 5),
        ("The plant has 60 full-time workers.", "workers", "integer", "", 60),
        ("Attendance was 3,400 on Friday, and 12 stewards helped.", "attendance", "integer", "", 3400),
        ("Six people were arrested on Monday.", "people_arrested", "integer", "", 6),
        ("The 752-room hotel reopened.", "hotel_rooms", "integer", "", 752),
        ("The preamp delivers 69dB of usable gain.", "gain_db", "integer", "", 69),
        ("It weighs 372 grams without its cable.", "weight_grams", "number", "", 372),
        ("The 48-year-old Australian, Assange, was evicted.", "age", "integer", "Age of Assange", 48),
        ("Stress was reported by 94% of workers, with 83% suffering from anxiety.",
         "anxiety_percent", "number", "", 83),
        ("Overall, 45% of the patients were women.", "women_percent", "number", "", 45),
        ("The certificate will expire on 30 September 2024.", "expiry_date", "string", "",
         "30 September 2024"),
        ("The pass costs $49 per month and $500 per year.", "monthly_pass_price", "number", "", 49),
    ],
)  # fmt: skip
def test_a_number_fills_the_field_of_its_noun(
    text: str, name: str, kind: str, description: str, value: Any
) -> None:
    found = fill(text, name, kind, description)

    assert found.summary == {name: value}
    place = found.evidence[name]
    assert place.start is not None
    assert text[place.start : place.end] == place.quote
    assert found.highlights


@pytest.mark.parametrize(
    ("text", "name", "kind", "description"),
    [
        (TRIAL, "nurses", "integer", "Number of nurses"),
        (TRIAL, "participants", "integer", "Number of participants"),
        (TRIAL, "deaths", "integer", ""),
        ("38% of employees like it.", "employees", "integer", "Number of employees"),
        ("It hired 250 employees.", "employees", "integer", ""),
        ("It has more than 250 employees.", "employees", "integer", ""),
        ("It has 250+ employees.", "employees", "integer", ""),
        ("It has 200 to 250 employees.", "employees", "integer", ""),
        ("It has two or three employees.", "employees", "integer", ""),
        ("It grew from 250 employees in 2020 to 300 in 2024.", "employees", "integer", ""),
        ("It has 250 employees. After the merger it has 400 employees.", "employees", "integer", ""),
        ("Its rival has 250 employees.", "employees", "integer", ""),
        ("If you have 250 employees, call us.", "employees", "integer", ""),
        ("Do you have 250 employees?", "employees", "integer", ""),
        ("It does not have 250 employees.", "employees", "integer", ""),
        ("Analysts expected 250 employees.", "employees", "integer", ""),
        ("There are 5 patients per nurse.", "patients", "integer", ""),
        ("One in 5 patients relapsed.", "patients", "integer", ""),
        ("Of the 412 patients, 30 relapsed.", "patients", "integer", ""),
        ("Apollo 11 astronauts landed.", "astronauts", "integer", ""),
        ("They stay one step ahead.", "steps", "integer", ""),
        ("It made 400 sales employees happy.", "sales", "integer", ""),
        ("Boeing has 160,000 employees and Airbus 130,000.", "employees", "integer",
         "Number of employees of Airbus"),
        ("Revenue was $12 million in 2020 and $15 million in 2021.", "revenue", "number", ""),
        ("Attendance was 3,400 on Friday and 5,100 on Saturday.", "attendance", "integer", ""),
        ("Attendance was 3,400 on Friday; on Saturday it was 5,100.", "attendance", "integer", ""),
        ("Attendance was 3,400 in Berlin and 5,100 in Munich.", "attendance", "integer", ""),
        ("The weight was 40 kg at first and 50 kg afterwards.", "weight_kg", "number", ""),
        ("There were 5 deaths among 60 injured workers.", "workers", "integer", "Number of workers"),
        ("The plant has 60 injured workers.", "workers", "integer", ""),
        ("The town counted 12 missing children.", "children", "integer", ""),
        ("Revenue rose $2 million.", "revenue", "number", ""),
        ("Mortgage rates fell 5% last week.", "mortgage_rate", "number", ""),
        ("Its revenue of €12 million fell.", "revenue_usd", "number", ""),
        ("It weighs 372 grams.", "weight_kg", "number", ""),
        ("Weight: 372 g", "weight_kg", "number", ""),
        ("Shipping weight: 2 kg", "weight_kg", "number", ""),
        ("New customer discount: 50%", "customers", "integer", ""),
        ("Some claim she has a net worth of $17 million.", "net_worth", "number", ""),
        ("It was released in 2015.", "founded", "integer", ""),
        ("The club was founded in 1960. The other club was founded in 1970.", "founded", "integer", ""),
        ("| Model | Price |\n|---|---|\n| A | $5 |\n| B | $9 |", "price", "number", ""),
        ("Price: $5\n\nPrice: $9", "price", "number", ""),
        ("```\nreturn 30\n```", "return_days", "integer", ""),
    ],
)  # fmt: skip
def test_a_doubtful_number_is_null(text: str, name: str, kind: str, description: str) -> None:
    found = fill(text, name, kind, description)

    assert found.summary == {name: None}
    assert found.evidence == {}


@pytest.mark.parametrize(
    ("metadata", "name", "kind"),
    [
        ({"open_graph": {"og:image:height": "630"}}, "height", "integer"),
        ({"open_graph": {"og:type": "article"}}, "type", "string"),
        ({"json_ld": [{"@type": "ImageObject", "height": 900}]}, "height", "integer"),
        ({"json_ld": [{"publisher": {"name": "Example", "foundingDate": "2010"}}]}, "founded", "integer"),
        ({"json_ld": [{"@type": "Review", "reviewRating": {"ratingValue": 1}}]}, "rating", "number"),
        ({"json_ld": [{"offers": [{"price": 5}, {"price": 9}]}]}, "price", "number"),
        ({"json_ld": [{"offers": {"price": 5, "priceCurrency": "EUR"}}]}, "price_usd", "number"),
        ({"json_ld": [{"aggregateRating": {"bestRating": 5}}]}, "rating", "number"),
    ],
)  # fmt: skip
def test_metadata_about_another_thing_fills_nothing(
    metadata: dict[str, Any], name: str, kind: str
) -> None:
    schema = {"type": "object", "properties": {name: {"type": kind}}}

    assert fill_page_fields("", "", metadata, schema).summary == {name: None}


def test_a_page_that_fills_nothing_shows_what_it_says_about_the_query() -> None:
    schema = {"type": "object", "properties": {"price": {"type": "number"}}}
    text = "Gardens need rain. An octopus has three hearts."

    found = fill_page_fields(text, "", {}, schema, query="octopus hearts")

    assert found.highlights == ("An octopus has three hearts.",)


def test_a_long_page_of_numbers_is_read() -> None:
    text = "\n".join(
        f"In round {number} there were {number} goals and 3 fouls." for number in range(9000)
    )

    assert fill(text, "spectators", "integer").summary == {"spectators": None}
