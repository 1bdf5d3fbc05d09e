-- +goose Up

-- On SQLite, events are written to the feed by the transaction of the change. The
-- relay has seen those up to relayed_id. It is not used on PostgreSQL.
ALTER TABLE event_feeds ADD COLUMN relayed_id {id} NOT NULL DEFAULT '';

UPDATE event_feeds SET relayed_id = last_id;
