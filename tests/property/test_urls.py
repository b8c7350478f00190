"""Addresses of any shape: one spelling, found once, and nothing else taken away."""

from __future__ import annotations

from datetime import date
from urllib.parse import parse_qsl, urlsplit

from hypothesis import given, settings
from hypothesis import strategies as st

from citewell.text import addresses

LABEL = st.from_regex(r"[a-z0-9]([a-z0-9-]{0,8}[a-z0-9])?", fullmatch=True)
HOST = st.lists(LABEL, min_size=2, max_size=4).map(".".join)
WORD = st.text("abcXYZ019-_.~", min_size=1, max_size=8)
PAIRS = st.lists(
    st.tuples(WORD.filter(lambda name: not name.lower().startswith("pk_")), WORD), max_size=4
)
TRACKING = st.sampled_from(["utm_source", "utm_campaign", "gclid", "fbclid", "msclkid", "mc_eid"])


@st.composite
def web_addresses(draw: st.DrawFn) -> str:
    path = "/".join(draw(st.lists(WORD, max_size=4)))
    query = "&".join(f"{name}={value}" for name, value in draw(PAIRS))
    return f"https://{draw(HOST)}/{path}" + (f"?{query}" if query else "")


def tracked(url: str, name: str) -> str:
    return url + ("&" if "?" in url else "?") + f"{name}=anything"


@given(st.text(max_size=80) | web_addresses())
@settings(max_examples=200, deadline=None)
def test_any_text_survives_every_function(text: str) -> None:
    assert addresses.normalize_address(
        addresses.normalize_address(text)
    ) == addresses.normalize_address(text)
    assert addresses.strip_tracking(addresses.strip_tracking(text)) == addresses.strip_tracking(
        text
    )
    addresses.extract_host(text)
    addresses.format_host_name(text)
    addresses.is_web_address(text)
    addresses.parse_domain(text)
    addresses.find_path_date(text, today=date(2026, 11, 15))


@given(web_addresses(), TRACKING, WORD)
@settings(max_examples=150, deadline=None)
def test_tracking_fragment_host_case_and_port_never_make_another_page(
    url: str, name: str, part: str
) -> None:
    scheme, rest = url.split("://")
    host, _, path = rest.partition("/")
    shouted = f"{scheme.upper()}://{host.upper()}:443/{path}"

    assert addresses.normalize_address(
        tracked(shouted, name) + "#" + part
    ) == addresses.normalize_address(url)


@given(web_addresses(), TRACKING)
@settings(max_examples=150, deadline=None)
def test_cleaning_keeps_every_other_parameter_in_order(url: str, name: str) -> None:
    assert addresses.strip_tracking(tracked(url, name)) == url
    assert parse_qsl(urlsplit(addresses.normalize_address(url)).query) == parse_qsl(
        urlsplit(url).query
    )


@given(HOST, HOST)
@settings(max_examples=150, deadline=None)
def test_only_whole_labels_are_within_a_domain(name: str, domain: str) -> None:
    assert addresses.is_within_domain(domain, domain)
    assert addresses.is_within_domain(f"{name}.{domain}", domain)
    assert not addresses.is_within_domain(f"x{domain}", domain)
    assert not addresses.is_within_domain(f"{domain}.longer-than-labels", domain)


@given(web_addresses())
@settings(max_examples=100, deadline=None)
def test_path_case_is_kept(url: str) -> None:
    assert urlsplit(addresses.normalize_address(url)).path.rstrip("/") == urlsplit(url).path.rstrip(
        "/"
    )
