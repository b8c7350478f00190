CREATE TABLE master (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    key_id TEXT NOT NULL,
    revision BIGINT NOT NULL
);
CREATE TABLE dek (
    owner TEXT NOT NULL,
    generation BIGINT NOT NULL,
    wrapped {bytes} NOT NULL,
    made DOUBLE PRECISION NOT NULL,
    used DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (owner, generation)
);
CREATE TABLE session (
    id TEXT PRIMARY KEY,
    owner TEXT NOT NULL,
    created DOUBLE PRECISION NOT NULL,
    updated DOUBLE PRECISION NOT NULL,
    expires DOUBLE PRECISION NOT NULL,
    version BIGINT NOT NULL,
    steps BIGINT NOT NULL,
    body {bytes} NOT NULL
);
CREATE INDEX session_owner ON session (owner);
CREATE TABLE session_step (
    session TEXT NOT NULL REFERENCES session (id) ON DELETE CASCADE,
    number BIGINT NOT NULL,
    body {bytes} NOT NULL,
    PRIMARY KEY (session, number)
);
CREATE TABLE lease (
    id TEXT PRIMARY KEY,
    holder TEXT NOT NULL,
    expires DOUBLE PRECISION NOT NULL
);
