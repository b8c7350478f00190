"""MCP sessions of the handshake era on several instances: each can serve a session that another one opened."""
