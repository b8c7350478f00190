from __future__ import annotations

from citewell.domains.law.citation_finding import find_piece_citations
from citewell.domains.law.citation_groups import group_citations
from citewell.domains.law.citation_service import split_text_pieces
from tests.domains.test_citation_finding import find


def test_parallel_citations_short_forms_and_repetitions_are_one_case() -> None:
    text = (
        "Brown v. Board of Educ., 347 U.S. 483, 74 S. Ct. 686, 98 L. Ed. 873 (1954). Id. at 495."
        " Roe v. Wade, 410 U.S. 113 (1973). Roe, 410 U.S. at 155. Brown, supra, at 490."
        " Again, 347 U.S. 483 (1954). Cf. 12 F.3d at 99."
    )

    brown, roe, orphan = group_citations(find(text, is_single=False))

    assert [place.citation.normalized for place in brown.parallels] == [
        "74 S. Ct. 686",
        "98 L. Ed. 873",
    ]
    assert {place.citation.year for place in (brown.main, *brown.parallels)} == {1954}
    assert brown.mention_count == 4
    assert roe.mention_count == 2
    assert orphan.is_orphan


def test_the_same_numbers_with_another_name_are_a_case_of_their_own() -> None:
    text = "Roe v. Wade, 410 U.S. 113 (1973). Smith v. Jones, 410 U.S. 113 (1973)."

    assert len(group_citations(find(text, is_single=False))) == 2


def test_no_citation_is_lost_or_doubled_where_a_text_is_cut() -> None:
    sentence = "It is so. See Roe v. Wade, {} U.S. {} (1973)."
    text = " ".join(sentence.format(1 + number % 500, 1000 + number) for number in range(400))

    pieces = split_text_pieces(text, size=900, margin=200)
    found = [
        piece.text[place.citation.start : place.citation.end]
        for piece in pieces
        for place in find_piece_citations(piece.text, piece.core_start, piece.core_end)
    ]

    assert len(pieces) > 10
    assert found == [f"{1 + number % 500} U.S. {1000 + number}" for number in range(400)]
