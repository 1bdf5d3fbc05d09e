-- +goose Up

-- The account, the certificates and the challenges of ACME, encrypted. All servers share them.
CREATE TABLE acme_state (
    name       TEXT NOT NULL PRIMARY KEY,
    sealed     BYTEA NOT NULL,
    updated_at TIMESTAMPTZ NOT NULL
);
