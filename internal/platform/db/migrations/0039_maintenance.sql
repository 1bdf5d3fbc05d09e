-- +goose Up

-- One row while the installation is in maintenance.
CREATE TABLE maintenance (
    id          BIGINT NOT NULL PRIMARY KEY, -- always 1
    message     TEXT NOT NULL,
    retry_after BIGINT NOT NULL, -- seconds
    since       TIMESTAMPTZ NOT NULL
);
