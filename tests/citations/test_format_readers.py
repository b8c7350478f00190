"""Exports of databases and reference managers: each is known by its look and read field by field."""

from __future__ import annotations

import json

import pytest

from citewell.citations.references import detect_bibliography_format, parse_bibliography
from citewell.citations.references.formats.format_readers import FORMAT_READERS
from citewell.citations.references.reference_fields import BibliographyDocument, Reference
from citewell.core.values.argument_types import BIBLIOGRAPHY_FORMATS
from tests.requirements import requires

WOS = """FN Clarivate Analytics Web of Science
VR 1.0
PT J
AU LeCun, Y
   Bengio, Y
   Hinton, G
AF LeCun, Yann
   Bengio, Yoshua
   Hinton, Geoffrey
TI Deep
   learning
SO NATURE
LA English
DT Review
PU NATURE PUBLISHING GROUP
SN 0028-0836
EI 1476-4687
PD MAY 28
PY 2015
VL 521
IS 7553
BP 436
EP 444
DI 10.1038/nature14539
UT WOS:000355286600030
PM 26017442
ER

PT S
AU Doe, J
TI A chapter
SO LECTURE NOTES
PY 2001
AR 17
ER

EF
"""
WOS_TABLE = (
    "PT\tAU\tAF\tTI\tSO\tVL\tIS\tBP\tEP\tDI\tPD\tPY\tPM\tUT\n"
    "J\tLeCun, Y; Bengio, Y; Hinton, G\tLeCun, Yann; Bengio, Yoshua; Hinton, Geoffrey\tDeep learning\tNATURE"
    "\t521\t7553\t436\t444\t10.1038/nature14539\tMAY 28\t2015\t26017442\tWOS:1\n"
)
ENW = """%0 Journal Article
%A LeCun, Yann
%A Bengio, Yoshua
%A Hinton, Geoffrey
%T Deep learning
%J Nature
%V 521
%N 7553
%P 436–444
%D 2015
%8 May 28
%R 10.1038/nature14539
%X An abstract

with a blank line in it.

%0 Book
%A Doe, Jane
%T A book
%I A house
%D 1999
"""
NBIB = """PMID- 26017442
OWN - NLM
DP  - 2015 May 28
TI  - Deep
      learning.
VI  - 521
IP  - 7553
PG  - 436-44
LID - 10.1038/nature14539 [doi]
FAU - LeCun, Yann
AU  - LeCun Y
FAU - Bengio, Yoshua
AU  - Bengio Y
FAU - Hinton, Geoffrey
AU  - Hinton G
PT  - Journal Article
PT  - Review
TA  - Nature
JT  - Nature

PMID- 1
TI  - Another one.
AU  - Doe JA
AU  - van der Berg K Jr
CN  - A Study Group
DP  - 2001 Jan-Feb
"""
ENDNOTE_XML = """<?xml version="1.0" encoding="UTF-8"?>
<xml><records>
<record><rec-number>7</rec-number><ref-type name="Journal Article">17</ref-type>
<contributors><authors><author><style face="normal">LeCun, Yann</style></author><author>Bengio, Yoshua</author>
<author>Hinton, Geoffrey</author></authors></contributors>
<titles><title><style face="normal">Deep </style><style face="italic">learning</style></title><secondary-title>Nature</secondary-title></titles>
<periodical><full-title>Nature</full-title></periodical><pages>436-444</pages><volume>521</volume><number>7553</number>
<dates><year>2015</year><pub-dates><date>May 28</date></pub-dates></dates>
<electronic-resource-num>10.1038/nature14539</electronic-resource-num></record>
</records></xml>"""
PUBMED_XML = """<?xml version="1.0" ?>
<!DOCTYPE PubmedArticleSet PUBLIC "-//NLM//DTD PubMedArticle, 1st January 2024//EN" "https://dtd.nlm.nih.gov/ncbi/pubmed/out/pubmed_240101.dtd">
<PubmedArticleSet>
<PubmedArticle><MedlineCitation><PMID Version="1">26017442</PMID><Article><Journal><JournalIssue><Volume>521</Volume><Issue>7553</Issue>
<PubDate><Year>2015</Year><Month>May</Month><Day>28</Day></PubDate></JournalIssue><Title>Nature</Title></Journal>
<ArticleTitle>Deep <i>learning</i>.</ArticleTitle><Pagination><MedlinePgn>436-44</MedlinePgn></Pagination>
<AuthorList CompleteYN="Y"><Author><LastName>LeCun</LastName><ForeName>Yann</ForeName></Author>
<Author><LastName>Bengio</LastName><ForeName>Yoshua</ForeName></Author><Author><LastName>Hinton</LastName><ForeName>Geoffrey</ForeName></Author></AuthorList></Article></MedlineCitation>
<PubmedData><ArticleIdList><ArticleId IdType="pubmed">26017442</ArticleId><ArticleId IdType="doi">10.1038/nature14539</ArticleId></ArticleIdList>
<ReferenceList><Reference><ArticleIdList><ArticleId IdType="doi">10.1000/other</ArticleId></ArticleIdList></Reference></ReferenceList></PubmedData></PubmedArticle>
</PubmedArticleSet>"""
MODS = """<?xml version="1.0" encoding="UTF-8"?>
<modsCollection xmlns="http://www.loc.gov/mods/v3">
<mods ID="lecun2015"><titleInfo><title>Deep learning</title></titleInfo><titleInfo type="abbreviated"><title>DL</title></titleInfo>
<name type="personal"><namePart type="given">Yann</namePart><namePart type="family">LeCun</namePart><role><roleTerm authority="marcrelator" type="text">author</roleTerm></role></name>
<name type="personal"><namePart type="given">Yoshua</namePart><namePart type="family">Bengio</namePart><role><roleTerm type="code">aut</roleTerm></role></name>
<name type="personal"><namePart>Hinton, Geoffrey</namePart></name>
<name type="personal"><namePart>Somebody, Else</namePart><role><roleTerm>editor</roleTerm></role></name>
<genre>journal article</genre>
<relatedItem type="host"><titleInfo><title>Nature</title></titleInfo><originInfo><dateIssued>2015-05-28</dateIssued></originInfo><genre>academic journal</genre></relatedItem>
<identifier type="doi">10.1038/nature14539</identifier>
<part><detail type="volume"><number>521</number></detail><detail type="issue"><number>7553</number></detail><extent unit="page"><start>436</start><end>444</end></extent></part>
</mods></modsCollection>"""
ZOTERO_RDF = """<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:z="http://www.zotero.org/namespaces/export#" xmlns:dcterms="http://purl.org/dc/terms/"
 xmlns:bib="http://purl.org/net/biblio#" xmlns:foaf="http://xmlns.com/foaf/0.1/" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:prism="http://prismstandard.org/namespaces/1.2/basic/">
<bib:Article rdf:about="https://www.nature.com/articles/nature14539"><z:itemType>journalArticle</z:itemType>
<dcterms:isPartOf rdf:resource="urn:issn:0028-0836"/>
<bib:authors><rdf:Seq><rdf:li><foaf:Person><foaf:surname>LeCun</foaf:surname><foaf:givenName>Yann</foaf:givenName></foaf:Person></rdf:li>
<rdf:li><foaf:Person><foaf:surname>Bengio</foaf:surname><foaf:givenName>Yoshua</foaf:givenName></foaf:Person></rdf:li>
<rdf:li><foaf:Person><foaf:surname>Hinton</foaf:surname><foaf:givenName>Geoffrey</foaf:givenName></foaf:Person></rdf:li></rdf:Seq></bib:authors>
<dc:title>Deep learning</dc:title><dc:date>2015-05-28</dc:date><bib:pages>436-444</bib:pages></bib:Article>
<bib:Journal rdf:about="urn:issn:0028-0836"><prism:volume>521</prism:volume><dc:title>Nature</dc:title><dc:identifier>DOI 10.1038/nature14539</dc:identifier><prism:number>7553</prism:number></bib:Journal>
<z:Attachment rdf:about="#item_9"><z:itemType>attachment</z:itemType><dc:title>A file</dc:title></z:Attachment>
</rdf:RDF>"""
WORD_XML = """<?xml version="1.0"?><b:Sources xmlns:b="http://schemas.openxmlformats.org/officeDocument/2006/bibliography">
<b:Source><b:Tag>LeC15</b:Tag><b:SourceType>JournalArticle</b:SourceType><b:Title>Deep learning</b:Title><b:Year>2015</b:Year><b:Month>May</b:Month><b:Day>28</b:Day>
<b:Author><b:Author><b:NameList><b:Person><b:Last>LeCun</b:Last><b:First>Yann</b:First></b:Person><b:Person><b:Last>Bengio</b:Last><b:First>Yoshua</b:First></b:Person>
<b:Person><b:Last>Hinton</b:Last><b:First>Geoffrey</b:First></b:Person></b:NameList></b:Author></b:Author>
<b:JournalName>Nature</b:JournalName><b:Pages>436-444</b:Pages><b:Volume>521</b:Volume><b:Issue>7553</b:Issue><b:DOI>10.1038/nature14539</b:DOI></b:Source></b:Sources>"""
ZOTERO_CSV = (
    '"Key","Item Type","Publication Year","Author","Title","Publication Title","DOI","Date","Pages","Issue","Volume"\n'
    '"ABCD","journalArticle","2015","LeCun, Yann; Bengio, Yoshua; Hinton, Geoffrey","Deep learning","Nature",'
    '"10.1038/nature14539","2015-05-28","436-444","7553","521"\n'
)
SCOPUS_CSV = (
    "Authors,Author full names,Author(s) ID,Title,Year,Source title,Volume,Issue,Art. No.,Page start,Page end,DOI,Link,Document Type,EID\n"
    '"LeCun Y.; Bengio Y.; Hinton G.","LeCun, Yann (55666793600); Bengio, Yoshua (7003958245); Hinton, Geoffrey (7006699573)",'
    '"1; 2; 3",Deep learning,2015,Nature,521,7553,,436,444,10.1038/nature14539,https://www.scopus.com/inward/record.uri?eid=2,Review,2-s2.0-1\n'
)
BIBER_BBL = r"""\entry{lecun2015}{article}{}{}
  \name{author}{3}{}{%
    {{hash=1}{family={LeCun},familyi={L\bibinitperiod},given={Yann},giveni={Y\bibinitperiod}}}%
    {{hash=2}{family={Bengio},familyi={B\bibinitperiod},given={Yoshua},giveni={Y\bibinitperiod}}}%
    {{hash=3}{family={Hinton},familyi={H\bibinitperiod},given={Geoffrey},giveni={G\bibinitperiod}}}%
  }
  \field{journaltitle}{Nature}
  \field{title}{Deep {learning}}
  \field{volume}{521}
  \field{number}{7553}
  \field{year}{2015}
  \field{month}{5}
  \field{day}{28}
  \field{pages}{436\bibrangedash 444}
  \verb{doi}
  \verb 10.1038/nature14539
  \endverb
\endentry
"""
SAMPLES = {
    "wos": WOS, "wos table": WOS_TABLE, "enw": ENW, "nbib": NBIB, "endnote-xml": ENDNOTE_XML,
    "pubmed-xml": PUBMED_XML, "mods": MODS, "zotero-rdf": ZOTERO_RDF, "word-xml": WORD_XML,
    "csv": ZOTERO_CSV, "csv scopus": SCOPUS_CSV, "latex": BIBER_BBL,
}  # fmt: skip


def describe(reference: Reference) -> tuple[object, ...]:
    return (
        reference.title, [(who.family, who.given) for who in reference.authors], reference.year,
        reference.venue.title(), reference.volume, reference.issue, reference.pages, reference.doi,
    )  # fmt: skip


DEEP_LEARNING = (
    "Deep learning", [("LeCun", "Yann"), ("Bengio", "Yoshua"), ("Hinton", "Geoffrey")], 2015, "Nature",
    "521", "7553", "436-444", "10.1038/nature14539",
)  # fmt: skip


@pytest.mark.parametrize("name", SAMPLES)
@requires("audit_bibliography.exports")
def test_every_export_is_known_by_its_look_and_read_whole(name: str) -> None:
    found = parse_bibliography(SAMPLES[name])

    assert found.format == name.split(maxsplit=1)[0]
    assert describe(found.references[0]) == DEEP_LEARNING
    assert found.malformed == ()
    assert all(reference.line or found.format == "zotero-rdf" for reference in found.references)


def test_every_format_has_a_reader() -> None:
    assert set(FORMAT_READERS) == set(BIBLIOGRAPHY_FORMATS)


@pytest.mark.parametrize("name", SAMPLES)
def test_an_exact_date_is_kept(name: str) -> None:
    published = parse_bibliography(SAMPLES[name]).references[0].published

    assert published == ("2015" if "scopus" in name else "2015-05-28")


@pytest.mark.parametrize(
    ("name", "count"), [("wos", 2), ("enw", 2), ("nbib", 2), ("zotero-rdf", 1)]
)
def test_records_end_where_they_end(name: str, count: int) -> None:
    assert len(parse_bibliography(SAMPLES[name]).references) == count


def test_a_web_of_science_export_of_77_records_has_77_references() -> None:
    record = WOS[WOS.index("PT J") : WOS.index("PT S")]
    document = "FN Clarivate Analytics Web of Science\nVR 1.0\n" + record * 77 + "EF\n"

    for encoding in ("utf-8-sig", "utf-16"):
        found = parse_bibliography(document.replace("\n", "\r\n").encode(encoding))
        assert (found.format, len(found.references), found.malformed) == ("wos", 77, ())


def test_medline_initials_and_groups_are_people_and_organisations() -> None:
    people = parse_bibliography(NBIB).references[1].authors

    assert [(who.family, who.given, who.suffix) for who in people[:2]] == [
        ("Doe", "J A", ""), ("van der Berg", "K", "Jr"),
    ]  # fmt: skip
    assert people[2].organisation


@pytest.mark.parametrize("name", ["endnote-xml", "pubmed-xml", "mods", "word-xml", "zotero-rdf"])
def test_xml_that_is_cut_off_names_the_line(name: str) -> None:
    whole = SAMPLES[name]

    found = parse_bibliography(whole[: whole.rindex("</") - 5])

    assert found.format == name
    [damage] = found.malformed
    assert damage.line == whole[: whole.rindex("</") - 5].count("\n") + 1
    assert "not well formed" in damage.reason


def test_one_damaged_record_does_not_take_the_others() -> None:
    start, end = ENDNOTE_XML.index("<record>"), ENDNOTE_XML.index("</records>")
    record = ENDNOTE_XML[start:end]
    broken = record.replace("Nature</secondary-title>", "Nature & Co</secondary-title>")
    document = ENDNOTE_XML[:start] + record + broken + record + ENDNOTE_XML[end:]

    found = parse_bibliography(document)

    assert [describe(reference) for reference in found.references] == [DEEP_LEARNING] * 2
    assert found.malformed[0].line > 10


@pytest.mark.parametrize(
    "bomb",
    [
        '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><xml><records><record><titles><title>&b;</title></titles></record></records></xml>',
        '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><modsCollection><mods>&a;</mods></modsCollection>',
        "<modsCollection>" + "<mods>" * 5000 + "</mods>" * 5000 + "</modsCollection>",
    ],
)  # fmt: skip
def test_xml_bombs_are_refused(bomb: str) -> None:
    found = parse_bibliography(bomb)

    assert found.references == ()
    assert found.malformed


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("cut", range(0, 100, 7))
def test_a_document_cut_anywhere_is_read_as_far_as_it_goes(name: str, cut: int) -> None:
    text = SAMPLES[name]

    found = parse_bibliography(text[: len(text) * cut // 100], format=name.split(maxsplit=1)[0])

    assert isinstance(found, BibliographyDocument)


def test_xml_of_another_kind_is_not_taken_for_a_bibliography() -> None:
    assert detect_bibliography_format("<html><body><p>References</p></body></html>") == "prose"
    assert detect_bibliography_format("<?xml version='1.0'?><note><to>You</to></note>") == "prose"


def test_mendeleys_items_in_an_object_are_read() -> None:
    item = {"type": "article-journal", "title": "Deep learning", "DOI": "10.1038/nature14539"}

    for document in (item, [item], {"items": [item]}):
        [found] = parse_bibliography(json.dumps(document)).references
        assert found.doi == "10.1038/nature14539"


def test_a_table_without_a_column_for_titles_says_so() -> None:
    found = parse_bibliography("a,b\n1,2\n", format="csv")

    assert found.references == ()
    assert "titles" in found.malformed[0].reason
