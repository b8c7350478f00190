"""What `citewell serve --check` does: everything that a start does, except to serve."""

from __future__ import annotations

import os

from citewell.config import Settings
from citewell.errors import Misconfigured
from citewell.server.app import App
from citewell.services.routing.provider_chains import SearchRouter
from citewell.store.state_check import StateCondition
from citewell.store.state_start import refuse_unusable_state

_CONDITIONS = {
    StateCondition.ABSENT: "nothing is stored yet",
    StateCondition.UNUSED: "nothing is encrypted yet",
    StateCondition.READABLE: "the stored state can be read",
    None: "the database does not answer now",
}


def check_late_settings(app: App) -> None:
    """Raise Misconfigured for settings that are otherwise read only when something needs them."""
    SearchRouter(app.settings, app.catalogue)
    authorities = app.settings.ca_file
    if authorities is not None and not (authorities.is_file() and os.access(authorities, os.R_OK)):
        raise Misconfigured(
            f"CITEWELL_CA_FILE names {authorities}, which is not a file that can be read.",
            action="inform_user",
        )


def check_start(settings: Settings, *, uses_http: bool, insecure: bool = False) -> str:
    """A sentence about a server that could start; raises CitewellError with what to change."""
    condition = refuse_unusable_state(settings)
    app = App(settings)
    check_late_settings(app)
    place = "stdio"
    if uses_http:
        from citewell.server.http.hosting import try_starting

        place = f"HTTP on {try_starting(settings, insecure=insecure)}"
    return f"The server can start: {place}, {len(app.tools)} tools; {_CONDITIONS[condition]}."
