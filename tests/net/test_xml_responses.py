"""XML that nobody vouches for."""

from __future__ import annotations

import pytest

from citewell.core.errors import MalformedResponse
from citewell.net.http.messages import HttpResponse
from citewell.net.upstream.xml_responses import extract_element_text, read_xml_tree


def answer(body: str | bytes) -> HttpResponse:
    raw = body if isinstance(body, bytes) else body.encode()
    return HttpResponse(
        status=200, url="https://a.example/", headers={}, body=raw, provider="example"
    )


def test_names_carry_their_namespace_and_a_document_type_does_no_harm() -> None:
    root = read_xml_tree(
        answer('<!DOCTYPE a PUBLIC "-//X//EN" "https://x.example/a.dtd"><a xmlns="urn:x"><b/></a>')
    )

    assert root.tag == "{urn:x}a"
    assert [child.tag for child in root] == ["{urn:x}b"]


@pytest.mark.parametrize(
    "body",
    [
        "", "text", "{}", "<a>", "<a></b>", b"\xff\xfe\x00", '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>',
        '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/hostname">]><a>&b;</a>',
        '<!DOCTYPE a [<!NOTATION n SYSTEM "n"><!ENTITY b SYSTEM "c" NDATA n>]><a/>',
        "<a>" * 300 + "</a>" * 300, '<?xml version="1.0" encoding="nonsense"?><a/>',
    ],
    ids=range(11),
)  # fmt: skip
def test_anything_else_has_a_bad_shape(body: str | bytes) -> None:
    with pytest.raises(MalformedResponse) as caught:
        read_xml_tree(answer(body))

    assert caught.value.provider == "example"


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("CO<sub>2</sub> in <i>situ</i>", "CO2 in situ"),
        ("a &lt; b, A&lt;B and C&gt;D", "a < b, A<B and C>D"),
        ("CO&lt;sub&gt;2&lt;/sub&gt; &amp;amp; p&amp;lt;0.05", "CO2 & p<0.05"),
        ("  two\n lines\u200b ", "two lines"),
        ("", ""),
    ],
)
def test_text_keeps_its_signs_and_loses_its_marks(markup: str, text: str) -> None:
    root = read_xml_tree(answer(f"<a><b>{markup}</b></a>"))

    assert extract_element_text(root, "b") == text
    assert extract_element_text(root, "c") == ""
    assert extract_element_text(None) == ""
