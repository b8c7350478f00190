"""The dashboard and the form that asks for the admin key."""

from __future__ import annotations

from citewell.server.pages.dashboard_figures import DashboardSnapshot, format_clock_time
from citewell.server.pages.dashboard_sections import SECTION_COLUMNS, render_sections
from citewell.server.pages.page_frame import (
    SafeMarkup,
    build_element,
    fill_page_file,
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
    return fill_page_file(
        "dashboard.html",
        brand=render_brand(),
        logout=_render_logout(logout_token) if logout_token is not None else "",
        seconds=str(REFRESH_SECONDS),
        taken_at=snapshot.taken_at,
        clock_time=format_clock_time(snapshot.taken_at),
        tiles=contents["tiles"],
        columns=join_markup(columns),
        footer=render_footer(),
    )


def _render_panel(name: str, title: str, content: SafeMarkup) -> SafeMarkup:
    return build_element(
        "section",
        build_element("h2", title, id=f"title-{name}"),
        build_element("div", content, id=name, data_live=True),
        class_="panel",
        aria_labelledby=f"title-{name}",
    )


def _render_logout(token: str) -> SafeMarkup:
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
    body = _render_login_form(error) if can_log_in else [fill_page_file("login_setup.html")]
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
