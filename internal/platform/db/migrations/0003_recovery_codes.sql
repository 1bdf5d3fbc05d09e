-- +goose Up

-- The two-factor method that the codes belong to. They are valid after it is confirmed.
ALTER TABLE recovery_codes ADD COLUMN factor_id {id} NOT NULL DEFAULT '';
