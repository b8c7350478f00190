"""What a page contains, for tests."""

from __future__ import annotations

from html.parser import HTMLParser

BROWSER = {"accept": "text/html,application/xhtml+xml,*/*;q=0.8"}


class SeenPage(HTMLParser):
    """The tags, attributes and visible text of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]

    def handle_data(self, data: str) -> None:
        self.text += data

    def list_values(self, attribute: str) -> list[str]:
        return [value for _, name, value in self.attributes if name == attribute]
