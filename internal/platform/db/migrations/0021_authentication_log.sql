-- +goose Up

-- Rejected credentials that belong to no environment, such as unknown keys and
-- email addresses. The subject never contains a secret or a whole address.
CREATE TABLE auth_refusals (
    id         {id} NOT NULL PRIMARY KEY,
    first_at   TIMESTAMPTZ NOT NULL,
    last_at    TIMESTAMPTZ NOT NULL,
    kind       TEXT NOT NULL,
    subject    TEXT NOT NULL,
    reason     TEXT NOT NULL,
    times      BIGINT NOT NULL,
    ip         TEXT,
    user_agent TEXT,
    request_id TEXT
) {clustered};

-- Networks that used a credential within an hour, so that the servers write one
-- audit entry for each.
CREATE TABLE credential_networks (
    env           BIGINT NOT NULL,
    credential_id {id} NOT NULL,
    hour          TIMESTAMPTZ NOT NULL,
    network       {id} NOT NULL,
    PRIMARY KEY (env, credential_id, hour, network)
) {clustered};
