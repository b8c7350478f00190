"""EUR-Lex through CELLAR, the repository of the EU's Publications Office: a SPARQL service, no key."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Annotated, ClassVar

from pydantic import Field

from citewell.dialects.json_responses import (
    JsonResponse,
    OptionalField,
    ResponsePart,
    TolerantItems,
    read_json_response,
)
from citewell.dialects.remembered_matches import MatchMemory
from citewell.dialects.stated_refusals import build_stated_refusal
from citewell.model.domains.court_case import (
    CaseHits,
    CaseQuery,
    CitationMatch,
    CourtCase,
    LegalCitation,
)
from citewell.net.http.messages import HttpResponse
from citewell.ports import Offer, ProviderKit, ProviderSpec
from citewell.text.dates.partial_dates import parse_partial_date
from citewell.text.law.court_celex import CELEX_PATTERN, ECLI_PATTERN, find_celex_numbers
from citewell.text.safety.markup_cleaning import clean_markup

SPEC = ProviderSpec(
    name="eurlex",
    title="EUR-Lex (CELLAR)",
    homepage="https://eur-lex.europa.eu/content/help/data-reuse/linked-data.html",
    base_url="https://publications.europa.eu/webapi/rdf/sparql",
    offers=frozenset({Offer.CASES, Offer.CITATIONS}),
    applied_arguments={Offer.CASES: frozenset({"jurisdiction", "date_from", "date_to"})},
    max_results=50,
    per_second=1.0,
    burst=3,
    rank=30,
    covers_whole_web=False,
    terms="Reuse allowed with the source named; queries end after 60 seconds.",
    test_evidence="one recorded look-up by ECLI",
)

_PAGE = "https://eur-lex.europa.eu/legal-content/EN/TXT/?uri=CELEX:"
_PREFIXES = (
    "PREFIX cdm: <http://publications.europa.eu/ontology/cdm#> "
    "PREFIX xsd: <http://www.w3.org/2001/XMLSchema#> "
)
_ENGLISH = "<http://publications.europa.eu/resource/authority/language/ENG>"
_BAD_REQUEST = 400
_MAX_SEARCH_WORDS = 8
_MIN_WORD_CHARS = 3  # the full-text index has no shorter words
_WORD_PATTERN = re.compile(r"[^\W_]{1,40}")
_COURT_NAMES = {"C": "Court of Justice", "T": "General Court", "F": "Civil Service Tribunal"}
# What a filter by court means for CELEX numbers: the sector, and the letters of the document.
_CELEX_FORMS = {"cjeu": "^6....C", "egc": "^6....T", "eu-legislation": "^3", "eu-cases": "^6"}
_KINDS = {"6": "decision", "3": "legislation"}


class _BoundTerm(ResponsePart):
    value: str


class _CelexValue(ResponsePart):
    value: Annotated[str, Field(pattern=r"^[0-9A-Z][0-9A-Z/()_.-]{2,39}$")]


class _WorkBinding(ResponsePart):
    celex: _CelexValue
    ecli: OptionalField[_BoundTerm] = None
    date: OptionalField[_BoundTerm] = None
    title: OptionalField[_BoundTerm] = None


class _BindingList(ResponsePart):
    bindings: TolerantItems[_WorkBinding]


class _SparqlAnswer(JsonResponse):
    results: _BindingList


class Provider:
    citation_kinds: ClassVar[frozenset[str]] = frozenset({"eu_celex", "eu_ecli"})

    def __init__(self, kit: ProviderKit) -> None:
        self._upstream = kit.upstream
        self._matches = MatchMemory(kit.memory)

    async def search_cases(self, query: CaseQuery) -> CaseHits:
        """Texts by their number if the query names one, else by the words of their English titles."""
        ecli = ECLI_PATTERN.search(query.text)
        numbers = find_celex_numbers(query.text)
        if ecli or numbers:
            named = _build_ecli_choice(ecli.group()) if ecli else _build_celex_choice(numbers)
            return _limit_hits(await self._select_works(named, query), query.count)
        words = _choose_index_words(query.text)
        if not words:
            return CaseHits(notes=("EUR-Lex needs a word of at least three letters.",))
        response = await self._send_sparql(_build_select(_build_index_search(words), query))
        if response.status == _BAD_REQUEST:  # no full-text index: the titles are compared instead
            response = await self._send_sparql(_build_select(_build_title_filter(words), query))
        return _limit_hits(_read_works(response), query.count)

    async def look_up_citation(self, citation: LegalCitation) -> CitationMatch:
        known = await self._matches.recall_match(citation)
        if known is not None:
            return known
        pattern = ECLI_PATTERN if citation.kind == "eu_ecli" else CELEX_PATTERN
        written = citation.normalized.strip().upper()
        if pattern.fullmatch(written) is None:
            return CitationMatch(provider=SPEC.name, is_reporter_known=False)
        build = _build_ecli_choice if citation.kind == "eu_ecli" else _build_celex_choice
        cases = await self._select_works(build(written), CaseQuery(text=written))
        match = CitationMatch(provider=SPEC.name, cases=cases)
        await self._matches.remember_match(citation, match)
        return match

    async def _select_works(self, choice: str, query: CaseQuery) -> tuple[CourtCase, ...]:
        return _read_works(await self._send_sparql(_build_select(choice, query)))

    async def _send_sparql(self, sparql: str) -> HttpResponse:
        return await self._upstream.send_get(
            params={"query": sparql, "format": "application/sparql-results+json"},
            headers={"accept": "application/sparql-results+json"},
            accept=(_BAD_REQUEST,),
        )


def _build_select(choice: str, query: CaseQuery) -> str:
    """The whole query; every text in it that a user wrote has passed a `_build_` function below."""
    conditions = []
    if form := _CELEX_FORMS.get(query.court or ""):
        conditions.append(f'FILTER(REGEX(STR(?celex), "{form}"))')
    if query.date_from:
        conditions.append(f'FILTER(?date >= "{query.date_from}"^^xsd:date)')
    if query.date_to:
        conditions.append(f'FILTER(?date <= "{query.date_to}"^^xsd:date)')
    # A work may be stored twice, and a title in several forms: more rows than works are needed.
    return (
        f"{_PREFIXES}SELECT DISTINCT ?work ?celex ?ecli ?date ?title WHERE {{ {choice} "
        "?work cdm:resource_legal_id_celex ?celex . "
        "OPTIONAL { ?work cdm:case-law_ecli ?ecli . } "
        f"OPTIONAL {{ ?work cdm:work_date_document ?date . }} {' '.join(conditions)} "
        "OPTIONAL { ?expression cdm:expression_belongs_to_work ?work ; "
        f"cdm:expression_uses_language {_ENGLISH} ; cdm:expression_title ?title . }} }} "
        f"ORDER BY DESC(?date) LIMIT {3 * query.count}"
    )


def _build_celex_choice(numbers: str | Iterable[str]) -> str:
    listed = (numbers,) if isinstance(numbers, str) else numbers
    values = " ".join(f'"{_escape_literal(number)}"^^xsd:string' for number in listed)
    return f"VALUES ?celex {{ {values} }}"


def _build_ecli_choice(ecli: str) -> str:
    return f'?work cdm:case-law_ecli "{_escape_literal(ecli.upper())}"^^xsd:string .'


def _build_index_search(words: Iterable[str]) -> str:
    wanted = " AND ".join(f"'{word}'" for word in words)
    return (
        f"?found cdm:expression_title ?words ; cdm:expression_uses_language {_ENGLISH} ; "
        f'cdm:expression_belongs_to_work ?work . ?words <bif:contains> "{wanted}" .'
    )


def _build_title_filter(words: Iterable[str]) -> str:
    conditions = " && ".join(f'CONTAINS(LCASE(STR(?words)), "{word.lower()}")' for word in words)
    return (
        f"?found cdm:expression_title ?words ; cdm:expression_uses_language {_ENGLISH} ; "
        f"cdm:expression_belongs_to_work ?work . FILTER({conditions})"
    )


def _choose_index_words(text: str) -> tuple[str, ...]:
    """The words to look for: letters and digits only, so that none can end a literal."""
    words = dict.fromkeys(_WORD_PATTERN.findall(text))
    return tuple(word for word in words if len(word) >= _MIN_WORD_CHARS)[:_MAX_SEARCH_WORDS]


def _escape_literal(text: str) -> str:
    """The text with the signs escaped that end or change a SPARQL literal."""
    return "".join(f"\\u{ord(sign):04x}" if sign in '"\\\n\r\t{}<>' else sign for sign in text)


def _read_works(response: HttpResponse) -> tuple[CourtCase, ...]:
    """One case for each CELEX number, in the order of the rows."""
    if response.status == _BAD_REQUEST:
        raise build_stated_refusal(response)
    rows = read_json_response(_SparqlAnswer, response).results.bindings
    cases: dict[str, CourtCase] = {}
    for row in rows:
        cases.setdefault(row.celex.value, _parse_work(row))
    return tuple(cases.values())


def _limit_hits(cases: tuple[CourtCase, ...], count: int) -> CaseHits:
    return CaseHits(cases=cases[:count])


def _parse_work(row: _WorkBinding) -> CourtCase:
    celex = row.celex.value
    ecli = clean_markup(row.ecli.value) if row.ecli else ""
    parts = [clean_markup(part) for part in (row.title.value if row.title else "").split("#")]
    parts = [part for part in parts if part]
    is_decision = celex.startswith("6")
    name = parts[1] if is_decision and len(parts) > 2 else next(iter(parts), celex)
    docket = parts[-1] if is_decision and len(parts) > 1 else ""
    subject = parts[2:-1] if is_decision else parts[1:]
    ids = {"celex": celex, "ecli": ecli}
    letter = ecli.split(":")[2] if ecli.count(":") >= 4 else ""
    return CourtCase(
        name=name.rstrip(".").replace("<", "") or celex,
        url=_PAGE + celex,
        source=SPEC.name,
        kind=_KINDS.get(celex[0], "notice"),
        citations=tuple(dict.fromkeys(value for value in (ecli, celex) if value)),
        court=_COURT_NAMES.get(letter),
        court_id={"C": "cjeu", "T": "egc"}.get(letter),
        date_filed=parse_partial_date(row.date.value if row.date else "") or None,
        docket_number=docket.rstrip(".") or None,
        snippet=" ".join(subject),
        full_name=" ".join(parts) or None,
        ids={kind: value for kind, value in ids.items() if value},
    )
