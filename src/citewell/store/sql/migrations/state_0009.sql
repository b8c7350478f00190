CREATE TABLE api_token (
    id TEXT PRIMARY KEY,
    owner TEXT NOT NULL,
    digest {bytes} NOT NULL,
    created DOUBLE PRECISION NOT NULL,
    expires DOUBLE PRECISION,
    revoked DOUBLE PRECISION,
    body {bytes} NOT NULL
);
CREATE INDEX api_token_owner ON api_token (owner);
