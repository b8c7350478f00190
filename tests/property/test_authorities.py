"""Host headers and origins: whatever is accepted names exactly the host that was allowed."""

from __future__ import annotations

import ipaddress
import string
from urllib.parse import urlsplit

from hypothesis import given
from hypothesis import strategies as st

from citewell.core.config import Settings
from citewell.server.http.origins import (
    LOOPBACK_HOSTS,
    build_allowed_origins,
    parse_authority,
    parse_origin,
)
from tests.requirements import requires

LABEL = st.from_regex(r"[a-z0-9]([a-z0-9-]{0,10}[a-z0-9])?", fullmatch=True)
NAME = st.lists(LABEL, min_size=1, max_size=5).map(".".join)
PORT = st.integers(min_value=0, max_value=65535)
TRICK_PARTS = (
    "localhost 127.0.0.1 [::1] evil.com : @ . / \\ # ? % 80 ı http:// https:// * [ ] LOCALHOST 1"
)
TRICKS = st.lists(st.sampled_from([*TRICK_PARTS.split(), " ", "\t", "\x00"]), max_size=8).map(
    "".join
)


@given(NAME, PORT, st.booleans(), st.data())
def test_a_name_is_found_whatever_its_case_and_final_dot(
    name: str, port: int, dotted: bool, data: st.DataObject
) -> None:
    written = "".join(
        char.upper() if data.draw(st.booleans()) else char for char in name + "." * dotted
    )

    found = parse_authority(f"{written}:{port}")

    assert found is not None
    assert (found.host, found.port) == (name, port)


@given(st.ip_addresses(v=6))
def test_all_spellings_of_an_ipv6_address_are_one(address: ipaddress.IPv6Address) -> None:
    assert parse_authority(f"[{address.exploded}]") == parse_authority(f"[{address.compressed}]")


@requires("http.host_and_origin")
@given(TRICKS | st.text(alphabet=string.printable, max_size=40))
def test_only_a_loopback_name_with_a_port_passes_for_loopback(text: str) -> None:
    host = parse_authority(text)

    if host is not None and build_allowed_origins(Settings()).accepts_host(host):
        bare = text.lower().rpartition(":")[0] if host.port is not None else text.lower()
        assert bare.removesuffix(".").strip("[]") in {*LOOPBACK_HOSTS, "0:0:0:0:0:0:0:1"}


@requires("http.host_and_origin")
@given(TRICKS | TRICKS.map(lambda text: f"http://{text}"))
def test_an_accepted_origin_is_what_a_browser_takes_it_for(text: str) -> None:
    origin = parse_origin(text)

    if origin is not None:
        seen = urlsplit(text)
        assert (seen.hostname or "").removesuffix(".") == origin.host or ":" in origin.host
        assert seen.username is None
        assert not seen.path
