"""MCP as the SDK speaks it: the server object, its handlers, the tasks extension and plain calls, which need no SDK."""
