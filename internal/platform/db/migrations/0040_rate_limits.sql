-- +goose Up

-- What the servers together took from the buckets of rate limits. Empty on SQLite, which
-- has one server. Losing it in a crash only fills the buckets.
CREATE TABLE rate_limits (
    bucket  TEXT NOT NULL PRIMARY KEY, -- a hash: the name can be an IP address
    full_at BIGINT NOT NULL -- when the bucket is full again, in microseconds since 1970
);
{postgres} ALTER TABLE rate_limits SET UNLOGGED;
{postgres} ALTER TABLE rate_limits SET (fillfactor = 50);
