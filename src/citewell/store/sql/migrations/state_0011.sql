CREATE TABLE mcp_session (
    id TEXT PRIMARY KEY,
    owner TEXT NOT NULL,
    holder TEXT NOT NULL,
    used DOUBLE PRECISION NOT NULL,
    body {bytes} NOT NULL
);
CREATE INDEX mcp_session_holder ON mcp_session (holder, used);
CREATE INDEX mcp_session_owner ON mcp_session (owner);
CREATE INDEX mcp_session_used ON mcp_session (used);
CREATE TABLE mcp_session_message (
    number {serial},
    session TEXT NOT NULL,
    owner TEXT NOT NULL,
    sender TEXT NOT NULL,
    sent DOUBLE PRECISION NOT NULL,
    body {bytes} NOT NULL
);
CREATE INDEX mcp_session_message_sent ON mcp_session_message (sent);
CREATE INDEX mcp_session_message_owner ON mcp_session_message (owner);
