"""What the server can do, with no word of MCP."""
