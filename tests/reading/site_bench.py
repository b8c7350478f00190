"""Read a site in process: canned answers by host and path, and what was asked for."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

from citewell.core.errors import RefusedByPolicy
from citewell.core.values.page import Page
from citewell.net.http.messages import HttpRequest, HttpResponse
from citewell.net.upstream.origin_limits import (
    CircuitBreaker,
    OriginLimits,
    OriginLimitsTable,
    RequestPace,
)
from citewell.net.upstream.upstream_client import RetryPolicy, Upstream
from citewell.reading import sites
from citewell.reading.sites.site_kit import DocumentFetch, SiteKit
from tests.task_thread import ThreadTasks

NOW = datetime(2026, 11, 15, 12, 0, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    body: Any = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


def encode(body: Any) -> bytes:
    if isinstance(body, bytes):
        return body
    return body.encode() if isinstance(body, str) else json.dumps(body).encode()


class Web:
    """A network whose every upstream leads here; what it does not hold is a 404."""

    def __init__(self, answers: Mapping[str, Any], *, otherwise: Reply | None = None) -> None:
        self.answers = dict(answers)
        self.otherwise = otherwise or Reply(status=404)
        self.sent: list[HttpRequest] = []

    async def send_request(self, request: HttpRequest) -> HttpResponse:
        self.sent.append(request)
        parts = urlsplit(request.url)
        reply = self.answers.get(f"{parts.hostname}{parts.path}", self.otherwise)
        reply = reply(request) if callable(reply) else reply
        if isinstance(reply, Exception):
            raise reply
        if not isinstance(reply, Reply):
            reply = Reply(body=reply)
        return HttpResponse(
            status=reply.status,
            url=request.url,
            headers=dict(reply.headers),
            body=encode(reply.body),
        )

    def open_upstream(self, name: str, *, base_url: str, **more: Any) -> Upstream:
        def lane(owner: str) -> OriginLimits:
            breaker = CircuitBreaker(owner, threshold=5, reset=60.0, clock=lambda: 0.0)
            return OriginLimits(pace=RequestPace(), breaker=breaker)

        return Upstream(
            name,
            base_url=base_url,
            sender=self,
            lanes=OriginLimitsTable(name, base_url=base_url, build_limits=lane),
            defaults=HttpRequest(
                url=base_url,
                headers=more.get("headers", {}),
                secret_headers=more.get("secret_headers", {}),
            ),
            retry=RetryPolicy(max_attempts=1),
        )

    @property
    def asked(self) -> list[str]:
        """Host and path of every request."""
        return [
            f"{urlsplit(request.url).hostname}{urlsplit(request.url).path}" for request in self.sent
        ]


class Forbidding:
    """A robots.txt that lets nobody in."""

    async def check_robots(self, url: str) -> None:
        raise RefusedByPolicy("The site asks not to be read by programs (robots.txt).")


@dataclass(slots=True, kw_only=True)
class Bench:
    web: Web
    raw: Mapping[str, str] = field(default_factory=dict)
    robots: Any = None
    read_document: DocumentFetch | None = None

    def read(self, url: str) -> Page | None:
        kit = SiteKit(
            network=self.web,
            workers=ThreadTasks(),
            setting_values=self.raw,
            robots=self.robots,
            now=lambda: NOW,
            read_document=self.read_document,
        )
        return asyncio.run(sites.read_site_page(url, kit))


def read(url: str, answers: Mapping[str, Any], **more: Any) -> Page | None:
    return Bench(web=Web(answers), **more).read(url)


def page(url: str, answers: Mapping[str, Any], **more: Any) -> Page:
    found = read(url, answers, **more)
    assert found is not None
    return found


Answers = Callable[[], dict[str, Any]]
