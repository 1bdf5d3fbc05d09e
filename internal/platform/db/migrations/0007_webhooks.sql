-- +goose Up

-- Events, written in the transaction of the change. From here the
-- relay moves them to events, the feed, shortly after the commit.
CREATE TABLE outbox (
    env             BIGINT NOT NULL,
    id              {id} NOT NULL, -- approximately in order within the environment
    type            TEXT NOT NULL,
    object_id       {id} NOT NULL,
    sequence        BIGINT NOT NULL,
    request_id      TEXT,
    idempotency_key TEXT,
    api_version     TEXT NOT NULL,
    data            TEXT NOT NULL,
    created_at      TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (env, id)
) {clustered};

-- The end of an environment's feed. Events receive their IDs while its row is
-- locked, so that they become visible in the order of their IDs. A client that
-- continues after the last event it has read misses none.
CREATE TABLE event_feeds (
    env     BIGINT PRIMARY KEY,
    last_id {id} NOT NULL
);

CREATE INDEX events_type ON events (env, type, id);
CREATE INDEX events_object ON events (env, object_id, id);

CREATE TABLE webhooks (
    env             BIGINT NOT NULL,
    id              {id} NOT NULL,
    mode            TEXT NOT NULL,
    url             TEXT NOT NULL,
    events          TEXT NOT NULL,
    description     TEXT,
    status          TEXT NOT NULL,
    disabled_reason TEXT,
    failing_since   TIMESTAMPTZ, -- start of the current failures
    api_version     TEXT NOT NULL,
    secrets         BYTEA NOT NULL, -- sealed
    version         BIGINT NOT NULL,
    created_at      TIMESTAMPTZ NOT NULL,
    updated_at      TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (env, id)
) {clustered};

CREATE TABLE deliveries (
    env              BIGINT NOT NULL,
    id               {id} NOT NULL,
    webhook_id       {id} NOT NULL,
    event_id         {id} NOT NULL,
    event_type       TEXT NOT NULL,
    replay           {id} NOT NULL, -- request that replayed it; '' for the first delivery
    status           TEXT NOT NULL,
    attempt_count    BIGINT NOT NULL,
    tries            BIGINT NOT NULL, -- attempts since the schedule started
    first_attempt_at TIMESTAMPTZ, -- when the schedule started
    due_at           TIMESTAMPTZ, -- time of the next attempt; null if there is none
    lease_until      TIMESTAMPTZ, -- by the clock of the database; until then, a node is making the attempt
    lease_by         {id},
    delivered_at     TIMESTAMPTZ,
    created_at       TIMESTAMPTZ NOT NULL,
    updated_at       TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (env, id)
) {clustered};

-- Claims and results then fit on the same page as the row and don't change its indexes.
{postgres} ALTER TABLE deliveries SET (fillfactor = 70);

CREATE UNIQUE INDEX deliveries_once ON deliveries (env, webhook_id, event_id, replay);
CREATE INDEX deliveries_webhook ON deliveries (env, webhook_id, id);
CREATE INDEX deliveries_status ON deliveries (env, webhook_id, status, id);
CREATE INDEX deliveries_due ON deliveries (env, webhook_id, due_at, id) WHERE due_at IS NOT NULL;

CREATE TABLE delivery_attempts (
    env         BIGINT NOT NULL,
    delivery_id {id} NOT NULL,
    n           BIGINT NOT NULL,
    at          TIMESTAMPTZ NOT NULL,
    status_code BIGINT,
    latency_ms  BIGINT NOT NULL,
    response    TEXT,
    error       TEXT,
    PRIMARY KEY (env, delivery_id, n)
) {clustered};
