CREATE TABLE watch (
    id TEXT PRIMARY KEY,
    owner TEXT NOT NULL,
    kind TEXT NOT NULL,
    created DOUBLE PRECISION NOT NULL,
    expires DOUBLE PRECISION,
    due DOUBLE PRECISION NOT NULL,
    revision BIGINT NOT NULL,
    body {bytes} NOT NULL
);
CREATE INDEX watch_owner ON watch (owner, kind, created);
CREATE INDEX watch_due ON watch (due);
CREATE TABLE watch_news (
    id TEXT PRIMARY KEY,
    owner TEXT NOT NULL,
    watch TEXT NOT NULL REFERENCES watch (id) ON DELETE CASCADE,
    found DOUBLE PRECISION NOT NULL,
    is_told INTEGER NOT NULL,
    body {bytes} NOT NULL
);
CREATE INDEX watch_news_owner ON watch_news (owner, found);
CREATE INDEX watch_news_watch ON watch_news (watch);
CREATE INDEX watch_news_told ON watch_news (is_told, found);
