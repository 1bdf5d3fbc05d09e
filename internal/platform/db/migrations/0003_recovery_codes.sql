-- +goose Up

-- The factor that the codes came with: they are good if it was proven first.
ALTER TABLE recovery_codes ADD COLUMN factor_id {id} NOT NULL DEFAULT '';
