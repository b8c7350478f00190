CREATE TABLE retraction_edition (
    number BIGINT PRIMARY KEY,
    origin TEXT NOT NULL,
    begun DOUBLE PRECISION NOT NULL,
    finished DOUBLE PRECISION,
    dated TEXT NOT NULL,
    entries BIGINT NOT NULL,
    skipped BIGINT NOT NULL
);
CREATE TABLE retraction (
    edition BIGINT NOT NULL,
    record TEXT NOT NULL,
    doi TEXT NOT NULL,
    pmid TEXT NOT NULL,
    kind TEXT NOT NULL,
    noticed TEXT NOT NULL,
    notice_doi TEXT NOT NULL,
    reasons TEXT NOT NULL,
    PRIMARY KEY (edition, record)
);
CREATE INDEX retraction_doi ON retraction (doi, edition);
CREATE INDEX retraction_pmid ON retraction (pmid, edition);
