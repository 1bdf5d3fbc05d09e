-- +goose Up

ALTER TABLE channels ADD COLUMN listing_url TEXT;
ALTER TABLE channels ADD COLUMN feed_hash BYTEA; -- of the token in the feed URL
ALTER TABLE channels ADD COLUMN feed_url_created_at TIMESTAMPTZ;
ALTER TABLE channels ADD COLUMN secrets BYTEA; -- encrypted
ALTER TABLE channels ADD COLUMN credential_header TEXT;
ALTER TABLE channels ADD COLUMN credential_set_at TIMESTAMPTZ;

CREATE INDEX channels_feed_hash ON channels (feed_hash);
