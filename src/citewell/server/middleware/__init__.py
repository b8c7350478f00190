"""Middleware around every tool call, one concern per file; `server.app` sets the order."""
