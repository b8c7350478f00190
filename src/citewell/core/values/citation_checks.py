"""Results of checking citations, with the field names of spec 1; evidence, no verdict."""

from __future__ import annotations

from typing import Any

from pydantic import (
    Field,
    GetJsonSchemaHandler,
    SerializerFunctionWrapHandler,
    model_serializer,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from citewell.core.values.paper_results import PaperResult
from citewell.core.values.scrape_results import RetractionStatus
from citewell.core.values.wire_values import (
    KEPT_NULL_KEYWORD,
    UNTRUSTED_LABEL,
    Appendix,
    Body,
    LongText,
    Spine,
    WireValue,
)


class ExistenceValue(WireValue):
    """A value whose field `exists` is always present: true, false, or null if that is not known."""

    @model_serializer(mode="wrap")
    def serialize_existence(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        given: dict[str, Any] = handler(self)
        return {"exists": None} | given

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        # The serializer would hide the fields from the schema.
        fields: Any = {key: core_schema[key] for key in core_schema if key != "serialization"}
        schema = handler(fields)
        model = handler.resolve_ref_schema(schema)
        if exists := model.get("properties", {}).get("exists"):
            exists[KEPT_NULL_KEYWORD] = True
        return schema


class ClaimCheck(WireValue):
    """Whether a source addresses a claim, with its nearest sentences, and how a judge reads them."""

    claim: LongText
    claim_support: str  # addressed, partially_addressed, not_addressed, source_unavailable
    claim_evidence: tuple[LongText, ...] | None = None
    claim_source_url: str | None = None  # the address that was read
    contrast_signal: bool | None = None  # only ever true: the claim is denied
    claim_fetch_error: str | None = None  # why no source could be compared
    content_words: int | None = None  # number of words of the source
    sparsity_note: str | None = None  # present if the source has little text
    claim_relation: str | None = None  # supports, contradicts, qualifies or mentions
    claim_quote: LongText | None = None  # the words of the source that show it
    claim_judge: str | None = None  # lexical, nli or model:<provider>
    claim_judge_note: str | None = None  # why the chosen judge did not decide


class CaseRecord(WireValue):
    """A decision or a text of law in a registry; fields that it does not state are absent."""

    title: str  # the name again, where readers of other records look for it
    case_name: str
    url: str
    source: str
    citation: str | None = None
    citations: tuple[str, ...] | None = None  # all parallel citations
    court: str | None = None
    court_id: str | None = None
    date_filed: str | None = None  # ISO 8601
    docket_number: str | None = None


# An address without a page: there once was one, the archive never had it, or nobody knows.
PAGE_GONE, PAGE_NEVER_EXISTED, PAGE_DEAD = "gone", "probably_never_existed", "dead"
MISSING_PAGE_STATES = (PAGE_NEVER_EXISTED, PAGE_DEAD, PAGE_GONE)


class NearRecord(WireValue):
    """A registered work whose title is like the cited one."""

    title: str
    authors: tuple[str, ...] | None = None  # the first three
    year: int | None = None
    journal: str | None = None
    doi: str | None = None


class FieldCorrection(WireValue):
    """A field in which the citation and the record differ."""

    field: str  # title, authors, year, venue, volume or pages
    cited: str
    record: str


class FieldReport(WireValue):
    """A field of the citation beside the record's."""

    field: str  # title, authors, year, venue, volume or pages
    state: str  # match, differs, differs slightly, not given, not in record, not compared
    cited: str | None = None
    record: str | None = None


class CitationVerification(ExistenceValue):
    """What verify_citation returns; what could not be determined is absent."""

    input: LongText
    input_type: str  # doi, url, reference; arxiv, pmid, pmcid, isbn, rfc, standard, legal
    exists: bool | None  # null: nobody could be asked; false: a registry or the server says so
    existence: str  # found, not_registered, not_found, unchecked; for an address also gone, probably_never_existed, dead
    verification_status: str  # confirmed, unread (exists, content not seen), uncertain, not_found
    matched_record: PaperResult | CaseRecord | None = None
    match_confidence: str | None = None  # high, medium, low, none
    detected_doi: str | None = None
    title_match: str | None = None  # match, mismatch, not_checked
    author_match: str | None = None
    year_match: str | None = None
    mismatches: tuple[str, ...] | None = None  # fields in which citation and record differ
    suggested_doi: str | None = None  # DOI of the work that matches the citation's text
    possible_match: PaperResult | CaseRecord | None = None
    fields: Spine[tuple[FieldReport, ...]] | None = None  # each field beside the record's
    corrections: Spine[tuple[FieldCorrection, ...]] | None = None
    nearest_records: Appendix[tuple[NearRecord, ...]] | None = None  # if no registry has the work
    published_doi: str | None = None  # of a preprint: the article it became
    preprint_doi: str | None = None
    verdict: str | None = None  # of a legal citation: a value of CaseVerdict
    court_match: str | None = None
    suggested_citation: str | None = None  # where the named case really is
    retraction_status: RetractionStatus | None = None
    http_status: int | None = None  # 0 if no server answered
    link_state: str | None = None  # live, blocked, dead, unchecked
    link_reason: str | None = None  # why it is not live: http_404, soft_404, parked, dns, …
    archived_url: str | None = None
    authenticity_caveat: str | None = None
    notes: tuple[str, ...] | None = None
    claim: LongText | None = None
    claim_support: str | None = None
    claim_evidence: tuple[str, ...] | None = None
    claim_source_url: str | None = None
    contrast_signal: bool | None = None
    claim_fetch_error: str | None = None
    content_words: int | None = None
    sparsity_note: str | None = None
    claim_relation: str | None = None
    claim_quote: LongText | None = None
    claim_judge: str | None = None
    claim_judge_note: str | None = None
    provenance: tuple[str, ...]
    trust: str = Field(default=UNTRUSTED_LABEL)


class AuditEntry(ExistenceValue):
    """One reference of a bibliography and its findings."""

    index: int  # from 1, in the order given
    key: str | None = None  # cite key or number
    line: int | None = None
    title: str | None = None
    doi: str | None = None
    url: str | None = None
    exists: bool | None
    existence: str
    retraction_status: RetractionStatus | None = None
    link_live: bool | None = None
    link_reason: str | None = None
    http_status: int | None = None
    moved_to: str | None = None  # where the address leads for good
    archived_url: str | None = None
    flags: tuple[
        str, ...
    ] = ()  # retracted, dead_link, not_found, unchecked, mischaracterized, mismatch, duplicate
    reason: LongText | None = None
    matched_title: str | None = None
    match_confidence: str | None = None
    title_match: str | None = None
    author_match: str | None = None
    year_match: str | None = None
    suggested_doi: str | None = None
    fields: tuple[FieldReport, ...] | None = None  # without the values of those that match
    corrections: tuple[FieldCorrection, ...] | None = None
    nearest_records: tuple[NearRecord, ...] | None = None
    published_doi: str | None = None
    preprint_doi: str | None = None
    verdict: str | None = None  # of a legal citation: a value of CaseVerdict
    citation: str | None = None  # of a case: 410 U.S. 113
    case_name: str | None = None  # as written
    court_match: str | None = None
    suggested_citation: str | None = None
    matched_record: CaseRecord | None = None
    quote: LongText | None = None  # the words around the first citation in a brief
    offset: int | None = None  # characters before it
    mention_count: int | None = None  # with short forms, Id. and supra
    claim: LongText | None = None
    claim_support: str | None = None
    claim_evidence: tuple[LongText, ...] | None = None
    claim_source_url: str | None = None
    contrast_signal: bool | None = None
    claim_fetch_error: str | None = None
    content_words: int | None = None
    sparsity_note: str | None = None
    claim_relation: str | None = None
    claim_quote: LongText | None = None
    claim_judge: str | None = None
    claim_judge_note: str | None = None


class AuditSummary(WireValue):
    total: int
    retracted: int = 0
    dead_link: int = 0
    not_found: int = 0
    unchecked: int = 0
    mischaracterized: int = 0
    ok: int = 0
    mismatched: int = 0
    duplicates: int = 0
    malformed: int = 0
    claim_check_skipped_count: int | None = None  # number of claims whose source could not be read
    thin_content_count: int | None = None
    warning: str | None = None


class MalformedRecord(WireValue):
    line: int
    reason: str
    excerpt: LongText | None = None


class AuditReport(WireValue):
    """What audit_bibliography returns."""

    source: str  # entries, bibliography:<format>, session; bibliography:brief for cited cases
    entry_count: int
    summary: AuditSummary
    entries: Body[tuple[AuditEntry, ...]]
    malformed: Appendix[tuple[MalformedRecord, ...]] | None = None
    skipped: int | None = None
    skipped_note: str | None = None
    notes: tuple[str, ...] | None = None
    checked_at: str
    trust: str = Field(default=UNTRUSTED_LABEL)


class ArchiveOutcome(WireValue):
    """The outcome of asking the Internet Archive for a copy."""

    requested_url: str
    snapshot_url: str | None = None  # absent when pending or unavailable
    archived_at: str | None = None  # RFC 3339; only for a new capture
    captured: bool  # whether this call made the capture
    status: str  # archived, existing, pending, unavailable
    http_status: int | None = None  # of Save Page Now
    reason: str | None = None  # why there is no new capture
    poll_url: str | None = None  # where to look later, when pending
    source: str
    provenance: tuple[str, ...]  # each request made, and its outcome
    trust: str = Field(default=UNTRUSTED_LABEL)
