CREATE INDEX ledger_job ON ledger (job);
ALTER TABLE account ADD COLUMN credited_cents BIGINT NOT NULL DEFAULT 0;
ALTER TABLE account ADD COLUMN reserved_cents BIGINT NOT NULL DEFAULT 0;
ALTER TABLE account ADD COLUMN settled_cents BIGINT NOT NULL DEFAULT 0;
UPDATE ledger SET remainder = remainder + 100000000 * (cents - (
        SELECT (CAST(SUM(other.cents * 100000000 + other.remainder) AS BIGINT) + 99999999) / 100000000
        FROM ledger AS other
        WHERE other.job = ledger.job AND other.type = 'settle' AND other.number <= ledger.number
    ) + COALESCE((
        SELECT (CAST(SUM(other.cents * 100000000 + other.remainder) AS BIGINT) + 99999999) / 100000000
        FROM ledger AS other
        WHERE other.job = ledger.job AND other.type = 'settle' AND other.number < ledger.number
    ), 0)), cents = (
        SELECT (CAST(SUM(other.cents * 100000000 + other.remainder) AS BIGINT) + 99999999) / 100000000
        FROM ledger AS other
        WHERE other.job = ledger.job AND other.type = 'settle' AND other.number <= ledger.number
    ) - COALESCE((
        SELECT (CAST(SUM(other.cents * 100000000 + other.remainder) AS BIGINT) + 99999999) / 100000000
        FROM ledger AS other
        WHERE other.job = ledger.job AND other.type = 'settle' AND other.number < ledger.number
    ), 0)
WHERE type = 'settle' AND job IS NOT NULL;
UPDATE account SET credited_cents = (
        SELECT COALESCE(SUM(cents), 0) FROM ledger
        WHERE ledger.owner = account.owner AND type = 'credit'
    ), settled_cents = (
        SELECT COALESCE(SUM(cents), 0) FROM ledger
        WHERE ledger.owner = account.owner AND type = 'settle'
    ), reserved_cents = (
        SELECT COALESCE(SUM((cap + 99999999) / 100000000 - (spent + 99999999) / 100000000), 0)
        FROM job WHERE job.owner = account.owner AND finished IS NULL AND cap > spent
    );
