-- +goose Up

-- API requests, for developers. Rows are only found by their ID and otherwise read in
-- its order, because each index would make every write slower.
CREATE TABLE request_logs (
    env               BIGINT NOT NULL,
    id                {id} NOT NULL,
    method            TEXT NOT NULL,
    path              TEXT NOT NULL,
    query             TEXT NOT NULL,
    operation         TEXT,
    status            BIGINT NOT NULL,
    error             TEXT,
    duration_ms       DOUBLE PRECISION NOT NULL,
    response_bytes    BIGINT NOT NULL,
    actor             TEXT NOT NULL,
    actor_id          TEXT NOT NULL,
    ip                TEXT NOT NULL,
    user_agent        TEXT NOT NULL,
    api_version       TEXT NOT NULL,
    idempotency_key   TEXT,
    replayed          BOOLEAN NOT NULL,
    client_request_id TEXT,
    request_body      TEXT,
    created_at        TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (env, id)
) {clustered};
