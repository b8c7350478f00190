"""Builds the answer that is sent instead of one that is too large: cut, and with a link to the whole."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from citewell.model.counted_words import pluralize
from citewell.server.answers.answer_cuts import AnswerCut, CutAnswer, cut_answer
from citewell.server.answers.answer_json import dump_in_chunks
from citewell.server.answers.json_sizes import join_pointer
from citewell.server.answers.part_plans import build_part_plan
from citewell.store.cache.artifact_store import ArtifactInfo
from citewell.tooling import Tool

ARTIFACT_TOOL = "read_artifact"
JSON_MEDIA_TYPE = "application/json"
SUMMARY_KEY, RENAMED_SUMMARY_KEY = "summary", "linkSummary"
# The keys that a linked answer has besides its own.
LINK_SCHEMA: dict[str, dict[str, Any]] = {
    "resource": {"type": "string"},
    "bytes": {"type": "integer"},
    "mimeType": {"type": "string"},
    SUMMARY_KEY: {"type": "string"},
    "expiresAt": {"type": "string"},
    "linked": {"type": "boolean"},
    "cut": {"type": "array", "items": {"type": "object"}},
}
_ENVELOPE_BYTES = 700  # of the keys above, without the list of cuts


@dataclass(frozen=True, slots=True, kw_only=True)
class WholeAnswer:
    """What is stored as an artifact; `is_body` if it is the main text alone, not the JSON of all."""

    data: bytes
    media_type: str
    is_body: bool
    is_page_text: bool = False  # pages of which the answer has passages


def cut_to_limit(tool: Tool, body: dict[str, Any], limit: int) -> CutAnswer:
    """The answer cut to what can be sent inline, with room left for the link."""
    return cut_answer(body, build_part_plan(tool.result), limit - _ENVELOPE_BYTES)


def build_page_texts(text: str) -> WholeAnswer:
    """The markdown of which an answer holds only passages."""
    data = text.encode("utf-8", "replace")
    return WholeAnswer(data=data, media_type="text/markdown", is_body=True, is_page_text=True)


def choose_whole(
    tool: Tool, body: dict[str, Any], cuts: tuple[AnswerCut, ...], text: str
) -> WholeAnswer:
    """The main text in its own media type, if nothing else was cut; otherwise all as JSON."""
    main = tool.main_body
    prefix = join_pointer("", main.key) if main else None
    if main and prefix and cuts and all(_is_within(cut.path, prefix) for cut in cuts):
        media_type, value = main.find_media_type(body), body[main.key]
        if media_type is not None:
            document = value if isinstance(value, str) else dump_in_chunks(value)
            data = document.encode("utf-8", "replace")
            return WholeAnswer(data=data, media_type=media_type, is_body=True)
    data = text.encode("utf-8", "replace")
    return WholeAnswer(data=data, media_type=JSON_MEDIA_TYPE, is_body=False)


def build_linked_body(
    name: str, shown: CutAnswer, whole: WholeAnswer, kept: ArtifactInfo, uri: str
) -> dict[str, Any]:
    """The cut answer with the keys of spec 1 for a linked result, and the list of cuts."""
    # Some tools have a summary of their own, which must stay.
    summary_key = RENAMED_SUMMARY_KEY if SUMMARY_KEY in shown.body else SUMMARY_KEY
    return shown.body | {
        "resource": uri,
        "bytes": kept.size_bytes,
        "mimeType": kept.media_type,
        summary_key: _describe_cut_answer(name, shown.cuts, whole),
        "expiresAt": datetime.fromtimestamp(kept.expires_at, UTC).isoformat(timespec="seconds"),
        "linked": True,
        "cut": [cut.to_wire() for cut in shown.cuts],
    }


def _describe_cut_answer(name: str, cuts: tuple[AnswerCut, ...], whole: WholeAnswer) -> str:
    size = f"{name} returned {len(whole.data):,} {pluralize(len(whole.data), 'byte')}"
    if whole.is_page_text:
        return (
            f"The pages have {len(whole.data):,} {pluralize(len(whole.data), 'byte')}; the answer has the passages nearest to the"
            f" query. Read on with {ARTIFACT_TOOL} at a source's artifactOffset plus a passage's start."
        )
    if not cuts:
        return f"{size}. They are all here, and in the resource too."
    lists = [cut for cut in cuts if cut.unit == "items"]
    left_out = "; ".join(
        f"{cut.total - cut.kept} of {cut.total} {pluralize(cut.total, 'entry', 'entries')} of {cut.path}"
        for cut in lists
    )
    start = cuts[0].kept if whole.is_body and len(cuts) == 1 else 0
    return (
        f"{size}; what `cut` lists is shortened here{f' ({left_out} left out)' if lists else ''}."
        f" Read the whole from the resource, or page it with {ARTIFACT_TOOL} from offset {start}."
    )


def _is_within(path: str, prefix: str) -> bool:
    return path == prefix or path.startswith(prefix + "/")
