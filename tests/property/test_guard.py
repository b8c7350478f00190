from __future__ import annotations

import asyncio
from ipaddress import IPv4Address, IPv6Address
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from citewell.core.errors import CitewellError, RefusedByPolicy
from citewell.net.address_guard import Guard, GuardRules
from citewell.net.url_grammar import is_public_address, parse_url
from tests.requirements import requires

NUMBERS = st.integers(0, 2**32 - 1)
PRIVATE = st.sampled_from(
    [0x7F000001, 0x0A000001, 0xC0A80001, 0xA9FEA9FE, 0xAC100001, 0x64646464, 0]
)
FORMS = st.sampled_from(
    [
        str,
        hex,
        lambda number: f"0{number:o}",
        lambda number: ".".join(f"{part:#x}" for part in number.to_bytes(4, "big")),
        lambda number: ".".join(f"0{part:o}" for part in number.to_bytes(4, "big")),
        lambda number: ".".join(f"{part:03d}" for part in number.to_bytes(4, "big")),
        lambda number: f"{number >> 24}.{number & 0xFFFFFF}",
        lambda number: f"{number >> 24}.{number >> 16 & 255}.{number & 0xFFFF}",
        lambda number: str(IPv4Address(number)) + ".0",
    ]
)


def _goes_nowhere(url: str) -> bool:
    try:
        target = Guard(GuardRules()).check_url(url)
    except RefusedByPolicy:
        return True
    return target.ip_literal is not None and is_public_address(target.ip_literal)


@given(number=NUMBERS | PRIVATE, form=FORMS, dot=st.sampled_from(["", "."]))
def test_an_odd_form_of_a_number_is_never_a_name_or_a_private_address(
    number: int, form: Any, dot: str
) -> None:
    assert _goes_nowhere(f"http://{form(number)}{dot}/")


@requires("defect.link_grammar")
@given(number=NUMBERS | PRIVATE)
def test_a_carried_ipv4_address_is_judged_as_itself(number: int) -> None:
    inner = IPv4Address(number)

    for prefix in (0xFFFF << 32, 0x64FF9B << 96):
        assert is_public_address(IPv6Address(prefix | number)) == is_public_address(inner)


@requires("defect.link_grammar")
@given(number=st.integers(0, 2**128 - 1) | st.integers(2**125 - 2, 2**126 + 2))
def test_only_global_unicast_and_its_carriers_are_public(number: int) -> None:
    address = IPv6Address(number)

    assert (
        not is_public_address(address)
        or number >> 125 == 1
        or number >> 32 in {0xFFFF, 0x64FF9B << 64}
    )


@given(
    parts=st.lists(
        st.sampled_from(
            ["http", "://", "https://", "@", "\\", "/", "//", "?", "#", ":", "[", "]", "::1", "%", "%00",
             "127.0.0.1", "0x7f", "1", ".", "..", "localhost", "example.com", "%2e", "。", "①", "\t", "\n",
             " ", ":80", ":22", "user", "é", "xn--", "\u200b", "\uff0e", "ﬀ"]
        ),
        max_size=9,
    )
)  # fmt: skip
def test_any_text_is_refused_or_read_to_the_same_place_twice(parts: list[Any]) -> None:
    try:
        target = Guard(GuardRules()).check_url("".join(parts))
    except RefusedByPolicy:
        return

    assert parse_url(target.url) == target
    assert target.host.isascii()
    assert "@" not in target.authority
    assert target.ip_literal is None or is_public_address(target.ip_literal)


@given(answers=st.lists(NUMBERS | PRIVATE, min_size=1, max_size=6))
def test_a_mixed_answer_is_never_connected_to(answers: list[Any]) -> None:
    async def resolver(host: str) -> list[str]:
        return [str(IPv4Address(number)) for number in answers]

    guard = Guard(GuardRules(), resolver=resolver)
    try:
        found = asyncio.run(guard.resolve_checked("example.org", 443))
    except CitewellError:
        assert not all(is_public_address(IPv4Address(number)) for number in answers)
    else:
        assert all(is_public_address(IPv4Address(text)) for text in found)
