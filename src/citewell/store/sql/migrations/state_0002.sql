CREATE TABLE document (
    id {serial},
    name TEXT NOT NULL UNIQUE,
    owner TEXT NOT NULL,
    stamp TEXT NOT NULL,
    published DOUBLE PRECISION,
    added DOUBLE PRECISION NOT NULL,
    length BIGINT NOT NULL,
    head {bytes} NOT NULL,
    body {bytes} NOT NULL
);
CREATE INDEX document_owner ON document (owner, added);
CREATE TABLE library (
    owner TEXT PRIMARY KEY,
    documents BIGINT NOT NULL,
    length BIGINT NOT NULL
);
CREATE TABLE chore (
    name TEXT PRIMARY KEY,
    since DOUBLE PRECISION NOT NULL
);
