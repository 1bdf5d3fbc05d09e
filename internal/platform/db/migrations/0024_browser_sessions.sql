-- +goose Up

-- A browser sends its session in a cookie. Such a session is not accepted as a
-- bearer token, and the other way around.
ALTER TABLE sessions ADD COLUMN browser BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE sessions ADD COLUMN rights BYTEA; -- what the user could do when the cookie was set

-- A ticket stands for a password that was checked, until the user has chosen the
-- dealership and verified a two-factor method. There is one row for each user whom
-- the password fits. A ticket works once.
CREATE TABLE sign_in_tickets (
    env        BIGINT NOT NULL,
    hash       BYTEA NOT NULL, -- SHA-256 of the ticket in the cookie
    user_id    {id} NOT NULL,
    mode       TEXT NOT NULL,
    password   BYTEA NOT NULL, -- identifies the password that was checked
    return_to  TEXT NOT NULL,
    challenge  BYTEA,          -- of a security key, sealed
    expires_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (env, hash, user_id)
);

CREATE INDEX sign_in_tickets_hash ON sign_in_tickets (hash); -- the ticket finds its environment
