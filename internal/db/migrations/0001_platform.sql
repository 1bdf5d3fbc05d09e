-- +goose Up

-- One row per environment. env is the key that every other table starts with.
CREATE TABLE dealerships (
    env            BIGINT PRIMARY KEY,
    id             {id} NOT NULL,
    mode           TEXT NOT NULL CHECK (mode IN ('live', 'test')),
    name           TEXT NOT NULL,
    legal_name     TEXT,
    plan           TEXT NOT NULL,
    postal_address TEXT,
    timezone       TEXT NOT NULL,
    settings       TEXT NOT NULL,
    version        BIGINT NOT NULL,
    created_at     TIMESTAMPTZ NOT NULL,
    updated_at     TIMESTAMPTZ NOT NULL,
    UNIQUE (id, mode)
);

CREATE TABLE locations (
    env        BIGINT NOT NULL,
    id         {id} NOT NULL,
    name       TEXT NOT NULL,
    code       TEXT,
    address    TEXT,
    phone      TEXT,
    timezone   TEXT,
    version    BIGINT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    updated_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (env, id)
) {clustered};

CREATE UNIQUE INDEX locations_code ON locations (env, code);

CREATE TABLE roles (
    env        BIGINT NOT NULL,
    id         {id} NOT NULL,
    name       TEXT NOT NULL,
    scopes     TEXT NOT NULL,
    built_in   BOOLEAN NOT NULL,
    version    BIGINT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    updated_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (env, id)
) {clustered};

CREATE UNIQUE INDEX roles_name ON roles (env, name);

CREATE TABLE users (
    env           BIGINT NOT NULL,
    id            {id} NOT NULL,
    email         TEXT NOT NULL,
    name          TEXT NOT NULL,
    status        TEXT NOT NULL,
    password_hash TEXT,
    version       BIGINT NOT NULL,
    created_at    TIMESTAMPTZ NOT NULL,
    updated_at    TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (env, id)
) {clustered};

CREATE UNIQUE INDEX users_email ON users (env, email);

CREATE TABLE user_roles (
    env     BIGINT NOT NULL,
    user_id {id} NOT NULL,
    role_id {id} NOT NULL,
    PRIMARY KEY (env, user_id, role_id),
    FOREIGN KEY (env, user_id) REFERENCES users (env, id),
    FOREIGN KEY (env, role_id) REFERENCES roles (env, id)
) {clustered};

CREATE TABLE mfa_factors (
    env          BIGINT NOT NULL,
    id           {id} NOT NULL,
    user_id      {id} NOT NULL,
    kind         TEXT NOT NULL,
    label        TEXT,
    secret       BYTEA NOT NULL, -- sealed
    active       BOOLEAN NOT NULL,
    last_step    BIGINT NOT NULL, -- a code works once: the time step of the last one
    failures     BIGINT NOT NULL,
    locked_until TIMESTAMPTZ,
    created_at   TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (env, id)
) {clustered};

CREATE INDEX mfa_factors_user ON mfa_factors (env, user_id);

CREATE TABLE api_keys (
    env        BIGINT NOT NULL,
    id         {id} NOT NULL,
    public_id  {id} NOT NULL, -- the part of the key that may be shown; finds the row
    hash       BYTEA NOT NULL, -- SHA-256 of the whole key
    name       TEXT NOT NULL,
    scopes     TEXT NOT NULL,
    rate_limit BIGINT,
    lineage    {id} NOT NULL, -- the first key of a chain of rotations
    pin        TEXT NOT NULL, -- the API version it was issued under
    created_by TEXT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    expires_at TIMESTAMPTZ,
    revoked_at TIMESTAMPTZ,
    PRIMARY KEY (env, id)
) {clustered};

-- The one look-up without env: a credential is how the environment is found.
CREATE UNIQUE INDEX api_keys_public_id ON api_keys (public_id);

-- What happened, written in the transaction in which it did: the outbox.
CREATE TABLE events (
    env             BIGINT NOT NULL,
    id              {id} NOT NULL,
    type            TEXT NOT NULL,
    object_id       {id} NOT NULL,
    sequence        BIGINT NOT NULL,
    request_id      TEXT,
    idempotency_key TEXT,
    api_version     TEXT NOT NULL,
    data            TEXT NOT NULL,
    created_at      TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (env, id)
);

-- Events are kept for 30 days, the count of an object's events for ever.
CREATE TABLE event_sequences (
    env       BIGINT NOT NULL,
    object_id {id} NOT NULL,
    last      BIGINT NOT NULL,
    PRIMARY KEY (env, object_id)
) {clustered};

CREATE TABLE audit_entries (
    env         BIGINT NOT NULL,
    id          {id} NOT NULL,
    at          TIMESTAMPTZ NOT NULL,
    actor_type  TEXT NOT NULL,
    actor_id    {id} NOT NULL,
    actor_label TEXT NOT NULL,
    action      {id} NOT NULL,
    target_type TEXT NOT NULL,
    target_id   {id} NOT NULL,
    request_id  TEXT,
    ip          TEXT,
    user_agent  TEXT,
    changes     TEXT NOT NULL,
    outcome     TEXT NOT NULL,
    PRIMARY KEY (env, id)
);

-- The response of a write, kept for 24 hours under the caller's key.
CREATE TABLE idempotency_keys (
    env         BIGINT NOT NULL,
    lineage     {id} NOT NULL,
    key         {id} NOT NULL,
    fingerprint BYTEA NOT NULL,
    status      BIGINT NOT NULL,
    header      TEXT NOT NULL,
    body        BYTEA NOT NULL, -- sealed: it may hold a secret shown once
    created_at  TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (env, lineage, key)
);

CREATE INDEX idempotency_keys_age ON idempotency_keys (created_at);

