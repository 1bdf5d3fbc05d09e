-- +goose Up

-- Whether a provider can encrypt with AES-CBC, which doesn't detect changes. Connections from before keep it.
ALTER TABLE sso_connections ADD COLUMN allow_cbc BOOLEAN NOT NULL DEFAULT FALSE;
UPDATE sso_connections SET allow_cbc = TRUE WHERE protocol = 'saml';
