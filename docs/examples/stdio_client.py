"""Start Citewell as a chat client does, and search: python docs/examples/stdio_client.py "sleep and memory"."""

import asyncio
import os
import sys

from mcp import Client, StdioServerParameters


async def main(query: str) -> None:
    server = StdioServerParameters(
        command=sys.executable, args=["-m", "citewell", "serve"], env=dict(os.environ)
    )
    async with Client(server) as client:
        answer = await client.call_tool("web_search", {"query": query, "num_results": 3})
    found = answer.structured_content or {}
    for result in found["results"]:
        sys.stdout.write(f"{result['title']}\n  {result['url']}\n")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
