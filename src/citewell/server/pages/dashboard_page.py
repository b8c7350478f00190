"""The dashboard and the form that asks for the admin key."""

from __future__ import annotations

from citewell.server.pages.dashboard_figures import DashboardSnapshot, format_clock_time
from citewell.server.pages.dashboard_sections import SECTION_COLUMNS, render_sections
from citewell.server.pages.page_frame import (
    SafeMarkup,
    build_element,
    join_markup,
    render_brand,
    render_footer,
    render_status,
)

REFRESH_SECONDS = 5
KEY_FIELD, TOKEN_FIELD = "key", "token"  # names of the fields of the forms


def render_dashboard(snapshot: DashboardSnapshot, *, logout_token: str | None) -> SafeMarkup:
    """The whole page; `logout_token` is None for a request that came without a login."""
    contents = render_sections(snapshot)
    columns = (
        build_element(
            "div",
            *(_render_panel(name, title, contents[name]) for name, title in column),
            class_="column",
        )
        for column in SECTION_COLUMNS
    )
    tiles = build_element(
        "section",
        build_element("h2", "At a glance", id="title-tiles", class_="unseen"),
        build_element("div", contents["tiles"], id="tiles", class_="tiles", data_live=True),
        aria_labelledby="title-tiles",
    )
    return join_markup(
        (
            _render_dashboard_header(snapshot, logout_token),
            build_element(
                "main", tiles, build_element("div", *columns, class_="panels"), id="content"
            ),
            render_footer(),
        )
    )


def _render_panel(name: str, title: str, content: SafeMarkup) -> SafeMarkup:
    return build_element(
        "section",
        build_element("h2", title, id=f"title-{name}"),
        build_element("div", content, id=name, data_live=True),
        class_="panel",
        aria_labelledby=f"title-{name}",
    )


def _render_dashboard_header(snapshot: DashboardSnapshot, logout_token: str | None) -> SafeMarkup:
    return build_element(
        "header",
        build_element("div", render_brand(), _render_logout(logout_token), class_="bar-line"),
        build_element("h1", "Dashboard"),
        build_element(
            "div",
            build_element(
                "span",
                "Last updated ",
                build_element(
                    "time",
                    format_clock_time(snapshot.taken_at),
                    datetime=snapshot.taken_at,
                    id="updated",
                ),
            ),
            build_element("button", "Pause", type="button", hidden=True, id="pause"),
            build_element("a", "Refresh now", href="/dashboard", id="refresh"),
            build_element("a", "As JSON", href="/dashboard/data"),
            build_element("span", "", role="status", id="said", class_="stale"),
            class_="controls",
            data_seconds=REFRESH_SECONDS,
            id="controls",
        ),
        class_="top",
    )


def _render_logout(token: str | None) -> SafeMarkup | None:
    if token is None:
        return None
    return build_element(
        "form",
        build_element("input", type="hidden", name=TOKEN_FIELD, value=token),
        build_element("button", "Log out", type="submit"),
        method="post",
        action="/dashboard/logout",
        class_="controls",
    )


def render_login_page(*, error: str | None, can_log_in: bool) -> SafeMarkup:
    """The form for the admin key, or how to set one if there is none."""
    body = _render_login_form(error) if can_log_in else _render_setup_text()
    return join_markup(
        (
            build_element("header", render_brand(), class_="top"),
            build_element(
                "main", build_element("h1", "Dashboard"), *body, class_="narrow", id="content"
            ),
            render_footer(),
        )
    )


def _render_login_form(error: str | None) -> tuple[SafeMarkup, ...]:
    field = build_element(
        "input",
        type="password",
        id="key",
        name=KEY_FIELD,
        autocomplete="current-password",
        required=True,
        autofocus=True,
        maxlength=1024,
        aria_describedby="key-error key-hint" if error else "key-hint",
        aria_invalid="true" if error else None,
    )
    hint = "It is the value of ADMIN_API_KEY on the server. You stay logged in for an hour."
    form = build_element(
        "form",
        build_element("label", "Admin key", for_="key"),
        field,
        build_element(
            "p", render_status("bad", error), class_="error", id="key-error", role="alert"
        )
        if error
        else None,
        build_element("p", hint, class_="hint", id="key-hint"),
        build_element("button", "Log in", type="submit", class_="main"),
        method="post",
        action="/dashboard/login",
        class_="login",
    )
    return (
        build_element("p", "What this server does is shown to its operator.", class_="lead"),
        form,
    )


def _render_setup_text() -> tuple[SafeMarkup, ...]:
    return (
        build_element("p", "The dashboard is off, because no admin key is set.", class_="lead"),
        build_element(
            "p",
            "Set ",
            build_element("code", "ADMIN_API_KEY"),
            " to a secret of 16 characters or more in the server's environment or settings file, "
            "start the server again, and log in here with it.",
        ),
        build_element("p", build_element("a", "Go to the front page", href="/")),
    )
