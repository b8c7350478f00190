"""Styles of Word, and the numbers of its lists."""

from __future__ import annotations

from xml.etree.ElementTree import Element

from citewell.reading.documents.office.word_styles import (
    ListNumbers,
    WordStyles,
    read_outline_level,
)
from citewell.reading.documents.xml_tree import parse_xml_text


def parse(body: str) -> Element:
    return parse_xml_text(f'<w:x xmlns:w="urn:w">{body}</w:x>')


LISTS = parse(
    '<w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:numFmt w:val="decimal"/>'
    '<w:lvlText w:val="%1."/></w:lvl><w:lvl w:ilvl="1"><w:numFmt w:val="lowerLetter"/>'
    '<w:lvlText w:val="%1%2)"/></w:lvl></w:abstractNum>'
    '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>'
)


def test_a_style_takes_from_the_styles_below_it() -> None:
    styles = WordStyles(
        parse(
            '<w:style w:styleId="Base"><w:name w:val="Quote"/><w:rPr><w:b/><w:vanish/></w:rPr></w:style>'
            '<w:style w:styleId="Top"><w:name w:val="Heading 2"/><w:basedOn w:val="Base"/>'
            '<w:rPr><w:vanish w:val="0"/></w:rPr></w:style>'
        )
    )

    style = styles.find_style("Top")

    assert (style.heading_level, style.is_bold, style.is_hidden) == (2, True, False)
    assert styles.find_style("Base").is_quote


def test_styles_that_are_based_on_each_other_end() -> None:
    styles = WordStyles(
        parse(
            '<w:style w:styleId="A"><w:name w:val="A"/><w:basedOn w:val="B"/></w:style>'
            '<w:style w:styleId="B"><w:name w:val="B"/><w:basedOn w:val="A"/></w:style>'
        )
    )

    assert styles.find_style("A").name == "a"


def test_items_are_numbered_by_level() -> None:
    numbers = ListNumbers(LISTS)

    labels = [numbers.count_item("1", level) for level in (0, 1, 1, 0, 1)]

    assert labels == ["1.", "1a)", "1b)", "2.", "2a)"]
    assert numbers.count_item("7", 0) is None


def test_an_outline_level_makes_a_heading() -> None:
    assert read_outline_level(parse('<w:outlineLvl w:val="2"/>')) == 3
    assert read_outline_level(parse('<w:outlineLvl w:val="9"/>')) == 0
