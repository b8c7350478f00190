"""Records and searches of PubMed."""

from __future__ import annotations


def record(
    *,
    pmid: str = "7",
    title: str = "A title.",
    date: str = "<Year>2020</Year>",
    article: str = "",
    citation: str = "",
    ids: str = "",
    types: str = "",
) -> str:
    return (
        f'<PubmedArticle><MedlineCitation><PMID Version="1">{pmid}</PMID><Article><Journal>'
        f"<JournalIssue><PubDate>{date}</PubDate></JournalIssue><Title>A journal</Title></Journal>"
        f"<ArticleTitle>{title}</ArticleTitle>{article}<PublicationTypeList>{types}</PublicationTypeList>"
        f"</Article>{citation}</MedlineCitation><PubmedData><ArticleIdList>{ids}</ArticleIdList>"
        "</PubmedData></PubmedArticle>"
    )


def records(*found: str) -> str:
    return f"<PubmedArticleSet>{''.join(found)}</PubmedArticleSet>"
