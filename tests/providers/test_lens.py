"""Lens.org: families and numbers, and the filters that databases declare."""

from __future__ import annotations

import pytest

from citewell.domains.patents.patent_records import PatentQuery
from citewell.routing.ports import Offer
from tests.contract.recordings import spec
from tests.providers.patent_desk import ask, ops, recorded


def test_a_publication_of_the_lens_has_its_family_and_one_form_of_number() -> None:
    found, _sent = ask("lens", PatentQuery(text="x", count=5), lambda _request: recorded("lens"))

    assert [patent.number for patent in found.patents] == [
        "EP3000001B1", "WO2016150001A1", "US20170100003A1",
    ]  # fmt: skip
    assert found.patents[0].also_published_as == ("EP3000001A1", "US20170100001A1")


def test_a_lookup_at_the_lens_asks_for_the_databases_form() -> None:
    asked = PatentQuery(numbers=("US20140131102A1",), count=1)

    _found, sent = ask("lens", asked, lambda _request: recorded("lens"))

    [condition] = sent[0].json["query"]["bool"]["must"]
    assert {"term": {"doc_number": "2014131102"}} in condition["bool"]["must"]


@pytest.mark.parametrize("name", ["searchapi", "epo", "lens", "uspto"])
def test_a_database_declares_the_filters_it_applies(name: str) -> None:
    every = PatentQuery(
        text="x", assignees=("A",), inventor="B", office="US", cpc_code="G01F", year_from=2001, year_to=2020
    )  # fmt: skip
    answer = ops(recorded("epo")) if name == "epo" else lambda _request: recorded(name)

    found, _sent = ask(name, every, answer)

    assert spec(name).applied_arguments.get(Offer.PATENTS, frozenset()) == set(found.applied)
