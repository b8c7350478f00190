"""The limits that a caller sees in `stats://rate-limits`."""

from __future__ import annotations

from citewell.core.tooling import Owner
from citewell.server.capabilities.resource_views import describe_caller_limits
from citewell.server.limit_rules import LimitKind, LimitState

STATES = tuple(
    LimitState(kind=kind, limit=60, window_seconds=60.0, remaining=7, reset_seconds=1.5)
    for kind in (LimitKind.USER, LimitKind.SERVER, LimitKind.TENANT_DAY)
)


def test_a_user_does_not_see_what_is_left_for_all_together() -> None:
    limits = describe_caller_limits(STATES, Owner(tenant="acme", user="ann"))

    assert limits["user"]["rate"] == {
        "limit": 60,
        "windowSeconds": 60,
        "remaining": 7,
        "resetSeconds": 2,
    }
    assert limits["tenant"]["day"]["remaining"] == 7
    assert limits["global"] == {"limited": True, "rate": {"limit": 60, "windowSeconds": 60}}


def test_the_owner_of_a_server_without_accounts_sees_everything() -> None:
    limits = describe_caller_limits(STATES, Owner())

    assert limits["global"]["rate"]["remaining"] == 7
