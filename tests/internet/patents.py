"""A few patents of our own making, for the doubles of patent databases and of Google Patents."""

from __future__ import annotations

from dataclasses import dataclass

from tests.internet.world import Page


@dataclass(frozen=True, slots=True, kw_only=True)
class Patent:
    number: str
    title: str
    abstract: str
    assignee: str
    inventor: str
    filed: str
    published: str
    cpc: str
    family: str
    is_granted: bool = False

    @property
    def office(self) -> str:
        return self.number[:2]

    @property
    def kind(self) -> str:
        return self.number[-2:] if self.number[-2].isalpha() else self.number[-1:]

    @property
    def serial(self) -> str:
        return self.number[2 : -len(self.kind)]

    @property
    def words(self) -> str:
        return f"{self.title} {self.abstract} {self.assignee} {self.inventor} {self.cpc}".lower()


PATENTS = (
    Patent(
        number="US11000001B2",
        title="Float gauge for tidal basins",
        abstract="A float in a stilling well drives an encoder.",
        assignee="Example Instruments Inc",
        inventor="Erika Muster",
        filed="2016-03-10",
        published="2021-05-11",
        cpc="G01F23/30",
        family="60000001",
        is_granted=True,
    ),
    Patent(
        number="US20170200001A1",
        title="Float gauge for tidal basins",
        abstract="A float in a stilling well drives an encoder.",
        assignee="Example Instruments Inc",
        inventor="Erika Muster",
        filed="2016-03-10",
        published="2017-07-13",
        cpc="G01F23/30",
        family="60000001",
    ),
    Patent(
        number="EP3400002B1",
        title="Radar gauge with drift correction",
        abstract="A radar sensor above the stilling well corrects its own drift.",
        assignee="Example Sensors GmbH",
        inventor="Max Muster",
        filed="2018-06-01",
        published="2022-02-02",
        cpc="G01F23/284",
        family="60000002",
        is_granted=True,
    ),
    Patent(
        number="WO2019123456A1",
        title="Gauge cleaned by ultrasound",
        abstract="A transducer keeps barnacles out of the stilling well.",
        assignee="Example Instruments Ltd.",
        inventor="Erika Muster",
        filed="2018-12-03",
        published="2019-06-27",
        cpc="B08B3/12",
        family="60000003",
    ),
    Patent(
        number="JP2018005099A",
        title="Gauge read by a camera",
        abstract="A camera reads a staff in the stilling well.",
        assignee="Example Kogyo KK",
        inventor="Taro Muster",
        filed="2016-07-01",
        published="2018-01-11",
        cpc="G01F23/292",
        family="60000004",
    ),
)


def find_patent(number: str) -> Patent | None:
    return next((one for one in PATENTS if one.number == number), None)


def match_patents(words: list[str]) -> list[Patent]:
    """Those that have all the words, in any field."""
    return [one for one in PATENTS if all(word.lower() in one.words for word in words)]


def list_pages() -> list[Page]:
    """Their pages, for the index that web searches use; the double of Google Patents shows them."""
    return [
        Page(
            host="patents.google.com",
            path=f"patent/{one.number}/en",
            title=f"{one.number} - {one.title} - Google Patents",
            markdown=f"{one.abstract} {one.assignee} {one.inventor}",
            site="Google Patents",
        )
        for one in PATENTS
    ]
