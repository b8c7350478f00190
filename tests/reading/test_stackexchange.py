"""Questions of Stack Exchange with their answers and comments."""

from __future__ import annotations

from typing import Any

import pytest

from citewell.core.errors import NotFound
from citewell.net.http.messages import HttpRequest
from citewell.reading.sites import find_site_route
from tests.reading.site_answers import SE, stackexchange
from tests.reading.site_bench import Bench, Reply, Web, page, read

QUESTION = "https://stackoverflow.com/questions/11/how"


def test_answers_come_by_score_with_their_code() -> None:
    found = page(QUESTION, stackexchange())

    assert found.title == 'How do I compute "tides"?'
    assert "```py\nfor h in x:\n    print(h)\n```" in found.content
    assert found.content.index("Answer (8 votes)") < found.content.index(
        "Answer (2 votes, accepted)"
    )
    assert "CC BY-SA 4.0" in found.content
    assert found.published == "2020-09-13T12:26:40+00:00"
    assert not found.truncated


def test_the_answer_an_address_names_comes_first() -> None:
    found = page("https://stackoverflow.com/a/21", stackexchange())

    assert found.content.index("Answer (2 votes, accepted)") < found.content.index(
        "Answer (8 votes)"
    )


def test_the_host_is_named_to_the_api() -> None:
    web = Web(stackexchange())

    Bench(web=web).read("https://cooking.stackexchange.com/questions/11/x")

    assert {dict(request.params)["site"] for request in web.sent} == {"cooking.stackexchange.com"}


def test_a_question_that_is_gone_is_not_found() -> None:
    nothing = {"items": [], "has_more": False}

    with pytest.raises(NotFound):
        read(QUESTION, {f"{SE}/questions/11": nothing, f"{SE}/questions/11/answers": nothing})


def test_a_throttled_api_leaves_the_page_to_the_ladder() -> None:
    body = {
        "error_id": 502,
        "error_name": "throttle_violation",
        "error_message": "too many requests",
    }
    answers = dict.fromkeys(stackexchange(), Reply(status=400, body=body))

    assert read(QUESTION, answers) is None


def answer(number: int, *, score: int = 1, question: int = 11) -> dict[str, Any]:
    body = f"<p>Text of answer {number}.</p>"
    return {"answer_id": number, "question_id": question, "score": score, "body": body}


def busy(count: int) -> dict[str, Any]:
    """A question with `count` answers, a hundred to a page, and one more that has number 999."""
    answers = stackexchange()
    answers[f"{SE}/questions/11"]["items"][0]["answer_count"] = count + 1

    def listed(request: HttpRequest) -> Any:
        asked = dict(request.params)
        start = (int(asked["page"]) - 1) * int(asked["pagesize"])
        stop = min(start + int(asked["pagesize"]), count)
        numbers = range(1000 + start, 1000 + stop)
        return {"items": [answer(number) for number in numbers], "has_more": stop < count}

    answers[f"{SE}/questions/11/answers"] = listed
    answers[f"{SE}/answers/999"] = {"items": [answer(999, score=-3)], "has_more": False}
    return answers


@pytest.mark.parametrize(
    "url",
    [
        "https://stackoverflow.com/a/999",
        "https://stackoverflow.com/a/999/5",
        f"{QUESTION}/999#999",
        f"{QUESTION}#999",
        f"{QUESTION}#answer-999",
    ],
)
def test_a_linked_answer_is_on_the_page_however_low_it_ranks(url: str) -> None:
    found = page(url, busy(250))

    at = found.content.index("Text of answer 999.")
    assert at < found.content.index("Text of answer 1000.")
    assert "**the linked answer**" in found.content[:at]


def test_a_hundred_answers_cost_one_request_and_two_hundred_two() -> None:
    web = Web(busy(250))

    found = Bench(web=web).read(QUESTION)

    assert found is not None
    assert found.content.count("## Answer (") == 200
    assert "*200 of 251 answers are shown.*" in found.content
    assert found.truncated
    assert web.asked.count(f"{SE}/questions/11/answers") == 2


def test_an_answer_to_another_question_is_not_put_on_the_page() -> None:
    answers = busy(3) | {f"{SE}/answers/999": {"items": [answer(999, question=12)]}}

    assert "answer 999" not in page(f"{QUESTION}#999", answers).content


def test_a_linked_answer_that_is_gone_does_not_cost_the_question() -> None:
    answers = busy(3) | {f"{SE}/answers/999": {"items": []}}

    assert "Text of answer 1000." in page(f"{QUESTION}#999", answers).content


def test_an_answer_that_does_not_exist_is_not_found() -> None:
    with pytest.raises(NotFound):
        read("https://stackoverflow.com/a/5", {f"{SE}/answers/5": {"items": []}})


def test_comments_stand_below_their_posts_oldest_first() -> None:
    found = page(QUESTION, stackexchange())

    asked, answered = found.content.split("## Answer (8 votes)")
    assert "- For which coast? (reader · 2020-09-13 · 1 vote)\n- In metres, please." in asked
    assert answered.index("accepted") < answered.index("Which `table`? (reader")


def test_a_linked_comment_is_marked_and_its_answer_is_asked_for() -> None:
    answers = busy(250)
    answers[f"{SE}/posts/11;999;" + ";".join(str(1000 + number) for number in range(98)) + "/comments"] = {
        "items": [{"comment_id": 77, "post_id": 999, "body": "True."}],
        "has_more": False,
    }  # fmt: skip

    found = page(f"{QUESTION}#comment77_999", answers)

    assert "True. (**the linked comment**)" in found.content


@pytest.mark.parametrize("reply", [Reply(status=500), Reply(status=400, body={}), "<html>"])
def test_comments_that_fail_cost_only_themselves(reply: object) -> None:
    found = page(QUESTION, stackexchange() | {f"{SE}/posts/11;22;21/comments": reply})

    assert "Use a table." in found.content
    assert found.notes == ("Comments could not be read.",)


def test_the_key_is_sent_if_there_is_one() -> None:
    web = Web(stackexchange())

    Bench(web=web, raw={"STACKEXCHANGE_KEY": "a-key"}).read(QUESTION)

    assert {dict(request.params).get("key") for request in web.sent} == {"a-key"}


def test_no_key_is_sent_without_one() -> None:
    web = Web(stackexchange())

    Bench(web=web).read(QUESTION)

    assert all("key" not in dict(request.params) for request in web.sent)


class Patient(Web):
    """A web that remembers for how long its upstreams were paused."""

    def __init__(self, answers: dict[str, Any]) -> None:
        super().__init__(answers)
        self.paused: list[float] = []

    def open_upstream(self, name: str, *, base_url: str, **more: Any) -> Any:
        upstream: Any = super().open_upstream(name, base_url=base_url, **more)
        upstream.pause_requests = self.paused.append
        return upstream


def test_a_backoff_is_kept_after_the_page_and_no_second_page_is_asked_for() -> None:
    answers = busy(250)
    listed = answers[f"{SE}/questions/11/answers"]
    answers[f"{SE}/questions/11/answers"] = lambda request: listed(request) | {"backoff": 17}
    web = Patient(answers)

    found = Bench(web=web).read(QUESTION)

    assert found is not None
    assert found.content.count("## Answer (") == 100
    assert web.paused == [17]
    assert web.asked.count(f"{SE}/questions/11/answers") == 1


def test_a_spent_quota_is_not_asked_again_for_an_hour() -> None:
    answers = stackexchange()
    answers[f"{SE}/questions/11"]["quota_remaining"] = 0
    web = Patient(answers)

    assert Bench(web=web).read(QUESTION) is not None
    assert web.paused == [3600]


def test_the_delay_of_a_ban_is_kept() -> None:
    message = "too many requests from this IP, more requests available in 4321 seconds"
    body = {"error_id": 502, "error_name": "throttle_violation", "error_message": message}
    web = Patient(dict.fromkeys(stackexchange(), Reply(status=400, body=body)))

    assert Bench(web=web).read(QUESTION) is None
    assert web.paused == [4321]


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://math.stackexchange.com/q/11", "math.stackexchange.com"),
        ("https://ru.stackoverflow.com/questions/11/x", "ru.stackoverflow.com"),
        ("https://cooking.meta.stackexchange.com/a/11", "cooking.meta.stackexchange.com"),
        ("https://www.askubuntu.com/questions/11", "askubuntu.com"),
    ],
)
def test_every_site_of_the_network_is_named_by_its_host(url: str, host: str) -> None:
    found = find_site_route(url)

    assert found is not None
    assert found[1].owner == host
