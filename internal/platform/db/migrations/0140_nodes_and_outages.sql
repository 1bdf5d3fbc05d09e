-- +goose Up

-- The servers that run jobs. Another server takes over the jobs of one that stopped.
CREATE TABLE job_nodes (
    id      TEXT NOT NULL PRIMARY KEY,
    host    TEXT NOT NULL,        -- the machine and the address, which a server keeps when it starts again
    seen_at TIMESTAMPTZ NOT NULL
);

-- The server that is sending a message or creating the sizes of a photo.
ALTER TABLE messages ADD COLUMN lease_by TEXT;
ALTER TABLE hull_photos ADD COLUMN claimed_by TEXT;

-- Providers of email and text messages that don't answer.
CREATE TABLE provider_outages (
    provider TEXT NOT NULL PRIMARY KEY,
    since    TIMESTAMPTZ NOT NULL,
    tried_at TIMESTAMPTZ NOT NULL
);

-- How many messages wait for the provider of a channel.
CREATE INDEX messages_queued ON messages (env, channel) WHERE status = 'queued';
