"""What the server can do, independent of MCP."""
