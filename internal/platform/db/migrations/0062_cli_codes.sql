-- +goose Up

-- A user has allowed a machine to use the API. The command line exchanges the code for an
-- API key, once.
CREATE TABLE cli_codes (
    env          BIGINT NOT NULL,
    hash         BYTEA NOT NULL, -- SHA-256 of the code
    user_id      {id} NOT NULL,
    mode         TEXT NOT NULL,
    name         TEXT NOT NULL,  -- of the key
    scopes       TEXT NOT NULL,  -- JSON
    challenge    TEXT NOT NULL,  -- of PKCE, with S256
    redirect_uri TEXT NOT NULL,
    expires_at   TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (env, hash)
);

CREATE INDEX cli_codes_hash ON cli_codes (hash); -- the code finds its environment
