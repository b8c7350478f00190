ALTER INDEX document_terms SET (fastupdate = on, gin_pending_list_limit = 1024);
CREATE FUNCTION list_tier_terms(counts jsonb, length BIGINT, name TEXT) RETURNS tsvector
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT COALESCE(array_to_tsvector(array_agg(key || to_hex(LEAST(level, 15)))), CAST('' AS tsvector))
    FROM (
        SELECT key, width_bucket(
            1000 * CAST(value AS DOUBLE PRECISION) / (length + 250),
            CAST('{4,8,16,32,64,128,256,512}' AS DOUBLE PRECISION[])
        ) + length(name) - length(ltrim(name, '0123')) AS level
        FROM jsonb_each_text(counts)
    ) AS leveled
    WHERE level >= 1
$$;
CREATE INDEX document_tiers ON document USING GIN (list_tier_terms(counts, length, name))
WITH (fastupdate = on, gin_pending_list_limit = 1024);
INSERT INTO term_count (token, documents)
SELECT term, COUNT(*) FROM document, LATERAL (
    SELECT unnest(tsvector_to_array(ts_filter(terms, '{b}'))) AS term
    UNION ALL SELECT unnest(tsvector_to_array(list_tier_terms(counts, length, name)))
) AS listed
GROUP BY term
ON CONFLICT (token) DO UPDATE SET documents = term_count.documents + excluded.documents;
