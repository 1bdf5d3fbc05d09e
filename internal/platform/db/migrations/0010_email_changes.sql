-- +goose Up

-- A new address takes effect when its link is confirmed. It is proven if an administrator was
-- verified with a two-factor method when it was requested. Without that, it can't take effect
-- for a user with the admin scope.
ALTER TABLE users ADD COLUMN pending_email TEXT;
ALTER TABLE users ADD COLUMN pending_email_proven BOOLEAN NOT NULL DEFAULT FALSE;

-- A link to confirm a new address. It works once.
CREATE TABLE email_changes (
    env        BIGINT NOT NULL,
    hash       BYTEA NOT NULL, -- SHA-256 of the token in the link
    user_id    {id} NOT NULL,
    email      TEXT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    expires_at TIMESTAMPTZ NOT NULL,
    used_at    TIMESTAMPTZ,
    PRIMARY KEY (env, hash)
);

CREATE UNIQUE INDEX email_changes_hash ON email_changes (hash); -- the link finds its environment
CREATE INDEX email_changes_user ON email_changes (env, user_id);
