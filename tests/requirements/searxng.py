"""Specification 3: web search through SearXNG; its arguments are in web_search.

Deliberately different: one honest name in place of rotating false ones, no content
unless asked for outside the profile `searxng`, and a text that repeats the whole
answer, as everywhere, in place of a sentence with the number of results.
"""

HELD = {
    "searxng.profile": "The profile searxng returns 10 results with content by default.",
    "searxng.metadata": "metadata has query, category, results_count, search_time_ms, instance_used and engines_used.",
    "searxng.total_results": "total_results is there only where the instance knows a number.",
    "searxng.fetch_stats": "content_fetch_stats counts attempted, successful, failed and total_time_ms.",
    "searxng.filters": "Category, language, time range and safe level are sent under SearXNG's names and numbers.",
    "searxng.language": "A language code that is none is refused before an instance is asked.",
    "searxng.own_instance": "An instance of the user's own is asked before public ones.",
    "searxng.discovery": "Instances come from the list of searx.space or from a file in its form.",
    "searxng.grades": "Instances of grade A+ go before A with good uptime, and those before B.",
    "searxng.take_turns": "Instances of one grade take turns, also after a restart.",
    "searxng.probe": "A public instance is probed without the words of the search before its first use.",
    "searxng.failover": "If an instance fails, the next is asked, four at most.",
    "searxng.backoff": "A failed instance rests for 60 seconds, then 120, and is suspended after three failures.",
    "searxng.rest_shared": "A resting instance is not asked by another process either.",
    "searxng.rate_limit": "After a 429 an instance rests for as long as it says, or for an hour.",
    "searxng.pause": "Public instances are asked with a pause between requests.",
    "searxng.honest_headers": "Requests carry one honest name and the headers of an ordinary client.",
    "searxng.https": "Only encrypted public addresses are taken from a list.",
    "searxng.redirect": "An instance that redirects elsewhere is refused.",
    "searxng.no_commands": "Search commands in the query are disarmed without losing a word.",
    "searxng.private_query": "The query appears in no message and no log of an error.",
    "searxng.no_instances": "If no instance is available, the error has error_type, error_details, attempted_instances and retry_after.",
    "searxng.bad_answer": "An answer of another shape is an error, not an empty answer.",
    "searxng.scores": "Scores are between 0 and 1 and fall with rank.",
    "searxng.unresponsive": "Engines that failed are the reason of an empty answer and are reported beside results.",
    "searxng.json_disabled": "An instance without JSON is read from its page; if that fails, the error names the line to change.",
    "searxng.many_results": "Up to 50 results are collected from several pages.",
    "searxng.content_failure": "A page that cannot be read leaves the other results whole and says why.",
    "searxng.concurrent_fetches": "No more pages are read at once than the setting allows.",
    "searxng.summary": "A summary has at most 500 characters of the page's own sentences.",
    "searxng.robots": "robots.txt is obeyed unless the settings say otherwise.",
    "searxng.walls": "Login, consent and bot pages are not content.",
    "searxng.description": "A result has description.",
    "searxng.metadata_results": "metadata has results, fetch_content and the default language.",
    "searxng.error_query": "The error has the query.",
    "searxng.names": "The schema of the profile searxng shows results_count and safe_search.",
    "searxng.forgotten_rests": "Which instances rest is remembered with the cache switched off.",
    "searxng.few_calls": "A further page is asked for only if the caller needs more and the page before was full.",
    "searxng.options": "Every option of the table web_search in the settings file is read, or refused by name.",
}  # fmt: skip

OPEN: dict[int, dict[str, str]] = {}
