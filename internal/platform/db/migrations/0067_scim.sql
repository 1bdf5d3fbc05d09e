-- +goose Up

-- Tokens with which identity providers manage users. A connection has one.
CREATE TABLE scim_tokens (
    env            BIGINT NOT NULL,
    connection_id  {id} NOT NULL,
    public_id      {id} NOT NULL, -- part of the token that is not secret
    hash           BYTEA NOT NULL, -- SHA-256 of the token
    created_by     TEXT NOT NULL, -- ID of the user or key
    created_at     TIMESTAMPTZ NOT NULL,
    last_change_at TIMESTAMPTZ, -- when the provider last changed something
    PRIMARY KEY (env, connection_id),
    FOREIGN KEY (env, connection_id) REFERENCES sso_connections (env, id) ON DELETE CASCADE
);

CREATE UNIQUE INDEX scim_tokens_public_id ON scim_tokens (public_id); -- the token finds its environment

-- What providers say about users, as they sent it. A user belongs to one connection.
CREATE TABLE scim_users (
    env            BIGINT NOT NULL,
    user_id        {id} NOT NULL,
    connection_id  {id} NOT NULL,
    user_name      TEXT NOT NULL,
    user_name_key  TEXT NOT NULL, -- in lower case, or the ID of a user who was deleted
    external_id    TEXT NOT NULL, -- or ''
    display_name   TEXT NOT NULL,
    formatted_name TEXT NOT NULL,
    given_name     TEXT NOT NULL,
    family_name    TEXT NOT NULL,
    provisioned    BOOLEAN NOT NULL, -- created by the provider; otherwise the user existed before
    version        BIGINT NOT NULL,
    created_at     TIMESTAMPTZ NOT NULL,
    updated_at     TIMESTAMPTZ NOT NULL,
    deleted_at     TIMESTAMPTZ, -- the user is deactivated, and the provider can create the user again
    PRIMARY KEY (env, user_id),
    FOREIGN KEY (env, connection_id) REFERENCES sso_connections (env, id) ON DELETE CASCADE
);

CREATE UNIQUE INDEX scim_users_name ON scim_users (env, connection_id, user_name_key);
CREATE INDEX scim_users_external ON scim_users (env, connection_id, external_id);

-- Groups at identity providers.
CREATE TABLE scim_groups (
    env              BIGINT NOT NULL,
    id               {id} NOT NULL,
    connection_id    {id} NOT NULL,
    display_name     TEXT NOT NULL,
    display_name_key TEXT NOT NULL, -- in lower case
    external_id      TEXT NOT NULL, -- or ''
    version          BIGINT NOT NULL,
    created_at       TIMESTAMPTZ NOT NULL,
    updated_at       TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (env, id),
    FOREIGN KEY (env, connection_id) REFERENCES sso_connections (env, id) ON DELETE CASCADE
);

CREATE UNIQUE INDEX scim_groups_name ON scim_groups (env, connection_id, display_name_key);

CREATE TABLE scim_members (
    env      BIGINT NOT NULL,
    group_id {id} NOT NULL,
    user_id  {id} NOT NULL,
    PRIMARY KEY (env, group_id, user_id),
    FOREIGN KEY (env, group_id) REFERENCES scim_groups (env, id) ON DELETE CASCADE
);

CREATE INDEX scim_members_user ON scim_members (env, user_id);
