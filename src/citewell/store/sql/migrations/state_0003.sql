CREATE TABLE account (
    owner TEXT PRIMARY KEY,
    limited BIGINT NOT NULL,
    allowance BIGINT NOT NULL,
    credited BIGINT NOT NULL,
    reserved BIGINT NOT NULL,
    settled BIGINT NOT NULL,
    entries BIGINT NOT NULL
);
CREATE TABLE ledger (
    id TEXT PRIMARY KEY,
    owner TEXT NOT NULL,
    number BIGINT NOT NULL,
    entered DOUBLE PRECISION NOT NULL,
    type TEXT NOT NULL,
    cents BIGINT NOT NULL,
    remainder BIGINT NOT NULL,
    job TEXT,
    provider TEXT,
    source TEXT,
    note {bytes},
    UNIQUE (owner, number)
);
CREATE TABLE thread (
    id TEXT PRIMARY KEY,
    owner TEXT NOT NULL,
    created DOUBLE PRECISION NOT NULL,
    updated DOUBLE PRECISION NOT NULL,
    messages BIGINT NOT NULL,
    body {bytes} NOT NULL
);
CREATE INDEX thread_owner ON thread (owner, updated);
CREATE TABLE message (
    id TEXT PRIMARY KEY,
    thread TEXT NOT NULL REFERENCES thread (id) ON DELETE CASCADE,
    number BIGINT NOT NULL,
    created DOUBLE PRECISION NOT NULL,
    cost BIGINT,
    body {bytes} NOT NULL
);
CREATE INDEX message_thread ON message (thread, number);
CREATE TABLE job (
    id TEXT PRIMARY KEY,
    owner TEXT NOT NULL,
    thread TEXT REFERENCES thread (id) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    status TEXT NOT NULL,
    priority BIGINT NOT NULL,
    created DOUBLE PRECISION NOT NULL,
    started DOUBLE PRECISION,
    finished DOUBLE PRECISION,
    due DOUBLE PRECISION NOT NULL,
    delay DOUBLE PRECISION NOT NULL,
    holder TEXT NOT NULL,
    fence BIGINT NOT NULL,
    expires DOUBLE PRECISION NOT NULL,
    attempts BIGINT NOT NULL,
    cancel BIGINT NOT NULL,
    seq BIGINT NOT NULL,
    cap BIGINT NOT NULL,
    held BIGINT NOT NULL,
    spent BIGINT NOT NULL,
    body {bytes} NOT NULL,
    result {bytes}
);
CREATE INDEX job_owner ON job (owner, created);
CREATE INDEX job_thread ON job (thread, created);
CREATE INDEX job_finished ON job (finished);
CREATE INDEX job_open ON job (priority, created) WHERE finished IS NULL;
CREATE INDEX job_owner_open ON job (owner) WHERE finished IS NULL;
CREATE UNIQUE INDEX job_busy ON job (thread) WHERE finished IS NULL;
CREATE TABLE job_step (
    job TEXT NOT NULL REFERENCES job (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    number BIGINT NOT NULL,
    state TEXT NOT NULL,
    provider TEXT,
    started DOUBLE PRECISION NOT NULL,
    finished DOUBLE PRECISION,
    estimate BIGINT NOT NULL,
    cost BIGINT NOT NULL,
    head {bytes} NOT NULL,
    body {bytes},
    PRIMARY KEY (job, name)
);
CREATE TABLE job_event (
    job TEXT NOT NULL REFERENCES job (id) ON DELETE CASCADE,
    seq BIGINT NOT NULL,
    happened DOUBLE PRECISION NOT NULL,
    body {bytes} NOT NULL,
    PRIMARY KEY (job, seq)
);
CREATE TABLE job_term (
    token TEXT NOT NULL,
    job TEXT NOT NULL REFERENCES job (id) ON DELETE CASCADE,
    PRIMARY KEY (token, job)
);
CREATE INDEX job_term_job ON job_term (job);
CREATE TABLE findings (
    job TEXT PRIMARY KEY REFERENCES job (id) ON DELETE CASCADE,
    owner TEXT NOT NULL,
    body {bytes} NOT NULL
);
CREATE TABLE source (
    job TEXT NOT NULL REFERENCES job (id) ON DELETE CASCADE,
    number BIGINT NOT NULL,
    name TEXT NOT NULL,
    body {bytes} NOT NULL,
    PRIMARY KEY (job, number)
);
CREATE TABLE claim (
    name TEXT PRIMARY KEY,
    job TEXT NOT NULL REFERENCES job (id) ON DELETE CASCADE,
    owner TEXT NOT NULL,
    alias TEXT NOT NULL,
    number BIGINT NOT NULL,
    created DOUBLE PRECISION NOT NULL,
    level TEXT NOT NULL,
    body {bytes} NOT NULL
);
CREATE INDEX claim_job ON claim (job, number);
CREATE INDEX claim_owner ON claim (owner, created);
CREATE INDEX claim_alias ON claim (alias, created);
CREATE TABLE claim_term (
    token TEXT NOT NULL,
    claim TEXT NOT NULL REFERENCES claim (name) ON DELETE CASCADE,
    PRIMARY KEY (token, claim)
);
CREATE INDEX claim_term_claim ON claim_term (claim);
CREATE TABLE evidence (
    claim TEXT NOT NULL REFERENCES claim (name) ON DELETE CASCADE,
    number BIGINT NOT NULL,
    body {bytes} NOT NULL,
    PRIMARY KEY (claim, number)
);
CREATE TABLE claim_event (
    claim TEXT NOT NULL REFERENCES claim (name) ON DELETE CASCADE,
    seq BIGINT NOT NULL,
    happened DOUBLE PRECISION NOT NULL,
    body {bytes} NOT NULL,
    PRIMARY KEY (claim, seq)
);
