"""Gemini's answers: Google's redirects, and offsets in bytes."""

from __future__ import annotations

from typing import Any

import pytest

from tests.providers.answer_desk import answered


def test_geminis_redirects_are_resolved_and_its_byte_offsets_converted() -> None:
    google = "https://vertexaisearch.cloud.google.com/grounding-api-redirect/abc"
    text = "Größe: –20 °C. Sie tauen ab."
    grounding = {
        "webSearchQueries": ["wärmepumpe"],
        "groundingChunks": [{"web": {"uri": google, "title": "example.org"}},
                            {"web": {"uri": "javascript:alert(1)"}}],
        "groundingSupports": [
            {"segment": {"startIndex": len("Größe: –20 °C. ".encode()), "endIndex": len(text.encode())},
             "groundingChunkIndices": [0, 1, 7]}
        ],
    }  # fmt: skip
    body = {
        "candidates": [{"content": {"parts": [{"text": text}]}, "groundingMetadata": grounding}]
    }
    landing = (302, {"location": "https://www.example.org/heat"})

    report = answered("gemini", {"GEMINI_API_KEY": "k"}, body, vertexaisearch=landing)

    [cited] = report.citations
    assert cited.url == "https://www.example.org/heat"
    assert report.text[cited.start : cited.end] == "Sie tauen ab."
    assert "Google asks that its searches be shown" in report.notes[0]


@pytest.mark.parametrize(
    "landing", [(404, {}), (302, {"location": "javascript:alert(1)"}), (302, {}), (500, {})]
)
def test_a_redirect_that_leads_nowhere_is_left_as_it_is(landing: tuple[int, Any]) -> None:
    google = "https://vertexaisearch.cloud.google.com/grounding-api-redirect/abc"
    grounding = {"groundingChunks": [{"web": {"uri": google}}]}
    content = {"parts": [{"text": "It is so."}]}
    body = {"candidates": [{"content": content, "groundingMetadata": grounding}]}

    report = answered("gemini", {"GEMINI_API_KEY": "k"}, body, vertexaisearch=landing)

    assert [citation.url for citation in report.citations] == [google]
