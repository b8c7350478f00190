"""Ask a provider of answers in process, with canned answers."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from citewell.core.values.research import ProviderReport
from citewell.core.values.search_results import AnswerQuery
from citewell.net.http.messages import HttpRequest, HttpResponse
from citewell.providers import load
from tests.contract.recordings import Canned, kit_over


def answered(name: str, options: dict[str, str], body: Any, **answers: Any) -> ProviderReport:
    """The report for a body; `answers` are statuses and headers by part of the address."""

    def answer(request: HttpRequest) -> HttpResponse:
        for part, (status, headers) in answers.items():
            if part in request.url:
                return HttpResponse(status=status, url=request.url, headers=headers, body=b"")
        content = body.encode() if isinstance(body, str) else json.dumps(body).encode()
        return HttpResponse(status=200, url=request.url, headers={}, body=content)

    provider: Any = load(name).Provider(kit_over(name, Canned(answer), options))
    report: ProviderReport = asyncio.run(provider.answer_question(AnswerQuery(text="Why?")))
    return report
