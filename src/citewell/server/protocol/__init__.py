"""MCP as the SDK speaks it: the server object, its handlers, the tasks extension and answers from memory."""
