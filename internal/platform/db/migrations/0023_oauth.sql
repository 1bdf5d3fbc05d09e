-- +goose Up

-- Apps that a dealership publishes. The environment is that of the publisher.
CREATE TABLE apps (
    env                   BIGINT NOT NULL,
    id                    {id} NOT NULL, -- also the client ID
    name                  TEXT NOT NULL,
    type                  TEXT NOT NULL,
    redirect_uris         TEXT NOT NULL,
    scopes                TEXT NOT NULL, -- what the app can request
    homepage_url          TEXT,
    pin                   TEXT NOT NULL, -- the API version when it was created
    secret_hash           BYTEA, -- SHA-256 of the client secret
    old_secret_hash       BYTEA, -- of the secret before the last rotation
    old_secret_expires_at TIMESTAMPTZ,
    version               BIGINT NOT NULL,
    created_at            TIMESTAMPTZ NOT NULL,
    updated_at            TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (env, id)
);

CREATE UNIQUE INDEX apps_client_id ON apps (id); -- the client ID finds its environment

-- Apps that a dealership uses. The environment is the one that the app can access.
CREATE TABLE installs (
    env          BIGINT NOT NULL,
    id           {id} NOT NULL,
    app_env      BIGINT NOT NULL,
    app_id       {id} NOT NULL,
    scopes       TEXT NOT NULL, -- what users have allowed
    user_id      {id} NOT NULL, -- who allowed it last
    user_name    TEXT NOT NULL, -- at that time
    last_used_at TIMESTAMPTZ,
    version      BIGINT NOT NULL,
    created_at   TIMESTAMPTZ NOT NULL,
    updated_at   TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (env, id),
    FOREIGN KEY (app_env, app_id) REFERENCES apps (env, id)
);

CREATE UNIQUE INDEX installs_app ON installs (env, app_id); -- one per app and environment
CREATE INDEX installs_of_app ON installs (app_env, app_id);

-- Authorizations: a code and the tokens that it was exchanged for.
CREATE TABLE oauth_grants (
    env            BIGINT NOT NULL,
    id             {id} NOT NULL,
    install_id     {id} NOT NULL,
    user_id        {id} NOT NULL,
    scopes         TEXT NOT NULL,
    code_public_id {id} NOT NULL,
    code_hash      BYTEA NOT NULL,
    redirect_uri   TEXT NOT NULL,
    redirect_given BOOLEAN NOT NULL, -- the request had a redirect_uri
    challenge      TEXT NOT NULL, -- PKCE S256, or '' without PKCE
    created_at     TIMESTAMPTZ NOT NULL,
    expires_at     TIMESTAMPTZ NOT NULL, -- of the code
    used_at        TIMESTAMPTZ, -- when the code was exchanged
    revoked_at     TIMESTAMPTZ, -- ends all tokens
    PRIMARY KEY (env, id),
    FOREIGN KEY (env, install_id) REFERENCES installs (env, id) ON DELETE CASCADE
);

CREATE UNIQUE INDEX oauth_grants_code ON oauth_grants (code_public_id); -- the code finds its environment
CREATE INDEX oauth_grants_install ON oauth_grants (env, install_id);

CREATE TABLE oauth_tokens (
    env         BIGINT NOT NULL,
    id          {id} NOT NULL,
    public_id   {id} NOT NULL,
    hash        BYTEA NOT NULL, -- SHA-256 of the whole token
    kind        TEXT NOT NULL, -- at or rt
    install_id  {id} NOT NULL,
    grant_id    {id}, -- NULL for client credentials
    scopes      TEXT NOT NULL,
    created_at  TIMESTAMPTZ NOT NULL,
    expires_at  TIMESTAMPTZ NOT NULL,
    replaced_at TIMESTAMPTZ, -- when a refresh token was used
    revoked_at  TIMESTAMPTZ,
    PRIMARY KEY (env, id),
    FOREIGN KEY (env, install_id) REFERENCES installs (env, id) ON DELETE CASCADE
);

CREATE UNIQUE INDEX oauth_tokens_public_id ON oauth_tokens (public_id); -- the token finds its environment
CREATE INDEX oauth_tokens_install ON oauth_tokens (env, install_id);
CREATE INDEX oauth_tokens_grant ON oauth_tokens (env, grant_id);

-- The install of the app that set the URL. The webhook is deleted with it.
ALTER TABLE webhooks ADD COLUMN install_id {id};
