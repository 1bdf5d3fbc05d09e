-- +goose Up

-- The trace of the request that caused an event. Deliveries continue it.
ALTER TABLE outbox ADD COLUMN traceparent TEXT NOT NULL DEFAULT '';
ALTER TABLE events ADD COLUMN traceparent TEXT NOT NULL DEFAULT '';
