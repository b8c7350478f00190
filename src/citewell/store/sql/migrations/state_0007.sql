CREATE TABLE audit_waiting (
    number {serial},
    id TEXT NOT NULL,
    owner TEXT NOT NULL,
    facts {bytes} NOT NULL,
    personal {bytes} NOT NULL,
    mac {bytes} NOT NULL
);
CREATE TABLE audit_segment (
    number BIGINT PRIMARY KEY,
    first_row BIGINT NOT NULL,
    row_count BIGINT NOT NULL,
    opened DOUBLE PRECISION NOT NULL,
    closed DOUBLE PRECISION NOT NULL,
    body {bytes} NOT NULL
);
CREATE INDEX audit_segment_row ON audit_segment (first_row);
CREATE TABLE audit_owner (
    owner TEXT NOT NULL,
    segment BIGINT NOT NULL REFERENCES audit_segment (number) ON DELETE CASCADE,
    PRIMARY KEY (owner, segment)
);
CREATE INDEX audit_owner_segment ON audit_owner (segment);
CREATE TABLE audit_head (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    revision BIGINT NOT NULL,
    facts {bytes} NOT NULL,
    mac {bytes} NOT NULL
);
CREATE TABLE audit_cursor (
    name TEXT PRIMARY KEY,
    delivered BIGINT NOT NULL
);
