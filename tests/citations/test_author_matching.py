from __future__ import annotations

import pytest

from citewell.citations import author_matching
from citewell.core.values.paper import WorkAuthor
from citewell.trust.work_identity import CitedWork, FieldAgreement, compare_with_record
from tests.trust.test_identity import person, record

MATCH, MISMATCH, NOT_CHECKED = (
    FieldAgreement.MATCH,
    FieldAgreement.MISMATCH,
    FieldAgreement.NOT_CHECKED,
)


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("Müller, Hans", "Mueller, H."),
        ("Müller, Hans", "Muller H"),
        ("Østergård, K.", "Oestergaard, Karl"),
        ("Łukasiewicz, J.", "Lukasiewicz, Jan"),
        ("van der Berg, Jan", "Berg, J. van der"),
        ("van der Berg, Jan", "Vanderberg, J."),
        ("de Broglie, Louis", "Broglie, L. de"),
        ("García Márquez, Gabriel", "García, G."),
        ("Smith-Jones, Anna", "Jones, A."),
        ("O'Neill, P.", "ONeill P"),
        ("Zhang Wei", "Wei Zhang"),
        ("Chebyshev, P.", "Tchebychev, P."),
        ("World Health Organization", "WHO"),
        ("KUCSKO, G", "Kucsko, Georg"),
        ("Strauß, A.", "Strauss, A."),
    ],
)
def test_one_author_written_two_ways_is_one_author(name: str, other: str) -> None:
    assert author_matching.match_authors(person(name), person(other)) is True
    assert author_matching.match_authors(person(other), person(name)) is True


@pytest.mark.parametrize(
    ("name", "other", "wanted"),
    [
        ("Johnson, A.", "Jensen, A.", False),
        ("Li, X.", "Liu, X.", False),
        ("Smith, J.", "Kucsko, G.", False),
        ("王伟", "Wang, Wei", None),
        ("Толстой, Л.", "Tolstoy, L.", None),
    ],
)
def test_different_authors_differ_and_different_scripts_say_nothing(
    name: str, other: str, wanted: object
) -> None:
    assert author_matching.match_authors(person(name), person(other)) is wanted


def test_a_body_is_not_held_against_the_people_who_wrote_for_it() -> None:
    group = CitedWork(
        authors=(WorkAuthor(name="Diamond Study Group", organisation=True),), structured=True
    )

    assert compare_with_record(group, record()).author.state is NOT_CHECKED
