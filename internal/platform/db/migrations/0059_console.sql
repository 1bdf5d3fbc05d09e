-- +goose Up

-- A test session that was opened from a live session ends with it.
ALTER TABLE sessions ADD COLUMN parent_env BIGINT;
ALTER TABLE sessions ADD COLUMN parent_id TEXT;
