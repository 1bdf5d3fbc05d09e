-- +goose Up

-- The logo of a dealership as a small PNG. It is in the database, because each
-- document and email reads it.
ALTER TABLE dealerships ADD COLUMN logo_sha256 TEXT;
CREATE TABLE dealership_logos (
    env   BIGINT NOT NULL,
    id    {id} NOT NULL, -- ID of the dealership
    bytes BYTEA NOT NULL,
    PRIMARY KEY (env, id)
) {clustered};
