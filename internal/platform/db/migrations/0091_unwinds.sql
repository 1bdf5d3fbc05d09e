-- +goose Up

-- When a funded, delivered or closed sale was undone, and how many of its trade-ins were in stock by then.
ALTER TABLE deals ADD COLUMN unwound_at TIMESTAMPTZ;
ALTER TABLE deals ADD COLUMN stocked_trades BIGINT NOT NULL DEFAULT 0;
