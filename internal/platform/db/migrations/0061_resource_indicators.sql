-- +goose Up

-- The resource that a code or a token is for (RFC 8707): 'mcp', or '' for the API.
ALTER TABLE oauth_grants ADD COLUMN resource TEXT NOT NULL DEFAULT '';
ALTER TABLE oauth_tokens ADD COLUMN resource TEXT NOT NULL DEFAULT '';

-- Where the metadata of an app is that no dealership has registered. It is the client ID.
-- Each environment that uses the app has its own row.
ALTER TABLE apps ADD COLUMN metadata_url TEXT;
CREATE UNIQUE INDEX apps_metadata_url ON apps (env, metadata_url) WHERE metadata_url IS NOT NULL;
