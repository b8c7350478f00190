"""The server: everything that speaks MCP or HTTP to a client, and the only constructor."""
