"""Ask a scholarly provider in process, with canned answers in turn."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from citewell import providers
from citewell.core.values.paper import IdentifierScheme, PaperId
from citewell.net.http.messages import HttpRequest, HttpResponse
from tests.contract.recordings import Canned, encode, kit_over
from tests.providers.asking import Reply

DOI = PaperId(scheme=IdentifierScheme.DOI, value="10.50505/example.1")


class Session:
    """One provider and what was sent by it."""

    def __init__(self, name: str, *replies: Any, options: Mapping[str, str] | None = None) -> None:
        waiting = list(replies)

        def answer(request: HttpRequest) -> HttpResponse:
            reply = waiting.pop(0) if len(waiting) > 1 else waiting[0]
            reply = reply if isinstance(reply, Reply) else Reply(body=reply)
            body = encode(reply.body)
            return HttpResponse(status=reply.status, url=request.url, headers={}, body=body)

        self._sender = Canned(answer)
        kit = kit_over(name, self._sender, options or {})
        self._provider: Any = providers.load(name).Provider(kit)

    def ask(self, method: str, *args: Any, **more: Any) -> Any:
        return asyncio.run(getattr(self._provider, method)(*args, **more))

    @property
    def sent(self) -> list[HttpRequest]:
        return self._sender.sent

    @property
    def params(self) -> dict[str, str]:
        return dict(self.sent[-1].params)
