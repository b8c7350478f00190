"""MCP over standard input and output, with an instant start before the SDK is loaded."""
