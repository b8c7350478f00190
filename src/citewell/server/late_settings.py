"""Checks settings at start that are otherwise read only when something needs them."""

from __future__ import annotations

import os

from citewell.errors import Misconfigured
from citewell.server.app import App
from citewell.services.routing.provider_chains import SearchRouter


def check_late_settings(app: App) -> None:
    """Raise Misconfigured for routing and files that cannot be used."""
    SearchRouter(app.settings, app.catalogue)
    authorities = app.settings.ca_file
    if authorities is not None and not (authorities.is_file() and os.access(authorities, os.R_OK)):
        raise Misconfigured(
            f"CITEWELL_CA_FILE names {authorities}, which is not a file that can be read.",
            action="inform_user",
        )
