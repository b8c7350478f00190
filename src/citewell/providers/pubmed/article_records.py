"""Parses PubMed's XML: articles and book chapters, and the notices linked to them."""

from __future__ import annotations

from xml.etree.ElementTree import Element

from citewell.citations import record_fields
from citewell.citations import record_fields as notice_relations
from citewell.core.errors import MalformedResponse, UpstreamUnavailable
from citewell.core.values.paper import (
    IdentifierScheme,
    IntegrityNotice,
    OpenCopy,
    Paper,
    WorkAuthor,
)
from citewell.net.http.messages import HttpResponse
from citewell.net.upstream.xml_responses import extract_element_text, read_xml_tree
from citewell.providers.dialects import csl_works
from citewell.text.calendar_dates import build_partial_date, extract_year, parse_month_number

PROVIDER_NAME = "pubmed"
_MISSING_TITLES = {"", "not available"}
_DATE_TAGS = ("Year", "Month", "Day")


def read_pubmed_articles(response: HttpResponse) -> tuple[Paper, ...]:
    """All readable records of the response. Raises if there are records and none is readable."""
    root = read_xml_tree(response)
    if root.find(".//ERROR") is not None:
        message = "The upstream answered with an error instead of records."
        raise UpstreamUnavailable(message, provider=response.provider)
    if root.tag != "PubmedArticleSet":
        raise MalformedResponse("Expected a set of PubMed articles.", provider=response.provider)
    parsers = {"PubmedArticle": _parse_pubmed_article, "PubmedBookArticle": _parse_book_article}
    found = [parsers[record.tag](record) if record.tag in parsers else None for record in root]
    papers = tuple(paper for paper in found if paper is not None)
    if found and not papers:
        raise MalformedResponse(
            "None of the records has a PMID and a title.", provider=response.provider
        )
    return papers


def _parse_pubmed_article(record: Element) -> Paper | None:
    citation, article = record.find("MedlineCitation"), record.find("MedlineCitation/Article")
    pmid, title = (
        record_fields.normalize_pmid_field(extract_element_text(citation, "PMID")),
        _choose_article_title(article),
    )
    if article is None or pmid is None or not title:
        return None
    ids = _collect_pubmed_ids(pmid, record.findall("PubmedData/ArticleIdList/ArticleId"), article)
    published = _choose_pubmed_date(article)
    types = tuple(map(extract_element_text, article.findall("PublicationTypeList/PublicationType")))
    issue = article.find("Journal/JournalIssue")
    others = citation.findall("OtherAbstract") if citation is not None else []
    english = [text for text in others if text.get("Language", "eng") == "eng"]
    return Paper(
        title=title,
        source=PROVIDER_NAME,
        url=_build_pubmed_url(ids),
        ids=ids,
        authors=_parse_author_list(article.find("AuthorList")),
        kind="article" if "Preprint" in types else "article-journal",
        year=extract_year(published),
        published=published,
        venue=record_fields.clean_journal_name(extract_element_text(article, "Journal/Title")),
        volume=extract_element_text(issue, "Volume") or None,
        issue=extract_element_text(issue, "Issue") or None,
        pages=_format_pubmed_pages(article),
        abstract=_join_abstract_sections(article.find("Abstract"))
        or _join_abstract_sections(next(iter(english or others), None)),
        language=record_fields.convert_language_code(extract_element_text(article, "Language")),
        copies=_build_pmc_copy(ids),
        events=_list_pubmed_notices(citation, types),
    )


def _parse_book_article(record: Element) -> Paper | None:
    """A chapter, or a whole book if the record has no chapter title, from NCBI's Bookshelf."""
    document, book = record.find("BookDocument"), record.find("BookDocument/Book")
    pmid, name = (
        record_fields.normalize_pmid_field(extract_element_text(document, "PMID")),
        record_fields.clean_title_field(extract_element_text(book, "BookTitle")),
    )
    part = record_fields.clean_title_field(extract_element_text(document, "ArticleTitle"))
    if document is None or pmid is None or not (part or name):
        return None
    ids = _collect_pubmed_ids(pmid, document.findall("ArticleIdList/ArticleId"), document)
    published = _parse_pubmed_date(document.find("ContributionDate")) or _parse_pubmed_date(
        _find_child(book, "PubDate")
    )
    return Paper(
        title=part or name,
        source=PROVIDER_NAME,
        url=_build_pubmed_url(ids),
        ids=ids,
        authors=_parse_author_list(document.find("AuthorList"))
        or _parse_author_list(_find_child(book, "AuthorList")),
        kind="chapter" if part else "book",
        year=extract_year(published),
        published=published,
        venue=name if part else None,
        publisher=extract_element_text(book, "Publisher/PublisherName") or None,
        pages=_format_pubmed_pages(document),
        abstract=_join_abstract_sections(document.find("Abstract")),
        language=record_fields.convert_language_code(extract_element_text(document, "Language")),
        copies=_build_pmc_copy(ids),
    )


def _find_child(element: Element | None, path: str) -> Element | None:
    return element.find(path) if element is not None else None


def _choose_article_title(article: Element | None) -> str:
    """The English title, else the one in the original language."""
    title = record_fields.clean_title_field(extract_element_text(article, "ArticleTitle"))
    if title.lower() in _MISSING_TITLES:
        return (
            record_fields.clean_title_field(extract_element_text(article, "VernacularTitle"))
            or title
        )
    return title


def _collect_pubmed_ids(
    pmid: str, given: list[Element], article: Element
) -> dict[IdentifierScheme, str]:
    by_type = {
        element.get("IdType", ""): extract_element_text(element) for element in reversed(given)
    }
    places = (
        extract_element_text(element)
        for element in article.findall("ELocationID")
        if element.get("EIdType") == "doi" and element.get("ValidYN") != "N"
    )
    doi = record_fields.normalize_doi_field(by_type.get("doi")) or next(places, None)
    return csl_works.collect_ids(pmid=pmid, doi=doi, pmcid=by_type.get("pmc"))


def _build_pubmed_url(ids: dict[IdentifierScheme, str]) -> str:
    doi = ids.get(IdentifierScheme.DOI)
    return (
        csl_works.build_doi_url(doi)
        if doi
        else f"https://pubmed.ncbi.nlm.nih.gov/{ids[IdentifierScheme.PMID]}/"
    )


def _build_pmc_copy(ids: dict[IdentifierScheme, str]) -> tuple[OpenCopy, ...]:
    if IdentifierScheme.PMCID not in ids:
        return ()
    address = f"https://pmc.ncbi.nlm.nih.gov/articles/{ids[IdentifierScheme.PMCID]}/"
    return (OpenCopy(url=address, host="repository", source=PROVIDER_NAME),)


def _parse_author_list(listed: Element | None) -> tuple[WorkAuthor, ...]:
    if listed is None:
        return ()
    people = (
        _parse_pubmed_author(author)
        for author in listed.findall("Author")
        if author.get("ValidYN") != "N"
    )
    return tuple(person for person in people if person is not None)


def _parse_pubmed_author(author: Element) -> WorkAuthor | None:
    if body := extract_element_text(author, "CollectiveName"):
        return WorkAuthor(name=body, organisation=True)
    family, suffix = (extract_element_text(author, part) for part in ("LastName", "Suffix"))
    initials = " ".join(extract_element_text(author, "Initials"))
    given = extract_element_text(author, "ForeName") or initials
    name = " ".join(part for part in (given, family, suffix) if part)
    return WorkAuthor(name=name, family=family, given=given, suffix=suffix) if name else None


def _choose_pubmed_date(article: Element) -> str | None:
    """The issue's date; the online date if there is none, or if it completes a bare year."""
    issue = _parse_pubmed_date(article.find("Journal/JournalIssue/PubDate"))
    online = _parse_pubmed_date(article.find("ArticleDate"))
    if issue is None or (online is not None and len(issue) == 4 and online.startswith(issue)):
        return online or issue
    return issue


def _parse_pubmed_date(element: Element | None) -> str | None:
    year, month, day = (extract_element_text(element, part) for part in _DATE_TAGS)
    begin = record_fields.parse_issued_date(year)
    if begin is None:
        return record_fields.parse_issued_date(extract_element_text(element, "MedlineDate"))
    number = parse_month_number(month) or parse_month_number(
        extract_element_text(element, "Season")
    )
    return build_partial_date(
        int(begin[:4]), number, int(day) if day.isdecimal() and len(day) < 3 else 0
    )


def _format_pubmed_pages(article: Element) -> str | None:
    printed = record_fields.expand_page_range(
        extract_element_text(article, "Pagination/MedlinePgn")
    )
    if printed:
        return printed
    ends = (extract_element_text(article, f"Pagination/{end}Page") for end in ("Start", "End"))
    return record_fields.expand_page_range("-".join(end for end in ends if end))


def _join_abstract_sections(element: Element | None) -> str | None:
    if element is None:
        return None
    parts = [_format_abstract_section(part) for part in element.findall("AbstractText")]
    return " ".join(part for part in parts if part) or None


def _format_abstract_section(part: Element) -> str:
    text, label = extract_element_text(part), " ".join(part.get("Label", "").split())
    return f"{label}: {text}" if text and label and label.upper() != "UNLABELLED" else text


def _list_pubmed_notices(
    citation: Element | None, types: tuple[str, ...]
) -> tuple[IntegrityNotice, ...]:
    linked = citation.iterfind("CommentsCorrectionsList/CommentsCorrections") if citation is not None else ()  # fmt: skip
    found = (
        notice_relations.parse_notice_relation(
            element.get("RefType", ""),
            extract_element_text(element, "RefSource"),
            source=PROVIDER_NAME,
            note=extract_element_text(element, "Note"),
        )
        for element in linked
    )
    return notice_relations.add_retraction_flag(
        tuple(event for event in found if event), types, source=PROVIDER_NAME
    )
