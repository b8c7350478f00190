"""Every tool, resource and endpoint, used by others who know all ids of a user: nothing of that user comes out.

The calls are made from the tools' own schemas, so that a new tool or argument is tried by itself. An
argument that names something stored fails the test until it is in OWN_IDS or FOREIGN_IDS.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import httpx2
import pytest
from starlette.routing import Route

from citewell.core import config
from citewell.core.errors import CitewellError
from citewell.core.tooling import Owner
from citewell.people.consent_service import CONSENT_PURPOSES, ConsentService
from citewell.people.workspace_service import WorkspaceMembers
from citewell.server.app import App
from citewell.server.http.hosting import build_asgi_app, build_layered_app
from tests.e2e.deep import PATIENCE, QUESTION
from tests.e2e.private_documents import MARKER, marked_documents
from tests.requirements import requires

SECRET = MARKER  # in everything that the user stored; nobody else sends it
WORDS = "lithium-ion grid batteries"  # in the same texts; this is what others search for
ANNA = Owner(tenant="acme", user="anna")
OTHERS = (Owner(tenant="acme", user="otto"), Owner(tenant="other", user="anna"), Owner())
WORKSPACE = "reef-team"
SWITCHES = {
    "CITEWELL_PROFILE": "all",
    "AUDIT_ENABLED": "false",
    "MEMORY_ENABLED": "true",
    "WORKSPACES_ENABLED": "true",
    "USER_ANALYTICS_ENABLED": "true",
    "MONITORING_ENABLED": "true",
    "CACHE_ISOLATION": "tenant",
    "CITEWELL_PROXY_USER_HEADER": "x-user",
    "CITEWELL_PROXY_TENANT_HEADER": "x-tenant",
    "CITEWELL_TRUSTED_PROXIES": "127.0.0.1",
    "CITEWELL_RESEARCH_POLL": "0.05",
    "CITEWELL_RESEARCH_SCOPE": "library",
}
# Arguments that name something of an upstream, or something within what another argument names.
FOREIGN_IDS = {"series_id", "branchId", "stepId"}
# Tools that show Anna her own things when they are called in the same ways: the test can fail.
SHOWS_OWN = {
    "fetch",
    "get_claim_evidence",
    "get_research_session",
    "get_results",
    "get_thread",
    "memory_recall",
    "monitor_query_check",
    "read_artifact",
    "research_export",
    "scrape_page",
    "search_claims",
    "workspace_read",
}
PLAIN_VALUES: dict[str, Any] = {
    "string": WORDS,
    "integer": 1,
    "number": 1,
    "boolean": True,
    "array": [],
    "object": {"type": "object", "properties": {"name": {"type": "string"}}},
}


@dataclass(frozen=True)
class KeptIds:
    """What Anna has stored, by the arguments that name it."""

    values: dict[str, list[str]]

    def list_arguments(self, schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """The required arguments alone, and once more with each id that the tool takes."""
        properties = schema["properties"]
        plain = {
            name: self.find_value(name, properties[name]) for name in schema.get("required", ())
        }
        yield plain
        for name in properties:
            for value in self.values.get(name, ()):
                yield plain | {name: value}

    def find_value(self, name: str, kind: dict[str, Any]) -> Any:
        if name in self.values:
            return self.values[name][0]
        return kind["enum"][0] if "enum" in kind else PLAIN_VALUES[kind["type"]]


async def call(app: App, tool: str, owner: Owner = ANNA, **arguments: Any) -> dict[str, Any]:
    outcome = await app.call_tool(tool, arguments, owner=owner)
    assert not outcome.is_error, outcome.text
    return outcome.body or {}


async def store_everything(app: App) -> KeptIds:
    """Anna uses every tool that keeps something, and her library."""
    documents = marked_documents()
    await app.open_state().library.store_documents(str(ANNA), documents)
    document, text = documents[0].card.id, documents[0].text
    step = await call(
        app,
        "sequential_search",
        searchStep=f"{WORDS} {SECRET}",
        stepNumber=1,
        totalStepsEstimate=2,
        nextStepNeeded=True,
        researchGoal=SECRET,
    )
    begun = await call(app, "research", query=QUESTION, scope="library")
    async with asyncio.timeout(PATIENCE):
        while (await call(app, "research_status", jobId=begun["jobId"], wait_seconds=10))[
            "status"
        ] not in {"completed", "failed"}:
            pass
    claims = await call(app, "search_claims", query=WORDS)
    artifact = await app.store.artifacts.store_artifact(str(ANNA), text.encode(), mime="text/plain")
    consents = app.require_service(ConsentService)
    for purpose in CONSENT_PURPOSES:
        for owner in (ANNA, *OTHERS[:2]):
            await consents.grant_consent(owner, purpose, decided_from="test")
    await app.require_service(WorkspaceMembers).add_member(WORKSPACE, ANNA)
    await call(app, "memory_save", note=text, topic=WORDS)
    watched = await call(app, "monitor_query_save", query=f"{WORDS} {SECRET}")
    await call(app, "workspace_contribute", workspace_id=WORKSPACE, note=text)
    return KeptIds(
        {
            "sessionId": [step["sessionId"]],
            "jobId": [begun["jobId"]],
            "threadId": [begun["threadId"]],
            "claimId": [claims["claims"][0]["id"]],
            "id": [artifact.id, document, watched["id"]],
            "url": [document, f"research://artifact/{artifact.id}"],
            "paper": [document],
            "identifier": [document],
            "provider": ["library"],
            "workspace_id": [WORKSPACE],
        }
    )


@pytest.fixture
def settings(environ: dict[str, str]) -> config.Settings:
    return config.load_settings(environ | SWITCHES)


def list_id_arguments(app: App) -> set[str]:
    """The arguments of all tools whose names say that they name something."""
    names = {name for tool in app.tools.values() for name in tool["inputSchema"]["properties"]}
    return {name for name in names if name.lower().endswith("id")}


async def find_shown_secrets(
    app: App, kept: KeptIds, owners: Iterable[Owner], tools: Iterable[str]
) -> tuple[list[str], int]:
    """The tools that show the secret to one of `owners`, and how many calls were made."""
    shown, tried = [], 0
    for name in tools:
        for arguments in kept.list_arguments(app.tools[name]["inputSchema"]):
            for owner in owners:
                outcome = await app.call_tool(name, arguments, owner=owner)
                tried += 1
                if SECRET in json.dumps([outcome.body, outcome.text, outcome.meta]):
                    shown.append(name)
    return shown, tried


async def find_resource_leaks(app: App, kept: KeptIds) -> list[str]:
    addresses = [view.uri for view in app.resources.views]
    leaks = []
    for uri in (*addresses, f"research://artifact/{kept.values['id'][0]}"):
        for owner in OTHERS:
            try:
                text, _ = await app.resources.read_resource_text(uri, owner)
            except CitewellError as error:
                text = str(error)
            if SECRET in text:
                leaks.append(f"{uri} as {owner}")
    return leaks


def list_route_paths(app: App) -> list[str]:
    """Every route but MCP's own, which the tools above stand for."""
    routes = build_asgi_app(app).routes
    paths = [route.path for route in routes if isinstance(route, Route)]
    return [path for path in paths if not path.startswith("/mcp") and "{" not in path]


async def find_endpoint_leaks(app: App, kept: KeptIds) -> tuple[list[str], int]:
    """Every route with Anna's names in the query, by others and without the admin key."""
    transport = httpx2.ASGITransport(app=build_layered_app(app), client=("127.0.0.1", 1))
    asked = {"tenant_id": ANNA.tenant, "user_id": ANNA.user, "workspace_id": WORKSPACE}
    leaks, tried = [], 0
    async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        for path in list_route_paths(app):
            for owner in OTHERS:
                headers = {"x-user": owner.user, "x-tenant": owner.tenant}
                answer = await client.get(
                    path, params=asked | {"id": kept.values["id"][0]}, headers=headers
                )
                tried += 1
                if SECRET in answer.text or (ANNA.user in answer.text and owner.user != ANNA.user):
                    leaks.append(f"{path} as {owner}: {answer.status_code}")
    return leaks, tried


@requires("tenant.every_door")
def test_no_door_gives_others_what_a_user_keeps(settings: config.Settings) -> None:
    async def scenario() -> Any:
        app = App(settings)
        try:
            kept = await store_everything(app)
            leaks, tried = await find_shown_secrets(app, kept, OTHERS, app.tools)
            leaks += await find_resource_leaks(app, kept)
            endpoints, asked = await find_endpoint_leaks(app, kept)
            own, _ = await find_shown_secrets(app, kept, (ANNA,), sorted(SHOWS_OWN))
            return kept, list_id_arguments(app), leaks + endpoints, tried + asked, own
        finally:
            await app.aclose()

    kept, names, leaks, tried, own = asyncio.run(scenario())

    assert leaks == []
    assert set(own) == SHOWS_OWN
    assert names <= kept.values.keys() | FOREIGN_IDS
    assert tried > 3 * 60
