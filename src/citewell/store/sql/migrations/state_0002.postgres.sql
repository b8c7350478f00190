ALTER TABLE document ADD COLUMN terms tsvector NOT NULL DEFAULT '';
ALTER TABLE document ADD COLUMN counts jsonb NOT NULL DEFAULT '{}';
CREATE INDEX document_terms ON document USING GIN (terms) WITH (fastupdate = off);
CREATE TABLE term_count (
    token TEXT PRIMARY KEY,
    documents BIGINT NOT NULL
) WITH (fillfactor = 70);
