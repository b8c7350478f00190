"""Shows the limits of a caller in `stats://rate-limits`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from citewell.tooling import Owner

if TYPE_CHECKING:
    from citewell.services.limits.limit_states import LimitState

_WINDOW_NAMES = {"": "rate", "day": "day", "concurrent": "concurrent"}
_SCOPE_NAMES = {"user": "user", "tenant": "tenant", "server": "global"}


def describe_caller_limits(states: Sequence[LimitState], owner: Owner) -> dict[str, Any]:
    """For user, tenant and all together: whether they are limited, and each limit as it stands.

    What is left for all together tells of other tenants, so that only the owner of a server
    without accounts sees it.
    """
    shown: dict[str, Any] = {name: {"limited": False} for name in _SCOPE_NAMES.values()}
    is_alone = owner == Owner()
    for state in states:
        scope, _, window = state.kind.partition("-")
        entry: dict[str, Any] = {"limit": state.limit}
        if state.window_seconds:
            entry["windowSeconds"] = math.ceil(state.window_seconds)
        if is_alone or scope != "server":
            entry["remaining"] = state.remaining
            if state.window_seconds:
                entry["resetSeconds"] = math.ceil(state.reset_seconds)
        shown[_SCOPE_NAMES[scope]] |= {"limited": True, _WINDOW_NAMES[window]: entry}
    return shown
