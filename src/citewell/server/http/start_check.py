"""What `citewell serve --check` does: everything that a start does, except to serve."""

from __future__ import annotations

from citewell.config import Settings
from citewell.model.counted_words import pluralize
from citewell.server.app import App
from citewell.server.http.hosting import try_starting
from citewell.server.late_settings import check_late_settings
from citewell.store.failures import StoreError
from citewell.store.state_check import StateCondition
from citewell.store.state_start import refuse_unusable_state

_CONDITIONS = {
    StateCondition.ABSENT: "nothing is stored yet",
    StateCondition.UNUSED: "nothing is encrypted yet",
    StateCondition.READABLE: "the stored state can be read",
}


def check_start(settings: Settings, *, uses_http: bool, insecure: bool = False) -> str:
    """A sentence about a server that could start; raises CitewellError with what to change."""
    condition = refuse_unusable_state(settings)
    app = App(settings)
    check_late_settings(app)
    place = "stdio"
    if uses_http:
        place = f"HTTP on {try_starting(settings, insecure=insecure)}"
    started = f"The server can start: {place}, {len(app.tools)} {pluralize(len(app.tools), 'tool')}"
    if isinstance(condition, StoreError):
        return f"{started}; it is not ready until this is mended: {condition.message}"
    return f"{started}; {_CONDITIONS[condition]}."
