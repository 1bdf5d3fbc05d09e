-- +goose Up

-- Messages that a user must check, because it is not known whether they were sent.
CREATE INDEX messages_unknown ON messages (env, id) WHERE status = 'unknown';

-- Messages that were being sent when the server was killed.
CREATE INDEX messages_leased ON messages (env, id) WHERE lease_until IS NOT NULL;
