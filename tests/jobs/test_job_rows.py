"""Terms as keyed hashes, and the SQL that finds items by them."""

from __future__ import annotations

from citewell.jobs.store.job_rows import build_score_expression, build_term_inserts


def test_many_terms_are_inserted_a_hundred_rows_at_a_time() -> None:
    batch = build_term_inserts("claim", [(f"t{place}", "item") for place in range(250)])

    assert [len(statement.params) // 2 for statement in batch] == [100, 100, 50]
    assert all("INSERT INTO claim_term (token, claim)" in statement.sql for statement in batch)


def test_the_score_of_an_item_is_the_sum_of_its_weights() -> None:
    score, having, params = build_score_expression("job", {"a": 0.5, "b": 2.0})

    assert having == "job_term.token IN (:t0, :t1)"
    assert "WHEN :t1 THEN CAST(:w1 AS DOUBLE PRECISION)" in score
    assert params == {"t0": "a", "t1": "b", "w0": 0.5, "w1": 2.0}
