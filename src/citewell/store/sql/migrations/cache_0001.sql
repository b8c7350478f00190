CREATE TABLE entry (
    id TEXT PRIMARY KEY,
    space TEXT NOT NULL,
    owner TEXT NOT NULL,
    body {bytes} NOT NULL,
    size BIGINT NOT NULL,
    expires DOUBLE PRECISION NOT NULL,
    used DOUBLE PRECISION NOT NULL
);
CREATE INDEX entry_used ON entry (used, size);
CREATE INDEX entry_expires ON entry (expires);
CREATE INDEX entry_owner ON entry (space, owner);
CREATE TABLE lease (
    id TEXT PRIMARY KEY,
    holder TEXT NOT NULL,
    expires DOUBLE PRECISION NOT NULL
);
