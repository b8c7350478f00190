"""The bar that research is measured against finds what plain word search finds."""

from __future__ import annotations

from benchmarks.passage_baseline import PassageIndex, SourceText, cut_passages, split_stems


def source(name: str, markdown: str) -> SourceText:
    return SourceText(name=name, title=name.title(), markdown=markdown)


PAGES = [
    source("tides", "The moon pulls the water.\n\nSpring tides come twice a month."),
    source("bees", "The queen lays **2,000 eggs** a day. See [more](http://example.org)."),
    source("dianchi", "锂离子电池的容量会随时间下降。"),
]


def test_the_page_that_shares_the_words_comes_first() -> None:
    answer = PassageIndex(PAGES).answer_question("How many eggs does a queen lay?")

    assert answer.pages == {"src_1": "bees"}
    assert answer.report == ("## Answer\n\n- The queen lays 2,000 eggs a day. See more. [src_1]")


def test_chinese_is_found_by_pairs_of_characters() -> None:
    assert PassageIndex(PAGES).answer_question("电池容量").pages == {"src_1": "dianchi"}


def test_a_question_that_shares_no_word_is_answered_by_nothing() -> None:
    assert PassageIndex(PAGES).answer_question("zzqqxx").pages == {}


def test_no_more_than_three_passages_are_shown() -> None:
    many = [source(f"page{number}", "tides") for number in range(9)]

    assert len(PassageIndex(many).answer_question("tides").pages) == 3


def test_blocks_are_joined_until_a_passage_is_long_enough() -> None:
    long = "\n\n".join(["Some words about the sea. " * 9] * 5)  # of 234 characters each

    lengths = [len(passage.text) for passage in cut_passages(source("sea", long))]

    assert len(lengths) == 2
    assert all(length >= 450 for length in lengths)


def test_endings_and_stop_words_are_left_out() -> None:
    assert split_stems("What is the boiling of eggs?") == ["boil", "egg"]
