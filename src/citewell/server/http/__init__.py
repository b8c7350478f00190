"""MCP over streamable HTTP: routes, health and metrics, the process that listens, faster answers and writes."""
