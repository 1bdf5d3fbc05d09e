-- +goose Up

-- The data keys, encrypted with the master key. The newest one encrypts. The others
-- decrypt, and the first one authenticates.
CREATE TABLE site_keys (
    id          BIGINT NOT NULL PRIMARY KEY,
    wrapped     BYTEA NOT NULL,
    wrapped_old BYTEA, -- with the previous master key, until its rotation is finished
    created_at  TIMESTAMPTZ NOT NULL
);
