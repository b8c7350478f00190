from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citewell.text.passages.markdown_blocks import (
    WrittenKind,
    drop_empty_sections,
    join_written_blocks,
    render_plain_text,
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


@pytest.mark.parametrize(
    ("markdown", "plain"),
    [
        ("A [link](https://example.org/a) stays.", "A link stays."),
        ("The [reef](https://example.org/Reef_(sea)) lives.", "The reef lives."),
        ('See [it](/a "A title (old)") here.', "See it here."),
        ("[![A photo](/a.png)](/large) The reef lives.", "The reef lives."),
        ("Before ![A photo](/a.png) after.", "Before after."),
        ("[**Bold** words](/a) stay.", "Bold words stay."),
    ],
)
def test_a_link_leaves_its_words_and_an_image_nothing(markdown: str, plain: str) -> None:
    assert render_plain_text(markdown) == plain


@pytest.mark.parametrize(
    ("markdown", "plain"),
    [
        ("It lost half.[12] Then it grew.[^3]", "It lost half. Then it grew."),
        ("Claimed so.[citation needed] Noted.[note 4] Also.[a]", "Claimed so. Noted. Also."),
        ("See [12](/note) for this.", "See 12 for this."),
        ("The array [0, 1] is short.", "The array [0, 1] is short."),
    ],
)
def test_footnote_marks_go_and_other_brackets_stay(markdown: str, plain: str) -> None:
    assert render_plain_text(markdown) == plain


@pytest.mark.parametrize(
    ("markdown", "plain"),
    [
        ("**Snake plant:** a *hardy* one.", "Snake plant: a hardy one."),
        ("***Both*** and __under__ and _lean_.", "Both and under and lean."),
        ("Keep snake_case_names and 2 * 3 = 6.", "Keep snake_case_names and 2 * 3 = 6."),
        ("Use `make run` and ``x``.", "Use make run and x."),
        ("An escaped \\* star and 1\\. number.", "An escaped * star and 1. number."),
        ("Water is H<sub>2</sub>O.<br/>", "Water is H2O."),
        ("5 < 6 and 7 > 2.", "5 < 6 and 7 > 2."),
        ("> A quoted line\n> of a page.", "A quoted line of a page."),
    ],
)
def test_emphasis_code_tags_and_quote_marks_go(markdown: str, plain: str) -> None:
    assert render_plain_text(markdown) == plain


@pytest.mark.parametrize(
    ("markdown", "plain"),
    [
        ("Salt &amp; pepper&nbsp;cost &lt; &euro;5.", "Salt & pepper cost < €5."),
        ("It isnâ€™t so â€“ they said.", "It isn’t so – they said."),
        ("It isnât so.", "It isn’t so."),
        ("Le château est à côté.", "Le château est à côté."),
    ],
)
def test_entities_and_damaged_marks_are_read_as_meant(markdown: str, plain: str) -> None:
    assert render_plain_text(markdown) == plain


@pytest.mark.parametrize("cut", ["The reef](https://example.org/a lives", "A ![photo](/a.png"])
def test_the_rest_of_a_cut_link_leaves_no_debris(cut: str) -> None:
    plain = render_plain_text(cut)

    assert "](" not in plain
    assert "http" not in plain


def test_lines_become_one_line() -> None:
    assert render_plain_text("One\n  two\t three\r\n four") == "One two three four"


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet="ab *_[]()!`\\<>&;#|\n1é字", max_size=80))
def test_any_text_becomes_one_trimmed_line(text: str) -> None:
    plain = render_plain_text(text)

    assert plain == " ".join(plain.split())


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
