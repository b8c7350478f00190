"""Search through a running server: python docs/examples/http_client.py http://127.0.0.1:8000/mcp "sleep"."""

import asyncio
import sys

from mcp import Client


async def main(address: str, query: str) -> None:
    async with Client(address) as client:
        offered = await client.list_tools()
        answer = await client.call_tool("web_search", {"query": query, "num_results": 3})
    sys.stdout.write(f"tools: {', '.join(sorted(tool.name for tool in offered.tools))}\n")
    for result in (answer.structured_content or {})["results"]:
        sys.stdout.write(f"{result['title']}\n  {result['url']}\n")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2]))
