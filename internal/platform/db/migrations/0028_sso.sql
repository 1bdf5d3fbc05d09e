-- +goose Up

-- Connections to identity providers.
CREATE TABLE sso_connections (
    env                   BIGINT NOT NULL,
    id                    {id} NOT NULL,
    name                  TEXT NOT NULL,
    protocol              TEXT NOT NULL, -- saml or oidc
    issuer                TEXT, -- OIDC issuer, or entity ID of the SAML provider
    client_id             TEXT,
    idp_metadata_url      TEXT,
    idp_metadata          TEXT NOT NULL, -- XML that was sent or fetched last, or ''
    secrets               BYTEA, -- client secret and private keys, sealed
    jit                   BOOLEAN NOT NULL,
    default_role_id       {id},
    group_mapping         TEXT NOT NULL,
    attribute_names       TEXT NOT NULL,
    allow_owner_role      BOOLEAN NOT NULL,
    enforce               BOOLEAN NOT NULL,
    allow_idp_initiated   BOOLEAN NOT NULL,
    support_contact       TEXT,
    metadata_refreshed_at TIMESTAMPTZ,
    metadata_error        TEXT, -- why the last refresh failed
    version               BIGINT NOT NULL,
    created_at            TIMESTAMPTZ NOT NULL,
    updated_at            TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (env, id)
);

CREATE UNIQUE INDEX sso_connections_id ON sso_connections (id); -- the path of a page finds its environment

-- Email domains of connections.
CREATE TABLE sso_domains (
    env           BIGINT NOT NULL,
    domain        TEXT NOT NULL, -- lower case, in ASCII
    connection_id {id} NOT NULL,
    verified_at   TIMESTAMPTZ,
    verified_by   TEXT, -- dns or operator
    PRIMARY KEY (env, domain),
    FOREIGN KEY (env, connection_id) REFERENCES sso_connections (env, id) ON DELETE CASCADE
);

CREATE INDEX sso_domains_domain ON sso_domains (domain); -- the email address of a sign-in has no environment
CREATE INDEX sso_domains_connection ON sso_domains (env, connection_id);

-- Users at identity providers. The issuer is part of the identity, so that a
-- connection to another provider doesn't sign in the users of the first one.
CREATE TABLE sso_identities (
    env             BIGINT NOT NULL,
    connection_id   {id} NOT NULL,
    issuer          TEXT NOT NULL,
    subject         TEXT NOT NULL, -- sub or NameID
    user_id         {id} NOT NULL,
    linked_by       TEXT NOT NULL, -- jit, email or administrator
    created_at      TIMESTAMPTZ NOT NULL,
    last_sign_in_at TIMESTAMPTZ,
    PRIMARY KEY (env, connection_id, issuer, subject),
    FOREIGN KEY (env, connection_id) REFERENCES sso_connections (env, id) ON DELETE CASCADE
);

CREATE UNIQUE INDEX sso_identities_user ON sso_identities (env, connection_id, user_id);

-- Sign-ins that are under way. The browser has the state in a URL and a secret in
-- a cookie.
CREATE TABLE sso_logins (
    env           BIGINT NOT NULL,
    connection_id {id} NOT NULL,
    hash          BYTEA NOT NULL, -- SHA-256 of the state
    browser       BYTEA NOT NULL, -- SHA-256 of the secret in the cookie
    test_session  {id} NOT NULL, -- session of the administrator who tests the connection, or ''
    return_to     TEXT NOT NULL,
    result        BYTEA, -- what the provider said, sealed, until the browser collects it
    expires_at    TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (env, connection_id, hash)
);

-- Messages of providers that were used: assertions, logout requests and logout
-- tokens.
CREATE TABLE sso_used_messages (
    env           BIGINT NOT NULL,
    connection_id {id} NOT NULL,
    hash          BYTEA NOT NULL, -- SHA-256 of the kind and the ID
    expires_at    TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (env, connection_id, hash)
);

-- What a provider calls a session, so that it can end it.
CREATE TABLE sso_sessions (
    env            BIGINT NOT NULL,
    id             {id} NOT NULL, -- of the session
    connection_id  {id} NOT NULL,
    issuer         TEXT NOT NULL,
    subject        TEXT NOT NULL,
    subject_format TEXT NOT NULL, -- NameID format of SAML, or ''
    session_index  TEXT NOT NULL, -- sid or SessionIndex, or ''
    secrets        BYTEA, -- ID token and refresh token, sealed
    refresh_at     TIMESTAMPTZ, -- when to check with the provider that the user is still active
    expires_at     TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (env, id)
);

CREATE INDEX sso_sessions_subject ON sso_sessions (env, connection_id, subject);
CREATE INDEX sso_sessions_refresh ON sso_sessions (refresh_at);

-- Requests to link a user to an identity, which the user confirms by email.
CREATE TABLE sso_links (
    env           BIGINT NOT NULL,
    connection_id {id} NOT NULL,
    user_id       {id} NOT NULL,
    issuer        TEXT NOT NULL,
    subject       TEXT NOT NULL,
    email         TEXT NOT NULL, -- where the link was sent
    hash          BYTEA, -- SHA-256 of the link; NULL until it is sent
    created_at    TIMESTAMPTZ NOT NULL,
    expires_at    TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (env, connection_id, user_id),
    FOREIGN KEY (env, connection_id) REFERENCES sso_connections (env, id) ON DELETE CASCADE
);

CREATE INDEX sso_links_hash ON sso_links (hash); -- the link finds its environment
