from __future__ import annotations

import pytest

from citewell.text.safety.xml_trees import (
    ExcessiveXml,
    MalformedXml,
    parse_xml_tree,
    stream_xml_elements,
)


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


def test_elements_are_streamed_one_by_one() -> None:
    body = (
        b"<s><a><row><c>1</c></row><row/></a><row>elsewhere</row><a><row><row>2</row></row></a></s>"
    )

    found = list(stream_xml_elements(body, parent="a", name="row"))

    assert ["".join(row.itertext()) for row in found] == ["1", "", "2"]


@pytest.mark.parametrize(
    ("body", "error"),
    [
        (b"<s><a><row></a></s>", MalformedXml),
        (b"<!DOCTYPE s [<!ENTITY e 'x'>]><s><a><row>&e;</row></a></s>", ExcessiveXml),
        (b"<s><a><row>" + b"<x>" * 500 + b"</x>" * 500 + b"</row></a></s>", ExcessiveXml),
        (b"<s><a>" + b"<row/>" * 20 + b"</a></s>", ExcessiveXml),
    ],
)
def test_a_stream_has_the_limits_of_a_tree(body: bytes, error: type[Exception]) -> None:
    with pytest.raises(error):
        list(
            stream_xml_elements(
                body, parent="a", name="row", max_elements=15 if b"row/" in body else 2000
            )
        )


def test_what_is_too_deep_in_a_pruned_element_is_left_out() -> None:
    body = b"<s><m>" + b"<x>" * 50 + b"deep" + b"</x>" * 50 + b"</m>after</s>"

    tree = parse_xml_tree(body, max_depth=10, pruned_names=frozenset({"m"}))

    assert "".join(tree.itertext()) == "after"
    assert len(list(tree.iter())) == 10
    with pytest.raises(ExcessiveXml):
        parse_xml_tree(body, max_depth=10)
