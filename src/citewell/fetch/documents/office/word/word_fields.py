"""The fields and content controls in which reference managers keep their citations in Word."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from xml.etree.ElementTree import Element

from citewell.fetch.documents import xml_tree

MAX_FIELD_CHARS = 5_000_000
# Private characters around the text of a citation; the number of its field is between the first two.
_CITATION_START, _NUMBER_END, CITATION_END_MARK = "\ue0b0", "\ue0b1", "\ue0b2"
CITATION_MARK_PATTERN = re.compile(
    f"{_CITATION_START}(\\d{{1,6}}){_NUMBER_END}|{CITATION_END_MARK}"
)
_CITATION_CODE_PATTERN = re.compile(
    r"\s{0,20}(?:ADDIN\s{1,5})?(?:ZOTERO_ITEM\s|CSL_CITATION|EN\.CITE(?!\.)|Mendeley Citation|CITATION\s)"
)
_MENDELEY_TAG = "MENDELEY_CITATION_v3_"


class CitationFields:
    """Collects what citation fields hold, in the order in which their marks are made."""

    def __init__(self) -> None:
        self.codes: list[tuple[str, ...]] = []  # the codes and data of each field

    def open_mark(self, codes: list[str]) -> str:
        """The mark before the text of a citation field; empty for a field of another kind."""
        if not any(_CITATION_CODE_PATTERN.match(code) for code in ("".join(codes), *codes)):
            return ""
        self.codes.append(("".join(codes), *codes))
        return f"{_CITATION_START}{len(self.codes) - 1}{_NUMBER_END}"

    def list_control_tags(self, control: Element) -> list[str]:
        """What the tag of a content control holds, if it is one of a citation."""
        properties = xml_tree.find_child_element(control, "sdtPr")
        tag = xml_tree.find_child_element(properties, "tag") if properties is not None else None
        said = xml_tree.find_xml_attribute(tag, "val") if tag is not None else ""
        return list(decode_control_tag(said))


def decode_field_data(begin: Element) -> Iterator[str]:
    """The data that stands beside the beginning of a field, as EndNote writes it."""
    data = xml_tree.find_child_element(begin, "fldData")
    if data is not None and data.text:
        yield _decode_base64(data.text)


def decode_control_tag(tag: str) -> Iterator[str]:
    """The citation in the tag of a content control, as newer versions of Mendeley write it."""
    if tag.startswith(_MENDELEY_TAG):
        yield f"CSL_CITATION {_decode_base64(tag.removeprefix(_MENDELEY_TAG))}"


def _decode_base64(text: str) -> str:
    """The decoded text, or empty if it is none; EndNote's data may be UTF-16."""
    try:
        raw = base64.b64decode("".join(text[:MAX_FIELD_CHARS].split()), validate=False)
    except (binascii.Error, ValueError):
        return ""
    return raw.decode("utf-16-le" if raw[1:2] == b"\0" else "utf-8", "replace").rstrip("\0")
