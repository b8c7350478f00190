"""The blocks of a markdown text, and the text that is written from them."""

from __future__ import annotations

from citewell.research.reporting.text_blocks import (
    WrittenKind,
    drop_empty_sections,
    join_written_blocks,
    split_written_blocks,
)

REPORT = """# Water

A dishwasher needs
ten litres.

- one
- two

| a | b |
|---|---|
| 1 | 2 |

```
code
```

---

## Empty

## Filled

Yes."""


def test_each_block_has_its_kind_and_lines_of_a_paragraph_are_joined() -> None:
    blocks = split_written_blocks(REPORT)

    assert [block.kind for block in blocks[:6]] == [
        WrittenKind.HEADING,
        WrittenKind.PARAGRAPH,
        WrittenKind.ITEM,
        WrittenKind.ITEM,
        WrittenKind.TABLE,
        WrittenKind.CODE,
    ]
    assert blocks[1].text == "A dishwasher needs ten litres."
    assert blocks[4].text.count("\n") == 2


def test_blocks_are_written_as_they_were_read() -> None:
    written = join_written_blocks(split_written_blocks(REPORT))

    assert written == REPORT.replace("needs\nten", "needs ten")


def test_a_heading_below_which_nothing_is_left_goes() -> None:
    written = join_written_blocks(drop_empty_sections(split_written_blocks(REPORT)))

    assert "Empty" not in written
    assert written.endswith("## Filled\n\nYes.")
