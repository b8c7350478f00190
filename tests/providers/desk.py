"""Ask a scholarly provider in process, with canned answers by path."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from citewell import providers
from citewell.core.values.paper import IdentifierScheme, PaperId
from citewell.net.http.messages import HttpRequest, HttpResponse
from tests.contract.recordings import Canned, encode, kit_over
from tests.providers.asking import Reply

__all__ = ["Desk", "Reply", "paper_id"]


@dataclass(slots=True)
class Desk:
    """One provider whose upstream answers as told; `replies` go by the end of the path, in turn."""

    name: str
    replies: Mapping[str, Any]
    options: Mapping[str, str] = field(default_factory=dict)
    sent: list[HttpRequest] = field(default_factory=list)

    def ask(self, method: str, *args: Any, **more: Any) -> Any:
        sender = Canned(self._answer)
        kit = kit_over(self.name, sender, self.options)
        provider: Any = providers.load(self.name).Provider(kit)
        try:
            return asyncio.run(getattr(provider, method)(*args, **more))
        finally:
            self.sent += sender.sent

    def _answer(self, request: HttpRequest) -> HttpResponse:
        end = next(end for end in self.replies if request.url.endswith(end))
        reply = self.replies[end]
        if isinstance(reply, list):
            reply = reply.pop(0) if len(reply) > 1 else reply[0]
        reply = reply if isinstance(reply, Reply) else Reply(body=reply)
        body = encode(reply.body)
        return HttpResponse(status=reply.status, url=request.url, headers={}, body=body)

    @property
    def params(self) -> dict[str, str]:
        """What the last request asked, in its address or its form."""
        return dict(self.sent[-1].form or self.sent[-1].params)


def paper_id(scheme: str, value: str) -> PaperId:
    return PaperId(scheme=IdentifierScheme(scheme), value=value)
