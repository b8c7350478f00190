"""The admin API: who may use it, what it refuses, and that everything is per user, not per tenant."""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
import zipfile
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import httpx2
import pytest

from citewell.core import config
from citewell.core.tooling import Owner
from citewell.server.app import App
from citewell.server.http.admin_routes import ADMIN_HANDLERS
from citewell.server.http.hosting import build_layered_app
from tests.requirements import requires

KEY = "an admin key of 2026"
ADMIN = {"x-admin-key": KEY}
ANN = {"tenant_id": "acme", "user_id": "ann"}
BEN = {"tenant_id": "acme", "user_id": "ben"}
ROUTES = [(path, method) for path, handlers in ADMIN_HANDLERS.items() for method in handlers]


@contextlib.asynccontextmanager
async def asking(folder: Path, **settings: str) -> AsyncIterator[tuple[App, httpx2.AsyncClient]]:
    environ = {"CITEWELL_DATA_DIR": str(folder), "CITEWELL_CONFIG": str(folder / "none.toml")}
    app = App(config.load_settings(environ | {"ADMIN_API_KEY": KEY} | settings))
    transport = httpx2.ASGITransport(app=build_layered_app(app))
    try:
        async with httpx2.AsyncClient(
            transport=transport, base_url="http://127.0.0.1", headers=ADMIN
        ) as client:
            yield app, client
    finally:
        await app.aclose()


def ask(
    folder: Path, scenario: Callable[[App, httpx2.AsyncClient], Awaitable[Any]], **settings: str
) -> Any:
    async def played() -> Any:
        async with asking(folder, **settings) as (app, client):
            return await scenario(app, client)

    return asyncio.run(played())


def refusal(response: httpx2.Response) -> tuple[int, str]:
    told = response.json()
    assert set(told) == {"error"}
    assert told["error"]["message"].endswith((".", "…"))
    return response.status_code, told["error"]["code"]


@requires("admin.key")
@pytest.mark.parametrize(("path", "method"), ROUTES)
@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({"x-admin-key": "wrong wrong wrong wrong"}, (403, "admin_key_wrong")),
        ({}, (401, "admin_key_missing")),
        ({"authorization": f"Bearer {KEY}"}, (401, "admin_key_missing")),
    ],
)
def test_every_route_is_for_operators_alone(
    path: str, method: str, headers: dict[str, str], expected: tuple[int, str], tmp_path: Path
) -> None:
    async def scenario(_: App, client: httpx2.AsyncClient) -> Any:
        del client.headers["x-admin-key"]
        return await client.request(method, path, headers=headers)

    assert refusal(ask(tmp_path, scenario)) == expected


@requires("admin.key")
def test_without_a_configured_key_the_api_is_off(tmp_path: Path) -> None:
    async def scenario(_: App, client: httpx2.AsyncClient) -> Any:
        return await client.get("/admin/data", params=ANN)

    answer = ask(tmp_path, scenario, ADMIN_API_KEY="")

    assert refusal(answer) == (403, "admin_not_configured")


@requires("admin.key")
@pytest.mark.parametrize(
    ("scopes", "status"), [(["citewell:admin"], 200), (["tool:web_search"], 403), (None, 403)]
)
def test_a_token_needs_the_admin_scope_and_the_key_needs_no_token(
    scopes: list[str] | None, status: int, tmp_path: Path
) -> None:
    async def scenario(app: App, client: httpx2.AsyncClient) -> Any:
        made = await app.open_state().tokens.create_token("acme/root", scopes=scopes)
        with_key = await client.get("/admin/users")
        del client.headers["x-admin-key"]
        bearer = {"authorization": f"Bearer {made.secret_text}"}
        return with_key.status_code, await client.get("/admin/users", headers=bearer)

    with_key, answer = ask(tmp_path, scenario, CITEWELL_API_TOKENS="true")

    assert with_key == 200
    assert answer.status_code == status
    assert status == 200 or refusal(answer) == (403, "insufficient_scope")


@requires("admin.validation")
@pytest.mark.parametrize(
    ("method", "path", "how", "expected"),
    [
        ("GET", "/admin/data", {}, (400, "validation")),
        ("GET", "/admin/data", {"params": {"tenant_id": "acme"}}, (400, "validation")),
        ("GET", "/admin/data", {"params": ANN | {"format": "xml"}}, (400, "validation")),
        ("GET", "/admin/data", {"params": ANN | {"tenant": "x"}}, (400, "validation")),
        ("GET", "/admin/data", {"params": [*ANN.items(), *BEN.items()]}, (400, "validation")),
        ("GET", "/admin/data", {"params": ANN}, (404, "not_found")),
        ("GET", "/admin/data", {"params": ANN | {"user_id": "x" * 257}}, (400, "validation")),
        ("GET", "/admin/data", {"params": ANN | {"tenant_id": "a/b"}}, (404, "not_found")),
        ("DELETE", "/admin/data", {"params": {"tenant_id": "acme"}}, (400, "validation")),
        ("DELETE", "/admin/data", {"params": ANN | {"user_id": "\x00"}}, (400, "validation")),
        ("POST", "/admin/data", {"params": ANN}, (405, "method_not_allowed")),
        ("POST", "/admin/consent", {"content": b"not json"}, (400, "validation")),
        ("POST", "/admin/consent", {"content": b"[1]"}, (400, "validation")),
        ("POST", "/admin/consent", {"content": b"[" * 50_000}, (400, "validation")),
        ("POST", "/admin/consent", {"content": b"\xff\xfe"}, (400, "validation")),
        ("POST", "/admin/consent", {"content": b" " * 70_000}, (413, "body_too_large")),
        ("POST", "/admin/consent", {"json": ANN}, (400, "validation")),
        (
            "POST",
            "/admin/consent",
            {"json": ANN | {"purpose": "spying", "granted": True}},
            (400, "validation"),
        ),
        (
            "POST",
            "/admin/consent",
            {"json": ANN | {"purpose": "memory", "granted": "yes"}},
            (400, "validation"),
        ),
        (
            "POST",
            "/admin/consent",
            {"json": ANN | {"purpose": "memory", "granted": True, "extra": 1}},
            (400, "validation"),
        ),
        (
            "POST",
            "/admin/consent",
            {"json": {"tenant_id": {"a": 1}, "user_id": "b", "purpose": "memory", "granted": True}},
            (400, "validation"),
        ),
        ("POST", "/admin/workspace/members", {"json": ANN}, (400, "validation")),
        (
            "POST",
            "/admin/workspace/members",
            {"json": ANN | {"workspace_id": "w" * 10_000}},
            (400, "validation"),
        ),
        ("DELETE", "/admin/cache", {"params": {"tenant_id": "acme"}}, (400, "validation")),
        (
            "DELETE",
            "/admin/sessions",
            {"params": {"tenant_id": "acme", "session_id": "x"}},
            (400, "validation"),
        ),
        (
            "DELETE",
            "/admin/sessions",
            {"params": ANN | {"session_id": "x"}},
            (404, "session_not_found"),
        ),
    ],
)
def test_unusable_requests_get_a_clear_refusal(
    method: str, path: str, how: dict[str, Any], expected: tuple[int, str], tmp_path: Path
) -> None:
    async def scenario(_: App, client: httpx2.AsyncClient) -> Any:
        return await client.request(method, path, **how)

    assert refusal(ask(tmp_path, scenario)) == expected


@requires("admin.consent")
def test_consent_is_recorded_and_withdrawn_for_one_user(tmp_path: Path) -> None:
    async def scenario(_: App, client: httpx2.AsyncClient) -> Any:
        granted = ANN | {"purpose": "memory", "granted": True, "terms_version": "2026-01"}
        told = await client.post("/admin/consent", json=granted)
        await client.post("/admin/consent", json=granted | {"purpose": "analytics"})
        await client.post("/admin/consent", json=granted | {"granted": False})
        listed = [await client.get("/admin/consent", params=who) for who in (ANN, BEN)]
        return told.json()["consent"], [one.json()["consents"] for one in listed]

    told, (ann, ben) = ask(tmp_path, scenario)

    assert told | {"decidedAt": ""} == {
        "tenantId": "acme",
        "userId": "ann",
        "purpose": "memory",
        "granted": True,
        "termsVersion": "2026-01",
        "decidedAt": "",
        "decidedFrom": "admin",
    }
    assert {one["purpose"]: one["granted"] for one in ann} == {"memory": False, "analytics": True}
    assert ben == []


@requires("admin.members")
def test_members_are_added_and_removed(tmp_path: Path) -> None:
    place = {"workspace_id": "lab"}

    async def scenario(_: App, client: httpx2.AsyncClient) -> Any:
        path = "/admin/workspace/members"
        told = [
            await client.post(path, json=ANN | place),
            await client.post(path, json=ANN | place),
            await client.post(path, json=BEN | place),
            await client.request("DELETE", path, json=BEN | place),
            await client.request("DELETE", path, params=BEN | place),
        ]
        listed = await client.get(path, params=place)
        return [one.json()["status"] for one in told], listed.json()["members"]

    told, members = ask(tmp_path, scenario)

    assert told == ["added", "already_member", "added", "removed", "not_member"]
    assert [(one["tenantId"], one["userId"]) for one in members] == [("acme", "ann")]


async def fill(app: App, who: dict[str, str], marker: str) -> None:
    owner = Owner(tenant=who["tenant_id"], user=who["user_id"])
    found = await app.call_tool(
        "sequential_search",
        {
            "searchStep": f"about {marker}",
            "stepNumber": 1,
            "totalStepsEstimate": 1,
            "nextStepNeeded": False,
        },
        owner=owner,
    )
    assert not found.is_error, found


@requires("admin.data", "defect.data_subject_tenant")
def test_the_archive_and_the_erasure_are_of_one_user_not_of_the_tenant(tmp_path: Path) -> None:
    """The reference server exports and erases the whole tenant's sessions."""

    async def scenario(app: App, client: httpx2.AsyncClient) -> Any:
        await fill(app, ANN, "lighthouses")
        await fill(app, BEN, "windmills")
        await client.post("/admin/workspace/members", json=ANN | {"workspace_id": "lab"})
        archives = [(await client.get("/admin/data", params=who)).text for who in (ANN, BEN)]
        zipped = await client.get("/admin/data", params=ANN | {"format": "zip"})
        receipt = await client.delete("/admin/data", params=ANN)
        after = [await client.get("/admin/data", params=who) for who in (ANN, BEN)]
        users = await client.get("/admin/users", params={"tenant_id": "acme"})
        return archives, zipped.content, receipt, after, users.json()

    (ann, ben), zipped, receipt, after, users = ask(tmp_path, scenario)

    assert "lighthouses" in ann
    assert "windmills" not in ann
    assert "windmills" in ben
    assert "lighthouses" not in ben
    archive = json.loads(ann)
    assert archive["archive"]["userId"] == "ann"
    assert list(archive["data"]) == archive["archive"]["namespaces"]
    assert len(archive["data"]["sessions"]) == 1
    assert len(archive["data"]["sessions"][0]["steps"]) == 1
    assert len(archive["data"]["workspace_memberships"]) == 1
    with zipfile.ZipFile(io.BytesIO(zipped)) as packed:
        names = {f"{name}.json" for name in archive["data"]} | {"archive.json"}
        assert set(packed.namelist()) == names
        assert json.loads(packed.read("sessions.json")) == archive["data"]["sessions"]
    told = receipt.json()
    assert (receipt.status_code, told["status"]) == (200, "erased")
    assert told["deleted"]["sessions"] == told["deleted"]["workspace_memberships"] == 1
    assert {one["what"] for one in told["kept"]} >= {"audit", "backups"}
    assert "ann" not in json.dumps(told | {"kept": [], "cache": ""})
    assert refusal(after[0]) == (404, "not_found")
    assert after[1].status_code == 200
    assert "windmills" in after[1].text
    assert users == {"users": [{"tenantId": "acme", "userId": "ben"}]}


@requires("admin.data")
def test_receipts_are_kept_and_an_erasure_can_be_repeated(tmp_path: Path) -> None:
    async def scenario(app: App, client: httpx2.AsyncClient) -> Any:
        await fill(app, ANN, "lighthouses")
        told = [(await client.delete("/admin/data", params=ANN)).json() for _ in range(2)]
        return told, (await client.get("/admin/erasures")).json()["receipts"]

    (first, second), receipts = ask(tmp_path, scenario)

    assert (first["deleted"]["sessions"], second["deleted"]["sessions"]) == (1, 0)
    assert first["subject"] == second["subject"]
    assert [one["receiptId"] for one in receipts] == [first["receiptId"], second["receiptId"]]
    assert {one["status"] for one in receipts} == {"erased"}


@requires("admin.sessions")
def test_sessions_are_listed_and_deleted_by_user_or_tenant(tmp_path: Path) -> None:
    async def scenario(app: App, client: httpx2.AsyncClient) -> Any:
        for who in (ANN, BEN, {"tenant_id": "other", "user_id": "ann"}):
            await fill(app, who, "x")
        listed = (await client.get("/admin/sessions", params={"tenant_id": "acme"})).json()
        mine = (await client.get("/admin/sessions", params=ANN)).json()["sessions"]
        gone = [
            await client.delete(
                "/admin/sessions", params=ANN | {"session_id": mine[0]["sessionId"]}
            ),
            await client.delete("/admin/sessions", params={"tenant_id": "acme"}),
        ]
        left = await client.get("/admin/sessions", params={"tenant_id": "other"})
        return listed["sessions"], [one.json()["deleted"] for one in gone], left.json()["sessions"]

    listed, gone, left = ask(tmp_path, scenario)

    assert [one["userId"] for one in listed] == ["ann", "ben"]
    assert gone == [1, 1]
    assert len(left) == 1


@requires("admin.cache")
def test_cached_answers_are_deleted_for_all_or_for_one_tenant(tmp_path: Path) -> None:
    async def scenario(app: App, client: httpx2.AsyncClient) -> Any:
        for tenant in ("acme", "other"):
            await app.store.cache.store_entry(tenant, "key", b"value", ttl=60)
        answer = await client.delete("/admin/cache", params={"tenant_id": "acme"})
        kept = [await app.store.cache.look_up_entry(one, "key") for one in ("acme", "other")]
        await client.delete("/admin/cache")
        return (
            answer.status_code,
            [one is not None for one in kept],
            (await app.store.cache.look_up_entry("other", "key")),
        )

    assert ask(tmp_path, scenario, CACHE_ISOLATION="tenant") == (200, [False, True], None)
