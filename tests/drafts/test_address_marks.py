""""""

from __future__ import annotations

import pytest

from tests.drafts.given_drafts import read_draft


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Bees see the sun (Abernathy et al., 2019, https://doi.org/10.5555/bees).", ("Abernathy",)),
        ("Bees see the sun [Abernathy & Li, 2019](https://doi.org/10.5555/bees).", ("Abernathy", "Li")),
        ("Abernathy and Li (2019, doi:10.5555/bees) say that bees see the sun.", ("Abernathy", "Li")),
        ("Bees see the sun (https://doi.org/10.5555/bees).", ()),
        ("Bees saw the sun in 2019 (see https://doi.org/10.5555/bees).", ()),
        ("Bees see the sun (WHO, 2019, https://doi.org/10.5555/bees).", ()),
        ("Bees see the sun (Science Advances, 2019, https://doi.org/10.5555/bees).", ()),
    ],
)  # fmt: skip
def test_an_address_in_the_text_keeps_the_authors_and_the_year_beside_it(
    text: str, names: tuple[str, ...]
) -> None:
    [reference] = [each.reference for each in read_draft(text).references if each.reference.ids]

    assert tuple(author.family for author in reference.authors) == names
    assert reference.year == (2019 if names else None)
