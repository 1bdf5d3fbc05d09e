-- +goose Up

-- What a two-factor confirmation is for. Empty means any operation.
ALTER TABLE mfa_tokens ADD COLUMN operation TEXT NOT NULL DEFAULT '';
ALTER TABLE mfa_tokens ADD COLUMN object_id TEXT NOT NULL DEFAULT '';
