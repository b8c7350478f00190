"""The name of an owner in stores, which no two owners share, and how long tools keep their answers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell.core import tooling as tools
from citewell.core.tooling import Owner
from tests.requirements import requires

HOUR = 3600
NAMES = st.text(alphabet=st.sampled_from("ab/%25F"), max_size=6)


@requires("tenant.owner_names")
@given(st.tuples(NAMES, NAMES), st.tuples(NAMES, NAMES))
def test_two_owners_never_share_a_name(left: tuple[str, str], right: tuple[str, str]) -> None:
    first = Owner(tenant=left[0], user=left[1])
    second = Owner(tenant=right[0], user=right[1])

    assert (str(first) == str(second)) == (first == second)


@requires("tenant.owner_names")
@given(NAMES, NAMES)
def test_an_owner_is_read_back_from_the_name(tenant: str, user: str) -> None:
    owner = Owner(tenant=tenant, user=user)

    assert Owner.parse_text(str(owner)) == owner


@pytest.mark.parametrize(
    ("owner", "name"),
    [
        (Owner(), "default/anonymous"),
        (Owner(tenant="acme", user="auth0|5f7c"), "acme/auth0|5f7c"),
        (Owner(tenant="a/b", user="c"), "a%2Fb/c"),
        (Owner(tenant="a", user="b/c"), "a/b%2Fc"),
    ],
)
def test_usual_names_stay_as_they_are(owner: Owner, name: str) -> None:
    assert str(owner) == name


@pytest.mark.parametrize(
    ("name", "seconds"),
    [
        pytest.param("filing_search", 24 * HOUR, marks=requires("filing_search.cache")),
        pytest.param("legal_search", 24 * HOUR, marks=requires("legal_search.cache")),
        pytest.param("answer", HOUR, marks=requires("answer.cache")),
        pytest.param("structured_search", HOUR, marks=requires("structured_search.cache")),
        pytest.param("patent_search", 24 * HOUR, marks=requires("patent_search.cache")),
        pytest.param("news_search", HOUR // 4, marks=requires("news_search.cache")),
        pytest.param("image_search", HOUR // 2, marks=requires("image_search.cache")),
        pytest.param("clinical_search", 6 * HOUR, marks=requires("clinical_search.cache")),
        pytest.param("econ_search", 6 * HOUR, marks=requires("econ_search.cache")),
        pytest.param("local_search", 6 * HOUR, marks=requires("local_search.cache")),
    ],
)
def test_a_domain_tool_keeps_its_answers_as_long_as_the_spec_says(name: str, seconds: int) -> None:
    tool = tools.load_tool(name)

    assert (tool.toolset, tool.ttl_seconds) == ("domains", seconds)
    assert tool.is_empty_result is not None
