"""A call that may be answered from memory, for tests."""

from __future__ import annotations

CALL = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "tools/call",
    "params": {"name": "web_search", "arguments": {"query": "sleep"}},
}
