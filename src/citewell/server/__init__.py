"""Everything that speaks MCP or HTTP to a client, and `App`, which constructs all services."""
