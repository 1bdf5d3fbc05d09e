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

-- Documents that were uploaded, such as scans. Their bytes are in a blob.
ALTER TABLE documents ADD COLUMN origin TEXT NOT NULL DEFAULT 'issued';
ALTER TABLE documents ADD COLUMN content_type TEXT NOT NULL DEFAULT 'application/pdf';
ALTER TABLE documents ADD COLUMN blob TEXT;

-- The document that proves a stipulation.
ALTER TABLE stipulations ADD COLUMN document_id {id};
