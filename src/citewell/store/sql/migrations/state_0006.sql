CREATE TABLE consent (
    owner TEXT NOT NULL,
    purpose TEXT NOT NULL,
    granted BIGINT NOT NULL,
    decided DOUBLE PRECISION NOT NULL,
    body {bytes} NOT NULL,
    PRIMARY KEY (owner, purpose)
);
CREATE TABLE memory (
    id TEXT PRIMARY KEY,
    owner TEXT NOT NULL,
    topic TEXT NOT NULL,
    created DOUBLE PRECISION NOT NULL,
    length BIGINT NOT NULL,
    body {bytes} NOT NULL
);
CREATE INDEX memory_owner ON memory (owner, created);
CREATE INDEX memory_created ON memory (created);
CREATE TABLE memory_term (
    token TEXT NOT NULL,
    memory TEXT NOT NULL REFERENCES memory (id) ON DELETE CASCADE,
    times BIGINT NOT NULL,
    PRIMARY KEY (token, memory)
);
CREATE INDEX memory_term_memory ON memory_term (memory);
CREATE TABLE workspace_member (
    workspace TEXT NOT NULL,
    owner TEXT NOT NULL,
    added DOUBLE PRECISION NOT NULL,
    body {bytes} NOT NULL,
    PRIMARY KEY (workspace, owner)
);
CREATE INDEX workspace_member_owner ON workspace_member (owner);
CREATE TABLE contribution (
    id TEXT PRIMARY KEY,
    workspace TEXT NOT NULL,
    owner TEXT NOT NULL,
    created DOUBLE PRECISION NOT NULL,
    body {bytes} NOT NULL
);
CREATE INDEX contribution_workspace ON contribution (workspace, created);
CREATE INDEX contribution_owner ON contribution (owner, created);
CREATE INDEX contribution_created ON contribution (created);
CREATE TABLE user_analytics (
    owner TEXT PRIMARY KEY,
    tenant TEXT NOT NULL,
    version BIGINT NOT NULL,
    body {bytes} NOT NULL
);
CREATE INDEX user_analytics_tenant ON user_analytics (tenant);
