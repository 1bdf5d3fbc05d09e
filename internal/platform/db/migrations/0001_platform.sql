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
    location_ids  TEXT NOT NULL,
    sso_subject   TEXT,
    last_seen_at  TIMESTAMPTZ,
    version       BIGINT NOT NULL,
    created_at    TIMESTAMPTZ NOT NULL,
    updated_at    TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (env, id)
) {clustered};

CREATE UNIQUE INDEX users_email ON users (env, email);

-- A sign-in only has an email, so this lookup has no environment.
CREATE INDEX users_sign_in ON users (email);

CREATE TABLE user_roles (
    env     BIGINT NOT NULL,
    user_id {id} NOT NULL,
    role_id {id} NOT NULL,
    PRIMARY KEY (env, user_id, role_id),
    FOREIGN KEY (env, user_id) REFERENCES users (env, id),
    FOREIGN KEY (env, role_id) REFERENCES roles (env, id)
) {clustered};

CREATE INDEX user_roles_role ON user_roles (env, role_id);

-- A link to set a password. It works once.
CREATE TABLE invitations (
    env        BIGINT NOT NULL,
    hash       BYTEA NOT NULL, -- SHA-256 of the token in the link
    user_id    {id} NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    expires_at TIMESTAMPTZ NOT NULL,
    used_at    TIMESTAMPTZ,
    PRIMARY KEY (env, hash)
);

CREATE UNIQUE INDEX invitations_hash ON invitations (hash); -- the link finds its environment
CREATE INDEX invitations_user ON invitations (env, user_id);

CREATE TABLE sessions (
    env          BIGINT NOT NULL,
    id           {id} NOT NULL,
    public_id    {id} NOT NULL,
    hash         BYTEA NOT NULL, -- SHA-256 of the whole token
    user_id      {id} NOT NULL,
    method       TEXT NOT NULL,
    ip           TEXT,
    user_agent   TEXT,
    created_at   TIMESTAMPTZ NOT NULL,
    last_seen_at TIMESTAMPTZ NOT NULL,
    expires_at   TIMESTAMPTZ NOT NULL,
    ended_at     TIMESTAMPTZ,
    PRIMARY KEY (env, id)
) {clustered};

CREATE UNIQUE INDEX sessions_public_id ON sessions (public_id);
CREATE INDEX sessions_user ON sessions (env, user_id, id);

CREATE TABLE mfa_factors (
    env          BIGINT NOT NULL,
    id           {id} NOT NULL,
    user_id      {id} NOT NULL,
    kind         TEXT NOT NULL,
    label        TEXT,
    secret       BYTEA NOT NULL, -- sealed
    active       BOOLEAN NOT NULL,
    last_step    BIGINT NOT NULL, -- time step of the last code, because a code works once
    failures     BIGINT NOT NULL,
    locked_until TIMESTAMPTZ,
    created_at   TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (env, id)
) {clustered};

CREATE INDEX mfa_factors_user ON mfa_factors (env, user_id);

-- Recovery codes for a lost two-factor method. Each works once.
CREATE TABLE recovery_codes (
    env     BIGINT NOT NULL,
    user_id {id} NOT NULL,
    hash    BYTEA NOT NULL,
    used_at TIMESTAMPTZ,
    PRIMARY KEY (env, user_id, hash)
);

-- A recent two-factor confirmation. It works once and expires within minutes.
CREATE TABLE mfa_tokens (
    env        BIGINT NOT NULL,
    hash       BYTEA NOT NULL,
    user_id    {id} NOT NULL,
    expires_at TIMESTAMPTZ NOT NULL,
    used_at    TIMESTAMPTZ,
    PRIMARY KEY (env, hash)
);

-- Challenges for WebAuthn authenticators.
CREATE TABLE mfa_challenges (
    env        BIGINT NOT NULL,
    factor_id  {id} NOT NULL,
    data       BYTEA NOT NULL, -- sealed
    expires_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (env, factor_id)
);

CREATE TABLE api_keys (
    env        BIGINT NOT NULL,
    id         {id} NOT NULL,
    public_id  {id} NOT NULL, -- the public part of the key, which identifies the row
    hash       BYTEA NOT NULL, -- SHA-256 of the whole key
    name       TEXT NOT NULL,
    scopes     TEXT NOT NULL,
    rate_limit BIGINT,
    lineage    {id} NOT NULL, -- the first key of a chain of rotations
    pin        TEXT NOT NULL, -- the API version when it was issued
    created_by TEXT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    expires_at TIMESTAMPTZ,
    revoked_at TIMESTAMPTZ,
    rotated_to {id}, -- its successor
    last_used_at TIMESTAMPTZ,
    PRIMARY KEY (env, id)
) {clustered};

-- Requests per hour, counted in memory and written periodically.
CREATE TABLE api_key_uses (
    env     BIGINT NOT NULL,
    key_id  {id} NOT NULL,
    hour    TIMESTAMPTZ NOT NULL,
    uses    BIGINT NOT NULL,
    PRIMARY KEY (env, key_id, hour)
) {clustered};

-- The only lookup without env. The credential determines the environment.
CREATE UNIQUE INDEX api_keys_public_id ON api_keys (public_id);

-- The outbox: events, written in the transaction of the change.
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

-- Events are stored for 30 days, the number of events of an object permanently.
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
    mark        BYTEA NOT NULL, -- shows that Slipway wrote it
    link        BIGINT, -- its position in the chain, assigned shortly after the commit
    mac         BYTEA,  -- of the mark and the mac of the previous link
    PRIMARY KEY (env, id)
);

CREATE UNIQUE INDEX audit_entries_chain ON audit_entries (env, link);
CREATE INDEX audit_entries_loose ON audit_entries (env, id) WHERE link IS NULL;
CREATE INDEX audit_entries_target ON audit_entries (env, target_id, id);
CREATE INDEX audit_entries_actor ON audit_entries (env, actor_id, id);
CREATE INDEX audit_entries_action ON audit_entries (env, action, id);

-- Both ends of an environment's chain: where it begins, since old entries are
-- purged, and where it ends, so that cutting it short shows.
CREATE TABLE audit_chains (
    env        BIGINT PRIMARY KEY,
    first_link BIGINT NOT NULL,
    before_mac BYTEA NOT NULL, -- mac of the link before the first
    last_link  BIGINT NOT NULL,
    last_mac   BYTEA NOT NULL,
    seal       BYTEA NOT NULL  -- mac of the row
);

-- Responses to writes, stored for 24 hours by the client's Idempotency-Key.
CREATE TABLE idempotency_keys (
    env         BIGINT NOT NULL,
    lineage     {id} NOT NULL,
    key         {id} NOT NULL,
    fingerprint BYTEA NOT NULL,
    status      BIGINT NOT NULL,
    header      TEXT NOT NULL,
    body        BYTEA NOT NULL, -- sealed, because it can contain a secret that is shown once
    created_at  TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (env, lineage, key)
);

CREATE INDEX idempotency_keys_age ON idempotency_keys (created_at);

