"""Find images through whichever providers are configured."""

from __future__ import annotations

from citewell.model.answers.image_results import ImagesAnswer
from citewell.model.research_session import SessionSource
from citewell.services.domains.images.image_search import ImageSearchRequest, ImageSearchService
from citewell.tooling import SessionArguments, Tool, ToolCall


class Args(SessionArguments, ImageSearchRequest):
    """Find images: the image's own link, the page that shows it, a thumbnail, size in pixels and, from open collections, licence, author and attribution. Filters that a provider lacks are checked on what it states; the answer says who applied which."""


async def run(args: Args, call: ToolCall) -> ImagesAnswer:
    answer = await call.require_service(ImageSearchService).search_images(
        args.build_request(ImageSearchRequest), trace=call.trace
    )
    call.report_sources(
        SessionSource(url=image.context_link or image.link, title=image.title, author=image.author)
        for image in answer.images
    )
    return answer


TOOL = Tool(
    args=Args,
    result=ImagesAnswer,
    run=run,
    toolset="domains",
    ttl_seconds=1800,
    cache_version=2,
    has_long_timeout=True,
    is_empty_result=lambda answer: answer.result_count == 0,
)
