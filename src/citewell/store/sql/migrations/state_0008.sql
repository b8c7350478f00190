CREATE TABLE owner_name (
    owner TEXT PRIMARY KEY,
    body {bytes} NOT NULL
);
CREATE TABLE erasure (
    number BIGINT PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    owner TEXT NOT NULL,
    keychain TEXT NOT NULL,
    begun DOUBLE PRECISION NOT NULL,
    finished DOUBLE PRECISION,
    receipt TEXT NOT NULL
);
CREATE INDEX erasure_owner ON erasure (owner);
