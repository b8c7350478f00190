"""MCP over standard input and output, with an instant start, and plain calls answered without the SDK."""
