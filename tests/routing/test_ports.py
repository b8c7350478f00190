"""What a provider's options mean: the headers of its keys, and the pace that a key buys."""

from __future__ import annotations

import asyncio

import pytest

from citewell.routing.ports import (
    ForgetfulMemory,
    Offer,
    ProviderOption,
    ProviderSpec,
    accept_key,
    require_key,
)

SPEC = ProviderSpec(
    name="sample",
    title="Sample",
    homepage="https://sample.example",
    base_url="https://api.sample.example",
    offers=frozenset({Offer.WEB}),
    options=(
        accept_key("FIRST_KEY", "A key.", "Authorization: Bearer {}"),
        accept_key("SECOND_KEY", "Another name of it.", "Authorization: Bearer {}"),
        accept_key("OTHER_KEY", "A key of another header.", "X-Key"),
        ProviderOption(env="FAST_KEY", help="Buys a pace.", secret=True, per_second=9.0),
        ProviderOption(env="MODEL", help="No key.", default="m"),
    ),
    per_second=2.0,
)


@pytest.mark.parametrize(
    ("options", "headers"),
    [
        ({}, {}),
        ({"FIRST_KEY": "a"}, {"Authorization": "Bearer a"}),
        ({"SECOND_KEY": "b"}, {"Authorization": "Bearer b"}),
        ({"FIRST_KEY": "a", "SECOND_KEY": "b"}, {"Authorization": "Bearer a"}),
        ({"OTHER_KEY": "{x}", "MODEL": "m"}, {"X-Key": "{x}"}),
    ],
)
def test_a_key_travels_in_the_header_of_its_option(
    options: dict[str, str], headers: dict[str, str]
) -> None:
    assert SPEC.build_key_headers(options) == headers


def test_a_key_may_buy_a_pace() -> None:
    assert SPEC.choose_pace({}) == 2.0
    assert SPEC.choose_pace({"FAST_KEY": "x"}) == 9.0


def test_a_required_key_makes_a_provider_one_that_needs_one() -> None:
    option = require_key("KEY", "A key.", "X-Key")

    assert option.secret
    assert option.required
    assert not accept_key("KEY", "A key.").required


def test_a_provider_without_a_memory_recalls_nothing() -> None:
    memory = ForgetfulMemory()

    asyncio.run(memory.remember_fact("key", b"value", ttl=9.0))

    assert asyncio.run(memory.recall_fact("key")) is None
