CREATE TABLE tenant_account (
    tenant TEXT PRIMARY KEY,
    reserved_cents BIGINT NOT NULL,
    settled_cents BIGINT NOT NULL
);
ALTER TABLE job ADD COLUMN tenant TEXT;
