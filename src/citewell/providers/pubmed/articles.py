"""PubMed's XML: articles and book chapters, and the notices linked to them."""

from __future__ import annotations

from xml.etree.ElementTree import Element

from citewell.errors import BadShape, Unavailable
from citewell.model.paper import Copy, Event, Paper, Person, Scheme
from citewell.net import csl
from citewell.net.message import Response
from citewell.net.tree import read_tree, said
from citewell.text import fields, notices

SOURCE = "pubmed"
_NO_TITLE = {"", "not available"}
_DATE_PARTS = ("Year", "Month", "Day")


def read_articles(response: Response) -> tuple[Paper, ...]:
    """Every record of the answer that can be read; an empty set is empty."""
    root = read_tree(response)
    if root.find(".//ERROR") is not None:
        message = "The upstream answered with an error in place of records."
        raise Unavailable(message, provider=response.provider)
    if root.tag != "PubmedArticleSet":
        raise BadShape("Expected a set of PubMed articles.", provider=response.provider)
    found = [_read(record) for record in root]
    papers = tuple(paper for paper in found if paper is not None)
    if found and not papers:
        raise BadShape("None of the records has a number and a title.", provider=response.provider)
    return papers


def _read(record: Element) -> Paper | None:
    if record.tag == "PubmedArticle":
        return _article(record)
    return _chapter(record) if record.tag == "PubmedBookArticle" else None


def _article(record: Element) -> Paper | None:
    citation, article = record.find("MedlineCitation"), record.find("MedlineCitation/Article")
    pmid, title = fields.pmid(said(citation, "PMID")), _title(article)
    if article is None or pmid is None or not title:
        return None
    ids = _ids(pmid, record.findall("PubmedData/ArticleIdList/ArticleId"), article)
    published, types = _published(article), _types(article)
    issue = article.find("Journal/JournalIssue")
    return Paper(
        title=title,
        source=SOURCE,
        url=_url(ids),
        ids=ids,
        authors=_authors(article.find("AuthorList")),
        kind="article" if "Preprint" in types else "article-journal",
        year=fields.year(published),
        published=published,
        venue=fields.journal(said(article, "Journal/Title")),
        volume=said(issue, "Volume") or None,
        issue=said(issue, "Issue") or None,
        pages=_pages(article),
        abstract=_abstract(article.find("Abstract")) or _abstract(_other(citation)),
        language=fields.language(said(article, "Language")),
        copies=_copies(ids),
        events=_events(citation, types),
    )


def _chapter(record: Element) -> Paper | None:
    """A part of a book, or the book itself, as the Bookshelf has them."""
    document, book = record.find("BookDocument"), record.find("BookDocument/Book")
    pmid, name = fields.pmid(said(document, "PMID")), fields.title(said(book, "BookTitle"))
    part = fields.title(said(document, "ArticleTitle"))
    if document is None or pmid is None or not (part or name):
        return None
    ids = _ids(pmid, document.findall("ArticleIdList/ArticleId"), document)
    published = _date(document.find("ContributionDate")) or _date(_below(book, "PubDate"))
    return Paper(
        title=part or name,
        source=SOURCE,
        url=_url(ids),
        ids=ids,
        authors=_authors(document.find("AuthorList")) or _authors(_below(book, "AuthorList")),
        kind="chapter" if part else "book",
        year=fields.year(published),
        published=published,
        venue=name if part else None,
        publisher=said(book, "Publisher/PublisherName") or None,
        pages=_pages(document),
        abstract=_abstract(document.find("Abstract")),
        language=fields.language(said(document, "Language")),
        copies=_copies(ids),
    )


def _below(element: Element | None, path: str) -> Element | None:
    return element.find(path) if element is not None else None


def _title(article: Element | None) -> str:
    """The English title, or where there is none the one in the work's own language."""
    title = fields.title(said(article, "ArticleTitle"))
    if title.lower() in _NO_TITLE:
        return fields.title(said(article, "VernacularTitle")) or title
    return title


def _ids(pmid: str, given: list[Element], article: Element) -> dict[Scheme, str]:
    by_type = {one.get("IdType", ""): said(one) for one in reversed(given)}
    places = (
        said(one)
        for one in article.findall("ELocationID")
        if one.get("EIdType") == "doi" and one.get("ValidYN") != "N"
    )
    found = {
        Scheme.PMID: pmid,
        Scheme.DOI: fields.doi(by_type.get("doi")) or fields.doi(next(places, None)),
        Scheme.PMCID: fields.pmcid(by_type.get("pmc")),
    }
    return {scheme: value for scheme, value in found.items() if value}


def _url(ids: dict[Scheme, str]) -> str:
    doi = ids.get(Scheme.DOI)
    return csl.address(doi) if doi else f"https://pubmed.ncbi.nlm.nih.gov/{ids[Scheme.PMID]}/"


def _copies(ids: dict[Scheme, str]) -> tuple[Copy, ...]:
    if Scheme.PMCID not in ids:
        return ()
    address = f"https://pmc.ncbi.nlm.nih.gov/articles/{ids[Scheme.PMCID]}/"
    return (Copy(url=address, host="repository", source=SOURCE),)


def _authors(listed: Element | None) -> tuple[Person, ...]:
    if listed is None:
        return ()
    people = (_person(one) for one in listed.findall("Author") if one.get("ValidYN") != "N")
    return tuple(person for person in people if person is not None)


def _person(author: Element) -> Person | None:
    if body := said(author, "CollectiveName"):
        return Person(name=body, organisation=True)
    family, suffix = said(author, "LastName"), said(author, "Suffix")
    given = said(author, "ForeName") or " ".join(said(author, "Initials"))
    name = " ".join(part for part in (given, family, suffix) if part)
    return Person(name=name, family=family, given=given, suffix=suffix) if name else None


def _published(article: Element) -> str | None:
    """The issue's date; that of the electronic article where it only says more exactly the same."""
    issue = _date(article.find("Journal/JournalIssue/PubDate"))
    online = _date(article.find("ArticleDate"))
    if issue is None or (online is not None and len(issue) == 4 and online.startswith(issue)):
        return online or issue
    return issue


def _date(element: Element | None) -> str | None:
    year, month, day = (said(element, part) for part in _DATE_PARTS)
    begin = fields.issued(year)
    if begin is None:
        return fields.issued(said(element, "MedlineDate"))
    number = fields.month(month) or fields.month(said(element, "Season"))
    return fields.day(int(begin[:4]), number, int(day) if day.isdecimal() and len(day) < 3 else 0)


def _pages(article: Element) -> str | None:
    printed = fields.pages(said(article, "Pagination/MedlinePgn"))
    if printed:
        return printed
    ends = (said(article, "Pagination/StartPage"), said(article, "Pagination/EndPage"))
    return fields.pages("-".join(end for end in ends if end))


def _abstract(element: Element | None) -> str | None:
    if element is None:
        return None
    parts = [_section(part) for part in element.findall("AbstractText")]
    return " ".join(part for part in parts if part) or None


def _section(part: Element) -> str:
    text, label = said(part), " ".join(part.get("Label", "").split())
    return f"{label}: {text}" if text and label and label.upper() != "UNLABELLED" else text


def _other(citation: Element | None) -> Element | None:
    """An abstract from elsewhere, in English if there is a choice."""
    given = citation.findall("OtherAbstract") if citation is not None else []
    english = [one for one in given if one.get("Language", "eng") == "eng"]
    return next(iter(english or given), None)


def _types(article: Element) -> tuple[str, ...]:
    return tuple(said(one) for one in article.findall("PublicationTypeList/PublicationType"))


def _events(citation: Element | None, types: tuple[str, ...]) -> tuple[Event, ...]:
    linked = citation.iterfind("CommentsCorrectionsList/CommentsCorrections") if citation is not None else ()  # fmt: skip
    found = (
        notices.event(
            one.get("RefType", ""), said(one, "RefSource"), source=SOURCE, note=said(one, "Note")
        )
        for one in linked
    )
    return notices.flagged(tuple(event for event in found if event), types, source=SOURCE)
