-- +goose Up

-- The timelines of PostgreSQL that Slipway has written to. A failover starts a new one.
-- The row is replicated, so that standbys also know the newest timeline. Empty on SQLite.
CREATE TABLE timelines (
    cluster BIGINT NOT NULL, -- identifier of the PostgreSQL cluster, which a restored dump doesn't keep
    id      BIGINT NOT NULL, -- number of the timeline
    PRIMARY KEY (cluster, id)
);
