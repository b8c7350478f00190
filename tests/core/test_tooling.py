"""The name of an owner in stores: no two owners have the same one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell.core.tooling import Owner
from tests.requirements import requires

NAMES = st.text(alphabet=st.sampled_from("ab/%25F"), max_size=6)


@requires("tenant.owner_names")
@given(st.tuples(NAMES, NAMES), st.tuples(NAMES, NAMES))
def test_two_owners_never_share_a_name(one: tuple[str, str], other: tuple[str, str]) -> None:
    first = Owner(tenant=one[0], user=one[1])
    second = Owner(tenant=other[0], user=other[1])

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
