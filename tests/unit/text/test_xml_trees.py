from __future__ import annotations

import pytest

from citewell.text.safety.xml_trees import ExcessiveXml, MalformedXml, parse_xml_tree


def test_names_and_attributes_carry_their_namespace() -> None:
    root = parse_xml_tree(b'<a xmlns="urn:x" xmlns:y="urn:y"><b y:c="1" d="2">text</b></a>')

    assert root.tag == "{urn:x}a"
    assert root[0].attrib == {"{urn:y}c": "1", "d": "2"}
    assert root[0].text == "text"


@pytest.mark.parametrize("body", [b"", b"text", b"<a>", b"<a></b>", b"<a/><b/>", b"<a>\xff</a>"])
def test_what_is_not_well_formed_is_said_to_be_malformed(body: bytes) -> None:
    with pytest.raises(MalformedXml):
        parse_xml_tree(body)


@pytest.mark.parametrize(
    "body",
    [
        b'<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>',
        b'<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/hostname">]><a>&b;</a>',
        b'<!DOCTYPE a [<!ENTITY % b SYSTEM "file:///etc/hostname">%b;]><a/>',
        b'<!DOCTYPE a [<!NOTATION n SYSTEM "n"><!ENTITY b SYSTEM "c" NDATA n>]><a/>',
    ],
)
def test_entities_are_refused_before_they_are_expanded(body: bytes) -> None:
    with pytest.raises(ExcessiveXml):
        parse_xml_tree(body)


def test_depth_and_number_of_elements_are_bounded() -> None:
    deep, wide = b"<a>" * 4 + b"</a>" * 4, b"<a>" + b"<b/>" * 3 + b"</a>"

    assert parse_xml_tree(deep, max_depth=4).tag == "a"
    assert len(parse_xml_tree(wide, max_elements=4)) == 3
    with pytest.raises(ExcessiveXml):
        parse_xml_tree(deep, max_depth=3)
    with pytest.raises(ExcessiveXml):
        parse_xml_tree(wide, max_elements=3)


def test_a_given_charset_overrides_the_declared_one() -> None:
    body = '<?xml version="1.0" encoding="iso-8859-1"?><a>é</a>'.encode()

    assert parse_xml_tree(body, charset="utf-8").text == "é"
    assert parse_xml_tree(body).text == "Ã©"
